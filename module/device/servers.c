// SPDX-License-Identifier: GPL-2.0
/* servers.c - requests about servers, with the lock that they need */
#include "servers.h"
#include "core/event.h"
#include "core/reap.h"
#include "domain/registry.h"
#include "server/band.h"
#include "server/grant.h"
#include "server/server.h"

int resch_servers_one(struct resch_file *file, struct resch_server_set *want)
{
	int err;

	resch_registry_request(want->plugin);
	mutex_lock(&resch_lock);
	err = resch_server_set(file, want);
	mutex_unlock(&resch_lock);
	return err;
}

int resch_servers_band(struct resch_file *file, struct resch_servers_set *want)
{
	int err;

	resch_registry_request(want->plugin);
	mutex_lock(&resch_lock);
	err = resch_band_set(file, want);
	mutex_unlock(&resch_lock);
	return err;
}

int resch_servers_stat(struct resch_server_stat *stat)
{
	int err;

	resch_query_lock();
	err = resch_server_query(stat);
	resch_query_unlock();
	return err;
}

int resch_servers_open(struct resch_file *file, struct resch_server_open *open)
{
	int err;

	/* Opening takes a while: whoever may not is told so first. */
	resch_query_lock();
	err = resch_server_may_open(file, open);
	resch_query_unlock();
	if (err)
		return err;
	mutex_lock(&resch_lock);
	err = resch_server_open(file, open);
	mutex_unlock(&resch_lock);
	return err;
}

int resch_servers_delegate(const struct resch_delegate *want)
{
	int err;

	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	err = resch_grant_set(want);
	/* Those whose registrations that ends are given back what they had before it returns. */
	resch_thread_reap_all();
	mutex_unlock(&resch_lock);
	resch_thread_leave_self();
	return err;
}
