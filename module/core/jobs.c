// SPDX-License-Identifier: GPL-2.0
/* jobs.c - the life of jobs: release, completion, suspension */
#include <linux/ktime.h>

#include <resch/handler.h>

#include "agenda.h"
#include "jobs.h"
#include "park.h"
#include "react.h"
#include "trace.h"
#include "chain/stage.h"
#include "server/newcomer.h"

/*
 * The next release of a periodic task is known when a job is released, and the timer is about to be
 * set anyway: set it for both now, and the wait that ends the job finds nothing left to do. (If the
 * job is still under way then, the timer finds it so.)
 */
static void job_foresee(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	u64 next = resch_agenda_release(thread) + thread->life.distance;

	resch_agenda_timer(thread,
			   params->kind == RESCH_PERIODIC && next > now ? next : RESCH_NEVER);
}

/* Released before its time: what it executes until that is extra. See lead.c. */
static void job_ahead(struct resch_thread *thread)
{
	thread->ahead = thread->task.lead;
	thread->life.budget += thread->ahead;
}

void resch_job_release(struct resch_thread *thread, u64 now)
{
	thread->due = false;
	thread->rc->nr_open++;
	resch_thread_pay(thread);
	resch_life_begin(&thread->life, &thread->task.params, resch_thread_runtime(thread));
	if (unlikely(thread->life.handled))
		resch_handler_charge(&thread->life, &thread->task.job);
	if (unlikely(thread->task.lead))
		job_ahead(thread);
	trace_resch_release(thread, now, thread->task.job.skipped);
	resch_agenda_enqueue(thread, RESCH_WHY_RELEASE, now);
	if (unlikely(thread->stage))
		resch_stage_released(thread, now);
	if (unlikely(thread->life.watch))
		resch_agenda_arm(thread);
	else
		job_foresee(thread, now);
}

/* There is nothing to do before thread->timer, if it is set, expires. */
static void job_sleep(struct resch_thread *thread)
{
	thread->state = RESCH_SLEEPING;
	resch_agenda_arm(thread);
}

void resch_job_await(struct resch_thread *thread, u64 now)
{
	if (resch_agenda_release(thread) <= now)
		resch_job_release(thread, now);
	else
		job_sleep(thread);
}

/* Another release is asked for, for @release. */
static void request_push(struct resch_requests *requests, u64 release)
{
	requests->release[requests->total++ % RESCH_REQUESTS] = release;
	requests->waiting++;
}

/* The oldest that waits; there is one. */
static u64 request_pop(struct resch_requests *requests)
{
	u64 number = requests->total - requests->waiting;

	requests->waiting--;
	return requests->release[number % RESCH_REQUESTS];
}

/* A stage's instances that are late already, of a chain that skips them: at most RESCH_REQUESTS. */
static void job_skip_late(struct resch_thread *thread, u64 now)
{
	while (!thread->due && thread->requests.waiting && resch_stage_skip(thread->stage, now))
		request_pop(&thread->requests);
}

void resch_job_await_asked(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	if (unlikely(thread->stage && resch_stage_skips(thread->stage)))
		job_skip_late(thread, now);
	if (!thread->due && thread->requests.waiting) {
		u64 distance = params->period;

		if (unlikely(thread->stage))
			distance = resch_stage_distance(thread);
		thread->due = true;
		resch_job_sporadic(&thread->task.job, distance, params->deadline,
				   request_pop(&thread->requests));
		if (unlikely(thread->stage))
			resch_stage_set(thread);
	}
	if (thread->due)
		resch_job_await(thread, now);
	else
		job_sleep(thread);
}

static void job_wakeup(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	u64 left = thread->life.budget - min(thread->life.budget, thread->life.spent);

	thread->life.budget =
		resch_job_wakeup(&thread->task.job, params->wcet, params->deadline, left, now);
	resch_job_release(thread, now);
}

void resch_job_start(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	resch_cpu_assert_locked(thread->rc);
	thread->rc->nr_open -= resch_thread_open(thread);
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
		resch_job_await(thread, now);
		return;
	case RESCH_SPORADIC:
		resch_job_await_asked(thread, now);
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
		resch_agenda_arm(thread);
}

/* A job of a stage is complete: jobs of others may have to be released. cpu->lock. */
static void job_hand_on(struct resch_thread *thread, u64 now)
{
	struct resch_chain *chain = thread->stage->chain;
	u32 here = resch_stage_complete(thread, now);

	for (; here; here &= here - 1)
		resch_job_take(chain->stages[__ffs(here)].thread, now);
}

void resch_job_complete(struct resch_thread *thread, u64 now)
{
	u64 runtime = resch_thread_runtime(thread);
	u64 executed = resch_life_executed(&thread->life, runtime);
	u64 tardiness = resch_job_tardiness(&thread->task.job, now);

	resch_cpu_assert_locked(thread->rc);
	if (unlikely(resch_life_exceeded(&thread->life, runtime)))
		resch_react_overran(thread, executed, now);
	if (unlikely(tardiness) && !thread->life.missed)
		resch_react_missed(thread, tardiness, now);
	resch_life_end(&thread->life, &thread->stats, &thread->task.job, runtime, now);
	thread->background = false;
	trace_resch_complete(thread, now, executed);
	resch_agenda_dequeue(thread, RESCH_WHY_COMPLETE, now);
	thread->rc->nr_open--;
	thread->state = RESCH_SLEEPING;
	resch_agenda_leave(thread, RESCH_OFF_COMPLETE, now);
	if (unlikely(thread->stage))
		job_hand_on(thread, now);
}

