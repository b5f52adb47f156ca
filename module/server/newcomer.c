// SPDX-License-Identifier: GPL-2.0
/* newcomer.c - children that are told there is room */
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "newcomer.h"
#include "compat/task_work.h"
#include "core/cpu.h"
#include "core/params.h"
#include "linux/restore.h"

LLIST_HEAD(resch_family_calls);
struct work_struct resch_family_worker;

/* Without a worker: somebody comes by soon. Any context. */
static void family_note(struct resch_thread *thread)
{
	if (test_and_set_bit(0, &thread->calling))
		return;
	refcount_inc(&thread->refs);
	llist_add(&thread->call, &resch_family_calls);
}

void resch_family_call(struct resch_thread *thread)
{
	family_note(thread);
	queue_work(resch_workqueue, &resch_family_worker);
}

void resch_family_stir(void)
{
	if (unlikely(!llist_empty(&resch_family_calls)))
		queue_work(resch_workqueue, &resch_family_worker);
}

void resch_family_child(struct resch_thread *parent, struct task_struct *task)
{
	struct resch_thread *root = parent->root ? parent->root : parent;
	struct resch_thread *heir = parent->heir;
	unsigned long flags;

	/* It has been through user mode since its last child. */
	if (WARN_ON_ONCE(!heir))
		return;
	resch_restore_look(parent);
	resch_restore_hand_down(parent, &heir->saved_cpus);
	heir->saved_cpuset = parent->saved_cpuset;
	heir->linux_task = get_task_struct(task);
	refcount_inc(&root->refs);
	heir->root = root;
	refcount_inc(&parent->refs);
	heir->parent = parent;
	heir->todo = RESCH_TODO_BORN;
	heir->work_queued = true;
	heir->work_owns = true;
	refcount_inc(&heir->refs);
	parent->heir = NULL;
	if (WARN_ON_ONCE(resch_task_work_add(task, &heir->work))) {
		/* Nobody will ever see it; it is not freed, for that may sleep. */
		return;
	}
	family_note(heir);
	resch_thread_lock_irqsave(parent, flags);
	parent->todo |= RESCH_TODO_CHILD;
	resch_thread_poke(parent);
	resch_thread_unlock_irqrestore(parent, flags);
}
