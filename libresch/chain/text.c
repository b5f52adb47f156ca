// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* text.c - why a model of chains is refused, as a sentence */
#include <stdio.h>

#include "chain.h"

static const char *const methods[] = {
	"no method",
	"the stages' own deadlines",
	"the holistic analysis (TC)",
	"the holistic analysis with best cases (TC-bc)",
	"the sum of the stages' responses (SA/PM)",
	"the offset-based analysis (WCDO)",
	"the exact offset-based analysis (WCDO)",
};

/* A time, or that there is none; one of @text's. */
static const char *show(uint64_t time, char text[RESCH_TIME_TEXT])
{
	if (time == CHAIN_NEVER)
		return "no bound";
	resch_time_format(time, text, RESCH_TIME_TEXT);
	return text;
}

/* "chain T0, stage b", by names or, where there are none, by numbers from 1. */
static void whose(const struct resch_chain_model *model, const struct resch_chain_refusal *refusal,
		  bool stage, char *text, size_t size)
{
	const struct resch_chain_spec *chain = &model->chains[refusal->chain];
	int used;

	if (*chain->name)
		used = snprintf(text, size, "chain %.15s", chain->name);
	else
		used = snprintf(text, size, "chain %u", refusal->chain + 1);
	if (!stage || refusal->stage >= chain->count)
		return;
	text += used;
	size -= (size_t)used;
	if (*chain->stages[refusal->stage].name)
		snprintf(text, size, ", stage %.15s", chain->stages[refusal->stage].name);
	else
		snprintf(text, size, ", stage %u", refusal->stage + 1);
}

/* "CPU 2", "CPU 2 of node arm", "link 0" */
static void where(const struct resch_chain_model *model, const struct resch_chain_refusal *refusal,
		  char *text, size_t size)
{
	const struct resch_stage_spec *stage =
		&model->chains[refusal->chain].stages[refusal->stage];

	snprintf(text, size, "%s %d%s%.15s", stage->kind == RESCH_STAGE_MESSAGE ? "link" : "CPU",
		 stage->cpu, *stage->node ? " of node " : "", stage->node);
}

int resch_chain_text(const struct resch_chain_model *model, const struct resch_chain_result *result,
		     char *text, size_t size)
{
	const struct resch_chain_refusal *refusal = &result->refusal;
	const char *method = methods[result->method <= RESCH_CHAIN_WCDO_EXACT ? result->method : 0];
	char chain[64] = "the model", place[64] = "", value[RESCH_TIME_TEXT],
	     limit[RESCH_TIME_TEXT];

	if (refusal->reason && refusal->chain < model->count) {
		whose(model, refusal, true, chain, sizeof(chain));
		if (refusal->stage < model->chains[refusal->chain].count)
			where(model, refusal, place, sizeof(place));
	}
	switch (refusal->reason) {
	case RESCH_CHAIN_FITS:
		return snprintf(text, size, "all chains meet their deadlines by %s", method);
	case RESCH_CHAIN_RANGE:
		return snprintf(text, size, "%s: a time or number is out of range%s%s", chain,
				refusal->limit ? ", with at most " : "",
				refusal->limit ? show(refusal->limit, limit) : "");
	case RESCH_CHAIN_RESPONSE:
		return snprintf(text, size,
				"%s: by %s %s from the origin to its end, at most %s are allowed",
				chain, method, show(refusal->value, value),
				show(refusal->limit, limit));
	case RESCH_CHAIN_LOCAL:
		return snprintf(text, size,
				"%s: %s from its release to its end on %s, its own deadline is %s",
				chain, show(refusal->value, value), place,
				show(refusal->limit, limit));
	case RESCH_CHAIN_SUM:
		whose(model, refusal, false, chain, sizeof(chain));
		return snprintf(
			text, size,
			"%s: the deadlines of its stages are %s together, at most %s are allowed",
			chain, show(refusal->value, value), show(refusal->limit, limit));
	case RESCH_CHAIN_DEMAND:
		return snprintf(text, size,
				"%s: on %s jobs of %s are due within %s, under edf by %s", chain,
				place, show(refusal->value, value), show(refusal->limit, limit),
				method);
	case RESCH_CHAIN_LOAD:
		return snprintf(text, size,
				"%s: %s has work for %llu.%04llu %% of its time, by any method",
				chain, place, (unsigned long long)refusal->value / 10000,
				(unsigned long long)refusal->value % 10000);
	case RESCH_CHAIN_METHOD:
		whose(model, refusal, false, chain, sizeof(chain));
		return snprintf(text, size, "%s: %s is no bound for protocol %s%s%s", chain, method,
				resch_chain_protocol_name(model->chains[refusal->chain].protocol),
				model->policy == RESCH_CHAIN_EDF ? " under edf" : "",
				model->chains[refusal->chain].stages[0].flags & RESCH_STAGE_ORIGIN ?
					" with deadlines that count from the origin" :
					"");
	default:
		return snprintf(text, size, "%s: it has no deadline of its own, which %s needs",
				chain, method);
	}
}
