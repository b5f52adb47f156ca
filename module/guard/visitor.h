/* SPDX-License-Identifier: GPL-2.0 */
/* visitor.h - threads that may use RT CPUs in user mode only: whose, where, and back */
#ifndef _RESCH_GUARD_VISITOR_H
#define _RESCH_GUARD_VISITOR_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include "rules.h"
#include "state.h"

/**
 * struct resch_visitor - a thread that is not RT0
 *
 * References: one for the table (dropped by resch-guard after the thread's death, or with the last
 * guard), one for queued task work, which holds the module, too. Freed by RCU.
 */
struct resch_visitor {
	struct hlist_node hash; /* RCU; the table's lock */
	struct task_struct *task; /* constant; counted */
	/* resch_guard_mutex, and the table's lock to write: either to read */
	cpumask_t user; /* the affinity that its user wants */
	cpumask_t set; /* the one that it has from us; another one has been set by the user */
	bool restored; /* the guards are gone */
	/* resch_guard_mutex */
	bool ours; /* `set` is, though it may be what the user wants */
	bool elsewhere; /* at home on CPUs that the user did not name, for want of others */
	/*
	 * The affinity that its user wants is what it has: until then (CLOCK_MONOTONIC ns), or as
	 * long as it is SCHED_DEADLINE, which the kernel gives nobody with less; 0: no. Read by its
	 * children, too.
	 */
	u64 whole;
	s32 cpu; /* lent to it; -1: at home; read anywhere */
	u64 since; /* lent or back home since then, CLOCK_MONOTONIC ns; read anywhere */
	u64 runtime; /* its CPU time when the balancing last looked, ns */
	u64 ran; /* when that was last found to have grown, CLOCK_MONOTONIC ns */
	u64 rest; /* until when it is to stay where it is, CLOCK_MONOTONIC ns */
	/* written by the thread itself, read anywhere */
	struct resch_attempts attempts; /* its calls for which it would have been moved */

	/* its next child, all zeros; made by the thread itself before it forks, taken by fork */
	struct resch_visitor *child;
	bool dead; /* written by the thread itself */
	/* written by the thread itself */
	unsigned int moves; /* so often it has asked to be moved ... */
	u64 moves_since; /* ... since then, CLOCK_MONOTONIC ns */
	unsigned long asked; /* bit 0: resch_visitor_asked(); atomic */
	struct llist_node grave; /* where dead */
	atomic_t todo; /* task work: 0 nothing, -1 go home, n go to CPU n-1 */
	unsigned long queued; /* bit 0: the task work is; atomic */
	struct callback_head work;
	refcount_t refs;
	struct rcu_head rcu;
};

/* NULL: it is none. RCU; any context. */
struct resch_visitor *resch_visitor_find(struct task_struct *task);

/*
 * The visitor that @task is, or becomes. NULL: no memory, or it is dying. Process context,
 * resch_guard_mutex.
 */
struct resch_visitor *resch_visitor_make(struct task_struct *task);

/*
 * Current may be about to fork, whose probe can't allocate (on PREEMPT_RT no atomic context may):
 * what a child of a visitor needs is made ready. Process context, may sleep.
 */
void resch_visitor_expect_child(void);

/* @child begins as what @parent, which is current, is. Atomic context. */
void resch_visitor_fork(struct task_struct *parent, struct task_struct *child);

/* Current, which is @task, is exiting. Any context. */
void resch_visitor_exit(struct task_struct *task);

/* May @task have RT CPUs in its affinity, and use them in the kernel? Any context. */
bool resch_guard_exempts(struct task_struct *task);

/* Whether its user lets it run on the RT CPU @cpu. resch_guard_mutex. */
bool resch_visitor_may(const struct resch_visitor *visitor, unsigned int cpu);

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

/* Takes in what its user has changed. Process context, resch_guard_mutex. */
void resch_visitor_look(struct resch_visitor *visitor);

/* Likewise of all. The same context. */
void resch_visitor_look_all(void);

/*
 * The user of @task has just asked for the affinity @mask, perhaps for what it had: only the call
 * tells. It is taken in before anything else is done to the visitor. Any context.
 */
void resch_visitor_asked(struct task_struct *task, const cpumask_t *mask);

/*
 * Has the policy of @task, which has just been set, consequences that do not wait for the next
 * round? Only who may set real-time policies gets there. Any context.
 */
bool resch_visitor_hurries(struct task_struct *task);

/* Calls @each for every visitor. Process context, resch_guard_mutex. */
void resch_visitor_for_each(void (*each)(struct resch_visitor *visitor, void *data), void *data);

/*
 * Likewise in portions, between which others are served: resch_guard_breathe(). The visitors may
 * have moved since @each saw them. false: guards have changed, and what @each saw may be gone; not
 * all have been visited. In resch-guard, resch_guard_mutex.
 */
bool resch_visitor_walk(void (*each)(struct resch_visitor *visitor, void *data), void *data);

/* Buries the dead. Process context, resch_guard_mutex. */
void resch_visitor_bury(void);

/* The RT CPUs have changed. Process context, resch_guard_mutex. */
void resch_visitor_update(void);

/* The last guard goes: everybody has the affinity back. Process context, resch_guard_mutex. */
void resch_visitor_release(void);

/*
 * If @mask, which @task has, is from us it becomes the one that its user wants. false: it is not.
 * Any context.
 */
bool resch_visitor_user(struct task_struct *task, cpumask_t *mask);

/*
 * Is the affinity of @task the engine's, until its registration has ended and it has been given
 * back what it had? Any context.
 */
bool resch_visitor_is_bound(struct task_struct *task);

/*
 * The affinity of @task is the engine's from here on: resch-guard leaves it alone as long as its
 * registration is bound, which is to be noted before the mutex is let go. @mask: the one that its
 * user wants. Process context, resch_guard_mutex.
 */
void resch_visitor_yield(struct task_struct *task, cpumask_t *mask);

/* It has been given back @mask, and that is what its user wants. Any context. */
void resch_visitor_resume(struct task_struct *task, const cpumask_t *mask);

u32 resch_visitor_count(void);

/* What the task work of a visitor calls; set once, by move.c. */
extern task_work_func_t resch_visitor_work;

/* Workers of io_uring are bound to CPUs as threads of the kernel are, but by users. Any context. */
bool resch_visitor_is_kernel(const struct task_struct *task);

/* One reference less. Any context. */
void resch_visitor_put(struct resch_visitor *visitor);

#endif /* _RESCH_GUARD_VISITOR_H */
