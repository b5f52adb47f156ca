// SPDX-License-Identifier: GPL-2.0
/* members.c - whom a server takes, and who waits for room */

#include <resch/plugin.h>

#include "entry.h"
#include "grant.h"
#include "members.h"
#include "table.h"
#include "core/params.h"
#include "core/thread.h"
#include "domain/domain.h"

/* There is room for one more in it: for its own, or for those of others of its band. */
static void server_fill_room(struct resch_entry *entry)
{
	struct resch_entry *other;

	resch_band_for_each(other, entry)
		if (resch_server_recall(other))
			return;
}

/* A doomed one takes nobody but the children of those who are in it. */
static bool server_takes(const struct resch_entry *entry, const struct resch_task_params *params)
{
	if (resch_server_linux(&entry->server))
		return false;
	return !entry->doomed || params->flags & RESCH_F_FAMILY;
}

int resch_server_home(struct resch_domain *domain, const struct resch_task_params *params)
{
	struct resch_entry *entry = resch_server_find(domain, params->group);

	if (!entry || !server_takes(entry, params))
		return -EINVAL;
	return entry->rc->number;
}

int resch_server_take(struct resch_domain *domain, struct resch_task_params *params)
{
	struct resch_entry *entry = resch_server_find(domain, params->group);

	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !entry || entry->doomed ||
	    resch_server_linux(&entry->server))
		return -EINVAL;
	if (!resch_band_has_room(entry))
		return -ENOSPC;
	params->period = entry->server.params.period;
	params->deadline = params->period;
	params->wcet = entry->server.params.budget;
	return 0;
}

int resch_server_queue(struct resch_domain *domain, struct resch_thread *thread)
{
	struct resch_entry *entry = resch_server_find(domain, thread->task.params.group);

	if (!(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) || !entry)
		return -ECANCELED;
	/* Its parent's right to be there has been withdrawn. */
	if (thread->grant && thread->grant != entry->grant)
		return -ECANCELED;
	if (resch_band_has_room(entry))
		return 0;
	list_add_tail(&thread->waiting, &entry->waiting);
	return -EAGAIN;
}

void resch_server_pass(struct resch_domain *domain, const struct resch_task_params *params)
{
	struct resch_entry *entry = resch_server_find(domain, params->group);

	if (entry && resch_band_has_room(entry))
		server_fill_room(entry);
}

void resch_server_bind(struct resch_domain *domain, struct resch_task *task)
{
	struct resch_entry *entry = resch_server_find(domain, task->params.group);

	task->server = entry && server_takes(entry, &task->params) ? &entry->server : NULL;
}

void resch_server_join(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	if (thread->task.server)
		resch_server_of(thread->task.server)->nr_tasks++;
}

void resch_server_quit(struct resch_thread *thread)
{
	struct resch_server *inner = thread->task.server;

	lockdep_assert_held(&resch_lock);
	if (!inner)
		return;
	thread->task.server = NULL;
	server_fill_room(resch_server_of(inner));
	if (!--resch_server_of(inner)->nr_tasks && resch_server_of(inner)->doomed)
		resch_server_end(resch_server_of(inner));
}

bool resch_server_room_in(const struct resch_entry *entry)
{
	return entry->nr_tasks < resch_members;
}

bool resch_band_has_room(struct resch_entry *entry)
{
	struct resch_entry *other;
	bool room = false;
	u32 tasks = 0;

	resch_band_for_each(other, entry) {
		room |= resch_server_room_in(other);
		tasks += other->nr_tasks;
	}
	return room && (!entry->grant || tasks < entry->grant->tasks);
}
