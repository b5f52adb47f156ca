/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From 6.12 on the fair scheduler leaves a task that blocks on its run queue for a while, on_rq and
 * all, if it has had more than its share (DELAY_DEQUEUE); task_is_runnable() came for those who
 * relied on on_rq. Needed for 6.1; can go with the last kernel before 6.12.
 */
#ifndef _RESCH_COMPAT_RUNNABLE_H
#define _RESCH_COMPAT_RUNNABLE_H

#include <linux/sched.h>

/* Whether a task that is being switched from has just been preempted: else it blocks. rq->lock. */
static inline bool resch_task_is_runnable(struct task_struct *task)
{
#ifdef RESCH_HAVE_TASK_IS_RUNNABLE
	return task_is_runnable(task);
#else
	return task->on_rq;
#endif
}

#endif /* _RESCH_COMPAT_RUNNABLE_H */
