// SPDX-License-Identifier: GPL-2.0
/* table.c - the servers of a CPU and of a domain: lists, and what is held */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include <resch/sizes.h>

#include "grant.h"
#include "inner.h"
#include "newcomer.h"
#include "passive.h"
#include "show.h"
#include "table.h"
#include "core/cpu.h"
#include "core/params.h"
#include "core/thread.h"
#include "core/trace.h"
#include "domain/domain.h"

struct resch_entry *resch_server_find(struct resch_domain *domain, u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&domain->servers.ids, id);
}

struct resch_entry *resch_server_after(struct resch_domain *domain, u32 id)
{
	unsigned long index = id;

	lockdep_assert_held(&resch_lock);
	return xa_find_after(&domain->servers.ids, &index, INT_MAX, XA_PRESENT);
}

void resch_server_measure(struct resch_cpu *rc)
{
	const struct resch_server *server;

	rc->longest_period = 0;
	resch_rq_for_each_server(&rc->rq, server)
		rc->longest_period =
			max3(rc->longest_period, server->params.period, server->held_period);
}

void resch_server_list(struct resch_entry *entry)
{
	struct resch_rq *rq = &entry->rc->rq;
	struct resch_server **link = &rq->servers;

	resch_cpu_lock_irq(entry->rc);
	/* That of the rest of Linux is where the plugin finds it. */
	while (*link && !resch_server_linux(&entry->server))
		link = &(*link)->next;
	entry->server.next = *link;
	*link = &entry->server;
	resch_inner_renew(entry);
	resch_server_measure(entry->rc);
	resch_cpu_unlock_irq(entry->rc);
	entry->domain->servers.count++;
}

static void server_unlist(struct resch_entry *entry)
{
	struct resch_server **link = &entry->rc->rq.servers;

	resch_cpu_lock_irq(entry->rc);
	resch_server_flush(entry->rc);
	resch_passive_forget(entry->rc, &entry->server);
	if (entry->rc->plugin && entry->rc->plugin->remove_server)
		entry->rc->plugin->remove_server(&entry->rc->rq, &entry->server);
	while (*link != &entry->server)
		link = &(*link)->next;
	*link = entry->server.next;
	resch_server_measure(entry->rc);
	resch_cpu_unlock_irq(entry->rc);
	entry->domain->servers.count--;
	kfree(entry);
}

void resch_server_expire(struct resch_cpu *rc)
{
	struct resch_server *server, *next;
	u64 now = ktime_get();

	for (server = rc->rq.servers; server; server = next) {
		next = server->next;
		if (!server->held_budget || resch_server_of(server)->held_until > now)
			continue;
		resch_cpu_lock_irq(rc);
		server->held_budget = 0;
		server->held_period = 0;
		resch_server_measure(rc);
		resch_cpu_unlock_irq(rc);
		if (!server->params.budget)
			server_unlist(resch_server_of(server));
	}
}

void resch_server_hold(struct resch_entry *entry, u64 now)
{
	struct resch_server *inner = &entry->server;
	u64 deadline = inner->state.deadline;

	if (deadline <= now)
		return;
	if (!inner->held_budget ||
	    div64_u64(inner->held_budget * RESCH_SERVER_SIZES, inner->held_period) <
		    div64_u64(inner->params.budget * RESCH_SERVER_SIZES, inner->params.period)) {
		inner->held_budget = inner->params.budget;
		inner->held_period = inner->params.period;
	}
	entry->held_until = max(entry->held_until, min(deadline, now + 2 * inner->held_period));
}

bool resch_server_recall(struct resch_entry *entry)
{
	struct resch_thread *first =
		list_first_entry_or_null(&entry->waiting, struct resch_thread, waiting);

	if (!first)
		return false;
	list_del_init(&first->waiting);
	resch_family_call(first);
	return true;
}

void resch_server_end(struct resch_entry *entry)
{
	bool rest = resch_server_linux(&entry->server);
	struct resch_server_params none = { .kind = entry->server.params.kind,
					    .cpu = entry->server.params.cpu };
	struct resch_cpu *rc = entry->rc;

	while (resch_server_recall(entry))
		;
	if (entry->file)
		list_del(&entry->in_file);
	entry->file = NULL;
	if (entry->view)
		resch_page_gone(entry->view);
	resch_grant_drop(&entry->grant);
	list_del_init(&entry->in_band);
	xa_erase(&entry->domain->servers.ids, entry->server.id);
	resch_inner_free(entry);
	trace_resch_server_set(&rc->rq, entry->domain->id, entry->server.id, &none);
	resch_cpu_lock_irq(rc);
	resch_server_hold(entry, ktime_get());
	entry->server.params = none;
	resch_server_measure(rc);
	resch_cpu_unlock_irq(rc);
	if (!entry->server.held_budget)
		server_unlist(entry);
	if (rest)
		resch_cpu_kick(rc); /* somebody may go on at once */
}

void resch_server_init(struct resch_servers *servers)
{
	xa_init_flags(&servers->ids, XA_FLAGS_ALLOC1);
}

void resch_server_free(struct resch_servers *servers)
{
	struct resch_entry *entry;
	unsigned long id;

	lockdep_assert_held(&resch_lock);
	xa_for_each(&servers->ids, id, entry) {
		/* They find no domain any more, and are given back what they had. */
		while (resch_server_recall(entry))
			;
		if (entry->file)
			list_del(&entry->in_file);
		if (entry->view)
			resch_page_gone(entry->view);
		resch_grant_drop(&entry->grant);
		resch_inner_free(entry);
	}
	xa_destroy(&servers->ids);
}

void resch_server_free_list(struct resch_server *list)
{
	struct resch_server *next;

	for (; list; list = next) {
		next = list->next;
		kfree(resch_server_of(list));
	}
}

void resch_server_reset(struct resch_cpu *rc)
{
	struct resch_server *server;

	resch_cpu_assert_locked(rc);
	resch_server_flush(rc);
	resch_passive_reset(rc);
	resch_rq_for_each_server(&rc->rq, server) {
		memset(server->private, 0, sizeof(server->private));
		memset(&server->state, 0, sizeof(server->state));
		resch_inner_renew(resch_server_of(server));
		resch_server_show(rc, server);
		if (server->params.budget)
			trace_resch_server_set(&rc->rq, resch_server_of(server)->domain->id,
					       server->id, &server->params);
	}
}
