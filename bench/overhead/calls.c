// SPDX-License-Identifier: GPL-2.0
/*
 * calls.c - single system calls, from user mode to user mode
 *
 * What a call takes is also the longest that it can keep preemption or interrupts off: no tracepoint of a
 * stock kernel tells that itself.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <resch.h>

#include "clock.h"
#include "measure.h"
#include "result.h"

#define BATCHES 10
#define BATCH 200
#define THREADS 100

static struct timespec to;
static long word;

static const struct call {
	const char *name;
	long nr, first, second;
} calls[] = {
	{ "getpid", SYS_getpid, 0, 0 },
	{ "gettid", SYS_gettid, 0, 0 },
	{ "getppid", SYS_getppid, 0, 0 },
	{ "getuid", SYS_getuid, 0, 0 },
	{ "geteuid", SYS_geteuid, 0, 0 },
	{ "getgid", SYS_getgid, 0, 0 },
	{ "getegid", SYS_getegid, 0, 0 },
	{ "getpgrp", SYS_getpgrp, 0, 0 },
	{ "umask", SYS_umask, 022, 0 },
	{ "getcpu", SYS_getcpu, (long)&word, 0 },
	{ "gettimeofday", SYS_gettimeofday, (long)&to, 0 },
	{ "time", SYS_time, (long)&word, 0 },
	{ "clock_gettime", SYS_clock_gettime, CLOCK_MONOTONIC, (long)&to },
	{ "clock_getres", SYS_clock_getres, CLOCK_MONOTONIC, (long)&to },
	{ "set_tid_address", SYS_set_tid_address, (long)&word, 0 },
	{ "sched_get_priority_max", SYS_sched_get_priority_max, SCHED_FIFO, 0 },
	{ "sched_get_priority_min", SYS_sched_get_priority_min, SCHED_FIFO, 0 },
	/* Not exempt. */
	{ "getsid", SYS_getsid, 0, 0 },
	{ "sched_yield", SYS_sched_yield, 0, 0 },
	{ "clock_gettime: thread", SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&to },
	{ "clock_gettime: process", SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&to },
};

static void be_on(int fd, int cpu)
{
	while (cpu >= 0 && sched_getcpu() != cpu)
		must(resch_guard_lend(fd, 0, (uint32_t)cpu), "lending");
}

static uint64_t one(const struct call *call)
{
	uint64_t start = stamp();

	syscall(call->nr, call->first, call->second, 0);
	return stamp() - start;
}

/* An interrupt in one batch is in none of most others: the least of their longest is the call's own. */
static void measure(const struct call *call, const char *name, const char *state, int fd, int cpu)
{
	static uint64_t values[BATCHES * BATCH];
	uint64_t least = UINT64_MAX;
	char what[200];
	int i, j;

	/* Pages and the like. */
	for (i = 0; i < 10; i++) {
		be_on(fd, cpu);
		one(call);
	}
	for (i = 0; i < BATCHES; i++) {
		uint64_t most = 0;

		for (j = 0; j < BATCH; j++) {
			uint64_t *value = &values[i * BATCH + j];

			be_on(fd, cpu);
			*value = one(call);
			if (*value > most)
				most = *value;
		}
		if (most < least)
			least = most;
	}
	snprintf(what, sizeof(what),
		 "\"measure\": \"call\", \"state\": \"%s\", \"call\": \"%s\", \"longest\": %llu",
		 state, name, (unsigned long long)least);
	result_print(what, values, BATCHES * BATCH);
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A clock of all its threads. */
static void measure_crowded(const char *state, int fd, int cpu)
{
	const struct call *call = &calls[sizeof(calls) / sizeof(calls[0]) - 1];
	pthread_t thread;
	char name[64];
	int i;

	for (i = 0; i < THREADS; i++) {
		if (pthread_create(&thread, NULL, wait_for_ever, NULL))
			fail("no thread");
	}
	snprintf(name, sizeof(name), "%s of %d threads", call->name, THREADS + 1);
	measure(call, name, state, fd, cpu);
}

void measure_calls(const char *state, int cpu)
{
	int fd = cpu < 0 ? -1 : (int)must(resch_open(), "opening /dev/resch");
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		measure(&calls[i], calls[i].name, state, fd, cpu);
	measure_crowded(state, fd, cpu);
	if (fd >= 0)
		close(fd);
}
