/* SPDX-License-Identifier: GPL-2.0 */
/* clock.h - the CPU's one timer and its events: they call the engine */
#ifndef _RESCH_CORE_CLOCK_H
#define _RESCH_CORE_CLOCK_H

#include "cpu.h"

/* No CPU selects anybody any more, so that workers get through. Any context; SysRq. */
void resch_clock_freeze_all(void);

/* Sets the timer if the next event is not what it is set to. cpu->lock, on the CPU. */
void resch_clock_arm(struct resch_cpu *rc);

/* What the timer of a CPU calls. Hard interrupt, on the CPU. */
enum hrtimer_restart resch_clock_timer(struct hrtimer *timer);

/* Another CPU has kicked the CPU @info. Hard interrupt, there. */
void resch_clock_call(void *info);

/* It has kicked itself. Hard interrupt, on the CPU. */
void resch_clock_irq_work(struct irq_work *work);

/*
 * Threads whose CPU has gone offline have no registration any more, but they may still block, wake
 * and die with their hook on. Whoever notes that takes it in for them. Hard interrupt, anywhere.
 */
void resch_clock_orphans(struct irq_work *work);

#endif /* _RESCH_CORE_CLOCK_H */
