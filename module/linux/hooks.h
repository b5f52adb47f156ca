/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks.h - where the kernel tells us what threads do
 *
 * Per thread: a preempt notifier (blocked, back, dead). System-wide, and attached only while a
 * thread is registered: the tracepoints sched_wakeup (a blocked thread is runnable again),
 * sched_process_fork and sched_process_exec.
 */
#ifndef _RESCH_HOOKS_H
#define _RESCH_HOOKS_H

#include "core/thread.h"

/* Finds the tracepoints. -ENOENT, with a line in the log that names what is missing. */
int __init resch_hooks_init(void);
void resch_hooks_exit(void);

/*
 * The tracepoints are attached from the first of these on until the last resch_hooks_put(), and a
 * little longer. Process context, not under resch_lock: may wait for as long as a job computes.
 */
int __must_check resch_hooks_get(void);

/* One more of somebody's. false: nobody has any. Any context. */
bool __must_check resch_hooks_hold(void);

/* Any context but that of a run queue's lock. */
void resch_hooks_put(void);

/* The thread whose hook is on current, or NULL. Process context. */
struct resch_thread *resch_hooks_current(void);

/* On current. Process context. */
void resch_hooks_watch(struct resch_thread *thread);
void resch_hooks_unwatch(struct resch_thread *thread);

/* Instead of unwatch: the thread has died with its notifier on. Process context. */
void resch_hooks_forget(void);

#endif /* _RESCH_HOOKS_H */
