// SPDX-License-Identifier: GPL-2.0
/* wait.c - the calls of a program: wait, delay */
#include <linux/ktime.h>

#include <resch/handler.h>

#include "agenda.h"
#include "clock.h"
#include "cpu.h"
#include "direct.h"
#include "engine.h"
#include "jobs.h"
#include "lead.h"
#include "park.h"
#include "straight.h"
#include "todo.h"
#include "trace.h"
#include "wait.h"
#include "linux/restore.h"

/*
 * The job was stopped as the thread was in the kernel already: it has not been to user mode since,
 * where it would wait for its next budget. cpu->lock.
 */
static bool job_is_stopped(const struct resch_thread *thread)
{
	return thread->state == RESCH_THROTTLED && !thread->background;
}

/* The current job ends here; what comes next? */
static void job_next(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_job *job = &thread->task.job;

	if (unlikely(job_is_stopped(thread))) {
		resch_job_stir(thread);
		resch_agenda_resume(thread, now);
	}
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

/* It goes between two jobs to a signal's handler. cpu->lock. */
static void job_handle(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_job *job = &thread->task.job;

	thread->early = true;
	thread->rc->nr_open++;
	job->deadline = resch_handler_deadline(params, job, thread->due, now);
	if (resch_handler_confined(params))
		resch_handler_begin(&thread->life, params, job, thread->due,
				    resch_thread_runtime(thread), now);
}

/*
 * A signal came while the thread slept. Its handler runs in user mode, so it needs the CPU's
 * consent: between two jobs it competes with the deadline of the next one, and has its budget. 0:
 * the job came first, so the call ends as if there were no signal, and the handler runs as part of
 * the job.
 */
static int job_interrupted(struct resch_thread *thread)
{
	struct resch_cpu *rc;
	unsigned long flags;
	int err = -ERESTARTSYS;
	u64 now;

	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	resch_thread_pay(thread);
	if (thread->state == RESCH_SLEEPING || thread->state == RESCH_DELAYED) {
		if (thread->state == RESCH_SLEEPING)
			job_handle(thread, now);
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

/* The thread goes on, as it was let go, or with a signal (@err). */
static __always_inline int job_held(struct resch_thread *thread, int err)
{
	if (unlikely(err)) {
		err = job_interrupted(thread);
		if (err)
			return err;
	}
	return unlikely(READ_ONCE(thread->state) == RESCH_GONE) ? -ECANCELED : 0;
}

/* The thread sleeps until it is let go. cpu->lock, which is released. */
static __always_inline int job_hold(struct resch_thread *thread, unsigned long flags)
	__releases(thread->rc->lock)
{
	return job_held(thread, resch_park_hold_locked(thread, true, flags));
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

/* Back from a signal handler, which may have been stopped: the wait goes on where it was. */
static void job_resume_wait(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	if (resch_handler_confined(params))
		resch_handler_end(&thread->life, params, resch_thread_runtime(thread));
	thread->early = false;
	thread->background = false;
	if (thread->task.ready)
		trace_resch_block(thread, now, 0);
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
	else
		resch_agenda_arm(thread);
}

/* A job has ended in the straight way. cpu->lock, which is released. */
static __always_inline int job_rest_straight(struct resch_thread *thread, unsigned long flags)
	__releases(thread->rc->lock)
{
	struct resch_cpu *rc = thread->rc;

	if (unlikely(thread->apart) && resch_direct_begin(thread)) {
		resch_clock_arm(rc);
		resch_cpu_unlock(rc);
		return job_held(thread, resch_direct_sleep(thread, flags));
	}
	if (unlikely(resch_queue_first(&rc->timers)->key != rc->armed))
		resch_clock_arm(rc);
	return job_held(thread, resch_park_hold_straight(thread, flags));
}

/* Likewise, and its plugin was asked. */
static int job_rest_asked(struct resch_thread *thread, unsigned long flags)
	__releases(thread->rc->lock)
{
	resch_clock_arm(thread->rc);
	return job_held(thread, resch_park_hold_straight(thread, flags));
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
 * What the call, which began @since, returns, and tells of the job that begins. Anybody may have
 * given the thread a lead as it slept.
 */
static __always_inline int job_reported(struct resch_thread *thread, int err, u64 since,
					struct resch_wait *out)
{
	if (unlikely(thread->ahead) && !err)
		err = resch_lead_wait(thread, since);
	if (!err && out)
		job_report(thread, out);
	return err;
}

/* A wait of a thread that is direct. 1: nothing is done, it is the engine's now. */
static int job_wait_direct(struct resch_thread *thread)
{
	unsigned long flags;

	local_irq_save(flags);
	if (likely(resch_direct_wait(thread)))
		return job_held(thread, resch_direct_sleep(thread, flags));
	resch_thread_lock_bare(thread);
	resch_direct_back(thread, ktime_get());
	resch_cpu_unlock_irqrestore(thread->rc, flags);
	return 1;
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
	if (thread->state == RESCH_BLOCKED) {
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

/*
 * The thread comes under control, or goes back to its CPU, from where somebody has moved it, before
 * it waits. Process context. @begun: it waits for its first job.
 */
static int job_prepare(struct resch_thread *thread, bool *begun)
{
	if (READ_ONCE(thread->entered)) {
		resch_restore_pin(thread);
		return 0;
	}
	*begun = true;
	return resch_thread_enter(thread, true);
}

/* cpu->lock. */
static bool job_is_prepared(const struct resch_thread *thread)
{
	return thread->entered &&
	       (smp_processor_id() == thread->rc->number || thread->state == RESCH_GONE);
}

int resch_job_wait(struct resch_thread *thread, struct resch_wait *out)
{
	bool begun = false;
	unsigned long flags;
	int err;
	u64 now;

	if (unlikely(atomic_read(&thread->direct))) {
		err = job_wait_direct(thread);
		if (err <= 0)
			return job_reported(thread, err, 0, out);
	}
	local_irq_save(flags);
	resch_thread_lock_bare(thread); /* only itself becomes direct */
	now = ktime_get();
	if (likely(thread->straight && resch_straight_wait(thread, now)))
		return job_reported(thread, job_rest_straight(thread, flags), now, out);
	if (thread->straight && resch_straight_wait_asked(thread, now))
		return job_reported(thread, job_rest_asked(thread, flags), now, out);
	if (unlikely(!job_is_prepared(thread) || thread->task.params.kind == RESCH_WAKEUP)) {
		resch_thread_unlock_irqrestore(thread, flags);
		err = thread->task.params.kind == RESCH_WAKEUP ? -EINVAL :
								 job_prepare(thread, &begun);
		if (err)
			return err;
		resch_thread_lock_irqsave(thread, flags);
		now = ktime_get();
	}
	err = job_wait(thread, begun, now, flags);
	return job_reported(thread, err, now, out);
}

int resch_job_delay(struct resch_thread *thread, u64 until)
{
	struct resch_cpu *rc;
	unsigned long flags;
	int err;
	u64 now;

	rc = resch_thread_lock_irqsave(thread, flags);
	/* A delay ends no job: first it gets the budget without which it may not go on. */
	while (unlikely(job_is_stopped(thread))) {
		WRITE_ONCE(thread->kblocked, false);
		if (resch_park_hold_locked(thread, false, flags))
			return -EINTR;
		rc = resch_thread_lock_irqsave(thread, flags);
	}
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
