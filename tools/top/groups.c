// SPDX-License-Identifier: GPL-2.0-or-later
/* groups.c - what the programs in the kernel have counted of servers, chains and CPUs */
#include <errno.h>
#include <string.h>

#include "top.h"

const char *const share_names[TOP_SHARES] = {
	[TOP_SHARE_IDLE] = "idle",	   [TOP_SHARE_TASKS] = "tasks",
	[TOP_SHARE_THREADS] = "threads",   [TOP_SHARE_IRQS] = "irqs",
	[TOP_SHARE_SOFTIRQS] = "softirqs",
};

static void name_clean(char *name)
{
	name[TOP_NAME - 1] = 0;
	text_clean(name);
}

/* ---- servers --------------------------------------------------------------------------------- */

static struct top_server *server_find(const struct look *look, uint64_t id)
{
	for_each_server(server, look) {
		if (server->id == id)
			return server;
	}
	return NULL;
}

static struct top_server *server_place(const struct probe *probe, uint64_t id)
{
	for (uint32_t i = 0; i < TOP_PROBES; i++) {
		struct top_server *place = &probe->servers[(top_first(id) + i) & (TOP_SERVERS - 1)];

		if (place->id == id)
			return place;
	}
	return NULL;
}

static void server_describe(struct top_server *server, const struct resch_server_stat *stat)
{
	server->cpu = (uint32_t)stat->params.cpu;
	server->kind = stat->params.kind;
	server->budget = stat->params.budget;
	server->period = stat->params.period;
	memcpy(server->name, stat->params.name, TOP_NAME);
	name_clean(server->name);
	server->known = 1;
}

/* What the module tells of a server that is there; its counts are not from our beginning on. */
static int server_know(struct look *look, const struct probe *probe,
		       const struct resch_server_stat *stat)
{
	uint64_t id = (uint64_t)stat->domain << 32 | stat->id;
	struct top_server *server = server_find(look, id), *place = server_place(probe, id);

	/* It stays known when it has ended. */
	if (place && !place->known)
		server_describe(place, stat);
	if (!server)
		server = list_more(&look->servers);
	if (!server)
		return -ENOMEM;
	server->id = id;
	server_describe(server, stat);
	server->left = (int64_t)stat->left;
	server->deadline = stat->deadline;
	server->time = look->time;
	return 0;
}

static int servers_know(struct look *look, const struct probe *probe, int fd)
{
	struct resch_domain_stat domain = {};
	int result;

	while ((result = resch_domain_next(fd, &domain)) > 0) {
		struct resch_server_stat stat = { .domain = domain.domain };

		while (resch_server_next(fd, &stat) > 0) {
			if (server_know(look, probe, &stat))
				return -ENOMEM;
		}
	}
	return result;
}

static int servers_take(struct look *look, const struct look *before, const struct probe *probe)
{
	for (size_t i = 0; i < TOP_SERVERS; i++) {
		struct top_server *place = &probe->servers[i], *server;

		if (!place->id)
			continue;
		if (place->gone && place_old(look, before, place->ended)) {
			place_free(place, sizeof(*place), sizeof(place->id), &place->gone);
			continue;
		}
		server = list_more(&look->servers);
		if (!server)
			return -ENOMEM;
		if (!place_copy(server, place, sizeof(*server)))
			look->servers.count--;
		else
			name_clean(server->name);
	}
	return 0;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static struct top_chain *chain_find(const struct look *look, uint32_t id)
{
	for_each_chain(chain, look) {
		if (chain->id == id)
			return chain;
	}
	return NULL;
}

static struct top_chain *chain_place(const struct probe *probe, uint32_t id)
{
	for (uint32_t i = 0; i < TOP_PROBES; i++) {
		struct top_chain *place = &probe->chains[(top_first(id) + i) & (TOP_CHAINS - 1)];

		if (place->id == id)
			return place;
	}
	return NULL;
}

static void chain_describe(struct top_chain *chain, const struct resch_chain_stat *stat)
{
	chain->stages = stat->count;
	chain->protocol = stat->protocol;
	chain->period = stat->period;
	chain->deadline = stat->deadline;
	memcpy(chain->name, stat->name, TOP_NAME);
	name_clean(chain->name);
	chain->known = 1;
}

/* Likewise, of the chains. */
static int chains_know(struct look *look, const struct probe *probe, int fd)
{
	struct resch_chain_stat stat = {};
	int result;

	while ((result = resch_chain_next(fd, &stat, NULL, 0, NULL)) > 0) {
		struct top_chain *chain = chain_find(look, stat.id);
		struct top_chain *place = chain_place(probe, stat.id);

		if (place && !place->known)
			chain_describe(place, &stat);
		if (!chain)
			chain = list_more(&look->chains);
		if (!chain)
			return -ENOMEM;
		chain->id = stat.id;
		chain->stopped = stat.stopped;
		chain_describe(chain, &stat);
	}
	return result;
}

static int chains_take(struct look *look, const struct look *before, const struct probe *probe)
{
	for (size_t i = 0; i < TOP_CHAINS; i++) {
		struct top_chain *place = &probe->chains[i], *chain;

		if (!place->id)
			continue;
		if (place->gone && place_old(look, before, place->ended)) {
			place_free(place, sizeof(*place), sizeof(place->id), &place->gone);
			continue;
		}
		chain = list_more(&look->chains);
		if (!chain)
			return -ENOMEM;
		if (!place_copy(chain, place, sizeof(*chain))) {
			look->chains.count--;
			continue;
		}
		name_clean(chain->name);
		/* Of a chain that has stopped nothing comes any more. */
		if (chain->stopped && chain->whole &&
		    chain->instances > chain->completed + chain->skipped)
			chain->lost = chain->instances - chain->completed - chain->skipped;
	}
	return 0;
}

/* ---- CPUs ------------------------------------------------------------------------------------ */

static int cpus_take(struct look *look, const struct probe *probe)
{
	for (size_t i = 0; i < probe->cpu_count; i++) {
		struct top_cpu *cpu = list_more(&look->cpus);
		uint64_t now;
		uint32_t share;

		if (!cpu)
			return -ENOMEM;
		*cpu = probe->cpus[i];
		now = resch_now();
		share = top_share_of(cpu, top_who_now(cpu));
		if (cpu->since && now > cpu->since && share < TOP_SHARES)
			cpu->shares[share] += now - cpu->since;
	}
	return 0;
}

int groups_take(struct look *look, const struct look *before, const struct probe *probe, int fd)
{
	int result;

	look->servers.size = sizeof(struct top_server);
	look->servers.count = 0;
	look->chains.size = sizeof(struct top_chain);
	look->chains.count = 0;
	look->cpus.size = sizeof(struct top_cpu);
	look->cpus.count = 0;
	result = servers_take(look, before, probe);
	if (!result)
		result = servers_know(look, probe, fd);
	if (!result)
		result = chains_take(look, before, probe);
	if (!result)
		result = chains_know(look, probe, fd);
	if (!result)
		result = cpus_take(look, probe);
	return result;
}
