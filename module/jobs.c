// SPDX-License-Identifier: GPL-2.0
/* jobs.c - the life of jobs: release, completion, suspension */
#include <linux/ktime.h>

#include "engine.h"
#include "family.h"
#include "jobs.h"
#include "park.h"
#include "react.h"
#include "restore.h"
#include "trace.h"

u64 resch_job_executed(const struct resch_thread *thread)
{
	return thread->spent + resch_thread_runtime(thread) - thread->exec_base;
}

void resch_job_arm(struct resch_thread *thread)
{
	struct resch_queue *timers = &thread->rc->timers;
	u64 at = RESCH_NEVER;

	switch (thread->state) {
	case RESCH_SLEEPING:
		if (thread->due)
			at = thread->task.job.release;
		break;
	case RESCH_DELAYED:
	case RESCH_THROTTLED:
		at = thread->wake_at;
		if (thread->watch)
			at = min(at, thread->task.job.deadline);
		break;
	case RESCH_READY:
	case RESCH_BLOCKED:
		if (!thread->watch)
			return; /* see job_foresee() */
		at = thread->task.job.deadline;
		break;
	}
	if (resch_node_queued(&thread->timer)) {
		if (thread->timer.key == at)
			return;
		resch_queue_erase(timers, &thread->timer);
	}
	if (at != RESCH_NEVER)
		resch_queue_insert(timers, &thread->timer, at);
}

/*
 * The next release of a periodic task is known when a job is released, and the timer is about to be
 * set anyway: set it for both now, and the wait that ends the job finds nothing left to do. (If the
 * job is still under way then, the timer finds it so.)
 */
static void job_foresee(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	u64 next = thread->task.job.release + params->period;

	if (params->kind == RESCH_PERIODIC && next > now && !resch_node_queued(&thread->timer))
		resch_queue_insert(&thread->rc->timers, &thread->timer, next);
}

void resch_job_release(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	thread->due = false;
	thread->exec_base = resch_thread_runtime(thread);
	thread->spent = 0;
	/* Members have no runtime and no deadline that could be missed. */
	thread->overran = params->flags & RESCH_F_FAMILY;
	thread->enforce = params->overrun != RESCH_COUNT;
	thread->watch = params->miss != RESCH_COUNT;
	thread->missed = params->flags & RESCH_F_FAMILY;
	if (params->kind != RESCH_WAKEUP)
		thread->budget = params->wcet;
	trace_resch_release(thread, now, thread->task.job.skipped);
	resch_engine_enqueue(thread, RESCH_WHY_RELEASE, now);
	if (unlikely(thread->watch))
		resch_job_arm(thread);
	else
		job_foresee(thread, now);
}

/* The next job, which is in task.job, is due, or will be. */
static void job_await(struct resch_thread *thread, u64 now)
{
	if (thread->task.job.release <= now) {
		resch_job_release(thread, now);
	} else {
		thread->state = RESCH_SLEEPING;
		resch_job_arm(thread);
	}
}

/* A sporadic task takes the next release that was asked for, or sleeps until there is one. */
static void job_await_asked(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	if (!thread->due && thread->asked) {
		u64 release =
			thread->requests[(thread->request - thread->asked--) % RESCH_REQUESTS];

		thread->due = true;
		resch_job_sporadic(&thread->task.job, params->period, params->deadline, release);
	}
	if (thread->due) {
		job_await(thread, now);
	} else {
		thread->state = RESCH_SLEEPING;
		resch_job_arm(thread);
	}
}

static void job_wakeup(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	u64 left = thread->budget > thread->spent ? thread->budget - thread->spent : 0;

	thread->budget =
		resch_job_wakeup(&thread->task.job, params->wcet, params->deadline, left, now);
	resch_job_release(thread, now);
}

void resch_job_start(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	resch_cpu_assert_locked(thread->rc);
	thread->state = RESCH_SLEEPING;
	thread->run = false;
	switch (params->kind) {
	case RESCH_PERIODIC:
		if (params->flags & RESCH_F_SYNC) {
			thread->waiting_start = true;
			return;
		}
		resch_job_first(&thread->task.job, now + params->offset, params->deadline);
		thread->due = true;
		job_await(thread, now);
		return;
	case RESCH_SPORADIC:
		job_await_asked(thread, now);
		return;
	case RESCH_WAKEUP:
		job_wakeup(thread, now);
		return;
	}
}

void resch_job_start_at(struct resch_thread *thread, u64 zero, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	resch_cpu_assert_locked(thread->rc);
	thread->waiting_start = false;
	thread->due = true;
	resch_job_first(&thread->task.job, zero + params->offset, params->deadline);
	if (thread->state == RESCH_SLEEPING)
		resch_job_arm(thread);
}

