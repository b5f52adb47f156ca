/* SPDX-License-Identifier: GPL-2.0 */
/*
 * job.h - the arithmetic of jobs: releases, deadlines, lateness
 *
 * Pure functions on times in ns (absolute ones: CLOCK_MONOTONIC). Releases are computed from the
 * previous *nominal* release, never from the present, so they do not drift. Parameters are at most
 * an hour (uapi), so sums of a few of them and a time do not overflow before the year 2500.
 */
#ifndef _RESCH_JOB_H
#define _RESCH_JOB_H

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
 * resch_job_advance - the next job of a periodic task: one @period after the last one's nominal
 * release
 */
static inline void resch_job_advance(struct resch_job *job, u64 period, u64 deadline)
{
	job->index++;
	job->release += period;
	job->deadline = job->release + deadline;
	job->skipped = 0;
}

/**
 * resch_job_skip - leave out the releases that are past: the next one is the first not before @now
 * Returns how many were left out. Job numbers count released jobs only.
 */
static inline u64 resch_job_skip(struct resch_job *job, u64 period, u64 deadline, u64 now)
{
	u64 late;

	if (job->release >= now)
		return 0;
	late = div64_u64(now - job->release - 1, period) + 1;
	job->release += late * period;
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

#endif /* _RESCH_JOB_H */
