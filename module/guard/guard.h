/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard.h - RT CPUs that other threads may use in user mode only
 *
 * The CPUs of guarded domains are RT CPUs, all others NRT CPUs. Who is neither RT0 nor a thread of
 * the kernel is a *visitor* there:
 *
 *            first seen with an RT CPU in its affinity          resch_visitor_lend()
 *   (free) --------------------------------------------> HOME ----------------------> LENT
 *      ^                                                 ^  |                           |
 *      | the last guard goes                             |  |  call, fault, signal,     |
 *      +-------------------------------------------------+--+  no time for it there     |
 *                                                        +------------------------------+
 *
 * At home a visitor's affinity has NRT CPUs only, so the kernel's own balancing cannot bring it to
 * an RT CPU, whatever it does; lent, it has one RT CPU and nothing else. Both changes are made when
 * the thread is about to leave the kernel, or has just entered it: inside it is always at home.
 * What the user asked for is kept, and comes back when the last guard goes.
 *
 * Going home shares no lock of an NRT CPU (docs/locking.md): the thread puts itself on a lock-free
 * list, rings an NRT CPU and goes to sleep; the thread resch-guard, which has NRT CPUs only,
 * fetches it.
 */
#ifndef _RESCH_GUARD_H
#define _RESCH_GUARD_H

#include <linux/init.h>

#include <linux/resch.h>

struct resch_domain;

/* The ioctls. Process context, no locks. Errors: uapi. */
int resch_guard_set(const struct resch_guard_set *want);
int resch_guard_stat(struct resch_guard_stat *stat, u64 *calls);
int resch_guard_lend(const struct resch_guard_lend *lend);

/*
 * The guard that a domain gets whose plugin wants one. Process context, resch_lock. Errors: uapi.
 */
int __must_check resch_guard_default(struct resch_domain *domain);

/* A CPU has come online and is not active yet. Process context, hotplug lock. */
void resch_guard_online(void);

/* The domain is going, its guard goes first. Process context, resch_lock. */
void resch_guard_drop(struct resch_domain *domain);

int __init resch_guard_init(void);
void resch_guard_exit(void);

#endif /* _RESCH_GUARD_H */
