// SPDX-License-Identifier: GPL-2.0-or-later
/* attach.c - reschctl attach */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/owner.h"

static const char help[] =
	"usage: reschctl attach --pid=TID --runtime=TIME --period=TIME [OPTION...]\n"
	"\n"
	"Gives real-time parameters to a thread that runs already, for as long as this command runs: it ends with ^C\n"
	"or with the thread, and prints the statistics.\n"
	"\n"
	"      --pid=TID           thread id; of a process: its first thread\n" OWNER_HELP
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

static void name_of(pid_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	if (read_text(path, name, size) <= 0)
		*name = '\0';
	text_clean(name);
}

/* The thread is the owner's until it has ended, or we are told to. Return: an exit status */
static int hold(struct owner *owner, pid_t tid, uint64_t start_time, const struct spec *spec,
		bool quiet)
{
	struct owned *owned = owner_add(owner, tid, start_time);
	int result;

	name_of(tid, owned->name, sizeof(owned->name));
	result = owner_register(owner, owned, spec);
	if (result == -ESRCH)
		return fail("there is no thread %d any more", tid);
	if (result)
		return EXIT_FAILED;
	stay(owner, owned);
	if (!quiet)
		owner_report(owner, json_object_new_object());
	return EXIT_DONE;
}

int cmd_attach(int argc, char **argv)
{
	struct spec spec = SPEC_INIT, *specs = &spec;
	struct owner owner = {};
	struct place place = {};
	bool quiet = false;
	uint64_t tid = 0, start_time;
	const struct option_row rows[] = {
		PLACE_OPTIONS(&place),
		SPEC_OPTIONS(&specs, NULL),
		OWNER_OPTIONS(&owner, &quiet),
		{ "pid", 0, "threads", option_number, &tid, 1, INT32_MAX },
		{},
	};
	const struct option_table table = { "attach", help, .rows = rows };
	char name[RESCH_NAME_LEN];
	int result;

	result = options_run(argc, argv, &table);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("attach", "attach takes no arguments");
	if (!tid)
		return usage("attach", "which thread? --pid=TID");
	if (spec_check(&spec))
		return EXIT_USAGE;
	if (resch_start_time((pid_t)tid, &start_time))
		return fail("there is no thread %lu", (unsigned long)tid);
	if (thread_is_kernels((pid_t)tid)) {
		name_of((pid_t)tid, name, sizeof(name));
		return fail("thread %lu (%s) is a kernel thread: these cannot be registered",
			    (unsigned long)tid, name);
	}

	owner.fd = device_open();
	if (owner.fd < 0)
		return EXIT_NO_MODULE;
	result = place_find(owner.fd, &place, &spec, 1);
	if (!result) {
		owner.domain = place.domain;
		result = hold(&owner, (pid_t)tid, start_time, &spec, quiet);
		owner_end(&owner);
		place_leave(owner.fd, &place);
	}
	close(owner.fd);
	return result;
}
