// SPDX-License-Identifier: GPL-2.0-or-later
/* layout.c - layouts of time slots as tables, as a picture in text, and as JSON */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assign.h"

#define PICTURE 72 /* columns for a slot */

/* wcet / period of a task in parts per million, rounded up */
static uint64_t share_of(const struct resch_assign_task *task)
{
	return (task->wcet * 1000000 + task->period - 1) / task->period;
}

static bool is_split(const struct resch_layout *layout, uint32_t group)
{
	return layout->groups[group - 1].nr_reserves > 1;
}

/* The CPUs of a group, "1" or "1,2" */
static const char *group_cpus(const struct resch_layout *layout, uint32_t group)
{
	struct resch_cpus cpus = {};
	uint32_t i;

	for (i = 0; i < layout->nr_reserves; i++) {
		if (layout->reserves[i].group == group)
			resch_cpus_add(&cpus, layout->reserves[i].cpu);
	}
	return cpus_text(&cpus);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Those of the file come first. */
static bool runs(const struct assignment *assignment, uint32_t task)
{
	return task >= assignment->set.count - assignment->standing.nr_tasks;
}

static void print_tasks(const struct assignment *assignment, FILE *to)
{
	static const char *const headings[] = { "TASK",	  ">WCET", ">DEADLINE", ">PERIOD", ">SHARE",
						">GROUP", "CPUS",  "RUNS",	NULL };
	static const char *const short_headings[] = { "TASK",	">WCET",  ">DEADLINE", ">PERIOD",
						      ">SHARE", ">GROUP", "CPUS",      NULL };
	bool running = assignment->standing.nr_tasks;
	const struct resch_layout *layout = assignment->layout;
	struct table table;
	uint32_t i;

	table_begin(&table, running ? headings : short_headings);
	for (i = 0; i < assignment->request.nr_tasks; i++) {
		const struct resch_assign_task *task = &assignment->tasks[i];

		table_add(&table, "%s", assignment->set.tasks[i].params.name);
		table_add(&table, "%s", time_text(task->wcet));
		table_add(&table, "%s", time_text(task->deadline));
		table_add(&table, "%s", time_text(task->period));
		table_add(&table, "%s", share_text(share_of(task)));
		table_add(&table, "%u", layout->task_group[i]);
		table_add(&table, "%s", group_cpus(layout, layout->task_group[i]));
		if (running)
			table_add(&table, "%s", runs(assignment, i) ? "yes" : "not yet");
	}
	table_print(&table, to);
}

static void print_reserves(const struct resch_layout *layout, FILE *to)
{
	static const char *const headings[] = { ">CPU",	  ">BEGIN", ">END",  ">LENGTH",
						">GROUP", ">NEED",  "SPLIT", NULL };
	struct table table;
	uint32_t i;

	table_begin(&table, headings);
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *reserve = &layout->reserves[i];
		const struct resch_layout_group *group = &layout->groups[reserve->group - 1];

		table_add(&table, "%u", reserve->cpu);
		table_add(&table, "%s", time_text(reserve->begin));
		table_add(&table, "%s", time_text(reserve->end));
		table_add(&table, "%s", time_text(reserve->end - reserve->begin));
		table_add(&table, "%u", reserve->group);
		table_add(&table, "%s", time_text(group->need));
		table_add(&table, "%s", group->nr_reserves > 1 ? "split" : "no");
	}
	table_print(&table, to);
}

/* ---- a picture in text ----------------------------------------------------------------------- */

/* |---- 3 ----| from its first column up to the next one's */
static void paint(char *line, uint64_t slot, const struct resch_layout_reserve *reserve)
{
	size_t first = (size_t)(reserve->begin * PICTURE / slot);
	size_t last = (size_t)(reserve->end * PICTURE / slot), length, at;
	char number[16];

	if (last <= first)
		last = first + 1;
	memset(line + first, '-', last - first);
	line[first] = '|';
	length = (size_t)snprintf(number, sizeof(number), "%u", reserve->group);
	if (last - first < length + 1)
		return;
	at = first + 1 + (last - first - 1 - length) / 2;
	memcpy(line + at, number, length);
}

static void print_picture(const struct assignment *assignment, FILE *to)
{
	const struct resch_layout *layout = assignment->layout;
	char line[PICTURE + 2];
	uint32_t cpu, i = 0;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(&assignment->request.cpus, cpu))
			continue;
		memset(line, ' ', sizeof(line) - 2);
		line[0] = '|';
		line[PICTURE] = '|';
		line[PICTURE + 1] = 0;
		for (; i < layout->nr_reserves && layout->reserves[i].cpu == cpu; i++) {
			const struct resch_layout_reserve *reserve = &layout->reserves[i];

			paint(line, layout->slot, reserve);
			/* where nothing follows, its end is to be seen */
			if (reserve->end < layout->slot &&
			    line[reserve->end * PICTURE / layout->slot] == ' ')
				line[reserve->end * PICTURE / layout->slot] = '|';
		}
		fprintf(to, "CPU %4u  %s\n", cpu, line);
	}
}

