// SPDX-License-Identifier: GPL-2.0
/*
 * server.c - the servers of a domain: made, resized, deleted, looked at
 *
 * The core keeps servers, counts their tasks and knows whom they belong to; what they mean is the
 * plugin's. They stand when another plugin takes over, and are admitted anew when one with servers
 * does.
 */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include <resch/sizes.h>

#include "grant.h"
#include "inner.h"
#include "page.h"
#include "server.h"
#include "show.h"
#include "core/event.h"
#include "core/reap.h"
#include "core/trace.h"
#include "domain/domain.h"
#include "domain/readmit.h"
#include "domain/table.h"

/* ---- making and resizing --------------------------------------------------------------------- */

/* What holds for every kind; the rest is server_valid()'s, of the plugin. */
static bool server_params_valid(const struct resch_server_params *params)
{
	if (params->flags & ~RESCH_SERVER_F_ALL ||
	    strnlen(params->name, sizeof(params->name)) == sizeof(params->name))
		return false;
	return resch_server_sizes_valid(params) && params->cpu >= -1 &&
	       (params->cpu < 0 || params->cpu < nr_cpu_ids);
}

/* The first CPU that takes it, or the wanted one. */
static int server_place(struct resch_domain *domain, const struct resch_server *server,
			struct resch_verdict *verdict)
{
	s32 wanted = server->params.cpu;
	int err = -ENODEV;
	unsigned int cpu;

	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		if ((wanted >= 0 && wanted != cpu) || !READ_ONCE(rc->online))
			continue;
		resch_server_expire(rc);
		if (resch_server_linux(server) && resch_server_rest(rc)) {
			err = -EEXIST;
			continue;
		}
		err = rc->plugin->admit_server(&rc->rq, server, verdict);
		if (!err)
			return cpu;
		verdict->cpu = cpu;
	}
	return err;
}

int resch_server_make(struct resch_domain *domain, struct resch_file *file,
		      struct resch_server_set *want)
{
	struct resch_entry *entry;
	int cpu = -1, err;

	if (domain->servers.count >= RESCH_SERVERS_MAX)
		return -ENOSPC;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return -ENOMEM;
	INIT_LIST_HEAD(&entry->waiting);
	INIT_LIST_HEAD(&entry->in_band);
	entry->server.params = want->params;
	err = resch_inner_make(entry, want->plugin, want->options);
	if (!err)
		err = cpu = server_place(domain, &entry->server, &want->verdict);
	if (err >= 0)
		err = xa_alloc_cyclic(&domain->servers.ids, &entry->server.id, entry,
				      XA_LIMIT(1, RESCH_GROUPS_MAX), &domain->servers.next_id,
				      GFP_KERNEL);
	if (err < 0) {
		resch_inner_free(entry);
		kfree(entry);
		return err;
	}
	memset(&want->verdict, 0, sizeof(want->verdict));
	entry->domain = domain;
	entry->rc = resch_cpu_get(cpu);
	entry->server.params.cpu = cpu;
	if (!(want->params.flags & RESCH_SERVER_F_PERSIST)) {
		entry->file = file;
		list_add_tail(&entry->in_file, &file->servers);
	}
	resch_server_list(entry);
	if (resch_server_linux(&entry->server))
		resch_cpu_kick(entry->rc); /* nobody's job has to come first */
	want->id = entry->server.id;
	want->cpu = cpu;
	trace_resch_server_set(&entry->rc->rq, domain->id, want->id, &entry->server.params);
	return 0;
}

int resch_server_try(struct resch_domain *domain, struct resch_entry *entry,
		     struct resch_server_params *params, struct resch_verdict *verdict)
{
	const struct resch_server_params *old = &entry->server.params;
	struct resch_server *wanted;
	int err;

	if (params->cpu < 0)
		params->cpu = old->cpu;
	if (params->kind != old->kind || params->policy != old->policy ||
	    params->flags != old->flags || params->cpu != old->cpu)
		return -EINVAL;
	if (entry->doomed)
		return -ENOENT;
	resch_server_expire(entry->rc);
	wanted = kmemdup(&entry->server, sizeof(*wanted), GFP_KERNEL);
	if (!wanted)
		return -ENOMEM;
	wanted->params = *params;
	err = resch_readmit_server(domain, wanted, verdict);
	kfree(wanted);
	return err;
}

void resch_server_change(struct resch_domain *domain, struct resch_entry *entry,
			 const struct resch_server_params *params)
{
	resch_cpu_lock_irq(entry->rc);
	resch_server_hold(entry, ktime_get());
	entry->server.params = *params;
	resch_server_show(entry->rc, &entry->server);
	resch_server_measure(entry->rc);
	resch_cpu_unlock_irq(entry->rc);
	resch_cpu_kick(entry->rc);
	trace_resch_server_set(&entry->rc->rq, domain->id, entry->server.id, params);
}

static int server_resize(struct resch_domain *domain, struct resch_entry *entry,
			 struct resch_server_set *want)
{
	int err;

	if (entry->band || !resch_inner_is(entry, want->plugin, want->options))
		return -EINVAL;
	err = resch_server_try(domain, entry, &want->params, &want->verdict);
	if (err)
		return err;
	resch_server_change(domain, entry, &want->params);
	want->cpu = want->params.cpu;
	return 0;
}

