// SPDX-License-Identifier: GPL-2.0
/* cpu.c - one CPU: its timer, its helper, its comings and goings */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/smpboot.h>

#include "compat/hrtimer.h"
#include "domain.h"
#include "engine.h"
#include "guard.h"
#include "park.h"
#include "restore.h"

DEFINE_PER_CPU(struct resch_cpu, resch_cpus);
static DEFINE_PER_CPU(struct task_struct *, cpu_helper);
static enum cpuhp_state cpu_hotplug_state;

/* An event that is nearer than this may be past by the time that its timer is set, ns. */
#define RESCH_NEAR (50 * NSEC_PER_USEC)

/* ---- events ---------------------------------------------------------------------------------- */

void resch_cpu_arm(struct resch_cpu *rc)
{
	u64 next = resch_engine_next(rc);

	resch_cpu_assert_locked(rc);
	if (next == rc->armed || unlikely(!rc->online))
		return;
	rc->armed = next;
	if (next == RESCH_NEVER)
		hrtimer_try_to_cancel(&rc->timer);
	else
		hrtimer_start(&rc->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Takes in what has come due at @expires, and returns the time of the next event. cpu->lock.
 *
 * It acts as of the time that the timer was set to, which spares a look at the clock; but time must
 * not run backwards. An event that is near may be past already: then all that has come due since is
 * taken in at once, as of now. One by one they could keep the CPU in this interrupt for ever, if
 * each brings the next (the budget of a thread that can't use it up as it is interrupted, say). And
 * CPUs that share their tasks have to agree on what time it is.
 */
static u64 cpu_expire(struct resch_cpu *rc, u64 expires)
{
	u64 now = max(rc->now, unlikely(rc->whole) ? ktime_get() : expires);
	u64 next;

	resch_engine_update(rc, now);
	next = resch_engine_next(rc);
	if (unlikely(next < now + RESCH_NEAR)) {
		now = ktime_get();
		if (next <= now) {
			resch_engine_update(rc, now);
			next = resch_engine_next(rc);
		}
	}
	return next;
}

/* Hard interrupt, on the CPU. */
static enum hrtimer_restart cpu_timer(struct hrtimer *timer)
{
	struct resch_cpu *rc = container_of(timer, struct resch_cpu, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	u64 next;

	resch_cpu_lock(rc);
	next = cpu_expire(rc, ktime_to_ns(hrtimer_get_expires(timer)));
	rc->armed = rc->online ? next : RESCH_NEVER;
	if (rc->armed != RESCH_NEVER) {
		hrtimer_set_expires(timer, ns_to_ktime(rc->armed));
		restart = HRTIMER_RESTART;
	}
	resch_cpu_unlock(rc);
	return restart;
}

/* Hard interrupt, on the CPU: something has changed. */
static void cpu_event(void *info)
{
	struct resch_cpu *rc = info;

	resch_cpu_lock(rc);
	resch_engine_update(rc, ktime_get());
	resch_cpu_arm(rc);
	resch_cpu_unlock(rc);
}

static void cpu_irq_work(struct irq_work *work)
{
	cpu_event(container_of(work, struct resch_cpu, irq_work));
}

/*
 * Threads whose CPU has gone offline have no registration any more, but they may still block, wake
 * and die with their hook on. Whoever notes that takes it in for them.
 */
static void cpu_orphans_event(struct irq_work *work)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		if (cpu_online(cpu))
			continue;
		resch_cpu_lock(rc);
		resch_engine_update(rc, ktime_get());
		resch_cpu_unlock(rc);
	}
}

static struct irq_work cpu_orphans = IRQ_WORK_INIT_HARD(cpu_orphans_event);

void resch_cpu_kick(struct resch_cpu *rc)
{
	preempt_disable();
	if (rc->number == smp_processor_id())
		irq_work_queue(&rc->irq_work);
	else if (likely(cpu_online(rc->number)))
		/* busy: one is under way and will see the change */
		smp_call_function_single_async(rc->number, &rc->csd);
	else
		irq_work_queue(&cpu_orphans);
	preempt_enable();
}

void resch_cpu_note(struct resch_thread *thread)
{
	struct resch_cpu *rc = READ_ONCE(thread->rc);

	if (test_and_set_bit(0, &thread->noted))
		return;
	WRITE_ONCE(thread->noted_cpu, rc->number);
	llist_add(&thread->note, &rc->noted);
	resch_cpu_kick(rc);
}

void resch_cpu_freeze_all(void)
{
	struct resch_cpu *rc;
	unsigned long flags;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		rc = resch_cpu_get(cpu);
		resch_cpu_lock_irqsave(rc, flags);
		resch_engine_freeze(rc, ktime_get());
		resch_cpu_unlock_irqrestore(rc, flags);
	}
}

/* ---- the helper: sets policies, above all registered threads --------------------------------- */

void resch_cpu_adjust(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (test_and_set_bit(0, &thread->adjusting))
		return;
	refcount_inc(&thread->refs);
	llist_add(&thread->adjust, &rc->adjust);
	wake_up_process(per_cpu(cpu_helper, rc->number));
}

static int helper_should_run(unsigned int cpu)
{
	return !llist_empty(&resch_cpu_get(cpu)->adjust);
}

/*
 * A thread that is to run on another CPU than before: asleep in this module until it is there; or in
 * the kernel on its old CPU, where others may keep it from getting on.
 */
static void helper_move(struct resch_thread *thread, u32 cpu)
{
	int err = set_cpus_allowed_ptr(thread->linux_task, cpumask_of(cpu));

	resch_thread_lock_irq(thread);
	if (!err)
		thread->pinned = cpu;
	if (thread->held && thread->run && !err)
		resch_park_go(thread); /* or once more here, if it is to go elsewhere meanwhile */
	resch_thread_unlock_irq(thread);
}

static void helper_adjust(struct resch_thread *thread)
{
	bool raised, gone, ceiling, move, arrived;
	u32 cpu;

	mutex_lock(&thread->home->adjust_lock);
	resch_thread_lock_irq(thread);
	gone = thread->state == RESCH_GONE || thread->dead;
	ceiling = thread->ceiling;
	/* From the ceiling it goes to where it was: it is on its way to sleep, or to run. */
	raised = !thread->background &&
		 (thread->run || thread->held || (ceiling && !thread->demoted));
	thread->ceiling = false;
	cpu = thread->cpu;
	move = !gone && thread->run && thread->pinned != cpu;
	resch_thread_unlock_irq(thread);
	if (!gone && (ceiling || raised == READ_ONCE(thread->demoted)))
		resch_restore_level(thread, raised);
	if (move)
		helper_move(thread, cpu);
	mutex_unlock(&thread->home->adjust_lock);
	if (raised || gone)
		return;
	/* It may still be in user mode, but anybody else comes first. */
	resch_thread_lock_irq(thread);
	arrived = (!thread->run || thread->background) && READ_ONCE(thread->demoted);
	if (arrived)
		resch_engine_stopped(thread);
	resch_thread_unlock_irq(thread);
}

static void helper_run(unsigned int cpu)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);
	struct llist_node *list = llist_del_all(&rc->adjust);
	struct resch_thread *thread, *next;

	llist_for_each_entry_safe(thread, next, list, adjust) {
		/* From here on a new change adds the thread again. */
		clear_bit(0, &thread->adjusting);
		smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in resch_cpu_adjust() */
		helper_adjust(thread);
		resch_thread_put(thread);
	}
}

