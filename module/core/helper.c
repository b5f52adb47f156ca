// SPDX-License-Identifier: GPL-2.0
/* helper.c - the thread of a CPU that sets policies and affinities, above all registered threads */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smpboot.h>

#include <resch/types.h>

#include "agenda.h"
#include "cpu.h"
#include "helper.h"
#include "params.h"
#include "park.h"
#include "thread.h"
#include "linux/restore.h"

static int helper_should_run(unsigned int cpu)
{
	return !llist_empty(&resch_cpu_get(cpu)->adjust);
}

/*
 * A thread that is to run on another CPU than before: asleep in this module until it is there; or
 * in the kernel on its old CPU, where others may keep it from getting on.
 */
static void helper_move(struct resch_thread *thread, u32 cpu)
{
	int err = resch_restore_bind(thread, cpu);

	resch_thread_lock_irq(thread);
	if (thread->held && thread->run && !err)
		resch_park_go(thread); /* or once more here, if it is to go elsewhere meanwhile */
	resch_thread_unlock_irq(thread);
}

/* The thread's priority is that of @level now, if it hasn't got another one meanwhile. */
static void helper_has_moved(struct resch_thread *thread, u32 level)
{
	resch_thread_lock_irq(thread);
	if (thread->level == level)
		thread->moving = false;
	resch_thread_unlock_irq(thread);
}

/* It went up while it was brought down. */
static void helper_heave(struct resch_thread *thread)
{
	WRITE_ONCE(thread->demoted, false);
	if (resch_restore_ceiling(thread->linux_task))
		pr_warn_once("could not raise a thread to the ceiling\n");
}

static void helper_adjust(struct resch_thread *thread)
{
	bool raised, gone, above, relevel, move, arrived;
	u32 cpu, level;

	mutex_lock(&thread->home->adjust_lock);
	resch_thread_lock_irq(thread);
	gone = thread->state == RESCH_GONE || thread->dead;
	above = thread->above;
	relevel = thread->ceiling || thread->moving;
	level = thread->level;
	/* From the ceiling it goes to where it was: it is on its way to sleep, or to run. */
	raised = !thread->background &&
		 (thread->run || thread->held || (relevel && !thread->demoted));
	thread->ceiling = false;
	cpu = thread->cpu;
	move = !gone && thread->run && thread->pinned != cpu;
	resch_thread_unlock_irq(thread);
	/* In a call at the ceiling it may hold resch_lock, and comes down by itself. */
	if (!gone && !above && (relevel || raised == READ_ONCE(thread->demoted))) {
		resch_restore_level(thread, raised);
		if (unlikely(READ_ONCE(thread->above)))
			helper_heave(thread);
	}
	if (!gone && !above && relevel)
		helper_has_moved(thread, level);
	if (move)
		helper_move(thread, cpu);
	mutex_unlock(&thread->home->adjust_lock);
	if (raised || gone)
		return;
	/* It may still be in user mode, but anybody else comes first. */
	resch_thread_lock_irq(thread);
	arrived = (!thread->run || thread->background) && READ_ONCE(thread->demoted);
	if (arrived)
		resch_agenda_stopped(thread);
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
		/* pairs with the test_and_set_bit() in resch_cpu_adjust() */
		smp_mb__after_atomic();
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

static struct smp_hotplug_thread helper_threads = {
	.store = &resch_helper,
	.thread_should_run = helper_should_run,
	.thread_fn = helper_run,
	.setup = helper_setup,
	/*
	 * Its CPU goes offline. Who is on the list is gone by now, and nobody comes on it any more.
	 */
	.park = helper_run,
	.thread_comm = "resch/%u",
};

int __init resch_helper_start(void)
{
	return smpboot_register_percpu_thread(&helper_threads);
}

void resch_helper_stop(void)
{
	smpboot_unregister_percpu_thread(&helper_threads);
}
