/* SPDX-License-Identifier: GPL-2.0 */
/*
 * thread.h - a registered task and the Linux thread that carries it
 *
 *            register            first wait (or at once, for RESCH_WAKEUP)
 *   (none) ------------> NEW ----------------------------------------------> SLEEPING
 *                                                                            |     ^
 *                                  release, or a handled signal              |     | completes
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

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/preempt.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <uapi/linux/sched/types.h>

#include <resch/plugin.h>
#include <resch/trace-words.h>

#include "server/passive.h"

struct resch_child;
struct resch_cpu;
struct resch_domain;
struct resch_file;
struct resch_grant;
struct resch_stage;

enum resch_thread_state {
	RESCH_NEW,
	RESCH_SLEEPING,
	RESCH_READY,
	RESCH_BLOCKED,
	RESCH_DELAYED,
	RESCH_THROTTLED,
	RESCH_GONE,
};

/* What a thread has to do itself, on its way to user mode. */
#define RESCH_TODO_ENTER BIT(0) /* come under the plugin's control */
#define RESCH_TODO_LEAVE BIT(1) /* take the hook off itself */
#define RESCH_TODO_SIGNAL BIT(2) /* send itself params.signal */
#define RESCH_TODO_PIN BIT(3) /* go back to its CPU: somebody moved it */
#define RESCH_TODO_CHILD BIT(4) /* prepare for its next child */
#define RESCH_TODO_BORN BIT(5) /* a member's child, before its first instruction */

/* Whether a thread goes by the engine: see direct.h. */
enum resch_direct {
	RESCH_DIRECT_OFF,
	RESCH_DIRECT_ASLEEP, /* until its timer wakes it */
	RESCH_DIRECT_AWAKE, /* in the job that it was woken for */
	RESCH_DIRECT_ENDING, /* that job is being accounted for, by itself, with interrupts off */
};

/* Requests for a release of a sporadic task that may wait to be served. */
#define RESCH_REQUESTS 64

/**
 * struct resch_requests - releases of a sporadic task that were asked for. cpu->lock
 * @waiting: the last so many have not become jobs yet; the one that is due is not among them
 * @total:   all that there ever were
 * @release: when; of request n, counted from 0, at n % RESCH_REQUESTS
 */
struct resch_requests {
	u32 waiting;
	u64 total;
	u64 release[RESCH_REQUESTS];
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
	bool above; /* is in a call at the ceiling, where the helper leaves it; written by itself */
	bool ceiling; /* is above its level, and the helper is to bring it down */
	bool moving; /* has a new level, which the helper has yet to make its priority */
	bool background; /* RESCH_DEMOTE reached: finishes its job below all registered tasks */
	bool early; /* runs a signal handler between two jobs; there is no job */
	bool waiting_start; /* RESCH_F_SYNC */
	bool due; /* task.job is the next job, released when its time comes */
	/*
	 * what its last job executed is not in the statistics yet: since life.exec_base, up to when
	 * the thread went to sleep; see resch_thread_pay()
	 */
	bool owed;
	bool plain; /* by its parameters, jobs may go by straight.c; constant */
	bool straight; /* they may, by what it is now; resch_thread_straighten() */
	bool apart; /* may be direct, by its level; resch_lock too. See direct.h */
	bool work_queued;
	bool work_owns; /* the queued work holds a reference */
	bool dead;
	u8 gone; /* enum resch_gone */
	u8 todo; /* RESCH_TODO_* */
	struct resch_requests requests;
	struct resch_stage *stage; /* of a chain; NULL: it is none; changes under resch_lock, too */
	/* by whose right it is registered, counted; NULL: CAP_SYS_NICE's. Constant from then on */
	struct resch_grant *grant;
	struct resch_life life;
	u64 stopped_at; /* when it was last told to stop */
	/* on cpu->shadows: runnable, and below the selected thread's level */
	struct list_head shadow;
	struct resch_node timer; /* in cpu->timers */
	struct resch_node late; /* in cpu->late: told to stop, has not arrived */
	struct resch_job noted_job; /* of when it was last let go; then its own, until it waits */
	struct resch_stats stats;
	u64 ahead; /* the current job was released so much too early, and has not begun; or 0 */
	u64 lead_late; /* jobs that came after their release, though released ahead of it */
	u64 lead_way; /* the longest way from a timer to core/lead.c */
	/*
	 * enum resch_direct: from OFF and to OFF under cpu->lock. While it is not OFF the job and
	 * the statistics are the thread's own, which is ENDING as it changes them
	 */
	atomic_t direct;
	struct hrtimer release; /* of who is direct; on its CPU */
	u64 base; /* CPU time of it when that woke it last */
	unsigned long switched; /* how often it had been preempted, as the last job ended */
	struct resch_passive passive;
	struct resch_file *file; /* resch_lock too; NULL: it is closed */

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
	bool bound; /* its affinity is ours, also in guard/; read anywhere */
	bool reaped; /* out of the lists that the hooks, the domain and admission read */
	bool forgotten; /* has no id any more */
	bool to_give; /* current unlinked itself, and has still to give itself back what it had */
	/*
	 * the notifier is on, and holds a reference; changed by the thread itself, or after its
	 * death
	 */
	bool hooked;
	struct sched_attr saved_attr;
	u64 saved_slack; /* of timers, which a real-time thread has not; 0: as it is */
	/* cpu->lock; once it is GONE resch_lock, or the thread itself: what to give back */
	cpumask_t saved_cpus;
	u64 saved_cpuset; /* in which it got that */
	/* its registration was asked for in a container: on CPUs that it has there, see join.c */
	bool contained;
	/* what its next child will need; taken by fork, renewed by the thread itself */
	struct resch_child *child;