static void helper_setup(unsigned int cpu)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = resch_level + RESCH_CEILING + 1,
	};

	sched_setattr_nocheck(current, &attr);
}

static struct smp_hotplug_thread cpu_helpers = {
	.store = &cpu_helper,
	.thread_should_run = helper_should_run,
	.thread_fn = helper_run,
	.setup = helper_setup,
	.thread_comm = "resch/%u",
};

/* ---- hotplug --------------------------------------------------------------------------------- */

/* Both run on the CPU, in its hotplug thread, with the hotplug lock held. */

static int cpu_online_event(unsigned int cpu)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);

	resch_cpu_lock_irq(rc);
	rc->online = true;
	resch_cpu_unlock_irq(rc);
	resch_cpu_kick(rc); /* the rest of Linux may have a server there */
	resch_guard_online();
	return 0;
}

/* Not under resch_lock, which may be held by somebody who waits for the hotplug lock. */
static int cpu_offline_event(unsigned int cpu)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);

	resch_cpu_lock_irq(rc);
	resch_engine_clear(rc, RESCH_GONE_OFFLINE, ktime_get());
	rc->online = false;
	rc->armed = RESCH_NEVER;
	resch_cpu_unlock_irq(rc);
	hrtimer_cancel(&rc->timer);
	return 0;
}

int __init resch_cpu_init(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		raw_spin_lock_init(&rc->own);
		rc->lock = &rc->own;
		mutex_init(&rc->adjust_lock);
		rc->number = cpu;
		rc->rq.cpu = cpu;
		rc->until = RESCH_NEVER;
		rc->armed = RESCH_NEVER;
		INIT_LIST_HEAD(&rc->shadows);
		INIT_LIST_HEAD(&rc->calls);
		INIT_LIST_HEAD(&rc->servants);
		init_llist_head(&rc->noted);
		init_llist_head(&rc->adjust);
		rc->irq_work = IRQ_WORK_INIT_HARD(cpu_irq_work);
		INIT_CSD(&rc->csd, cpu_event, rc);
		hrtimer_setup(&rc->timer, cpu_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	}
	err = smpboot_register_percpu_thread(&cpu_helpers);
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "resch:online", cpu_online_event,
				cpu_offline_event);
	if (err < 0) {
		smpboot_unregister_percpu_thread(&cpu_helpers);
		return err;
	}
	cpu_hotplug_state = err;
	return 0;
}

void resch_cpu_exit(void)
{
	unsigned int cpu;

	/* Calls cpu_offline_event() everywhere, which stops the timers. */
	cpuhp_remove_state(cpu_hotplug_state);
	for_each_possible_cpu(cpu)
		irq_work_sync(&resch_cpu_get(cpu)->irq_work);
	irq_work_sync(&cpu_orphans);
	/* An interrupt that a kick sent before is over once every CPU has taken another one. */
	kick_all_cpus_sync();
	smpboot_unregister_percpu_thread(&cpu_helpers);
}
