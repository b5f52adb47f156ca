// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* level.c - RT0, RT1+ and Linux tasks: policies and affinities, nothing else */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* affinities */
#endif

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "resch.h"

/* The priority that, with an affinity of one RT CPU, makes a task RT0. */
#define RT0_PRIORITY 99

static int level_policy(pid_t tid, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	int saved = errno, result = 0;

	if (sched_setscheduler(tid, policy, &param)) {
		result = -errno;
		errno = saved;
	}
	return result;
}

/* @cpu: the only one; -1: all. */
static int level_cpus(pid_t tid, int cpu)
{
	size_t size = (size_t)CPU_ALLOC_SIZE(RESCH_CPUS_MAX);
	cpu_set_t *set = CPU_ALLOC(RESCH_CPUS_MAX);
	int saved = errno, result = 0;

	if (!set)
		return -ENOMEM;
	if (cpu < 0) {
		memset(set, 0xff, size);
	} else {
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)cpu, size, set);
	}
	if (sched_setaffinity(tid, size, set)) {
		result = -errno;
		errno = saved;
	}
	CPU_FREE(set);
	return result;
}

int resch_enter_rt0(pid_t tid, uint32_t cpu)
{
	struct sched_param param;
	int policy, result;

	if (cpu >= RESCH_CPUS_MAX)
		return -EINVAL;
	policy = sched_getscheduler(tid);
	if (policy < 0 || sched_getparam(tid, &param))
		return -ESRCH;
	result = level_policy(tid, SCHED_FIFO, RT0_PRIORITY);
	if (result)
		return result;
	result = level_cpus(tid, (int)cpu);
	if (result)
		level_policy(tid, policy, param.sched_priority);
	return result;
}

/* To ordinary threads first: one that keeps the CPU to itself would have to be waited for. */
int resch_leave_rt0(pid_t tid)
{
	int result = level_policy(tid, SCHED_OTHER, 0);

	return result ? result : level_cpus(tid, -1);
}

int resch_enter_rt1plus(pid_t tid, int policy, int priority)
{
	if ((policy != SCHED_FIFO && policy != SCHED_RR) || priority < 1 ||
	    priority >= RT0_PRIORITY)
		return -EINVAL;
	return level_policy(tid, policy, priority);
}

int resch_leave_rt1plus(pid_t tid)
{
	return level_policy(tid, SCHED_OTHER, 0);
}
