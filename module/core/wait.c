// SPDX-License-Identifier: GPL-2.0
/* wait.c - the calls of a program: wait, delay */
#include <linux/ktime.h>

#include "agenda.h"
#include "clock.h"
#include "cpu.h"
#include "engine.h"
#include "jobs.h"
#include "lead.h"
#include "park.h"
#include "straight.h"
#include "todo.h"
#include "trace.h"
#include "wait.h"
#include "linux/restore.h"

/* The current job ends here; what comes next? */
static void job_next(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_job *job = &thread->task.job;

	resch_job_complete(thread, now);
	if (params->kind == RESCH_SPORADIC) {
		resch_job_await_asked(thread, now);
		return;
	}
	resch_job_advance(job, thread->life.distance, params->deadline);
	thread->due = true;
	if (unlikely(thread->life.skip)) {
		thread->life.skip = false;
		thread->stats.skipped +=
			resch_job_skip(job, thread->life.distance, params->deadline, now);
	}
	resch_job_await(thread, now);
}

/*
 * A signal came while the thread slept. Its handler runs in user mode, so it needs the CPU's
 * consent: between two jobs it competes with the deadline of the next one, which it may bring
 * forward but never harm. 0: the job came first, so the call ends as if there were no signal, and
 * the handler runs as part of the job.
 */
static int job_interrupted(struct resch_thread *thread)
{
	struct resch_job *job = &thread->task.job;
	struct resch_cpu *rc;
	unsigned long flags;
	int err = -ERESTARTSYS;
	u64 now;

	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	resch_thread_pay(thread);
	if (thread->state == RESCH_SLEEPING || thread->state == RESCH_DELAYED) {
		thread->early = thread->state == RESCH_SLEEPING;
		thread->rc->nr_open += thread->early;
		if (thread->early && (!job->index || job->deadline < now))
			job->deadline = now + thread->task.params.deadline;
		resch_agenda_enqueue(thread, RESCH_WHY_WAKE, now);
		trace_resch_wake(thread, now, thread->early ? 0 : resch_thread_executed(thread));
		resch_agenda_arm(thread);
	} else {
		err = 0;
	}
	resch_cpu_unlock_irqrestore(rc, flags);
	resch_cpu_kick(rc);
	if (resch_park_hold(thread, false))
		return -EINTR;
	return err;
}

/*
 * The thread goes on when it is let go, or with a signal. cpu->lock, which is released.
 */
static __always_inline int job_hold(struct resch_thread *thread, unsigned long flags)
	__releases(thread->rc->lock)
{
	int err = resch_park_hold_locked(thread, true, flags);

	if (unlikely(err)) {
		err = job_interrupted(thread);
		if (err)
			return err;
	}
	return unlikely(READ_ONCE(thread->state) == RESCH_GONE) ? -ECANCELED : 0;
}

/*
 * What the thread wants has been put on the agenda of its CPU, which decides. cpu->lock, which is
 * released.
 */
static int job_rest(struct resch_thread *thread, u64 now, unsigned long flags)
	__releases(thread->rc->lock)
{
	struct resch_cpu *rc = thread->rc;

	if (likely(smp_processor_id() == rc->number)) {
		resch_engine_update(rc, now);
		resch_clock_arm(rc);
	} else {
		resch_cpu_kick(rc);
	}
	return job_hold(thread, flags);
}

/* Back from a signal handler: the wait goes on where it was. */
static void job_resume_wait(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	thread->early = false;
	resch_agenda_dequeue(thread, RESCH_WHY_BLOCK, now);
	thread->rc->nr_open--;
	thread->state = RESCH_SLEEPING;
	resch_agenda_leave(thread, RESCH_OFF_COMPLETE, now);
	if (thread->task.job.index)
		thread->task.job.deadline = thread->task.job.release + params->deadline;
	if (thread->due)
		resch_job_await(thread, now);
	else if (params->kind == RESCH_SPORADIC)
		resch_job_await_asked(thread, now);
}

