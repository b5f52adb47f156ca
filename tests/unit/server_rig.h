/* SPDX-License-Identifier: GPL-2.0 */
/* server_rig.h - servers on the rig's CPU, and tasks in them */
#ifndef _RESCH_SERVER_RIG_H
#define _RESCH_SERVER_RIG_H

#include "sim_rig.h"

#include "analysis/server.h"
#include "budget.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define US 1000ULL
#define MS 1000000ULL

const struct resch_plugin *resch_server(void);

static inline struct resch_server_params size_of(u32 kind, u32 policy, u64 budget, u64 period)
{
	return (struct resch_server_params){ .kind = kind,
					     .policy = policy,
					     .budget = budget,
					     .period = period,
					     .quantum = policy == RESCH_SERVER_RR ? MS : 0,
					     .cpu = -1 };
}

static struct rig rig;
static struct resch_server servers[3];

static inline struct resch_server *serve(u32 id, u32 kind, u32 policy, u64 budget, u64 period)
{
	struct resch_server *server = &servers[id - 1];

	memset(server, 0, sizeof(*server));
	server->id = id;
	server->params = size_of(kind, policy, budget, period);
	server->next = rig.rq.servers;
	rig.rq.servers = server;
	return server;
}

static inline struct resch_task *member(struct resch_server *server, u64 wcet, u64 period)
{
	struct resch_task *task = rig_task(&rig, wcet, period, period);

	task->params.group = server->id;
	task->server = server;
	rig_join(&rig, task);
	return task;
}

#endif /* _RESCH_SERVER_RIG_H */
