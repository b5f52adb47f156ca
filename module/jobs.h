/* SPDX-License-Identifier: GPL-2.0 */
/*
 * jobs.h - the life of jobs: release, completion, suspension
 *
 * (The arithmetic is in include/resch/job.h.)
 */
#ifndef _RESCH_JOBS_H
#define _RESCH_JOBS_H

#include "cpu.h"

/* The job in task.job starts to be ready. cpu->lock. */
void resch_job_release(struct resch_thread *thread, u64 now);

/* The current job ends. cpu->lock. */
void resch_job_complete(struct resch_thread *thread, u64 now);

/* Bring the state in line with what kblocked says. cpu->lock. */
void resch_job_sync(struct resch_thread *thread, u64 now);

/* thread->timer has expired and is off the queue. cpu->lock. */
void resch_job_expire(struct resch_thread *thread, u64 now);

/* Puts thread->timer where the state wants it. cpu->lock. */
void resch_job_arm(struct resch_thread *thread);

/* A thread that has just come under control gets its first job or sleeps for it. cpu->lock. */
void resch_job_start(struct resch_thread *thread, u64 now);

/* Time zero of a RESCH_F_SYNC task. cpu->lock. */
void resch_job_start_at(struct resch_thread *thread, u64 zero, u64 now);

/* Executed by the current job so far, ns. cpu->lock. */
u64 resch_job_executed(const struct resch_thread *thread);

/* The calls of a program. Process context, current is @thread, no locks. */
int resch_job_wait(struct resch_thread *thread, struct resch_wait *out);
int resch_job_delay(struct resch_thread *thread, u64 until);

/*
 * A release of a sporadic task was asked for. cpu->lock. -EINVAL: it is of another kind; -ENOSPC:
 * too many wait.
 */
int resch_job_ask(struct resch_thread *thread, u64 now);

#endif /* _RESCH_JOBS_H */
