/* SPDX-License-Identifier: GPL-2.0 */
/*
 * passive_world.h - clients, providers and servers; what happens to them, told to the plugin and to
 * a judge, who knows nothing of it
 */
#ifndef _RESCH_PASSIVE_WORLD_H
#define _RESCH_PASSIVE_WORLD_H

#include "rig.h"

#include "budget.h"

const struct resch_plugin *resch_server(void);

#define SERVERS 5 /* at most; the last one made is the passive one */
#define CLIENTS 8
#define PROVIDERS 8

/* How much: RESCH_TEST_LONG=1 in the environment asks for all of it. */
static u32 long_or(u32 all, u32 usual)
{
	return getenv("RESCH_TEST_LONG") ? all : usual;
}

/* ---- the world: what happens, told to the plugin and to the judge alike ---------------------- */

enum phase {
	IDLE, /* between two jobs */
	FIRST, /* its own work before the call */
	WAITS, /* has called, and nobody has taken it up */
	SERVED, /* the provider's work */
	REST, /* its own work after that */
	DEAD,
};

struct client {
	struct resch_task *task;
	struct resch_task *provider; /* SERVED */
	u32 server;
	enum phase phase;
	u64 need[3]; /* of the job: before, provided, after */
	u64 left; /* of the phase */
	u64 next; /* release */
	u64 late; /* the worst, ns */
	bool discards;
};

struct provider {
	struct resch_task *task;
	bool busy; /* with a client's work, or what has become of that */
	u64 orphan; /* work left that is for nobody any more: done in its own server */
};

struct judged {
	u64 budget, period;
	bool hard;
	u32 policy;
	u64 left, deadline, consumed;
	u32 jobs; /* as of the last look */
};

struct world {
	struct rig rig;
	struct resch_server servers[SERVERS];
	struct judged judged[SERVERS];
	struct client clients[CLIENTS];
	struct provider providers[PROVIDERS];
	u32 nr_servers, nr_clients, nr_providers;
	u64 now, random;
	u64 calls, picked, exhausted;
	/* nobody dies, gives up, overruns or waits for a provider: no deadline is missed */
	bool polite;
	bool tie; /* two servers with one deadline: either may go first */
};

static struct world world;

static u64 draw(u64 low, u64 high)
{
	return rig_between(&world.random, low, high);
}

static u32 passive(void)
{
	return world.nr_servers - 1;
}

/* ---- the judge ------------------------------------------------------------------------------- */

struct job {
	const struct resch_task *task; /* whom the plugin is to pick */
	u64 key;
	u32 tie;
	u64 *left;
	u32 server;
};

static u64 key_of(const struct judged *judged, const struct resch_task *task)
{
	if (judged->policy == RESCH_SERVER_EDF)
		return task->job.deadline;
	return judged->policy == RESCH_SERVER_FIFO ? task->job.release : task->params.deadline;
}

/* All ready jobs, wherever they are done. */
static u32 jobs_of(struct job *jobs)
{
	u32 count = 0, i;

	for (i = 0; i < world.nr_clients; i++) {
		struct client *client = &world.clients[i];

		if (client->phase == FIRST || client->phase == REST || client->phase == SERVED)
			jobs[count++] = (struct job){
				client->phase == SERVED ? client->provider : client->task,
				key_of(&world.judged[client->server], client->task),
				client->task->id,
				&client->left,
				client->server,
			};
	}
	for (i = 0; i < world.nr_providers; i++) {
		struct provider *provider = &world.providers[i];

		if (provider->orphan)
			jobs[count++] = (struct job){
				provider->task,
				key_of(&world.judged[passive()], provider->task),
				provider->task->id,
				&provider->orphan,
				passive(),
			};
	}
	return count;
}

static bool has_job(u32 server)
{
	struct job jobs[CLIENTS + PROVIDERS];
	u32 count = jobs_of(jobs), i;

	for (i = 0; i < count; i++) {
		if (jobs[i].server == server)
			return true;
	}
	return false;
}

/* A job comes at an idle server: c >= (d - t) Q / T, or d past: a new pair. */
static void judge_wakes(u32 server)
{
	struct judged *judged = &world.judged[server];

	if (judged->deadline > world.now &&
	    (__int128)judged->left * judged->period <
		    (__int128)(judged->deadline - world.now) * judged->budget)
		return;
	judged->left = judged->budget;
	judged->deadline = world.now + judged->period;
}

/* New budgets that are due now. */
static void judge_replenishes(void)
{
	u32 i;

	for (i = 0; i < world.nr_servers; i++) {
		struct judged *judged = &world.judged[i];

		if (judged->left || !judged->deadline)
			continue;
		if (judged->hard && (!has_job(i) || judged->deadline > world.now))
			continue;
		judged->left = judged->budget;
		judged->deadline += judged->period;
	}
}

