// SPDX-License-Identifier: GPL-2.0
/*
 * lead.c - early and exact: who is let go ahead of a release waits for it
 *
 * Between a timer and a job's first instruction lie the interrupt, the wake-up, the decision and
 * the switch: thousands of instructions, whose number varies. A task with a lead has them before
 * its release. What is left is the way from here to user mode.
 *
 * The thread has been chosen by its plugin, as for any job, and has the CPU by its priority: who is
 * more urgent takes it away here as anywhere else.
 */
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "cpu.h"
#include "lead.h"
#include "park.h"
#include "trace.h"

/*
 * So long before the release the account is made, with interrupts off from then on, ns: more than
 * that takes, and less than anybody minds.
 */
#define RESCH_LEAD_NEAR NSEC_PER_USEC

/* Lets others have the CPU who need it more. 0, or what the wait is to return. */
static int lead_go_on(struct resch_thread *thread)
{
	if (unlikely(READ_ONCE(thread->state) == RESCH_GONE))
		return -ECANCELED;
	/* Deselected, it would stop on its way to user mode, and go on too early from there. */
	if (unlikely(!READ_ONCE(thread->run)) && resch_park_hold(thread, false))
		return -EINTR;
	if (unlikely(fatal_signal_pending(current)))
		return -EINTR;
	cond_resched();
	cpu_relax();
	return 0;
}

/*
 * What the thread has executed before its release is not its job's. Interrupts off, so that nobody
 * looks at its budget before that. Whether the lead was long enough is for jobs to tell that were
 * waited for.
 */
static void lead_begin(struct resch_thread *thread, u64 since, u64 came)
{
	u64 release = thread->noted_job.release;
	struct resch_cpu *rc = resch_thread_lock(thread);
	u64 budget = thread->task.params.wcet - thread->life.handled;
	u64 lead = thread->ahead, runtime, now;

	thread->ahead = 0;
	runtime = resch_thread_runtime(thread);
	now = ktime_get();
	thread->life.budget = budget;
	thread->life.exec_base = runtime + (now < release ? release - now : 0);
	/* It was away as it waited, so the timer is set for more than it has left. */
	if (unlikely(thread->life.enforce && rc->until > max(now, release) + budget))
		resch_cpu_kick(rc);
	if (likely(since + lead <= release)) {
		thread->lead_late += came > release;
		thread->lead_way = max(thread->lead_way, came + lead - release);
	}
	resch_cpu_unlock(rc);
}

int resch_lead_wait(struct resch_thread *thread, u64 since)
{
	u64 release = thread->noted_job.release;
	u64 came = ktime_get(), now = came;
	unsigned long flags;

	while (now + RESCH_LEAD_NEAR < release) {
		int err = lead_go_on(thread);

		if (err)
			return err;
		now = ktime_get();
	}
	local_irq_save(flags);
	lead_begin(thread, since, came);
	do
		now = ktime_get();
	while (now < release);
	/* Before anybody can preempt it: it is recorded when it happens. */
	if (trace_resch_begin_enabled())
		trace_resch_begin(thread, now, now - came);
	local_irq_restore(flags);
	return 0;
}
