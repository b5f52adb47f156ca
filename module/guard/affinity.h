/* SPDX-License-Identifier: GPL-2.0 */
/* affinity.h - where visitors may run: what their users want, and what they have from us */
#ifndef _RESCH_GUARD_AFFINITY_H
#define _RESCH_GUARD_AFFINITY_H

#include <linux/cpumask.h>
#include <linux/sched.h>

struct resch_visitor;

/*
 * If @mask, which @task has, is from us it becomes the one that its user wants. false: it is not.
 * Any context.
 */
bool resch_visitor_user(struct task_struct *task, cpumask_t *mask);

/* Takes in what its user has changed. Process context, resch_guard_mutex. */
void resch_visitor_look(struct resch_visitor *visitor);

/* Likewise of all. The same context. */
void resch_visitor_look_all(void);

/* For resch_visitor_asked(), before the call. Any context. */
u32 resch_visitor_changes(struct task_struct *task);

/*
 * The user of @task has just asked for the affinity @mask, perhaps for what it had: only the call
 * tells. It is taken in before anything else is done to the visitor. @changes: as they were when
 * the call began. false: its affinity has been changed by us meanwhile, and nobody can tell which
 * of the two came last; the call is to be made once more. Any context.
 */
bool __must_check resch_visitor_asked(struct task_struct *task, const cpumask_t *mask, u32 changes);

/*
 * Has the policy of @task, which has just been set, consequences that do not wait for the next
 * round? Only who may set real-time policies gets there. Any context.
 */
bool resch_visitor_hurries(struct task_struct *task);

/*
 * No RT CPU in its affinity any more; where it is on one, it leaves. Process context,
 * resch_guard_mutex; may wait for the CPU that it is on if it is running. false: no NRT CPU is
 * left.
 */
bool resch_visitor_home(struct resch_visitor *visitor);

/*
 * It is about to become a SCHED_DEADLINE thread, for which the kernel wants its whole affinity; and
 * the call that was to make it one is over. Process context, resch_guard_mutex.
 */
void resch_visitor_span(struct resch_visitor *visitor);
void resch_visitor_spanned(struct resch_visitor *visitor);

/*
 * Its only CPU is the RT CPU @cpu from now on, unless there is a reason not to. The thread is
 * asleep in resch_guard_move(). resch_guard_mutex.
 */
void resch_visitor_send(struct resch_visitor *visitor, unsigned int cpu);

/*
 * The affinity of @task is the engine's from here on: resch-guard leaves it alone as long as its
 * registration is bound, which is to be noted before the mutex is let go. @mask: the one that its
 * user wants. Process context, resch_guard_mutex.
 */
void resch_visitor_yield(struct task_struct *task, cpumask_t *mask);

/* It has been given back @mask, and that is what its user wants. Any context. */
void resch_visitor_resume(struct task_struct *task, const cpumask_t *mask);

/* The RT CPUs have changed. Process context, resch_guard_mutex. */
void resch_visitor_update(void);

/* The last guard goes: everybody has the affinity back. Process context, resch_guard_mutex. */
void resch_visitor_release(void);

#endif /* _RESCH_GUARD_AFFINITY_H */
