/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread.h - a registered task and the Linux thread that carries it
 *
 *            register            first wait (or at once, for RESCH_WAKEUP)
 *   (none) ------------> NEW ----------------------------------------------> SLEEPING
 *                                                                            |     ^
 *                                  release, or a handled signal              |     | wait: completes
 *                                  +-----------------------------------------+     |
 *                                  v                                               |
 *      +-----------------------> READY --------------------------------------------+
 *      | woken, time reached,      |
 *      | replenished               | sleeps in the kernel -> BLOCKED, RESCH_IOC_DELAY -> DELAYED,
 *      +---------------------------+ stopped by an overrun or a miss -> THROTTLED
 *
 *   any state -- unregister, close, exit, exec, ejection, CPU offline, SysRq --> GONE
 *
 * The state belongs to cpu->lock. Beside it stand two facts about the Linux thread: `run`, whether
 * it may be in user mode, and `held`, whether it sleeps in this module until it may. Selected means
 * cpu->selected points here; then run is true.
 */
#ifndef _RESCH_THREAD_H
#define _RESCH_THREAD_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/preempt.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <uapi/linux/sched/types.h>

#include <resch/plugin.h>

#include "passive.h"

struct resch_child;
struct resch_cpu;
struct resch_domain;
struct resch_file;

enum resch_thread_state {
	RESCH_NEW,
	RESCH_SLEEPING,
	RESCH_READY,
	RESCH_BLOCKED,
	RESCH_DELAYED,
	RESCH_THROTTLED,
	RESCH_GONE,
};

/* Why a task stopped being its CPU's choice (resch:resch_deselect). */
enum resch_off {
	RESCH_OFF_PREEMPT,
	RESCH_OFF_COMPLETE,
	RESCH_OFF_BLOCK,
	RESCH_OFF_THROTTLE,
	RESCH_OFF_DETACH,
};

/* What a thread has to do itself, on its way to user mode. */
#define RESCH_TODO_ENTER BIT(0) /* come under the plugin's control */
#define RESCH_TODO_LEAVE BIT(1) /* take the hook off itself */
#define RESCH_TODO_SIGNAL BIT(2) /* send itself params.signal */
#define RESCH_TODO_PIN BIT(3) /* go back to its CPU: somebody moved it */
#define RESCH_TODO_CHILD BIT(4) /* prepare for its next child */
#define RESCH_TODO_BORN BIT(5) /* a member's child, before its first instruction */

/* Requests for a release of a sporadic task that may wait to be served. */
#define RESCH_REQUESTS 64

struct resch_stats {
	u64 completed;
	u64 misses;
	u64 overruns;
	u64 skipped;
	u64 preemptions;
	u64 migrations;
	u64 exec_total;
	u64 exec_max;
	u64 response_min;
	u64 response_max;
	u64 response_total;
	u64 tardiness_max;
	u64 escalations;
};

/**
 * struct resch_thread
 *
 * References: one for the registration (dropped by resch_thread_reap_all()), one from the moment
 * the preempt notifier is installed until it is off again, one for queued task work where the
 * notifier is not on, and one on each of the lists `reap` and `grave`. They hold the module.
 */
struct resch_thread {
	/* What the wake-up path of every program on the machine reads; RCU. */
	struct hlist_node hash;
	struct task_struct *linux_task; /* constant; counted */
	/* sleeps in the kernel, not in this module; written under its rq lock, read anywhere */
	bool kblocked;
	unsigned long noted; /* bit 0: on cpu->noted; atomic */
	struct llist_node note;

	/* cpu->lock */
	struct resch_task task;
	struct resch_cpu *rc; /* changes where the domain's plugin is RESCH_PLUGIN_WHOLE */
	struct resch_cpu *home; /* on whose list it is; constant after registration */
	u32 cpu; /* rc's number */
	u32 pinned; /* the CPU that its affinity has been set to */
	u32 level; /* its SCHED_FIFO priority; resch_lock too */
	u32 noted_cpu; /* on whose `noted` it is */
	u8 state; /* enum resch_thread_state */
	bool run;
	bool held;
	bool demoted; /* what the helper made of its policy; written by the helper */
	bool ceiling; /* is above its level, and the helper is to bring it down */
	bool background; /* RESCH_DEMOTE reached: finishes its job below all registered tasks */
	bool early; /* runs a signal handler between two jobs; there is no job */
	bool waiting_start; /* RESCH_F_SYNC */
	bool due; /* task.job is the next job, released when its time comes */
	bool work_queued;
	bool work_owns; /* the queued work holds a reference */
	bool watch; /* the deadline of this job is still to be watched */
	bool enforce; /* the budget of this job is still to be watched */
	bool missed; /* counted already */
	bool overran; /* counted already */
	bool skip; /* releases that are past at completion are to be left out */
	bool dead;
	u8 gone; /* enum resch_gone */
	u8 todo; /* RESCH_TODO_* */
	/* requests for a release of a sporadic task beyond the one that is due: the last ... */
	u32 asked;
	u64 request; /* ... of so many in all, ... */
	/* ... whose releases are these: request n's at n % RESCH_REQUESTS */
	u64 requests[RESCH_REQUESTS];
	u64 wake_at; /* end of DELAYED or THROTTLED */
	u64 exec_base; /* CPU time of the thread when the job (or its budget) began */
	u64 budget; /* what the job may execute from exec_base on */
	/* executed by this job before exec_base moved; between jobs: of the last budget */
	u64 spent;
	u64 stopped_at; /* when it was last told to stop */
	/* on cpu->shadows: runnable, and below the selected thread's level */
	struct list_head shadow;
	struct resch_node timer; /* in cpu->timers */
	struct resch_node late; /* in cpu->late: told to stop, has not arrived */
	struct resch_stats stats;
	struct resch_passive passive;
	struct resch_file *file; /* NULL once the descriptor is closed */

