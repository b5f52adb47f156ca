/* SPDX-License-Identifier: GPL-2.0 */
/* restore.h - what a thread was before, and giving it back */
#ifndef _RESCH_RESTORE_H
#define _RESCH_RESTORE_H

#include "thread.h"

/*
 * Remembers policy, priority, nice value and affinity. Process context, resch_lock. -EINVAL:
 * SCHED_DEADLINE.
 */
int __must_check resch_restore_save(struct resch_thread *thread);

/* Raises current to the ceiling, see resch_thread_lower(). Process context. */
int __must_check resch_restore_ceiling(void);

/* Raises current to the ceiling and pins it to its CPU. Process context, resch_lock. */
int __must_check resch_restore_take(struct resch_thread *thread);

/* Pins current to its CPU again. Process context. */
void resch_restore_pin(struct resch_thread *thread);

/*
 * Gives back what nobody else has changed meanwhile. Process context; resch_lock, unless it is
 * current's own: it may then sleep behind the tasks of the CPUs that it goes back to.
 */
void resch_restore_give(struct resch_thread *thread);

/* SCHED_FIFO at its level, or SCHED_OTHER. The CPU's helper. */
void resch_restore_level(struct resch_thread *thread, bool raised);

/*
 * The child of a registered thread is to be what the parent was before. Fork's probe may not
 * allocate (on PREEMPT_RT no atomic context may), so what a child needs is made ready beforehand,
 * by the parent on its way to user mode.
 */
/* What fork makes of @attr. Any context. */
void resch_restore_inherit(struct sched_attr *attr);
void resch_restore_expect_child(struct resch_thread *thread); /* current, process context */
/* atomic context; the child has not run */
void resch_restore_child(struct resch_thread *parent, struct task_struct *child);

#endif /* _RESCH_RESTORE_H */
