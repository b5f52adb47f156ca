/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpu.h - one CPU: its lock, its choice, its timer
 *
 * Lock order of the module, outermost first:
 *
 *   hooks_mutex              attaching and detaching hooks (linux/hooks.c)
 *   resch_lock               mutex: registrations, domains, plugins, who is attached where
 *     cpus_read_lock()         by what wants CPUs to stay, a guard's probes above all: so hotplug
 *                              callbacks can't take resch_lock
 *     resch_guard_mutex        mutex: what is done to visitors of RT CPUs; resch-guard, requests,
 *                              hotplug
 *       resch_visitor_lock       raw: their table and masks; taken on NRT CPUs only
 *     cpu->adjust_lock         mutex: held by a helper while it sets the policy of a thread of this
 *                              home
 *       *cpu->lock           raw, interrupts off: its threads, the plugin's queues, the choice
 *         cpu->own             raw: by who changes cpu->lock, inside the domain's
 *         p->pi_lock, rq->lock   taken by wake_up_process()
 *         file->events_lock      raw: the ring of a descriptor
 *         hrtimer base lock
 *
 * cpus_read_lock() is not taken inside resch_guard_mutex, which hotplug callbacks take.
 *
 * Hooks called under rq->lock or pi_lock (sched_out, sched_wakeup) therefore never take cpu->lock:
 * they note the thread and raise an interrupt (resch_cpu_note()).
 *
 * Decisions for a CPU are made on that CPU; others change state under its lock and then call
 * resch_cpu_kick().
 */
#ifndef _RESCH_CPU_H
#define _RESCH_CPU_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include <resch/plugin.h>

#include "params.h"
#include "thread.h"

struct resch_cpu {
	/*
	 * What guards the CPU: its own lock, or its domain's where the plugin decides for all of
	 * its CPUs at once. Changes under both.
	 */
	raw_spinlock_t *lock;
	raw_spinlock_t own;

	/* lock */
	struct resch_rq rq;
	struct resch_task **last; /* where the next task on rq.tasks is linked in; resch_lock too */
	const struct resch_plugin *plugin; /* NULL: in no domain */
	struct resch_domain *domain;
	/*
	 * The plugin is RESCH_PLUGIN_WHOLE: threads change CPUs, all have one level, and who is
	 * deselected is stopped at once, lest it runs where it has no reserve.
	 */
	bool whole;
	bool ordered; /* the plugin is RESCH_PLUGIN_ORDERED */
	bool fixed; /* ... and RESCH_PLUGIN_FIXED; resch_lock too */
	u32 apart; /* threads here that are, at least; resch_lock, read anywhere. See direct.h */
	/* Releases and completions may go by straight.c; resch_cpu_straighten(). */
	bool straight; /* ... where `ordered` */
	bool asked; /* ... where it is not */
	struct resch_order order; /* of the plugin, where `ordered` */
	struct resch_thread *selected;
	/* preempted by level, highest first; all below the selected thread's */
	struct list_head shadows;
	u64 now; /* of the last update */
	u64 until; /* of the choice */
	u64 armed; /* what the timer is set to; RESCH_NEVER: not set */
	/*
	 * Since when the plugin picks nobody though tasks are ready, or when at the latest it is
	 * to; 0: it picks
	 */
	u64 starved;
	struct resch_queue timers; /* releases, ends of delays and throttling, deadlines to watch */
	struct resch_queue late; /* told to stop, not arrived: escalate then */
	struct list_head calls; /* of clients, that wait for a provider; see passive.h */
	struct list_head servants; /* providers that sleep for a call */
	u64 longest_period; /* of a server that counts on this CPU, ns */
	u32 viewed; /* servers of this CPU that somebody looks at; see show.c */
	u32 nr_ready;
	u32 nr_open; /* threads here that resch_thread_open() */
	u32 guards; /* stages here that RESCH_CHAIN_RG releases */
	struct list_head guarded; /* of these, those that may be held back */
	u64 idle; /* the last idle point that was seen while there were any */
	u32 slow; /* picks of the present plugin that took long, among the latest ... */
	u64 slow_from; /* ... since this decision */
	const char *fault; /* why the present plugin has to go; NULL: it need not */
	bool frozen; /* nobody is selected any more: the plugin is being thrown out */
	bool online;
	u64 decisions;
	struct hrtimer timer; /* started on this CPU only */

	/* lockless */
	struct llist_head noted; /* threads whose kblocked changed */
	struct llist_head adjust; /* threads whose policy the helper has to set */
	struct irq_work irq_work;
	struct mutex adjust_lock; /* held by the helper while it sets a policy; inside resch_lock */
	unsigned long kicked; /* bit 0: csd is on its way; atomic */
	call_single_data_t csd; /* of who has set that bit */
	u32 number;
};

DECLARE_PER_CPU(struct resch_cpu, resch_cpus);

