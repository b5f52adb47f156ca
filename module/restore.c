// SPDX-License-Identifier: GPL-2.0
/* restore.c - what a thread was before, and giving it back */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/rt.h>
#include <linux/slab.h>

#include "compat/task_work.h"
#include "cpu.h"
#include "guard.h"
#include "restore.h"

static struct sched_attr restore_raised_attr(const struct resch_thread *thread)
{
	/*
	 * Children start as ordinary threads; resch_restore_child() then makes them what the parent
	 * was.
	 */
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = thread->level,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};

	return attr;
}

static struct sched_attr restore_lowered_attr(const struct resch_thread *thread)
{
	/* The nice value is the one that a real-time policy leaves alone: keep it for later. */
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_NORMAL,
		.sched_nice = thread->saved_attr.sched_nice,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};

	return attr;
}

int resch_restore_save(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;
	struct sched_attr *attr = &thread->saved_attr;

	lockdep_assert_held(&resch_lock);
	if (task->policy == SCHED_DEADLINE)
		return -EINVAL;
	attr->size = sizeof(*attr);
	attr->sched_policy = task->policy;
	attr->sched_priority = task->rt_priority;
	attr->sched_nice = task_nice(task);
	attr->sched_flags = task->sched_reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0;
	cpumask_copy(&thread->saved_cpus, &task->cpus_mask);
	resch_visitor_user(task, &thread->saved_cpus);
	return 0;
}

int resch_restore_ceiling(void)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = resch_level + RESCH_CEILING,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};

	return sched_setattr_nocheck(current, &attr);
}

int resch_restore_take(struct resch_thread *thread)
{
	int err;

	lockdep_assert_held(&resch_lock);
	/*
	 * First the priority: the CPU may be one that another task keeps busy, and we hold the
	 * lock.
	 */
	err = resch_restore_ceiling();
	if (err)
		return err;
	err = set_cpus_allowed_ptr(current, cpumask_of(thread->cpu));
	thread->pinned = thread->cpu;
	if (err && sched_setattr_nocheck(current, &thread->saved_attr))
		pr_warn("%s/%d: could not restore its policy\n", current->comm, current->pid);
	return err;
}

void resch_restore_pin(struct resch_thread *thread)
{
	bool again;
	u32 cpu;

	do {
		cpu = READ_ONCE(thread->cpu);
		if (set_cpus_allowed_ptr(current, cpumask_of(cpu)))
			return; /* it is going offline, which ends the registration */
		resch_thread_lock_irq(thread);
		thread->pinned = cpu;
		again = thread->cpu != cpu;
		resch_thread_unlock_irq(thread);
	} while (again);
}

void resch_restore_level(struct resch_thread *thread, bool raised)
{
	struct sched_attr attr = raised ? restore_raised_attr(thread) :
					  restore_lowered_attr(thread);

	lockdep_assert_held(&thread->home->adjust_lock);
	if (!sched_setattr_nocheck(thread->linux_task, &attr))
		WRITE_ONCE(thread->demoted, !raised);
}

/* Whether the thread still has the policy that we gave it. */
static bool restore_is_ours(const struct resch_thread *thread)
{
	const struct task_struct *task = thread->linux_task;

	if (thread->demoted && task->policy == SCHED_NORMAL && task->sched_reset_on_fork)
		return true;
	/*
	 * Its level, the one that it had under another plugin, or the ceiling, which one that is demoted
	 * has given itself, too, while it is in a call (resch_thread_raise()) or has just joined.
	 */
	if (task->policy == SCHED_FIFO && task->sched_reset_on_fork &&
	    task->rt_priority > resch_level - resch_levels &&
	    task->rt_priority <= resch_level + RESCH_CEILING)
		return true;
	/*
	 * Who has no privileges can lower the priority that we gave it, but not take the flag off: a
	 * member must not stay a real-time thread that way.
	 */
	return thread->task.params.flags & RESCH_F_FAMILY && task->sched_reset_on_fork &&
	       (task->policy == SCHED_FIFO || task->policy == SCHED_RR) &&
	       task->rt_priority <= resch_level + RESCH_CEILING;
}

static void restore_cpus(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;

	/* A CPU that goes offline loses its threads before we hear of it. */
	if (!cpumask_equal(&task->cpus_mask, cpumask_of(thread->pinned)) &&
	    !cpumask_equal(&task->cpus_mask, cpumask_of(thread->cpu)) &&
	    thread->gone != RESCH_GONE_OFFLINE && cpu_active(thread->pinned))
		return; /* somebody gave it another affinity meanwhile, which stands */
	if (set_cpus_allowed_ptr(task, &thread->saved_cpus) &&
	    set_cpus_allowed_ptr(task, cpu_possible_mask))
		pr_warn("%s/%d: could not restore its affinity\n", task->comm, task->pid);
}

void resch_restore_give(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;

	/* First away from a CPU that others may keep busy, while it still has its priority. */
	restore_cpus(thread);
	mutex_lock(&thread->home->adjust_lock);
	if (restore_is_ours(thread) && sched_setattr_nocheck(task, &thread->saved_attr))
		pr_warn("%s/%d: could not restore its policy\n", task->comm, task->pid);
	mutex_unlock(&thread->home->adjust_lock);
}

/* ---- children -------------------------------------------------------------------------------- */

struct resch_child {
	struct callback_head work;
	struct sched_attr attr;
	cpumask_t cpus;
};

/* The child itself, before it first reaches user mode. */
static void restore_child_work(struct callback_head *work)
{
	struct resch_child *child = container_of(work, struct resch_child, work);

	set_cpus_allowed_ptr(current, &child->cpus);
	sched_setattr_nocheck(current, &child->attr);
	kfree(child);
	module_put(THIS_MODULE);
}

void resch_restore_inherit(struct sched_attr *attr)
{
	if (!(attr->sched_flags & SCHED_FLAG_RESET_ON_FORK))
		return;
	attr->sched_flags = 0;
	attr->sched_nice = max(attr->sched_nice, 0);
	attr->sched_priority = 0;
	attr->sched_policy = SCHED_NORMAL;
}

void resch_restore_expect_child(struct resch_thread *thread)
{
	struct resch_child *child;

	if (!RESCH_CAN_TASK_WORK || thread->child)
		return;
	child = kmalloc(sizeof(*child), GFP_KERNEL_ACCOUNT);
	if (!child)
		return; /* a child then stays an ordinary thread on its parent's CPU */
	init_task_work(&child->work, restore_child_work);
	cpumask_copy(&child->cpus, &thread->saved_cpus);
	child->attr = thread->saved_attr;
	resch_restore_inherit(&child->attr);
	WRITE_ONCE(thread->child, child);
}

void resch_restore_child(struct resch_thread *parent, struct task_struct *task)
{
	struct resch_child *child = parent->child;
	unsigned long flags;

	if (!child)
		return;
	__module_get(THIS_MODULE);
	if (resch_task_work_add(task, &child->work)) {
		module_put(THIS_MODULE);
		return;
	}
	parent->child = NULL;
	resch_thread_lock_irqsave(parent, flags);
	parent->todo |= RESCH_TODO_CHILD;
	resch_thread_poke(parent);
	resch_thread_unlock_irqrestore(parent, flags);
}
