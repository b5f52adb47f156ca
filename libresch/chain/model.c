// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* model.c - is a model of chains in its ranges; all stages in a row, and what goes before one */
#include <stdlib.h>

#include "chain.h"

#define LOAD_ONE ((__uint128_t)1 << 60)

static int refuse(struct resch_chain_refusal *refusal, uint32_t chain, uint32_t stage,
		  uint64_t value, uint64_t limit)
{
	*refusal = (struct resch_chain_refusal){ .reason = RESCH_CHAIN_RANGE,
						 .chain = chain,
						 .stage = stage,
						 .value = value,
						 .limit = limit };
	return -EINVAL;
}

/* Of 1 to an hour? */
static bool is_time(uint64_t time)
{
	return time && time <= RESCH_CHAIN_TIME_MAX;
}

/* Of up to an hour? */
static bool is_wait(uint64_t time)
{
	return time <= RESCH_CHAIN_TIME_MAX;
}

static bool stage_sane(const struct resch_stage_spec *stage, uint32_t index)
{
	if (stage->kind > RESCH_STAGE_DELAY ||
	    stage->flags & ~(RESCH_STAGE_ORIGIN | RESCH_STAGE_ANY))
		return false;
	/* Only earlier ones release it, and nobody the first. */
	if (stage->from >> index || (!index && stage->flags & RESCH_STAGE_ANY))
		return false;
	if (stage->kind != RESCH_STAGE_DELAY && stage->cpu < 0)
		return false;
	if (stage->clock && (!index || stage->kind == RESCH_STAGE_DELAY))
		return false;
	return is_wait(stage->clock) && (!stage->offset || stage->offset < stage->clock) &&
	       is_wait(stage->blocking) && is_wait(stage->local);
}

static int check_stage(const struct resch_chain_spec *chain, uint32_t index, uint64_t period,
		       uint32_t number, struct resch_chain_refusal *refusal)
{
	const struct resch_stage_spec *stage = &chain->stages[index];
	uint64_t most = stage->kind == RESCH_STAGE_DELAY ? RESCH_CHAIN_TIME_MAX : period;

	if (!stage->wcet || stage->wcet > most)
		return refuse(refusal, number, index, stage->wcet, most);
	if (stage->bcet > stage->wcet)
		return refuse(refusal, number, index, stage->bcet, stage->wcet);
	if (!stage_sane(stage, index))
		return refuse(refusal, number, index, 0, 0);
	return 0;
}

/* Stages that clocks release, and those that wait for a time after one stage, fork nothing. */
static int check_forks(const struct resch_chain_spec *chain, uint32_t number,
		       struct resch_chain_refusal *refusal)
{
	uint32_t i, releases = 0;

	if (!resch_chain_forks(chain))
		return 0;
	for (i = 0; i < chain->count; i++) {
		uint32_t from = resch_stage_from(&chain->stages[i], i);

		if (chain->stages[i].clock ||
		    (chain->protocol == RESCH_CHAIN_MPM && from & (from - 1)))
			return refuse(refusal, number, i, 0, 0);
		releases |= from;
	}
	for (i = 0; i + 1 < chain->count; i++)
		if (!(releases >> i & 1))
			return refuse(refusal, number, i, 0, 0);
	return 0;
}

static int check_chain(const struct resch_chain_spec *chain, uint32_t number,
		       struct resch_chain_refusal *refusal)
{
	uint64_t period = chain->period;
	uint32_t i;
	int err = 0;

	if (!chain->count || chain->count > RESCH_CHAIN_STAGES_MAX)
		return refuse(refusal, number, RESCH_CHAIN_STAGES_MAX, chain->count,
			      RESCH_CHAIN_STAGES_MAX);
	if (!is_time(chain->period) || !is_time(chain->deadline) || !is_wait(chain->jitter) ||
	    chain->protocol > RESCH_CHAIN_RG)
		return refuse(refusal, number, RESCH_CHAIN_STAGES_MAX, 0, 0);
	for (i = 0; i < chain->count && !err; i++) {
		period = chain->stages[i].clock ? chain->stages[i].clock : period;
		err = check_stage(chain, i, period, number, refusal);
	}
	return err ? err : check_forks(chain, number, refusal);
}

static int check(const struct resch_chain_model *model, struct resch_chain_refusal *refusal)
{
	uint32_t i;
	int err = 0;

	*refusal = (struct resch_chain_refusal){};
	if (!model->chains || !model->count || model->count > RESCH_CHAINS_MAX ||
	    model->policy > RESCH_CHAIN_EDF || !is_wait(model->overhead) ||
	    !is_wait(model->handover_max) || model->handover_min > model->handover_max)
		return refuse(refusal, 0, RESCH_CHAIN_STAGES_MAX, 0, 0);
	for (i = 0; i < model->count && !err; i++)
		err = check_chain(&model->chains[i], i, refusal);
	return err;
}

