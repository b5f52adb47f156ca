// SPDX-License-Identifier: GPL-2.0
/* readmit.c - would this plugin, or this plan, take the tasks that stand? */
#include <linux/mm.h>
#include <linux/slab.h>

#include "readmit.h"

/* Copies of a domain's CPUs, tasks and groups: what admission looks at. */
struct copies {
	const struct resch_plugin *plugin;
	const struct resch_plan *plan;
	struct resch_rq *rqs; /* by index */
	struct resch_task ***links; /* by index: where the next task goes */
	struct resch_rq **peers;
	struct resch_task *tasks;
	struct resch_group *groups; /* by id */
	u32 nr_tasks;
};

static int copies_alloc(struct copies *copies, const struct resch_domain *domain)
{
	u32 nr = domain->nr_peers;

	copies->rqs = kvcalloc(nr, sizeof(*copies->rqs), GFP_KERNEL);
	copies->links = kvcalloc(nr, sizeof(*copies->links), GFP_KERNEL);
	copies->peers = kvcalloc(nr, sizeof(*copies->peers), GFP_KERNEL);
	copies->tasks = kvcalloc(domain->nr_threads, sizeof(*copies->tasks), GFP_KERNEL);
	if (!copies->rqs || !copies->links || !copies->peers || !copies->tasks)
		return -ENOMEM;
	if (!copies->plan)
		return 0;
	copies->groups = kvcalloc(copies->plan->nr_groups + 1, sizeof(*copies->groups), GFP_KERNEL);
	return copies->groups ? 0 : -ENOMEM;
}

static void copies_free(struct copies *copies)
{
	kvfree(copies->rqs);
	kvfree(copies->links);
	kvfree(copies->peers);
	kvfree(copies->tasks);
	kvfree(copies->groups);
}

/* The index of the CPU that the task joins on, or -EINVAL. */
static int copies_place(const struct copies *copies, const struct resch_task *task, u32 here)
{
	u32 group = task->params.group;

	if (!(copies->plugin->flags & RESCH_PLUGIN_PLAN))
		return here;
	if (!copies->plan || !group || group > copies->plan->nr_groups ||
	    !copies->plan->parts[group].count)
		return -EINVAL;
	return copies->plan->parts[group].part[0].index;
}

static int copies_join(struct copies *copies, const struct resch_task *task, u32 here,
		       struct resch_verdict *verdict)
{
	struct resch_task *copy = &copies->tasks[copies->nr_tasks];
	int place = copies_place(copies, task, here);
	struct resch_rq *rq;
	int err = 0;

	if (place < 0) {
		verdict->bound = RESCH_BOUND_PLUGIN;
		verdict->task = task->id;
		verdict->cpu = copies->rqs[here].cpu;
		return -EBUSY;
	}
	rq = &copies->rqs[place];
	copy->id = task->id;
	copy->params = task->params;
	copy->rq = rq;
	if (copies->plan && copy->params.group <= copies->plan->nr_groups)
		copy->group = &copies->groups[copy->params.group];
	if (!(copy->params.flags & RESCH_F_SKIP_ADMISSION))
		err = copies->plugin->admit(rq, copy, verdict);
	if (err) {
		verdict->cpu = rq->cpu;
		if (!verdict->task)
			verdict->task = copy->id;
		return err;
	}
	*copies->links[place] = copy;
	copies->links[place] = &copy->next;
	rq->nr_tasks++;
	copies->nr_tasks++;
	return 0;
}

int resch_readmit(const struct resch_domain *domain, const struct resch_plugin *plugin,
		  const u64 *private, const struct resch_plan *plan, u32 capacity, u32 overhead,
		  struct resch_verdict *verdict)
{
	struct copies copies = { .plugin = plugin, .plan = plan };
	struct resch_task *task;
	int err = 0;
	u32 i;

	lockdep_assert_held(&resch_lock);
	if (!domain->nr_threads)
		return 0;
	err = copies_alloc(&copies, domain);
	for (i = 0; !err && i < domain->nr_peers; i++) {
		struct resch_rq *rq = &copies.rqs[i];

		rq->domain = private;
		rq->cpu = domain->peers[i]->cpu;
		rq->index = i;
		rq->plan = plan;
		rq->peers = copies.peers;
		rq->nr_peers = domain->nr_peers;
		rq->capacity = capacity;
		rq->overhead = overhead;
		copies.peers[i] = rq;
		copies.links[i] = &rq->tasks;
	}
	for (i = 0; !err && copies.plan && i <= copies.plan->nr_groups; i++)
		copies.groups[i].id = i;
	for (i = 0; !err && i < domain->nr_peers; i++) {
		for (task = domain->peers[i]->tasks; !err && task; task = task->next)
			err = copies_join(&copies, task, i, verdict);
	}
	copies_free(&copies);
	return err;
}
