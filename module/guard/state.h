/* SPDX-License-Identifier: GPL-2.0 */
/* state.h - which CPUs are RT CPUs, and what all who ask have to know of them */
#ifndef _RESCH_GUARD_STATE_H
#define _RESCH_GUARD_STATE_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/resch.h>

struct resch_guard;

/**
 * struct resch_guard_cpu - a CPU with respect to guards; counters by threads on that CPU, this_cpu
 */
struct resch_guard_cpu {
	struct resch_guard *guard; /* RCU; resch_lock; NULL: an NRT CPU */
	atomic_t visitors; /* lent to it at the moment */
	u64 moved;
	u64 moved_other;
	u64 faults;
	u64 signals;
	u64 exempted;
	u64 failed;
	/*
	 * By system call: RESCH_CALLS_MAX of them. Made with the first guard of the machine, kept
	 * until the module goes.
	 */
	u64 *calls;
	/* resch_guard_mutex */
	u64 lent;
	u64 recalled;
	call_single_data_t csd; /* rings on behalf of this CPU */
};

/** struct resch_guard - of a domain; constant but for the flags */
struct resch_guard {
	u32 flags; /* RESCH_GUARD_*; resch_lock */
	u32 policies; /* RESCH_BALANCE_*; resch_lock and resch_guard_mutex */
	unsigned long exempt[BITS_TO_LONGS(RESCH_CALLS_MAX)];
	struct rcu_head rcu;
};

/* All RT CPUs. Changes under resch_lock and resch_guard_mutex; read anywhere. */
extern cpumask_t resch_guard_rt;

/* What all guards have in common: the calls that all exempt, the flags that one has. Likewise. */
extern struct resch_guard resch_guard_common;

extern unsigned int resch_guard_changes; /* of guards, so many; resch_guard_mutex */

/*
 * Does it matter to the balancing when visitors made their calls? If nothing is balanced, or not by
 * the estimate, nobody notes them. Changes under resch_guard_mutex; read anywhere.
 */
extern bool resch_guard_estimates;

static inline bool resch_guard_stands(void)
{
	return !cpumask_empty(&resch_guard_rt);
}

DECLARE_PER_CPU(struct resch_guard_cpu, resch_guard_cpus);

/*
 * What is done to visitors. Inside resch_lock; taken by resch-guard and by requests, never by a
 * thread on an RT CPU that is not RT0.
 */
extern struct mutex resch_guard_mutex;

/*
 * Serves who waits, and lets go of the mutex for a moment. false: guards have changed meanwhile,
 * visitors may be gone. In resch-guard, resch_guard_mutex.
 */
extern bool (*resch_guard_breathe)(void); /* set once, by main.c */

#endif /* _RESCH_GUARD_STATE_H */
