// SPDX-License-Identifier: GPL-2.0
/* park.c - stop this task: two ways behind one interface */
#include <asm/irq_regs.h>
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>

#include "agenda.h"
#include "park.h"
#include "trace.h"
#include "compat/rseq.h"

/*
 * Whether the thread was interrupted in user mode, so that it will meet its task work on the way
 * out of this very interrupt. Only timer interrupts keep the registers at hand; anywhere else the
 * answer is no, which costs a look later.
 */
static bool park_is_near(const struct resch_thread *thread)
{
	struct pt_regs *regs = in_hardirq() ? get_irq_regs() : NULL;

	return regs && user_mode(regs) && thread->linux_task == current;
}

void resch_park_stop(struct resch_thread *thread, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (thread->dead)
		return;
	if (unlikely(thread->held)) {
		/* It was not even let go: the helper had yet to move it. */
		resch_agenda_stopped(thread);
		return;
	}
	thread->stopped_at = now;
	if (unlikely(!resch_stop_by_parking)) {
		resch_cpu_adjust(thread);
		return;
	}
	/*
	 * Who is about to die does not come by user mode any more, and is demoted if it takes long.
	 * @now may be the time that a late timer was set to, and the thread needs real time to
	 * arrive.
	 */
	if ((!resch_thread_poke(thread) || !park_is_near(thread)) &&
	    !resch_node_queued(&thread->late))
		resch_queue_insert(&rc->late, &thread->late,
				   ktime_get() + (u64)resch_escalate_us * NSEC_PER_USEC);
}

void resch_park_go(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (unlikely(resch_node_queued(&thread->late)))
		resch_queue_erase(&rc->late, &thread->late);
	if (unlikely(READ_ONCE(thread->demoted) || test_bit(0, &thread->adjusting)))
		resch_cpu_adjust(thread);
	if (!thread->held)
		return;
	if (unlikely(thread->pinned != thread->cpu && thread->state != RESCH_GONE)) {
		resch_cpu_adjust(thread); /* the helper moves it, and comes here again */
		return;
	}
	resch_job_note(thread);
	/* pairs with the load in resch_park_hold_locked() */
	smp_store_release(&thread->held, false);
	wake_up_process(thread->linux_task);
}

void resch_park_escalate(struct resch_thread *thread, u64 now)
{
	resch_cpu_assert_locked(thread->rc);
	if (thread->run || thread->held || thread->state == RESCH_GONE)
		return;
	if (READ_ONCE(thread->kblocked))
		return; /* it stopped by itself; it is looked at again when it wakes */
	thread->stats.escalations++;
	trace_resch_escalate(thread, now, now - thread->stopped_at);
	resch_cpu_adjust(thread);
}

void resch_park_astray(struct resch_thread *thread)
{
	unsigned long flags;

	if (!READ_ONCE(thread->entered) || READ_ONCE(thread->state) == RESCH_GONE)
		return;
	resch_thread_lock_irqsave(thread, flags);
	thread->stats.migrations++;
	thread->todo |= RESCH_TODO_PIN;
	resch_thread_poke(thread);
	resch_thread_unlock_irqrestore(thread, flags);
}

/* The thread itself is the one who may change its list of notifiers. */
void resch_park_sleep(struct resch_thread *thread)
{
	int cid;

	if (unlikely(!thread->hooked)) {
		schedule();
		return;
	}
	cid = resch_rseq_before();
	__hlist_del(&thread->notifier.link);
	schedule();
	hlist_add_head(&thread->notifier.link, &current->preempt_notifiers);
	resch_rseq_after(cid);
	if (unlikely(raw_smp_processor_id() != READ_ONCE(thread->cpu)))
		resch_park_astray(thread);
}

int resch_park_hold_locked(struct resch_thread *thread, bool interruptible, unsigned long flags)
	__releases(thread->rc->lock)
{
	/*
	 * Not interruptible means: by fatal signals only. Not counted as load, no business of the
	 * hung-task detector, and the freezer may have it.
	 */
	unsigned int sleep = interruptible ? TASK_INTERRUPTIBLE | TASK_FREEZABLE :
					     TASK_KILLABLE | TASK_NOLOAD | TASK_FREEZABLE;
	struct resch_cpu *rc = thread->rc;
	int err = 0;

	for (;;) {
		thread->held = false;
		if (thread->run) {
			resch_job_note(thread);
			break;
		}
		if (unlikely(signal_pending_state(sleep, current))) {
			err = -EINTR;
			break;
		}
		if (unlikely(resch_node_queued(&thread->late)))
			resch_queue_erase(&rc->late, &thread->late);
		thread->held = true;
		if (thread->task.busy)
			resch_agenda_stopped(thread);
		set_current_state(sleep);
		resch_cpu_unlock_irqrestore(rc, flags);
		resch_park_sleep(thread);
		/*
		 * The usual way out: the one who selected us cleared `held` before waking us, and
		 * noted our job before that.
		 */
		if (likely(!smp_load_acquire(&thread->held) && READ_ONCE(thread->run)))
			return 0;
		rc = resch_thread_lock_irqsave(thread, flags);
	}
	resch_cpu_unlock_irqrestore(rc, flags);
	return err;
}

int resch_park_hold_straight(struct resch_thread *thread, unsigned long flags)
	__releases(thread->rc->lock)
{
	thread->held = true;
	set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
	resch_cpu_unlock_irqrestore(thread->rc, flags);
	resch_park_sleep(thread);
	/* The usual way out, as above; a signal keeps it from sleeping, and is found there. */
	if (likely(!smp_load_acquire(&thread->held) && READ_ONCE(thread->run)))
		return 0;
	resch_thread_lock_irqsave(thread, flags);
	return resch_park_hold_locked(thread, true, flags);
}

int resch_park_hold(struct resch_thread *thread, bool interruptible)
{
	unsigned long flags;

	resch_thread_lock_irqsave(thread, flags);
	return resch_park_hold_locked(thread, interruptible, flags);
}
