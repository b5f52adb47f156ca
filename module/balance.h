/* SPDX-License-Identifier: GPL-2.0 */
/*
 * balance.h - visitors between RT and NRT CPUs
 *
 * The rules are in plugins/analysis/balance.h; here are what they are told, and what is done about what
 * they say. All of it happens in the thread resch-guard, on NRT CPUs: an RT CPU publishes words about
 * itself, without a lock, each time that it changes hands, and is otherwise left alone.
 */
#ifndef _RESCH_BALANCE_H
#define _RESCH_BALANCE_H

#include <linux/sched.h>

#include <linux/resch.h>

/* The ioctls. Process context, no locks. Errors: uapi. */
int resch_balance_set(const struct resch_balance_set *set);
int resch_balance_stat(struct resch_balance_stat *stat);

/* What the guards have in common has changed. resch_guard_mutex. */
void resch_balance_summarize(void);

/* The counters of a CPU begin anew. resch_lock. */
void resch_balance_reset(unsigned int cpu);

/* A guard is about to stand. Process context, resch_lock. */
int __must_check resch_balance_room(void);
void resch_balance_exit(void);

/* Looks around, every RESCH_GUARD_TICK. In resch-guard, resch_guard_mutex. */
void resch_balance_round(u64 now);

/* resch_balance_deliver(), if that is the policy. In resch-guard, resch_guard_mutex. */
bool resch_balance_push(struct task_struct *task, bool *done, unsigned int cpu);

/* ---- balance-clock.c --------------------------------------------------------------------------- */

/* The tracepoint sched_switch: rq->lock, interrupts off. */
void resch_balance_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state);

void __init resch_balance_clock_init(void);

/* Nothing is known of the past. No probe is attached. Process context, interrupts on. */
void resch_balance_clock_reset(void);

/* Execution time of current, ns. Process context. */
u64 resch_balance_executed(void);

/* Likewise of any thread, perhaps as of its CPU's last tick. Any context. */
u64 resch_balance_executed_by(struct task_struct *task);

/* Shares that real-time tasks, and RT0 tasks, have of a CPU; units of RESCH_RT_ONE. Any context. */
void resch_balance_shares(unsigned int cpu, u64 *realtime, u64 *hard);

/* ---- balance-deliver.c ------------------------------------------------------------------------- */

void __init resch_balance_deliver_init(void);

/*
 * Has the RT CPU @cpu wake @task, which sleeps in resch_guard_move(), and set its @done first. Neither
 * takes a lock that the other may hold. In resch-guard alone. false: not this way, do it yourself.
 */
bool resch_balance_deliver(struct task_struct *task, bool *done, unsigned int cpu);

#endif /* _RESCH_BALANCE_H */
