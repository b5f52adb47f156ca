// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach.c - reschctl server attach: processes that run already, in a server
 *
 * They are registered from here, thread by thread, until no thread is left that is new; the module
 * takes in what they make. The descriptor is the owner: with us all that ends.
 */
#include <stdlib.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/screen.h"
#include "hall.h"

/* Processes by their numbers. Return: an exit status. */
static int attach_all(struct hall *hall, char **words, int count)
{
	uint64_t pid;
	int i, threads;

	for (i = 0; i < count; i++) {
		if (number_parse(words[i], INT32_MAX, &pid))
			continue;
		threads = hall_attach(hall, (pid_t)pid);
		if (threads < 0)
			return EXIT_FAILED;
		if (!threads)
			return fail("process %s: there is none, or it is registered already",
				    words[i]);
		note("%d thread%s of process %s %s in server %u:%u", threads,
		     threads == 1 ? "" : "s", words[i], threads == 1 ? "is" : "are",
		     hall->stat.domain, hall->stat.id);
	}
	return EXIT_DONE;
}

/* Until a signal comes, or the server is empty. */
static void stay(struct hall *hall)
{
	watch_signals();
	while (hall_look(hall) && !watch_wait(HALL_LOOK * 1000000))
		;
}

/* Of a control group. Return: an exit status. */
static int attach_group(const struct server_given *given, struct hall *hall)
{
	char path[CGROUP_PATH];
	int status = cgroup_find(given->cgroup, given->slice, path, sizeof(path));

	if (!status)
		status = hall_make(hall, given);
	if (!status)
		status = cgroup_allows(path, hall);
	return status ?: cgroup_follow(path, hall);
}

/* What is said makes sense. Return: -1: it does; an exit status. */
static int check(const struct server_given *given, char **words, int count)
{
	uint64_t pid;
	int i;

	if (given->cgroup && given->slice)
		return usage("server", "either --cgroup or --slice");
	if (given->cgroup || given->slice)
		return count ? usage("server", "server attach takes processes or a control group") :
			       -1;
	for (i = 0; i < count; i++) {
		if (number_parse(words[i], INT32_MAX, &pid) || !pid)
			return usage("server", "%s: process ids are numbers from 1", words[i]);
	}
	return !count || !given->in ?
		       usage("server", "server attach takes a server and process ids, or a control "
				       "group: --cgroup=PATH, --slice=NAME") :
		       -1;
}

int server_attach(int argc, char **argv)
{
	struct server_given given = {};
	struct hall hall = {};
	uint64_t number;
	int result;

	result = server_parse(argc, argv, &given, "servers");
	if (result >= 0)
		return result;
	/* Processes are numbers, servers are not. */
	if (optind < argc && number_parse(argv[optind], UINT64_MAX, &number))
		given.in = argv[optind++];
	result = check(&given, argv + optind, argc - optind);
	if (result < 0)
		result = server_place(&given) ? -1 : EXIT_USAGE;
	if (result >= 0)
		return result;
	hall.fd = device_open();
	if (hall.fd < 0)
		return EXIT_NO_MODULE;
	if (given.cgroup || given.slice) {
		result = attach_group(&given, &hall);
	} else {
		result = hall_make(&hall, &given) ? EXIT_FAILED :
						    attach_all(&hall, argv + optind, argc - optind);
		if (result == EXIT_DONE)
			stay(&hall);
	}
	close(hall.fd);
	free(hall.stats);
	return result;
}
