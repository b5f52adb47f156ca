/* SPDX-License-Identifier: GPL-2.0 */
/*
 * direct.h - out of the engine's way: where the kernel's priorities are the plugin's order already
 *
 * Under a plugin whose keys never change (RESCH_PLUGIN_FIXED) SCHED_FIFO schedules a plain periodic
 * thread as the plugin would, if nobody else on its CPU has its level and those above and below are
 * the plugin's above and below (thread->apart). Then there is nothing to decide: the thread has a
 * timer of its own, which lets it go, and accounts for its last job as it waits for the next one.
 *
 *        a wait, in straight.c's way        its timer
 *   OFF ----------------------------> ASLEEP ---------> AWAKE
 *    ^                                  | ^               | |
 *    |                                  | +--- ENDING <---+ |
 *    |                                  |       a wait      |
 *    +----------------------------------+-------------------+
 *      anything else: who takes the thread's lock finds it OFF
 *
 * While it is not OFF the engine takes it for asleep without a timer: it is in no queue and counts
 * as nothing. Whoever looks at it or changes something brings it back first (resch_direct_end()),
 * so that budgets, stops, swaps, signals and statistics are the engine's as ever;
 * resch_thread_lock() does that for all who want one thread. It is not direct either while somebody
 * records what the engine does, who wants to see all of it.
 */
#ifndef _RESCH_CORE_DIRECT_H
#define _RESCH_CORE_DIRECT_H

#include "cpu.h"

/* The thread's timer; it is to be cancelled before the memory goes. Any context. */
void resch_direct_init(struct resch_thread *thread);

/* The timer does not run any more. Process context, no locks. */
void resch_direct_exit(struct resch_thread *thread);

/*
 * Looks anew who on the CPU is apart from the others: a thread has come, levels have moved, or the
 * plugin is another one. Process context, resch_lock; takes cpu->lock.
 */
void resch_direct_survey(struct resch_cpu *rc);

/* The engine has all threads of the CPU. cpu->lock. */
void resch_direct_end_all(struct resch_cpu *rc);

/* The engine has the thread, if it was direct, and is to stop it if it was awake. cpu->lock. */
void resch_direct_end(struct resch_thread *thread);

/*
 * The engine has the thread again, asleep or in the midst of its job, unless it had it already.
 * true: in the midst of its job, which is to be stopped, or to end; a decision follows. cpu->lock.
 */
bool resch_direct_back(struct resch_thread *thread, u64 now);

/*
 * Current, @thread, has just ended a job in straight.c's way, and sleeps until its next one; if it
 * may, from here on without the engine. cpu->lock, on the CPU. true: resch_direct_sleep() follows,
 * with no change of interrupts and of current's state in between.
 */
bool resch_direct_begin(struct resch_thread *thread);

/*
 * Current, @thread, which was direct a moment ago, ends its job and waits for the next one.
 * Interrupts off, no locks. false: nothing is done, and it is for the engine; true: as above.
 */
bool resch_direct_wait(struct resch_thread *thread);

/* Sleeps until its timer, or the engine, lets it go: as resch_park_hold(); goes back to @flags. */
int resch_direct_sleep(struct resch_thread *thread, unsigned long flags);

#endif /* _RESCH_CORE_DIRECT_H */
