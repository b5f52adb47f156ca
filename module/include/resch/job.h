/* SPDX-License-Identifier: GPL-2.0 */
/*
 * job.h - the arithmetic of jobs: releases, deadlines, lateness, budgets
 *
 * Pure functions on times in ns (absolute ones: CLOCK_MONOTONIC). Releases are computed from the
 * previous *nominal* release, never from the present, so they do not drift. Parameters are at most
 * an hour (uapi), so sums of a few of them and a time do not overflow before the year 2500.
 */
#ifndef _RESCH_JOB_H
#define _RESCH_JOB_H

#include <linux/resch.h>

#include "types.h"

/**
 * struct resch_job - the current job of a task, or the next one while the task sleeps
 * @index:    1 for the first
 * @release:  absolute
 * @deadline: absolute
 * @skipped:  releases left out just before this one
 */
struct resch_job {
	u64 index;
	u64 release;
	u64 deadline;
	u64 skipped;
};

/** resch_job_first - the job released at @release */
static inline void resch_job_first(struct resch_job *job, u64 release, u64 deadline)
{
	job->index = 1;
	job->release = release;
	job->deadline = release + deadline;
	job->skipped = 0;
}

/**
 * resch_job_advance - the next job of a periodic task: one @distance after the last one's nominal
 * release
 */
static inline void resch_job_advance(struct resch_job *job, u64 distance, u64 deadline)
{
	job->index++;
	job->release += distance;
	job->deadline = job->release + deadline;
	job->skipped = 0;
}

/**
 * resch_job_skip - leave out the releases that are past: the next one is the first not before @now
 * Returns how many were left out. Job numbers count released jobs only.
 */
static inline u64 resch_job_skip(struct resch_job *job, u64 distance, u64 deadline, u64 now)
{
	u64 late;

	if (job->release >= now)
		return 0;
	late = div64_u64(now - job->release - 1, distance) + 1;
	job->release += late * distance;
	job->deadline = job->release + deadline;
	job->skipped += late;
	return late;
}

/**
 * resch_job_sporadic - the next job of a sporadic task asked for at @now: not before one @period
 * after the last
 */
static inline void resch_job_sporadic(struct resch_job *job, u64 period, u64 deadline, u64 now)
{
	u64 earliest = job->index ? job->release + period : 0;

	job->index++;
	job->release = max(now, earliest);
	job->deadline = job->release + deadline;
	job->skipped = 0;
}

/**
 * resch_job_wakeup - the next job of a task whose wake-ups release its jobs
 * @left: what the last job left of @wcet
 *
 * The constant-bandwidth rule (Abeni, Buttazzo, RTSS 1998, section 3): the old deadline and budget
 * stand only while using them up would not exceed the share wcet / deadline of what is left until
 * that deadline. Returns the budget of the job.
 */
static inline u64 resch_job_wakeup(struct resch_job *job, u64 wcet, u64 deadline, u64 left, u64 now)
{
	bool fresh = !job->index || now >= job->deadline ||
		     left >= mul_u64_u64_div_u64(job->deadline - now, wcet, deadline);

	job->index++;
	job->release = now;
	job->skipped = 0;
	if (!fresh)
		return left;
	job->deadline = now + deadline;
	return wcet;
}

/** resch_job_tardiness - how long after its deadline the job ended at @now; 0: in time */
static inline u64 resch_job_tardiness(const struct resch_job *job, u64 now)
{
	return now > job->deadline ? now - job->deadline : 0;
}

/* ---- what becomes of the current job --------------------------------------------------------- */

/** struct resch_stats - as struct resch_task_stat has them */
struct resch_stats {
	u64 completed;
	u64 misses;
	u64 overruns;
	u64 skipped;
	u64 preemptions;
	u64 migrations;
	u64 exec_total;
	u64 exec_max;
	u64 response_min; /* RESCH_NEVER before the first */
	u64 response_max;
	u64 response_total;
	u64 tardiness_max;
	u64 escalations;
};

/**
 * struct resch_life - the current job's budget, and what is still to be watched
 * @budget:    what it may execute from @exec_base on
 * @exec_base: CPU time of the thread when it, or its budget, began
 * @spent:     executed by it before @exec_base moved; between jobs: of the last budget
 * @wake_at:   end of a delay, or of being throttled
 * @watch:     whether its deadline is still to be watched
 * @enforce:   whether its budget is
 * @missed, @overran: counted already
 * @skip:      releases that are past at its completion are to be left out
 * @distance:  from one nominal release to the next; the period, unless the program of a periodic
 *             task has said more (RESCH_IOC_PACE)
 * @handled:   by signal handlers since the last job; or, of the current one, before it, which was
 *             taken from its budget. See handler.h
 * @handled_until: in such a budget, which ends then; 0: there is none
 */
struct resch_life {
	u64 budget;
	u64 exec_base;
	u64 spent;
	u64 wake_at;
	bool watch;
	bool enforce;
	bool missed;
	bool overran;
	bool skip;
	u64 distance;
	u64 handled;
	u64 handled_until;
};

/**
 * resch_life_begin - the job is released. Members of a server that takes whole processes have no
 * runtime, and no deadline that could be missed.
 * @runtime: CPU time of the thread, here and below
 */
