/* SPDX-License-Identifier: GPL-2.0 */
/* retire.h - a registration ends for the engine */
#ifndef _RESCH_CORE_RETIRE_H
#define _RESCH_CORE_RETIRE_H

#include "thread.h"

/*
 * Ends the registration for the engine; the rest follows in resch_thread_reap_all(), which a worker
 * calls at the latest. cpu->lock; any context. The CPU has to decide again afterwards.
 */
void resch_thread_retire(struct resch_thread *thread, u32 gone, u64 now);

/*
 * For resch_thread_retire(), dead threads, and retired ones whose owner has let go: have the worker
 * call the above. Any context.
 */
void resch_thread_reap_later(struct resch_thread *thread);

/* Retired threads, and the worker that reaps them: reap.c. */
extern struct llist_head resch_reap;
extern struct work_struct resch_reaper;

#endif /* _RESCH_CORE_RETIRE_H */