int resch_server_ready(struct resch_domain *domain, const struct resch_server_params *params)
{
	if (!domain)
		return -ENODEV;
	if (!server_params_valid(params))
		return -EINVAL;
	if (params->cpu >= 0 && !cpumask_test_cpu(params->cpu, &domain->cpus))
		return -ENODEV;
	resch_thread_reap_all();
	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS))
		return -EOPNOTSUPP;
	return domain->algorithm->plugin->server_valid(params) ? 0 : -EINVAL;
}

int resch_server_set(struct resch_file *file, struct resch_server_set *want)
{
	struct resch_domain *domain = resch_domain_find(want->domain);
	struct resch_entry *entry;
	int err;

	memset(&want->verdict, 0, sizeof(want->verdict));
	err = resch_server_ready(domain, &want->params);
	if (!err && want->reserved)
		err = -EINVAL;
	if (err)
		return err;
	if (!want->id)
		return resch_server_make(domain, file, want);
	entry = resch_server_find(domain, want->id);
	return entry ? server_resize(domain, entry, want) : -ENOENT;
}

/* ---- the end --------------------------------------------------------------------------------- */

int resch_server_del(const struct resch_server_del *del)
{
	struct resch_domain *domain = resch_domain_find(del->domain);
	struct resch_entry *entry;

	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	entry = resch_server_find(domain, del->id);
	if (!entry)
		return -ENOENT;
	if (entry->band)
		return -EINVAL;
	if (entry->nr_tasks)
		return -EBUSY;
	resch_server_end(entry);
	return 0;
}

void resch_server_close(struct resch_file *file)
{
	struct resch_entry *entry, *next;

	if (list_empty(&file->servers))
		return; /* nobody makes one through a descriptor that closes */
	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	list_for_each_entry_safe(entry, next, &file->servers, in_file) {
		list_del(&entry->in_file);
		entry->file = NULL;
		entry->doomed = true;
		resch_grant_withdraw(entry);
		if (!entry->nr_tasks)
			resch_server_end(entry);
	}
	resch_thread_reap_all();
	mutex_unlock(&resch_lock);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Who made it, who has a thread in it, and who might change it anyway. */
static bool server_may_open(const struct resch_entry *entry, const struct resch_file *file)
{
	const struct resch_thread *thread;

	if (entry->file == file || capable(CAP_SYS_NICE))
		return true;
	list_for_each_entry(thread, &entry->domain->threads, in_domain)
		if (thread->task.server == &entry->server &&
		    thread->linux_task->signal == current->signal)
			return true;
	return false;
}

/* The server, or ERR_PTR: -ENODEV, -ENOENT, -EPERM. resch_lock. */
static struct resch_entry *server_to_open(struct resch_file *file,
					  const struct resch_server_open *open)
{
	struct resch_domain *domain = resch_domain_find(open->domain);
	struct resch_entry *entry;

	if (open->flags)
		return ERR_PTR(-EINVAL);
	if (!domain)
		return ERR_PTR(-ENODEV);
	entry = resch_server_find(domain, open->id);
	if (!entry)
		return ERR_PTR(-ENOENT);
	return server_may_open(entry, file) ? entry : ERR_PTR(-EPERM);
}

int resch_server_may_open(struct resch_file *file, const struct resch_server_open *open)
{
	return PTR_ERR_OR_ZERO(server_to_open(file, open));
}

int resch_server_open(struct resch_file *file, struct resch_server_open *open)
{
	struct resch_entry *entry;
	int fd;

	resch_thread_reap_all();
	entry = server_to_open(file, open);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	fd = resch_page_open(&entry->view, entry->rc, &entry->server, open->domain);
	open->fd = fd;
	return min(fd, 0);
}

static void server_fill(struct resch_server_stat *stat, struct resch_entry *entry)
{
	const struct resch_server_state *state = &entry->server.state;
	const struct resch_thread *waiting;
	u64 now, since = 0, cost;

	resch_cpu_lock_irq(entry->rc);
	now = ktime_get();
	if (state->since && now > state->since)
		since = now - state->since;
	/* It is picked for as long as its budget lasts, whatever becomes of the CPU meanwhile. */
	if (resch_server_linux(&entry->server))
		since = min(since, state->left > 0 ? (u64)state->left : 0);
	stat->params = entry->server.params;
	cost = mul_u64_u32_shr(since, state->rate, ilog2(RESCH_SERVER_RATE));
	stat->left = state->left > (s64)cost ? state->left - cost : 0;
	stat->deadline = state->deadline;
	stat->consumed = state->consumed + since;
	stat->replenished = state->replenished;
	stat->exhausted = state->exhausted;
	stat->postponed = state->postponed;
	resch_cpu_unlock_irq(entry->rc);
	stat->id = entry->server.id;
	stat->tasks = entry->nr_tasks;
	stat->band = entry->band;
	resch_inner_fill(stat, entry);
	resch_grant_fill(stat, entry);
	list_for_each_entry(waiting, &entry->waiting, waiting)
		stat->waiting++;
}

int resch_server_query(struct resch_server_stat *stat)
{
	u32 id = stat->id, next = stat->next, domain_id = stat->domain;
	struct resch_domain *domain = resch_domain_find(domain_id);
	struct resch_entry *entry;

	if (next > 1)
		return -EINVAL;
	if (!domain)
		return -ENODEV;
	memset(stat, 0, sizeof(*stat));
	stat->domain = domain_id;
	entry = next ? resch_server_after(domain, id) : resch_server_find(domain, id);
	if (!entry)
		return -ENOENT;
	server_fill(stat, entry);
	return 0;
}
