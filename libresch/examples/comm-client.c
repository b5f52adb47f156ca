// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * comm-client.c - a periodic client of a TCP service, by way of the communication server
 *
 * Every 20 ms a request of 64 bytes, and its answer, which is as long (an echo service does): all
 * of it on a budget of this program's own. Says how many jobs were complete by the next release.
 * Without a domain: the same, without servers.
 *
 * usage: comm-client PATH HOST PORT [DOMAIN [CPU]]
 */
#include <errno.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm.h"

#define JOBS 100
#define PERIOD 20000000
#define BUDGET 10000000
#define SIZE 64

static struct resch_rpc rpc;
static uint32_t connection;

/* One request, and its answer. */
static int job(void)
{
	unsigned char bytes[sizeof(connection) + SIZE] = { 0 };
	struct comm_receive wanted = { .connection = connection };
	ssize_t result;
	uint32_t sent;

	memcpy(bytes, &connection, sizeof(connection));
	result = resch_rpc_call(&rpc, COMM_SEND, bytes, sizeof(bytes), &sent, sizeof(sent));
	if (result < 0)
		return (int)result;
	for (wanted.room = SIZE; wanted.room; wanted.room -= (uint32_t)result) {
		result = resch_rpc_call(&rpc, COMM_RECEIVE, &wanted, sizeof(wanted), bytes, SIZE);
		if (result <= 0)
			return result ? (int)result : -EPIPE;
	}
	return 0;
}

/* A server for this thread alone. @first: its first job. */
static int server(int fd, uint32_t domain, int cpu, struct resch_wait *first)
{
	struct resch_server_set want = {
		.domain = domain,
		.params = { .budget = BUDGET, .period = PERIOD, .cpu = cpu, .name = "comm-client" },
	};
	struct resch_register reg = {
		.domain = domain,
		.params = {
			.period = PERIOD,
			.wcet = BUDGET,
			/* its server contains it, and what is done for it */
			.overrun = RESCH_COUNT,
			.cpu = -1,
			.name = "comm-client",
		},
	};
	char text[RESCH_VERDICT_TEXT];
	int result = resch_server_set(fd, &want);

	resch_verdict_text(&want.verdict, text, sizeof(text));
	if (!result) {
		reg.params.group = want.id;
		result = resch_register_self(fd, &reg);
		resch_verdict_text(&reg.verdict, text, sizeof(text));
	}
	if (!result)
		result = resch_wait(fd, first);
	if (result)
		fprintf(stderr, "comm-client: no server: %s\n",
			result == -EBUSY ? text : strerror(-result));
	return result;
}

/* Until the next release. */
static void next_job(int fd, struct resch_wait *now)
{
	struct timespec at = { .tv_sec = (time_t)(now->deadline / 1000000000),
			       .tv_nsec = (long)(now->deadline % 1000000000) };

	if (fd >= 0) {
		while (resch_wait(fd, now) == -EINTR)
			;
		return;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
	now->deadline += PERIOD;
}

int main(int argc, char **argv)
{
	int domain = argc > 4 ? atoi(argv[4]) : 0, fd = -1, i, result, complete = 0;
	struct comm_connect peer = { 0 };
	struct resch_wait now = { 0 };

	if (argc < 4 || argc > 6) {
		fprintf(stderr, "usage: comm-client PATH HOST PORT [DOMAIN [CPU]]\n");
		return 2;
	}
	snprintf(peer.host, sizeof(peer.host), "%s", argv[2]);
	snprintf(peer.port, sizeof(peer.port), "%s", argv[3]);
	if (domain) {
		fd = resch_open();
		if (fd < 0) {
			fprintf(stderr, "comm-client: %s\n", resch_open_reason(fd));
			return 1;
		}
		if (server(fd, (uint32_t)domain, argc > 5 ? atoi(argv[5]) : -1, &now))
			return 1;
	}
	result = resch_rpc_open(&rpc, fd, argv[1]);
	if (!result)
		result = (int)resch_rpc_call(&rpc, COMM_CONNECT, &peer, sizeof(peer), &connection,
					     sizeof(connection));
	if (!domain)
		now.deadline = resch_now() + PERIOD;
	for (i = 0; i < JOBS && result >= 0; i++) {
		result = job();
		complete += !result && resch_now() <= now.deadline;
		next_job(fd, &now);
	}
	if (result < 0)
		fprintf(stderr, "comm-client: %s\n", strerror(-result));
	else
		printf("%d of %d jobs complete in time\n", complete, JOBS);
	resch_rpc_close(&rpc);
	return result < 0;
}
