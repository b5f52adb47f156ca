// SPDX-License-Identifier: GPL-2.0
/* bell.c - a visitor asks, rings and sleeps */
#include <linux/capability.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <resch/types.h>

#include "bell.h"
#include "state.h"
#include "visitor.h"

/* Who has had more moves in such a time waits for the tick, like all the others who have: */
#define GUARD_MOVES 16
#define GUARD_MOVES_TIME (100 * NSEC_PER_MSEC)

LLIST_HEAD(resch_guard_asking);
LLIST_HEAD(resch_guard_later);
struct task_struct *resch_guard_thread;
unsigned long resch_guard_kicked;

void resch_guard_rung(void *info)
{
	wake_up_process(resch_guard_thread);
}

/* Preemption off. */
static void guard_ring(void)
{
	unsigned int cpu = task_cpu(resch_guard_thread);
	struct resch_guard_cpu *here = this_cpu_ptr(&resch_guard_cpus);

	if (!cpumask_test_cpu(smp_processor_id(), &resch_guard_rt)) {
		wake_up_process(resch_guard_thread);
		return;
	}
	/*
	 * Where it was last, which is where it wakes up soonest. -EBUSY: the bell is still on its
	 * way, and whoever hears it finds us, too.
	 */
	if (smp_call_function_single_async(cpu, &here->csd) == -ENXIO)
		wake_up_process(resch_guard_thread); /* its CPU has just gone offline */
}

/* Who finds the list empty rings for all who come until it is emptied. */
static void guard_queue(struct resch_guard_ask *move)
{
	preempt_disable();
	if (llist_add(&move->node, &resch_guard_asking))
		guard_ring();
	preempt_enable();
}

static void guard_queue_later(struct resch_guard_ask *move)
{
	llist_add(&move->node, &resch_guard_later);
	/*
	 * Without a guard there is no tick. Ordered by the list: guard_main() empties it after the
	 * last has gone.
	 */
	if (!resch_guard_stands())
		resch_guard_move_kick();
}

static void guard_ask(struct resch_guard_ask *move, void (*queue)(struct resch_guard_ask *move))
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	queue(move);
	while (!smp_load_acquire(&move->done)) { /* pairs with the release in guard_wake() */
		schedule();
		set_current_state(TASK_UNINTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

/*
 * Anybody may have himself moved, again and again, by a thread that comes before all others on NRT
 * CPUs. Who leaves an RT CPU is not kept waiting: that has been lent to it, which happens only so
 * often.
 */
static bool guard_moves_often(s32 cpu)
{
	struct resch_visitor *visitor;
	bool often = false;
	u64 now;

	if (cpu < 0 && cpumask_test_cpu(raw_smp_processor_id(), &resch_guard_rt))
		return false;
	rcu_read_lock();
	visitor = resch_visitor_find(current);
	if (visitor) {
		now = ktime_get_mono_fast_ns();
		if (now - visitor->moves_since > GUARD_MOVES_TIME) {
			visitor->moves_since = now;
			visitor->moves = 0;
		}
		often = ++visitor->moves > GUARD_MOVES;
	}
	rcu_read_unlock();
	return often && !ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE);
}

void resch_guard_move(s32 cpu)
{
	struct resch_guard_ask move = { .task = current, .cpu = cpu };

	guard_ask(&move, guard_moves_often(cpu) ? guard_queue_later : guard_queue);
}

void resch_guard_look(struct task_struct *whose)
{
	struct resch_guard_ask move = { .task = current, .what = RESCH_GUARD_LOOK, .whose = whose };

	guard_ask(&move, guard_queue);
}

void resch_guard_span(struct task_struct *whose)
{
	struct resch_guard_ask move = { .task = current, .what = RESCH_GUARD_SPAN, .whose = whose };

	guard_ask(&move, guard_queue);
}

void resch_guard_move_kick(void)
{
	set_bit(0, &resch_guard_kicked);
	wake_up_process(resch_guard_thread);
}
