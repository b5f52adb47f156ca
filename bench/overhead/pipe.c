// SPDX-License-Identifier: GPL-2.0
/* pipe.c - two ordinary programs that wake each other, as `perf bench sched pipe` has them */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "measure.h"
#include "result.h"
#include "task.h"

#define SAMPLES 200
#define TRIPS 20 /* a sample */
#define TRIPS_MAX 10000

static void pass(int from, int to)
{
	char byte = 0;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		fail("the pipe broke");
}

/* @count values, of @trips round trips each, in ticks. */
static void exchange(uint64_t *values, uint32_t count, uint32_t trips)
{
	int there[2], back[2];
	uint32_t i, j;
	char byte = 0;
	pid_t pid;

	must(pipe(there), "pipe");
	must(pipe(back), "pipe");
	pid = (pid_t)must(fork(), "fork");
	if (!pid) {
		for (i = 0; i < count * trips; i++)
			pass(there[0], back[1]);
		_exit(0);
	}
	for (i = 0; i < count; i++) {
		uint64_t start = stamp();

		for (j = 0; j < trips; j++) {
			if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
				fail("the pipe broke");
		}
		values[i] = stamp() - start;
	}
	waitpid(pid, NULL, 0);
}

/* ns of one trip each. */
static void measure(uint64_t *values, uint32_t count, uint32_t trips)
{
	struct moment before = moment_now(), after;
	uint32_t i;

	exchange(values, count, trips);
	after = moment_now();
	for (i = 0; i < count; i++)
		values[i] = (uint64_t)(moment_ns(&before, &after, values[i]) / trips + 0.5);
}

void measure_pipe(const char *state, bool pinned)
{
	static uint64_t values[SAMPLES];
	char what[160];

	if (pinned)
		pin(0);
	measure(values, SAMPLES, TRIPS);
	snprintf(what, sizeof(what), "\"measure\": \"pipe\", \"state\": \"%s\", \"pinned\": %s",
		 state, pinned ? "true" : "false");
	result_print(what, values, SAMPLES);
}

void measure_trips(const char *state, uint32_t count)
{
	static uint64_t values[TRIPS_MAX];
	char what[160];

	if (!count || count > TRIPS_MAX)
		fail("not 1 to %u trips: %u", TRIPS_MAX, count);
	pin(0);
	measure(values, count, 1);
	snprintf(what, sizeof(what), "\"measure\": \"trip\", \"state\": \"%s\"", state);
	result_spread(what, values, count);
}
