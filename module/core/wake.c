// SPDX-License-Identifier: GPL-2.0
/*
 * wake.c - waking who waits in user space, from under the locks of CPUs
 *
 * What is waited for happens where a CPU's lock is held, and no wait queue can be woken there; an
 * interrupt follows at once and does that. On PREEMPT_RT wait queues have locks that sleep. The
 * threads that the kernel has for this have its lowest real-time priority, and a task that overruns
 * would keep the news of its overrun from being told until it has ended: so there a thread above
 * all registered tasks wakes.
 */
#include <linux/err.h>
#include <linux/poll.h>
#include <uapi/linux/sched/types.h>

#include <resch/types.h>

#include "params.h"
#include "wake.h"

static struct kthread_worker *wake_worker; /* NULL: not PREEMPT_RT */

static void wake_now(struct resch_wake *wake)
{
	wake_up_interruptible_poll(&wake->queue, EPOLLIN | EPOLLRDNORM);
}

/* Thread, no locks. */
static void wake_work(struct kthread_work *work)
{
	wake_now(container_of(work, struct resch_wake, work));
}

/* Hard interrupt, no locks. */
static void wake_irq(struct irq_work *irq)
{
	struct resch_wake *wake = container_of(irq, struct resch_wake, irq);

	if (wake_worker)
		kthread_queue_work(wake_worker, &wake->work);
	else
		wake_now(wake);
}

void resch_wake_init(struct resch_wake *wake)
{
	init_waitqueue_head(&wake->queue);
	/* Where it wakes by itself, under a lock that would sleep there, lockdep has to be told. */
	wake->irq = IS_ENABLED(CONFIG_PREEMPT_RT) ? IRQ_WORK_INIT_HARD(wake_irq) :
						    IRQ_WORK_INIT(wake_irq);
	kthread_init_work(&wake->work, wake_work);
}

void resch_wake_up(struct resch_wake *wake)
{
	irq_work_queue(&wake->irq);
}

void resch_wake_end(struct resch_wake *wake)
{
	irq_work_sync(&wake->irq);
	kthread_cancel_work_sync(&wake->work);
}

int __init resch_wake_start(void)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = resch_level + RESCH_CEILING + 1,
	};
	struct kthread_worker *worker;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return 0;
	worker = kthread_create_worker(0, "resch-events");
	if (IS_ERR(worker))
		return PTR_ERR(worker);
	sched_setattr_nocheck(worker->task, &attr);
	/* Since 6.14 it does not run by itself. */
	wake_up_process(worker->task);
	wake_worker = worker;
	return 0;
}

void resch_wake_stop(void)
{
	if (wake_worker)
		kthread_destroy_worker(wake_worker);
}
