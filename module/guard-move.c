// SPDX-License-Identifier: GPL-2.0
/*
 * guard-move.c - away from an RT CPU, or to one, without sharing locks
 *
 * The report's three parts (RR-5781, section 3.1.2): *request*, by the thread itself, which puts itself
 * on a lock-free list, rings and sleeps; *completion*, the context switch that follows; *fetch*,
 * by the thread resch-guard on an NRT CPU, which changes the affinity of the sleeping thread and
 * wakes it. The list's nodes are on the stacks of those who sleep, so nothing is allocated.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include <uapi/linux/sched/types.h>

#include "balance.h"
#include "cpu.h"
#include "guard.h"

struct guard_move {
	struct llist_node node;
	struct task_struct *task;
	s32 cpu;
	bool look; /* not to be moved: see resch_guard_look() */
	struct task_struct *whose;
	bool done; /* the last that resch-guard writes here */
};

static LLIST_HEAD(guard_moves);
static struct task_struct *guard_thread; /* constant after init */
static unsigned long guard_kicked; /* bit 0 */
/* resch_guard_mutex: the affinity that resch-guard has from others, and the one that it has from us */
static cpumask_t guard_user, guard_set;

/* Hard interrupt, on an NRT CPU. */
static void guard_rung(void *info)
{
	wake_up_process(guard_thread);
}

/* Preemption off. */
static void guard_ring(void)
{
	unsigned int cpu = task_cpu(guard_thread);
	struct resch_guard_cpu *here = this_cpu_ptr(&resch_guard_cpus);

	if (!cpumask_test_cpu(smp_processor_id(), &resch_guard_rt)) {
		wake_up_process(guard_thread);
		return;
	}
	/*
	 * Where it was last, which is where it wakes up soonest. -EBUSY: the bell is still on its
	 * way, and whoever hears it finds us, too.
	 */
	if (smp_call_function_single_async(cpu, &here->csd) == -ENXIO)
		wake_up_process(guard_thread); /* its CPU has just gone offline */
}

static void guard_ask(struct guard_move *move)
{
	set_current_state(TASK_UNINTERRUPTIBLE);
	preempt_disable();
	/* Who finds the list empty rings for all who come until it is emptied. */
	if (llist_add(&move->node, &guard_moves))
		guard_ring();
	preempt_enable();
	while (!smp_load_acquire(&move->done)) { /* pairs with the release in guard_fetch() */
		schedule();
		set_current_state(TASK_UNINTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
}

void resch_guard_move(s32 cpu)
{
	struct guard_move move = { .task = current, .cpu = cpu };

	guard_ask(&move);
}

void resch_guard_look(struct task_struct *whose)
{
	struct guard_move move = { .task = current, .look = true, .whose = whose };

	guard_ask(&move);
}

/* resch_guard_mutex. */
static void guard_serve(const struct guard_move *move, struct task_struct *task)
{
	struct resch_visitor *visitor;

	if (!resch_guard_stands())
		return;
	if (move->look) {
		if (move->whose)
			resch_visitor_said(move->whose);
		resch_visitor_look_all();
		return;
	}
	/*
	 * It has put itself on the list and is about to be gone from its CPU. Moving a running thread
	 * would have that CPU's stopper do the work.
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
static bool guard_deliver(struct guard_move *move)
{
	struct resch_visitor *visitor;
	s32 cpu = -1;

	if (move->cpu < 0)
		return false;
	rcu_read_lock();
	visitor = resch_visitor_find(move->task);
	if (visitor)
		cpu = visitor->cpu;
	rcu_read_unlock();
	return cpu >= 0 && resch_balance_push(move->task, &move->done, cpu);
}

/* resch_guard_mutex. */
static void guard_wake(struct guard_move *move, struct task_struct *task)
{
	if (guard_deliver(move))
		return;
	smp_store_release(&move->done, true); /* its stack is its own from here on */
	wake_up_process(task);
}

static void guard_fetch(void)
{
	struct llist_node *list = llist_reverse_order(llist_del_all(&guard_moves));
	struct guard_move *move, *next;

	llist_for_each_entry_safe(move, next, list, node) {
		struct task_struct *task = get_task_struct(move->task);

		guard_serve(move, task);
		guard_wake(move, task);
		put_task_struct(task);
	}
}

static int guard_main(void *unused)
{
	u64 next = 0, now;

	while (!kthread_should_stop()) {
		set_current_state(TASK_IDLE);
		if (llist_empty(&guard_moves) && !test_bit(0, &guard_kicked) &&
		    !kthread_should_stop()) {
			if (resch_guard_stands())
				schedule_timeout(nsecs_to_jiffies(RESCH_GUARD_TICK));
			else
				schedule();
		}
		__set_current_state(TASK_RUNNING);
		clear_bit(0, &guard_kicked);
		mutex_lock(&resch_guard_mutex);
		guard_fetch();
		now = ktime_get_mono_fast_ns();
		if (resch_guard_stands() && now >= next) {
			resch_guard_move_away();
			resch_visitor_bury();
			resch_balance_round(now);
			next = now + RESCH_GUARD_TICK;
		}
		mutex_unlock(&resch_guard_mutex);
	}
	return 0;
}

void resch_guard_move_kick(void)
{
	set_bit(0, &guard_kicked);
	wake_up_process(guard_thread);
}

void resch_guard_move_away(void)
{
	const cpumask_t *now = &guard_thread->cpus_mask;
	cpumask_t want;

	lockdep_assert_held(&resch_guard_mutex);
	/* Somebody has put it elsewhere; or the kernel, which does so where a CPU comes or goes. */
	if (!cpumask_equal(now, &guard_set))
		cpumask_copy(&guard_user, now);
	cpumask_andnot(&want, &guard_user, &resch_guard_rt);
	if (!cpumask_intersects(&want, cpu_active_mask))
		cpumask_andnot(&want, cpu_active_mask, &resch_guard_rt);
	if (!cpumask_equal(now, &want) && set_cpus_allowed_ptr(guard_thread, &want))
		pr_warn_ratelimited("could not keep resch-guard off RT CPUs\n");
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
		INIT_CSD(&per_cpu(resch_guard_cpus, cpu).csd, guard_rung, NULL);
	guard_thread = kthread_run(guard_main, NULL, "resch-guard");
	if (IS_ERR(guard_thread))
		return PTR_ERR(guard_thread);
	sched_setattr_nocheck(guard_thread, &attr);
	return 0;
}

void resch_guard_move_exit(void)
{
	kthread_stop(guard_thread);
	/* A bell may still be on its way. */
	kick_all_cpus_sync();
}
