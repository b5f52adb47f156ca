// SPDX-License-Identifier: GPL-2.0
/*
 * chain_trace.c - what a trace says of simulated chains, in the module's words
 *
 * Of chains as the module has them: their stages are tasks, and what is handed over is there at
 * once. Latencies, links that lose messages and clocks that differ are none of its events.
 */
#include "chain.h"

typedef unsigned long long ull;

static bool is_told(const struct sim_chains *chains)
{
	const struct sim_chain_config *config = &chains->config;
	u32 i, k;

	if (!chains->sim->config.trace || config->handover_max || config->clock_skew ||
	    config->lost)
		return false;
	for (i = 0; i < chains->count; i++)
		for (k = 0; k < chains->chains[i].spec->count; k++)
			if (chains->chains[i].spec->stages[k].kind == RESCH_STAGE_DELAY)
				return false;
	return true;
}

/* As the module has it: from the origin, or from the release of the stage before. */
static u64 phase_told(const struct sim_chain *chain, const struct resch_chain_bound *bound, u32 k)
{
	u32 from;

	switch (chain->spec->protocol) {
	case RESCH_CHAIN_PM:
		return bound->stages[k].phase;
	case RESCH_CHAIN_MPM:
		from = resch_stage_from(&chain->spec->stages[k], k);
		return k ? bound->stages[k].phase - bound->stages[__builtin_ctz(from)].phase : 0;
	default:
		return 0;
	}
}

void sim_chain_trace_begin(const struct sim *sim)
{
	const struct sim_chains *chains = sim->chains;
	u32 i, k;

	if (!chains || !is_told(chains))
		return;
	for (i = 0; i < chains->count; i++) {
		const struct sim_chain *chain = &chains->chains[i];
		const struct resch_chain_spec *spec = chain->spec;

		fprintf(sim->config.trace,
			"%llu resch_chain_set chain=%u name=%s protocol=%u stages=%u period=%llu deadline=%llu\n",
			(ull)sim->now, i + 1, spec->name, spec->protocol, spec->count,
			(ull)spec->period, (ull)spec->deadline);
		for (k = 0; k < spec->count; k++)
			fprintf(sim->config.trace,
				"%llu resch_chain_stage chain=%u stage=%u task=%u phase=%llu from_mask=%u any=%u\n",
				(ull)sim->now, i + 1, k, chain->stages[k].task->task.id,
				(ull)phase_told(chain, &chains->bounds[i], k),
				resch_stage_from(&spec->stages[k], k),
				!!(spec->stages[k].flags & RESCH_STAGE_ANY));
	}
}

void sim_chain_trace(const struct sim_stage *stage, const struct sim_parcel *parcel, u32 what)
{
	const struct sim *sim = stage->chains->sim;

	if (is_told(stage->chains))
		fprintf(sim->config.trace,
			"%llu resch_chain chain=%u instance=%llu stage=%u task=%u what=%u origin=%llu now=%llu\n",
			(ull)sim->now, stage->chain + 1, (ull)parcel->instance, stage->index,
			stage->task->task.id, what, (ull)parcel->origin, (ull)sim->now);
}