static void job_report(const struct resch_thread *thread, struct resch_wait *out)
{
	const struct resch_job *job = &thread->noted_job;

	out->release = job->release;
	out->deadline = job->deadline;
	out->job = job->index;
	out->skipped = job->skipped;
}

/*
 * The state in which a call of a program finds its thread is not the usual one. cpu->lock. 0: it is
 * now.
 */
static int job_settle(struct resch_thread *thread, u64 now)
{
	if (thread->state == RESCH_GONE)
		return -ECANCELED;
	if (thread->task.params.kind == RESCH_WAKEUP)
		return -EINVAL;
	/* It runs, so whatever the engine has not heard of yet is over. */
	WRITE_ONCE(thread->kblocked, false);
	if (thread->state == RESCH_BLOCKED ||
	    (thread->state == RESCH_THROTTLED && !thread->background)) {
		resch_job_stir(thread);
		resch_agenda_resume(thread, now);
	}
	return 0;
}

/*
 * The wait ends a job, or begins the first one, in whatever state the thread is. cpu->lock, which
 * is released.
 */
static noinline int job_wait(struct resch_thread *thread, bool begun, u64 now, unsigned long flags)
	__releases(thread->rc->lock)
{
	if (thread->state != RESCH_READY || thread->kblocked) {
		int err = thread->state == RESCH_NEW || thread->state == RESCH_SLEEPING ?
				  0 :
				  job_settle(thread, now);
		if (err) {
			resch_cpu_unlock_irqrestore(thread->rc, flags);
			return err;
		}
	}
	if (thread->state == RESCH_NEW)
		resch_job_start(thread, now);
	else if (thread->early)
		job_resume_wait(thread, now);
	else if (thread->state != RESCH_SLEEPING && !begun)
		job_next(thread, now);
	return job_rest(thread, now, flags);
}

int resch_job_wait(struct resch_thread *thread, struct resch_wait *out)
{
	struct resch_cpu *rc = READ_ONCE(thread->rc);
	bool begun = false;
	unsigned long flags;
	int err;
	u64 now;

	if (unlikely(thread->task.params.kind == RESCH_WAKEUP))
		return -EINVAL;
	if (unlikely(raw_smp_processor_id() != rc->number && READ_ONCE(thread->entered) &&
		     READ_ONCE(thread->state) != RESCH_GONE))
		resch_restore_pin(thread); /* somebody moved it */
	if (unlikely(!READ_ONCE(thread->entered))) {
		err = resch_thread_enter(thread, true);
		if (err)
			return err;
		begun = true;
	}
	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	if (likely(!begun && resch_straight_is(thread) && resch_straight_wait(thread, now))) {
		if (unlikely(resch_queue_first(&rc->timers)->key != rc->armed))
			resch_clock_arm(rc);
		err = job_hold(thread, flags);
	} else {
		err = job_wait(thread, begun, now, flags);
	}
	if (unlikely(thread->ahead) && !err)
		err = resch_lead_wait(thread, now);
	if (!err && out)
		job_report(thread, out);
	return err;
}

int resch_job_delay(struct resch_thread *thread, u64 until)
{
	struct resch_cpu *rc;
	unsigned long flags;
	int err;
	u64 now;

	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	err = thread->state == RESCH_NEW ? -ENOENT : job_settle(thread, now);
	if (err || until <= now || thread->early || thread->background) {
		resch_cpu_unlock_irqrestore(rc, flags);
		return err;
	}
	trace_resch_block(thread, now, resch_thread_executed(thread));
	resch_agenda_dequeue(thread, RESCH_WHY_BLOCK, now);
	thread->state = RESCH_DELAYED;
	thread->life.wake_at = until <= RESCH_TIME_LAST ? until : RESCH_NEVER;
	resch_agenda_arm(thread);
	resch_agenda_leave(thread, RESCH_OFF_BLOCK, now);
	return job_rest(thread, now, flags);
}
