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
 * struct path - the stages of a chain that release each other: all of them, or where it forks those
 * of the longest way through a stage, in each of these
 * @taken: by hand-overs, delays, and the periods of clocks, ns: not for dividing
 * @cost, @weight: of all that get a part; @parts: how many these are
 */
struct path {
	uint64_t taken;
	uint64_t cost;
	u128 weight;
	uint32_t parts;
};

/*
 * struct division - of a chain's deadline
 * @stages: of the chain, in a flat model; @count of them
 * @paths:  through each of them
 * @last:   the last one that gets a part
 */
struct division {
	struct stage *stages;
	uint32_t count;
	struct path paths[RESCH_CHAIN_STAGES_MAX];
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

static u128 weight(const struct flat *flat, const struct stage *stage, uint32_t rule)
{
	return rule == RESCH_CHAIN_NPD ? (u128)stage->cost * share(flat, stage) : stage->cost;
}

/* What a stage adds to each path that it is on. */
static struct path own_path(const struct flat *flat, const struct stage *stage, uint32_t rule,
			    bool sampled)
{
	struct path path = {};

	if (!stage_is_head(flat, stage))
		path.taken = flat_handover_max(flat, stage);
	else if (sampled)
		path.taken = stage->period;
	if (stage_has_place(stage)) {
		path.cost = stage->cost;
		path.weight = weight(flat, stage, rule);
		path.parts = 1;
	} else {
		path.taken += stage->cost;
	}
	return path;
}

static struct path path_longer(struct path a, struct path b)
{
	return (struct path){ chain_max(a.taken, b.taken), chain_max(a.cost, b.cost),
			      a.weight > b.weight ? a.weight : b.weight,
			      a.parts > b.parts ? a.parts : b.parts };
}

static struct path path_sum(struct path a, struct path b)
{
	return (struct path){ a.taken + b.taken, a.cost + b.cost, a.weight + b.weight,
			      a.parts + b.parts };
}

/* Which stages release stage @index; a clock follows what is before it. */
static uint32_t follows(const struct resch_chain_spec *chain, uint32_t index)
{
	return resch_stage_from(&chain->stages[index], index);
}

/*
 * The longest path through each stage, in each respect: no path that it is on is longer. So where
 * each stage gets its part of what is left on that, no path gets more than the deadline. -EBUSY:
 * for one nothing is left
 */
static int divide_begin(const struct flat *flat, struct division *division,
			const struct resch_chain_spec *chain, uint32_t rule)
{
	struct path before[RESCH_CHAIN_STAGES_MAX] = {}, after[RESCH_CHAIN_STAGES_MAX] = {}, own;
	bool sampled = false;
	uint32_t i, k;

	for (i = 1; i < division->count; i++)
		sampled |= chain->stages[i].clock != 0;
	for (i = 0; i < division->count; i++) {
		for (k = 0; k < i; k++) {
			own = own_path(flat, &division->stages[k], rule, sampled);
			if (follows(chain, i) >> k & 1)
				before[i] = path_longer(before[i], path_sum(before[k], own));
		}
		if (stage_has_place(&division->stages[i]))
			division->last = i;
	}
	for (i = division->count; i--;) {
		own = own_path(flat, &division->stages[i], rule, sampled);
		for (k = 0; k < i; k++)
			if (follows(chain, i) >> k & 1)
				after[k] = path_longer(after[k], path_sum(after[i], own));
		division->paths[i] = path_sum(path_sum(before[i], own), after[i]);
		if (chain->deadline < division->paths[i].taken + division->paths[i].cost)
			return -EBUSY;
	}
	return 0;
}

/* @stage's part of @time on its path, rounded down. */
static uint64_t part(const struct flat *flat, const struct path *path, const struct stage *stage,
		     uint32_t rule, uint64_t time)
{
	uint64_t slack = time - path->cost;

	switch (rule) {
	case RESCH_CHAIN_EQS:
		return stage->cost + slack / path->parts;
	case RESCH_CHAIN_EQF:
		return stage->cost + (uint64_t)((u128)slack * stage->cost / path->cost);
	default:
		return (uint64_t)(time * weight(flat, stage, rule) / path->weight);
	}
}

static int divide(const struct flat *flat, struct division *division,
		  struct resch_chain_spec *chain, uint32_t rule)
{
	bool forks = resch_chain_forks(chain);
	uint64_t given = 0;
	uint32_t i;

	if (divide_begin(flat, division, chain, rule))
		return -EBUSY;
	for (i = 0; i < division->count; i++) {
		const struct stage *stage = &division->stages[i];
		const struct path *path = &division->paths[i];
		struct resch_stage_spec *spec = &chain->stages[i];
		uint64_t time = chain->deadline - path->taken;

		spec->flags &= ~RESCH_STAGE_ORIGIN;
		if (!stage_has_place(stage))
			spec->local = stage->cost;
		else if (i == division->last && !forks)
			spec->local = time - given;
		else
			spec->local = part(flat, path, stage, rule, time);
		given += stage_has_place(stage) ? spec->local : 0;
	}
	return 0;
}

/* RESCH_CHAIN_UD, RESCH_CHAIN_ED: from the origin; less what takes longest of what follows. */
static int from_origin(const struct division *division, struct resch_chain_spec *chain,
		       uint32_t rule)
{
	uint64_t later[RESCH_CHAIN_STAGES_MAX] = {};
	uint32_t i = division->count, k;

	while (i--) {
		struct resch_stage_spec *spec = &chain->stages[i];

		if (rule == RESCH_CHAIN_ED && later[i] >= chain->deadline)
			return -EBUSY;
		spec->local = chain->deadline - (rule == RESCH_CHAIN_ED ? later[i] : 0);
		spec->flags |= RESCH_STAGE_ORIGIN;
		for (k = 0; k < i; k++)
			if (follows(chain, i) >> k & 1)
				later[k] = chain_max(later[k], later[i] + division->stages[i].cost);
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
	    (rule != RESCH_CHAIN_EQS && rule != RESCH_CHAIN_EQF) || resch_chain_forks(chain))
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
