// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * best.c - how soon a job may be complete at the earliest, once the start is past
 *
 * Redell, Sanfridson, ECRTS 2002, theorem 1: the largest fixed point of
 *
 *   R = B + sum over those before it of max(0, ceil((R - J_k) / T_k) - 1) B_k
 *
 * which is found from the worst response downwards.
 */
#include "chain.h"

static uint64_t interference(struct flat *flat, const struct stage *stage, uint64_t window)
{
	const struct stage *other;
	uint64_t sum = 0;

	for (other = flat->stages; other < flat->stages + flat->count; other++) {
		if (!stage_before(other, stage) || other->jitter == CHAIN_NEVER ||
		    window <= other->jitter + other->period)
			continue;
		flat_step(flat);
		sum += (chain_ceil(window - other->jitter, other->period) - 1) * other->spec->bcet;
	}
	return sum;
}

static uint64_t best(struct flat *flat, const struct stage *stage)
{
	uint64_t window = stage->alone, next;

	if (stage->spec->kind != RESCH_STAGE_CPU || window == CHAIN_NEVER)
		return stage->spec->bcet;
	for (;; window = next) {
		next = stage->spec->bcet + interference(flat, stage, window);
		if (next >= window || !flat->work)
			return window;
	}
}

int resch_chain_best(const struct resch_chain_model *model, struct resch_chain_result *result)
{
	struct flat flat;
	uint32_t i;
	int err = flat_begin(&flat, model, &result->refusal);

	result->method = RESCH_CHAIN_TC;
	if (!err)
		err = flat_holistic(&flat, false);
	for (i = 0; i < model->count && !err; i++)
		result->chains[i] = (struct resch_chain_bound){ .response = CHAIN_NEVER };
	for (i = 0; i < flat.count && !err; i++) {
		const struct stage *stage = &flat.stages[i];

		result->chains[stage->chain].stages[stage->index].alone = best(&flat, stage);
	}
	if (!err && !flat.work)
		err = -E2BIG;
	flat_end(&flat);
	return err;
}
