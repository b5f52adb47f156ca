/* SPDX-License-Identifier: GPL-2.0 */
/*
 * straight.h - the common way of a plain job, in one straight line
 *
 * Release and completion of a plain job (resch/straight.h) where nothing else has happened. Either
 * does, and tells the trace, what engine.c and jobs.c would, in the same order; or nothing at all.
 * Where the core knows by what the plugin orders it does not ask; else (_asked) the plugin is told
 * and asked as ever, unless it wants to hear when a thread has left its CPU (stopped()).
 */
#ifndef _RESCH_CORE_STRAIGHT_H
#define _RESCH_CORE_STRAIGHT_H

#include "cpu.h"
#include "trace.h"

/* What thread->straight depends on has changed. cpu->lock, or it is registered nowhere yet. */
static inline void resch_thread_straighten(struct resch_thread *thread)
{
	thread->straight = thread->plain && !thread->stage && !thread->task.lead;
}

/*
 * The CPU's timer has expired, at @now. The time of the next event, or 0: nothing is done, it is
 * for resch_engine_update(). cpu->lock, on the CPU.
 */
u64 resch_straight_timer(struct resch_cpu *rc, u64 now);
u64 resch_straight_timer_asked(struct resch_cpu *rc, u64 now);

/*
 * Current, @thread, which is ->straight, waits for its next job. false: nothing is done.
 * cpu->lock; if true, on the CPU, whose timer has to be set: to the first of rc->timers, or, where
 * the plugin was asked, by resch_clock_arm().
 */
bool resch_straight_wait(struct resch_thread *thread, u64 now);
bool resch_straight_wait_asked(struct resch_thread *thread, u64 now);

/*
 * What the job has executed goes into the statistics. false: it has overrun, and nothing is done.
 *
 * Who needed no longer than its budget from its release on has not used up more of it. Then what it
 * executed can be had for nothing at the next release, and is owed until then; it has the way from
 * here to the switch in it. Who records the ends of jobs gets it now. cpu->lock.
 */
static __always_inline bool resch_straight_account(struct resch_thread *thread, u64 now)
{
	struct resch_life *life = &thread->life;
	u64 runtime;

	if (likely(now - thread->task.job.release <= life->budget &&
		   !trace_resch_complete_enabled())) {
		thread->owed = true;
		return true;
	}
	runtime = resch_thread_runtime(thread);
	if (resch_life_exceeded(life, runtime))
		return false;
	life->spent = runtime - life->exec_base;
	resch_life_end_execution(&thread->stats, life->spent);
	return true;
}

#endif /* _RESCH_CORE_STRAIGHT_H */
