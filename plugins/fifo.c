// SPDX-License-Identifier: GPL-2.0
/*
 * fifo - jobs in the order of their releases, each to its end
 *
 * The fallback when no other plugin is there. A job keeps its place while it is blocked. Promises
 * nothing but that the CPU is not overcommitted: admission is utilization within the capacity. No
 * options.
 */
#include "fifo.h"

#include "analysis/suggest.h"

static int fifo_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	return resch_tasks_fits(tasks, resch_tasks_share(tasks), verdict);
}

static int fifo_admit(const struct resch_rq *rq, const struct resch_task *task,
		      struct resch_verdict *verdict)
{
	return resch_admit(rq, task, fifo_test, verdict);
}

/*
 * Jobs released at the same time go by task, not by arrival: one that wakes up must not change
 * places.
 */
static const struct resch_order fifo_order = {
	.key = offsetof(struct resch_task, job.release),
	.by_id = true,
};

static void fifo_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_order_enqueue(&fifo_order, rq, task);
}

const struct resch_plugin resch_plugin_fallback = {
	.name = "fifo",
	.about = "jobs in the order of their releases; the built-in fallback",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER | RESCH_PLUGIN_ORDERED,
	.order = &fifo_order,
	.admit = fifo_admit,
	.enqueue = fifo_enqueue,
	.dequeue = resch_order_dequeue,
	.pick = resch_pick_first,
};
