// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * hopa.c - deadlines of stages by trial: those who are late get more of what their chain has
 *
 * Gutierrez, Gonzalez Harbour, Optimized priority assignment for tasks and messages in distributed
 * hard real-time systems, WPDRTS 1995: after each analysis
 *
 *   d' = d (1 + e / (k Ex)) (1 + E / (k Ep))
 *
 * where e is the excess of the stage's response over its deadline, in units of how late the chain
 * is, Ex the largest one of its chain, E the sum over its place and Ep the largest of these; then
 * all d' of a chain are scaled to its deadline. Here in fixed point. The best one found is kept:
 * that whose worst chain, and then whose sum, is the smallest in relation to its deadline.
 */
#include <stdlib.h>

#include "chain.h"

#define ROUNDS 50
/* Of 1.0. */
#define SCALE 1024
/* Responses in millionths of deadlines; beyond this they are all alike. */
#define LATE_MAX 64000000ULL

typedef __int128 i128;

/* How good a set of deadlines is: smaller is better. */
struct score {
	uint64_t worst;
	uint64_t sum;
};

/* What a search has: @excess of each stage, its @total by place, the @best local deadlines. */
struct search {
	struct resch_chain_model *model;
	struct flat flat;
	struct resch_chain_result result;
	int64_t *excess;
	int64_t *total;
	uint64_t *best;
	struct score score;
};

static uint64_t lateness(uint64_t response, uint64_t deadline)
{
	if (response / deadline >= LATE_MAX / 1000000)
		return LATE_MAX;
	return (uint64_t)((__uint128_t)response * 1000000 / deadline);
}

static struct score measure(const struct search *search)
{
	struct score score = {};
	uint32_t i;

	for (i = 0; i < search->model->count; i++) {
		uint64_t late = lateness(search->result.chains[i].response,
					 search->model->chains[i].deadline);

		score.worst = chain_max(score.worst, late);
		score.sum += late;
	}
	return score;
}

static bool better(const struct score *a, const struct score *b)
{
	return a->worst != b->worst ? a->worst < b->worst : a->sum < b->sum;
}

static struct resch_stage_spec *spec_of(struct search *search, uint32_t index)
{
	const struct stage *stage = &search->flat.stages[index];

	return &search->model->chains[stage->chain].stages[stage->index];
}

/* In ns, times how late the chain is; of one that forks, after the stage before it in the model. */
static int64_t excess_of(struct search *search, uint32_t index)
{
	const struct stage *stage = &search->flat.stages[index];
	const struct resch_chain_spec *chain = &search->model->chains[stage->chain];
	const struct resch_chain_bound *bound = &search->result.chains[stage->chain];
	const struct resch_stage_bound *own = &bound->stages[stage->index];
	uint64_t from = stage_is_head(&search->flat, stage) ? 0 : own[-1].response;
	uint64_t most = 64 * chain->deadline, took;
	i128 late = (i128)lateness(bound->response, chain->deadline);

	from = chain_min(from, most);
	took = chain_min(own->response, most);
	took = took > from ? took - from : 0;
	return (int64_t)(((i128)took - (i128)spec_of(search, index)->local) * late / 1000000 / 64);
}

static int64_t magnitude(int64_t value)
{
	return value < 0 ? -value : value;
}

/* 1 + @part / (2 @whole), in fixed point. */
static i128 factor(int64_t part, int64_t whole)
{
	return whole ? SCALE + (i128)part * SCALE / (2 * (i128)whole) : SCALE;
}

/* The deadlines of one chain, from stage @first on, anew; they add up to what they did. */
static void adapt_chain(struct search *search, uint32_t first, uint32_t count, int64_t most_place)
{
	uint64_t old[RESCH_CHAIN_STAGES_MAX], rest = 0;
	i128 wanted[RESCH_CHAIN_STAGES_MAX] = {}, sum = 0;
	uint32_t i, last = count;
	int64_t most = 0;

	for (i = 0; i < count; i++)
		most = magnitude(search->excess[first + i]) > most ?
			       magnitude(search->excess[first + i]) :
			       most;
	for (i = 0; i < count; i++) {
		const struct stage *stage = &search->flat.stages[first + i];

		old[i] = spec_of(search, first + i)->local;
		if (!stage_has_place(stage))
			continue;
		wanted[i] = (i128)old[i] * factor(search->excess[first + i], most) *
			    factor(search->total[stage->place], most_place);
		wanted[i] = wanted[i] > 0 ? wanted[i] : 1;
		sum += wanted[i];
		rest += old[i];
		last = i;
	}
	/* Products of 42 and some 50 bits, scaled so that they fit. */
	for (i = 0; i < last; i++) {
		if (!wanted[i])
			continue;
		spec_of(search, first + i)->local =
			chain_max(1, (uint64_t)((i128)rest * (wanted[i] >> 8) / ((sum >> 8) + 1)));
	}
	for (i = 0; i < last; i++)
		rest -= wanted[i] ? spec_of(search, first + i)->local : 0;
	if (last < count)
		spec_of(search, first + last)->local = rest;
}

static void adapt(struct search *search)
{
	int64_t most = 0;
	uint32_t i, first = 0;

	memset(search->total, 0, search->flat.count * sizeof(*search->total));
	for (i = 0; i < search->flat.count; i++) {
		search->excess[i] = excess_of(search, i);
		if (stage_has_place(&search->flat.stages[i]))
			search->total[search->flat.stages[i].place] += search->excess[i];
	}
	for (i = 0; i < search->flat.places; i++)
		most = magnitude(search->total[i]) > most ? magnitude(search->total[i]) : most;
	for (i = 0; i < search->model->count; i++) {
		if (!resch_chain_forks(&search->model->chains[i]))
			adapt_chain(search, first, search->model->chains[i].count, most);
		first += search->model->chains[i].count;
	}
}

static int try(struct search *search)
{
	int err = resch_chain_analyse(search->model, RESCH_CHAIN_AUTO, &search->result);
	struct score score;
	uint32_t i;

	if (err && err != -EBUSY)
		return err;
	score = measure(search);
	if (better(&score, &search->score)) {
		search->score = score;
		for (i = 0; i < search->flat.count; i++)
			search->best[i] = spec_of(search, i)->local;
	}
	return err;
}

static int seek(struct search *search)
{
	uint32_t i;
	int err;

	search->score = (struct score){ UINT64_MAX, UINT64_MAX };
	for (i = 0; i < ROUNDS; i++) {
		err = try(search);
		if (err != -EBUSY)
			break;
		adapt(search);
		err = assign_priorities(search->model);
		if (err)
			return err;
	}
	if (err && err != -EBUSY)
		return err;
	for (i = 0; i < search->flat.count; i++)
		spec_of(search, i)->local = search->best[i];
	return assign_priorities(search->model);
}

int assign_hopa(struct resch_chain_model *model)
{
	struct resch_chain_refusal refusal;
	struct search search = { .model = model };
	int err = flat_begin(&search.flat, model, &refusal);
	size_t count = search.flat.count;

	if (err)
		return err;
	search.result.chains = calloc(model->count, sizeof(*search.result.chains));
	search.excess = calloc(count, sizeof(*search.excess));
	search.total = calloc(count, sizeof(*search.total));
	search.best = calloc(count, sizeof(*search.best));
	if (search.result.chains && search.excess && search.total && search.best)
		err = seek(&search);
	else
		err = -ENOMEM;
	free(search.result.chains);
	free(search.excess);
	free(search.total);
	free(search.best);
	flat_end(&search.flat);
	return err;
}
