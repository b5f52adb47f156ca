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

/* thread->timer has expired: it is later from here on, or off the queue. cpu->lock. */
void resch_job_expire(struct resch_thread *thread, u64 now);

/* A thread that has just come under control gets its first job or sleeps for it. cpu->lock. */
void resch_job_start(struct resch_thread *thread, u64 now);

/* Time zero of a RESCH_F_SYNC task. cpu->lock. */
void resch_job_start_at(struct resch_thread *thread, u64 zero, u64 now);

/*
 * A release of a sporadic task was asked for. cpu->lock. -EINVAL: it is of another kind; -ENOSPC:
 * too many wait; -EBUSY: its chain alone releases it.
 */
int resch_job_ask(struct resch_thread *thread, u64 now);

/*
 * So far apart are the releases of a periodic task from now on. cpu->lock. -EINVAL: it is of
 * another kind, or that is less than its period.
 */
int resch_job_pace(struct resch_thread *thread, u64 distance, u64 now);

/* What was handed to the thread, a stage, and not yet asked for. cpu->lock. */
void resch_job_take(struct resch_thread *thread, u64 now);

/* The next job, which is in task.job, is due, or will be. cpu->lock. */
void resch_job_await(struct resch_thread *thread, u64 now);

/*
 * A sporadic task takes the next release that was asked for, or sleeps until there is one.
 * cpu->lock.
 */
void resch_job_await_asked(struct resch_thread *thread, u64 now);

/*
 * The thread woke in the kernel and runs there, selected or not, until it blocks or arrives where
 * deselected tasks wait: other CPUs must not take it, or its group, before. cpu->lock.
 */
void resch_job_stir(struct resch_thread *thread);

/*
 * Looks for an idle point: if @now is one, what guards hold back here is released. For CPUs with
 * rc->guards, where nobody is ready. cpu->lock.
 */
void resch_job_idle(struct resch_cpu *rc, u64 now);

#endif /* _RESCH_JOBS_H */
