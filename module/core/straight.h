/* SPDX-License-Identifier: GPL-2.0 */
/*
 * straight.h - the common way of a plain job, in one straight line
 *
 * Release and completion of a plain job (resch/straight.h) where nothing else has happened. Either
 * does, and tells the trace, what engine.c and jobs.c would, in the same order; or nothing at all.
 */
#ifndef _RESCH_CORE_STRAIGHT_H
#define _RESCH_CORE_STRAIGHT_H

#include "cpu.h"

/* Is the job of @thread one for this way? cpu->lock. */
static inline bool resch_straight_is(const struct resch_thread *thread)
{
	return thread->plain && !thread->stage && !thread->task.lead;
}

/*
 * The CPU's timer has expired, at @now. The time of the next event, or 0: nothing is done, it is
 * for resch_engine_update(). cpu->lock, on the CPU.
 */
u64 resch_straight_timer(struct resch_cpu *rc, u64 now);

/*
 * Current, @thread, whose job is one for this way, waits for its next one. false: nothing is done.
 * cpu->lock; if true, on the CPU, whose timer has to be set if the first of rc->timers is not what
 * it is set to.
 */
bool resch_straight_wait(struct resch_thread *thread, u64 now);

#endif /* _RESCH_CORE_STRAIGHT_H */