/* It takes the next release over. */
static void job_replenish(struct resch_thread *thread, u64 now)
{
	u64 release = thread->task.job.release;

	resch_react_replenish(thread, now);
	if (unlikely(thread->stage) && !thread->early)
		resch_stage_renew(thread, release);
}

void resch_job_expire(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	if (likely(thread->state == RESCH_SLEEPING)) {
		resch_job_release(thread, now);
		return;
	}
	resch_agenda_timer(thread, RESCH_NEVER);
	switch (thread->state) {
	case RESCH_DELAYED:
		if (thread->life.wake_at <= now)
			resch_agenda_resume(thread, now);
		break;
	case RESCH_THROTTLED:
		if (thread->life.wake_at <= now)
			job_replenish(thread, now);
		break;
	}
	if (thread->life.watch && thread->task.job.deadline <= now)
		resch_react_miss(thread, now);
	resch_agenda_arm(thread);
}

void resch_job_stir(struct resch_thread *thread)
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
		resch_agenda_stopped(thread);
	if (blocked && unlikely(thread->task.params.flags & RESCH_F_FAMILY))
		resch_family_stir();
	if (blocked && own && (thread->state == RESCH_READY || thread->background)) {
		resch_job_complete(thread, now);
		resch_agenda_arm(thread);
	} else if (blocked && thread->state == RESCH_READY) {
		trace_resch_block(thread, now, resch_thread_executed(thread));
		resch_agenda_dequeue(thread, RESCH_WHY_BLOCK, now);
		thread->state = RESCH_BLOCKED;
		if (rc->selected == thread)
			resch_agenda_deselect(rc, RESCH_OFF_BLOCK, now);
		if (resch_node_queued(&thread->late))
			resch_queue_erase(&rc->late, &thread->late);
	} else if (!blocked && own && thread->state == RESCH_SLEEPING) {
		resch_job_stir(thread);
		job_wakeup(thread, now);
		resch_park_stop(thread, now);
	} else if (!blocked && thread->state == RESCH_BLOCKED) {
		resch_job_stir(thread);
		resch_agenda_resume(thread, now);
		resch_park_stop(thread, now);
	}
}

/* One more release of a sporadic task. cpu->lock. */
static void job_request(struct resch_thread *thread, u64 release, u64 now)
{
	thread->rc->nr_open -= resch_thread_open(thread);
	request_push(&thread->requests, release);
	thread->rc->nr_open += resch_thread_open(thread);
	if (thread->state == RESCH_SLEEPING && !thread->due)
		resch_job_await_asked(thread, now);
}

int resch_job_ask(struct resch_thread *thread, u64 now)
{
	struct resch_requests *requests = &thread->requests;
	u64 release = now, last;

	resch_cpu_assert_locked(thread->rc);
	if (thread->task.params.kind != RESCH_SPORADIC)
		return -EINVAL;
	if (thread->state == RESCH_GONE)
		return -ENOENT;
	if (thread->stage && thread->stage->index)
		return -EBUSY;
	if (requests->waiting >= RESCH_REQUESTS)
		return -ENOSPC;
	if (requests->total) {
		last = requests->release[(requests->total - 1) % RESCH_REQUESTS];
		release = max(now, last + thread->task.params.period);
	}
	job_request(thread, release, now);
	return 0;
}

int resch_job_pace(struct resch_thread *thread, u64 distance, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;

	resch_cpu_assert_locked(thread->rc);
	if (params->kind != RESCH_PERIODIC || params->flags & RESCH_F_FAMILY)
		return -EINVAL;
	if (distance < params->period || distance > RESCH_TIME_MAX)
		return -EINVAL;
	if (thread->state == RESCH_GONE)
		return -ENOENT;
	/* What the timer is set to is looked at again as the job ends, or as it expires. */
	thread->life.distance = distance;
	trace_resch_pace(thread, now, distance);
	return 0;
}

/* The ring of a stage has no more places than there may be requests. */
void resch_job_take(struct resch_thread *thread, u64 now)
{
	u64 release;

	resch_cpu_assert_locked(thread->rc);
	if (thread->state == RESCH_GONE)
		return;
	while (resch_stage_waited_for(thread->stage) &&
	       resch_stage_take(thread->stage, &release, now))
		job_request(thread, release, now);
}

/* rc->nr_open anew: debug kernels compare. cpu->lock. */
static u32 job_count_open(const struct resch_cpu *rc)
{
	struct resch_task *task;
	u32 open = 0;

	resch_rq_for_each(&rc->rq, task)
		open += resch_thread_open(resch_thread_of(task));
	return open;
}

/* The thread's next job need not be held back any more. cpu->lock. */
static void job_unguard(struct resch_thread *thread, u64 now)
{
	struct resch_task *task = &thread->task;
	u64 until = task->job.release;

	if (thread->state != RESCH_SLEEPING || !thread->due || until <= now)
		return;
	task->job.release = resch_stage_free(thread->stage, until, now);
	task->job.deadline = task->job.release + task->params.deadline;
	if (resch_node_queued(&thread->timer))
		resch_queue_erase(&thread->rc->timers, &thread->timer);
	resch_job_await(thread, now);
}

void resch_job_idle(struct resch_cpu *rc, u64 now)
{
	struct resch_stage *stage, *next;

	resch_cpu_assert_locked(rc);
	if (!resch_stage_rules(rc))
		return;
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		WARN_ON_ONCE(rc->nr_open != job_count_open(rc));
	if (rc->nr_open)
		return;
	rc->idle = now;
	list_for_each_entry_safe(stage, next, &rc->guarded, guarded) {
		list_del_init(&stage->guarded);
		job_unguard(stage->thread, now);
	}
}
