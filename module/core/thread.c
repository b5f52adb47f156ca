// SPDX-License-Identifier: GPL-2.0
/*
 * thread.c - a registered task and the Linux thread that carries it
 *
 * Teardown. Who may still hold a struct resch_thread when its registration ends, and how each lets
 * go:
 *
 * - the engine (the plugin's queues, cpu->selected, timers, late): resch_thread_retire(), under
 *   cpu->lock
 * - the lists of its domain, its file, the id table and the hash: reap, under resch_lock
 * - sched_wakeup probes that found it in the hash: RCU; they touch `kblocked` and cpu->noted only
 * - cpu->noted: the worker, and the thread as it takes its notifier off, kick the CPU until the
 *   note is taken; taking it happens with interrupts off, so the grace period before the memory is
 *   freed covers it
 * - cpu->adjust: a reference of its own; the helper sees GONE under adjust_lock and leaves the
 *   thread alone; as its CPU goes offline it empties the list, on which nobody who is GONE is put
 * - task work that is queued: a reference, unless the notifier's covers it; a thread that sleeps
 *   for long keeps both, and the module, until it wakes
 * - the preempt notifier in its own task_struct: a reference of its own, dropped by the thread
 *   itself (task work, or its next call here) or after its death; it holds the module, so that the
 *   module can't go before
 */
#include <linux/hashtable.h>
#include <linux/ktime.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>
#include <linux/xarray.h>

#include "cpu.h"
#include "event.h"
#include "params.h"
#include "compat/task_work.h"
#include "server/grant.h"

#define RESCH_THREAD_HASH_BITS 12

/* written under resch_lock, read under RCU */
static DEFINE_HASHTABLE(thread_hash, RESCH_THREAD_HASH_BITS);
static DEFINE_XARRAY_ALLOC1(thread_ids); /* written under resch_lock, read under RCU */
static u32 thread_next_id; /* resch_lock */
static u32 thread_count; /* written under resch_lock, read anywhere */

/* What task work calls: see todo.c. */
task_work_func_t resch_thread_work;

struct resch_thread *resch_thread_find(struct task_struct *task)
{
	struct resch_thread *thread;

	hash_for_each_possible_rcu(thread_hash, thread, hash, (unsigned long)task) {
		if (thread->linux_task == task)
			return thread;
	}
	return NULL;
}

u64 resch_thread_runtime(const struct resch_thread *thread)
{
	const struct task_struct *task = thread->linux_task;
	u64 runtime = READ_ONCE(task->se.sum_exec_runtime);

	/*
	 * The scheduler charges the running task at ticks and switches only; add what has come
	 * since. It may do so now, too, from another CPU: then what it has just charged is left
	 * out, and whoever asks sees it the next time.
	 */
	if (task == current) {
		u64 since = READ_ONCE(task->se.exec_start);
		u64 now = local_clock();

		if (now > since)
			runtime += now - since;
	}
	return runtime;
}

bool resch_thread_poke(struct resch_thread *thread)
{
	resch_cpu_assert_locked(thread->rc);
	if (thread->work_queued)
		return true;
	if (thread->dead || resch_task_work_add(thread->linux_task, &thread->work))
		return false;
	thread->work_queued = true;
	if (unlikely(!thread->hooked)) {
		thread->work_owns = true;
		refcount_inc(&thread->refs);
	}
	return true;
}

void resch_thread_announce(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	hash_add_rcu(thread_hash, &thread->hash, (unsigned long)thread->linux_task);
}

void resch_thread_put(struct resch_thread *thread)
{
	if (!refcount_dec_and_test(&thread->refs))
		return;
	if (thread->linux_task)
		put_task_struct(thread->linux_task);
	if (thread->heir)
		resch_thread_put(thread->heir);
	if (thread->root)
		resch_thread_put(thread->root);
	if (thread->parent)
		resch_thread_put(thread->parent);
	resch_grant_put(thread->grant);
	kfree(thread->child);
	kfree_rcu(thread, rcu);
	module_put(THIS_MODULE);
}

int resch_thread_enroll(struct resch_thread *thread)
{
	int err;

	lockdep_assert_held(&resch_lock);
	err = xa_alloc_cyclic(&thread_ids, &thread->task.id, thread, XA_LIMIT(1, INT_MAX),
			      &thread_next_id, GFP_KERNEL);
	if (err < 0)
		return err;
	thread_count++;
	return 0;
}

void resch_thread_hide(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	hash_del_rcu(&thread->hash);
	thread_count--;
}

void resch_thread_strike(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	xa_erase(&thread_ids, thread->task.id);
}

struct resch_thread *resch_thread_by_id(u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&thread_ids, id);
}

void resch_thread_own(struct resch_thread *thread, struct resch_file *file)
{
	lockdep_assert_held(&resch_lock);
	list_add_tail(&thread->in_file, &file->threads);
	/* Whoever sees it has the rest: pairs with thread_is_owned(). */
	smp_store_release(&thread->file, file);
}

static bool thread_is_owned(struct resch_thread *thread)
{
	return smp_load_acquire(&thread->file); /* pairs with resch_thread_own() */
}

static struct resch_thread *thread_seek(u32 id, bool next)
{
	struct resch_thread *thread;
	unsigned long index = id;

	if (!id && !next)
		return resch_thread_find(current);
	thread = next ? xa_find_after(&thread_ids, &index, INT_MAX, XA_PRESENT) :
			xa_load(&thread_ids, id);
	while (next && thread && !thread_is_owned(thread))
		thread = xa_find_after(&thread_ids, &index, INT_MAX, XA_PRESENT);
	return thread;
}

struct resch_thread *resch_thread_get(u32 id, bool next)
{
	struct resch_thread *thread;

	rcu_read_lock();
	thread = thread_seek(id, next);
	if (thread && (!thread_is_owned(thread) || !refcount_inc_not_zero(&thread->refs)))
		thread = NULL;
	rcu_read_unlock();
	return thread;
}

u32 resch_thread_count(void)
{
	return READ_ONCE(thread_count);
}

u64 resch_thread_executed(const struct resch_thread *thread)
{
	return resch_life_executed(&thread->life, resch_thread_runtime(thread));
}

/* The rule of kill(2): who may not disturb a thread may not schedule it either. */
bool resch_thread_may(struct task_struct *task)
{
	const struct cred *cred = current_cred(), *other;
	bool may;

	rcu_read_lock();
	other = __task_cred(task);
	may = uid_eq(cred->euid, other->suid) || uid_eq(cred->euid, other->uid) ||
	      uid_eq(cred->uid, other->suid) || uid_eq(cred->uid, other->uid) ||
	      ns_capable(other->user_ns, CAP_KILL);
	rcu_read_unlock();
	return may;
}

void resch_thread_exit(void)
{
	xa_destroy(&thread_ids);
}
