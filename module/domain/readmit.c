// SPDX-License-Identifier: GPL-2.0
/* readmit.c - would this plugin, or this plan, take the tasks that stand? */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "readmit.h"
#include "linux/restore.h"

/* Copies of a domain's CPUs, tasks and groups: what admission looks at. */
struct readmit_copies {
	const struct resch_plugin *plugin;
	const struct resch_plan *plan;
	struct resch_rq *rqs; /* by index */
	struct resch_task ***links; /* by index: where the next task goes */
	struct resch_rq **peers;
	struct resch_task *tasks;
	struct resch_group *groups; /* by id */
	struct resch_server *servers;
	const struct resch_server *wanted; /* in the place of the one with its id, or NULL */
	const struct resch_task *leading; /* has another lead, or NULL */
	u64 lead;
	u32 nr_tasks;
	u32 nr_servers;
};

/*
 * They may be megabytes: page by page the kernel lets others in meanwhile, as it clears them; in
 * one piece it does not.
 */
static struct resch_task *copies_of_tasks(u32 nr)
{
	size_t size = sizeof(struct resch_task);

	return nr * size > PAGE_SIZE ? vcalloc(nr, size) : kcalloc(nr, size, GFP_KERNEL);
}

static int copies_alloc(struct readmit_copies *copies, const struct resch_domain *domain)
{
	u32 nr = domain->nr_peers;

	copies->rqs = kvcalloc(nr, sizeof(*copies->rqs), GFP_KERNEL);
	copies->links = kvcalloc(nr, sizeof(*copies->links), GFP_KERNEL);
	copies->peers = kvcalloc(nr, sizeof(*copies->peers), GFP_KERNEL);
	copies->tasks = copies_of_tasks(domain->nr_threads);
	copies->servers = kvcalloc(domain->servers.count, sizeof(*copies->servers), GFP_KERNEL);
	if (!copies->rqs || !copies->links || !copies->peers || !copies->tasks || !copies->servers)
		return -ENOMEM;
	if (!copies->plan)
		return 0;
	copies->groups = kvcalloc(copies->plan->nr_groups + 1, sizeof(*copies->groups), GFP_KERNEL);
	return copies->groups ? 0 : -ENOMEM;
}

static void copies_free(struct readmit_copies *copies)
{
	kvfree(copies->rqs);
	kvfree(copies->links);
	kvfree(copies->peers);
	kvfree(copies->tasks);
	kvfree(copies->groups);
	kvfree(copies->servers);
}

/* The index of the CPU that the task joins on, or -EINVAL. */
static int copies_place(const struct readmit_copies *copies, struct resch_task *task, u32 here)
{
	struct resch_thread *thread = container_of(task, struct resch_thread, task);
	u32 group = task->params.group;

	if (task->lead && !resch_plugin_may_lead(copies->plugin))
		return -EINVAL;
	/* Nothing but a server's budget keeps these in their place. */
	if (!(copies->plugin->flags & RESCH_PLUGIN_SERVERS) &&
	    (task->params.flags & RESCH_F_FAMILY || thread->grant))
		return -EINVAL;
	if (copies->plugin->flags & RESCH_PLUGIN_WHOLE &&
	    !resch_restore_covers(thread, &thread->domain->cpus))
		return -EINVAL;
	if (copies->plugin->flags & RESCH_PLUGIN_SERVERS &&
	    !resch_readmit_fits(task, &resch_cpu_get(copies->rqs[here].cpu)->rq))
		return -EINVAL;
	if (!(copies->plugin->flags & RESCH_PLUGIN_PLAN))
		return here;
	if (!copies->plan || !group || group > copies->plan->nr_groups ||
	    !copies->plan->parts[group].count)
		return -EINVAL;
	return copies->plan->parts[group].part[0].index;
}

static int copies_join(struct readmit_copies *copies, struct resch_task *task, u32 here,
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
	copy->server = task->server;
	copy->lead = task == copies->leading ? copies->lead : task->lead;
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
	resch_breathe();
	return 0;
}

/* The servers of a CPU, as they are, or as one of them is to be. */
static void copies_serve(struct readmit_copies *copies, const struct resch_rq *from, u32 index)
{
	const struct resch_server *wanted = copies->wanted, *server;
	struct resch_server **link = &copies->rqs[index].servers;

	resch_rq_for_each_server(from, server) {
		struct resch_server *copy = &copies->servers[copies->nr_servers++];
		bool other = wanted && wanted->id == server->id && server->params.budget;

		*copy = other ? *wanted : *server;
		copy->next = NULL;
		*link = copy;
		link = &copy->next;
	}
}

