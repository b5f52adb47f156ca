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

static void pass(int from, int to)
{
	char byte = 0;

	if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
		fail("the pipe broke");
}

void measure_pipe(const char *state, bool pinned)
{
	static uint64_t values[SAMPLES];
	struct moment before, after;
	int there[2], back[2], i, j;
	char text[160] = { 0 };
	pid_t pid;

	if (pinned)
		pin(0);
	must(pipe(there), "pipe");
	must(pipe(back), "pipe");
	pid = (pid_t)must(fork(), "fork");
	if (!pid) {
		for (i = 0; i < SAMPLES * TRIPS; i++)
			pass(there[0], back[1]);
		_exit(0);
	}
	before = moment_now();
	for (i = 0; i < SAMPLES; i++) {
		uint64_t start = stamp();

		for (j = 0; j < TRIPS; j++) {
			if (write(there[1], text, 1) != 1 || read(back[0], text, 1) != 1)
				fail("the pipe broke");
		}
		values[i] = stamp() - start;
	}
	after = moment_now();
	waitpid(pid, NULL, 0);
	for (i = 0; i < SAMPLES; i++)
		values[i] = (uint64_t)(moment_ns(&before, &after, values[i]) / TRIPS + 0.5);
	snprintf(text, sizeof(text), "\"measure\": \"pipe\", \"state\": \"%s\", \"pinned\": %s",
		 state, pinned ? "true" : "false");
	result_print(text, values, SAMPLES);
}
