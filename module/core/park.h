/* SPDX-License-Identifier: GPL-2.0 */
/*
 * park.h - stop this task: two ways behind one interface
 *
 * Parking: task work makes the thread sleep in this module on its way to user mode, where it holds
 * no kernel lock. One context switch, no change of priority. Needs task_work_add(). Demotion: the
 * CPU's helper makes the thread SCHED_OTHER until it is selected again. Works everywhere, costs two
 * more switches. Parking falls back to it for threads that stay in the kernel (escalation).
 */
#ifndef _RESCH_PARK_H
#define _RESCH_PARK_H

#include "cpu.h"

/* Keep @thread, which is not selected, out of user mode. cpu->lock; any context. */
void resch_park_stop(struct resch_thread *thread, u64 now);

/* Let @thread, which is selected or free, go. cpu->lock; any context. */
void resch_park_go(struct resch_thread *thread);

/*
 * Current sleeps until it may run. Process context, no locks. -EINTR (only if @interruptible) or 0.
 */
int resch_park_hold(struct resch_thread *thread, bool interruptible);

/* The same with cpu->lock held, which it releases; @flags are those of raw_spin_lock_irqsave(). */
int resch_park_hold_locked(struct resch_thread *thread, bool interruptible, unsigned long flags)
	__releases(&thread->rc->lock);

/* Likewise, for who ended its job in straight.c's way: nothing has told it to stop, or to go. */
int resch_park_hold_straight(struct resch_thread *thread, unsigned long flags)
	__releases(&thread->rc->lock);

/*
 * schedule(), without the calls of the thread's notifier: whoever sleeps in this module has nothing
 * to tell as it goes and comes, and nor has the hook of its wake-up. By the thread itself, no
 * locks.
 */
void resch_park_sleep(struct resch_thread *thread);

/*
 * Current, which is @thread, is not where its plugin has it: it is to go there on its way to user
 * mode. No locks, interrupts on.
 */
void resch_park_astray(struct resch_thread *thread);

/* A stopped thread has not arrived in time. cpu->lock. */
void resch_park_escalate(struct resch_thread *thread, u64 now);

#endif /* _RESCH_PARK_H */
