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
 * - cpu->noted: the worker, and the thread as it takes its notifier off, kick the CPU until the note
 *   is taken; taking it happens with interrupts off, so the grace period before the memory is freed
 *   covers it
 * - cpu->adjust: a reference of its own; the helper sees GONE under adjust_lock and leaves the
 *   thread alone
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

#include "compat/task_work.h"
#include "domain.h"
#include "engine.h"
#include "event.h"
#include "family.h"
#include "hooks.h"
#include "jobs.h"
#include "main.h"
#include "park.h"
#include "restore.h"
#include "trace.h"

#define RESCH_THREAD_HASH_BITS 12

/* written under resch_lock, read under RCU */
static DEFINE_HASHTABLE(thread_hash, RESCH_THREAD_HASH_BITS);
static DEFINE_XARRAY_ALLOC1(thread_ids); /* resch_lock */
static u32 thread_next_id; /* resch_lock */
static u32 thread_count; /* resch_lock */

static LLIST_HEAD(thread_reap);
static LIST_HEAD(thread_graves); /* resch_lock */
static u32 thread_nr_graves; /* resch_lock */
static void thread_reap_work(struct work_struct *work);
static DECLARE_WORK(thread_reaper, thread_reap_work);

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
	 * since.
	 */
	if (task == current) {
		u64 since = task->se.exec_start;
		u64 now = local_clock();

		if (now > since)
			runtime += now - since;
	}
	return runtime;
}

/* ---- what a thread does for us on its way to user mode --------------------------------------- */

static void thread_die(struct resch_thread *thread)
{
	struct resch_cpu *rc;
	unsigned long flags;

	rc = resch_thread_lock_irqsave(thread, flags);
	resch_thread_retire(thread, RESCH_GONE_EXIT, ktime_get());
	resch_cpu_unlock_irqrestore(rc, flags);
	resch_cpu_kick(rc);
}

static void thread_expect_child(struct resch_thread *thread)
{
	if (thread->task.params.flags & RESCH_F_FAMILY)
		resch_family_expect(thread);
	else
		resch_restore_expect_child(thread);
}

static void thread_had_child(struct resch_thread *thread)
{
	if (thread->task.params.flags & RESCH_F_FAMILY)
		resch_family_meet();
	thread_expect_child(thread);
}

static void thread_do(struct resch_thread *thread, u8 todo)
{
	if (todo & RESCH_TODO_LEAVE) {
		/* Its next child may come before nobody finds it any more, and needs its heir. */
		if (todo & RESCH_TODO_CHILD)
			thread_had_child(thread);
		resch_thread_leave(thread);
		return;
	}
	if (current->flags & PF_EXITING) {
		/* With the notifier on, death is seen there. */
		if (todo & RESCH_TODO_BORN)
			resch_family_lose(thread);
		else if (!thread->hooked)
			thread_die(thread);
		return;
	}
	if (todo & RESCH_TODO_BORN && !resch_family_born(thread))
		return;
	if (todo & RESCH_TODO_SIGNAL)
		send_sig(thread->task.params.signal, current, 0);
	if (todo & RESCH_TODO_PIN)
		resch_restore_pin(thread);
	if (todo & RESCH_TODO_CHILD)
		thread_had_child(thread);
	if (todo & RESCH_TODO_ENTER &&
	    resch_thread_enter(thread, thread->task.params.kind == RESCH_WAKEUP))
		return;
	if (thread->entered && !READ_ONCE(thread->run)) {
		if (trace_resch_park_enabled())
			trace_resch_park(thread, ktime_get(), 0);
		resch_park_hold(thread, false);
	}
}

