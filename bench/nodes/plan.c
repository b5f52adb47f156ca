// SPDX-License-Identifier: GPL-2.0
/* plan.c - which node a stage is on, and which lanes serve a node's CPUs */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nodes.h"

const struct resch_stage_spec *stage_of(const struct plan *plan, uint32_t chain, uint32_t stage)
{
	return &plan->set.model.chains[chain].stages[stage];
}

uint64_t urgency_of(const struct plan *plan, const struct resch_stage_spec *stage)
{
	return plan->set.model.policy == RESCH_CHAIN_EDF ? stage->local : stage->priority;
}

static int refuse(const struct resch_chain_spec *chain, const struct resch_stage_spec *stage,
		  const char *why)
{
	fprintf(stderr, "resch-nodes: chain %.15s, stage %.15s: %s\n", chain->name, stage->name,
		why);
	return -1;
}

/* A CPU is one node's. */
static int check_cpu(const struct plan *plan, uint32_t chain, uint32_t stage)
{
	const struct resch_stage_spec *this = stage_of(plan, chain, stage), *other;
	uint32_t i, k;

	for (i = 0; i <= chain; i++)
		for (k = 0; k < plan->set.model.chains[i].count; k++) {
			other = stage_of(plan, i, k);
			if (other->cpu == this->cpu && strcmp(other->node, this->node))
				return refuse(&plan->set.model.chains[chain], this,
					      "its CPU is another node's, too");
			if (other == this)
				return 0;
		}
	return 0;
}

static int find_node(struct plan *plan, uint32_t chain, uint32_t stage)
{
	const struct resch_chain_spec *of = &plan->set.model.chains[chain];
	const struct resch_stage_spec *this = &of->stages[stage];
	uint32_t node;

	if (this->kind != RESCH_STAGE_CPU || this->clock)
		return refuse(of, this, "only stages on CPUs, without clocks, can be run");
	if (resch_chain_forks(of))
		return refuse(of, this, "chains that fork or join can't be run");
	if (this->cpu < 0 || this->cpu >= RESCH_CPUS_MAX)
		return refuse(of, this, "there is no such CPU");
	for (node = 0; node < plan->nodes && strcmp(plan->names[node], this->node); node++)
		;
	if (node == NODES_MAX)
		return refuse(of, this, "there are too many nodes");
	if (node == plan->nodes)
		memcpy(plan->names[plan->nodes++], this->node, RESCH_CHAIN_NAME);
	plan->node_of[chain][stage] = (uint8_t)node;
	return check_cpu(plan, chain, stage);
}

int plan_read(struct plan *plan, const char *path, uint32_t policy)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	struct resch_chain_model *model = &plan->set.model;
	char error[CHAINSET_ERROR];
	uint32_t i, k;
	int err;

	if (!file) {
		fprintf(stderr, "resch-nodes: %s: %s\n", path, strerror(errno));
		return -1;
	}
	err = chainset_read(file, &plan->set, error, sizeof(error));
	if (file != stdin)
		fclose(file);
	if (err) {
		fprintf(stderr, "resch-nodes: %s: %s\n", path, error);
		return -1;
	}
	model->policy = policy;
	if (model->count > CHAINS_MAX) {
		fprintf(stderr, "resch-nodes: %s: more than %d chains\n", path, CHAINS_MAX);
		return -1;
	}
	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			if (find_node(plan, i, k))
				return -1;
	if (!(policy == RESCH_CHAIN_EDF ? plan->set.assigned : plan->set.prioritised) &&
	    resch_chain_assign(model, RESCH_CHAIN_PD)) {
		fprintf(stderr,
			"resch-nodes: %s: a deadline is shorter than what its chain takes\n", path);
		return -1;
	}
	/* What waits for a message waits for its period, too: that is the guard of rg1. */
	for (i = 0; i < model->count; i++)
		model->chains[i].protocol = RESCH_CHAIN_RG1;
	return 0;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool on_cpu(const struct plan *plan, uint32_t chain, uint32_t stage, int cpu)
{
	/* The first stages are released by the clock, and have threads of their own. */
	return stage && stage_of(plan, chain, stage)->cpu == cpu;
}

/* Urgencies of what messages release on a CPU, sorted, each once. */
static uint32_t urgencies(const struct plan *plan, int cpu, uint64_t *found)
{
	const struct resch_chain_model *model = &plan->set.model;
	uint32_t count = 0, kept = 0, i, k;

	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			if (on_cpu(plan, i, k, cpu))
				found[count++] = urgency_of(plan, stage_of(plan, i, k));
	qsort(found, count, sizeof(*found), compare);
	for (i = 0; i < count; i++)
		if (!i || found[i] != found[i - 1])
			found[kept++] = found[i];
	return kept;
}

/* What the lane's band has to do. */
static void lane_fill(const struct plan *plan, struct lane *lane)
{
	const struct resch_chain_model *model = &plan->set.model;
	uint32_t i, k;

	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++) {
			const struct resch_stage_spec *stage = stage_of(plan, i, k);
			uint64_t urgency = urgency_of(plan, stage);

			if (!on_cpu(plan, i, k, lane->cpu) || urgency < lane->lo ||
			    urgency > lane->hi)
				continue;
			lane->node = plan->node_of[i][k];
			lane->stages++;
			lane->period = model->chains[i].period;
			if (!lane->wcet || stage->wcet < lane->wcet)
				lane->wcet = stage->wcet;
		}
	/* Several chains have no period in common: what takes its time is not held back. */
	if (lane->stages > 1)
		lane->period = lane->wcet;
}

int plan_lanes(struct plan *plan)
{
	uint64_t found[CHAINS_MAX * RESCH_CHAIN_STAGES_MAX];
	uint32_t count, lanes, i;
	int cpu;

	plan->lanes = 0;
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		count = urgencies(plan, cpu, found);
		lanes = plan->most && plan->most < count ? plan->most : count;
		for (i = 0; i < lanes; i++) {
			struct lane *lane = &plan->lane[plan->lanes];

			if (plan->lanes++ == LANES_MAX) {
				fprintf(stderr, "resch-nodes: more than %d lanes\n", LANES_MAX);
				return -1;
			}
			*lane = (struct lane){ .cpu = cpu };
			lane->lo = found[count * i / lanes];
			lane->hi = found[count * (i + 1) / lanes - 1];
			lane_fill(plan, lane);
		}
	}
	return 0;
}

uint32_t lane_for(const struct plan *plan, uint32_t chain, uint32_t stage, uint64_t urgency)
{
	int cpu = stage_of(plan, chain, stage)->cpu;
	uint32_t i, last = 0;

	for (i = 0; i < plan->lanes; i++) {
		if (plan->lane[i].cpu != cpu)
			continue;
		last = i;
		if (urgency <= plan->lane[i].hi)
			break;
	}
	return last;
}

bool speaks(const struct plan *plan, uint32_t from, uint32_t lane)
{
	const struct resch_chain_model *model = &plan->set.model;
	uint32_t i, k;

	if (plan->lane[lane].node == from)
		return false;
	for (i = 0; i < model->count; i++)
		for (k = 1; k < model->chains[i].count; k++)
			if (plan->node_of[i][k - 1] == from &&
			    lane_for(plan, i, k, urgency_of(plan, stage_of(plan, i, k))) == lane)
				return true;
	return false;
}