/* The server with the earliest deadline, its first job; NULL: nobody. */
static bool judge_picks(struct job *pick)
{
	struct job jobs[CLIENTS + PROVIDERS];
	u32 count = jobs_of(jobs), i;
	bool found = false;

	for (i = 0; i < count; i++) {
		const struct judged *one = &world.judged[jobs[i].server], *best;

		if (!one->left)
			continue;
		best = found ? &world.judged[pick->server] : NULL;
		if (best && one != best && one->deadline == best->deadline)
			world.tie = true;
		if (!best || one->deadline < best->deadline ||
		    (one == best && (jobs[i].key < pick->key ||
				     (jobs[i].key == pick->key && jobs[i].tie < pick->tie))))
			*pick = jobs[i];
		found = true;
	}
	return found;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A job that should have come before the last one ended finds no idle server. */
static void tell_ready(struct resch_task *task, enum resch_why why)
{
	u32 server = task->server->id - 1;
	bool queued = why == RESCH_WHY_RELEASE && task->job.release < world.now;

	if (!world.judged[server].jobs++ && !queued)
		judge_wakes(server);
	task->ready = true;
	world.rig.plugin->enqueue(&world.rig.rq, task, why, world.now);
}

static void tell_unready(struct resch_task *task, enum resch_why why)
{
	world.judged[task->server->id - 1].jobs--;
	task->ready = false;
	world.rig.plugin->dequeue(&world.rig.rq, task, why, world.now);
}

static struct provider *provider_of(const struct resch_task *task)
{
	u32 i;

	for (i = 0; i < world.nr_providers; i++) {
		if (world.providers[i].task == task)
			return &world.providers[i];
	}
	return NULL;
}

static void client_released(struct client *client)
{
	struct resch_task *task = client->task;

	task->job.release = client->next;
	task->job.deadline = client->next + task->params.deadline;
	client->next += task->params.period;
	client->phase = FIRST;
	client->left = client->need[0];
	tell_ready(task, RESCH_WHY_RELEASE);
}

/* In the order in which the core does it: who takes up is ready before who calls is not. */
static void take_up(struct client *client, struct provider *provider)
{
	provider->busy = true;
	provider->task->client = client->task;
	provider->task->depth = 1;
	provider->task->server = client->task->server;
	client->provider = provider->task;
	client->phase = SERVED;
	client->left = client->need[1];
	tell_ready(provider->task, RESCH_WHY_WAKE);
	world.calls++;
}

/* The call that waits whose client's server is due first. */
static void take_next(struct provider *provider)
{
	struct client *first = NULL;
	u32 i;

	for (i = 0; i < world.nr_clients; i++) {
		struct client *client = &world.clients[i];

		if (client->phase == WAITS &&
		    (!first ||
		     world.judged[client->server].deadline < world.judged[first->server].deadline))
			first = client;
	}
	if (first)
		take_up(first, provider);
}

static void client_calls(struct client *client)
{
	u32 i;

	client->phase = WAITS;
	for (i = 0; i < world.nr_providers && client->phase == WAITS; i++) {
		if (!world.providers[i].busy)
			take_up(client, &world.providers[i]);
	}
	tell_unready(client->task, RESCH_WHY_BLOCK);
}

static void provider_home(struct provider *provider, enum resch_why why)
{
	tell_unready(provider->task, why);
	provider->task->client = NULL;
	provider->task->depth = 0;
	provider->task->server = &world.servers[passive()];
}

static void client_answered(struct client *client)
{
	struct provider *provider = provider_of(client->provider);

	client->phase = REST;
	client->left = client->need[2];
	tell_ready(client->task, RESCH_WHY_WAKE);
	provider_home(provider, client->discards ? RESCH_WHY_DISCARD : RESCH_WHY_BLOCK);
	if (client->discards)
		world.judged[client->server].left = 0;
	provider->busy = false;
	take_next(provider);
}

static void client_completes(struct client *client)
{
	u64 late = world.now > client->task->job.deadline ? world.now - client->task->job.deadline :
							    0;

	client->late = max(client->late, late);
	client->phase = IDLE;
	tell_unready(client->task, RESCH_WHY_COMPLETE);
	if (client->next <= world.now)
		client_released(client);
}

/* A client gives its call up, or is gone: the rest of the work is the provider's own. */
static void client_gives_up(struct client *client, bool dies)
{
	struct provider *provider;

	if (client->phase == SERVED) {
		provider = provider_of(client->provider);
		provider->orphan = client->left;
		client->phase = REST;
		if (!dies) {
			client->left = client->need[2];
			tell_ready(client->task, RESCH_WHY_WAKE);
		}
		provider_home(provider, RESCH_WHY_BLOCK);
		tell_ready(provider->task, RESCH_WHY_WAKE);
	} else if (client->phase == WAITS) {
		client->phase = REST;
		client->left = client->need[2];
		if (!dies)
			tell_ready(client->task, RESCH_WHY_WAKE);
	} else if (client->phase != IDLE && dies) {
		tell_unready(client->task, RESCH_WHY_DETACH);
	}
	if (dies) {
		rig_leave(&world.rig, client->task);
		client->phase = DEAD;
	}
}

static void progress(void)
{
	u32 i;

	for (i = 0; i < world.nr_clients; i++) {
		struct client *client = &world.clients[i];

		if (client->phase == FIRST && !client->left)
			client_calls(client);
		if (client->phase == SERVED && !client->left)
			client_answered(client);
		if (client->phase == REST && !client->left)
			client_completes(client);
	}
	for (i = 0; i < world.nr_providers; i++) {
		struct provider *provider = &world.providers[i];

		if (provider->busy && !provider->orphan && provider->task->ready &&
		    !provider->task->client) {
			tell_unready(provider->task, RESCH_WHY_BLOCK);
			provider->busy = false;
			take_next(provider);
		}
	}
}

#endif /* _RESCH_PASSIVE_WORLD_H */
