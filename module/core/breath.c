// SPDX-License-Identifier: GPL-2.0
/* breath.c - what takes long lets others have the CPU */
#include <linux/hrtimer.h>
#include <linux/sched.h>

#include "breath.h"
#include "linux/hooks.h"

/*
 * How long who is at the ceiling leaves the CPU to those below, ns: some four times as long as he
 * works.
 */
#define RESCH_BREATH (500 * NSEC_PER_USEC)

/* How many threads are looked after from one breath to the next: some 0.1 ms of work. */
#define RESCH_PORTION 64

/*
 * Is current between resch_thread_raise() and resch_thread_lower()? It is then above all tasks of
 * its CPU.
 */
static bool breath_is_raised(void)
{
	const struct resch_thread *thread = resch_hooks_current();

	return thread && READ_ONCE(thread->above);
}

void resch_breathe(void)
{
	ktime_t pause = ns_to_ktime(RESCH_BREATH);

	if (!breath_is_raised()) {
		cond_resched();
		return;
	}
	/*
	 * Not by jiffies: on PREEMPT_RT these wait for whoever keeps the CPU's timer thread
	 * waiting.
	 */
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout_range(&pause, 0, HRTIMER_MODE_REL_HARD);
}
EXPORT_SYMBOL_GPL(resch_breathe);

void resch_breathe_each(u32 *count)
{
	if (!(++*count % RESCH_PORTION))
		resch_breathe();
}
