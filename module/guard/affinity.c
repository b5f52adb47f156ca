// SPDX-License-Identifier: GPL-2.0
/* affinity.c - where visitors may run: what their users want, and what they have from us */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "affinity.h"
#include "state.h"
#include "visitor.h"

/* The call that makes it a SCHED_DEADLINE thread has so long, ns. */
#define RESCH_VISITOR_SPAN NSEC_PER_SEC

/* A mask of the visitor. resch_guard_mutex. */
static void visitor_write(cpumask_t *to, const cpumask_t *from)
{
	unsigned long flags;

	lockdep_assert_held(&resch_guard_mutex);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	cpumask_copy(to, from);
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
}

/* Of a thread that has @mask: is it from us? The table's lock. */
static bool visitor_gave(const struct resch_visitor *visitor, const cpumask_t *mask)
{
	return cpumask_equal(mask, &visitor->given) && !test_bit(0, &visitor->asked);
}

bool resch_visitor_user(struct task_struct *task, cpumask_t *mask)
{
	struct resch_visitor *visitor;
	unsigned long flags;
	bool gave;

	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	visitor = resch_visitor_find(task);
	gave = visitor && visitor_gave(visitor, mask);
	if (gave)
		cpumask_copy(mask, &visitor->user);
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	return gave;
}

/* ---- where they run -------------------------------------------------------------------------- */

/*
 * @home: those CPUs of the user's affinity that are NRT, or else all such. false: there are none.
 * From Linux 6.2 on the kernel cuts a mask to what sched_setaffinity() has asked for, unless
 * nothing would be left: then nothing that is not active may be.
 */
static bool visitor_home_mask(const struct resch_visitor *visitor, cpumask_t *home)
{
	cpumask_andnot(home, &visitor->user, &resch_guard_rt);
	if (cpumask_intersects(home, cpu_active_mask))
		return true;
	return cpumask_andnot(home, cpu_active_mask, &resch_guard_rt);
}

/* resch_guard_mutex */
static void visitor_settle(struct resch_visitor *visitor, s32 cpu)
{
	if (visitor->cpu >= 0)
		atomic_dec(&per_cpu(resch_guard_cpus, visitor->cpu).visitors);
	if (cpu >= 0)
		atomic_inc(&per_cpu(resch_guard_cpus, cpu).visitors);
	if (cpu != visitor->cpu)
		WRITE_ONCE(visitor->since, ktime_get_mono_fast_ns());
	WRITE_ONCE(visitor->cpu, cpu);
}

/* What it has now is what its user wants. resch_guard_mutex. */
static void visitor_take(struct resch_visitor *visitor)
{
	unsigned long flags;

	lockdep_assert_held(&resch_guard_mutex);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	clear_bit(0, &visitor->asked);
	cpumask_copy(&visitor->user, &visitor->task->cpus_mask);
	cpumask_copy(&visitor->given, &visitor->user);
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	visitor->ours = false;
	visitor->elsewhere = false;
	visitor_settle(visitor, -1);
}

/*
 * It is given @mask from here on, or has been: twice for each change, so that who has asked for
 * another one meanwhile learns of it (resch_visitor_asked()). false: somebody has, just now.
 * resch_guard_mutex.
 */
static bool visitor_give(struct resch_visitor *visitor, const cpumask_t *mask)
{
	unsigned long flags;
	bool free;

	lockdep_assert_held(&resch_guard_mutex);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	free = visitor->changes & 1 || !test_bit(0, &visitor->asked);
	if (free) {
		cpumask_copy(&visitor->given, mask);
		visitor->changes++;
	}
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	return free;
}

/*
 * The mask that it is to have; `given` says so before it has. -EAGAIN: its user has just asked for
 * another one, which is taken in. resch_guard_mutex.
 */
static int visitor_apply(struct resch_visitor *visitor, const cpumask_t *mask)
{
	const cpumask_t *now = &visitor->task->cpus_mask;
	cpumask_t before;
	int err;

	cpumask_copy(&before, &visitor->given);
	if (!visitor_give(visitor, mask)) {
		visitor_take(visitor);
		return -EAGAIN;
	}
	err = set_cpus_allowed_ptr(visitor->task, mask);
	/*
	 * From Linux 6.2 on it may have been cut to what a sched_setaffinity() once asked for, and
	 * what is not as `given` counts as the user's wish.
	 */
	visitor_give(visitor, err ? &before : cpumask_subset(now, mask) ? now : mask);
	visitor->ours |= !err;
	return err;
}