	struct callback_head work; /* queued where work_queued */
	struct preempt_notifier notifier;
	struct llist_node adjust; /* on cpu->adjust where adjusting */
	unsigned long adjusting; /* bit 0; atomic */

	/* resch_lock (mutex) */
	struct resch_domain *domain;
	struct resch_task **link; /* what points to `task` on its CPU's list; cpu->lock too */
	struct list_head in_domain;
	struct list_head in_file;
	bool entered; /* policy, affinity and notifier are set */
	bool reaped; /* out of the lists that the hooks, the domain and admission read */
	bool forgotten; /* has no id any more */
	bool to_give; /* current unlinked itself, and has still to give itself back what it had */
	/*
	 * the notifier is on, and holds a reference; changed by the thread itself, or after its
	 * death
	 */
	bool hooked;
	struct sched_attr saved_attr;
	cpumask_t saved_cpus;
	/* what its next child will need; taken by fork, renewed by the thread itself */
	struct resch_child *child;

	/* RESCH_F_FAMILY, see family.c */
	struct resch_thread *heir; /* instead of child: the registration of its next one */
	struct resch_thread *root; /* of a child: the member that was registered by hand; counted */
	struct resch_thread *parent; /* of a child that has not joined; counted */
	struct llist_node call; /* where calling */
	unsigned long calling; /* bit 0: somebody has to look how it gets on; atomic */
	struct list_head waiting; /* there is no room in its server; resch_lock */
	u32 domain_id; /* whose server it is to join; constant once it is in a domain */

	struct llist_node reap; /* where reaping */
	unsigned long reaping; /* bit 0; atomic */
	struct list_head grave; /* resch_lock */
	refcount_t refs;
	struct rcu_head rcu;
};

static inline struct resch_thread *resch_thread_of(struct resch_task *task)
{
	return container_of(task, struct resch_thread, task);
}

/* The registration of @task, or NULL. Under RCU, or by @task itself. Any context. */
struct resch_thread *resch_thread_find(struct task_struct *task);

/* CPU time of the thread, ns; exact on its own CPU. Any context. */
u64 resch_thread_runtime(const struct resch_thread *thread);

/*
 * A thread that is registered nowhere yet, with one reference. ERR_PTR(-ENOMEM). Without @task, which
 * is not there yet, it does not fail. Process context.
 */
struct resch_thread *resch_thread_create(struct task_struct *task,
					 const struct resch_task_params *params);

/*
 * Gives it an id and attaches the hooks. Process context, resch_lock. -EEXIST: the Linux thread is
 * registered already.
 */
int __must_check resch_thread_publish(struct resch_thread *thread);

/* Lets the hooks find it, now that it is on a CPU. resch_lock. */
void resch_thread_announce(struct resch_thread *thread);

/* Takes the former back, before the latter. Process context, resch_lock. */
void resch_thread_withdraw(struct resch_thread *thread);

/* resch_lock; no reference is taken. NULL: there is none. */
struct resch_thread *resch_thread_by_id(u32 id);
struct resch_thread *resch_thread_after_id(u32 id);

/* Puts the notifier on current, with a reference. Process context. */
void resch_thread_hook(struct resch_thread *thread);

/*
 * Current comes under the plugin's control; with @start its first job begins, or is waited for,
 * from now on. Process context; takes resch_lock. -ECANCELED: it is gone meanwhile.
 */
int __must_check resch_thread_enter(struct resch_thread *thread, bool start);

/*
 * Who holds resch_lock must not wait behind the tasks of its own CPU. Current, if it is a
 * registered thread, therefore goes above all of them before it takes the lock (raise; NULL: there
 * is nothing to do), and afterwards has the CPU's helper, which is above even that, bring it down
 * (lower, which gives up the reference that raise took). Process context, no locks.
 */
struct resch_thread *resch_thread_raise(void);
void resch_thread_lower(struct resch_thread *thread);

/*
 * Makes the thread look at thread->todo on its way to user mode. cpu->lock. false: it never will
 * (it is dying, or this kernel has no task_work_add).
 */
bool resch_thread_poke(struct resch_thread *thread);

/*
 * Ends the registration for the engine; the rest follows in resch_thread_reap_all(), which a worker
 * calls at the latest. cpu->lock; any context. The CPU has to decide again afterwards.
 */
void resch_thread_retire(struct resch_thread *thread, u32 gone, u64 now);

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

/*
 * For resch_thread_retire(), dead threads, and retired ones whose owner has let go: have the worker
 * call the above. Any context.
 */
void resch_thread_reap_later(struct resch_thread *thread);

/* Takes the hook off current if its registration has ended. Process context, no locks. */
void resch_thread_leave(struct resch_thread *thread);
void resch_thread_leave_self(void); /* ... whichever it is */

void resch_thread_put(struct resch_thread *thread);
u32 resch_thread_count(void);

void resch_thread_exit(void);

#endif /* _RESCH_THREAD_H */
