// SPDX-License-Identifier: GPL-2.0
/*
 * guard-return.c - who may use RT CPUs now
 *
 * A simple rule: a visitor that computes, and has not made a call for a while, is lent to an RT CPU
 * that has nobody else; one that gets nothing there, since RT0 needs the CPU, is taken back.
 */
#include <linux/ktime.h>

#include "guard.h"

/* So long without a call, and it is one that computes. */
#define RESCH_GUARD_QUIET (20 * NSEC_PER_MSEC)
/* So long without CPU time it waits for its RT CPU, ns. */
#define RESCH_GUARD_STARVED (20 * NSEC_PER_MSEC)
/* Taken back from a CPU, it is left where it is for so long. */
#define RESCH_GUARD_REST (100 * NSEC_PER_MSEC)

struct guard_look {
	u64 now;
	cpumask_t free; /* RT CPUs without a visitor */
};

static void guard_recall(struct resch_visitor *visitor, struct guard_look *look)
{
	u64 runtime = READ_ONCE(visitor->task->se.sum_exec_runtime);
	s32 cpu = visitor->cpu;

	if (runtime != visitor->runtime) {
		visitor->runtime = runtime;
		visitor->ran = look->now;
	} else if (look->now - max(visitor->ran, visitor->since) > RESCH_GUARD_STARVED &&
		   resch_visitor_home(visitor)) {
		per_cpu(resch_guard_cpus, cpu).recalled++;
		visitor->rest = look->now + RESCH_GUARD_REST;
	}
}

static void guard_each(struct resch_visitor *visitor, void *data)
{
	struct guard_look *look = data;
	struct task_struct *task = visitor->task;
	unsigned int cpu;

	resch_visitor_look(visitor);
	if (visitor->cpu >= 0) {
		guard_recall(visitor, look);
		return;
	}
	if (cpumask_empty(&look->free) || resch_guard_common.flags & RESCH_GUARD_MANUAL)
		return;
	if (READ_ONCE(task->__state) != TASK_RUNNING || !READ_ONCE(task->on_rq) ||
	    look->now < visitor->rest || look->now < READ_ONCE(visitor->last) + RESCH_GUARD_QUIET ||
	    resch_guard_spares(task))
		return;
	for_each_cpu(cpu, &look->free) {
		if (!resch_visitor_may(visitor, cpu))
			continue;
		if (!resch_visitor_lend(visitor, cpu))
			cpumask_clear_cpu(cpu, &look->free);
		return;
	}
}

void resch_guard_return(u64 now)
{
	struct guard_look look = { .now = now };
	unsigned int cpu;

	lockdep_assert_held(&resch_guard_mutex);
	for_each_cpu_and(cpu, &resch_guard_rt, cpu_active_mask) {
		if (!atomic_read(&per_cpu(resch_guard_cpus, cpu).visitors))
			cpumask_set_cpu(cpu, &look.free);
	}
	resch_visitor_for_each(guard_each, &look);
}
