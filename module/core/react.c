// SPDX-License-Identifier: GPL-2.0
/* react.c - what happens on an overrun and on a missed deadline */
#include <resch/handler.h>

#include "agenda.h"
#include "event.h"
#include "park.h"
#include "react.h"
#include "trace.h"

/*
 * A job that was stopped stays so for this long at least, ns: one whose releases are past, or come
 * one upon the other, would have its CPU take interrupts and do nothing else.
 */
#define RESCH_STOP_MIN (50 * NSEC_PER_USEC)

/* Takes the job off the CPU's agenda until @until, or for the rest of its life (RESCH_NEVER). */
static void react_stop(struct resch_thread *thread, u64 until, u64 now)
{
	bool shadowed = !list_empty(&thread->shadow);

	resch_agenda_dequeue(thread, RESCH_WHY_THROTTLE, now);
	if (shadowed)
		resch_park_stop(thread, now);
	thread->state = RESCH_THROTTLED;
	thread->life.wake_at = until;
	trace_resch_throttle(thread, now, resch_thread_executed(thread));
}

static void react_signal(struct resch_thread *thread, u32 how)
{
	if (how != RESCH_SIGNAL)
		return;
	thread->todo |= RESCH_TODO_SIGNAL;
	resch_thread_poke(thread);
}

/* It is stopped now: until when? */
static u64 react_until(const struct resch_thread *thread, u64 now)
{
	const struct resch_job *job = &thread->task.job;

	if (unlikely(thread->early))
		return resch_handler_stopped(&thread->life, job, thread->due, now, RESCH_STOP_MIN);
	return resch_life_throttled(&thread->life, &thread->task.params, job, now, RESCH_STOP_MIN);
}

static void react(struct resch_thread *thread, u32 how, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	react_signal(thread, how);
	switch (how) {
	case RESCH_THROTTLE:
		if (thread->state != RESCH_READY)
			break;
		react_stop(thread, react_until(thread, now), now);
		if (rc->selected == thread) {
			resch_agenda_deselect(rc, RESCH_OFF_THROTTLE, now);
			resch_park_stop(thread, now);
		}
		break;
	case RESCH_DEMOTE:
		if (thread->state != RESCH_READY)
			break;
		react_stop(thread, RESCH_NEVER, now);
		if (rc->selected == thread)
			resch_agenda_deselect(rc, RESCH_OFF_THROTTLE, now);
		thread->background = true;
		thread->run = true;
		resch_cpu_adjust(thread);
		resch_park_go(thread);
		break;
	}
}

static void react_count_overrun(struct resch_thread *thread, u64 executed, u64 now)
{
	resch_life_overran(&thread->life, &thread->stats, &thread->task.params);
	trace_resch_overrun(thread, now, executed);
	if (thread->task.params.overrun != RESCH_COUNT)
		resch_event_put(thread, RESCH_EVENT_OVERRUN, now, executed);
}

static void react_count_miss(struct resch_thread *thread, u64 tardiness, u64 now)
{
	resch_life_missed(&thread->life, &thread->stats, &thread->task.params);
	trace_resch_miss(thread, now, tardiness);
	if (thread->task.params.miss != RESCH_COUNT)
		resch_event_put(thread, RESCH_EVENT_MISS, now, thread->task.job.deadline);
}

void resch_react_overran(struct resch_thread *thread, u64 executed, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_overrun(thread, executed, now);
	react_signal(thread, thread->task.params.overrun);
}

void resch_react_missed(struct resch_thread *thread, u64 tardiness, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_miss(thread, tardiness, now);
	react_signal(thread, thread->task.params.miss);
}

void resch_react_overrun(struct resch_thread *thread, u64 now)
{
	u64 executed = resch_thread_executed(thread);

	resch_cpu_assert_locked(thread->rc);
	if (unlikely(thread->early))
		thread->life.enforce = false; /* no job has overrun */
	else
		react_count_overrun(thread, executed, now);
	react(thread, thread->task.params.overrun, now);
	resch_agenda_arm(thread);
}

void resch_react_miss(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	react_count_miss(thread, 0, now);
	react(thread, thread->task.params.miss, now);
}

void resch_react_replenish(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	if (unlikely(thread->early))
		resch_handler_replenish(&thread->life, &thread->stats, &thread->task.params,
					&thread->task.job, thread->due,
					resch_thread_runtime(thread), now);
	else
		resch_life_replenish(&thread->life, &thread->stats, &thread->task.params,
				     &thread->task.job, resch_thread_runtime(thread));
	trace_resch_budget(thread, now, thread->life.budget);
	if (READ_ONCE(thread->kblocked)) {
		thread->state = RESCH_BLOCKED;
		return;
	}
	resch_agenda_resume(thread, now);
}
