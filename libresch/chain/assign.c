// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * assign.c - deadlines for stages from those of their chains, and priorities from these
 *
 * Kao, Garcia-Molina, Deadline assignment in a distributed soft real-time system, IEEE Trans.
 * Parallel and Distributed Systems 8(12), 1997: ultimate, effective, equal slack, equal
 * flexibility. Sun, Fixed-priority end-to-end scheduling in distributed real-time systems, 1997:
 * proportional and normalised proportional.
 */
#include "chain.h"

/* Fixed-point bits of a utilization; one above 4 is taken for 4, so that products fit 128 bits. */
#define SHARE_BITS 40

typedef unsigned __int128 u128;

/*
 * struct division - of a chain's deadline
 * @stages: of the chain, in a flat model; @count of them
 * @time:   what there is to divide, ns; @cost: of all that get a part of it, together
 * @parts:  how many these are; @last: the one that gets the rest
 */
struct division {
	struct stage *stages;
	uint32_t count;
	uint64_t time;
	uint64_t cost;
	uint32_t parts;
	uint32_t last;
};

static uint64_t share(const struct flat *flat, const struct stage *stage)
{
	const struct stage *other;
	u128 sum = 0;

	for (other = flat->stages; other < flat->stages + flat->count; other++) {
		if (stage_has_place(other) && other->place == stage->place)
			sum += ((u128)other->cost << SHARE_BITS) / other->period;
	}
	return sum < 4ULL << SHARE_BITS ? (uint64_t)sum : 4ULL << SHARE_BITS;
}

/* Delays, hand-overs and the periods of clocks are not for dividing. -EBUSY: nothing is left */
static int divide_begin(const struct flat *flat, struct division *division,
			const struct resch_chain_spec *chain)
{
	uint64_t taken = 0;
	bool sampled = false;
	uint32_t i;

	for (i = 1; i < division->count; i++)
		sampled |= chain->stages[i].clock != 0;
	for (i = 0; i < division->count; i++) {
		const struct stage *stage = &division->stages[i];

		if (!stage_is_head(flat, stage))
			taken += flat_handover_max(flat, stage);
		else if (sampled)
			taken += stage->period;
		if (!stage_has_place(stage)) {
			taken += stage->cost;
			continue;
		}
		division->cost += stage->cost;
		division->parts++;
		division->last = i;
	}
	if (chain->deadline < taken + division->cost)
		return -EBUSY;
	division->time = chain->deadline - taken;
	return 0;
}

static u128 weight(const struct flat *flat, const struct stage *stage, uint32_t rule)
{
	return rule == RESCH_CHAIN_NPD ? (u128)stage->cost * share(flat, stage) : stage->cost;
}

/* @stage's part, rounded down. @total: of all weights */
static uint64_t part(const struct flat *flat, const struct division *division,
		     const struct stage *stage, uint32_t rule, u128 total)
{
	uint64_t slack = division->time - division->cost;

	switch (rule) {
	case RESCH_CHAIN_EQS:
		return stage->cost + slack / division->parts;
	case RESCH_CHAIN_EQF:
		return stage->cost + (uint64_t)((u128)slack * stage->cost / division->cost);
	default:
		return (uint64_t)(division->time * weight(flat, stage, rule) / total);
	}
}

static int divide(const struct flat *flat, struct division *division,
		  struct resch_chain_spec *chain, uint32_t rule)
{
	uint64_t rest;
	u128 total = 0;
	uint32_t i;

	if (divide_begin(flat, division, chain))
		return -EBUSY;
	for (i = 0; i < division->count; i++) {
		if (stage_has_place(&division->stages[i]))
			total += weight(flat, &division->stages[i], rule);
	}
	rest = division->time;
	for (i = 0; i < division->count; i++) {
		const struct stage *stage = &division->stages[i];
		struct resch_stage_spec *spec = &chain->stages[i];

		spec->flags &= ~RESCH_STAGE_ORIGIN;
		if (!stage_has_place(stage)) {
			spec->local = stage->cost;
			continue;
		}
		spec->local = i == division->last ? rest : part(flat, division, stage, rule, total);
		rest -= spec->local;
	}
	return 0;
}

