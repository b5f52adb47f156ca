/* SPDX-License-Identifier: GPL-2.0 */
/*
 * handler.h - the budgets of signal handlers between two jobs
 *
 * What a handler executes while its task waits for a job is taken for a part of that job that has
 * begun early, by the job's deadline. No interval of time has more demand by that than without it:
 * where the job is counted, it is with an earlier beginning. So such handlers and the job have one
 * budget. A task whose next job is not near (further away than a period, or not asked for yet) has
 * a job's budget for its handlers once a period, as if they were a sporadic job.
 *
 * All of this for tasks whose jobs are stopped at the end of their budgets; otherwise nobody has
 * asked for a limit. Pure functions, as in job.h.
 */
#ifndef _RESCH_HANDLER_H
#define _RESCH_HANDLER_H

#include "job.h"

/** resch_handler_confined - whether the task's handlers have budgets */
static inline bool resch_handler_confined(const struct resch_task_params *params)
{
	return params->overrun == RESCH_THROTTLE || params->overrun == RESCH_DEMOTE;
}

/** resch_handler_earliest - not before that there is another job; of one that is @due now */
static inline u64 resch_handler_earliest(const struct resch_task_params *params,
					 const struct resch_job *job, bool due, u64 now)
{
	return due || !job->index ? now : max(now, job->release + params->period);
}

/**
 * resch_handler_deadline - of a handler that begins at @now, absolute
 * @job: the next one if it is @due, otherwise the last one, or none yet
 */
static inline u64 resch_handler_deadline(const struct resch_task_params *params,
					 const struct resch_job *job, bool due, u64 now)
{
	if (due && job->deadline >= now)
		return job->deadline;
	return resch_handler_earliest(params, job, due, now) + params->deadline;
}

/**
 * resch_handler_begin - a handler begins at @now, of a task of which resch_handler_confined()
 * @runtime: CPU time of the thread, here and below
 */
static inline void resch_handler_begin(struct resch_life *life,
				       const struct resch_task_params *params,
				       const struct resch_job *job, bool due, u64 runtime, u64 now)
{
	if (now >= life->handled_until) {
		life->handled = 0;
		life->handled_until =
			resch_handler_earliest(params, job, due, now) + params->period;
	}
	life->exec_base = runtime;
	life->spent = life->handled;
	life->budget = params->wcet - life->handled;
	life->overran = false;
	life->enforce = true;
}

/** resch_handler_end - it is over; or it was stopped, and has called in the kernel to wait */
static inline void resch_handler_end(struct resch_life *life,
				     const struct resch_task_params *params, u64 runtime)
{
	life->handled = min(resch_life_executed(life, runtime), params->wcet);
	life->enforce = false;
}

/** resch_handler_shares - whether the next job has its budget in common with handlers before it */
static inline bool resch_handler_shares(const struct resch_life *life, const struct resch_job *job)
{
	return job->release < life->handled_until;
}

/**
 * resch_handler_charge - the job is released: what was taken from its budget, if they have that in
 * common, is gone. After resch_life_begin()
 */
static inline void resch_handler_charge(struct resch_life *life, const struct resch_job *job)
{
	if (!resch_handler_shares(life, job))
		life->handled = 0;
	life->budget -= life->handled;
	life->handled_until = 0;
}

/**
 * resch_handler_stopped - it has used its budget up, and is stopped now: until when? As
 * resch_life_throttled()
 */
static inline u64 resch_handler_stopped(const struct resch_life *life, const struct resch_job *job,
					bool due, u64 now, u64 shortest)
{
	u64 at = life->handled_until;

	if (due && resch_handler_shares(life, job))
		at = job->release + life->distance;
	return max(at, now + shortest);
}

/**
 * resch_handler_replenish - it was stopped, and gets a new budget: that of the next job but one,
 * if it has used up the one of the next. Sporadic jobs keep their distance from it.
 */
static inline void resch_handler_replenish(struct resch_life *life, struct resch_stats *stats,
					   const struct resch_task_params *params,
					   struct resch_job *job, bool due, u64 runtime, u64 now)
{
	if (due && resch_handler_shares(life, job)) {
		job->release += life->distance;
		job->deadline = job->release + params->deadline;
		job->skipped++;
		stats->skipped++;
	} else if (!due) {
		if (job->index && job->release + params->period < now)
			job->release = now - params->period;
		job->deadline = now + params->deadline;
	}
	life->handled = 0;
	life->handled_until = 0;
	resch_handler_begin(life, params, job, true, runtime, now);
}

#endif /* _RESCH_HANDLER_H */
