/* SPDX-License-Identifier: GPL-2.0 */
/* restore.h - what a thread was before, and giving it back */
#ifndef _RESCH_RESTORE_H
#define _RESCH_RESTORE_H

#include "core/thread.h"

/*
 * Remembers policy, priority, nice value, slice and slack of current. Process context. -EINVAL:
 * SCHED_DEADLINE.
 */
int __must_check resch_restore_save(struct resch_thread *thread);

/* Raises @task to the ceiling, see resch_thread_lower(). Process context. */
int __must_check resch_restore_ceiling(struct task_struct *task);

/*
 * Remembers the affinity of current, and pins it to its CPU: at the ceiling, for others may keep
 * that busy. Process context, resch_lock.
 */
int __must_check resch_restore_take(struct resch_thread *thread);

/*
 * The slack of timers that @task had before it was a real-time thread, which has none; 0: nothing
 * to do. Where somebody has given it another one since, that stands. Process context.
 */
void resch_restore_slack(struct task_struct *task, u64 slack);

/* Its policy, from the ceiling back to what was saved. Current, process context. */
void resch_restore_policy(struct resch_thread *thread);

/*
 * Has anybody but us set its affinity, or moved it to another cpuset? Then that is what it is given
 * back. Before its affinity is set anew; by the thread itself, or by its helper; for who has not
 * joined yet under resch_lock. Any context that may take cpu->lock.
 */
void resch_restore_look(struct resch_thread *thread);

/*
 * What it is given back, and its children begin with: as it is, or what it is to be from now on.
 * -ESRCH: it has it. Process context, resch_lock.
 */
int __must_check resch_restore_tell(struct resch_thread *thread, cpumask_t *cpus);
int __must_check resch_restore_change(struct resch_thread *thread, const cpumask_t *cpus);

/*
 * Where it may run by what its user wants, whether it is bound already or not: of a member's child
 * what that begins with. Process context, resch_lock.
 */
void resch_restore_allowed(struct resch_thread *thread, cpumask_t *cpus);

/*
 * May @thread, which has joined, be moved over all of @cpus? Who is contained stays within the
 * affinity that it came with. Process context, resch_lock.
 */
bool resch_restore_covers(struct resch_thread *thread, const cpumask_t *cpus);

/* For a child of its. Any context that may take cpu->lock. */
void resch_restore_hand_down(struct resch_thread *thread, cpumask_t *cpus);

/*
 * Binds it to @cpu, unless its registration has ended meanwhile: then it has what it had. By the
 * thread itself, or by its helper. Process context; errors as those of set_cpus_allowed_ptr().
 */
int __must_check resch_restore_bind(struct resch_thread *thread, u32 cpu);

/* Pins current to its CPU again. Process context. */
void resch_restore_pin(struct resch_thread *thread);

/* @task, which has been with us, has the affinity @cpus from here on. Process context. */
void resch_restore_cpus(struct task_struct *task, const cpumask_t *cpus);

/*
 * Gives back what nobody else has changed meanwhile. Process context; resch_lock, unless it is
 * current's own: it may then sleep behind the tasks of the CPUs that it goes back to.
 */
void resch_restore_give(struct resch_thread *thread);

/* SCHED_FIFO at its level, or SCHED_OTHER. The CPU's helper. */
void resch_restore_level(struct resch_thread *thread, bool raised);

/* Turns @attr, which is a parent's, into what fork gives a child of its. Any context. */
void resch_restore_inherit(struct sched_attr *attr);

/*
 * The child of a registered thread is to be what the parent was before. Fork's probe may not
 * allocate (on PREEMPT_RT no atomic context may), so what a child needs is made ready beforehand,
 * by the parent, current, on its way to user mode. Process context.
 */
void resch_restore_expect_child(struct resch_thread *thread);

/* Gives it to the child, which has not run. Fork's probe: atomic context. */
void resch_restore_child(struct resch_thread *parent, struct task_struct *child);

#endif /* _RESCH_RESTORE_H */