	/* RESCH_F_FAMILY, see family.c */
	struct resch_thread *heir; /* instead of child: the registration of its next one */
	struct resch_thread *root; /* of a child: the member that was registered by hand; counted */
	struct resch_thread *parent; /* of a child that has not joined; counted */
	struct llist_node call; /* where calling */
	unsigned long calling; /* bit 0: somebody has to look how it gets on; atomic */
	struct list_head waiting; /* there is no room in its server; resch_lock */
	u64 offer; /* the key for who may make it a stage; 0: nobody may; resch_lock */
	u32 domain_id; /* whose server it is to join; constant once it is in a domain */

	struct llist_node reap; /* where reaping */
	unsigned long reaping; /* bit 0; atomic */
	struct list_head grave; /* resch_lock */
	/* the worker's own: the next one that it buries; whether this one was `dead` */
	struct resch_thread *buried;
	bool died;
	refcount_t refs;
	struct rcu_head rcu;
};

/*
 * Whether it has something to do that has been released: a job, a handler between two jobs, or a
 * request before its first wait. cpu->lock; rc->nr_open counts these.
 */
static inline bool resch_thread_open(const struct resch_thread *thread)
{
	switch (thread->state) {
	case RESCH_NEW:
		return thread->requests.waiting;
	case RESCH_SLEEPING:
	case RESCH_GONE:
		return false;
	default:
		return true;
	}
}

static inline struct resch_thread *resch_thread_of(struct resch_task *task)
{
	return container_of(task, struct resch_thread, task);
}

/* The registration of @task, or NULL. Under RCU, or by @task itself. Any context. */
struct resch_thread *resch_thread_find(struct task_struct *task);

/* CPU time of the thread, ns; exact on its own CPU. Any context. */
u64 resch_thread_runtime(const struct resch_thread *thread);

/* What the task work of a thread calls; set once, by main.c. */
extern task_work_func_t resch_thread_work;

/* Gives it an id. resch_lock. -ENOMEM, -EBUSY: there are no more. */
int __must_check resch_thread_enroll(struct resch_thread *thread);

/* The hooks don't find it any more, and it does not count. resch_lock. */
void resch_thread_hide(struct resch_thread *thread);

/* It has no id any more. resch_lock. */
void resch_thread_strike(struct resch_thread *thread);

/* Lets the hooks find it, now that it is on a CPU. resch_lock. */
void resch_thread_announce(struct resch_thread *thread);

/* Gives it to @file. It is complete: from here on resch_thread_get() finds it. resch_lock. */
void resch_thread_own(struct resch_thread *thread, struct resch_file *file);

/* resch_lock; no reference is taken. NULL: there is none. */
struct resch_thread *resch_thread_by_id(u32 id);

/*
 * The thread with that id, or of current (0), or, with @next, the first one with a larger id, with
 * a reference; NULL. It may be GONE by then. Takes no lock: who just looks waits for nobody, and
 * keeps nobody waiting. Process context.
 */
struct resch_thread *resch_thread_get(u32 id, bool next);

/*
 * Makes the thread look at thread->todo on its way to user mode. cpu->lock. false: it never will
 * (it is dying, or this kernel has no task_work_add).
 */
bool resch_thread_poke(struct resch_thread *thread);

void resch_thread_put(struct resch_thread *thread);

/* How many are registered. Any context. */
u32 resch_thread_count(void);

/* Executed by the current job so far, ns. cpu->lock. */
u64 resch_thread_executed(const struct resch_thread *thread);

/*
 * What is owed goes into the statistics. Before anybody reads them, and before the thread executes
 * for something else than the job that has ended. cpu->lock.
 */
static inline void resch_thread_pay(struct resch_thread *thread)
{
	if (likely(!thread->owed))
		return;
	thread->owed = false;
	resch_life_end_execution(&thread->stats, resch_thread_executed(thread));
}

/* The rule of kill(2): whether the caller may schedule @task. Process context. */
bool resch_thread_may(struct task_struct *task);

void resch_thread_exit(void);

#endif /* _RESCH_THREAD_H */
