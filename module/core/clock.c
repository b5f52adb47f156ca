// SPDX-License-Identifier: GPL-2.0
/* clock.c - the CPU's one timer and its events: they call the engine */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "clock.h"
#include "engine.h"
#include "straight.h"

/* An event that is nearer than this may be past by the time that its timer is set, ns. */
#define RESCH_NEAR (50 * NSEC_PER_USEC)

void resch_clock_arm(struct resch_cpu *rc)
{
	u64 next = resch_engine_next(rc);

	resch_cpu_assert_locked(rc);
	if (next == rc->armed || unlikely(!rc->online))
		return;
	rc->armed = next;
	if (next == RESCH_NEVER)
		hrtimer_try_to_cancel(&rc->timer);
	else
		hrtimer_start(&rc->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Takes in what has come due at @expires, and returns the time of the next event. cpu->lock.
 *
 * It acts as of the time that the timer was set to, which spares a look at the clock; but time must
 * not run backwards. An event that is near may be past already: then all that has come due since is
 * taken in at once, as of now. One by one they could keep the CPU in this interrupt for ever, if
 * each brings the next (the budget of a thread that can't use it up as it is interrupted, say). And
 * CPUs that share their tasks have to agree on what time it is.
 */
static u64 clock_expire(struct resch_cpu *rc, u64 expires)
{
	u64 now = max(rc->now, unlikely(rc->whole) ? ktime_get() : expires);
	u64 next = resch_straight_timer(rc, now);

	if (unlikely(!next))
		next = resch_straight_timer_asked(rc, now);
	if (unlikely(!next)) {
		resch_engine_update(rc, now);
		next = resch_engine_next(rc);
	}
	if (unlikely(next < now + RESCH_NEAR)) {
		now = ktime_get();
		if (next <= now) {
			resch_engine_update(rc, now);
			next = resch_engine_next(rc);
		}
	}
	return next;
}

enum hrtimer_restart resch_clock_timer(struct hrtimer *timer)
{
	struct resch_cpu *rc = container_of(timer, struct resch_cpu, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	u64 next;

	resch_cpu_lock(rc);
	next = clock_expire(rc, ktime_to_ns(hrtimer_get_expires(timer)));
	rc->armed = rc->online ? next : RESCH_NEVER;
	if (rc->armed != RESCH_NEVER) {
		hrtimer_set_expires(timer, ns_to_ktime(rc->armed));
		restart = HRTIMER_RESTART;
	}
	resch_cpu_unlock(rc);
	return restart;
}

/* Hard interrupt, on the CPU: something has changed. */
static void clock_event(void *info)
{
	struct resch_cpu *rc = info;

	resch_cpu_lock(rc);
	resch_engine_update(rc, ktime_get());
	resch_clock_arm(rc);
	resch_cpu_unlock(rc);
}

void resch_clock_irq_work(struct irq_work *work)
{
	clock_event(container_of(work, struct resch_cpu, irq_work));
}

void resch_clock_call(void *info)
{
	struct resch_cpu *rc = info;

	/*
	 * From here on a new change sends a new call: not before the kernel's own mark on the csd,
	 * which it has taken off, is seen to be off; and not after the look at what has changed.
	 */
	clear_bit_unlock(0, &rc->kicked);
	smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in cpu_send() */
	clock_event(rc);
}

void resch_clock_orphans(struct irq_work *work)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		if (cpu_online(cpu))
			continue;
		resch_cpu_lock(rc);
		resch_engine_update(rc, ktime_get());
		resch_cpu_unlock(rc);
	}
}

void resch_clock_freeze_all(void)
{
	struct resch_cpu *rc;
	unsigned long flags;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		rc = resch_cpu_get(cpu);
		resch_cpu_lock_irqsave(rc, flags);
		resch_engine_freeze(rc, ktime_get());
		resch_cpu_unlock_irqrestore(rc, flags);
	}
}
