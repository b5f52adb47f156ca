// SPDX-License-Identifier: GPL-2.0
/* hotplug.c - CPUs come and go; where what calls upwards is set */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ktime.h>

#include "clock.h"
#include "cpu.h"
#include "engine.h"
#include "helper.h"
#include "hotplug.h"
#include "compat/hrtimer.h"
#include "guard/guard.h"

static enum cpuhp_state hotplug_state;

/* Both run on the CPU, in its hotplug thread, with the hotplug lock held. */

static int hotplug_online(unsigned int cpu)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);

	resch_cpu_lock_irq(rc);
	rc->online = true;
	resch_cpu_unlock_irq(rc);
	resch_cpu_kick(rc); /* the rest of Linux may have a server there */
	resch_guard_online();
	return 0;
}

/* Not under resch_lock, which may be held by somebody who waits for the hotplug lock. */
static int hotplug_offline(unsigned int cpu)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);

	resch_cpu_lock_irq(rc);
	resch_engine_clear(rc, RESCH_GONE_OFFLINE, ktime_get());
	rc->online = false;
	rc->armed = RESCH_NEVER;
	resch_cpu_unlock_irq(rc);
	hrtimer_cancel(&rc->timer);
	return 0;
}

int __init resch_hotplug_init(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		raw_spin_lock_init(&rc->own);
		rc->lock = &rc->own;
		mutex_init(&rc->adjust_lock);
		rc->number = cpu;
		rc->rq.cpu = cpu;
		rc->until = RESCH_NEVER;
		rc->armed = RESCH_NEVER;
		INIT_LIST_HEAD(&rc->shadows);
		INIT_LIST_HEAD(&rc->guarded);
		INIT_LIST_HEAD(&rc->calls);
		INIT_LIST_HEAD(&rc->servants);
		init_llist_head(&rc->noted);
		init_llist_head(&rc->adjust);
		rc->irq_work = IRQ_WORK_INIT_HARD(resch_clock_irq_work);
		INIT_CSD(&rc->csd, resch_clock_call, rc);
		hrtimer_setup(&rc->timer, resch_clock_timer, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
	resch_orphans = IRQ_WORK_INIT_HARD(resch_clock_orphans);
	err = resch_helper_start();
	if (err)
		return err;
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "resch:online", hotplug_online,
				hotplug_offline);
	if (err < 0) {
		resch_helper_stop();
		return err;
	}
	hotplug_state = err;
	return 0;
}

void resch_hotplug_exit(void)
{
	unsigned int cpu;

	/* Calls hotplug_offline() everywhere, which stops the timers. */
	cpuhp_remove_state(hotplug_state);
	for_each_possible_cpu(cpu)
		irq_work_sync(&resch_cpu_get(cpu)->irq_work);
	irq_work_sync(&resch_orphans);
	/* An interrupt that a kick sent before is over once every CPU has taken another one. */
	kick_all_cpus_sync();
	resch_helper_stop();
}
