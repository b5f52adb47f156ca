/* SPDX-License-Identifier: GPL-2.0 */
/* life.h - how a thread comes under control: created, published, watched */
#ifndef _RESCH_CORE_LIFE_H
#define _RESCH_CORE_LIFE_H

#include "thread.h"

/*
 * A thread that is registered nowhere yet, with one reference. ERR_PTR(-ENOMEM). Without @task,
 * which is not there yet, it does not fail. Process context.
 */
struct resch_thread *resch_thread_create(struct task_struct *task,
					 const struct resch_task_params *params);

/*
 * Gives it an id and a hold on the hooks, which the caller has attached (resch_hooks_get()).
 * Process context, resch_lock. -EEXIST: the Linux thread is registered already.
 */
int __must_check resch_thread_publish(struct resch_thread *thread);

/* Takes the former back, before the latter. Process context, resch_lock. */
void resch_thread_withdraw(struct resch_thread *thread);

/* Puts the notifier on current, with a reference. Process context. */
void resch_thread_hook(struct resch_thread *thread);

/*
 * Who holds resch_lock must not wait behind the tasks of its own CPU. Current, if it is a
 * registered thread, therefore goes above all of them before it takes the lock (raise; NULL: there
 * is nothing to do), and afterwards has the CPU's helper, which is above even that, bring it down
 * (lower, which gives up the reference that raise took). Process context, no locks.
 */
struct resch_thread *resch_thread_raise(void);
void resch_thread_lower(struct resch_thread *thread);

#endif /* _RESCH_CORE_LIFE_H */
