/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task_work_add() is exported by Debian's and Ubuntu's kernels (for binder), not by mainline.
 * Kbuild looks it up in Module.symvers. Without it no task can be parked and no other thread be
 * registered; demotion still works.
 */
#ifndef _RESCH_COMPAT_TASK_WORK_H
#define _RESCH_COMPAT_TASK_WORK_H

#include <linux/errno.h>
#include <linux/task_work.h>

#ifdef RESCH_HAVE_TASK_WORK_ADD
#define RESCH_CAN_TASK_WORK true
static inline int resch_task_work_add(struct task_struct *task, struct callback_head *work)
{
	return task_work_add(task, work, TWA_RESUME);
}
#else
#define RESCH_CAN_TASK_WORK false
static inline int resch_task_work_add(struct task_struct *task, struct callback_head *work)
{
	return -EOPNOTSUPP;
}
#endif

#endif /* _RESCH_COMPAT_TASK_WORK_H */
