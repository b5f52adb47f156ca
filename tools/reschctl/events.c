// SPDX-License-Identifier: GPL-2.0-or-later
/* events.c - reschctl events: what has changed from one look to the next */
#include <unistd.h>

#include "common/look.h"
#include "common/screen.h"
#include "reschctl.h"

static const char help[] =
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

/* What has changed since @old; NULL: it was not there. */
static void events_of(const struct look *now, const struct resch_task_stat *task,
		      const struct resch_task_stat *old, bool json)
{
	static const struct resch_task_stat none;

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

static void events_compare(const struct look *now, const struct look *before, bool json)
{
	const struct resch_task_stat *task;
	size_t i;

	for (i = 0; i < before->count; i++) {
		task = look_at(before, &look_tasks, i);
		/* Those that have ended were told of. */
		if (task->state != RESCH_STATE_GONE && !look_find(now, &look_tasks, task->id))
			event_line(json, now, "gone", task, 0);
	}
	for (i = 0; i < now->count; i++) {
		task = look_at(now, &look_tasks, i);
		events_of(now, task, look_find(before, &look_tasks, task->id), json);
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
	const struct option_table table = { "events", help, .rows = rows };
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
	result = look_take(fd, &look_tasks, &looks[0]);
	while (!result && !watch_wait(interval)) {
		struct look *before = &looks[turn % 2], *now = &looks[++turn % 2];

		result = look_take(fd, &look_tasks, now);
		if (result)
			break;
		events_compare(now, before, json);
		ejections = events_ejections(fd, now->time, ejections, false, json);
		fflush(stdout);
	}
	close(fd);
	look_free(&looks[0]);
	look_free(&looks[1]);
	return result ? fail("events: %s", error_text(result)) : EXIT_DONE;
}
