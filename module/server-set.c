// SPDX-License-Identifier: GPL-2.0
/*
 * server-set.c - sets of servers, one on each of several CPUs, and who is put into which of them
 *
 * A set is made, resized and removed as a whole. To the plugin each of its servers is a server like
 * any other; what makes them a set is that a task that names one may be in any of them. Tasks are
 * placed when they join, by worst fit, and stay: scheduling is partitioned.
 */
#include <linux/math64.h>

#include "domain.h"
#include "guard.h"
#include "inner.h"
#include "server-set.h"

/* ---- making, resizing, removing ----------------------------------------------------------------- */

/* Its servers, which have no tasks. */
static void set_end(struct server *first)
{
	struct server *server, *next;
	LIST_HEAD(all);

	list_add_tail(&all, &first->in_set);
	list_for_each_entry_safe(server, next, &all, in_set)
		resch_server_end(server);
}

/* All that it names have to be of the domain. */
static int set_cpus(const struct resch_domain *domain, const struct resch_servers_set *set)
{
	unsigned int cpu, count = 0;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_name(&set->cpus, cpu))
			continue;
		if (cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, &domain->cpus))
			return -ENODEV;
		count++;
	}
	return count ? 0 : -EINVAL;
}

static int set_add(struct resch_domain *domain, struct resch_file *file,
		   struct resch_servers_set *set, unsigned int cpu, struct server **first)
{
	struct resch_server_set one = { .domain = set->domain, .params = set->params };
	struct server *server;
	int err;

	memcpy(one.plugin, set->plugin, sizeof(one.plugin));
	memcpy(one.options, set->options, sizeof(one.options));
	one.params.cpu = cpu;
	err = resch_server_make(domain, file, &one);
	if (err) {
		set->verdict = one.verdict;
		return err;
	}
	server = resch_server_find(domain, one.id);
	if (*first)
		list_add_tail(&server->in_set, &(*first)->in_set);
	else
		*first = server;
	server->set = (*first)->server.id;
	return 0;
}

static int set_make(struct resch_domain *domain, struct resch_file *file,
		    struct resch_servers_set *set)
{
	struct server *first = NULL;
	int err = set_cpus(domain, set);
	unsigned int cpu;
	u32 count = 0;

	for_each_cpu(cpu, &domain->cpus) {
		if (err)
			break;
		if (!resch_cpus_name(&set->cpus, cpu))
			continue;
		err = set_add(domain, file, set, cpu, &first);
		count++;
	}
	if (err) {
		if (first)
			set_end(first);
		return err;
	}
	set->set = first->server.id;
	set->count = count;
	return 0;
}

static int set_resize(struct resch_domain *domain, struct resch_servers_set *set)
{
	struct server *first = resch_server_find(domain, set->set), *server = first;
	struct resch_server_params params;
	int err;

	if (!first || first->set != set->set)
		return -ENOENT;
	if (memchr_inv(&set->cpus, 0, sizeof(set->cpus)) ||
	    !resch_inner_is(first, set->plugin, set->options))
		return -EINVAL;
	/* No CPU's answer depends on another CPU. */
	do {
		params = set->params;
		err = resch_server_try(domain, server, &params, &set->verdict);
		if (err)
			return err;
		server = list_next_entry(server, in_set);
	} while (server != first);
	do {
		params.cpu = server->server.params.cpu;
		resch_server_change(domain, server, &params);
		set->count++;
		server = list_next_entry(server, in_set);
	} while (server != first);
	return 0;
}

int resch_set_set(struct resch_file *file, struct resch_servers_set *set)
{
	struct resch_domain *domain = resch_domain_find(set->domain);
	int err;

	memset(&set->verdict, 0, sizeof(set->verdict));
	set->count = 0;
	err = set->params.cpu == -1 && !set->reserved ? resch_server_ready(domain, &set->params) :
							-EINVAL;
	if (err)
		return err;
	return set->set ? set_resize(domain, set) : set_make(domain, file, set);
}