/* No look: see resch_visitor_home(). resch_guard_mutex. */
static bool visitor_go_home(struct resch_visitor *visitor)
{
	cpumask_t home;
	int err;

	do {
		if (!visitor_home_mask(visitor, &home))
			return false;
		err = cpumask_equal(&visitor->given, &home) ? 0 : visitor_apply(visitor, &home);
	} while (err == -EAGAIN);
	if (err)
		return false;
	visitor->ours = true;
	visitor->elsewhere = !cpumask_intersects(&home, &visitor->user);
	visitor_settle(visitor, -1);
	return true;
}

/*
 * All CPUs that it has from us are offline: then the kernel lets it run anywhere, which nobody has
 * asked for. resch_guard_online() has all looked at before the first of them is active again.
 */
static bool visitor_is_stray(const struct resch_visitor *visitor)
{
	return visitor->ours && !cpumask_intersects(&visitor->given, cpu_active_mask);
}

/* It is at home where its user did not want it, and need not be any more: a CPU has come. */
static bool visitor_may_return(const struct resch_visitor *visitor)
{
	cpumask_t home;

	return visitor->elsewhere && visitor->cpu < 0 &&
	       cpumask_andnot(&home, &visitor->user, &resch_guard_rt) &&
	       cpumask_intersects(&home, cpu_active_mask);
}

/*
 * It has its whole affinity because it is SCHED_DEADLINE, or is just becoming that.
 * resch_guard_mutex.
 */
static bool visitor_keeps_whole(struct resch_visitor *visitor)
{
	if (visitor->task->policy == SCHED_DEADLINE)
		WRITE_ONCE(visitor->whole, 1);
	else if (visitor->whole && ktime_get_mono_fast_ns() >= visitor->whole)
		WRITE_ONCE(visitor->whole, 0);
	return visitor->whole;
}

/* Its user may have asked for what it had: see resch_visitor_asked(). resch_guard_mutex. */
static void visitor_hear(struct resch_visitor *visitor)
{
	if (test_bit(0, &visitor->asked))
		visitor_take(visitor);
}

void resch_visitor_look(struct resch_visitor *visitor)
{
	struct task_struct *task = visitor->task;
	bool stray = false, whole = visitor->whole;

	lockdep_assert_held(&resch_guard_mutex);
	if (resch_visitor_is_bound(task))
		return;
	visitor_hear(visitor);
	whole = whole && !visitor_keeps_whole(visitor);
	if (!cpumask_equal(&task->cpus_mask, &visitor->given)) {
		stray = visitor_is_stray(visitor);
		if (stray) {
			visitor_write(&visitor->given, &task->cpus_mask);
			visitor_settle(visitor, -1);
		} else {
			visitor_take(visitor);
		}
	}
	/* Bound to an RT CPU first, and then given the priority: it is RT0 now. */
	if (resch_visitor_is_top(task) && cpumask_weight(&visitor->user) == 1 &&
	    cpumask_subset(&visitor->user, &resch_guard_rt)) {
		if (!cpumask_equal(&visitor->given, &visitor->user)) {
			visitor_settle(visitor, -1);
			visitor_apply(visitor, &visitor->user);
		}
	} else if ((stray || whole || visitor_may_return(visitor)) && resch_guard_stands() &&
		   !visitor->restored) {
		visitor_go_home(visitor);
	}
}

static void visitor_look(struct resch_visitor *visitor, void *data)
{
	resch_visitor_look(visitor);
}

void resch_visitor_look_all(void)
{
	resch_visitor_for_each(visitor_look, NULL);
}

u32 resch_visitor_changes(struct task_struct *task)
{
	struct resch_visitor *visitor;
	u32 changes;

	rcu_read_lock();
	visitor = resch_visitor_find(task);
	changes = visitor ? READ_ONCE(visitor->changes) : 0;
	rcu_read_unlock();
	return changes;
}

bool resch_visitor_asked(struct task_struct *task, const cpumask_t *mask, u32 changes)
{
	struct resch_visitor *visitor;
	unsigned long flags;
	bool lost = false;

	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	visitor = resch_visitor_find(task);
	/* Unless that has been taken in before the call was over, or is nothing new. */
	if (visitor && !cpumask_equal(&visitor->user, mask)) {
		lost = changes & 1 || visitor->changes != changes;
		if (!lost)
			set_bit(0, &visitor->asked);
	}
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	return !lost;
}

bool resch_visitor_hurries(struct task_struct *task)
{
	struct resch_visitor *visitor;
	bool whole;

	rcu_read_lock();
	visitor = resch_visitor_find(task);
	whole = visitor && READ_ONCE(visitor->whole);
	rcu_read_unlock();
	return whole || resch_visitor_is_top(task);
}

