// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* result.c - from the responses of stages to a verdict on chains */
#include "chain.h"

static int refuse(struct resch_chain_result *result, uint32_t reason, uint32_t chain,
		  uint32_t stage, uint64_t value, uint64_t limit)
{
	if (!result->refusal.reason)
		result->refusal = (struct resch_chain_refusal){ .reason = reason,
								.chain = chain,
								.stage = stage,
								.value = value,
								.limit = limit };
	return -EBUSY;
}

/* Is there a stage that another one releases directly? */
static bool is_direct(const struct resch_chain_spec *chain)
{
	return chain->protocol == RESCH_CHAIN_DS && chain->count > 1;
}

static bool is_guarded(const struct resch_chain_spec *chain)
{
	return chain->protocol != RESCH_CHAIN_DS && chain->count > 1;
}

static uint32_t choose(const struct resch_chain_model *model)
{
	bool direct = false, guarded = false;
	uint32_t i;

	if (model->policy == RESCH_CHAIN_EDF)
		return RESCH_CHAIN_DECOMPOSED;
	for (i = 0; i < model->count; i++) {
		direct |= is_direct(&model->chains[i]);
		guarded |= is_guarded(&model->chains[i]);
	}
	if (direct && guarded)
		return RESCH_CHAIN_TC_BC;
	return direct ? RESCH_CHAIN_WCDO_EXACT : RESCH_CHAIN_SAPM;
}

/* The holistic bounds are never below those of SA/PM, so they hold for guarded stages, too. */
static bool holds(uint32_t method, const struct resch_chain_spec *chain)
{
	switch (method) {
	case RESCH_CHAIN_DECOMPOSED:
	case RESCH_CHAIN_SAPM:
		return !is_direct(chain);
	case RESCH_CHAIN_WCDO:
	case RESCH_CHAIN_WCDO_EXACT:
		return !is_guarded(chain);
	default:
		return true;
	}
}

static void check_method(const struct resch_chain_model *model, struct resch_chain_result *result)
{
	uint32_t i;

	for (i = 0; i < model->count; i++) {
		if (!holds(result->method, &model->chains[i]) ||
		    (model->policy == RESCH_CHAIN_EDF && result->method != RESCH_CHAIN_DECOMPOSED))
			refuse(result, RESCH_CHAIN_METHOD, i, 0, model->chains[i].protocol, 0);
	}
}

/* Decomposed: each stage has a deadline, from its release. */
static void check_locals(const struct flat *flat, struct resch_chain_result *result)
{
	uint32_t i;

	for (i = 0; i < flat->count; i++) {
		const struct stage *stage = &flat->stages[i];

		if (stage->spec->flags & RESCH_STAGE_ORIGIN)
			refuse(result, RESCH_CHAIN_METHOD, stage->chain, stage->index,
			       flat->model->chains[stage->chain].protocol, 0);
		else if (!stage->spec->local)
			refuse(result, RESCH_CHAIN_UNASSIGNED, stage->chain, stage->index, 0, 0);
	}
}

static void check_load(const struct flat *flat, struct resch_chain_result *result)
{
	uint32_t i;

	for (i = 0; i < flat->count && !result->refusal.reason; i++) {
		const struct stage *stage = &flat->stages[i];
		uint64_t ppm = flat_overload(flat, stage);

		if (ppm)
			refuse(result, RESCH_CHAIN_LOAD, stage->chain, stage->index, ppm, 1000000);
	}
}

/* Under EDF nothing is known but that local deadlines are met. */
static int demand(struct flat *flat, struct resch_chain_result *result)
{
	struct resch_chain_refusal refusal;
	int err = flat_demand(flat, &refusal);
	uint32_t i;

	if (err == -EBUSY)
		refuse(result, refusal.reason, refusal.chain, refusal.stage, refusal.value,
		       refusal.limit);
	for (i = 0; i < flat->count; i++) {
		struct stage *stage = &flat->stages[i];
		uint64_t from = stage->late;

		if (!stage_is_head(flat, stage))
			from = flat_from(flat, stage);
		stage->response = chain_add(from, stage->alone);
	}
	return err == -EBUSY ? 0 : err;
}

static int bound(struct flat *flat, struct resch_chain_result *result)
{
	bool exact = result->method == RESCH_CHAIN_WCDO_EXACT;
	bool all = result->method == RESCH_CHAIN_SAPM || result->method == RESCH_CHAIN_DECOMPOSED;
	uint32_t i;
	int err;

	if (flat->model->policy == RESCH_CHAIN_EDF)
		return result->refusal.reason ? 0 : demand(flat, result);
	if (exact || result->method == RESCH_CHAIN_WCDO) {
		err = flat_offsets(flat, &exact);
		result->method = exact ? RESCH_CHAIN_WCDO_EXACT : RESCH_CHAIN_WCDO;
		return err;
	}
	for (i = 0; i < flat->count; i++)
		flat->stages[i].guarded = all;
	return flat_holistic(flat, result->method == RESCH_CHAIN_TC_BC);
}

/* As RESCH_CHAIN_AUTO has it where only some chains are guarded. */
static int bound_mixed(struct flat *flat)
{
	uint32_t i;

	for (i = 0; i < flat->count; i++)
		flat->stages[i].guarded = is_guarded(&flat->model->chains[flat->stages[i].chain]);
	return flat_holistic(flat, true);
}

