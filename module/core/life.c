// SPDX-License-Identifier: GPL-2.0
/* life.c - how a thread comes under control: created, published, watched */
#include <linux/sched/task.h>
#include <linux/slab.h>

#include <resch/straight.h>

#include "cpu.h"
#include "direct.h"
#include "life.h"
#include "params.h"
#include "straight.h"
#include "linux/hooks.h"
#include "linux/restore.h"

struct resch_thread *resch_thread_create(struct task_struct *task,
					 const struct resch_task_params *params)
{
	/* A child that could not have one would escape. */
	gfp_t gfp = task ? GFP_KERNEL_ACCOUNT : GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	struct resch_thread *thread = kzalloc(sizeof(*thread), gfp);

	if (!thread)
		return ERR_PTR(-ENOMEM);
	thread->task.params = *params;
	if (!params->deadline)
		thread->task.params.deadline = params->period;
	if (task) {
		thread->linux_task = get_task_struct(task);
		if (!params->name[0])
			get_task_comm(thread->task.params.name, task);
	}
	thread->life.distance = params->period;
	thread->plain = resch_straight_plain(params);
	resch_thread_straighten(thread);
	thread->stats.response_min = RESCH_NEVER;
	thread->run = true;
	init_task_work(&thread->work, resch_thread_work);
	INIT_LIST_HEAD(&thread->in_domain);
	INIT_LIST_HEAD(&thread->in_file);
	INIT_LIST_HEAD(&thread->shadow);
	INIT_LIST_HEAD(&thread->grave);
	INIT_LIST_HEAD(&thread->waiting);
	resch_passive_init(thread);
	resch_direct_init(thread);
	refcount_set(&thread->refs, 1);
	__module_get(THIS_MODULE);
	return thread;
}

int resch_thread_publish(struct resch_thread *thread)
{
	struct resch_thread *other;
	int err;

	lockdep_assert_held(&resch_lock);
	rcu_read_lock();
	other = resch_thread_find(thread->linux_task);
	rcu_read_unlock();
	if (other)
		return -EEXIST;
	/* The caller's own has failed, and nobody is registered. */
	if (!resch_hooks_hold())
		return -ENOMEM;
	err = resch_thread_enroll(thread);
	if (err)
		resch_hooks_put();
	return err;
}

void resch_thread_withdraw(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	resch_thread_strike(thread);
	resch_thread_hide(thread);
	resch_hooks_put();
}

static void thread_above(struct resch_thread *thread, bool above)
{
	resch_thread_lock_irq(thread);
	WRITE_ONCE(thread->above, above);
	if (!above)
		resch_cpu_adjust(thread); /* what the helper left undone meanwhile */
	resch_thread_unlock_irq(thread);
}

struct resch_thread *resch_thread_raise(void)
{
	struct resch_thread *thread = resch_hooks_current();

	if (!thread || !READ_ONCE(thread->entered) || READ_ONCE(thread->state) == RESCH_GONE)
		return NULL;
	thread_above(thread, true);
	if (resch_restore_ceiling(current)) {
		thread_above(thread, false);
		return NULL;
	}
	if (unlikely(READ_ONCE(thread->state) == RESCH_GONE)) {
		thread_above(thread, false);
		/* Whoever gave it back what it had may have done so just before. */
		resch_restore_give(thread);
		return NULL;
	}
	refcount_inc(&thread->refs);
	return thread;
}

void resch_thread_lower(struct resch_thread *thread)
{
	unsigned long flags;

	if (!thread)
		return;
	resch_thread_lock_irqsave(thread, flags);
	WRITE_ONCE(thread->above, false);
	thread->ceiling = true;
	resch_cpu_adjust(thread);
	resch_thread_unlock_irqrestore(thread, flags);
	resch_thread_put(thread);
}

void resch_thread_hook(struct resch_thread *thread)
{
	if (thread->hooked)
		return;
	refcount_inc(&thread->refs);
	resch_hooks_watch(thread);
	thread->hooked = true;
}
