/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy.h - the ways of being scheduled that are compared
 *
 * A policy says how a thread comes under it and which single system call ends a job and returns
 * at the next release. The call is made by policy_wait() without any library code around it, so
 * that the first user instruction of a job is a stamp.
 */
#ifndef _OVERHEAD_POLICY_H
#define _OVERHEAD_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "clock.h"

struct policy {
	const char *name; /* NULL: as its kind of server */
	enum {
		POLICY_FIFO,
		POLICY_DEADLINE,
		POLICY_YIELD, /* SCHED_DEADLINE, ends its jobs with sched_yield() */
		POLICY_RESCH,
		POLICY_OTHER,
	} kind;
	const char *plugin; /* POLICY_RESCH */
	bool serves; /* its tasks are in servers, of this kind and with these flags */
	uint32_t server_kind;
	uint32_t server_flags;
	uint64_t lead; /* ns, of the one measured */
};

/* NULL: there is none of this name. */
const struct policy *policy_find(const char *name);

/* How urgent a thread is. */
enum urgency {
	URGENT, /* the one measured */
	LATER, /* what it preempts */
};

/* What the next call of a thread is. */
struct call {
	long number;
	long args[3];
	struct timespec until; /* POLICY_FIFO, POLICY_DEADLINE: the next release */
	int fd; /* POLICY_RESCH; else -1 */
};

/*
 * The calling thread comes under @policy, pinned to CPU 0, as a periodic task whose releases are
 * base + k * period. Under resch the base is given by policy_start() later, for all threads at
 * once.
 */
void policy_enter(const struct policy *policy, enum urgency urgency, uint64_t period,
		  struct call *call);

/* resch only: what its calls are, once registered through @fd. */
void policy_call(struct call *call, int fd);

/*
 * resch only: one more task, of its own period, deadline, offset and priority; @fd from
 * resch_open(). @server: from 1, where there are servers.
 */
void policy_register(int fd, uint64_t period, uint64_t deadline, uint64_t offset,
		     unsigned int priority, unsigned int server);

/* Before the tasks: a domain with the policy's plugin on CPU 0. */
void policy_prepare(const struct policy *policy);

/*
 * After that, where tasks are in servers: @count servers, of 90 % in all. The first is that of the
 * task measured, whose period is @period, ns, and is due before the others; the second is due next
 * and has a long budget. policy_serve_alike(): all of one size, for a job in each of @count
 * periods.
 */
void policy_serve(const struct policy *policy, unsigned int count, uint64_t period);
void policy_serve_alike(const struct policy *policy, unsigned int count, uint64_t period);

/* After the tasks: the domain goes. */
void policy_finish(const struct policy *policy);

/* resch: time zero for all. Others know it from the start. */
void policy_start(const struct policy *policy, uint64_t base);

/* Makes the call; @out: its last instruction before, @in: its first one after. */
static inline long policy_wait(const struct call *call, uint64_t *out, uint64_t *in)
{
	long number = call->number, a = call->args[0], b = call->args[1], c = call->args[2];
	long result;

	*out = stamp();
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	*in = stamp();
	return result;
}

#endif /* _OVERHEAD_POLICY_H */
