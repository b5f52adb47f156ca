/* SPDX-License-Identifier: GPL-2.0 */
/* params.h - module parameters, the mutex, the work queue */
#ifndef _RESCH_PARAMS_H
#define _RESCH_PARAMS_H

#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/workqueue.h>

/*
 * Registrations, domains, plugins, who is attached where. The outermost of all: see
 * docs/locking.md.
 */
extern struct mutex resch_lock;
/* Unbound: the CPU whose tasks are to be given back may be the one that they keep busy. */
extern struct workqueue_struct *resch_workqueue;

/* threads given back after an ejection, an offline CPU or SysRq */
extern atomic64_t resch_restored;

/* Module parameters; what they mean is said where they are defined. */
extern unsigned int resch_level;
extern unsigned int resch_levels;
extern unsigned int resch_escalate_us;
extern unsigned int resch_watchdog_ms;
extern unsigned int resch_members;
extern bool resch_straight;
extern bool resch_direct;
extern bool resch_stop_by_parking;

/* The ranges that uapi/linux/resch.h gives; times are ns. */
#define RESCH_PERIOD_MIN NSEC_PER_USEC
#define RESCH_TIME_MAX (3600ULL * NSEC_PER_SEC)
#define RESCH_PRIORITY_MAX 10000

/* Above resch_level: registered threads while they hold resch_lock; one more: the helpers. */
#define RESCH_CEILING 1

/* Are the parameters possible? -EINVAL; -EOPNOTSUPP: not with this kernel. */
int __init resch_params_init(void);

/*
 * resch_lock, for a few microseconds, by a caller who can't be preempted until he has let go of it:
 * he must not sleep. Process context, no locks; may sleep before.
 */
void resch_query_lock(void);
void resch_query_unlock(void);

#endif /* _RESCH_PARAMS_H */
