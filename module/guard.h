/* SPDX-License-Identifier: GPL-2.0 */
/*
 * guard.h - RT CPUs that other threads may use in user mode only
 *
 * The CPUs of guarded domains are RT CPUs, all others NRT CPUs. Who is neither RT0 nor a thread of the
 * kernel is a *visitor* there:
 *
 *            first seen with an RT CPU in its affinity          resch_visitor_lend()
 *   (free) --------------------------------------------> HOME ----------------------> LENT
 *      ^                                                 ^  |                           |
 *      | the last guard goes                             |  |  call, fault, signal,     |
 *      +-------------------------------------------------+--+  no time for it there     |
 *                                                        +------------------------------+
 *
 * At home a visitor's affinity has NRT CPUs only, so the kernel's own balancing cannot bring it to an
 * RT CPU, whatever it does; lent, it has one RT CPU and nothing else. Both changes are made when the
 * thread is about to leave the kernel, or has just entered it: inside it is always at home. What
 * the user asked for is kept, and comes back when the last guard goes.
 *
 * Going home shares no lock of an NRT CPU (docs/locking.md): the thread puts itself on a lock-free list,
 * rings an NRT CPU and goes to sleep; the thread resch-guard, which has NRT CPUs only, fetches it.
 */
#ifndef _RESCH_GUARD_H
#define _RESCH_GUARD_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/task_work.h>

#include <linux/resch.h>

#include "../plugins/analysis/balance.h"

struct resch_domain;

/** struct resch_guard_cpu - a CPU with respect to guards; counters by threads on that CPU, this_cpu */
struct resch_guard_cpu {
	struct resch_guard *guard; /* RCU; resch_lock; NULL: an NRT CPU */
	atomic_t visitors; /* lent to it at the moment */
	u64 moved;
	u64 moved_other;
	u64 faults;
	u64 signals;
	u64 exempted;
	u64 failed;
	/*
	 * By system call: RESCH_CALLS_MAX of them. Made with the first guard of the machine, kept until
	 * the module goes.
	 */
	u64 *calls;
	/* resch_guard_mutex */
	u64 lent;
	u64 recalled;
	call_single_data_t csd; /* rings on behalf of this CPU */
};

DECLARE_PER_CPU(struct resch_guard_cpu, resch_guard_cpus);

/** struct resch_guard - of a domain; constant but for the flags */
struct resch_guard {
	u32 flags; /* RESCH_GUARD_*; resch_lock */
	u32 policies; /* RESCH_BALANCE_*; resch_lock and resch_guard_mutex */
	unsigned long exempt[BITS_TO_LONGS(RESCH_CALLS_MAX)];
	struct rcu_head rcu;
};

/* All RT CPUs. Changes under resch_lock and resch_guard_mutex; read anywhere. */
extern cpumask_t resch_guard_rt;

/* What all guards have in common: the calls that all exempt, the flags that one has. Likewise. */
extern struct resch_guard resch_guard_common;

/*
 * What is done to visitors. Inside resch_lock; taken by resch-guard and by requests, never by a thread on
 * an RT CPU that is not RT0.
 */
extern struct mutex resch_guard_mutex;

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
	s32 cpu; /* lent to it; -1: at home; read anywhere */
	u64 since; /* lent or back home since then, CLOCK_MONOTONIC ns; read anywhere */
	u64 runtime; /* its CPU time when the balancing last looked, ns; */
	u64 ran; /* when that last was more than before; */
	u64 rest; /* it is to stay where it is until then; CLOCK_MONOTONIC ns */
	/* written by the thread itself, read anywhere */
	struct resch_attempts attempts; /* its calls for which it would have been moved */

	/* what its next child will be; made by the thread itself before it forks, taken by fork; zeros */
	struct resch_visitor *child;
	bool dead; /* written by the thread itself */
	struct llist_node grave; /* where dead */
	atomic_t todo; /* task work: 0 nothing, -1 go home, n go to CPU n-1 */
	unsigned long queued; /* bit 0: the task work is; atomic */
	struct callback_head work;
	refcount_t refs;
	struct rcu_head rcu;
};

/* ---- guard.c ---------------------------------------------------------------------------------- */

/* The ioctls. Process context, no locks. Errors: uapi. */
int resch_guard_set(const struct resch_guard_set *set);
int resch_guard_stat(struct resch_guard_stat *stat, u64 *calls);
int resch_guard_lend(const struct resch_guard_lend *lend);

/*
 * The domain that a question about guards names, and its CPU, or -1: all of them. ERR_PTR: -ENODEV: there
 * is none such; -EINVAL. resch_lock.
 */
struct resch_domain *resch_guard_domain(u32 id, s32 cpu);

/* The guard that a domain gets whose plugin wants one. Process context, resch_lock. Errors: uapi. */
int __must_check resch_guard_default(struct resch_domain *domain);

/* A CPU has come online and is not active yet. Process context, hotplug lock. */
void resch_guard_online(void);

/* The domain is going, its guard goes first. Process context, resch_lock. */
void resch_guard_drop(struct resch_domain *domain);

static inline bool resch_guard_stands(void)
{
	return !cpumask_empty(&resch_guard_rt);
}

