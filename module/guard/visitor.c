// SPDX-License-Identifier: GPL-2.0
/* visitor.c - threads that may use RT CPUs in user mode only: who they are */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/prio.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "state.h"
#include "visitor.h"
#include "compat/user_worker.h"
#include "core/thread.h"

#define RESCH_VISITOR_HASH_BITS 12
/* So many are visited before others have their turn. */
#define RESCH_VISITOR_PORTION 64

static DEFINE_HASHTABLE(visitor_hash, RESCH_VISITOR_HASH_BITS);
DEFINE_RAW_SPINLOCK(resch_visitor_lock);
/* What the task work of a visitor calls: see todo.c. */
task_work_func_t resch_visitor_work;

static LLIST_HEAD(visitor_graves);
static atomic_t visitor_count = ATOMIC_INIT(0);

bool resch_visitor_is_bound(struct task_struct *task)
{
	struct resch_thread *thread;
	bool bound;

	rcu_read_lock();
	thread = resch_thread_find(task);
	bound = thread && READ_ONCE(thread->bound);
	rcu_read_unlock();
	return bound;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct resch_visitor *resch_visitor_find(struct task_struct *task)
{
	struct resch_visitor *visitor;

	hash_for_each_possible_rcu(visitor_hash, visitor, hash, (unsigned long)task) {
		if (visitor->task == task)
			return visitor;
	}
	return NULL;
}

void resch_visitor_put(struct resch_visitor *visitor)
{
	if (!refcount_dec_and_test(&visitor->refs))
		return;
	put_task_struct(visitor->task);
	if (visitor->child)
		kfree_rcu(visitor->child, rcu);
	kfree_rcu(visitor, rcu);
}

/* @visitor is all zeros. Any context. */
static void visitor_init(struct resch_visitor *visitor, struct task_struct *task)
{
	visitor->task = get_task_struct(task);
	visitor->cpu = -1;
	visitor->since = ktime_get_mono_fast_ns();
	init_task_work(&visitor->work, resch_visitor_work);
	refcount_set(&visitor->refs, 1);
}

/* The table's lock. */
static void visitor_add(struct resch_visitor *visitor)
{
	hash_add_rcu(visitor_hash, &visitor->hash, (unsigned long)visitor->task);
	atomic_inc(&visitor_count);
}

static void visitor_remove(struct resch_visitor *visitor)
{
	unsigned long flags;

	lockdep_assert_held(&resch_guard_mutex);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	hash_del_rcu(&visitor->hash);
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	atomic_dec(&visitor_count);
	if (visitor->cpu >= 0)
		atomic_dec(&per_cpu(resch_guard_cpus, visitor->cpu).visitors);
	resch_visitor_put(visitor);
}

struct resch_visitor *resch_visitor_make(struct task_struct *task)
{
	struct resch_visitor *visitor;
	unsigned long flags;

	lockdep_assert_held(&resch_guard_mutex);
	rcu_read_lock();
	visitor = resch_visitor_find(task);
	rcu_read_unlock();
	if (visitor)
		return visitor; /* nobody but us, with the mutex, could free it */
	if (resch_visitor_is_bound(task))
		return NULL; /* what it has is not what its user wants */
	/* No I/O: whoever does that may be a visitor that waits for us. */
	visitor = kzalloc(sizeof(*visitor), GFP_NOIO);
	if (!visitor)
		return NULL;
	visitor_init(visitor, task);
	cpumask_copy(&visitor->user, &task->cpus_mask);
	cpumask_copy(&visitor->given, &task->cpus_mask);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	/* Pairs with resch_visitor_exit(), which runs after PF_EXITING is set. */
	if (!(READ_ONCE(task->flags) & PF_EXITING) && !resch_visitor_find(task)) {
		visitor_add(visitor);
		raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
		smp_mb(); /* in the table first, then another look at the flag */
		if (READ_ONCE(task->flags) & PF_EXITING)
			resch_visitor_exit(task);
		return visitor;
	}
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	resch_visitor_put(visitor);
	return NULL;
}

void resch_visitor_expect_child(void)
{
	struct resch_visitor *visitor;

	rcu_read_lock();
	visitor = resch_visitor_find(current);
	if (visitor && (visitor->child || !refcount_inc_not_zero(&visitor->refs)))
		visitor = NULL;
	rcu_read_unlock();
	if (!visitor)
		return;
	visitor->child = kzalloc(sizeof(*visitor->child), GFP_KERNEL_ACCOUNT);
	resch_visitor_put(visitor);
}

void resch_visitor_fork(struct task_struct *parent, struct task_struct *child)
{
	struct resch_visitor *visitor = NULL, *from;
	unsigned long flags;

	rcu_read_lock();
	from = resch_visitor_find(parent);
	/* The child of one that has been restored may have got what its parent then had. */
	if (from && READ_ONCE(from->restored) && cpumask_equal(&from->user, &child->cpus_mask))
		from = NULL;
	if (from) {
		visitor = from->child;
		from->child = NULL;
	}
	rcu_read_unlock();
	if (!visitor)
		return; /* no memory: it stays on NRT CPUs, as if it had asked for that */
	visitor_init(visitor, child);
	raw_spin_lock_irqsave(&resch_visitor_lock, flags);
	from = resch_visitor_find(parent);
	if (from) {
		cpumask_copy(&visitor->user, &from->user);
		cpumask_copy(&visitor->given, &child->cpus_mask);
		visitor->asked = READ_ONCE(from->asked);
		visitor->ours = from->ours;
		visitor->elsewhere = from->elsewhere;
		visitor->whole = !!READ_ONCE(from->whole); /* it is not SCHED_DEADLINE */
		visitor_add(visitor);
	}
	raw_spin_unlock_irqrestore(&resch_visitor_lock, flags);
	if (!from)
		resch_visitor_put(visitor);
}

void resch_visitor_exit(struct task_struct *task)
{
	struct resch_visitor *visitor;

	rcu_read_lock();
	visitor = resch_visitor_find(task);
	if (visitor && !xchg(&visitor->dead, true))
		llist_add(&visitor->grave, &visitor_graves);
	rcu_read_unlock();
}

void resch_visitor_bury(void)
{
	struct llist_node *list = llist_del_all(&visitor_graves);
	struct resch_visitor *visitor, *next;

	llist_for_each_entry_safe(visitor, next, list, grave)
		visitor_remove(visitor);
}

u32 resch_visitor_count(void)
{
	return atomic_read(&visitor_count);
}

void resch_visitor_for_each(void (*each)(struct resch_visitor *visitor, void *data), void *data)
{
	struct resch_visitor *visitor;
	struct hlist_node *next;
	unsigned int bucket;

	lockdep_assert_held(&resch_guard_mutex);
	/* Others only add, at the heads; who removes has the mutex. */
	hash_for_each_safe(visitor_hash, bucket, next, visitor, hash) {
		if (!READ_ONCE(visitor->dead))
			each(visitor, data);
	}
}

bool resch_visitor_walk(void (*each)(struct resch_visitor *visitor, void *data), void *data)
{
	struct resch_visitor *visitor;
	unsigned int bucket, count = 0;
	struct hlist_node *next;

	lockdep_assert_held(&resch_guard_mutex);
	for (bucket = 0; bucket < HASH_SIZE(visitor_hash); bucket++) {
		hlist_for_each_entry_safe(visitor, next, &visitor_hash[bucket], hash) {
			if (!READ_ONCE(visitor->dead))
				each(visitor, data);
			count++;
		}
		if (count < RESCH_VISITOR_PORTION)
			continue;
		count = 0;
		if (!resch_guard_breathe())
			return false;
	}
	return true;
}

static void visitor_forget(struct resch_visitor *visitor, void *data)
{
	/* One that dies meanwhile is on its way to the graves, and is buried from there. */
	if (!xchg(&visitor->dead, true))
		visitor_remove(visitor);
}

void resch_visitor_clear(void)
{
	resch_visitor_bury();
	resch_visitor_for_each(visitor_forget, NULL);
}

/* ---- who is who ------------------------------------------------------------------------------ */

bool resch_visitor_is_top(const struct task_struct *task)
{
	/* It may be changed at this moment: who changed it has a look taken afterwards. */
	return READ_ONCE(task->policy) == SCHED_FIFO &&
	       READ_ONCE(task->rt_priority) == MAX_RT_PRIO - 1;
}

bool resch_visitor_is_kernel(const struct task_struct *task)
{
	unsigned int flags = READ_ONCE(task->flags);

	return flags & PF_KTHREAD || (flags & PF_NO_SETAFFINITY && !resch_is_worker(task));
}

bool resch_guard_exempts(struct task_struct *task)
{
	struct resch_visitor *visitor;
	struct resch_thread *thread;
	bool exempt;

	if (resch_visitor_is_kernel(task) || task->policy == SCHED_DEADLINE)
		return true;
	rcu_read_lock();
	thread = resch_thread_find(task);
	exempt = thread && READ_ONCE(thread->entered) && READ_ONCE(thread->state) != RESCH_GONE;
	if (!exempt && resch_visitor_is_top(task) && task->nr_cpus_allowed == 1 &&
	    cpumask_test_cpu(cpumask_first(&task->cpus_mask), &resch_guard_rt)) {
		/* Bound to it by its user, not by us? */
		visitor = resch_visitor_find(task);
		exempt = !visitor || READ_ONCE(visitor->cpu) < 0;
	}
	rcu_read_unlock();
	return exempt;
}

bool resch_visitor_may(const struct resch_visitor *visitor, unsigned int cpu)
{
	const struct cpumask *user = &visitor->user;
	unsigned int other;

	if (cpumask_test_cpu(cpu, user))
		return true;
	if (!(resch_guard_common.flags & RESCH_GUARD_ALL))
		return false;
	for_each_cpu(other, cpu_active_mask) {
		if (!cpumask_test_cpu(other, &resch_guard_rt) && !cpumask_test_cpu(other, user))
			return false;
	}
	return true;
}
