// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - reschctl top, events: what changes from one look to the next */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/screen.h"
#include "reschctl.h"

/** struct look - all tasks at one time */
struct look {
	struct resch_task_stat *tasks;
	size_t count, room;
	uint64_t time;
};

/* Return: 0 or -errno. Ids come in ascending order. */
static int look_take(int fd, struct look *look)
{
	struct resch_task_stat stat = {};
	int result;

	look->count = 0;
	while ((result = resch_task_next(fd, &stat)) > 0) {
		if (look->count == look->room) {
			look->room = look->room ? 2 * look->room : 64;
			look->tasks = reallocarray(look->tasks, look->room, sizeof(*look->tasks));
			if (!look->tasks)
				return -ENOMEM;
		}
		look->tasks[look->count++] = stat;
	}
	look->time = resch_now();
	return result;
}

static int compare_ids(const void *a, const void *b)
{
	const struct resch_task_stat *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct resch_task_stat *look_find(const struct look *look, uint32_t id)
{
	const struct resch_task_stat key = { .id = id };

	if (!look->count)
		return NULL;
	return bsearch(&key, look->tasks, look->count, sizeof(key), compare_ids);
}

/* ---- top ------------------------------------------------------------------------------------- */

static const char top_help[] =
	"usage: reschctl top [--interval=TIME] [--once] [--json]\n"
	"\n"
	"A table of the registered tasks that refreshes itself. JOBS/S and %CPU are of\n"
	"the last interval, the rest is since the task was registered. Red: it missed a\n"
	"deadline in the last interval; pale: it has ended.\n"
	"\n"
	"Keys: s sorts by the next of id, misses, share of the CPU, longest response;\n"
	"f freezes the table, and lets it go on; q quits.\n"
	"\n"
	"  -i, --interval=TIME     between two looks; 100ms to 1h (default: 1s)\n"
	"  -1, --once              one table, after one interval\n"
	"  -j, --json              with --once: print JSON; times in ns, cpu in parts per\n"
	"                          million\n"
	"  -h, --help              this text\n";

/** struct top - the table as it is shown */
struct top {
	struct look looks[2];
	unsigned int turn; /* the newer one */
	unsigned int sort; /* of top_sorts */
	bool looked, frozen, screen;
};

/** struct line - a row, with what it is sorted by */
struct line {
	const struct resch_task_stat *now, *before;
	uint64_t key;
};

static uint64_t exec_since(const struct resch_task_stat *now, const struct resch_task_stat *before)
{
	return now->exec_total - before->exec_total;
}

static uint64_t by_id(const struct line *line)
{
	return UINT32_MAX - line->now->id;
}

static uint64_t by_misses(const struct line *line)
{
	return line->now->misses;
}

static uint64_t by_share(const struct line *line)
{
	return exec_since(line->now, line->before);
}

static uint64_t by_response(const struct line *line)
{
	return line->now->response_max;
}

static const struct {
	const char *column;
	uint64_t (*key)(const struct line *line); /* the largest comes first */
} top_sorts[] = {
	{ "ID", by_id }, { "MISS", by_misses }, { "%CPU", by_share }, { "RESP MAX", by_response }
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->now->id < y->now->id ? -1 : x->now->id > y->now->id;
}

static void top_add(struct table *table, const struct line *line, uint64_t interval)
{
	const struct resch_task_stat *now = line->now, *before = line->before;
	double seconds = (double)interval / 1e9;

	table_add(table, "%u", now->id);
	table_add(table, "%s", thread_name(now));
	if (screen_colour() && now->misses > before->misses)
		table_style(table, "31");
	else if (screen_colour() && now->state == RESCH_STATE_GONE)
		table_style(table, "2");
	table_add(table, "%d", now->pid);
	table_add(table, "%d", now->cpu);
	table_add(table, "%s", resch_state_name(now->state));
	table_add(table, "%s", time_text(now->params.wcet));
	table_add(table, "%s", time_text(now->params.period));
	table_add(table, "%.1f", (double)(now->completed - before->completed) / seconds);
	table_add(table, "%.1f", (double)exec_since(now, before) / (double)interval * 100);
	table_add(table, "%llu", (unsigned long long)now->completed);
	table_add(table, "%llu", (unsigned long long)now->misses);
	table_add(table, "%llu", (unsigned long long)now->overruns);
	table_add(table, "%s",
		  now->completed ? time_short(now->response_total / now->completed) : "-");
	table_add(table, "%s", now->completed ? time_short(now->response_max) : "-");
	table_add(table, "%s", now->completed ? time_short(now->exec_max) : "-");
}

static void top_domains(int fd, FILE *to)
{
	struct resch_domain_stat domain = {};

	while (resch_domain_next(fd, &domain) > 0)
		fprintf(to, "domain %u: CPUs %s, %s%s%s, %u task%s%s\n", domain.domain,
			cpus_text(&domain.cpus), domain.plugin, domain.options[0] ? ":" : "",
			domain.options, domain.tasks, domain.tasks == 1 ? "" : "s",
			domain.ejections ? ", plugins were thrown out: see `reschctl domain list`" :
					   "");
}

static void top_show(int fd, const struct top *top)
{
	static const char *const headings[] = {
		">ID",	     "NAME",	  ">PID",      ">CPU",	"STATE", ">RUNTIME",
		">PERIOD",   ">JOBS/S",	  ">%CPU",     ">JOBS", ">MISS", ">OVER",
		">RESP AVG", ">RESP MAX", ">EXEC MAX", NULL,
	};
	static const char *const drop[] = {
		"EXEC MAX", "RESP AVG", "PERIOD", "RUNTIME", "PID", NULL
	};
	static const struct resch_task_stat none;
	const struct look *now = &top->looks[top->turn], *before = &top->looks[!top->turn];
	struct line *lines = calloc(now->count + 1, sizeof(*lines));
	FILE *to = screen_page();
	struct table table;
	size_t i;

	if (!lines)
		return;
	if (top->screen)
		fprintf(to, "sorted by %s (s: the next), %s (f), q: quit\n",
			top_sorts[top->sort].column, top->frozen ? "FROZEN" : "f: freeze");
	top_domains(fd, to);
	fputc('\n', to);
	table_begin(&table, headings);
	table.width = screen_width();
	table.drop = drop;
	for (i = 0; i < now->count; i++) {
		lines[i].now = &now->tasks[i];
		lines[i].before = look_find(before, now->tasks[i].id);
		if (!lines[i].before)
			lines[i].before = &none;
		lines[i].key = top_sorts[top->sort].key(&lines[i]);
	}
	qsort(lines, now->count, sizeof(*lines), compare_lines);
	for (i = 0; i < now->count; i++)
		top_add(&table, &lines[i], now->time - before->time);
	table_print(&table, to);
	free(lines);
	screen_show();
}

static void top_json(const struct look *now, const struct look *before)
{
	struct json_object *out = json_object_new_object();
	struct json_object *list = json_object_new_array();
	uint64_t interval = now->time - before->time;
	size_t i;

	for (i = 0; i < now->count; i++) {
		const struct resch_task_stat *old = look_find(before, now->tasks[i].id);
		struct json_object *task = task_json(&now->tasks[i]);
		uint64_t exec = now->tasks[i].exec_total - (old ? old->exec_total : 0);
		uint64_t jobs = now->tasks[i].completed - (old ? old->completed : 0);

		json_add(task, "cpu_share",
			 json_object_new_int64((int64_t)((double)exec / (double)interval * 1e6)));
		json_add(task, "jobs_per_second",
			 json_object_new_double((double)jobs * 1e9 / (double)interval));
		json_object_array_add(list, task);
	}
	json_add_time(out, "interval", interval);
	json_add(out, "tasks", list);
	json_show(out, stdout);
}

/* Return: whether that key changes what is to be seen */
static bool top_key(struct top *top, int key)
{
	switch (key) {
	case 's':
		top->sort = (top->sort + 1) % (sizeof(top_sorts) / sizeof(top_sorts[0]));
		return true;
	case 'f':
	case ' ':
		top->frozen = !top->frozen;
		return true;
	default:
		return key == KEY_RESIZED;
	}
}

/* The next look, at its time or as keys want it. Return: 0, -errno, or 1: it is over */
static int top_next(int fd, struct top *top, uint64_t interval, uint64_t *next)
{
	uint64_t now = resch_now();
	int key = screen_wait(*next > now ? *next - now : 0), result = 0;

	if (key == KEY_QUIT)
		return 1;
	if (key != KEY_NONE && !(top_key(top, key) && top->looked))
		return -EAGAIN;
	if (key == KEY_NONE) {
		*next = resch_now() + interval;
		if (top->frozen)
			return -EAGAIN;
		top->turn = !top->turn;
		top->looked = true;
		result = look_take(fd, &top->looks[top->turn]);
	}
	return result;
}

static int top_loop(int fd, uint64_t interval, bool once, bool json)
{
	struct top top = {};
	uint64_t next;
	int result;

	watch_signals();
	top.screen = !once && screen_begin();
	result = look_take(fd, &top.looks[0]);
	next = resch_now() + interval;
	while (!result) {
		result = top_next(fd, &top, interval, &next);
		if (result == -EAGAIN) {
			result = 0;
			continue;
		}
		if (result)
			break;
		if (json)
			top_json(&top.looks[top.turn], &top.looks[!top.turn]);
		else
			top_show(fd, &top);
		if (!json && !top.screen && !once)
			putchar('\n');
		fflush(stdout);
		if (once)
			break;
	}
	screen_end();
	free(top.looks[0].tasks);
	free(top.looks[1].tasks);
	return result < 0 ? fail("top: %s", error_text(result)) : EXIT_DONE;
}

int cmd_top(int argc, char **argv)
{
	bool once = false, json = false;
	uint64_t interval = 1000000000;
	const struct option_row rows[] = {
		{ "interval", 'i', "time", option_time, &interval, 100 * MS, HOUR },
		{ "once", '1', NULL, option_flag, &once },
		OPTION_JSON(&json),
		{},
	};
	const struct option_table table = { "top", top_help, .rows = rows };
	int fd, result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("top", "top takes no arguments");
	if (json && !once)
		return usage("top", "--json goes with --once");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = top_loop(fd, interval, once, json);
	close(fd);
	return result;
}

/* ---- events ---------------------------------------------------------------------------------- */

static const char events_help[] =
	"usage: reschctl events [--interval=TIME] [--json]\n"
	"\n"
	"One line for each task that comes, goes, misses deadlines, overruns or skips releases, and for each plugin\n"
	"that is thrown out, until ^C. It compares counters of all programs' tasks at each interval; the exact time of\n"
	"each event goes to the program that registered the task (resch_event_read(3), `reschctl run --events`).\n"
	"\n"
	"  -i, --interval=TIME     between two looks; 10ms to 1h (default: 100ms)\n"
	"  -j, --json              print one JSON object a line; times in ns\n"
	"  -h, --help              this text\n";

static void event_line(bool json, const struct look *look, const char *what,
		       const struct resch_task_stat *task, uint64_t number)
{
	struct json_object *out;

	if (!json) {
		printf("%.3f  task %u (%s)  %s", (double)look->time / 1e9, task->id,
		       thread_name(task), what);
		if (number)
			printf(" +%llu", (unsigned long long)number);
		putchar('\n');
		return;
	}
	out = json_object_new_object();
	json_add_time(out, "time", look->time);
	json_add_text(out, "event", what);
	json_add(out, "task", json_object_new_int64(task->id));
	json_add_text(out, "name", thread_name(task));
	if (number)
		json_add_number(out, "number", number);
	json_show_line(out, stdout);
}

static void events_compare(const struct look *now, const struct look *before, bool json)
{
	size_t i;

	for (i = 0; i < before->count; i++) {
		/* Those that have ended were told of. */
		if (before->tasks[i].state != RESCH_STATE_GONE &&
		    !look_find(now, before->tasks[i].id))
			event_line(json, now, "gone", &before->tasks[i], 0);
	}
	for (i = 0; i < now->count; i++) {
		const struct resch_task_stat *task = &now->tasks[i];
		const struct resch_task_stat *old = look_find(before, task->id), none = {};

		if (!old) {
			event_line(json, now, "new", task, 0);
			old = &none;
		}
		if (task->state == RESCH_STATE_GONE && old->state != RESCH_STATE_GONE)
			event_line(json, now, "ended", task, 0);
		if (task->misses > old->misses)
			event_line(json, now, "misses", task, task->misses - old->misses);
		if (task->overruns > old->overruns)
			event_line(json, now, "overruns", task, task->overruns - old->overruns);
		if (task->skipped > old->skipped)
			event_line(json, now, "skipped", task, task->skipped - old->skipped);
	}
}

/* How often plugins were thrown out so far; a rise is told with the reason. */
static uint32_t events_ejections(int fd, uint64_t time, uint32_t known, bool first, bool json)
{
	struct resch_domain_stat domain = {};
	struct json_object *out;
	uint32_t total = 0;

	while (resch_domain_next(fd, &domain) > 0) {
		total += domain.ejections;
		if (first || total <= known)
			continue;
		if (json) {
			out = domain_json(&domain);
			json_add_time(out, "time", time);
			json_add_text(out, "event", "eject");
			json_show_line(out, stdout);
		} else {
			printf("%.3f  domain %u  plugin %s was thrown out: %s\n",
			       (double)time / 1e9, domain.domain, domain.eject_plugin,
			       domain.eject_reason);
		}
		known = total;
	}
	return total;
}

int cmd_events(int argc, char **argv)
{
	uint64_t interval = 100000000;
	bool json = false;
	const struct option_row rows[] = {
		{ "interval", 'i', "time", option_time, &interval, 10 * MS, HOUR },
		OPTION_JSON(&json),
		{},
	};
	const struct option_table table = { "events", events_help, .rows = rows };
	struct look looks[2] = {};
	unsigned int turn = 0;
	uint32_t ejections;
	int fd, result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("events", "events takes no arguments");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;

	watch_signals();
	ejections = events_ejections(fd, 0, 0, true, json);
	result = look_take(fd, &looks[0]);
	while (!result && !watch_wait(interval)) {
		struct look *before = &looks[turn % 2], *now = &looks[++turn % 2];

		result = look_take(fd, now);
		if (result)
			break;
		events_compare(now, before, json);
		ejections = events_ejections(fd, now->time, ejections, false, json);
		fflush(stdout);
	}
	close(fd);
	free(looks[0].tasks);
	free(looks[1].tasks);
	return result ? fail("events: %s", error_text(result)) : EXIT_DONE;
}