static void thread_work(struct callback_head *work)
{
	struct resch_thread *thread = container_of(work, struct resch_thread, work);
	struct resch_cpu *rc;
	unsigned long flags;
	bool owns, later;
	u8 todo;

	rc = resch_thread_lock_irqsave(thread, flags);
	owns = thread->work_owns;
	thread->work_owns = false;
	thread->work_queued = false;
	/*
	 * Other work waits behind us in this batch, and parking would hold it up: let it go first.
	 */
	later = work->next && !(current->flags & PF_EXITING) && resch_thread_poke(thread);
	todo = thread->todo;
	if (!later)
		thread->todo = 0;
	resch_cpu_unlock_irqrestore(rc, flags);
	if (!later)
		thread_do(thread, todo);
	if (unlikely(owns))
		resch_thread_put(thread);
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

/* ---- beginning ------------------------------------------------------------------------------- */

struct resch_thread *resch_thread_create(struct task_struct *task,
					 const struct resch_task_params *params)
{
	/* A child that could not have one would escape. */
	gfp_t gfp = task ? GFP_KERNEL_ACCOUNT : GFP_KERNEL_ACCOUNT | __GFP_NOFAIL;
	struct resch_thread *thread = kzalloc(sizeof(*thread), gfp);

	if (!thread)
		return ERR_PTR(-ENOMEM);
	thread->task.params = *params;
	if (!params->deadline)
		thread->task.params.deadline = params->period;
	if (task) {
		thread->linux_task = get_task_struct(task);
		if (!params->name[0])
			get_task_comm(thread->task.params.name, task);
	}
	thread->stats.response_min = RESCH_NEVER;
	thread->run = true;
	init_task_work(&thread->work, thread_work);
	INIT_LIST_HEAD(&thread->in_domain);
	INIT_LIST_HEAD(&thread->in_file);
	INIT_LIST_HEAD(&thread->shadow);
	INIT_LIST_HEAD(&thread->grave);
	INIT_LIST_HEAD(&thread->waiting);
	resch_passive_init(thread);
	refcount_set(&thread->refs, 1);
	__module_get(THIS_MODULE);
	return thread;
}

int resch_thread_publish(struct resch_thread *thread)
{
	struct resch_thread *other;
	int err;

	lockdep_assert_held(&resch_lock);
	rcu_read_lock();
	other = resch_thread_find(thread->linux_task);
	rcu_read_unlock();
	if (other)
		return -EEXIST;
	err = resch_hooks_get();
	if (err)
		return err;
	err = xa_alloc_cyclic(&thread_ids, &thread->task.id, thread, XA_LIMIT(1, INT_MAX),
			      &thread_next_id, GFP_KERNEL);
	if (err < 0) {
		resch_hooks_put();
		return err;
	}
	thread_count++;
	return 0;
}

void resch_thread_announce(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	hash_add_rcu(thread_hash, &thread->hash, (unsigned long)thread->linux_task);
}

void resch_thread_withdraw(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	xa_erase(&thread_ids, thread->task.id);
	thread_count--;
	resch_hooks_put();
}

struct resch_thread *resch_thread_raise(void)
{
	struct resch_thread *thread = resch_hooks_current();

	if (!thread || !READ_ONCE(thread->entered) || READ_ONCE(thread->state) == RESCH_GONE)
		return NULL;
	if (resch_restore_ceiling())
		return NULL;
	if (unlikely(READ_ONCE(thread->state) == RESCH_GONE)) {
		/* Whoever gave it back what it had may have done so just before. */
		resch_restore_give(thread);
		return NULL;
	}
	refcount_inc(&thread->refs);
	return thread;
}

void resch_thread_lower(struct resch_thread *thread)
{
	unsigned long flags;

	if (!thread)
		return;
	resch_thread_lock_irqsave(thread, flags);
	thread->ceiling = true;
	resch_cpu_adjust(thread);
	resch_thread_unlock_irqrestore(thread, flags);
	resch_thread_put(thread);
}

void resch_thread_hook(struct resch_thread *thread)
{
	if (thread->hooked)
		return;
	refcount_inc(&thread->refs);
	resch_hooks_watch(thread);
	thread->hooked = true;
}

int resch_thread_enter(struct resch_thread *thread, bool start)
{
	struct resch_cpu *rc;
	int err = -ECANCELED;

	mutex_lock(&resch_lock);
	if (READ_ONCE(thread->state) == RESCH_GONE || thread->entered)
		goto out;
	err = resch_restore_save(thread);
	if (err)
		goto out;
	err = resch_restore_take(thread);
	if (err)
		goto out;
	thread_expect_child(thread);
	resch_thread_hook(thread);
	WRITE_ONCE(thread->entered, true);
	if (start) {
		/* Now, while nobody on the CPU can keep it from it. */
		rc = resch_thread_lock_irq(thread);
		resch_job_start(thread, ktime_get());
		if (thread->task.params.kind == RESCH_WAKEUP)
			resch_thread_poke(thread);
		resch_cpu_unlock_irq(rc);
	}
	err = 0;
out:
	mutex_unlock(&resch_lock);
	if (!err) {
		refcount_inc(&thread->refs);
		resch_thread_lower(thread);
		resch_cpu_kick(READ_ONCE(thread->rc));
	}
	return err;
}

/* ---- end ------------------------------------------------------------------------------------- */

void resch_thread_retire(struct resch_thread *thread, u32 gone, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (thread->state == RESCH_GONE)
		return;
	resch_passive_leave(thread, now);
	resch_engine_dequeue(thread, RESCH_WHY_DETACH, now);
	if (rc->selected == thread) {
		rc->selected = NULL;
		trace_resch_deselect(thread, now, RESCH_OFF_DETACH);
	}
	resch_engine_stopped(thread);
	if (rc->plugin && rc->plugin->detach)
		rc->plugin->detach(&rc->rq, &thread->task);
	if (resch_node_queued(&thread->timer))
		resch_queue_erase(&rc->timers, &thread->timer);
	thread->state = RESCH_GONE;
	thread->gone = gone;
	thread->background = false;
	thread->run = true;
	resch_park_go(thread);
	trace_resch_detach(thread, gone);
	if (gone >= RESCH_GONE_EJECT)
		atomic64_inc(&resch_restored);
	/* The children of a member come and go by themselves. */
	if (gone && !(thread->root && gone == RESCH_GONE_EXIT))
		resch_event_put(thread, RESCH_EVENT_GONE, now, gone);
	thread->todo |= RESCH_TODO_LEAVE;
	resch_thread_poke(thread);
	resch_thread_reap_later(thread);
}

void resch_thread_reap_later(struct resch_thread *thread)
{
	if (test_and_set_bit(0, &thread->reaping))
		return;
	refcount_inc(&thread->refs);
	llist_add(&thread->reap, &thread_reap);
	queue_work(resch_workqueue, &thread_reaper);
}

/*
 * A note that is still on its CPU's list would outlive the thread. No new one comes: the hash has
 * let go of it a grace period ago, and its own notifier holds a reference.
 */
static void thread_quiesce(struct resch_thread *thread)
{
	ktime_t delay = ms_to_ktime(1);

	while (test_bit(0, &thread->noted)) {
		resch_cpu_kick(resch_cpu_get(READ_ONCE(thread->noted_cpu)));
		/* Not by jiffies: on PREEMPT_RT these wait for whoever keeps the CPU's timer thread waiting. */
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout_range(&delay, 0, HRTIMER_MODE_REL_HARD);
	}
}

/* Out of the lists that the hooks, the domain and admission read. */
static void thread_unlink(struct resch_thread *thread)
{
	thread->reaped = true;
	resch_domain_quit(thread);
	if (thread->entered && !thread->dead) {
		/* Current holds resch_lock, and must not do so as the ordinary thread that it was. */
		if (thread->linux_task == current && thread->hooked)
			thread->to_give = true;
		else
			resch_restore_give(thread);
	}
	hash_del_rcu(&thread->hash);
	thread_count--;
	resch_hooks_put();
}

/*
 * A registration that ended by itself can still be read (its statistics), until its owner closes
 * the descriptor or unregisters it. Not so the children of a member, of which there may be any
 * number.
 */
static void thread_forget(struct resch_thread *thread)
{
	thread->forgotten = true;
	thread->file = NULL;
	list_del_init(&thread->in_file);
	xa_erase(&thread_ids, thread->task.id);
	resch_thread_put(thread);
}

void resch_thread_reap_all(void)
{
	struct resch_thread *thread, *next;
	struct llist_node *list;

	lockdep_assert_held(&resch_lock);
	list = llist_del_all(&thread_reap);
	llist_for_each_entry_safe(thread, next, list, reap) {
		clear_bit(0, &thread->reaping);
		smp_mb__after_atomic(); /* pairs with test_and_set_bit() in reap_later() */
		if (!thread->reaped)
			thread_unlink(thread);
		if (!thread->forgotten && (!thread->file || thread->root))
			thread_forget(thread);
		if (list_empty(&thread->grave)) {
			list_add_tail(&thread->grave, &thread_graves);
			thread_nr_graves++;
		} else {
			resch_thread_put(thread);
		}
	}
}

/* A grace period after it was unlinked: nobody finds the thread any more. Worker, no locks. */
static void thread_bury(struct resch_thread *thread)
{
	bool dead = READ_ONCE(thread->dead);

	/* If it dies, or its hook comes off, after this look, it comes here once more. */
	if (!READ_ONCE(thread->hooked) || dead)
		thread_quiesce(thread);
	if (thread->hooked && dead) {
		thread->hooked = false;
		resch_hooks_forget();
		resch_thread_put(thread);
	}
	resch_thread_put(thread);
}

static void thread_reap_work(struct work_struct *work)
{
	struct resch_thread *thread, *next;
	LIST_HEAD(graves);

	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	list_splice_init(&thread_graves, &graves);
	mutex_unlock(&resch_lock);
	if (list_empty(&graves))
		return;
	synchronize_rcu();
	list_for_each_entry_safe(thread, next, &graves, grave) {
		mutex_lock(&resch_lock);
		list_del_init(&thread->grave);
		mutex_unlock(&resch_lock);
		thread_bury(thread);
		mutex_lock(&resch_lock);
		thread_nr_graves--;
		mutex_unlock(&resch_lock);
	}
	wake_up_var(&thread_nr_graves);
}

void resch_thread_settle(void)
{
	wait_var_event_timeout(&thread_nr_graves, !READ_ONCE(thread_nr_graves), HZ / 2);
}

void resch_thread_leave(struct resch_thread *thread)
{
	struct resch_cpu *rc;
	unsigned long flags;
	bool inherits;

	if (thread->linux_task != current || !thread->hooked ||
	    READ_ONCE(thread->state) != RESCH_GONE)
		return;
	if (thread->to_give) {
		thread->to_give = false;
		resch_restore_give(thread);
	}
	resch_hooks_unwatch(thread);
	thread_quiesce(thread);
	rc = resch_thread_lock_irqsave(thread, flags);
	thread->hooked = false;
	/* Work that is still queued takes the reference over. */
	inherits = thread->work_queued && !thread->work_owns;
	if (inherits)
		thread->work_owns = true;
	resch_cpu_unlock_irqrestore(rc, flags);
	if (!inherits)
		resch_thread_put(thread);
}

void resch_thread_leave_self(void)
{
	struct resch_thread *thread = resch_hooks_current();

	if (thread)
		resch_thread_leave(thread);
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
	kfree(thread->child);
	kfree_rcu(thread, rcu);
	module_put(THIS_MODULE);
}

/* ---- lists ----------------------------------------------------------------------------------- */

struct resch_thread *resch_thread_by_id(u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&thread_ids, id);
}

struct resch_thread *resch_thread_after_id(u32 id)
{
	unsigned long index = id;

	lockdep_assert_held(&resch_lock);
	return xa_find_after(&thread_ids, &index, INT_MAX, XA_PRESENT);
}

u32 resch_thread_count(void)
{
	lockdep_assert_held(&resch_lock);
	return thread_count;
}

void resch_thread_exit(void)
{
	resch_family_exit();
	flush_work(&thread_reaper);
	xa_destroy(&thread_ids);
}