static inline void resch_life_begin(struct resch_life *life, const struct resch_task_params *params,
				    u64 runtime)
{
	life->exec_base = runtime;
	life->spent = 0;
	life->overran = params->flags & RESCH_F_FAMILY;
	life->enforce = params->overrun != RESCH_COUNT;
	life->watch = params->miss != RESCH_COUNT;
	life->missed = params->flags & RESCH_F_FAMILY;
	if (params->kind != RESCH_WAKEUP)
		life->budget = params->wcet;
}

/** resch_life_begin_plain - likewise, of a task of which resch_straight_plain() */
static inline void resch_life_begin_plain(struct resch_life *life,
					  const struct resch_task_params *params, u64 runtime)
{
	life->budget = params->wcet;
	life->exec_base = runtime;
	life->spent = 0;
	life->watch = false;
	life->enforce = false;
	life->missed = false;
	life->overran = false;
}

/** resch_life_executed - what it has executed in all */
static inline u64 resch_life_executed(const struct resch_life *life, u64 runtime)
{
	return life->spent + runtime - life->exec_base;
}

/** resch_life_left - what is left of the budget */
static inline u64 resch_life_left(const struct resch_life *life, u64 runtime)
{
	u64 used = runtime - life->exec_base;

	return used < life->budget ? life->budget - used : 0;
}

/** resch_life_exceeded - it has executed for more than its budget, which nobody has noticed */
static inline bool resch_life_exceeded(const struct resch_life *life, u64 runtime)
{
	return runtime - life->exec_base > life->budget && !life->overran;
}

/** resch_life_overran - it has executed for more than its budget */
static inline void resch_life_overran(struct resch_life *life, struct resch_stats *stats,
				      const struct resch_task_params *params)
{
	life->skip |= params->overrun == RESCH_SKIP;
	life->enforce = false;
	life->overran = true;
	stats->overruns++;
}

/** resch_life_missed - its deadline has come, or it ended after it */
static inline void resch_life_missed(struct resch_life *life, struct resch_stats *stats,
				     const struct resch_task_params *params)
{
	life->skip |= params->miss == RESCH_SKIP;
	life->watch = false;
	life->missed = true;
	stats->misses++;
}

/**
 * resch_life_throttled - it is stopped now: until when? Until the release that it will take over,
 * and @shortest
 */
static inline u64 resch_life_throttled(const struct resch_life *life,
				       const struct resch_task_params *params,
				       const struct resch_job *job, u64 now, u64 shortest)
{
	u64 at = params->kind == RESCH_WAKEUP ? job->deadline : job->release + life->distance;

	return max(at, now + shortest);
}

/**
 * resch_life_next - when the timer of a task whose job is released is due: at the end of its being
 * @stopped, and at its deadline, while that is watched; or never
 */
static inline u64 resch_life_next(const struct resch_life *life, const struct resch_job *job,
				  bool stopped)
{
	u64 at = stopped ? life->wake_at : RESCH_NEVER;

	return life->watch ? min(at, job->deadline) : at;
}

/** resch_life_replenish - it was throttled, gets a new budget and takes the next release over */
static inline void resch_life_replenish(struct resch_life *life, struct resch_stats *stats,
					const struct resch_task_params *params,
					struct resch_job *job, u64 runtime)
{
	life->spent += runtime - life->exec_base;
	life->exec_base = runtime;
	life->budget = params->wcet;
	life->handled = 0;
	life->overran = false;
	life->enforce = params->overrun != RESCH_COUNT;
	life->missed = false;
	life->watch = params->miss != RESCH_COUNT;
	if (params->kind == RESCH_WAKEUP) {
		job->deadline += params->deadline;
		return;
	}
	job->release += life->distance;
	job->deadline = job->release + params->deadline;
	job->skipped++;
	stats->skipped++;
}

/** resch_life_end_in_time - it is complete before its deadline: what that says of responses */
static inline void resch_life_end_in_time(struct resch_stats *stats, const struct resch_job *job,
					  u64 now)
{
	u64 response = now > job->release ? now - job->release : 0;

	stats->completed++;
	stats->response_total += response;
	stats->response_max = max(stats->response_max, response);
	stats->response_min = min(stats->response_min, response);
}

/** resch_life_end_time - it is complete: what that says of responses and lateness */
static inline void resch_life_end_time(struct resch_stats *stats, const struct resch_job *job,
				       u64 now)
{
	resch_life_end_in_time(stats, job, now);
	stats->tardiness_max = max(stats->tardiness_max, resch_job_tardiness(job, now));
}

/** resch_life_end_execution - ... and of its execution */
static inline void resch_life_end_execution(struct resch_stats *stats, u64 executed)
{
	stats->exec_total += executed;
	stats->exec_max = max(stats->exec_max, executed);
}

/** resch_life_end - it is complete, and is not watched any more */
static inline void resch_life_end(struct resch_life *life, struct resch_stats *stats,
				  const struct resch_job *job, u64 runtime, u64 now)
{
	u64 executed = resch_life_executed(life, runtime);

	life->spent = runtime - life->exec_base;
	life->watch = false;
	life->enforce = false;
	resch_life_end_execution(stats, executed);
	resch_life_end_time(stats, job, now);
}

#endif /* _RESCH_JOB_H */
