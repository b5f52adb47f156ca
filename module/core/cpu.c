// SPDX-License-Identifier: GPL-2.0
/* cpu.c - one CPU: how it is told that something has changed */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>
#include <linux/smpboot.h>
#include <resch/types.h>

#include "cpu.h"
#include "thread.h"

DEFINE_PER_CPU(struct resch_cpu, resch_cpus);
DEFINE_PER_CPU(struct task_struct *, resch_helper);
struct irq_work resch_orphans;
void (*resch_thread_reclaim)(struct resch_thread *thread);

/*
 * Has cpu_call() run on the CPU, which is online and not this one. Preemption off; any number of
 * CPUs at once. The kernel wants calls with one csd to come one by one, and leaves that to its
 * callers: two that are sent at once make a ring of the target's list of calls, which it then
 * follows for ever.
 */
static void cpu_send(struct resch_cpu *rc)
{
	int err;

	if (test_and_set_bit(0, &rc->kicked))
		return; /* one is under way and will see the change */
	err = smp_call_function_single_async(rc->number, &rc->csd);
	if (likely(!err))
		return;
	/* -EBUSY is the kernel's own look for such an error; it can't see all of them. */
	WARN_ON_ONCE(err == -EBUSY);
	clear_bit_unlock(0, &rc->kicked);
}

void resch_cpu_kick(struct resch_cpu *rc)
{
	preempt_disable();
	if (rc->number == smp_processor_id())
		irq_work_queue(&rc->irq_work);
	else if (likely(cpu_online(rc->number)))
		cpu_send(rc);
	else
		irq_work_queue(&resch_orphans);
	preempt_enable();
}

void resch_cpu_note(struct resch_thread *thread)
{
	struct resch_cpu *rc = READ_ONCE(thread->rc);

	if (!test_and_set_bit(0, &thread->noted))
		resch_cpu_pass(thread, rc);
}

void resch_cpu_pass(struct resch_thread *thread, struct resch_cpu *to)
{
	WRITE_ONCE(thread->noted_cpu, to->number);
	llist_add(&thread->note, &to->noted);
	resch_cpu_kick(to);
}

void resch_cpu_adjust(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	/*
	 * The helper leaves alone who is gone; that of a CPU that has gone offline does not even
	 * run.
	 */
	if (thread->state == RESCH_GONE || test_and_set_bit(0, &thread->adjusting))
		return;
	refcount_inc(&thread->refs);
	llist_add(&thread->adjust, &rc->adjust);
	wake_up_process(per_cpu(resch_helper, rc->number));
}
