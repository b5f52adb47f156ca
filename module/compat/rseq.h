/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that has been switched from takes a long way to user mode: there the kernel tells its
 * restartable sequences (rseq(2)) on which CPU it is now, some 160 instructions of every release.
 * Whoever slept in a system call of ours and woke on the same CPU has nothing to be told: no system
 * call is made inside a sequence, so none is interrupted.
 *
 * Up to 6.12 the kernel notes what has happened in rseq_event_mask, and TIF_NOTIFY_RESUME stands
 * for that and for other work. All other work but task work a thread brings upon itself, so none
 * has come while it slept. Newer kernels, without that mask, look themselves whether anything is
 * due.
 */
#ifndef _RESCH_COMPAT_RSEQ_H
#define _RESCH_COMPAT_RSEQ_H

#include <linux/sched.h>

#if defined(RESCH_HAVE_RSEQ_EVENT_MASK) && defined(CONFIG_RSEQ)
#include <linux/preempt.h>
#include <linux/task_work.h>
#ifdef RESCH_HAVE_RSEQ_EVENT_HEADER
#include <linux/rseq.h>
#endif

/* Where a thread was in its address space's numbering of CPUs (6.3 on), which may change, too. */
static inline int resch_rseq_cid(void)
{
#ifdef CONFIG_SCHED_MM_CID
	return current->mm_cid;
#else
	return 0;
#endif
}

/* Before current sleeps: what resch_rseq_after() needs. -2: there is work already. */
static inline int resch_rseq_before(void)
{
	int cid = -2;

	/* A switch in the middle would be forgotten. */
	preempt_disable();
	if (likely(!test_thread_flag(TIF_NOTIFY_RESUME))) {
		/* Its user mode knows all that; the kernel forgets it in sequences alone. */
		current->rseq_event_mask = 0;
		cid = resch_rseq_cid();
	}
	preempt_enable();
	return cid;
}

/* After it, before anything else that it does. */
static inline void resch_rseq_after(int cid)
{
	preempt_disable();
	if (likely(cid != -2 && test_thread_flag(TIF_NOTIFY_RESUME)) &&
	    !(current->rseq_event_mask & ~BIT(RSEQ_EVENT_PREEMPT_BIT)) && cid == resch_rseq_cid()) {
		clear_thread_flag(TIF_NOTIFY_RESUME);
		smp_mb__after_atomic(); /* pairs with the cmpxchg in task_work_add() */
		if (unlikely(task_work_pending(current)))
			set_thread_flag(TIF_NOTIFY_RESUME);
	}
	preempt_enable();
}

#else

static inline int resch_rseq_before(void)
{
	return 0;
}

static inline void resch_rseq_after(int cid)
{
}

#endif

#endif /* _RESCH_COMPAT_RSEQ_H */
