// SPDX-License-Identifier: GPL-2.0
/* attributes.c - what a thread was, see lib.h */
#include "lib.h"

#include "thread-attr.h"

struct attributes attributes_of(pid_t tid)
{
	struct attributes now;
	struct thread_attr attr;

	memset(&now, 0, sizeof(now));
	must_libc(thread_attr_get(tid, &attr));
	now.policy = attr.policy;
	now.flags = attr.flags & FLAG_RESET_ON_FORK;
	now.priority = attr.priority;
	/* Real-time threads have a nice value, too: for later. */
	now.nice = attr.policy == SCHED_OTHER || attr.policy == SCHED_BATCH ? attr.nice : 0;
	must_libc(sched_getaffinity(tid, sizeof(now.cpus), &now.cpus));
	return now;
}

static void attributes_text(const struct attributes *attributes, char *text, size_t size)
{
	int used, cpu;

	used = snprintf(text, size, "policy %u priority %u nice %d flags %llu CPUs",
			attributes->policy, attributes->priority, attributes->nice,
			(unsigned long long)attributes->flags);
	for (cpu = 0; cpu < 64; cpu++)
		if (CPU_ISSET(cpu, &attributes->cpus) && used < (int)size)
			used += snprintf(text + used, size - used, " %d", cpu);
}

static bool attributes_equal(const struct attributes *a, const struct attributes *b)
{
	return a->policy == b->policy && a->flags == b->flags && a->nice == b->nice &&
	       a->priority == b->priority && CPU_EQUAL(&a->cpus, &b->cpus);
}

void attributes_check(pid_t tid, const struct attributes *before, const char *who)
{
	struct attributes now = attributes_of(tid);
	char is[120], was[120];

	if (attributes_equal(&now, before))
		return;
	attributes_text(&now, is, sizeof(is));
	attributes_text(before, was, sizeof(was));
	fail("%s has %s; it had %s", who, is, was);
}

void attributes_await(pid_t tid, const struct attributes *before, const char *who)
{
	uint64_t end = resch_now() + PATIENCE * SEC;
	struct attributes now;

	do {
		now = attributes_of(tid);
		if (attributes_equal(&now, before))
			return;
		sleep_ms(2);
	} while (resch_now() < end);
	attributes_check(tid, before, who);
}

int attributes_set(pid_t tid, uint32_t policy, uint32_t priority, int32_t nice, uint64_t flags)
{
	struct thread_attr attr = {
		.policy = policy,
		.flags = flags,
		.nice = nice,
		.priority = priority,
	};

	return thread_attr_set(tid, &attr) ? -errno : 0;
}

void pin(pid_t tid, const char *cpus)
{
	struct resch_cpus wanted;
	cpu_set_t set;
	int cpu;

	memset(&wanted, 0, sizeof(wanted));
	must(resch_cpus_parse(cpus, &wanted));
	CPU_ZERO(&set);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (resch_cpus_has(&wanted, cpu))
			CPU_SET(cpu, &set);
	must_libc(sched_setaffinity(tid, sizeof(set), &set));
}
