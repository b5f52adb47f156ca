// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - reschctl server run, server attach: whole processes in a server
 *
 * The program registers itself as a member of the server between fork() and execve(), on our
 * descriptor; from then on the module takes in whatever it starts. What runs already is registered
 * from here, thread by thread, until no thread is left that is new. The descriptor is the owner:
 * with us all that ends.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/program.h"
#include "common/screen.h"
#include "server.h"

/* How often we look whether members are left, ms. */
#define LOOK 50

/** struct hall - a server, or a band of them, whom it is for, and what became of it */
struct hall {
	int fd;
	struct resch_server_stat stat; /* the first, as first read */
	struct resch_server_stat *stats; /* all, as last read */
	size_t count;
	uint64_t began;
	pid_t pid; /* the program */
	int status; /* as from waitpid(2) */
	bool ended; /* it has */
	bool told; /* that others of the family go on */
	bool guest; /* the server was there before, and may have others in it */
	bool quiet, json;
};

static struct resch_register member_of(const struct resch_server_stat *stat)
{
	struct resch_register reg = {
		.domain = stat->domain,
		.params = { .kind = RESCH_WAKEUP,
			    .cpu = -1,
			    .flags = RESCH_F_FAMILY,
			    .group = stat->id },
	};

	return reg;
}

/* Which servers they are. Return: 0, or an exit status after a message. */
static int hall_open(struct hall *hall, uint32_t domain, uint32_t id)
{
	/* Where there is none, registering will say so. */
	if (resch_server_stat(hall->fd, domain, id, &hall->stat))
		hall->stat = (struct resch_server_stat){ .domain = domain, .id = id };
	hall->stats = server_band_stats(hall->fd, &hall->stat, &hall->count);
	return hall->stats ? 0 : fail("out of memory");
}

/* Return: whether there is somebody in the servers, or may be soon. */
static bool look(struct hall *hall)
{
	struct resch_server_stat stat;
	struct resch_event events[64];
	bool some = false;
	size_t i;

	/* Nobody waits for them, but they would be counted as lost. */
	while (resch_event_wait(hall->fd, 0) > 0 && resch_event_read(hall->fd, events, 64) > 0)
		;
	for (i = 0; i < hall->count; i++) {
		if (resch_server_stat(hall->fd, hall->stat.domain, hall->stats[i].id, &stat))
			continue;
		hall->stats[i] = stat;
		some = some || stat.tasks || stat.waiting;
	}
	return some;
}

static const char *explain(int error, const struct resch_register *reg)
{
	switch (-error) {
	case EBUSY:
		return "the server has tasks with promises; whole processes need one for themselves";
	case EINVAL:
		return "there is no such server, or the thread is under SCHED_DEADLINE, or the module is older "
		       "than reschctl";
	case ENOSPC:
		return "the server has as many tasks as the module's parameter `members` allows, or whoever has "
		       "delegated it";
	case EOPNOTSUPP:
		return "this kernel does not export task_work_add, which whole processes need";
	default:
		return refusal_text(error, reg);
	}
}

/* ---- the report ------------------------------------------------------------------------------ */

static void report_json(struct hall *hall, int status, char **program, uint64_t time)
{
	struct json_object *out = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	for (i = 0; i < hall->count; i++)
		json_object_array_add(list, server_json(&hall->stats[i]));
	json_add(out, "program", program_json(program));
	json_add(out, "status", json_object_new_int(status));
	json_add_time(out, "time", time);
	json_add(out, "server", server_json(&hall->stats[0]));
	json_add(out, "servers", list);
	json_show(out, stdout);
}

