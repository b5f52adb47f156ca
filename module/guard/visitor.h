/* SPDX-License-Identifier: GPL-2.0 */
/* visitor.h - threads that may use RT CPUs in user mode only: who they are */
#ifndef _RESCH_GUARD_VISITOR_H
#define _RESCH_GUARD_VISITOR_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
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
	cpumask_t given; /* the one that it has from us; another one has been set by the user */
	u32 changes; /* of `given` by us, two each time: odd while the thread is given it */
	bool restored; /* the guards are gone */
	/* resch_guard_mutex */
	bool ours; /* `given` is, though it may be what the user wants */
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

/*
 * Their table, `user` and `given`. RT CPUs read, under RCU, but for what is about affinities
 * (affinity.c).
 */
extern raw_spinlock_t resch_visitor_lock;

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

/* Has @task the highest real-time priority? Any context. */
bool resch_visitor_is_top(const struct task_struct *task);

/* May @task have RT CPUs in its affinity, and use them in the kernel? Any context. */
bool resch_guard_exempts(struct task_struct *task);

/* Whether its user lets it run on the RT CPU @cpu. resch_guard_mutex. */
bool resch_visitor_may(const struct resch_visitor *visitor, unsigned int cpu);

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

/* Buries all of them. Process context, resch_guard_mutex. */
void resch_visitor_clear(void);

/*
 * Is the affinity of @task the engine's, until its registration has ended and it has been given
 * back what it had? Any context.
 */
bool resch_visitor_is_bound(struct task_struct *task);

u32 resch_visitor_count(void);

/* What the task work of a visitor calls; set once, by main.c. */
extern task_work_func_t resch_visitor_work;

/* Workers of io_uring are bound to CPUs as threads of the kernel are, but by users. Any context. */
bool resch_visitor_is_kernel(const struct task_struct *task);

/* One reference less. Any context. */
void resch_visitor_put(struct resch_visitor *visitor);

#endif /* _RESCH_GUARD_VISITOR_H */
