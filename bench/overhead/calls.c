// SPDX-License-Identifier: GPL-2.0
/*
 * calls.c - single system calls, from user mode to user mode
 *
 * What a call takes is also the longest that it can keep preemption or interrupts off: no
 * tracepoint of a stock kernel tells that itself.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <resch.h>

#include "clock.h"
#include "measure.h"
#include "result.h"
#include "task.h"

#define BATCHES 10
#define BATCH 200
#define THREADS 100

static struct timespec to;
static struct rusage usage;
static long word;

static const struct one_call {
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
	{ "getrusage", SYS_getrusage, RUSAGE_SELF, (long)&usage },
	{ "clock_gettime: thread", SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&to },
	{ "clock_gettime: process", SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&to },
};

static void be_on(int fd, int cpu)
{
	while (cpu >= 0 && sched_getcpu() != cpu)
		must(resch_guard_lend(fd, 0, (uint32_t)cpu), "lending");
}

static uint64_t one(const struct one_call *call)
{
	uint64_t start = stamp();

	syscall(call->nr, call->first, call->second, 0);
	return stamp() - start;
}

static void measure(const struct one_call *call, const char *name, const char *state,
		    const char *how, int fd, int cpu)
{
	static uint64_t values[BATCHES * BATCH];
	char what[200];
	int i;

	/* Pages and the like. */
	for (i = 0; i < 10; i++) {
		be_on(fd, cpu);
		one(call);
	}
	for (i = 0; i < BATCHES * BATCH; i++) {
		be_on(fd, cpu);
		values[i] = one(call);
	}
	snprintf(
		what, sizeof(what),
		"\"measure\": \"call\", \"state\": \"%s\", \"how\": \"%s\", \"call\": \"%s\", \"longest\": %llu",
		state, how, name, (unsigned long long)longest_own(values, BATCHES * BATCH, BATCH));
	result_print(what, values, BATCHES * BATCH);
}

/* A clock of all its threads. */
static void measure_crowded(const char *state, int fd, int cpu)
{
	const struct one_call *call = &calls[sizeof(calls) / sizeof(calls[0]) - 1];
	char name[64];

	sleepers_start(THREADS);
	snprintf(name, sizeof(name), "%s of %d threads", call->name, THREADS + 1);
	measure(call, name, state, "alone", fd, cpu);
}

/* ---- while all other CPUs contend ------------------------------------------------------------ */

/* What a contender does; the calling process's memory is shared where it is a thread of it. */
static const struct one_call *volatile wanted;

static void *contend_same(void *arg)
{
	for (;;) {
		const struct one_call *call = wanted;

		syscall(call->nr, call->first, call->second, 0);
	}
	return arg;
}

static void *contend_fork(void *arg)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	return arg;
}

/*
 * The kernel's time keeping is written as often as can be; steps of the clock would interrupt every
 * CPU.
 */
static void *contend_clock(void *arg)
{
	struct timex timex = { .modes = ADJ_FREQUENCY };

	for (;;) {
		timex.freq ^= 1;
		adjtimex(&timex);
	}
	return arg;
}

/* Not a pause: that would give the CPU's turn away. */
static void *contend_compute(void *arg)
{
	volatile unsigned long count = 0;

	for (;;)
		count = count + 1;
	return arg;
}

struct contender {
	void *(*work)(void *arg);
	int cpu;
};

static void *contend(void *arg)
{
	const struct contender *self = arg;

	pin(self->cpu);
	return self->work(arg);
}

/* Those of other processes share nothing with the caller but the machine. */
static void contenders_start(const char *how, int cpu)
{
	static struct contender contenders[64];
	bool same = !strcmp(how, "same");
	pthread_t thread;
	int i;

	for (i = 0; i < cpu && i < 64; i++) {
		contenders[i].cpu = i;
		contenders[i].work = same		   ? contend_same :
				     !strcmp(how, "fork")  ? contend_fork :
				     !strcmp(how, "clock") ? contend_clock :
							     contend_compute;
		if (same) {
			if (pthread_create(&thread, NULL, contend, &contenders[i]))
				fail("no thread");
		} else if (!fork()) {
			contend(&contenders[i]);
		}
	}
}

void measure_contended(const char *state, int cpu, const char *how)
{
	bool lent = !strcmp(state, "lent");
	int fd = lent ? (int)must(resch_open(), "opening /dev/resch") : -1;
	size_t i;

	setpgid(0, 0);
	wanted = &calls[0];
	contenders_start(how, cpu);
	if (!lent)
		pin(cpu);
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		/* The first that is not exempt: being lent would be over. */
		if (lent && calls[i].nr == SYS_getsid)
			break;
		wanted = &calls[i];
		measure(&calls[i], calls[i].name, state, how, fd, cpu);
	}
	fflush(stdout);
	signal(SIGTERM, SIG_IGN); /* of us and the contenders, the latter end */
	kill(0, SIGTERM);
	if (fd >= 0)
		close(fd);
}

void measure_calls(const char *state, int cpu)
{
	int fd = cpu < 0 ? -1 : (int)must(resch_open(), "opening /dev/resch");
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		measure(&calls[i], calls[i].name, state, "alone", fd, cpu);
	measure_crowded(state, fd, cpu);
	if (fd >= 0)
		close(fd);
}
