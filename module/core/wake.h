/* SPDX-License-Identifier: GPL-2.0 */
/* wake.h - a wait queue that is woken from where the locks of CPUs are held */
#ifndef _RESCH_WAKE_H
#define _RESCH_WAKE_H

#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/wait.h>

struct resch_wake {
	wait_queue_head_t queue;
	struct irq_work irq;
	struct kthread_work work; /* PREEMPT_RT */
};

/* Process context. */
void resch_wake_init(struct resch_wake *wake);

/* Whoever waits or polls for input looks again, soon. Any context, raw locks held or not. */
void resch_wake_up(struct resch_wake *wake);

/*
 * Process context, may sleep: nobody is being woken any more. The caller has seen to it that
 * nothing calls resch_wake_up().
 */
void resch_wake_end(struct resch_wake *wake);

/* With the module. */
int resch_wake_start(void);
void resch_wake_stop(void);

#endif /* _RESCH_WAKE_H */
