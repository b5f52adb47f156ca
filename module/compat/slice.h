/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From 6.12 on an ordinary thread may ask for slices of a length of its own: sched_runtime of
 * sched_setattr(2). Needed for 6.1; can go with the last kernel before 6.12.
 */
#ifndef _RESCH_COMPAT_SLICE_H
#define _RESCH_COMPAT_SLICE_H

#include <linux/sched.h>

/* What it has asked for, ns; 0: nothing. Any context. */
static inline u64 resch_custom_slice(const struct task_struct *task)
{
#ifdef RESCH_HAVE_CUSTOM_SLICE
	return task->se.custom_slice ? task->se.slice : 0;
#else
	return 0;
#endif
}

#endif /* _RESCH_COMPAT_SLICE_H */
