// SPDX-License-Identifier: GPL-2.0
/* restore.c - what a thread was before, and giving it back */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/sched/rt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "restore.h"
#include "compat/slice.h"
#include "compat/task_work.h"
#include "core/cpu.h"
#include "guard/state.h"
#include "guard/affinity.h"

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
	/* Nice value and slice are what a real-time policy leaves alone: keep them for later. */
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_NORMAL,
		.sched_nice = thread->saved_attr.sched_nice,
		.sched_runtime = thread->saved_attr.sched_runtime,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};

	return attr;
}

/* ---- affinity -------------------------------------------------------------------------------- */

/* Another number after each move to another cpuset; 0: this kernel has none. */
static u64 restore_cpuset(struct task_struct *task)
{
	u64 serial = 0;

#ifdef CONFIG_CPUSETS
	rcu_read_lock();
	serial = task_css(task, cpuset_cgrp_id)->serial_nr;
	rcu_read_unlock();
#endif
	return serial;
}

/*
 * Is it an affinity that this module gives? Where the plugin moves its tasks that may be any CPU of
 * the domain: the helper may be about to write down what it has just done. cpu->lock.
 */
static bool restore_is_pin(const struct resch_thread *thread, const cpumask_t *cpus)
{
	unsigned int cpu = cpumask_first(cpus);

	if (cpumask_weight(cpus) != 1)
		return false;
	return cpu == thread->cpu ||
	       (thread->rc->whole && resch_cpu_get(cpu)->domain == thread->rc->domain);
}

/* pi_lock is all that writers have in common. Any context. */
static void restore_read_cpus(struct task_struct *task, cpumask_t *cpus)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&task->pi_lock, flags);
	cpumask_copy(cpus, &task->cpus_mask);
	raw_spin_unlock_irqrestore(&task->pi_lock, flags);
}

void resch_restore_look(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;
	u64 cpuset = restore_cpuset(task);
	unsigned long flags;
	bool theirs;
	cpumask_t found;

	restore_read_cpus(task, &found);
	resch_thread_lock_irqsave(thread, flags);
	/* A cpuset of just our CPU looks like us. A CPU that goes offline loses its threads. */
	theirs = thread->state != RESCH_GONE && cpu_active(thread->cpu) &&
		 (cpuset != thread->saved_cpuset || !restore_is_pin(thread, &found));
	resch_thread_unlock_irqrestore(thread, flags);
	if (likely(!theirs))
		return;
	resch_visitor_user(task, &found);
	resch_thread_lock_irqsave(thread, flags);
	/* From GONE on others read it. */
	if (thread->state != RESCH_GONE) {
		cpumask_copy(&thread->saved_cpus, &found);
		thread->saved_cpuset = cpuset;
	}
	resch_thread_unlock_irqrestore(thread, flags);
}

int resch_restore_tell(struct resch_thread *thread, cpumask_t *cpus)
{
	lockdep_assert_held(&resch_lock);
	resch_restore_hand_down(thread, cpus);
	return thread->entered && READ_ONCE(thread->state) != RESCH_GONE ? 0 : -ESRCH;
}

int resch_restore_change(struct resch_thread *thread, const cpumask_t *cpus)
{
	int err = -ESRCH;

	lockdep_assert_held(&resch_lock);
	resch_thread_lock_irq(thread);
	/* From GONE on it may be on its way back already. */
	if (thread->entered && thread->state != RESCH_GONE) {
		cpumask_copy(&thread->saved_cpus, cpus);
		err = 0;
	}
	resch_thread_unlock_irq(thread);
	return err;
}

void resch_restore_hand_down(struct resch_thread *thread, cpumask_t *cpus)
{
	unsigned long flags;

	resch_thread_lock_irqsave(thread, flags);
	cpumask_copy(cpus, &thread->saved_cpus);
	resch_thread_unlock_irqrestore(thread, flags);
}

void resch_restore_allowed(struct resch_thread *thread, cpumask_t *cpus)
{
	lockdep_assert_held(&resch_lock);
	if (thread->entered || thread->parent) {
		resch_restore_hand_down(thread, cpus);
	} else {
		restore_read_cpus(thread->linux_task, cpus);
		resch_visitor_user(thread->linux_task, cpus);
	}
}

bool resch_restore_covers(struct resch_thread *thread, const cpumask_t *cpus)
{
	static cpumask_t allowed; /* resch_lock */

	lockdep_assert_held(&resch_lock);
	if (!thread->contained)
		return true;
	resch_restore_allowed(thread, &allowed);
	return cpumask_subset(cpus, &allowed);
}

