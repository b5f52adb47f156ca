// SPDX-License-Identifier: GPL-2.0
/* chain_play.c - chains, played from one or from many phasings */
#include "chain.h"

#include "chain/divisor.h"

typedef unsigned long long ull;

/* The least common multiple, or RESCH_NEVER where that is far away. */
static u64 multiple(u64 a, u64 b)
{
	u64 all;

	if (a == RESCH_NEVER || __builtin_mul_overflow(a / chain_divisor(a, b), b, &all) ||
	    all > 1ULL << 60)
		return RESCH_NEVER;
	return all;
}

/* Until everything repeats, twice; and no longer than a thousand of the longest periods. */
static u64 long_enough(const struct resch_chain_model *model, const u64 *phases)
{
	u64 all = 1, longest = 0, last = 0, most = 0;
	u32 i;

	for (i = 0; i < model->count; i++) {
		all = multiple(all, model->chains[i].period);
		longest = max(longest, model->chains[i].period);
		last = max(last, phases[i]);
		most = max(most, model->chains[i].deadline);
	}
	return last + min(all, 500 * longest) * 2 + 4 * most;
}

/* Half of what divides all times. */
static u64 grid_of(const struct resch_chain_model *model)
{
	u64 grid = 0;
	u32 i, k;

	for (i = 0; i < model->count; i++) {
		grid = chain_divisor(model->chains[i].period, grid);
		for (k = 0; k < model->chains[i].count; k++)
			grid = chain_divisor(model->chains[i].stages[k].wcet, grid);
	}
	return max(1ULL, grid / 2);
}

/*
 * Phasings that differ: the first chain begins at 0, and each other one in what it shares with
 * those before it, as beginning later by a multiple of their periods is the same. Chain i has
 * sizes[i] of them.
 */
static u64 count_phasings(const struct resch_chain_model *model, u64 grid, u64 *sizes)
{
	u64 all = model->chains[0].period, count = 1;
	u32 i;

	sizes[0] = 1;
	for (i = 1; i < model->count; i++) {
		u64 period = model->chains[i].period;

		sizes[i] = max(1ULL,
			       (all == RESCH_NEVER ? period : chain_divisor(all, period)) / grid);
		all = multiple(all, period);
		if (__builtin_mul_overflow(count, sizes[i], &count))
			return RESCH_NEVER;
	}
	return count;
}

/* ---- what came of it ------------------------------------------------------------------------- */

