/* SPDX-License-Identifier: GPL-2.0 */
/* domain.h - a set of CPUs with one plugin */
#ifndef _RESCH_DOMAIN_H
#define _RESCH_DOMAIN_H

#include <linux/workqueue.h>

#include "core/cpu.h"
#include "plan.h"
#include "registry.h"
#include "server/table.h"

/*
 * Share of a CPU that the kernel leaves to real-time tasks: RT throttling and the fair server take
 * the rest.
 */
#define RESCH_CAPACITY_DEFAULT 950000

/* Whether a request names the CPU. */
static inline bool resch_cpus_name(const struct resch_cpus *cpus, unsigned int cpu)
{
	return cpu < RESCH_CPUS_MAX && cpus->bits[cpu / 64] >> (cpu % 64) & 1;
}

struct resch_domain {
	/* resch_lock */
	u32 id;
	cpumask_t cpus;
	struct list_head threads; /* by id */
	u32 nr_threads;
	struct resch_algorithm *algorithm;
	char options[RESCH_OPTIONS_LEN];
	u32 capacity;
	u32 overhead;
	u64 swaps;
	u32 ejections;
	char eject_plugin[RESCH_NAME_LEN];
	char eject_reason[RESCH_REASON_LEN];
	struct resch_guard *guard; /* NULL: others may use its CPUs as they like */

	/*
	 * Ejection: bit 0 is set by whoever sees a plugin err (cpu->fault) and has queued the
	 * worker; the worker clears it, and looks.
	 */
	unsigned long ejecting;
	/* while the worker was queued: all that it has left to do is to free it; resch_lock */
	bool deleted;
	struct work_struct eject;

	/*
	 * Written before the CPUs see it, constant while they use it; two, so that a swap can fill
	 * the other.
	 */
	u64 private[2][RESCH_DOMAIN_PRIVATE];
	u8 side;

	/* What its CPUs share where the plugin is RESCH_PLUGIN_WHOLE. */
	raw_spinlock_t lock;
	struct resch_rq **peers; /* by index; constant */
	u64 served; /* when a CPU last had somebody to run; lock */
	u32 nr_peers;
	bool whole; /* resch_lock */
	struct resch_plans plans;
	struct resch_servers servers;
	struct rcu_head rcu;
};

/* The ioctls. Process context, resch_lock. */
int resch_domain_set(struct resch_domain_set *want);
int resch_domain_del(u32 id);

/* Ends all registrations. Process context, resch_lock. */
void resch_domain_clear_all(u32 gone);

/* No domain has a guard any more. Process context, resch_lock. */
void resch_domain_unguard_all(void);

void resch_domain_exit(void);

#endif /* _RESCH_DOMAIN_H */