static void report(struct hall *hall, int status, char **program)
{
	uint64_t time = resch_now() - hall->began;
	size_t i;

	if (hall->json) {
		report_json(hall, status, program, time);
		return;
	}
	for (i = 0; i < hall->count && !hall->quiet; i++) {
		const struct resch_server_stat *stat = &hall->stats[i];

		note("server %u:%u: consumed %s in %s, %llu budgets of %s, %llu exhausted, %llu postponed",
		     stat->domain, stat->id, time_short(stat->consumed), time_short(time),
		     (unsigned long long)stat->replenished, time_text(stat->params.budget),
		     (unsigned long long)stat->exhausted, (unsigned long long)stat->postponed);
	}
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Return: true: enough. */
static bool take_signals(struct hall *hall, int signals)
{
	struct signalfd_siginfo info;
	bool enough = false;

	while (read(signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (!hall->ended && waitpid(hall->pid, &hall->status, WNOHANG) == hall->pid)
				hall->ended = true;
		} else if (hall->ended) {
			enough = info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
				 info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT;
		} else if (info.ssi_code != SI_KERNEL) {
			/* What the terminal sends, the program has had from it, too. */
			kill(hall->pid, (int)info.ssi_signo);
		}
	}
	return enough;
}

/* Until the program, and all that it has started, have ended. */
static void supervise(struct hall *hall, int signals)
{
	struct pollfd fds = { .fd = signals, .events = POLLIN };
	bool some = true;

	while (!hall->ended || (some && !hall->guest)) {
		poll(&fds, 1, LOOK);
		if (take_signals(hall, signals)) {
			note("members of server %u:%u that are left become ordinary processes",
			     hall->stat.domain, hall->stat.id);
			return;
		}
		some = look(hall);
		if (hall->ended && some && !hall->guest && !hall->told && !hall->quiet) {
			note("the program has ended; what it has started goes on in its server");
			hall->told = true;
		}
	}
}

static int run_program(struct hall *hall, char **program)
{
	struct resch_register reg = member_of(&hall->stat);
	struct program start = {
		.words = program,
		.device = hall->fd,
		.reg = &reg,
		.why = explain,
	};
	sigset_t mask;
	int signals, result;

	signals = program_signals(&mask);
	if (signals < 0)
		return EXIT_RUN;
	hall->began = resch_now();
	result = program_start(&start, &mask);
	hall->pid = start.pid;
	if (!result) {
		supervise(hall, signals);
		result = program_status(hall->status);
		report(hall, result, program);
	}
	close(signals);
	return result;
}

/* In a server that there is, whose others are no business of ours. */
static int run_in(struct hall *hall, const char *in)
{
	uint32_t domain, id;
	struct resch_server_stat stat;

	if (server_parse_id(in, &domain, &id))
		return usage("server", "--in=%s: it is DOMAIN:ID, as `reschctl server list` shows",
			     in);
	if (resch_server_stat(hall->fd, domain, id, &stat))
		return server_explain(-ENOENT, domain, id, NULL);
	hall->guest = true;
	return hall_open(hall, domain, id);
}

/* Return: 0, or an exit status after a message. */
static int run_make(struct hall *hall, const struct server_given *given)
{
	struct resch_servers_set several;
	struct resch_server_set one;
	int result;

	if (given->in)
		return run_in(hall, given->in);
	if (given->band) {
		result = server_band_make(hall->fd, given, 0, &several);
		return result ? result : hall_open(hall, several.domain, several.id);
	}
	result = server_make(hall->fd, given, 0, &one);
	return result ? result : hall_open(hall, one.domain, one.id);
}

/* Return: false: after a message. */
static bool run_is_told(struct server_given *given)
{
	if (!given->in)
		return !server_complete(given);
	if (given->params.budget || given->params.period || given->params.quantum || given->kind ||
	    given->params.flags || *given->plugin || given->cpu || given->band || given->domain ||
	    given->name) {
		usage("server", "--in names a server that there is: it has its size and place");
		return false;
	}
	return true;
}

int server_run(int argc, char **argv)
{
	struct server_given given = {};
	struct hall hall = {};
	int result;

	result = server_parse(argc, argv, &given, "program");
	if (result == EXIT_DONE)
		return result;
	if (result < 0 && optind == argc)
		result = usage("server", "which program?");
	if (result < 0 && given.params.kind == RESCH_SERVER_LINUX)
		result = usage("server", "--kind=linux takes no tasks: server add");
	if (result < 0 && !given.policy && !*given.plugin) {
		given.params.policy = RESCH_SERVER_RR;
		given.policy = true;
	}
	if (result >= 0 || !run_is_told(&given))
		return EXIT_RUN;
	hall.fd = device_open();
	if (hall.fd < 0)
		return EXIT_RUN;
	hall.quiet = given.quiet;
	hall.json = given.json;
	result = EXIT_RUN;
	if (!run_make(&hall, &given))
		result = run_program(&hall, argv + optind);
	/* Members are given back what they had, and the server is deleted with the last of them. */
	close(hall.fd);
	free(hall.stats);
	return result;
}

/* ---- what runs already ----------------------------------------------------------------------- */

/*
 * One walk over the threads of a process. Return: how many have become members; -1 after a message.
 */
static int walk(struct hall *hall, pid_t pid)
{
	struct resch_register reg;
	uint64_t start_time;
	int result, count = 0;
	DIR *dir = threads_open(pid);
	pid_t tid;

	if (!dir)
		return 0;
	while (count >= 0 && (tid = threads_next(dir))) {
		if (resch_start_time(tid, &start_time))
			continue;
		reg = member_of(&hall->stat);
		reg.start_time = start_time;
		result = resch_register_thread(hall->fd, tid, &reg);
		if (!result) {
			count++;
		} else if (result != -ESRCH && result != -EEXIST) {
			fail("thread %d: %s", tid, explain(result, &reg));
			count = -1;
		}
	}
	closedir(dir);
	return count;
}

/*
 * All its threads: a thread that is not registered yet can make others, which are not either; one
 * that is can't. Return: how many; -1 after a message.
 */
static int attach(struct hall *hall, pid_t pid)
{
	int count = 0, more;

	do {
		more = walk(hall, pid);
		count += more;
	} while (more > 0);
	if (more < 0)
		return -1;
	if (!count)
		fail("process %d: there is none, or it is registered already", pid);
	return count ? count : -1;
}

/* Until a signal comes, or the server is empty. */
static void stay(struct hall *hall)
{
	watch_signals();
	while (look(hall) && !watch_wait(LOOK * 1000000))
		;
}

int server_attach(int argc, char **argv)
{
	struct hall hall = {};
	int i, count, result;
	uint64_t pid;
	bool json;

	result = server_plain(argc, argv, &json);
	if (result >= 0)
		return result;
	if (optind + 2 > argc || server_parse_id(argv[optind], &hall.stat.domain, &hall.stat.id))
		return usage("server", "server attach takes DOMAIN:ID and process ids");
	for (i = optind + 1; i < argc; i++) {
		if (number_parse(argv[i], INT32_MAX, &pid) || !pid)
			return usage("server", "%s: process ids are numbers from 1", argv[i]);
	}
	hall.fd = device_open();
	if (hall.fd < 0)
		return EXIT_NO_MODULE;
	result = hall_open(&hall, hall.stat.domain, hall.stat.id) ? EXIT_FAILED : EXIT_DONE;
	for (i = optind + 1; i < argc && result == EXIT_DONE; i++) {
		if (number_parse(argv[i], INT32_MAX, &pid))
			continue;
		count = attach(&hall, (pid_t)pid);
		if (count < 0)
			result = EXIT_FAILED;
		else
			note("%d thread%s of process %s %s in server %u:%u", count,
			     count == 1 ? "" : "s", argv[i], count == 1 ? "is" : "are",
			     hall.stat.domain, hall.stat.id);
	}
	if (result == EXIT_DONE)
		stay(&hall);
	close(hall.fd);
	free(hall.stats);
	return result;
}