bool resch_visitor_home(struct resch_visitor *visitor)
{
	resch_visitor_look(visitor);
	return visitor->whole || resch_visitor_is_bound(visitor->task) || visitor_go_home(visitor);
}

void resch_visitor_span(struct resch_visitor *visitor)
{
	int err;

	resch_visitor_look(visitor);
	if (visitor->restored || resch_visitor_is_bound(visitor->task) ||
	    resch_guard_exempts(visitor->task))
		return;
	do {
		err = cpumask_equal(&visitor->given, &visitor->user) ?
			      0 :
			      visitor_apply(visitor, &visitor->user);
	} while (err == -EAGAIN);
	if (err)
		return;
	visitor_settle(visitor, -1);
	WRITE_ONCE(visitor->whole, ktime_get_mono_fast_ns() + RESCH_VISITOR_SPAN);
}

void resch_visitor_spanned(struct resch_visitor *visitor)
{
	lockdep_assert_held(&resch_guard_mutex);
	if (visitor->whole)
		WRITE_ONCE(visitor->whole, 1);
	resch_visitor_look(visitor);
}

void resch_visitor_send(struct resch_visitor *visitor, unsigned int cpu)
{
	struct task_struct *task = visitor->task;

	if (visitor->restored || visitor->cpu >= 0)
		return;
	resch_visitor_look(visitor);
	if (visitor->whole || !cpumask_test_cpu(cpu, &resch_guard_rt) || !cpu_active(cpu) ||
	    !resch_visitor_may(visitor, cpu) || resch_visitor_is_bound(task) ||
	    resch_guard_exempts(task))
		return;
	if (visitor_apply(visitor, cpumask_of(cpu)))
		return;
	visitor_settle(visitor, cpu);
	/* It may run at this moment: then balance_starved() compares with a little less. */
	visitor->runtime = READ_ONCE(task->se.sum_exec_runtime);
	per_cpu(resch_guard_cpus, cpu).lent++;
}

/* ---- registered meanwhile -------------------------------------------------------------------- */

void resch_visitor_yield(struct task_struct *task, cpumask_t *mask)
{
	struct resch_visitor *visitor;
	unsigned long flags;

	lockdep_assert_held(&resch_guard_mutex);
	cpumask_copy(mask, &task->cpus_mask);
	rcu_read_lock();
	visitor = resch_visitor_find(task);
	rcu_read_unlock();
	if (!visitor)
		return;
	visitor_settle(visitor, -1);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	if (visitor_gave(visitor, mask) || visitor_is_stray(visitor))
		cpumask_copy(mask, &visitor->user);
	/* Whatever it has from here on, it has not from us. */
	cpumask_clear(&visitor->given);
	visitor->ours = false;
	visitor->elsewhere = false;
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
}

void resch_visitor_resume(struct task_struct *task, const cpumask_t *mask)
{
	struct resch_visitor *visitor;
	unsigned long flags;

	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	visitor = resch_visitor_find(task);
	if (visitor) {
		clear_bit(0, &visitor->asked);
		cpumask_copy(&visitor->user, mask);
		/* Unless resch-guard has sent it home at the same time. */
		if (!cpumask_equal(&visitor->given, &task->cpus_mask))
			cpumask_copy(&visitor->given, mask);
	}
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void visitor_update(struct resch_visitor *visitor, void *data)
{
	if (!resch_guard_exempts(visitor->task))
		resch_visitor_home(visitor);
}

void resch_visitor_update(void)
{
	resch_visitor_for_each(visitor_update, NULL);
}

static void visitor_restore(struct resch_visitor *visitor, void *data)
{
	unsigned int *count = data;

	if (visitor->restored)
		return;
	if (!resch_visitor_is_bound(visitor->task)) {
		visitor_hear(visitor);
		/* Where somebody set another affinity meanwhile, that one stands. */
		if (cpumask_equal(&visitor->task->cpus_mask, &visitor->given) ||
		    visitor_is_stray(visitor))
			visitor_apply(visitor, &visitor->user);
	}
	visitor_settle(visitor, -1);
	visitor->restored = true;
	++*count;
}

void resch_visitor_release(void)
{
	unsigned int count;

	/*
	 * A child that was begun before its parent was restored has the affinity that the parent
	 * had then, and is found through it: so the table goes last.
	 */
	do {
		count = 0;
		resch_visitor_for_each(visitor_restore, &count);
		if (count)
			schedule_timeout_uninterruptible(msecs_to_jiffies(20));
	} while (count);
	resch_visitor_clear();
}
