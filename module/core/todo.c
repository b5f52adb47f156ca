// SPDX-License-Identifier: GPL-2.0
/* todo.c - what a thread does itself on its way to user mode */
#include <linux/ktime.h>
#include <linux/sched/signal.h>

#include "cpu.h"
#include "jobs.h"
#include "life.h"
#include "params.h"
#include "park.h"
#include "reap.h"
#include "retire.h"
#include "todo.h"
#include "trace.h"
#include "linux/restore.h"
#include "server/family.h"

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

/* Nobody preempts it in between: it is recorded when it happens. */
static noinline void thread_show_park(const struct resch_thread *thread)
{
	unsigned long flags;

	local_irq_save(flags);
	trace_resch_park(thread, ktime_get(), 0);
	local_irq_restore(flags);
}

static void thread_do(struct resch_thread *thread, u8 todo)
{
	if (todo & RESCH_TODO_LEAVE) {
		/* Its next child may come before nobody finds it any more, and needs its heir. */
		if (todo & RESCH_TODO_CHILD)
			thread_had_child(thread);
		else if (todo & RESCH_TODO_BORN)
			thread_expect_child(thread);
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
			thread_show_park(thread);
		resch_park_hold(thread, false);
	}
}

void resch_todo_work(struct callback_head *work)
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

/* Its first job. Now, while nobody on the CPU can keep it from it. */
static int thread_begin(struct resch_thread *thread)
{
	struct resch_cpu *rc = resch_thread_lock_irq(thread);
	/* On its way here it may have slept, and the CPU gone offline. */
	bool gone = thread->state == RESCH_GONE;

	if (!gone) {
		resch_job_start(thread, ktime_get());
		if (thread->task.params.kind == RESCH_WAKEUP)
			resch_thread_poke(thread);
	}
	resch_cpu_unlock_irq(rc);
	return gone ? -ECANCELED : 0;
}

int resch_thread_enter(struct resch_thread *thread, bool start)
{
	int err;

	if (READ_ONCE(thread->state) == RESCH_GONE || thread->entered)
		return -ECANCELED;
	/* Before it has the lock, for it may be a thread that gets little of its CPU. */
	err = resch_restore_save(thread);
	if (!err)
		err = resch_restore_ceiling(current);
	if (err)
		return err;
	mutex_lock(&resch_lock);
	err = READ_ONCE(thread->state) == RESCH_GONE ? -ECANCELED : resch_restore_take(thread);
	if (err)
		goto out;
	thread_expect_child(thread);
	resch_thread_hook(thread);
	WRITE_ONCE(thread->entered, true);
	err = start ? thread_begin(thread) : 0;
out:
	mutex_unlock(&resch_lock);
	if (err) {
		resch_restore_policy(thread);
	} else {
		refcount_inc(&thread->refs);
		resch_thread_lower(thread);
		resch_cpu_kick(READ_ONCE(thread->rc));
	}
	return err;
}