static int take_responses(struct sim_chain_total *total, const struct sim_chain *chain)
{
	u64 wanted = total->complete + chain->complete;

	if (wanted > total->room) {
		u64 room = max(2 * total->room, wanted);
		u64 *grown = realloc(total->responses, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		total->responses = grown;
		total->room = room;
	}
	if (chain->complete)
		memcpy(total->responses + total->complete, chain->responses,
		       chain->complete * sizeof(u64));
	total->complete = wanted;
	return 0;
}

static int take(struct sim_chain_total *total, const struct sim_chain *chain)
{
	u32 i;

	total->begun += chain->begun;
	total->missed += chain->missed;
	total->skipped += chain->skipped;
	total->lost += chain->lost;
	total->late += chain->late;
	for (i = 0; i < chain->spec->count; i++) {
		total->worst[i] = max(total->worst[i], chain->stages[i].worst);
		total->held[i] += chain->stages[i].held;
	}
	return take_responses(total, chain);
}

static int play_one(struct sim_chain_play *play, const u64 *phases, char *error, size_t size)
{
	struct sim_config config = play->sim;
	struct sim *sim;
	u32 i;
	int err;

	config.end = play->end ? play->end : long_enough(&play->model, phases);
	config.seed += play->played;
	sim = sim_new(&config, error, size);
	if (!sim)
		return -EINVAL;
	err = sim_chains_add(sim, &play->model, play->sapm, &play->config, phases);
	if (err)
		snprintf(
			error, size,
			err == -EINVAL ?
				"stages with clocks are not simulated, nor a delay that comes first or in a chain that forks" :
				"the plugin takes no such tasks");
	if (!err && sim_run(sim)) {
		snprintf(error, size, "the core would throw %s out at %llu ns: %s",
			 sim->plugin->name, (ull)sim->now, sim->fault);
		err = -EPROTO;
	}
	for (i = 0; i < play->model.count && !err; i++)
		err = take(&play->totals[i], &sim->chains->chains[i]);
	play->rule2 = !err && sim->chains->idle;
	play->played++;
	sim_free(sim);
	return err;
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int play_all(struct sim_chain_play *play, char *error, size_t size)
{
	u64 phases[RESCH_CHAINS_MAX] = { 0 }, at[RESCH_CHAINS_MAX] = { 0 };
	u64 sizes[RESCH_CHAINS_MAX], grid = grid_of(&play->model);
	u64 count = count_phasings(&play->model, grid, sizes), n;
	u32 i;
	int err = 0;

	if (count > SIM_CHAIN_PHASES_MAX) {
		snprintf(error, size, "there are too many phasings; --phases=N plays N at random");
		return -E2BIG;
	}
	for (n = 0; n < count && !err; n++) {
		for (i = 0; i < play->model.count; i++)
			phases[i] = at[i] * grid;
		err = play_one(play, phases, error, size);
		for (i = 1; i < play->model.count && ++at[i] == sizes[i]; i++)
			at[i] = 0;
	}
	return err;
}

static int play_some(struct sim_chain_play *play, char *error, size_t size)
{
	u64 phases[RESCH_CHAINS_MAX] = { 0 }, random = play->sim.seed * 31 + 7;
	u32 i, n = 0;
	int err;

	do {
		for (i = 0; i < play->model.count && play->phases; i++)
			phases[i] = sim_random(&random, 0, play->model.chains[i].period - 1);
		err = play_one(play, phases, error, size);
	} while (!err && ++n < play->phases);
	return err;
}

int sim_chain_play(struct sim_chain_play *play, char *error, size_t size)
{
	struct resch_chain_result result = { .chains = play->sapm };
	struct resch_chain_model model = play->model;
	u32 i;
	int err;

	/* the phases of PM and MPM are those of fixed priorities, or of local deadlines */
	err = resch_chain_analyse(
		&model, model.policy == RESCH_CHAIN_EDF ? RESCH_CHAIN_DECOMPOSED : RESCH_CHAIN_SAPM,
		&result);
	if (err && err != -EBUSY) {
		resch_chain_text(&model, &result, error, size);
		return err;
	}
	for (i = 0; i < model.count; i++) {
		u32 protocol = model.chains[i].protocol;

		if ((protocol == RESCH_CHAIN_PM || protocol == RESCH_CHAIN_MPM) &&
		    play->sapm[i].stages[model.chains[i].count - 1].phase == RESCH_CHAIN_NEVER) {
			snprintf(error, size, "chain %.15s has no bounds that make phases for %s",
				 model.chains[i].name, resch_chain_protocol_name(protocol));
			return -EINVAL;
		}
	}
	play->sim.cpus = sim_chain_places(&play->model);
	play->sim.force = true;
	play->totals = calloc(model.count, sizeof(*play->totals));
	if (!play->totals)
		return -ENOMEM;
	err = play->all ? play_all(play, error, size) : play_some(play, error, size);
	for (i = 0; i < model.count && !err; i++)
		if (play->totals[i].complete)
			qsort(play->totals[i].responses, play->totals[i].complete, sizeof(u64),
			      by_size);
	return err;
}

void sim_chain_play_free(struct sim_chain_play *play)
{
	u32 i;

	for (i = 0; play->totals && i < play->model.count; i++)
		free(play->totals[i].responses);
	free(play->totals);
	play->totals = NULL;
}