/* ---- taking and giving back ------------------------------------------------------------------ */

int resch_restore_save(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;
	struct sched_attr *attr = &thread->saved_attr;

	if (task->policy == SCHED_DEADLINE)
		return -EINVAL;
	attr->size = sizeof(*attr);
	attr->sched_policy = task->policy;
	attr->sched_priority = task->rt_priority;
	attr->sched_nice = task_nice(task);
	attr->sched_runtime = resch_custom_slice(task);
	attr->sched_flags = task->sched_reset_on_fork ? SCHED_FLAG_RESET_ON_FORK : 0;
	thread->saved_slack = task->rt_priority ? 0 : task->timer_slack_ns;
	return 0;
}

int resch_restore_ceiling(struct task_struct *task)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = resch_level + RESCH_CEILING,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};

	return sched_setattr_nocheck(task, &attr);
}

int resch_restore_take(struct resch_thread *thread)
{
	int err;

	lockdep_assert_held(&resch_lock);
	thread->saved_cpuset = restore_cpuset(current);
	mutex_lock(&resch_guard_mutex);
	resch_visitor_yield(current, &thread->saved_cpus);
	WRITE_ONCE(thread->bound, true);
	mutex_unlock(&resch_guard_mutex);
	thread->pinned = thread->cpu;
	/* It is a real-time thread by now. Up to 6.11 that leaves the slack alone. */
	if (current->timer_slack_ns)
		thread->saved_slack = 0;
	/* Without the mutex: others may keep its CPU busy. */
	err = set_cpus_allowed_ptr(current, cpumask_of(thread->cpu));
	if (err) {
		resch_visitor_resume(current, &thread->saved_cpus);
		WRITE_ONCE(thread->bound, false);
	}
	return err;
}

void resch_restore_slack(struct task_struct *task, u64 slack)
{
	if (!slack)
		return;
	task_lock(task);
	/*
	 * What leaves the real-time policies has that of its birth; any other one it was given
	 * since.
	 */
	if (!task->rt_priority && task->timer_slack_ns == task->default_timer_slack_ns) {
		task->timer_slack_ns = slack;
		/* Born of a real-time thread. */
		if (!task->default_timer_slack_ns)
			task->default_timer_slack_ns = slack;
	}
	task_unlock(task);
}

void resch_restore_policy(struct resch_thread *thread)
{
	if (sched_setattr_nocheck(current, &thread->saved_attr))
		pr_warn("%s/%d: could not restore its policy\n", current->comm, current->pid);
	resch_restore_slack(current, thread->saved_slack);
}

void resch_restore_cpus(struct task_struct *task, const cpumask_t *cpus)
{
	if (set_cpus_allowed_ptr(task, cpus) && set_cpus_allowed_ptr(task, cpu_possible_mask))
		pr_warn("%s/%d: could not restore its affinity\n", task->comm, task->pid);
	resch_visitor_resume(task, cpus);
}

/* What it has been bound to by @bound is no affinity of others'. */
static void restore_cpus(struct resch_thread *thread, u32 bound)
{
	struct task_struct *task = thread->linux_task;
	cpumask_t found;

	restore_read_cpus(task, &found);
	/* A CPU that goes offline loses its threads before we hear of it. */
	if (!cpumask_equal(&found, cpumask_of(bound)) &&
	    !cpumask_equal(&found, cpumask_of(thread->pinned)) &&
	    !cpumask_equal(&found, cpumask_of(thread->cpu)) && thread->gone != RESCH_GONE_OFFLINE &&
	    cpu_active(thread->pinned) && !resch_visitor_user(task, &found))
		return; /* somebody gave it another affinity meanwhile, which stands */
	if (thread->gone != RESCH_GONE_OFFLINE && restore_cpuset(task) != thread->saved_cpuset)
		return; /* it has been moved to a cpuset of just this CPU */
	resch_restore_cpus(task, &thread->saved_cpus);
}

int resch_restore_bind(struct resch_thread *thread, u32 cpu)
{
	struct task_struct *task = thread->linux_task;
	bool gone;
	int err;

	resch_restore_look(thread);
	WRITE_ONCE(thread->bound, true);
	err = set_cpus_allowed_ptr(task, cpumask_of(cpu));
	if (err)
		return err;
	resch_thread_lock_irq(thread);
	/*
	 * The thread itself and its helper may both do so: the last one notes it.
	 * tests/models/give.pml
	 */
	if (cpumask_equal(&task->cpus_mask, cpumask_of(cpu)))
		thread->pinned = cpu;
	gone = thread->state == RESCH_GONE;
	resch_thread_unlock_irq(thread);
	/* Whoever gave it back what it had may have done so just before. */
	if (gone)
		restore_cpus(thread, cpu);
	return 0;
}

