// SPDX-License-Identifier: GPL-2.0
/*
 * band.c - bands of servers, one on each of several CPUs, and who is put into which of them
 *
 * A band is made, resized and removed as a whole. To the plugin each of its servers is a server
 * like any other; what makes them a band is that a task that names one may be in any of them. Tasks
 * are placed when they join, by worst fit, and stay: scheduling is partitioned.
 */
#include <linux/math64.h>

#include "band.h"
#include "inner.h"
#include "members.h"
#include "server.h"
#include "core/event.h"
#include "core/life.h"
#include "core/reap.h"
#include "core/trace.h"
#include "domain/domain.h"
#include "domain/join.h"
#include "domain/table.h"
#include "linux/restore.h"

/* ---- making, resizing, removing -------------------------------------------------------------- */

/* Its servers, which have no tasks. */
static void band_end(struct resch_entry *first)
{
	struct resch_entry *entry, *next;
	LIST_HEAD(all);

	list_add_tail(&all, &first->in_band);
	list_for_each_entry_safe(entry, next, &all, in_band)
		resch_server_end(entry);
}

/* The first of its servers, by the id of the band. */
static struct resch_entry *band_find(struct resch_domain *domain, u32 id)
{
	struct resch_entry *first = resch_server_find(domain, id);

	return first && first->band == id ? first : NULL;
}

/* All that it names have to be of the domain. */
static int band_cpus(const struct resch_domain *domain, const struct resch_servers_set *want)
{
	unsigned int cpu, count = 0;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_name(&want->cpus, cpu))
			continue;
		if (cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, &domain->cpus))
			return -ENODEV;
		count++;
	}
	return count ? 0 : -EINVAL;
}

static int band_add(struct resch_domain *domain, struct resch_file *file,
		    struct resch_servers_set *want, unsigned int cpu, struct resch_entry **first)
{
	struct resch_server_set one = { .domain = want->domain, .params = want->params };
	struct resch_entry *entry;
	int err;

	memcpy(one.plugin, want->plugin, sizeof(one.plugin));
	memcpy(one.options, want->options, sizeof(one.options));
	one.params.cpu = cpu;
	err = resch_server_make(domain, file, &one);
	if (err) {
		want->verdict = one.verdict;
		return err;
	}
	entry = resch_server_find(domain, one.id);
	if (*first)
		list_add_tail(&entry->in_band, &(*first)->in_band);
	else
		*first = entry;
	entry->band = (*first)->server.id;
	return 0;
}

static int band_make(struct resch_domain *domain, struct resch_file *file,
		     struct resch_servers_set *want)
{
	struct resch_entry *first = NULL;
	int err = band_cpus(domain, want);
	unsigned int cpu;
	u32 count = 0;

	for_each_cpu(cpu, &domain->cpus) {
		if (err)
			break;
		if (!resch_cpus_name(&want->cpus, cpu))
			continue;
		err = band_add(domain, file, want, cpu, &first);
		count++;
	}
	if (err) {
		if (first)
			band_end(first);
		return err;
	}
	want->id = first->server.id;
	want->count = count;
	return 0;
}

static int band_resize(struct resch_domain *domain, struct resch_servers_set *want)
{
	struct resch_entry *first = band_find(domain, want->id), *entry;
	struct resch_server_params params;
	int err;

	if (!first)
		return -ENOENT;
	if (memchr_inv(&want->cpus, 0, sizeof(want->cpus)) ||
	    !resch_inner_is(first, want->plugin, want->options))
		return -EINVAL;
	/* No CPU's answer depends on another CPU. */
	resch_band_for_each(entry, first) {
		params = want->params;
		err = resch_server_try(domain, entry, &params, &want->verdict);
		if (err)
			return err;
	}
	resch_band_for_each(entry, first) {
		params.cpu = entry->server.params.cpu;
		resch_server_change(domain, entry, &params);
		want->count++;
	}
	return 0;
}

int resch_band_set(struct resch_file *file, struct resch_servers_set *want)
{
	struct resch_domain *domain = resch_domain_find(want->domain);
	int err;

	memset(&want->verdict, 0, sizeof(want->verdict));
	want->count = 0;
	err = want->params.cpu == -1 && !want->reserved ?
		      resch_server_ready(domain, &want->params) :
		      -EINVAL;
	if (err)
		return err;
	return want->id ? band_resize(domain, want) : band_make(domain, file, want);
}