uint64_t flat_handover_min(const struct flat *flat, const struct stage *stage)
{
	return stage->spec->kind == RESCH_STAGE_CPU ? flat->model->handover_min : 0;
}

uint64_t flat_handover_max(const struct flat *flat, const struct stage *stage)
{
	return stage->spec->kind == RESCH_STAGE_CPU ? flat->model->handover_max : 0;
}

/* Links are places of their own, beside the CPUs of the same numbers. */
static void find_place(struct flat *flat, struct stage *stage)
{
	const struct resch_stage_spec *spec = stage->spec;
	struct stage *other;

	if (!stage_has_place(stage))
		return;
	for (other = flat->stages; other < stage; other++) {
		if (other->spec->kind != spec->kind || other->spec->cpu != spec->cpu ||
		    strncmp(other->spec->node, spec->node, sizeof(spec->node)))
			continue;
		stage->place = other->place;
		return;
	}
	stage->place = flat->places++;
}

/* The earliest that those that release it have done so, from the segment's begin. */
static uint64_t best_before(const struct flat *flat, const struct stage *stage)
{
	uint64_t first = stage_join_none(stage);
	uint32_t at;

	for (at = 0; at < stage->index; at++) {
		const struct stage *before = stage_of(stage, at);

		if (stage_follows(stage, at))
			first = stage_join(stage, first, before->best + before->spec->bcet);
	}
	return first + flat_handover_min(flat, stage);
}

static void add_stage(struct flat *flat, uint32_t number, uint32_t index)
{
	const struct resch_chain_spec *chain = &flat->model->chains[number];
	struct stage *stage = &flat->stages[flat->count];
	const struct stage *before = stage - 1;
	const struct resch_stage_spec *spec = &chain->stages[index];

	*stage = (struct stage){
		.spec = spec,
		.chain = number,
		.index = index,
		.cost = spec->wcet + (spec->kind == RESCH_STAGE_CPU ? flat->model->overhead : 0),
	};
	if (!index || spec->clock) {
		stage->head = flat->count;
		stage->period = index ? spec->clock : chain->period;
		stage->late = index ? 0 : chain->jitter;
		stage->limit = chain_max(100 * stage->period, 4 * chain->deadline);
	} else {
		stage->head = before->head;
		stage->period = before->period;
		stage->limit = before->limit;
		stage->best = best_before(flat, stage);
	}
	find_place(flat, stage);
	flat->count++;
}

/* In units of 2^-60: of the place of @stage all, or what does not come after @stage. */
static __uint128_t load(const struct flat *flat, const struct stage *stage, bool all)
{
	const struct stage *other;
	__uint128_t sum = 0;

	if (!stage_has_place(stage))
		return 0;
	for (other = flat->stages; other < flat->stages + flat->count; other++) {
		if (other == stage || stage_before(other, stage) ||
		    (all && stage_before(stage, other)))
			sum += other->cost * LOAD_ONE / other->period;
	}
	return sum;
}

uint64_t flat_overload(const struct flat *flat, const struct stage *stage)
{
	__uint128_t sum = load(flat, stage, true);

	return sum > LOAD_ONE ? (uint64_t)((sum * 1000000 + LOAD_ONE - 1) / LOAD_ONE) : 0;
}

int flat_begin(struct flat *flat, const struct resch_chain_model *model,
	       struct resch_chain_refusal *refusal)
{
	uint32_t i, k, count = 0;
	int err = check(model, refusal);

	*flat = (struct flat){ .model = model, .work = CHAIN_WORK };
	if (err)
		return err;
	for (i = 0; i < model->count; i++)
		count += model->chains[i].count;
	flat->stages = calloc(count, sizeof(*flat->stages));
	if (!flat->stages)
		return -ENOMEM;
	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			add_stage(flat, i, k);
	for (i = 0; i < flat->count; i++)
		flat->stages[i].overrun = load(flat, &flat->stages[i], false) > LOAD_ONE;
	return 0;
}

void flat_end(struct flat *flat)
{
	free(flat->stages);
	flat->stages = NULL;
}

uint64_t flat_interference(struct flat *flat, const struct stage *stage, uint64_t window,
			   bool closed)
{
	const struct stage *other;
	uint64_t sum = 0;

	for (other = flat->stages; other < flat->stages + flat->count; other++) {
		if (!stage_before(other, stage))
			continue;
		if (!flat_step(flat) || other->jitter == CHAIN_NEVER)
			return CHAIN_NEVER;
		sum += chain_ceil(window + other->jitter + closed, other->period) * other->cost;
		if (sum > CHAIN_HORIZON)
			return CHAIN_NEVER;
	}
	return sum;
}