/* Has the plugin such servers at all? They may have been made under another one. */
static int copies_server_kinds(const struct resch_plugin *plugin, const struct resch_rq *rq,
			       struct resch_verdict *verdict)
{
	const struct resch_server *server;

	resch_rq_for_each_server(rq, server) {
		if (server->params.budget && !plugin->server_valid(&server->params))
			return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0,
						    server->params.kind, 0);
	}
	return 0;
}

/* Do the servers of a CPU fit? What is to change is what a refusal is about. */
static int copies_admit_servers(const struct readmit_copies *copies, u32 index,
				struct resch_verdict *verdict)
{
	const struct resch_server *wanted = copies->wanted, *server, *subject = NULL;
	const struct resch_rq *rq = &copies->rqs[index];
	int err;

	if (!(copies->plugin->flags & RESCH_PLUGIN_SERVERS))
		return 0;
	resch_rq_for_each_server(rq, server) {
		if (server->params.budget && (!subject || (wanted && server->id == wanted->id)))
			subject = server;
	}
	if (!subject)
		return 0;
	err = copies_server_kinds(copies->plugin, rq, verdict) ?:
		      copies->plugin->admit_server(rq, subject, verdict);
	if (err)
		verdict->cpu = rq->cpu;
	return err;
}

static int copies_run(struct readmit_copies *copies, const struct resch_domain *domain,
		      struct resch_verdict *verdict)
{
	struct resch_task *task;
	int err = 0;
	u32 i;

	for (i = 0; !err && i < domain->nr_peers; i++)
		err = copies_admit_servers(copies, i, verdict);
	for (i = 0; !err && i < domain->nr_peers; i++) {
		for (task = domain->peers[i]->tasks; !err && task; task = task->next)
			err = copies_join(copies, task, i, verdict);
	}
	return err;
}

static int readmit(struct readmit_copies *copies, const struct resch_domain *domain,
		   const u64 *private, u32 capacity, u32 overhead, struct resch_verdict *verdict)
{
	int err = copies_alloc(copies, domain);
	u32 i;

	for (i = 0; !err && i < domain->nr_peers; i++) {
		struct resch_rq *rq = &copies->rqs[i];

		rq->domain = private;
		rq->cpu = domain->peers[i]->cpu;
		rq->index = i;
		rq->plan = copies->plan;
		rq->peers = copies->peers;
		rq->nr_peers = domain->nr_peers;
		rq->capacity = capacity;
		rq->overhead = overhead;
		copies->peers[i] = rq;
		copies->links[i] = &rq->tasks;
		copies_serve(copies, domain->peers[i], i);
	}
	for (i = 0; !err && copies->plan && i <= copies->plan->nr_groups; i++)
		copies->groups[i].id = i;
	if (!err)
		err = copies_run(copies, domain, verdict);
	copies_free(copies);
	return err;
}

int resch_readmit(const struct resch_domain *domain, const struct resch_plugin *plugin,
		  const u64 *private, const struct resch_plan *plan, u32 capacity, u32 overhead,
		  struct resch_verdict *verdict)
{
	struct readmit_copies copies = { .plugin = plugin, .plan = plan };

	lockdep_assert_held(&resch_lock);
	if (!domain->nr_threads && !domain->servers.count)
		return 0;
	return readmit(&copies, domain, private, capacity, overhead, verdict);
}

int resch_readmit_lead(const struct resch_domain *domain, const struct resch_task *task, u64 lead,
		       struct resch_verdict *verdict)
{
	struct readmit_copies copies = {
		.plugin = domain->algorithm->plugin,
		.leading = task,
		.lead = lead,
	};
	const u64 *private = domain->private[domain->side];
	int err;

	lockdep_assert_held(&resch_lock);
	err = readmit(&copies, domain, private, domain->capacity, domain->overhead, verdict);
	if (err) {
		verdict->suggest_wcet = 0;
		verdict->suggest_period = 0;
	}
	return err;
}

int resch_readmit_server(const struct resch_domain *domain, const struct resch_server *wanted,
			 struct resch_verdict *verdict)
{
	struct readmit_copies copies = { .plugin = domain->algorithm->plugin, .wanted = wanted };
	const u64 *private = domain->private[domain->side];
	int err;

	lockdep_assert_held(&resch_lock);
	err = readmit(&copies, domain, private, domain->capacity, domain->overhead, verdict);
	if (err && verdict->task) {
		verdict->suggest_wcet = 0;
		verdict->suggest_period = 0;
	}
	return err;
}

bool resch_readmit_fits(const struct resch_task *task, const struct resch_rq *rq)
{
	return task->server && &resch_server_of(task->server)->rc->rq == rq;
}
