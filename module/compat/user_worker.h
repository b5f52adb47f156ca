/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads of the kernel's that are made from a user's, for io_uring and vhost: they never are in
 * user mode. 6.4 has a flag for both; before, only those of io_uring exist. Needed for 6.1; can go
 * with it.
 */
#ifndef _RESCH_COMPAT_USER_WORKER_H
#define _RESCH_COMPAT_USER_WORKER_H

#include <linux/sched.h>

#ifdef PF_USER_WORKER
#define RESCH_PF_WORKER (PF_IO_WORKER | PF_USER_WORKER)
#else
#define RESCH_PF_WORKER PF_IO_WORKER
#endif

static inline bool resch_is_worker(const struct task_struct *task)
{
	return READ_ONCE(task->flags) & RESCH_PF_WORKER;
}

#endif /* _RESCH_COMPAT_USER_WORKER_H */