/* RESCH_CHAIN_UD, RESCH_CHAIN_ED: from the origin. */
static int from_origin(const struct division *division, struct resch_chain_spec *chain,
		       uint32_t rule)
{
	uint64_t later = 0;
	uint32_t i = division->count;

	while (i--) {
		struct resch_stage_spec *spec = &chain->stages[i];

		if (rule == RESCH_CHAIN_ED && later >= chain->deadline)
			return -EBUSY;
		spec->local = chain->deadline - (rule == RESCH_CHAIN_ED ? later : 0);
		spec->flags |= RESCH_STAGE_ORIGIN;
		later += division->stages[i].cost;
	}
	return 0;
}

static int assign_locals(struct resch_chain_model *model, uint32_t rule)
{
	struct resch_chain_refusal refusal;
	struct stage *stages;
	struct flat flat;
	uint32_t i;
	int err = flat_begin(&flat, model, &refusal);

	stages = flat.stages;
	for (i = 0; i < model->count && !err; i++) {
		struct resch_chain_spec *chain = &model->chains[i];
		struct division division = { .stages = stages, .count = chain->count };

		if (rule <= RESCH_CHAIN_ED)
			err = from_origin(&division, chain, rule);
		else
			err = divide(&flat, &division, chain, rule);
		stages += chain->count;
	}
	flat_end(&flat);
	return err;
}

int assign_priorities(struct resch_chain_model *model)
{
	struct resch_chain_refusal refusal;
	struct flat flat;
	uint32_t i, k;
	int err = flat_begin(&flat, model, &refusal);

	for (i = 0; i < flat.count && !err; i++) {
		const struct stage *stage = &flat.stages[i];
		uint32_t rank = 1;

		for (k = 0; k < flat.count; k++) {
			const struct stage *other = &flat.stages[k];

			if (stage_has_place(other) && other->place == stage->place &&
			    (other->spec->local < stage->spec->local ||
			     (other->spec->local == stage->spec->local && k < i)))
				rank++;
		}
		model->chains[stage->chain].stages[stage->index].priority =
			stage_has_place(stage) ? rank : 0;
	}
	flat_end(&flat);
	return err;
}

int resch_chain_assign(struct resch_chain_model *model, uint32_t rule)
{
	int err;

	if (rule > RESCH_CHAIN_HOPA)
		return -EINVAL;
	err = assign_locals(model, rule == RESCH_CHAIN_HOPA ? RESCH_CHAIN_PD : rule);
	if (!err)
		err = assign_priorities(model);
	if (!err && rule == RESCH_CHAIN_HOPA)
		err = assign_hopa(model);
	return err;
}

int resch_chain_replan(const struct resch_chain_spec *chain, uint32_t stage, uint64_t elapsed,
		       uint32_t rule, uint64_t *local)
{
	uint64_t left = chain->deadline > elapsed ? chain->deadline - elapsed : 0, cost = 0, own;
	uint32_t i;

	if (stage >= chain->count || chain->count > RESCH_CHAIN_STAGES_MAX ||
	    (rule != RESCH_CHAIN_EQS && rule != RESCH_CHAIN_EQF))
		return -EINVAL;
	for (i = stage; i < chain->count; i++)
		cost += chain->stages[i].wcet;
	own = chain->stages[stage].wcet;
	*local = own;
	if (left <= cost || !own)
		return own ? 0 : -EINVAL;
	if (rule == RESCH_CHAIN_EQS)
		*local += (left - cost) / (chain->count - stage);
	else
		*local += (uint64_t)((u128)(left - cost) * own / cost);
	return 0;
}