/* The thread that sets the policies of a CPU's threads: helper.c. */
DECLARE_PER_CPU(struct task_struct *, resch_helper);

/* Takes in what is noted of threads whose CPU has gone offline; hotplug.c says by what. */
extern struct irq_work resch_orphans;

/* The last time that a timer can be set to, with room for a period and an offset. */
#define RESCH_TIME_LAST ((u64)KTIME_MAX - 3 * 3600 * NSEC_PER_SEC)

static inline struct resch_cpu *resch_cpu_get(u32 cpu)
{
	return &per_cpu(resch_cpus, cpu);
}

/* What ->straight depends on has changed. cpu->lock. */
static inline void resch_cpu_straighten(struct resch_cpu *rc)
{
	bool may = resch_straight && rc->plugin && !rc->frozen && !rc->viewed && !rc->guards;

	rc->straight = may && rc->ordered;
	rc->asked = may && !rc->ordered && !rc->whole && !rc->plugin->stopped;
}

/* The CPU decides again; ->plugin and what it is are set. cpu->lock. */
static inline void resch_cpu_thaw(struct resch_cpu *rc)
{
	rc->frozen = false;
	resch_cpu_straighten(rc);
}

/* ---- cpu->lock ------------------------------------------------------------------------------- */

static inline void resch_cpu_lock(struct resch_cpu *rc)
{
	raw_spinlock_t *lock;

	for (;;) {
		lock = READ_ONCE(rc->lock);
		raw_spin_lock(lock);
		if (likely(lock == READ_ONCE(rc->lock)))
			return;
		raw_spin_unlock(lock);
	}
}

static inline void resch_cpu_unlock(struct resch_cpu *rc)
{
	raw_spin_unlock(rc->lock);
}

static inline void resch_cpu_lock_irq(struct resch_cpu *rc)
{
	local_irq_disable();
	resch_cpu_lock(rc);
}

static inline void resch_cpu_unlock_irq(struct resch_cpu *rc)
{
	raw_spin_unlock_irq(rc->lock);
}

#define resch_cpu_lock_irqsave(rc, flags) \
	do {                              \
		local_irq_save(flags);    \
		resch_cpu_lock(rc);       \
	} while (0)
#define resch_cpu_unlock_irqrestore(rc, flags) raw_spin_unlock_irqrestore((rc)->lock, flags)

#define resch_cpu_assert_locked(rc) lockdep_assert_held((rc)->lock)

/*
 * Brings a thread back that is direct; set once, by main.c: resch_direct_end(). cpu->lock.
 */
extern void (*resch_thread_reclaim)(struct resch_thread *thread);

/*
 * The lock of the CPU that the thread is on; it may go to another one until we have it. Bare: the
 * thread may still be direct.
 */
static inline struct resch_cpu *resch_thread_lock_bare(struct resch_thread *thread)
{
	struct resch_cpu *rc;

	for (;;) {
		rc = READ_ONCE(thread->rc);
		resch_cpu_lock(rc);
		if (likely(rc == READ_ONCE(thread->rc)))
			return rc;
		resch_cpu_unlock(rc);
	}
}

/* That lock; what the thread says of itself is so, and anything may be done to it. */
static inline struct resch_cpu *resch_thread_lock(struct resch_thread *thread)
{
	struct resch_cpu *rc = resch_thread_lock_bare(thread);

	if (unlikely(atomic_read(&thread->direct)))
		resch_thread_reclaim(thread);
	return rc;
}

static inline struct resch_cpu *resch_thread_lock_irq(struct resch_thread *thread)
{
	local_irq_disable();
	return resch_thread_lock(thread);
}

static inline void resch_thread_unlock_irq(struct resch_thread *thread)
{
	resch_cpu_unlock_irq(thread->rc);
}

/* These return the CPU. */
#define resch_thread_lock_irqsave(thread, flags) \
	({                                       \
		local_irq_save(flags);           \
		resch_thread_lock(thread);       \
	})
#define resch_thread_unlock_irqrestore(thread, flags) \
	resch_cpu_unlock_irqrestore((thread)->rc, flags)

/*
 * Have the CPU decide again, soon. Any context, any CPU; not under rq or pi locks of the local
 * CPU's choosing: see note.
 */
void resch_cpu_kick(struct resch_cpu *rc);

/* thread->kblocked changed. Any context, also under rq->lock. */
void resch_cpu_note(struct resch_thread *thread);

/*
 * The note of a thread, which is on no list, goes on to the CPU @to, where the thread is by now.
 * Its bit stays set: who waits until the note is taken (see reap.c) must not find it clear in
 * between, and then set again. Interrupts off.
 */
void resch_cpu_pass(struct resch_thread *thread, struct resch_cpu *to);

/* Have the CPU's helper set the thread's policy to what its state asks for. cpu->lock. */
void resch_cpu_adjust(struct resch_thread *thread);

#endif /* _RESCH_CPU_H */
