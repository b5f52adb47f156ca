// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* suggest.c - what would make a chain pass, by bisection with the very analysis that refuses it */
#include <stdlib.h>

#include "chain.h"

/* A copy of the model to try things in. */
struct trial {
	struct resch_chain_model model;
	struct resch_chain_result result;
	struct resch_chain_spec *chain;
	const struct resch_chain_spec *given;
	uint32_t index;
	uint32_t stage;
	uint32_t method;
	int rule;
};

static bool passes(struct trial *trial)
{
	int err = 0;

	if (trial->rule >= 0)
		err = resch_chain_assign(&trial->model, (uint32_t)trial->rule);
	if (err)
		return false;
	err = resch_chain_analyse(&trial->model, trial->method, &trial->result);
	if (err && (err != -EBUSY || trial->result.refusal.reason == RESCH_CHAIN_METHOD))
		return false;
	return trial->result.chains[trial->index].met;
}

static void set_deadline(struct trial *trial, uint64_t value)
{
	trial->chain->deadline = value;
}

static void set_period(struct trial *trial, uint64_t value)
{
	trial->chain->period = value;
}

static void set_wcet(struct trial *trial, uint64_t value)
{
	struct resch_stage_spec *stage = &trial->chain->stages[trial->stage];
	const struct resch_stage_spec *given = &trial->given->stages[trial->stage];

	stage->wcet = value;
	stage->bcet = chain_min(given->bcet, value);
}

static bool passes_with(struct trial *trial, void (*set)(struct trial *, uint64_t), uint64_t value)
{
	set(trial, value);
	return passes(trial);
}

/*
 * Between @bad, which may not pass, and @good, which must: the value nearest to @bad that does, or
 * 0.
 */
static uint64_t bisect(struct trial *trial, void (*set)(struct trial *, uint64_t), uint64_t bad,
		       uint64_t good)
{
	uint64_t found = 0;

	if (passes_with(trial, set, bad)) {
		found = bad;
	} else if (passes_with(trial, set, good)) {
		while (good > bad ? good - bad > 1 : bad - good > 1) {
			uint64_t middle = good > bad ? bad + (good - bad) / 2 :
						       good + (bad - good) / 2;

			if (passes_with(trial, set, middle))
				good = middle;
			else
				bad = middle;
		}
		found = good;
	}
	*trial->chain = *trial->given;
	return found;
}

/* When the stages that release stage @index have completed: the last one, or the first one. */
static uint64_t released(const struct resch_chain_spec *chain, uint32_t index,
			 const struct resch_stage_bound *stages)
{
	const struct resch_stage_spec *spec = &chain->stages[index];
	uint32_t from = resch_stage_from(spec, index), i;
	bool any = spec->flags & RESCH_STAGE_ANY;
	uint64_t time = any ? CHAIN_NEVER : 0;

	if (spec->clock)
		return 0;
	for (i = 0; from; i++, from >>= 1)
		if (from & 1)
			time = any ? chain_min(time, stages[i].response) :
				     chain_max(time, stages[i].response);
	return time;
}

/* Which adds most to the response, or has most to do where that is not bounded. */
static uint32_t worst_stage(struct trial *trial)
{
	const struct resch_stage_bound *stages = trial->result.chains[trial->index].stages;
	uint64_t most = 0;
	uint32_t i, worst = 0;

	if (trial->rule >= 0)
		resch_chain_assign(&trial->model, (uint32_t)trial->rule);
	if (resch_chain_analyse(&trial->model, trial->method, &trial->result) == -E2BIG)
		return 0;
	for (i = 0; i < trial->chain->count; i++) {
		const struct resch_stage_spec *spec = &trial->chain->stages[i];
		uint64_t from = released(trial->chain, i, stages);
		uint64_t adds = stages[i].response == CHAIN_NEVER ? spec->wcet :
								    stages[i].response - from;

		if (adds > most) {
			most = adds;
			worst = i;
		}
	}
	return worst;
}

/* The longest wcet that the model's ranges allow. */
static uint64_t wcet_most(const struct resch_chain_spec *chain, uint32_t stage)
{
	uint64_t period = chain->period;
	uint32_t i;

	if (chain->stages[stage].kind == RESCH_STAGE_DELAY)
		return RESCH_CHAIN_TIME_MAX;
	for (i = 0; i <= stage; i++)
		period = chain->stages[i].clock ? chain->stages[i].clock : period;
	return period;
}

static void answer(struct trial *trial, struct resch_chain_suggestion *suggestion)
{
	trial->stage = worst_stage(trial);
	suggestion->stage = trial->stage;
	suggestion->deadline = bisect(trial, set_deadline, 1, RESCH_CHAIN_TIME_MAX);
	suggestion->period = bisect(trial, set_period, 1, RESCH_CHAIN_TIME_MAX);
	suggestion->wcet = bisect(trial, set_wcet, wcet_most(trial->given, trial->stage), 1);
}

int resch_chain_suggest(const struct resch_chain_model *model, uint32_t method, int rule,
			uint32_t chain, struct resch_chain_suggestion *suggestion)
{
	struct trial trial = { .model = *model, .index = chain, .method = method, .rule = rule };
	struct resch_chain_refusal refusal;
	struct flat flat;
	int err = flat_begin(&flat, model, &refusal);

	flat_end(&flat);
	*suggestion = (struct resch_chain_suggestion){};
	if (err)
		return err;
	if (chain >= model->count || method > RESCH_CHAIN_WCDO_EXACT || rule > RESCH_CHAIN_HOPA)
		return -EINVAL;
	trial.model.chains = calloc(model->count, sizeof(*trial.model.chains));
	trial.result.chains = calloc(model->count, sizeof(*trial.result.chains));
	if (trial.model.chains && trial.result.chains) {
		memcpy(trial.model.chains, model->chains, model->count * sizeof(*model->chains));
		trial.chain = &trial.model.chains[chain];
		trial.given = &model->chains[chain];
		answer(&trial, suggestion);
	} else {
		err = -ENOMEM;
	}
	free(trial.model.chains);
	free(trial.result.chains);
	return err;
}
