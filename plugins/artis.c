// SPDX-License-Identifier: GPL-2.0
/*
 * artis - RT0 tasks, each with an RT CPU of its own, beside others that may use what it leaves
 *
 * É. Piel, P. Marquet, J. Soula, C. Osuna, J.-L. Dekeyser: ARTiS, an Asymmetric Real-Time Scheduler
 * for Linux on Multi-Processor Architectures, INRIA RR-5781, 2005, section 2.1. The CPUs of the
 * domain are guarded (RESCH_PLUGIN_GUARD): what is not RT0 makes no system calls there. Deviations:
 * a task is registered, with a period and a WCET; admission keeps a second one off its CPU, which
 * the report leaves to the developer.
 *
 * Options:
 *   share=0  one task on a CPU (default)
 *   share=1  several, by fixed priorities: smaller params.priority first; tasks with 0 after those,
 *   by
 *            relative deadline, then by id. Admission by exact response times, see analysis/rta.h
 */
#include <resch/plugin.h>

#include "analysis/rta.h"
#include "analysis/suggest.h"

struct artis_domain {
	u64 share;
};

struct artis_rq {
	struct resch_queue ready;
};

struct artis_task {
	u64 level;
};

RESCH_PLUGIN_PRIVATE(struct artis_domain, RESCH_DOMAIN_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct artis_rq, RESCH_RQ_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct artis_task, RESCH_TASK_PRIVATE);

static int artis_option(u64 *private, const char *key, const char *value)
{
	struct artis_domain *domain = (struct artis_domain *)private;

	if (strcmp(key, "share") || (strcmp(value, "0") && strcmp(value, "1")))
		return -EINVAL;
	domain->share = value[0] == '1';
	return 0;
}

/* Smaller is more urgent. Depends on the parameters alone, so admit() can ask before attach(). */
static u64 artis_level(const u64 *private, const struct resch_task *task)
{
	return task->params.priority ? task->params.priority : (u64)U32_MAX + task->params.deadline;
}

static int artis_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct artis_domain *domain = (const struct artis_domain *)tasks->rq->domain;
	const struct resch_task *task, *last = NULL;
	unsigned int count = 0;

	resch_tasks_for_each(tasks, task) {
		last = task;
		count++;
	}
	if (!domain->share && count > 1)
		return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN,
					    resch_tasks_name(tasks, last), count, 1);
	if (resch_tasks_fits(tasks, resch_tasks_share(tasks), verdict))
		return -EBUSY;
	return resch_test_rta(tasks, artis_level, verdict);
}

static int artis_admit(const struct resch_rq *rq, const struct resch_task *task,
		       struct resch_verdict *verdict)
{
	return resch_admit(rq, task, artis_test, verdict);
}

static void artis_attach(struct resch_rq *rq, struct resch_task *task)
{
	resch_private(task, struct artis_task)->level = artis_level(rq->domain, task);
}

static void artis_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_queue_insert_tie(&resch_private(rq, struct artis_rq)->ready, &task->node,
			       resch_private(task, struct artis_task)->level, task->id);
}

static void artis_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_queue_erase(&resch_private(rq, struct artis_rq)->ready, &task->node);
}

static void artis_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct resch_node *first = resch_queue_first(&resch_private(rq, struct artis_rq)->ready);

	if (first)
		pick->task = container_of(first, struct resch_task, node);
}

static const struct resch_plugin artis = {
	.name = "artis",
	.about = "RT0 tasks, one on a CPU (share=1: several) that others may use in user mode only",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_GUARD,
	.option = artis_option,
	.admit = artis_admit,
	.attach = artis_attach,
	.enqueue = artis_enqueue,
	.dequeue = artis_dequeue,
	.pick = artis_pick,
};

resch_plugin_module(artis);
MODULE_DESCRIPTION("resch plugin: asymmetric shielding");
