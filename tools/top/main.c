// SPDX-License-Identifier: GPL-2.0-or-later
/* main.c - reschtop: watch tasks by the trace events, counted in the kernel */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "record.h"
#include "screen.h"
#include "symbols.h"
#include "top.h"
#include "words.h"

const char tool_name[] = "reschtop";

static const char help[] =
	"usage: reschtop [OPTION...] [-- COMMAND [ARGUMENT...]]\n"
	"       reschtop record [OPTION...] [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Watches the registered tasks by the trace events, which small programs count in the\n"
	"kernel while it runs. For each: jobs, deadlines missed, overruns, how long after its\n"
	"release a job had the CPU (START) and was complete (RESP), what it executed (EXEC),\n"
	"how late it was (LATE). Percentiles are of all jobs since it began, and exceed what\n"
	"was measured by 1/16 at most; MAX is exact. Servers, chains and CPUs likewise.\n"
	"\n"
	"On a terminal it is a screen with several pages: h there says what keys do.\n"
	"`reschtop record` has trace-cmd record what happens, for the programs that judge.\n"
	"\n"
	"  -i, --interval=TIME     between two looks; 100ms to 1h (default: 1s)\n"
	"  -1, --once              one table, after one interval; and who had the CPU while the\n"
	"                          slowest job of each task, and its last late one, was there\n"
	"  -S, --stack             ... and what its CPU was doing in the kernel when its deadline\n"
	"                          passed, or when it was released; in --once and --json\n"
	"  -j, --json              print JSON, an object a line each interval; times in ns\n"
	"  -p, --prometheus[=FILE] print it for Prometheus, once; or write it into FILE each\n"
	"                          interval, and print nothing but what --json asks for\n"
	"  -V, --version           print the version\n"
	"  -h, --help              this text\n"
	"\n"
	"With a COMMAND it runs that, and reports once when it has ended.\n"
	"Exit status: 0 done, 1 failed, 2 bad command line, 3 no module.\n";

/** struct wish - what the command line asks for */
struct wish {
	uint64_t interval;
	bool once, stack, json, prometheus, version;
	const char *file; /* for prometheus; NULL: standard output */
	const char *root;
	char **command;
};

/* Return: an exit status */
static int show(const struct state *state, const struct wish *wish)
{
	const struct look *now = &state->looks[state->turn];
	int status = EXIT_DONE;
	FILE *to;

	if (wish->file)
		status = prometheus_save(now, wish->file);
	else if (wish->prometheus)
		prometheus_print(now, stdout);
	if (wish->json && wish->once) {
		json_show(report_json(now), stdout);
	} else if (wish->json) {
		json_show_line(report_json(now), stdout);
	} else if (!wish->prometheus) {
		to = screen_page();
		report_tasks(now, state->looked ? &state->looks[!state->turn] : NULL, to);
		groups_table(now, to);
		if (wish->once)
			blame_table(now, to);
		screen_show();
	}
	fflush(stdout);
	return status;
}

int state_look(struct state *state)
{
	const struct look *before;
	int result;

	state->looked = state->looks[state->turn].time != 0;
	state->turn = !state->turn;
	before = state->looked ? &state->looks[!state->turn] : NULL;
	result = look_take(&state->looks[state->turn], before, &state->probe, state->fd);
	return result < 0 ? result : 0;
}

static int look(struct state *state)
{
	int result = state_look(state);

	return result ? fail("%s", error_text(result)) : EXIT_DONE;
}

/* Looks, and shows, each interval, until a key or a signal ends it. */
static int watch(struct state *state, const struct wish *wish)
{
	int status = EXIT_DONE;

	while (!watch_wait(wish->interval)) {
		status = look(state);
		if (!status)
			status = show(state, wish);
		if (status || wish->once)
			break;
	}
	return status;
}

/* Return: an exit status: that of the command does not matter. */
static int watch_command(struct state *state, const struct wish *wish, struct child *child)
{
	int status = child_go(child);

	if (!status)
		status = child_wait(child);
	if (!status)
		status = look(state);
	if (!status)
		status = show(state, wish);
	return status;
}

/* Somebody sits there, and nothing else is asked for. */
static bool screen_wanted(const struct wish *wish)
{
	return !wish->once && !wish->json && !wish->prometheus && isatty(STDIN_FILENO) &&
	       isatty(STDOUT_FILENO);
}

static size_t tasks_there(int fd)
{
	struct resch_task_stat stat = {};
	size_t count = 0;

	while (resch_task_next(fd, &stat) > 0)
		count++;
	return count;
}

static int run(const struct wish *wish)
{
	struct state state = {};
	struct child child = {};
	int status;

	status = probe_possible(wish->root);
	if (status)
		return status;
	state.fd = device_open();
	if (state.fd < 0)
		return EXIT_NO_MODULE;
	/* Before the programs: nothing is to be inherited, and it is not to wait for them. */
	if (wish->command)
		status = child_begin(&child, wish->command);
	if (!status)
		status = probe_begin(&state.probe, tasks_there(state.fd), wish->stack);
	if (!status) {
		watch_signals();
		if (wish->stack)
			symbols_load("");
		if (wish->command)
			status = watch_command(&state, wish, &child);
		else if (screen_wanted(wish))
			status = terminal_watch(&state, wish->interval);
		else
			status = watch(&state, wish);
		probe_end(&state.probe);
		symbols_free();
	}
	child_end(&child);
	look_free(&state.looks[0]);
	look_free(&state.looks[1]);
	close(state.fd);
	return status;
}

static int top(int argc, char **argv)
{
	struct wish wish = { .interval = 1000000000, .root = "" };
	const struct option_row rows[] = {
		{ "interval", 'i', "time", option_time, &wish.interval, 100 * MS, HOUR },
		{ "once", '1', NULL, option_flag, &wish.once },
		{ "stack", 'S', NULL, option_flag, &wish.stack },
		OPTION_JSON(&wish.json),
		{ "prometheus", 'p', "?file", option_text, &wish.file, 0, 0, &wish.prometheus },
		{ "version", 'V', NULL, option_flag, &wish.version },
		/* for tests, as of `reschctl doctor` */
		{ "root", 0, "directory", option_text, &wish.root },
		{},
	};
	const struct option_table table = {
		.command = "", .help = help, .rows = rows, .program = true
	};
	int result;

	/* what completions ask: see options.h */
	if (argc > 1 && !strcmp(argv[1], "--options")) {
		options_listing = true;
		argc--;
		argv++;
	}
	if (argc > 1 && !strcmp(argv[1], "record"))
		return record(argc - 1, argv + 1);
	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (wish.version) {
		puts("reschtop " RESCH_VERSION);
		return EXIT_DONE;
	}
	if (optind < argc && strcmp(argv[optind - 1], "--"))
		return usage("", "what is '%s'? A command to run stands behind --", argv[optind]);
	if (optind < argc) {
		wish.command = argv + optind;
		wish.once = true;
	}
	if (wish.prometheus && wish.json && !wish.file)
		return usage("",
			     "--json and --prometheus can't both be printed: --prometheus=FILE");
	if (wish.prometheus && !wish.file)
		wish.once = true;
	return run(&wish);
}

int main(int argc, char **argv)
{
	/* Names of threads are in the terminal's letters; numbers are as they are. */
	setlocale(LC_CTYPE, "");
	return output_end(top(argc, argv));
}
