// SPDX-License-Identifier: GPL-2.0
/*
 * edf - earliest absolute deadline first, partitioned
 *
 * Jobs with equal deadlines run in the order in which they became ready. Admission: utilization
 * within the capacity, which is exact where every deadline is at least the period (Liu, Layland,
 * JACM 20(1), 1973, theorem 7), and beside it processor demand where one is shorter, see
 * analysis/qpa.h. No options.
 */
#include <resch/plugin.h>

#include "analysis/qpa.h"
#include "analysis/suggest.h"

static bool edf_constrained(const struct resch_tasks *tasks)
{
	const struct resch_task *task;

	resch_tasks_for_each(tasks, task)
		if (task->params.deadline < task->params.period)
			return true;
	return false;
}

/*
 * With every deadline that is longer than the period cut down to it, is the sum of costs /
 * deadlines at most 1? Then the set is schedulable: a linear test that spares most sets the exact
 * one.
 */
static bool edf_density_fits(const struct resch_tasks *tasks)
{
	const struct resch_task *task;
	u64 sum = 0;

	resch_tasks_for_each(tasks, task) {
		sum += resch_share(resch_tasks_cost(tasks, task),
				   min(task->params.deadline, task->params.period));
		if (sum > RESCH_SHARE_ONE)
			return false;
	}
	return true;
}

static int edf_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	u64 share = resch_tasks_share(tasks);

	if (resch_tasks_fits(tasks, share, verdict))
		return -EBUSY;
	if (!edf_constrained(tasks) || edf_density_fits(tasks))
		return 0;
	return resch_test_qpa(tasks, share, verdict);
}

static int edf_admit(const struct resch_rq *rq, const struct resch_task *task,
		     struct resch_verdict *verdict)
{
	return resch_admit(rq, task, edf_test, verdict);
}

static const struct resch_order edf_order = { .key = offsetof(struct resch_task, job.deadline) };

static void edf_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_order_enqueue(&edf_order, rq, task);
}

static const struct resch_plugin edf = {
	.name = "edf",
	.about = "earliest deadline first, admission by utilization and processor demand",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER | RESCH_PLUGIN_ORDERED,
	.order = &edf_order,
	.admit = edf_admit,
	.enqueue = edf_enqueue,
	.dequeue = resch_order_dequeue,
	.pick = resch_pick_first,
};

resch_plugin_module(edf);
MODULE_DESCRIPTION("resch plugin: earliest deadline first");
