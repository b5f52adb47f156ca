/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sleeping in a probe of a system call's tracepoint (sys_enter, sys_exit).
 *
 * From 6.13 on these probes may sleep: RCU Tasks Trace protects them. Up to 6.12 they are called
 * with preemption off, which is what protects the array of probes that the caller is walking
 * through. Old arrays are freed after a grace period of RCU and then one of tracepoint_srcu, so who
 * holds the latter may let go of the former for a while; nothing else relies on it. Kbuild looks
 * for tracepoint_is_faultable() in linux/tracepoint.h. The first part can go with the last kernel
 * before 6.13.
 */
#ifndef _RESCH_COMPAT_PROBE_SLEEP_H
#define _RESCH_COMPAT_PROBE_SLEEP_H

#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>

#ifdef RESCH_HAVE_FAULTABLE_PROBES
static inline int resch_probe_sleep_begin(void)
{
	return 0;
}

static inline void resch_probe_sleep_end(int cookie)
{
}

/* Waits until nobody is in such a probe any more. None is attached. Process context. */
static inline void resch_probe_sleep_synchronize(void)
{
	tracepoint_synchronize_unregister();
}
#else
static inline int resch_probe_sleep_begin(void) __acquires(&tracepoint_srcu)
{
	int cookie = srcu_read_lock(&tracepoint_srcu);

	preempt_enable();
	return cookie;
}

static inline void resch_probe_sleep_end(int cookie) __releases(&tracepoint_srcu)
{
	preempt_disable();
	srcu_read_unlock(&tracepoint_srcu, cookie);
}

/*
 * A probe goes from RCU to SRCU and back, tracepoint_synchronize_unregister() waits for SRCU and
 * then for RCU: it would miss one that is just about to sleep.
 */
static inline void resch_probe_sleep_synchronize(void)
{
	synchronize_rcu();
	tracepoint_synchronize_unregister();
}
#endif

#endif /* _RESCH_COMPAT_PROBE_SLEEP_H */
