/* SPDX-License-Identifier: GPL-2.0 */
/*
 * balance.h - visitors between RT and NRT CPUs
 *
 * The rules are in module/guard/rules.h; here are what they are told, and what is done about what
 * they say. All of it happens in the thread resch-guard, on NRT CPUs: an RT CPU publishes words
 * about itself, without a lock, each time that it changes hands, and is otherwise left alone.
 */
#ifndef _RESCH_BALANCE_H
#define _RESCH_BALANCE_H

#include <linux/sched.h>

#include <linux/resch.h>

/* The ioctls. Process context, no locks. Errors: uapi. */
int resch_balance_set(const struct resch_balance_set *want);
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

#endif /* _RESCH_BALANCE_H */
