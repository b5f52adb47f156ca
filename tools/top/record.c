// SPDX-License-Identifier: GPL-2.0-or-later
/* record.c - reschtop record: have trace-cmd record what all programs of resch read */
#include "record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

static const char help[] =
	"usage: reschtop record [OPTION...] [[--] COMMAND [ARGUMENT...]]\n"
	"\n"
	"Records, by trace-cmd, the events that resch-check, resch-draw, resch-export,\n"
	"resch-jitter and KernelShark read: what resch decides, who had the CPUs,\n"
	"interrupts and timers; with the clock that they need. Until ^C, or as long as the\n"
	"COMMAND runs.\n"
	"\n"
	"  -o, --output=FILE       where to (default: trace.dat)\n"
	"  -b, --buffer=KIB        for each CPU, 100 to 1000000 (default: 20000)\n"
	"  -n, --dry-run           print the command instead of running it\n"
	"  -h, --help              this text\n";

/* What is recorded where the kernel has it: some are of one architecture only. */
static const struct {
	const char *event, *folder;
} events[] = {
	{ "resch", NULL },
	{ "sched_switch", NULL },
	{ "irq", "irq" },
	{ "irq_vectors", "irq_vectors" },
	{ "timer:hrtimer_expire_entry", "timer/hrtimer_expire_entry" },
};

#define EVENTS (sizeof(events) / sizeof(events[0]))
/* trace-cmd record -C mono -b KIB -o FILE, and the end */
#define WORDS 10

static bool there(const char *root, const char *path)
{
	char all[256];

	snprintf(all, sizeof(all), "%s%s", root, path);
	return !access(all, F_OK);
}

static void show(char *const *words)
{
	for (; *words; words++)
		printf("%s%s", *words, words[1] ? " " : "\n");
}

/** struct wish - what the command line asks for */
struct wish {
	const char *output, *root;
	uint64_t buffer;
	bool dry;
};

static int run(const struct wish *wish, char **command, size_t count)
{
	const char *words[WORDS + 2 * EVENTS + count];
	char kib[32], path[128];
	size_t n = 0, i;

	snprintf(kib, sizeof(kib), "%llu", (unsigned long long)wish->buffer);
	words[n++] = "trace-cmd";
	words[n++] = "record";
	words[n++] = "-C";
	words[n++] = "mono";
	words[n++] = "-b";
	words[n++] = kib;
	words[n++] = "-o";
	words[n++] = wish->output;
	for (i = 0; i < EVENTS; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%s",
			 events[i].folder ? events[i].folder : "");
		if (events[i].folder && !there(wish->root, path))
			continue;
		words[n++] = "-e";
		words[n++] = events[i].event;
	}
	for (i = 0; i < count; i++)
		words[n++] = command[i];
	words[n] = NULL;
	if (wish->dry) {
		show((char *const *)words);
		return EXIT_DONE;
	}
	execvp(words[0], (char *const *)words);
	return fail("trace-cmd: %s%s", strerror(errno),
		    errno == ENOENT ? " (apt install trace-cmd)" : "");
}

int record(int argc, char **argv)
{
	struct wish wish = { .output = "trace.dat", .root = "", .buffer = 20000 };
	const struct option_row rows[] = {
		{ "output", 'o', "file", option_text, &wish.output },
		{ "buffer", 'b', "kib", option_number, &wish.buffer, 100, 1000000 },
		{ "dry-run", 'n', NULL, option_flag, &wish.dry },
		/* for tests, as of `reschctl doctor` */
		{ "root", 0, "directory", option_text, &wish.root },
		{},
	};
	const struct option_table table = {
		.command = "record", .help = help, .rows = rows, .program = true
	};
	int result = options_run(argc, argv, &table);

	if (result >= 0)
		return result;
	if (!there(wish.root, "/sys/module/resch")) {
		fail("the module resch is not loaded: `modprobe resch`; `reschctl doctor` says more");
		return EXIT_NO_MODULE;
	}
	return run(&wish, argv + optind, (size_t)(argc - optind));
}