/* Statistics of the job that ends, and its miss, if nobody has seen that before. */
static void job_account(struct resch_thread *thread, u64 executed, u64 now)
{
	const struct resch_job *job = &thread->task.job;
	struct resch_stats *stats = &thread->stats;
	u64 response = now > job->release ? now - job->release : 0;
	u64 tardiness = resch_job_tardiness(job, now);

	stats->completed++;
	stats->exec_total += executed;
	stats->exec_max = max(stats->exec_max, executed);
	stats->response_total += response;
	stats->response_max = max(stats->response_max, response);
	if (response < stats->response_min)
		stats->response_min = response;
	if (likely(!tardiness))
		return;
	stats->tardiness_max = max(stats->tardiness_max, tardiness);
	if (!thread->missed)
		resch_react_missed(thread, tardiness, now);
}

void resch_job_complete(struct resch_thread *thread, u64 now)
{
	u64 used = resch_thread_runtime(thread) - thread->exec_base; /* of the current budget */
	u64 executed = thread->spent + used;

	resch_cpu_assert_locked(thread->rc);
	if (unlikely(used > thread->budget && !thread->overran))
		resch_react_overran(thread, executed, now);
	job_account(thread, executed, now);
	thread->spent = used;
	thread->watch = false;
	thread->enforce = false;
	thread->background = false;
	trace_resch_complete(thread, now, executed);
	resch_engine_dequeue(thread, RESCH_WHY_COMPLETE, now);
	thread->state = RESCH_SLEEPING;
	if (thread->rc->selected == thread)
		resch_engine_deselect(thread->rc, RESCH_OFF_COMPLETE, now);
	else
		thread->run = false;
}

void resch_job_expire(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	switch (thread->state) {
	case RESCH_SLEEPING:
		resch_job_release(thread, now);
		return;
	case RESCH_DELAYED:
		if (thread->wake_at <= now) {
			resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
			trace_resch_wake(thread, now, resch_job_executed(thread));
		}
		break;
	case RESCH_THROTTLED:
		if (thread->wake_at <= now)
			resch_react_replenish(thread, now);
		break;
	}
	if (thread->watch && thread->task.job.deadline <= now)
		resch_react_miss(thread, now);
	resch_job_arm(thread);
}

/*
 * The thread woke in the kernel and runs there, selected or not, until it blocks or arrives where
 * deselected tasks wait: other CPUs must not take it, or its group, before.
 */
static void job_stir(struct resch_thread *thread)
{
	if (unlikely(thread->rc->whole) && !thread->held)
		thread->task.busy = true;
}

void resch_job_sync(struct resch_thread *thread, u64 now)
{
	bool blocked = READ_ONCE(thread->kblocked);
	/* blocking is completion, waking is release */
	bool own = thread->task.params.kind == RESCH_WAKEUP;
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (blocked)
		resch_engine_stopped(thread);
	if (blocked && unlikely(thread->task.params.flags & RESCH_F_FAMILY))
		resch_family_stir();
	if (unlikely(READ_ONCE(thread->dead))) {
		resch_thread_retire(thread, RESCH_GONE_EXIT, now);
		/* also where it was retired before: the notifier's reference */
		resch_thread_reap_later(thread);
		return;
	}
	if (blocked && own && (thread->state == RESCH_READY || thread->background)) {
		resch_job_complete(thread, now);
		resch_job_arm(thread);
	} else if (blocked && thread->state == RESCH_READY) {
		trace_resch_block(thread, now, resch_job_executed(thread));
		resch_engine_dequeue(thread, RESCH_WHY_BLOCK, now);
		thread->state = RESCH_BLOCKED;
		if (rc->selected == thread)
			resch_engine_deselect(rc, RESCH_OFF_BLOCK, now);
		if (resch_node_queued(&thread->late))
			resch_queue_erase(&rc->late, &thread->late);
	} else if (!blocked && own && thread->state == RESCH_SLEEPING) {
		job_stir(thread);
		job_wakeup(thread, now);
		resch_park_stop(thread, now);
	} else if (!blocked && thread->state == RESCH_BLOCKED) {
		job_stir(thread);
		resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
		trace_resch_wake(thread, now, resch_job_executed(thread));
		resch_park_stop(thread, now);
	}
}

int resch_job_ask(struct resch_thread *thread, u64 now)
{
	u64 period = thread->task.params.period;
	u64 release = now;

	resch_cpu_assert_locked(thread->rc);
	if (thread->task.params.kind != RESCH_SPORADIC)
		return -EINVAL;
	if (thread->state == RESCH_GONE)
		return -ENOENT;
	if (thread->asked >= RESCH_REQUESTS)
		return -ENOSPC;
	if (thread->request)
		release =
			max(now, thread->requests[(thread->request - 1) % RESCH_REQUESTS] + period);
	thread->requests[thread->request++ % RESCH_REQUESTS] = release;
	thread->asked++;
	if (thread->state == RESCH_SLEEPING && !thread->due)
		job_await_asked(thread, now);
	return 0;
}