void layout_print(const struct assignment *assignment, FILE *to)
{
	const struct resch_layout *layout = assignment->layout;
	uint64_t share = 0, cpus = (uint64_t)resch_cpus_count(&assignment->request.cpus);
	uint32_t i, split = 0;

	for (i = 0; i < assignment->request.nr_tasks; i++) {
		share += share_of(&assignment->tasks[i]);
		split += is_split(layout, layout->task_group[i]);
	}
	fprintf(to, "%s: slots of %s (delta %u), %s of %lu CPUs; %u of %u tasks are split\n\n",
		resch_assign_name(assignment->request.method), time_text(layout->slot),
		layout->delta, share_text(share / cpus), (unsigned long)cpus, split,
		assignment->request.nr_tasks);
	print_tasks(assignment, to);
	fputc('\n', to);
	print_reserves(layout, to);
	fputc('\n', to);
	print_picture(assignment, to);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static struct json_object *tasks_json(const struct assignment *assignment)
{
	const struct resch_layout *layout = assignment->layout;
	struct json_object *list = json_object_new_array();
	uint32_t i;

	for (i = 0; i < assignment->request.nr_tasks; i++) {
		const struct taskset_task *it = &assignment->set.tasks[i];
		struct json_object *task = json_object_new_object();

		json_add_text(task, "name", it->params.name);
		json_add_time(task, "wcet", assignment->tasks[i].wcet);
		json_add_time(task, "deadline", assignment->tasks[i].deadline);
		json_add_time(task, "period", assignment->tasks[i].period);
		json_add_time(task, "max_period", it->gap_max);
		json_add_time(task, "min_exec", it->exec_min);
		json_add_time(task, "max_exec", it->exec_max);
		json_add_time(task, "offset", it->params.offset);
		json_add_time(task, "max_offset", it->offset_max);
		json_add_text(task, "overrun", resch_react_name(it->params.overrun));
		json_add_text(task, "miss", resch_react_name(it->params.miss));
		json_add(task, "group", json_object_new_int64(layout->task_group[i]));
		json_add(task, "split",
			 json_object_new_boolean(is_split(layout, layout->task_group[i])));
		json_add(task, "runs", json_object_new_boolean(runs(assignment, i)));
		json_object_array_add(list, task);
	}
	return list;
}

static struct json_object *groups_json(const struct resch_layout *layout)
{
	struct json_object *list = json_object_new_array();
	uint32_t i;

	for (i = 0; i < layout->nr_groups; i++) {
		struct json_object *group;

		/* a number between those that tasks keep */
		if (!layout->groups[i].nr_tasks)
			continue;
		group = json_object_new_object();
		json_add(group, "group", json_object_new_int64(i + 1));
		json_add_time(group, "need", layout->groups[i].need);
		json_add_time(group, "size", layout->groups[i].size);
		json_add(group, "tasks", json_object_new_int64(layout->groups[i].nr_tasks));
		json_add_text(group, "cpus", group_cpus(layout, i + 1));
		json_add(group, "split", json_object_new_boolean(is_split(layout, i + 1)));
		json_object_array_add(list, group);
	}
	return list;
}

static struct json_object *way_json(const struct resch_switch *way)
{
	struct json_object *out = json_object_new_object();

	json_add(out, "steps", json_object_new_int64(way->nr_steps));
	json_add_time(out, "settle", way->settle);
	json_add_time(out, "rest", way->rest);
	return out;
}

struct json_object *layout_json(const struct assignment *assignment)
{
	const struct resch_layout *layout = assignment->layout;
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	uint32_t i;

	json_add_text(out, "method", resch_assign_name(assignment->request.method));
	json_add(out, "exact",
		 json_object_new_boolean(assignment->request.sizing == RESCH_ASSIGN_EXACT));
	json_add(out, "delta", json_object_new_int64(layout->delta));
	json_add_time(out, "slot", layout->slot);
	json_add_text(out, "cpus", cpus_text(&assignment->request.cpus));
	json_add(out, "tasks", tasks_json(assignment));
	json_add(out, "groups", groups_json(layout));
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *it = &layout->reserves[i];
		struct json_object *reserve = json_object_new_object();

		json_add(reserve, "cpu", json_object_new_int64(it->cpu));
		json_add(reserve, "group", json_object_new_int64(it->group));
		json_add_time(reserve, "begin", it->begin);
		json_add_time(reserve, "end", it->end);
		json_object_array_add(list, reserve);
	}
	json_add(out, "reserves", list);
	if (assignment->standing.way)
		json_add(out, "switch", way_json(assignment->standing.way));
	return out;
}

/* ---- a picture ------------------------------------------------------------------------------- */

/* resch-draw reads the JSON from a pipe. */
static int draw_from(int fd, const char *path)
{
	if (dup2(fd, STDIN_FILENO) < 0)
		return -1;
	close(fd);
	execlp("resch-draw", "resch-draw", "--slots", "-", "-o", path, NULL);
	fail("resch-draw cannot be run: %s; it is in tools/trace and needs python3-matplotlib",
	     strerror(errno));
	return -1;
}

int layout_draw(const struct assignment *assignment, const char *path)
{
	int ends[2], status = -1;
	pid_t child;
	FILE *to;

	fflush(stdout);
	/* where it does not read, that is seen from its status */
	signal(SIGPIPE, SIG_IGN);
	if (pipe(ends)) {
		fail("--draw: %s", strerror(errno));
		return -1;
	}
	child = fork();
	if (!child) {
		close(ends[1]);
		draw_from(ends[0], path);
		_exit(127);
	}
	close(ends[0]);
	to = child > 0 ? fdopen(ends[1], "w") : NULL;
	if (to) {
		json_show(layout_json(assignment), to);
		fclose(to);
	} else {
		close(ends[1]);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	else
		fail("--draw: %s", strerror(errno));
	return status ? -1 : 0;
}