int resch_set_del(const struct resch_server_del *del)
{
	struct resch_domain *domain = resch_domain_find(del->domain);
	struct server *first, *server;

	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	first = resch_server_find(domain, del->id);
	if (!first || first->set != del->id)
		return -ENOENT;
	server = first;
	do {
		if (server->nr_tasks)
			return -EBUSY;
		server = list_next_entry(server, in_set);
	} while (server != first);
	set_end(first);
	return 0;
}

/* ---- placing ------------------------------------------------------------------------------------ */

static bool set_room_in(const struct server *server)
{
	return server->nr_tasks < resch_members;
}

bool resch_set_has_room(const struct server *server)
{
	const struct server *other = server;

	do {
		if (set_room_in(other))
			return true;
		other = list_next_entry(other, in_set);
	} while (other != server);
	return false;
}

/* What speaks against a server, most important first. */
struct load {
	u32 ready; /* for members: who is ready there */
	u64 used; /* utilization of its tasks, parts per million: members have the server's */
};

static bool load_less(const struct load *a, const struct load *b)
{
	return a->ready != b->ready ? a->ready < b->ready : a->used < b->used;
}

static struct load set_load(const struct server *server, bool member)
{
	struct load load = {};
	struct resch_task *task;

	/* The list stands under resch_lock; who is ready may change as we look. */
	resch_rq_for_each(&server->rc->rq, task) {
		if (task->params.group != server->server.id)
			continue;
		if (member && READ_ONCE(task->ready))
			load.ready++;
		load.used += div64_u64(task->params.wcet * 1000000, task->params.period);
	}
	return load;
}

/*
 * Of the servers of the set on CPUs of @from: the one with the most to spare. The ring is in the order
 * of CPUs, but may begin anywhere.
 */
static struct server *set_best(struct server *any, const cpumask_t *from, bool member)
{
	struct server *best = NULL, *server = any;
	struct load least, load;

	do {
		if (cpumask_test_cpu(server->rc->number, from) &&
		    (!member || set_room_in(server))) {
			load = set_load(server, member);
			if (!best || load_less(&load, &least) ||
			    (!load_less(&least, &load) && server->rc->number < best->rc->number)) {
				best = server;
				least = load;
			}
		}
		server = list_next_entry(server, in_set);
	} while (server != any);
	return best;
}

/* The CPUs of the set on which the thread may be. */
static void set_allowed(struct server *any, const struct resch_thread *thread, cpumask_t *allowed)
{
	s32 wanted = thread->task.params.cpu;
	static cpumask_t all; /* resch_lock */
	struct server *server = any;

	cpumask_clear(&all);
	do {
		if (READ_ONCE(server->rc->online))
			cpumask_set_cpu(server->rc->number, &all);
		server = list_next_entry(server, in_set);
	} while (server != any);
	if (wanted >= 0) {
		cpumask_and(allowed, &all, cpumask_of(wanted));
		return;
	}
	/* Of a child: what it would be allowed without us. */
	if (thread->parent) {
		cpumask_copy(allowed, &thread->saved_cpus);
	} else {
		cpumask_copy(allowed, &thread->linux_task->cpus_mask);
		resch_visitor_user(thread->linux_task, allowed);
	}
	if (!cpumask_and(allowed, allowed, &all))
		cpumask_copy(allowed, &all);
}

int resch_set_join(struct resch_domain *domain, struct resch_thread *thread,
		   struct resch_verdict *verdict)
{
	struct resch_task_params *params = &thread->task.params;
	bool member = params->flags & RESCH_F_FAMILY;
	static cpumask_t left; /* resch_lock */
	struct server *any, *best;
	u32 group = params->group;
	int err = -ENODEV;

	lockdep_assert_held(&resch_lock);
	any = resch_server_find(domain, group);
	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !any || !any->set)
		return resch_domain_join(domain, thread, verdict);
	set_allowed(any, thread, &left);
	while (err && (best = set_best(any, &left, member))) {
		cpumask_clear_cpu(best->rc->number, &left);
		params->group = best->server.id;
		err = resch_domain_join(domain, thread, verdict);
		if (err && err != -EBUSY && err != -ENODEV)
			break;
	}
	if (err)
		params->group = group;
	return err;
}
