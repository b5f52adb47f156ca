// SPDX-License-Identifier: GPL-2.0
/* levels.c - the SCHED_FIFO priorities of a CPU's threads, in the order of their deadlines */
#include <linux/ktime.h>

#include <resch/levels.h>

#include "direct.h"
#include "engine.h"
#include "levels.h"
#include "park.h"

/* Position 1 of resch/levels.h. */
static u32 levels_lowest(void)
{
	return resch_level - resch_levels + 1;
}

/*
 * Who stands where, as @thread sees it. The position of a task with the same deadline, or 0.
 * resch_lock, which holds the list.
 */
static u32 levels_count(const struct resch_cpu *rc, const struct resch_thread *thread,
			struct resch_levels *levels)
{
	u64 deadline = thread->task.params.deadline;
	const struct resch_task *task;

	*levels = (struct resch_levels){ .nr = resch_levels, .above = resch_levels + 1 };
	for (task = rc->rq.tasks; task; task = task->next) {
		const struct resch_thread *other = container_of(task, struct resch_thread, task);
		u32 position = other->level - levels_lowest() + 1;

		if (task->params.deadline == deadline)
			return position;
		if (task->params.deadline < deadline)
			levels->above = min(levels->above, position);
		else
			levels->below = max(levels->below, position);
		levels->count[position]++;
	}
	return 0;
}

/*
 * From now on until the helper has been here, the kernel's priority of @thread may be the old one
 * or the new one. So it is neither shadowed by others nor do others stay shadowed by it who would
 * not be below its new level. cpu->lock.
 */
static void levels_move(struct resch_cpu *rc, struct resch_thread *thread, u32 level)
{
	u64 now = ktime_get();

	resch_cpu_assert_locked(rc);
	resch_direct_end(thread);
	thread->level = level;
	if (!thread->entered || thread->state == RESCH_GONE)
		return;
	thread->moving = true;
	if (!list_empty(&thread->shadow)) {
		list_del_init(&thread->shadow);
		resch_park_stop(thread, now);
	}
	if (rc->selected == thread)
		resch_engine_uncover(rc, level, now);
	resch_cpu_adjust(thread);
}

static void levels_apply(struct resch_cpu *rc, const struct resch_levels_plan *plan)
{
	struct resch_task *task;

	resch_rq_for_each(&rc->rq, task) {
		struct resch_thread *thread = resch_thread_of(task);
		u32 position = thread->level - levels_lowest() + 1;

		if (position < plan->first || position > plan->last)
			continue;
		resch_cpu_lock_irq(rc);
		levels_move(rc, thread, plan->up ? thread->level + 1 : thread->level - 1);
		resch_cpu_unlock_irq(rc);
	}
	resch_cpu_kick(rc); /* who was told to stop may have to be looked after */
}

u32 resch_levels_join(struct resch_cpu *rc, const struct resch_thread *thread)
{
	struct resch_levels_plan plan;
	struct resch_levels levels;
	u32 same;

	lockdep_assert_held(&resch_lock);
	if (rc->whole)
		return resch_level;
	same = levels_count(rc, thread, &levels);
	if (same)
		return levels_lowest() + same - 1;
	resch_levels_place(&levels, &plan);
	if (plan.first <= plan.last)
		levels_apply(rc, &plan);
	return levels_lowest() + plan.place - 1;
}