/* When those that release it, by their phases, have completed. */
static uint64_t phase_of(const struct flat *flat, const struct stage *stage,
			 const struct resch_chain_bound *bounds)
{
	uint64_t last = stage_join_none(stage);
	uint32_t at;

	for (at = 0; at < stage->index; at++) {
		const struct resch_stage_bound *from = &bounds->stages[at];

		if (stage_follows(stage, at))
			last = stage_join(stage, last, chain_add(from->phase, from->alone));
	}
	return chain_add(last, flat_handover_max(flat, stage));
}

static void take_stage(const struct flat *flat, const struct stage *stage,
		       struct resch_chain_bound *bounds)
{
	struct resch_stage_bound *to = &bounds->stages[stage->index];

	*to = (struct resch_stage_bound){ .response = stage->response,
					  .alone = stage->alone,
					  .jitter = stage->jitter,
					  .best = stage->best };
	if (!stage_is_head(flat, stage))
		to->phase = phase_of(flat, stage, bounds);
}

/* What the chain's deadline is compared with. */
static void take_chain(const struct flat *flat, const struct stage *stage,
		       struct resch_chain_bound *bounds)
{
	const struct stage *end = flat->stages + flat->count;
	uint32_t chain = stage->chain;
	uint64_t sum = 0, last = 0;

	for (; stage < end && stage->chain == chain; stage++) {
		take_stage(flat, stage, bounds);
		last = stage->response;
		if (stage->index && stage->spec->clock)
			bounds->sampled = true;
		if (stage + 1 == end || stage_is_head(flat, stage + 1))
			sum = chain_add(sum, chain_add(stage->period, last));
	}
	bounds->response = bounds->sampled ? sum : last;
	bounds->met = bounds->response <= flat->model->chains[chain].deadline;
}

/* When the local deadlines up to that of @stage have passed; *@ends: those of the stages so far. */
static uint64_t local_end(const struct flat *flat, const struct stage *stage, const uint64_t *ends)
{
	uint64_t from = stage_join_none(stage);
	uint32_t at;

	if (stage->index && stage_is_head(flat, stage))
		return ends[stage->index - 1] + stage->period + stage->spec->local;
	for (at = 0; at < stage->index; at++)
		if (stage_follows(stage, at))
			from = stage_join(stage, from, ends[at]);
	return (stage->index ? from + flat_handover_max(flat, stage) : 0) + stage->spec->local;
}

/* Decomposed: each stage in its time, and all of them in the chain's. */
static void judge_locals(const struct flat *flat, const struct stage *stage,
			 struct resch_chain_result *result)
{
	const struct stage *end = flat->stages + flat->count;
	uint32_t chain = stage->chain;
	struct resch_chain_bound *bounds = &result->chains[chain];
	uint64_t ends[RESCH_CHAIN_STAGES_MAX] = {}, sum = 0;
	uint64_t deadline = flat->model->chains[chain].deadline;

	for (; stage < end && stage->chain == chain; stage++) {
		uint64_t response = chain_add(stage->alone, stage->late);

		ends[stage->index] = local_end(flat, stage, ends);
		sum = ends[stage->index];
		if (!stage->index && bounds->sampled) {
			sum += stage->period;
			ends[0] = sum;
		}
		if (response <= stage->spec->local)
			continue;
		bounds->met = false;
		refuse(result, RESCH_CHAIN_LOCAL, chain, stage->index, response,
		       stage->spec->local);
	}
	if (sum <= deadline)
		return;
	bounds->met = false;
	refuse(result, RESCH_CHAIN_SUM, chain, 0, sum, deadline);
}

static void judge(const struct flat *flat, struct resch_chain_result *result)
{
	uint32_t i, first = 0;

	for (i = 0; i < flat->model->count; i++) {
		const struct resch_chain_spec *chain = &flat->model->chains[i];
		struct resch_chain_bound *bounds = &result->chains[i];

		*bounds = (struct resch_chain_bound){};
		take_chain(flat, &flat->stages[first], bounds);
		if (result->method == RESCH_CHAIN_DECOMPOSED)
			judge_locals(flat, &flat->stages[first], result);
		if (!bounds->met)
			refuse(result, RESCH_CHAIN_RESPONSE, i, chain->count - 1, bounds->response,
			       chain->deadline);
		first += chain->count;
	}
}

int resch_chain_analyse(const struct resch_chain_model *model, uint32_t method,
			struct resch_chain_result *result)
{
	struct flat flat;
	int err;

	result->refusal = (struct resch_chain_refusal){};
	if (method > RESCH_CHAIN_WCDO_EXACT)
		return -EINVAL;
	err = flat_begin(&flat, model, &result->refusal);
	if (err)
		return err;
	result->method = method ? method : choose(model);
	check_method(model, result);
	if (result->method == RESCH_CHAIN_DECOMPOSED)
		check_locals(&flat, result);
	check_load(&flat, result);
	if (!method && result->method == RESCH_CHAIN_TC_BC)
		err = bound_mixed(&flat);
	else
		err = bound(&flat, result);
	if (!err)
		judge(&flat, result);
	flat_end(&flat);
	if (err)
		return err;
	return result->refusal.reason ? -EBUSY : 0;
}
