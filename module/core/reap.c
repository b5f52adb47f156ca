// SPDX-License-Identifier: GPL-2.0
/* reap.c - retired threads give back what they had, and are freed */
#include <linux/ktime.h>
#include <linux/wait_bit.h>

#include "breath.h"
#include "cpu.h"
#include "direct.h"
#include "params.h"
#include "reap.h"
#include "retire.h"
#include "chain/chain.h"
#include "domain/join.h"
#include "linux/hooks.h"
#include "linux/restore.h"
#include "server/grant.h"

static LIST_HEAD(thread_graves); /* resch_lock */
static u32 thread_nr_graves; /* resch_lock */

/*
 * A note that is still on its CPU's list would outlive the thread. No new one comes: the hash has
 * let go of it a grace period ago, and its own notifier holds a reference.
 */
static void thread_quiesce(struct resch_thread *thread)
{
	ktime_t delay = ms_to_ktime(1);

	while (test_bit(0, &thread->noted)) {
		resch_cpu_kick(resch_cpu_get(READ_ONCE(thread->noted_cpu)));
		/*
		 * Not by jiffies: on PREEMPT_RT these wait for whoever keeps the CPU's timer thread
		 * waiting.
		 */
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_hrtimeout_range(&delay, 0, HRTIMER_MODE_REL_HARD);
	}
}

/* Out of the lists that the hooks, the domain and admission read. */
static void thread_unlink(struct resch_thread *thread)
{
	WRITE_ONCE(thread->reaped, true);
	resch_chain_quit(thread);
	resch_domain_quit(thread);
	if (thread->entered && !thread->dead) {
		/*
		 * Current holds resch_lock, and must not do so as the ordinary thread that it was.
		 */
		if (thread->linux_task == current && thread->hooked)
			thread->to_give = true;
		else
			resch_restore_give(thread);
	}
	resch_thread_hide(thread);
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
	if (!thread->root)
		resch_grant_count(thread->grant, -1);
	WRITE_ONCE(thread->file, NULL);
	list_del_init(&thread->in_file);
	resch_thread_strike(thread);
	resch_thread_put(thread);
}

void resch_thread_reap_all(void)
{
	struct resch_thread *thread, *next;
	struct llist_node *list;
	u32 count = 0;

	lockdep_assert_held(&resch_lock);
	list = llist_del_all(&resch_reap);
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
		resch_breathe_each(&count);
	}
}

/*
 * Its note is taken, and nobody finds the thread any more: the references of the list of graves
 * and, where it has died, of its notifier. Worker, no locks.
 */
static void thread_bury(struct resch_thread *thread)
{
	resch_direct_exit(thread);
	if (thread->hooked && thread->died) {
		thread->hooked = false;
		resch_hooks_forget();
		resch_thread_put(thread);
	}
	resch_thread_put(thread);
}

/*
 * Who is in a grave now, linked by `buried`. Each that dies, or whose hook comes off, after this
 * look comes here once more. Worker.
 */
static struct resch_thread *thread_graves_take(void)
{
	struct resch_thread *thread, *next, *all = NULL;

	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	list_for_each_entry_safe(thread, next, &thread_graves, grave) {
		list_del_init(&thread->grave);
		thread->died = READ_ONCE(thread->dead);
		thread->buried = all;
		all = thread;
	}
	mutex_unlock(&resch_lock);
	return all;
}

/*
 * The two grace periods are between a word and a reference, each time with interrupts off: who dies
 * says so and then notes itself; its CPU takes that note and then has it reaped once more.
 */
static void thread_reap_work(struct work_struct *work)
{
	struct resch_thread *thread, *next, *all = thread_graves_take();
	bool died = false;
	u32 count = 0;

	if (!all)
		return;
	synchronize_rcu();
	for (thread = all; thread; thread = thread->buried) {
		if (!READ_ONCE(thread->hooked) || thread->died)
			thread_quiesce(thread);
		died |= thread->died;
	}
	if (died)
		synchronize_rcu();
	for (thread = all; thread; thread = next) {
		next = thread->buried;
		thread_bury(thread);
		resch_breathe_each(&count);
	}
	mutex_lock(&resch_lock);
	thread_nr_graves -= count;
	mutex_unlock(&resch_lock);
	smp_mb(); /* the number, then a look at who waits; pairs with that of wait_var_event() */
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

void __init resch_reap_init(void)
{
	INIT_WORK(&resch_reaper, thread_reap_work);
}

void resch_reap_exit(void)
{
	flush_work(&resch_reaper);
}