int __init resch_guard_init(void);
void resch_guard_exit(void);

/* ---- guard-probe.c ----------------------------------------------------------------------------- */

void __init resch_guard_probe_init(void); /* finds the tracepoints */
int __must_check resch_guard_attach(void); /* process context, resch_lock */
void resch_guard_detach(void);

/* ---- guard-visitor.c --------------------------------------------------------------------------- */

/* NULL: it is none. RCU; any context. */
struct resch_visitor *resch_visitor_find(struct task_struct *task);

/*
 * The visitor that @task is, or becomes. NULL: no memory, or it is dying. Process context,
 * resch_guard_mutex.
 */
struct resch_visitor *resch_visitor_make(struct task_struct *task);

/*
 * Current may be about to fork, whose probe can't allocate (on PREEMPT_RT no atomic context may): what a
 * child of a visitor needs is made ready. Process context, may sleep.
 */
void resch_visitor_expect_child(void);

/* @child begins as what @parent, which is current, is. Atomic context. */
void resch_visitor_fork(struct task_struct *parent, struct task_struct *child);

/* @task is exiting: it is itself. Any context. */
void resch_visitor_exit(struct task_struct *task);

/* Is @task left alone, with an affinity that has RT CPUs? Any context. */
bool resch_guard_spares(struct task_struct *task);

/* Whether its user lets it run on the RT CPU @cpu. resch_guard_mutex. */
bool resch_visitor_may(const struct resch_visitor *visitor, unsigned int cpu);

/*
 * No RT CPU in its affinity any more; where it is on one, it leaves. Process context,
 * resch_guard_mutex; may wait for the CPU that it is on if it is running. false: no NRT CPU is left.
 */
bool resch_visitor_home(struct resch_visitor *visitor);

/*
 * Its only CPU is the RT CPU @cpu from now on, unless there is a reason not to. The thread is asleep
 * in resch_guard_move(). resch_guard_mutex.
 */
void resch_visitor_send(struct resch_visitor *visitor, unsigned int cpu);

/*
 * Has the thread go on @cpu, an RT CPU, when it is next on its way to user mode; it may have
 * better things to do by then. Any context. -EOPNOTSUPP, -ESRCH: it is dying.
 */
int resch_visitor_lend(struct resch_visitor *visitor, unsigned int cpu);

/* Has the thread go home when it is next on its way to user mode. Any context. */
void resch_visitor_recall(struct resch_visitor *visitor);

/* Takes in what its user has changed. Process context, resch_guard_mutex. */
void resch_visitor_look(struct resch_visitor *visitor);

/* Likewise of all. The same context. */
void resch_visitor_look_all(void);

/*
 * The user of @task has just set its affinity, perhaps to what it had: only the call tells. The same
 * context.
 */
void resch_visitor_said(struct task_struct *task);

/* Calls @each for every visitor. Process context, resch_guard_mutex. */
void resch_visitor_for_each(void (*each)(struct resch_visitor *visitor, void *data), void *data);

/* Buries the dead. Process context, resch_guard_mutex. */
void resch_visitor_bury(void);

/* All threads of the machine that ought to be visitors become some. Process context, resch_guard_mutex. */
void resch_visitor_gather(void);

/* The RT CPUs have changed. Process context, resch_guard_mutex. */
void resch_visitor_update(void);

/* The last guard goes: everybody has the affinity back. Process context, resch_guard_mutex. */
void resch_visitor_release(void);

/* The affinity that the user of @task wants, if it is a visitor. Process context, no locks. */
void resch_visitor_user(struct task_struct *task, cpumask_t *mask);

u32 resch_visitor_count(void);

/*
 * The call that current is in changes policies or affinities: look at all visitors when it is over.
 * @whose: the thread whose affinity it sets, as the call names it; -1: none. Process context, may sleep.
 */
void resch_visitor_look_later(pid_t whose);

/* ---- guard-move.c ------------------------------------------------------------------------------ */

/* The thread resch-guard. */
int __init resch_guard_move_init(void);
void resch_guard_move_exit(void);

/*
 * Keeps resch-guard off RT CPUs, and elsewhere where it was put, as a shield does; without a guard it may
 * run there again. Process context, resch_guard_mutex.
 */
void resch_guard_move_away(void);

/* Have it look around soon. Process context. */
void resch_guard_move_kick(void);

/*
 * Current, a visitor or to become one, has resch-guard do with it what is to be done, asleep: send it to
 * @cpu, or home. Process context, no locks, may sleep. Where it comes from an RT CPU no lock is
 * shared with NRT CPUs but that CPU's own run queue's and the thread's.
 */
#define RESCH_GUARD_HOME (-1)
void resch_guard_move(s32 cpu);

/*
 * Current has resch-guard look at all visitors: somebody's policy or affinity has changed. @whose: it was
 * the affinity of this one; or NULL. The same context.
 */
void resch_guard_look(struct task_struct *whose);

/* How often resch-guard looks around, ns. */
#define RESCH_GUARD_TICK (10 * NSEC_PER_MSEC)

#endif /* _RESCH_GUARD_H */
