// SPDX-License-Identifier: GPL-2.0
/*
 * move.c - away from an RT CPU, or to one, without sharing locks
 *
 * The report's three parts (RR-5781, section 3.1.2): *request*, by the thread itself, which puts
 * itself on a lock-free list, rings and sleeps; *completion*, the context switch that follows;
 * *fetch*, by the thread resch-guard on an NRT CPU, which changes the affinity of the sleeping
 * thread and wakes it. The list's nodes are on the stacks of those who sleep, so nothing is
 * allocated.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include <uapi/linux/sched/types.h>

#include <resch/types.h>

#include "affinity.h"
#include "balance.h"
#include "bell.h"
#include "clock.h"
#include "crowd.h"
#include "move.h"
#include "state.h"
#include "visitor.h"
#include "core/params.h"

/* A round that takes long is followed by so many times that without one, but not by more than... */
#define GUARD_REST 8
#define GUARD_REST_MOST (100 * NSEC_PER_MSEC)
/* Workers are looked for each so many rounds. */
#define GUARD_SELDOM 8

/*
 * resch_guard_mutex: the affinity that resch-guard has from others, and the one that it has from us
 */
static cpumask_t guard_user, guard_set;

/* Not a move: about `whose`. resch_guard_mutex. */
static void guard_about(const struct resch_guard_ask *move)
{
	struct resch_visitor *visitor;

	rcu_read_lock();
	visitor = resch_visitor_find(move->whose);
	rcu_read_unlock(); /* nobody but us, with the mutex, could free it */
	if (visitor && move->what == RESCH_GUARD_SPAN)
		resch_visitor_span(visitor);
	else if (visitor)
		resch_visitor_spanned(visitor);
}

/* resch_guard_mutex. */
static void guard_serve(const struct resch_guard_ask *move, struct task_struct *task)
{
	struct resch_visitor *visitor;

	if (!resch_guard_stands())
		return;
	if (move->what != RESCH_GUARD_MOVE) {
		guard_about(move);
		return;
	}
	/*
	 * It has put itself on the list and is about to be gone from its CPU. Moving a running
	 * thread would have that CPU's stopper do the work.
	 */
	while (READ_ONCE(task->on_cpu))
		cpu_relax();
	visitor = resch_visitor_make(task);
	if (visitor && move->cpu >= 0)
		resch_visitor_send(visitor, move->cpu);
	else if (!visitor || !resch_visitor_home(visitor))
		per_cpu(resch_guard_cpus, task_cpu(task)).failed++;
}

/* To an RT CPU: that wakes it, so that nobody else holds its run queue. resch_guard_mutex. */
static bool guard_deliver(struct resch_guard_ask *move)
{
	struct resch_visitor *visitor;
	s32 cpu = -1;

	if (move->what != RESCH_GUARD_MOVE || move->cpu < 0)
		return false;
	rcu_read_lock();
	visitor = resch_visitor_find(move->task);
	if (visitor)
		cpu = visitor->cpu;
	rcu_read_unlock();
	return cpu >= 0 && resch_balance_push(move->task, &move->done, cpu);
}

/* resch_guard_mutex. */
static void guard_wake(struct resch_guard_ask *move, struct task_struct *task)
{
	if (guard_deliver(move))
		return;
	smp_store_release(&move->done, true); /* its stack is its own from here on */
	wake_up_process(task);
}

static void guard_fetch(struct llist_head *moves)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(moves));
	struct resch_guard_ask *move, *next;

	llist_for_each_entry_safe(move, next, list, node) {
		struct task_struct *task = get_task_struct(move->task);

		guard_serve(move, task);
		guard_wake(move, task);
		put_task_struct(task);
	}
}

bool resch_guard_move_breathe(void)
{
	unsigned int changes = resch_guard_changes;

	guard_fetch(&resch_guard_asking);
	mutex_unlock(&resch_guard_mutex);
	cond_resched();
	mutex_lock(&resch_guard_mutex);
	return changes == resch_guard_changes;
}

/* When the next round may be. resch_guard_mutex; a guard stands. */
static u64 guard_round(u64 now)
{
	static unsigned int rounds;
	u64 begin = resch_balance_executed(), spent;

	resch_guard_move_away();
	resch_visitor_bury();
	if (!(rounds++ % GUARD_SELDOM))
		resch_visitor_gather_workers();
	resch_balance_round(now);
	spent = resch_balance_executed() - begin;
	return now + clamp(GUARD_REST * spent, RESCH_GUARD_TICK, GUARD_REST_MOST);
}

/* What is due each tick. resch_guard_mutex. */
static void guard_tick(u64 now)
{
	static u64 tick, round;

	if (resch_guard_stands() && now < tick)
		return;
	guard_fetch(&resch_guard_later);
	if (!resch_guard_stands())
		return;
	tick = now + RESCH_GUARD_TICK;
	if (now >= round)
		round = guard_round(now);
}

static int guard_main(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (llist_empty(&resch_guard_asking) && !test_bit(0, &resch_guard_kicked) &&
		    !kthread_should_stop()) {
			if (resch_guard_stands())
				schedule_timeout(nsecs_to_jiffies(RESCH_GUARD_TICK));
			else
				schedule();
		}
		__set_current_state(TASK_RUNNING);
		clear_bit(0, &resch_guard_kicked);
		mutex_lock(&resch_guard_mutex);
		guard_fetch(&resch_guard_asking);
		guard_tick(ktime_get_mono_fast_ns());
		mutex_unlock(&resch_guard_mutex);
	}
	return 0;
}

/* Once, and when it is over. resch_guard_mutex. */
static void guard_say_stuck(bool is)
{
	static bool was;

	if (is && !was)
		pr_warn("no CPU but RT CPUs is active: resch-guard stays where it is\n");
	else if (was && !is)
		pr_info("resch-guard is off RT CPUs again\n");
	was = is;
}

void resch_guard_move_away(void)
{
	const cpumask_t *now = &resch_guard_thread->cpus_mask;
	cpumask_t want;

	lockdep_assert_held(&resch_guard_mutex);
	/* Somebody has put it elsewhere; or the kernel, which does so where a CPU comes or goes. */
	if (!cpumask_equal(now, &guard_set))
		cpumask_copy(&guard_user, now);
	cpumask_andnot(&want, &guard_user, &resch_guard_rt);
	if (!cpumask_intersects(&want, cpu_active_mask))
		cpumask_andnot(&want, cpu_active_mask, &resch_guard_rt);
	guard_say_stuck(!cpumask_equal(now, &want) &&
			set_cpus_allowed_ptr(resch_guard_thread, &want));
	cpumask_copy(&guard_set, now); /* the kernel may have cut it */
}

int __init resch_guard_move_init(void)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = resch_level + RESCH_CEILING + 1,
	};
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_CSD(&per_cpu(resch_guard_cpus, cpu).csd, resch_guard_rung, NULL);
	resch_guard_thread = kthread_run(guard_main, NULL, "resch-guard");
	if (IS_ERR(resch_guard_thread))
		return PTR_ERR(resch_guard_thread);
	sched_setattr_nocheck(resch_guard_thread, &attr);
	return 0;
}

void resch_guard_move_exit(void)
{
	kthread_stop(resch_guard_thread);
	/* A bell may still be on its way. */
	kick_all_cpus_sync();
}
