// SPDX-License-Identifier: GPL-2.0-or-later
/* task.c - reschctl tasks, start, release, unregister */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

static const char tasks_help[] =
	"usage: reschctl tasks [--json]\n"
	"\n"
	"Lists the registered tasks with their parameters and statistics since they were registered. MISS: jobs that\n"
	"were not complete at their deadline; OVER: that exceeded their runtime; RESP: from release to completion.\n"
	"\n"
	"  -j, --json              print JSON; times in ns\n"
	"  -h, --help              this text\n";

static int list_fill(int fd, struct table *table, struct json_object *list)
{
	struct resch_task_stat stat = {};
	int result;

	task_table_begin(table);
	while ((result = resch_task_next(fd, &stat)) > 0) {
		json_object_array_add(list, task_json(&stat));
		task_table_add(table, &stat);
	}
	return result;
}

int cmd_tasks(int argc, char **argv)
{
	static const struct listing listing = {
		"tasks", "tasks",   tasks_help,
		"tasks", list_fill, "no tasks: `reschctl run` makes a program one"
	};

	return list_run(argc, argv, &listing);
}

static const char start_help[] =
	"usage: reschctl start DOMAIN [--at=TIME] [--json]\n"
	"\n"
	"Gives time zero to the tasks of a domain that were registered with --sync: their first releases come at that\n"
	"time plus their offsets.\n"
	"\n"
	"      --at=TIME           +500ms: from now; 1234.5s: of CLOCK_MONOTONIC (default: as soon as possible)\n"
	"  -j, --json              print JSON: how many tasks were waiting\n"
	"  -h, --help              this text\n";

static int parse_when(const char *text, uint64_t *when)
{
	uint64_t ns;

	if (resch_time_parse(text + (*text == '+'), &ns))
		return -EINVAL;
	*when = *text == '+' ? resch_now() + ns : ns;
	return 0;
}

int cmd_start(int argc, char **argv)
{
	const char *at = NULL;
	bool json = false;
	const struct option_row rows[] = {
		{ "at", 0, "time", option_text, &at },
		OPTION_JSON(&json),
		{},
	};
	const struct option_table table = { "start", start_help, "domains", .rows = rows };
	uint64_t domain, when = 0;
	struct json_object *out;
	int fd, result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || number_parse(argv[optind], UINT32_MAX, &domain) || !domain)
		return usage("start", "start takes the id of a domain");
	if (at && parse_when(at, &when))
		return usage("start", "--at=%s: a time is +500ms or 1234.5s", at);
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_start(fd, (uint32_t)domain, when);
	close(fd);
	if (result == -ETIME)
		return fail("--at=%s is past, or too close", at ? at : "0");
	if (result == -ENODEV || result == -ENOENT)
		return fail("there is no domain %lu: see `reschctl domain list`",
			    (unsigned long)domain);
	if (result < 0)
		return fail("start: %s", error_text(result));
	if (json) {
		out = json_object_new_object();
		json_add(out, "waiting", json_object_new_int(result));
		json_show(out, stdout);
	} else if (result) {
		printf("%d task%s waiting for it\n", result, result == 1 ? " was" : "s were");
	} else {
		printf("no task was waiting for it\n");
	}
	return EXIT_DONE;
}

static const char release_help[] =
	"usage: reschctl release ID\n"
	"\n"
	"Releases a job of a sporadic task. The module takes this from the program that registered the task alone, so\n"
	"this command tells who that is.\n"
	"\n"
	"  -h, --help              this text\n";

static const char unregister_help[] =
	"usage: reschctl unregister ID\n"
	"\n"
	"Makes a task an ordinary thread again. The module takes this from the program that registered the task alone,\n"
	"so this command tells who that is. SysRq-y gives all threads back whatever happens.\n"
	"\n"
	"  -h, --help              this text\n";

/*
 * Both are for the owner, which we never are: a descriptor of ours has registered nothing. Say what
 * does help.
 */
static int explain(int fd, const char *what, uint32_t id, int error)
{
	struct resch_task_stat stat;

	if (error == -ENOENT)
		return fail("there is no task %u: see `reschctl tasks`", id);
	if (error == -EINVAL)
		return fail("task %u is not sporadic: its jobs are released by %s", id,
			    resch_task_stat(fd, id, &stat) || stat.params.kind == RESCH_WAKEUP ?
				    "its own wake-ups" :
				    "the clock");
	if (error == -EPERM && geteuid() == 0 && !resch_task_stat(fd, id, &stat))
		return fail(
			"task %u was registered through another descriptor, and only who holds that one can %s it: the "
			"program that registered thread %d (itself, or a `reschctl run` or `attach`). End that "
			"program, or press SysRq-y, which gives all threads back",
			id, what, stat.pid);
	return fail("%s: %s", what, error_text(error));
}

static int by_id(int argc, char **argv, const char *what, const char *help,
		 int (*call)(int fd, uint32_t id))
{
	int fd, result;
	uint64_t id;
	bool json;

	result = options_plain(argc, argv, what, help, "tasks", &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage(what, "%s takes the id of a task", what);
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = call(fd, (uint32_t)id);
	if (result)
		result = explain(fd, what, (uint32_t)id, result);
	close(fd);
	return result;
}

int cmd_release(int argc, char **argv)
{
	return by_id(argc, argv, "release", release_help, resch_release);
}

int cmd_unregister(int argc, char **argv)
{
	return by_id(argc, argv, "unregister", unregister_help, resch_unregister);
}
