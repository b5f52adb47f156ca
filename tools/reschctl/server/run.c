// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - reschctl server run: a program, and all that it starts, in a server
 *
 * The program registers itself as a member of the server between fork() and execve(), on our
 * descriptor; from then on the module takes in whatever it starts. The descriptor is the owner:
 * with us all that ends.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/program.h"
#include "hall.h"

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
		poll(&fds, 1, HALL_LOOK);
		if (take_signals(hall, signals)) {
			note("members of server %u:%u that are left become ordinary processes",
			     hall->stat.domain, hall->stat.id);
			return;
		}
		some = hall_look(hall);
		if (hall->ended && some && !hall->guest && !hall->told && !hall->quiet) {
			note("the program has ended; what it has started goes on in its server");
			hall->told = true;
		}
	}
}

static int run_program(struct hall *hall, char **program)
{
	struct resch_register reg = hall_member(hall);
	struct program start = {
		.words = program,
		.device = hall->fd,
		.reg = &reg,
		.why = hall_explain,
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
	if (result >= 0 || !server_place(&given))
		return EXIT_RUN;
	hall.fd = device_open();
	if (hall.fd < 0)
		return EXIT_RUN;
	hall.quiet = given.quiet;
	hall.json = given.json;
	result = EXIT_RUN;
	if (!hall_make(&hall, &given))
		result = run_program(&hall, argv + optind);
	/* Members are given back what they had, and the server is deleted with the last of them. */
	close(hall.fd);
	free(hall.stats);
	return result;
}