int resch_band_del(const struct resch_server_del *del)
{
	struct resch_domain *domain = resch_domain_find(del->domain);
	struct resch_entry *first, *entry;

	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	first = band_find(domain, del->id);
	if (!first)
		return -ENOENT;
	resch_band_for_each(entry, first)
		if (entry->nr_tasks)
			return -EBUSY;
	band_end(first);
	return 0;
}

/* ---- placing --------------------------------------------------------------------------------- */

/* What speaks against a server, most important first. */
struct band_load {
	u32 ready; /* for members: who is ready there */
	u64 used; /* utilization of its tasks, parts per million: members have the server's */
};

static bool band_less(const struct band_load *a, const struct band_load *b)
{
	return a->ready != b->ready ? a->ready < b->ready : a->used < b->used;
}

static struct band_load band_load(const struct resch_entry *entry, bool member)
{
	struct band_load load = {};
	struct resch_task *task;

	/* The list stands under resch_lock; who is ready may change as we look. */
	resch_rq_for_each(&entry->rc->rq, task) {
		if (task->params.group != entry->server.id)
			continue;
		if (member && READ_ONCE(task->ready))
			load.ready++;
		load.used += div64_u64(task->params.wcet * 1000000, task->params.period);
	}
	return load;
}

/*
 * Of the servers of the band on CPUs of @from: the one with the most to spare. The ring is in the
 * order of CPUs, but may begin anywhere.
 */
static struct resch_entry *band_best(struct resch_entry *any, const cpumask_t *from, bool member)
{
	struct resch_entry *best = NULL, *entry;
	struct band_load least, load;

	resch_band_for_each(entry, any) {
		if (!cpumask_test_cpu(entry->rc->number, from) ||
		    (member && !resch_server_room_in(entry)))
			continue;
		load = band_load(entry, member);
		if (!best || band_less(&load, &least) ||
		    (!band_less(&least, &load) && entry->rc->number < best->rc->number)) {
			best = entry;
			least = load;
		}
	}
	return best;
}

/* The CPUs of the band on which the thread may be. */
static void band_allowed(struct resch_entry *any, struct resch_thread *thread, cpumask_t *allowed)
{
	s32 wanted = thread->task.params.cpu;
	static cpumask_t all; /* resch_lock */
	struct resch_entry *entry;

	cpumask_clear(&all);
	resch_band_for_each(entry, any)
		if (READ_ONCE(entry->rc->online))
			cpumask_set_cpu(entry->rc->number, &all);
	if (wanted >= 0) {
		cpumask_and(allowed, &all, cpumask_of(wanted));
		return;
	}
	resch_restore_allowed(thread, allowed);
	if (!cpumask_and(allowed, allowed, &all))
		cpumask_copy(allowed, &all);
}

/*
 * resch_domain_join() for a thread whose task.params.group may name a server of a band: @group then
 * says which one takes it.
 */
static int band_join(struct resch_domain *domain, struct resch_thread *thread,
		     struct resch_verdict *verdict)
{
	struct resch_task_params *params = &thread->task.params;
	bool member = params->flags & RESCH_F_FAMILY;
	static cpumask_t left; /* resch_lock */
	struct resch_entry *any, *best;
	u32 group = params->group;
	int err = -ENODEV;

	lockdep_assert_held(&resch_lock);
	any = resch_server_find(domain, group);
	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !any || !any->band)
		return resch_domain_join(domain, thread, verdict);
	band_allowed(any, thread, &left);
	while (err && (best = band_best(any, &left, member))) {
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

int resch_band_enter(struct resch_domain *domain, struct resch_thread *thread,
		     struct resch_file *file, struct resch_verdict *verdict)
{
	int err = resch_thread_publish(thread);

	if (err)
		return err;
	err = band_join(domain, thread, verdict);
	if (err) {
		resch_thread_withdraw(thread);
		return err;
	}
	resch_thread_announce(thread);
	resch_thread_own(thread, file);
	trace_resch_attach(thread, domain->algorithm->plugin->name);
	return 0;
}
