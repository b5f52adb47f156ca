/* SPDX-License-Identifier: GPL-2.0 */
/* reap.h - retired threads give back what they had, and are freed */
#ifndef _RESCH_CORE_REAP_H
#define _RESCH_CORE_REAP_H

#include "thread.h"

/*
 * Gives retired threads back what they had and drops their registrations. Nothing here waits for an
 * RCU grace period, which a busy CPU can hold up for long on PREEMPT_RT: a worker does that, and
 * then lets go of the rest. Process context, resch_lock. Callers that may be registered threads
 * themselves call resch_thread_leave_self() once they have dropped the lock.
 */
void resch_thread_reap_all(void);

/*
 * Until nothing is left of reaped threads, but not for long: so that the module can usually be
 * unloaded as soon as a program has ended. Process context, no locks.
 */
void resch_thread_settle(void);

/* Takes the hook off current if its registration has ended. Process context, no locks. */
void resch_thread_leave(struct resch_thread *thread);
void resch_thread_leave_self(void); /* ... whichever it is */

void __init resch_reap_init(void);
void resch_reap_exit(void);

#endif /* _RESCH_CORE_REAP_H */