/* ---- the calls of a program ------------------------------------------------------------------ */

/* The current job ends here; what comes next? */
static void job_next(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_job *job = &thread->task.job;

	resch_job_complete(thread, now);
	if (params->kind == RESCH_SPORADIC) {
		job_await_asked(thread, now);
		return;
	}
	resch_job_advance(job, params->period, params->deadline);
	thread->due = true;
	if (unlikely(thread->skip)) {
		thread->skip = false;
		thread->stats.skipped += resch_job_skip(job, params->period, params->deadline, now);
	}
	job_await(thread, now);
}

/*
 * A signal came while the thread slept. Its handler runs in user mode, so it needs the CPU's
 * consent: between two jobs it competes with the deadline of the next one, which it may bring
 * forward but never harm. 0: the job came first, so the call ends as if there were no signal, and
 * the handler runs as part of the job.
 */
static int job_interrupted(struct resch_thread *thread)
{
	struct resch_cpu *rc;
	unsigned long flags;
	int err = -ERESTARTSYS;
	u64 now;

	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	if (thread->state == RESCH_SLEEPING) {
		struct resch_job *job = &thread->task.job;

		thread->early = true;
		if (!job->index || job->deadline < now)
			job->deadline = now + thread->task.params.deadline;
		resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
		trace_resch_wake(thread, now, 0);
		resch_job_arm(thread);
	} else if (thread->state == RESCH_DELAYED) {
		resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
		trace_resch_wake(thread, now, resch_job_executed(thread));
		resch_job_arm(thread);
	} else {
		err = 0;
	}
	resch_cpu_unlock_irqrestore(rc, flags);
	resch_cpu_kick(rc);
	if (resch_park_hold(thread, false))
		return -EINTR;
	return err;
}

/* Back from a signal handler: the wait goes on where it was. */
static void job_resume_wait(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_cpu *rc = thread->rc;

	thread->early = false;
	resch_engine_dequeue(thread, RESCH_WHY_BLOCK, now);
	thread->state = RESCH_SLEEPING;
	if (rc->selected == thread)
		resch_engine_deselect(rc, RESCH_OFF_COMPLETE, now);
	else
		thread->run = false;
	if (thread->task.job.index)
		thread->task.job.deadline = thread->task.job.release + params->deadline;
	if (thread->due)
		job_await(thread, now);
	else if (params->kind == RESCH_SPORADIC)
		job_await_asked(thread, now);
}

static void job_report(const struct resch_thread *thread, struct resch_wait *out)
{
	out->release = thread->task.job.release;
	out->deadline = thread->task.job.deadline;
	out->job = thread->task.job.index;
	out->skipped = thread->task.job.skipped;
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
		job_stir(thread);
		resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
		trace_resch_wake(thread, now, resch_job_executed(thread));
	}
	return 0;
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
	if (unlikely(thread->state != RESCH_READY || thread->kblocked)) {
		err = thread->state == RESCH_NEW || thread->state == RESCH_SLEEPING ?
			      0 :
			      job_settle(thread, now);
		if (err)
			goto out;
	}
	if (unlikely(thread->state == RESCH_NEW))
		resch_job_start(thread, now);
	else if (unlikely(thread->early))
		job_resume_wait(thread, now);
	else if (likely(thread->state != RESCH_SLEEPING && !begun))
		job_next(thread, now);
	if (likely(smp_processor_id() == rc->number)) {
		resch_engine_update(rc, now);
		resch_cpu_arm(rc);
	} else {
		resch_cpu_kick(rc);
	}
	err = resch_park_hold_locked(thread, true, flags);
	if (unlikely(err)) {
		err = job_interrupted(thread);
		if (err)
			return err;
	}
	if (unlikely(READ_ONCE(thread->state) == RESCH_GONE))
		return -ECANCELED;
	if (out)
		job_report(thread, out);
	return 0;
out:
	resch_cpu_unlock_irqrestore(rc, flags);
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
	trace_resch_block(thread, now, resch_job_executed(thread));
	resch_engine_dequeue(thread, RESCH_WHY_BLOCK, now);
	thread->state = RESCH_DELAYED;
	thread->wake_at = until <= RESCH_TIME_LAST ? until : RESCH_NEVER;
	resch_job_arm(thread);
	thread->run = false;
	if (rc->selected == thread)
		resch_engine_deselect(rc, RESCH_OFF_BLOCK, now);
	if (likely(smp_processor_id() == rc->number)) {
		resch_engine_update(rc, now);
		resch_cpu_arm(rc);
	} else {
		resch_cpu_kick(rc);
	}
	err = resch_park_hold_locked(thread, true, flags);
	if (unlikely(err)) {
		err = job_interrupted(thread);
		if (err)
			return err;
	}
	return READ_ONCE(thread->state) == RESCH_GONE ? -ECANCELED : 0;
}
