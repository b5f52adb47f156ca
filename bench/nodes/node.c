// SPDX-License-Identifier: GPL-2.0
/* node.c - a node's life: its threads, and the connections that it keeps trying to have */
#include <errno.h>
#include <poll.h>
#include <resch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock-ns.h"
#include "nodes.h"

#define LOOK 20000000 /* of the manager, ns */

struct node here;

static int failed(const char *what, int error)
{
	fprintf(stderr, "resch-nodes: node %.15s: %s: %s\n", here.plan->names[here.self], what,
		strerror(-error));
	count_up(here.shared->failed[here.self], 1);
	return 1;
}

static uint32_t phase(void)
{
	return __atomic_load_n(&here.shared->phase, __ATOMIC_ACQUIRE);
}

/* ---- first stages ---------------------------------------------------------------------------- */

/** struct source - the thread of a chain's first stage */
struct source {
	pthread_t thread;
	uint32_t chain;
	bool late;
	int result; /* 0: not known yet, 1: it is registered */
};

static struct source sources[CHAINS_MAX];

static int source_register(const struct source *source)
{
	const struct resch_chain_spec *chain = &here.plan->set.model.chains[source->chain];
	struct resch_register reg = { .domain = here.plan->domain };
	struct resch_task_params *params = &reg.params;

	params->kind = RESCH_PERIODIC;
	params->period = chain->period;
	params->deadline = chain->stages[0].local ? chain->stages[0].local : chain->deadline;
	params->wcet = chain->stages[0].wcet;
	if (params->deadline < params->wcet)
		params->deadline = params->wcet;
	params->priority = here.plan->set.model.policy == RESCH_CHAIN_EDF ?
				   0 :
				   chain->stages[0].priority + PRIORITY_STAGES;
	params->cpu = chain->stages[0].cpu;
	params->flags = RESCH_F_SKIP_ADMISSION | (source->late ? 0 : RESCH_F_SYNC);
	snprintf(params->name, sizeof(params->name), "%.7s.%.7s", chain->name,
		 chain->stages[0].name);
	return resch_register_self(here.device, &reg);
}

static void source_job(uint32_t index, uint64_t release)
{
	const struct resch_chain_spec *chain = &here.plan->set.model.chains[index];
	struct request request = { .chain = index, .origin = release };

	request.deadline = release + chain->deadline;
	stage_work(&chain->stages[0]);
	request.instance = count_up(here.shared->chains[index].instances, 1) + 1;
	stage_done(&request);
}

static void *source_main(void *arg)
{
	struct source *source = arg;
	int result = source_register(source);
	struct resch_wait job;

	__atomic_store_n(&source->result, result ? result : 1, __ATOMIC_RELEASE);
	while (!result || result == -EINTR) {
		result = resch_wait(here.device, &job);
		if (phase() >= PHASE_DRAIN)
			break;
		if (!result)
			source_job(source->chain, job.release);
	}
	/* It is not released any more, as it ends. */
	return NULL;
}

static int sources_open(bool late)
{
	const struct resch_chain_model *model = &here.plan->set.model;
	uint32_t i;
	int result;

	for (i = 0; i < model->count; i++) {
		struct source *source = &sources[i];

		if (here.plan->node_of[i][0] != here.self)
			continue;
		*source = (struct source){ .chain = i, .late = late };
		result = -pthread_create(&source->thread, NULL, source_main, source);
		while (!result) {
			sleep_for(1000000);
			result = __atomic_load_n(&source->result, __ATOMIC_ACQUIRE);
		}
		if (result < 0)
			return result;
	}
	return 0;
}

/* ---- connections ----------------------------------------------------------------------------- */

/* Return: whether it is there. */
static bool try_lane(uint32_t lane)
{
	int socket = __atomic_load_n(&here.out[lane], __ATOMIC_ACQUIRE), error = 0;
	struct pollfd look = { .fd = socket, .events = POLLOUT };
	socklen_t size = sizeof(error);

	if (socket >= 0 && !here.trying[lane])
		return true;
	if (socket < 0) {
		socket = net_connect(here.plan->loopback, here.self, here.plan->lane[lane].node);
		if (socket < 0)
			return false;
		here.trying[lane] = true;
		__atomic_store_n(&here.out[lane], socket, __ATOMIC_RELEASE);
		return false;
	}
	if (poll(&look, 1, 0) <= 0)
		return false;
	getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
	if (error || wire_begin(socket, lane)) {
		/* Nobody has used it. */
		__atomic_store_n(&here.out[lane], -1, __ATOMIC_RELEASE);
		close(socket);
		return false;
	}
	__atomic_store_n(&here.trying[lane], false, __ATOMIC_RELEASE);
	return true;
}

/* A peer that has gone is seen here even when nothing is to be sent. */
static void look_lane(uint32_t lane)
{
	int socket = __atomic_load_n(&here.out[lane], __ATOMIC_ACQUIRE);
	char byte;

	if (socket < 0 || here.trying[lane])
		return;
	if (recv(socket, &byte, 1, MSG_DONTWAIT) == 0 || (errno != EAGAIN && errno != EINTR)) {
		/* Whoever is just sending may still use the number: it stays open. */
		if (__atomic_compare_exchange_n(&here.out[lane], &socket, -1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			count_up(here.shared->lanes[lane].broken, 1);
		shutdown(socket, SHUT_RDWR);
	}
}

/* Return: all that are wanted are there. */
static bool connections(void)
{
	bool all = true;
	uint32_t i;

	for (i = 0; i < here.plan->lanes; i++) {
		if (!speaks(here.plan, here.self, i))
			continue;
		look_lane(i);
		all = try_lane(i) && all;
	}
	return all;
}

static void take_connections(int listener)
{
	int socket;

	while ((socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		if (wire_accept(socket))
			close(socket);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void manage(int listener)
{
	uint32_t i;

	while (phase() < PHASE_END) {
		struct pollfd look = { .fd = listener, .events = POLLIN };

		poll(&look, 1, LOOK / 1000000);
		if (!here.plan->dds)
			take_connections(listener);
		if (__atomic_exchange_n(&here.shared->cut[here.self], 0, __ATOMIC_RELAXED))
			wire_cut();
		if (here.plan->dds ? dds_found() : connections())
			__atomic_store_n(&here.shared->ready[here.self], 2, __ATOMIC_RELEASE);
		for (i = 0; i < here.plan->lanes; i++)
			if (here.plan->lane[i].node == here.self)
				pool_grow(i);
	}
}

int node_main(const struct plan *plan, struct shared *shared, uint32_t self, int listener,
	      bool late)
{
	int result = 0;
	uint32_t i;

	here = (struct node){ .plan = plan, .shared = shared, .self = self };
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < LANES_MAX; i++)
		here.out[i] = -1;
	here.device = resch_open();
	if (here.device < 0)
		return failed("resch", here.device);
	here.pools = calloc(plan->lanes, sizeof(*here.pools));
	if (!here.pools)
		return failed("pools", -ENOMEM);
	for (i = 0; i < plan->lanes && !result; i++)
		if (plan->lane[i].node == self)
			result = pool_open(i);
	if (!result && plan->dds)
		result = dds_open();
	if (!result)
		result = sources_open(late);
	if (result)
		return failed("threads", result);
	__atomic_store_n(&shared->ready[self], 1, __ATOMIC_RELEASE);
	manage(listener);
	return 0;
}
