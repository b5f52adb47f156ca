// SPDX-License-Identifier: GPL-2.0-or-later
/* watch.c - reschctl top, events: what changes from one look to the next */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "reschctl.h"

/** struct look - all tasks at one time */
struct look {
	struct resch_task_stat *tasks;
	size_t count, room;
	uint64_t time;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

void watch_signals(void)
{
	struct sigaction action = { .sa_handler = stop };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

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
	"A table of the registered tasks that refreshes itself. JOBS/S and %CPU are of the last interval, the rest is\n"
	"since the task was registered. q quits.\n"
	"\n"
	"  -i, --interval=TIME     between two looks; 100ms to 1h (default: 1s)\n"
	"  -1, --once              one table, after one interval\n"
	"  -j, --json              with --once: print JSON; times in ns, cpu in parts per million\n"
	"  -h, --help              this text\n";

static void top_add(struct table *table, const struct resch_task_stat *now,
		    const struct resch_task_stat *before, uint64_t interval)
{
	const struct resch_task_stat none = {};
	double seconds = (double)interval / 1e9;

	if (!before)
		before = &none;
	table_add(table, "%u", now->id);
	table_add(table, "%s", thread_name(now));
	table_add(table, "%d", now->pid);
	table_add(table, "%d", now->cpu);
	table_add(table, "%s", resch_state_name(now->state));
	table_add(table, "%s", time_text(now->params.wcet));
	table_add(table, "%s", time_text(now->params.period));
	table_add(table, "%.1f", (double)(now->completed - before->completed) / seconds);
	table_add(table, "%.1f",
		  (double)(now->exec_total - before->exec_total) / (double)interval * 100);
	table_add(table, "%llu", (unsigned long long)now->completed);
	table_add(table, "%llu", (unsigned long long)now->misses);
	table_add(table, "%llu", (unsigned long long)now->overruns);
	table_add(table, "%s",
		  now->completed ? time_short(now->response_total / now->completed) : "-");
	table_add(table, "%s", now->completed ? time_short(now->response_max) : "-");
	table_add(table, "%s", now->completed ? time_short(now->exec_max) : "-");
}

static void top_show(int fd, const struct look *now, const struct look *before, bool clear)
{
	static const char *const headings[] = {
		">ID",	     "NAME",	  ">PID",      ">CPU",	"STATE", ">RUNTIME",
		">PERIOD",   ">JOBS/S",	  ">%CPU",     ">JOBS", ">MISS", ">OVER",
		">RESP AVG", ">RESP MAX", ">EXEC MAX", NULL,
	};
	struct resch_domain_stat domain = {};
	const char *end = clear ? "\033[K" : "";
	struct table table;
	size_t i;

	while (resch_domain_next(fd, &domain) > 0)
		printf("domain %u: CPUs %s, %s%s%s, %u tasks%s%s\n", domain.domain,
		       cpus_text(&domain.cpus), domain.plugin, domain.options[0] ? ":" : "",
		       domain.options, domain.tasks,
		       domain.ejections ? ", plugins were thrown out: see `reschctl domain list`" :
					  "",
		       end);
	printf("%s\n", end);
	table_begin(&table, headings);
	for (i = 0; i < now->count; i++)
		top_add(&table, &now->tasks[i], look_find(before, now->tasks[i].id),
			now->time - before->time);
	table_print(&table, stdout, clear);
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

/* Keys come one by one and unseen; what the terminal was like comes back at the end. */
static struct termios terminal;
static bool raw;

void watch_keys_end(void)
{
	if (raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
	raw = false;
}

void watch_keys(void)
{
	struct termios keys;

	if (tcgetattr(STDIN_FILENO, &terminal))
		return;
	keys = terminal;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw = !tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	atexit(watch_keys_end);
}

bool watch_wait(uint64_t interval)
{
	struct pollfd keys = { .fd = raw ? STDIN_FILENO : -1, .events = POLLIN };
	uint64_t now, end = resch_now() + interval;
	char key;

	while (!stopped && (now = resch_now()) < end) {
		if (poll(&keys, 1, (int)((end - now) / 1000000 + 1)) > 0 &&
		    (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
			return true;
	}
	return stopped;
}

int watch_time(const char *command, const char *option, const char *text, uint64_t least,
	       uint64_t most, uint64_t *time)
{
	if (!resch_time_parse(text, time) && *time >= least && *time <= most)
		return -1;
	return usage(command, "--%s=%s: a time from %s to %s", option, text, time_text(least),
		     time_text(most));
}

static int top_loop(int fd, uint64_t interval, bool once, bool json)
{
	struct look looks[2] = {};
	bool screen = !once && isatty(STDOUT_FILENO);
	unsigned int turn = 0;
	int result;

	watch_signals();
	if (screen && isatty(STDIN_FILENO))
		watch_keys();
	result = look_take(fd, &looks[0]);
	while (!result && !watch_wait(interval)) {
		struct look *before = &looks[turn % 2], *now = &looks[++turn % 2];

		result = look_take(fd, now);
		if (result)
			break;
		if (json) {
			top_json(now, before);
		} else {
			if (screen)
				fputs("\033[H", stdout);
			top_show(fd, now, before, screen);
			if (screen)
				fputs("\033[J", stdout);
			else if (!once)
				putchar('\n');
		}
		fflush(stdout);
		if (once)
			break;
	}
	watch_keys_end();
	free(looks[0].tasks);
	free(looks[1].tasks);
	return result ? fail("top: %s", error_text(result)) : EXIT_DONE;
}

int cmd_top(int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "once", no_argument, NULL, '1' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	bool once = false, json = false;
	uint64_t interval = 1000000000;
	int option, fd, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "i:1jh", options, NULL)) != -1) {
		switch (option) {
		case 'i':
			result = watch_time("top", "interval", optarg, 100 * MS, HOUR, &interval);
			if (result >= 0)
				return result;
			break;
		case '1':
			once = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(top_help, stdout);
			return EXIT_DONE;
		default:
			return options_bad("top", argv);
		}
	}
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
		json_add_time(out, "number", number);
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
	static const struct option options[] = {
		{ "interval", required_argument, NULL, 'i' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	uint64_t interval = 100000000;
	struct look looks[2] = {};
	uint32_t ejections;
	int option, fd, result;
	unsigned int turn = 0;
	bool json = false;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "i:jh", options, NULL)) != -1) {
		switch (option) {
		case 'i':
			result = watch_time("events", "interval", optarg, 10 * MS, HOUR, &interval);
			if (result >= 0)
				return result;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(events_help, stdout);
			return EXIT_DONE;
		default:
			return options_bad("events", argv);
		}
	}
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
