// SPDX-License-Identifier: GPL-2.0-or-later
/* attach.c - reschctl attach */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "owner.h"

static const char help[] =
	"usage: reschctl attach --pid=TID --runtime=TIME --period=TIME [OPTION...]\n"
	"\n"
	"Gives real-time parameters to a thread that runs already, for as long as this command runs: it ends with ^C\n"
	"or with the thread, and prints the statistics.\n"
	"\n"
	"      --pid=TID           thread id; of a process: its first thread\n"
	"      --events            print each overrun and miss that was asked to be notified\n"
	"  -o, --output=FILE       write the statistics there (default: standard error; JSON: standard output)\n"
	"  -q, --quiet             no statistics\n"
	"  -j, --json              statistics as JSON; times in ns\n"
	"  -h, --help              this text\n"
	"\n" PLACE_HELP "\n" SPEC_HELP;

/* Until a signal comes, or the thread is gone. */
static void stay(struct owner *owner, const struct owned *owned)
{
	struct pollfd fds[2] = { { .events = POLLIN }, { .fd = owner->fd, .events = POLLIN } };
	struct signalfd_siginfo info;
	uint64_t start_time;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fds[0].fd = signalfd(-1, &set, SFD_CLOEXEC);
	for (;;) {
		poll(fds, 2, 100);
		if (fds[0].revents && read(fds[0].fd, &info, sizeof(info)) == sizeof(info))
			break;
		if (owner_events(owner))
			break;
		if (resch_start_time(owned->tid, &start_time) || start_time != owned->start_time)
			break;
		owner_refresh(owner);
		if (owned->stat.state == RESCH_STATE_GONE)
			break;
	}
	owner_refresh(owner);
	close(fds[0].fd);
}

int cmd_attach(int argc, char **argv)
{
	static const struct option options[] = {
		PLACE_OPTIONS,
		SPEC_OPTIONS,
		{ "pid", required_argument, NULL, 'P' },
		{ "events", no_argument, NULL, 'e' },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	struct spec spec = SPEC_INIT;
	struct owner owner = {};
	struct place place = {};
	struct owned *owned;
	bool quiet = false;
	uint64_t tid = 0, start_time;
	char path[64];
	int option, index, result;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "p:o:qjh", options, &index)) != -1) {
		switch (option) {
		case 0:
			if (spec_set(&spec, options[index].name, optarg))
				return EXIT_USAGE;
			break;
		case 'P':
			if (number_parse(optarg, INT32_MAX, &tid) || !tid)
				return usage("attach", "--pid=%s: thread ids are numbers from 1",
					     optarg);
			break;
		case 'e':
			owner.show_events = true;
			break;
		case 'o':
			owner.output = optarg;
			break;
		case 'q':
			quiet = true;
			break;
		case 'j':
			owner.json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_DONE;
		default:
			if (!place_option(&place, option, optarg))
				return options_bad("attach", argv);
		}
	}
	if (optind != argc)
		return usage("attach", "attach takes no arguments");
	if (!tid)
		return usage("attach", "which thread? --pid=TID");
	if (spec_check(&spec))
		return EXIT_USAGE;
	if (resch_start_time((pid_t)tid, &start_time))
		return fail("there is no thread %lu", (unsigned long)tid);

	owner.fd = device_open();
	if (owner.fd < 0)
		return EXIT_NO_MODULE;
	result = place_find(owner.fd, &place, &spec, 1);
	if (!result) {
		owner.domain = place.domain;
		owned = owner_add(&owner, (pid_t)tid, start_time);
		snprintf(path, sizeof(path), "/proc/%lu/comm", (unsigned long)tid);
		read_text(path, owned->name, sizeof(owned->name));
		text_clean(owned->name);
		result = owner_register(&owner, owned, &spec);
		if (!result) {
			stay(&owner, owned);
			if (!quiet)
				owner_report(&owner, json_object_new_object());
		} else {
			if (result == -ESRCH)
				fail("there is no thread %lu any more", (unsigned long)tid);
			result = EXIT_FAILED;
		}
		owner_end(&owner);
		place_leave(owner.fd, &place);
	}
	close(owner.fd);
	return result;
}