void resch_restore_pin(struct resch_thread *thread)
{
	u32 cpu;

	do {
		cpu = READ_ONCE(thread->cpu);
		if (READ_ONCE(thread->state) == RESCH_GONE || resch_restore_bind(thread, cpu))
			return; /* it is going offline, which ends the registration */
	} while (READ_ONCE(thread->cpu) != cpu);
}

void resch_restore_level(struct resch_thread *thread, bool raised)
{
	struct sched_attr attr = raised ? restore_raised_attr(thread) :
					  restore_lowered_attr(thread);

	lockdep_assert_held(&thread->home->adjust_lock);
	if (!sched_setattr_nocheck(thread->linux_task, &attr))
		WRITE_ONCE(thread->demoted, !raised);
}

/* Could the thread have given itself the real-time priority that it has? sched_setscheduler(2). */
static bool restore_may_have(struct task_struct *task)
{
	const struct cred *cred;
	bool capable;

	rcu_read_lock();
	cred = __task_cred(task);
	capable = cred->user_ns == &init_user_ns && cap_raised(cred->cap_effective, CAP_SYS_NICE);
	rcu_read_unlock();
	return capable || task->rt_priority <= task_rlimit(task, RLIMIT_RTPRIO);
}

static bool restore_resets(const struct task_struct *task)
{
	/*
	 * Whoever sets its policy sets this. The other bits of that word are the scheduler's, which
	 * changes them as the thread blocks, with a lock of its own.
	 */
	return data_race(!!task->sched_reset_on_fork);
}

/* Whether the thread still has the policy that we gave it. */
static bool restore_is_ours(const struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;

	if (thread->demoted && task->policy == SCHED_NORMAL && restore_resets(task))
		return true;
	/*
	 * Its level, the one that it had under another plugin, or the ceiling, which one that is
	 * demoted has given itself, too, while it is in a call (resch_thread_raise()) or has just
	 * joined.
	 */
	if (task->policy == SCHED_FIFO && restore_resets(task) &&
	    task->rt_priority > resch_level - resch_levels &&
	    task->rt_priority <= resch_level + RESCH_CEILING)
		return true;
	/*
	 * Who has no privileges can lower the priority that we gave it, but not take the flag off:
	 * it must not stay a real-time thread that way.
	 */
	return restore_resets(task) && (task->policy == SCHED_FIFO || task->policy == SCHED_RR) &&
	       task->rt_priority <= resch_level + RESCH_CEILING && !restore_may_have(task);
}

void resch_restore_give(struct resch_thread *thread)
{
	struct task_struct *task = thread->linux_task;

	/* First away from a CPU that others may keep busy, while it still has its priority. */
	restore_cpus(thread, thread->pinned);
	mutex_lock(&thread->home->adjust_lock);
	if (restore_is_ours(thread) && sched_setattr_nocheck(task, &thread->saved_attr))
		pr_warn("%s/%d: could not restore its policy\n", task->comm, task->pid);
	resch_restore_slack(task, thread->saved_slack);
	mutex_unlock(&thread->home->adjust_lock);
}

/* ---- children -------------------------------------------------------------------------------- */

struct resch_child {
	struct callback_head work;
	struct sched_attr attr;
	u64 slack;
	cpumask_t cpus;
};

/* The child itself, before it first reaches user mode. */
static void restore_child_work(struct callback_head *work)
{
	struct resch_child *child = container_of(work, struct resch_child, work);

	resch_restore_cpus(current, &child->cpus);
	sched_setattr_nocheck(current, &child->attr);
	resch_restore_slack(current, child->slack);
	kfree(child);
	module_put(THIS_MODULE);
}

void resch_restore_inherit(struct sched_attr *attr)
{
	if (!(attr->sched_flags & SCHED_FLAG_RESET_ON_FORK))
		return;
	attr->sched_flags = 0;
	attr->sched_nice = max(attr->sched_nice, 0);
	attr->sched_runtime = 0;
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
	child->attr = thread->saved_attr;
	resch_restore_inherit(&child->attr);
	child->slack = thread->saved_slack;
	WRITE_ONCE(thread->child, child);
}

void resch_restore_child(struct resch_thread *parent, struct task_struct *task)
{
	struct resch_child *child = parent->child;
	unsigned long flags;

	if (!child)
		return;
	resch_restore_look(parent);
	resch_restore_hand_down(parent, &child->cpus);
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
