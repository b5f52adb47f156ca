// SPDX-License-Identifier: GPL-2.0-or-later
/* join.c - reschctl assign --join: one more task */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "assign.h"

/* "2ms/10ms" or "2ms/10ms/8ms" */
static int parse_join(const char *text, struct resch_assign_task *task)
{
	uint64_t *const to[] = { &task->wcet, &task->period, &task->deadline };
	char *copy = strdup(text), *rest = copy, *word;
	int error = copy ? 0 : -1;
	size_t i = 0;

	*task = (struct resch_assign_task){};
	while (!error && (word = strsep(&rest, "/")))
		error = i == 3 || resch_time_parse(word, to[i++]) ? -1 : 0;
	free(copy);
	if (error || i < 2)
		return usage("assign", "--join=%s: it is WCET/PERIOD or WCET/PERIOD/DEADLINE",
			     text);
	return EXIT_DONE;
}

static void show(const char *text, const struct resch_layout_reserve *place, bool made,
		 const char *verb, struct json_object *out)
{
	struct json_object *answer;

	if (!out) {
		printf("\nA task of %s %s %s %u on CPU %u, %s to %s.\n", text, verb,
		       made ? "a new group" : "group", place->group, place->cpu,
		       time_text(place->begin), time_text(place->end));
		return;
	}
	answer = json_object_new_object();
	json_add(answer, "group", json_object_new_int64(place->group));
	json_add(answer, "new", json_object_new_boolean(made));
	json_add(answer, "cpu", json_object_new_int64(place->cpu));
	json_add_time(answer, "begin", place->begin);
	json_add_time(answer, "end", place->end);
	json_add(out, "join", answer);
}

int join_show(const struct assignment *assignment, const char *text, struct json_object *out)
{
	struct resch_assign_refusal refusal = {};
	struct resch_layout_reserve place = {};
	struct resch_assign_task task;
	int result = parse_join(text, &task), error;

	if (result)
		return result;
	error = resch_layout_join(&assignment->request, assignment->layout, &task, &place,
				  &refusal);
	if (error)
		return assign_refused(assignment, error, &refusal);
	show(text, &place, place.group > assignment->layout->nr_groups, "would join", out);
	return EXIT_DONE;
}

/* ---- beside tasks that run ------------------------------------------------------------------- */

int join_add(struct assignment *assignment, const char *text)
{
	struct taskset *set = &assignment->set;
	struct resch_assign_task task;
	struct taskset_task *tasks;
	int result = parse_join(text, &task);

	if (result)
		return result;
	tasks = realloc(set->tasks, (set->count + 1) * sizeof(*tasks));
	if (!tasks)
		return fail("out of memory");
	set->tasks = tasks;
	tasks[set->count++] = (struct taskset_task){
		.params = { .wcet = task.wcet,
			    .deadline = task.deadline ? task.deadline : task.period,
			    .period = task.period,
			    .name = "join" },
		.exec_min = task.wcet,
		.exec_max = task.wcet,
		.gap_max = task.period,
	};
	return EXIT_DONE;
}

bool join_standing(const struct assignment *assignment, const char *text, bool json)
{
	struct resch_assign_refusal refusal = {};
	struct resch_layout_reserve place = {};
	struct json_object *out;
	struct resch_assign_task task;

	if (parse_join(text, &task) || standing_join(assignment, &task, &place, &refusal))
		return false;
	/* where a new group has room there has to be a plan with it */
	if (place.group > assignment->standing.layout.nr_groups)
		return false;
	out = json ? json_object_new_object() : NULL;
	if (out)
		json_add(out, "domain", json_object_new_int64(assignment->standing.domain.domain));
	show(text, &place, false, "has room in", out);
	if (out)
		json_show(out, stdout);
	return true;
}

void join_show_kept(const struct assignment *assignment, const char *text, struct json_object *out)
{
	uint32_t at = assignment->set.count - assignment->standing.nr_tasks - 1, i;
	const struct resch_layout *layout = assignment->layout;
	uint32_t group = layout->task_group[at];

	for (i = 0; layout->reserves[i].group != group; i++)
		;
	show(text, &layout->reserves[i], layout->groups[group - 1].nr_tasks == 1, "joins", out);
}
