// SPDX-License-Identifier: GPL-2.0
/* react.c - what happens on an overrun and on a missed deadline */
#include "engine.h"
#include "event.h"
#include "jobs.h"
#include "park.h"
#include "react.h"
#include "trace.h"

/* Takes the job off the CPU's agenda until @until, or for the rest of its life (RESCH_NEVER). */
static void react_stop(struct resch_thread *thread, u64 until, u64 now)
{
	bool shadowed = !list_empty(&thread->shadow);

	resch_engine_dequeue(thread, RESCH_WHY_THROTTLE, now);
	if (shadowed)
		resch_park_stop(thread, now);
	thread->state = RESCH_THROTTLED;
	thread->wake_at = until;
	trace_resch_throttle(thread, now, resch_job_executed(thread));
}

/* When a throttled job gets a new budget: at the release that it takes over. */
static u64 react_replenish_at(const struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	const struct resch_job *job = &thread->task.job;
	u64 at = params->kind == RESCH_WAKEUP ? job->deadline : job->release + params->period;

	return max(at, now + 1);
}

/* What is left to do once the job has ended. */
static void react_late(struct resch_thread *thread, u32 how)
{
	switch (how) {
	case RESCH_SIGNAL:
		thread->todo |= RESCH_TODO_SIGNAL;
		resch_thread_poke(thread);
		break;
	case RESCH_SKIP:
		thread->skip = true;
		break;
	}
}

static void react(struct resch_thread *thread, u32 how, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	react_late(thread, how);
	switch (how) {
	case RESCH_THROTTLE:
		if (thread->state != RESCH_READY)
			break;
		react_stop(thread, react_replenish_at(thread, now), now);
		if (rc->selected == thread) {
			resch_engine_deselect(rc, RESCH_OFF_THROTTLE, now);
			resch_park_stop(thread, now);
		}
		break;
	case RESCH_DEMOTE:
		if (thread->state != RESCH_READY)
			break;
		react_stop(thread, RESCH_NEVER, now);
		if (rc->selected == thread)
			resch_engine_deselect(rc, RESCH_OFF_THROTTLE, now);
		thread->background = true;
		thread->run = true;
		resch_cpu_adjust(thread);
		resch_park_go(thread);
		break;
	}
}

static void react_count_overrun(struct resch_thread *thread, u64 executed, u64 now)
{
	thread->enforce = false;
	thread->overran = true;
	thread->stats.overruns++;
	trace_resch_overrun(thread, now, executed);
	if (thread->task.params.overrun != RESCH_COUNT)
		resch_event_put(thread, RESCH_EVENT_OVERRUN, now, executed);
}

static void react_count_miss(struct resch_thread *thread, u64 tardiness, u64 now)
{
	thread->watch = false;
	thread->missed = true;
	thread->stats.misses++;
	trace_resch_miss(thread, now, tardiness);
	if (thread->task.params.miss != RESCH_COUNT)
		resch_event_put(thread, RESCH_EVENT_MISS, now, thread->task.job.deadline);
}

void resch_react_overran(struct resch_thread *thread, u64 executed, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_overrun(thread, executed, now);
	react_late(thread, thread->task.params.overrun);
}

void resch_react_missed(struct resch_thread *thread, u64 tardiness, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_miss(thread, tardiness, now);
	react_late(thread, thread->task.params.miss);
}

void resch_react_overrun(struct resch_thread *thread, u64 now)
{
	u64 executed = resch_job_executed(thread);

	resch_cpu_assert_locked(thread->rc);
	react_count_overrun(thread, executed, now);
	react(thread, thread->task.params.overrun, now);
	resch_job_arm(thread);
}

void resch_react_miss(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_miss(thread, 0, now);
	react(thread, thread->task.params.miss, now);
}

void resch_react_replenish(struct resch_thread *thread, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_job *job = &thread->task.job;
	u64 runtime = resch_thread_runtime(thread);

	resch_cpu_assert_locked(thread->rc);
	thread->spent += runtime - thread->exec_base;
	thread->exec_base = runtime;
	thread->budget = params->wcet;
	thread->overran = false;
	thread->enforce = params->overrun != RESCH_COUNT;
	if (params->kind == RESCH_WAKEUP) {
		job->deadline += params->deadline;
	} else {
		/* The job takes the next release over. */
		job->release += params->period;
		job->deadline = job->release + params->deadline;
		job->skipped++;
		thread->stats.skipped++;
	}
	thread->missed = false;
	thread->watch = params->miss != RESCH_COUNT;
	trace_resch_budget(thread, now, thread->budget);
	if (READ_ONCE(thread->kblocked)) {
		thread->state = RESCH_BLOCKED;
		return;
	}
	resch_engine_enqueue(thread, RESCH_WHY_WAKE, now);
	trace_resch_wake(thread, now, resch_job_executed(thread));
}
