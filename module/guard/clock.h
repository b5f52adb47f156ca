/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - whom the CPUs belong to, and for how long */
#ifndef _RESCH_GUARD_CLOCK_H
#define _RESCH_GUARD_CLOCK_H

#include <linux/init.h>
#include <linux/sched.h>

/* The tracepoint sched_switch: rq->lock, interrupts off. */
void resch_balance_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state);

void __init resch_balance_clock_init(void);

/*
 * Nothing is known of the past. No probe is attached. Process context, interrupts on; takes the
 * hotplug lock: resch_lock, not resch_guard_mutex.
 */
void resch_balance_clock_reset(void);

/* Execution time of current, ns. Process context. */
u64 resch_balance_executed(void);

/* Likewise of any thread, perhaps as of its CPU's last tick. Any context. */
u64 resch_balance_executed_by(struct task_struct *task);

/* Shares that real-time tasks, and RT0 tasks, have of a CPU; units of RESCH_RT_ONE. Any context. */
void resch_balance_shares(unsigned int cpu, u64 *realtime, u64 *hard);

/* Does RT0 have the CPU? Any context; by the time of the answer it may be otherwise. */
bool resch_balance_is_rt0s(unsigned int cpu);

#endif /* _RESCH_GUARD_CLOCK_H */
