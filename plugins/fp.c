// SPDX-License-Identifier: GPL-2.0
/*
 * fp - preemptive fixed priorities, partitioned
 *
 * Options:
 *   order=dm        shorter relative deadline first (default). Leung, Whitehead, 1982: optimal for
 *                   deadlines <= periods
 *   order=rm        shorter period first. Liu, Layland, JACM 20(1), 1973
 *   order=explicit  smaller params.priority first; tasks with 0 come after those, by deadline
 *   test=rta        admission by exact response times (default), see analysis/rta.h
 *   test=hyperbolic, test=ll
 *                   by a utilization bound, see analysis/utilization.h: linear time, but refuses
 *                   sets that rta takes
 * Tasks that the order leaves equal go by id, so that the test knows who waits for whom. Beside the
 * test the utilization must fit the capacity.
 */
#include <resch/plugin.h>

#include "analysis/rta.h"
#include "analysis/suggest.h"
#include "analysis/utilization.h"

enum fp_order { FP_DM, FP_RM, FP_EXPLICIT };
enum fp_test { FP_RTA, FP_HYPERBOLIC, FP_LIU_LAYLAND };

struct fp_domain {
	u32 order;
	u32 test;
};

struct fp_task {
	u64 level;
};

RESCH_PLUGIN_PRIVATE(struct fp_domain, RESCH_DOMAIN_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct fp_task, RESCH_TASK_PRIVATE);

static const char *const fp_order_names[] = { "dm", "rm", "explicit" };
static const char *const fp_test_names[] = { "rta", "hyperbolic", "ll" };

/* The index of @value among three @names, or -EINVAL. */
static int fp_lookup(const char *const *names, const char *value)
{
	int index;

	for (index = 0; index < 3; index++)
		if (!strcmp(names[index], value))
			return index;
	return -EINVAL;
}

static int fp_option(u64 *private, const char *key, const char *value)
{
	struct fp_domain *domain = (struct fp_domain *)private;
	struct fp_domain wanted = *domain;
	int index;

	if (!strcmp(key, "order"))
		index = wanted.order = fp_lookup(fp_order_names, value);
	else if (!strcmp(key, "test"))
		index = wanted.test = fp_lookup(fp_test_names, value);
	else
		return -EINVAL;
	/* The bounds hold for rate- and deadline-monotonic orders only. */
	if (index < 0 || (wanted.order == FP_EXPLICIT && wanted.test != FP_RTA))
		return -EINVAL;
	*domain = wanted;
	return 0;
}

/* Smaller is more urgent. Depends on the parameters alone, so admit() can ask before attach(). */
static u64 fp_level(const u64 *private, const struct resch_task *task)
{
	const struct fp_domain *domain = (const struct fp_domain *)private;

	switch (domain->order) {
	case FP_RM:
		return task->params.period;
	case FP_EXPLICIT:
		return task->params.priority ? task->params.priority :
					       (u64)U32_MAX + task->params.deadline;
	default:
		return task->params.deadline;
	}
}

/*
 * The first task that keeps the order from being monotonic in min(deadline, period), as the bounds
 * want it; or NULL.
 */
static const struct resch_task *fp_find_irregular(const struct resch_tasks *tasks, u32 order)
{
	const struct resch_task *task;

	resch_tasks_for_each(tasks, task) {
		u64 deadline = task->params.deadline, period = task->params.period;

		if (order == FP_RM ? deadline < period : deadline > period)
			return task;
	}
	return NULL;
}

static int fp_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct fp_domain *domain = (const struct fp_domain *)tasks->rq->domain;
	const struct resch_task *odd;

	if (resch_tasks_fits(tasks, resch_tasks_share(tasks), verdict))
		return -EBUSY;
	/*
	 * Where the linear test applies and says yes, the exact one would too: thousands of tasks
	 * are admitted quickly.
	 */
	odd = domain->order == FP_EXPLICIT ? tasks->extra : fp_find_irregular(tasks, domain->order);
	if (domain->test == FP_RTA)
		return !odd && !resch_test_hyperbolic(tasks, verdict) ?
			       0 :
			       resch_test_rta(tasks, fp_level, verdict);
	if (odd)
		return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN,
					    resch_tasks_name(tasks, odd), odd->params.deadline,
					    odd->params.period);
	if (domain->test == FP_HYPERBOLIC)
		return resch_test_hyperbolic(tasks, verdict);
	return resch_test_liu_layland(tasks, verdict);
}

static int fp_admit(const struct resch_rq *rq, const struct resch_task *task,
		    struct resch_verdict *verdict)
{
	return resch_admit(rq, task, fp_test, verdict);
}

static void fp_attach(struct resch_rq *rq, struct resch_task *task)
{
	resch_private(task, struct fp_task)->level = fp_level(rq->domain, task);
}

static const struct resch_order fp_order = {
	.key = offsetof(struct resch_task, private) + offsetof(struct fp_task, level),
	.by_id = true,
};

static void fp_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_order_enqueue(&fp_order, rq, task);
}

static const struct resch_plugin fp = {
	.name = "fp",
	.about =
		"fixed priorities (order=dm|rm|explicit), exact response-time admission (test=rta|hyperbolic|ll)",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER | RESCH_PLUGIN_ORDERED | RESCH_PLUGIN_FIXED,
	.order = &fp_order,
	.option = fp_option,
	.admit = fp_admit,
	.attach = fp_attach,
	.enqueue = fp_enqueue,
	.dequeue = resch_order_dequeue,
	.pick = resch_pick_first,
};

resch_plugin_module(fp);
MODULE_DESCRIPTION("resch plugin: fixed priorities");
