// SPDX-License-Identifier: GPL-2.0-or-later
/* json.c - chains as JSON: what reschctl chain reads, too */
#include "chain/chain.h"

static void add_bound(struct json_object *to, const char *key, uint64_t ns)
{
	json_add(to, key, ns == RESCH_CHAIN_NEVER ? NULL : json_object_new_uint64(ns));
}

static struct json_object *stage_json(const struct resch_chain_spec *chain, uint32_t index,
				      const struct resch_stage_bound *bound)
{
	const struct resch_stage_spec *stage = &chain->stages[index];
	struct json_object *to = json_object_new_object();
	char from[CHAIN_FROM_TEXT];

	json_add_text(to, "name", stage->name);
	json_add_text(to, "kind", resch_name_of("stage-kinds", stage->kind));
	json_add_text(to, "node", stage->node);
	if (stage->kind != RESCH_STAGE_DELAY)
		json_add(to, "cpu", json_object_new_int(stage->cpu));
	json_add_time(to, "wcet", stage->wcet);
	json_add_time(to, "bcet", stage->bcet);
	json_add_time(to, "blocking", stage->blocking);
	if (stage->priority)
		json_add(to, "priority", json_object_new_int64(stage->priority));
	json_add_time(to, "local", stage->local);
	json_add(to, "from_origin", json_object_new_boolean(stage->flags & RESCH_STAGE_ORIGIN));
	if (stage->clock) {
		json_add_time(to, "clock", stage->clock);
		json_add_time(to, "offset", stage->offset);
	}
	if (*chain_from_text(chain, index, from, sizeof(from)))
		json_add_text(to, "from", from);
	if (!bound)
		return to;
	add_bound(to, "response", bound->response);
	add_bound(to, "alone", bound->alone);
	add_bound(to, "release_jitter", bound->jitter);
	add_bound(to, "best", bound->best);
	add_bound(to, "phase", bound->phase);
	return to;
}

struct json_object *chain_json(const struct chain_question *question,
			       const struct resch_chain_bound *bounds)
{
	const struct resch_chain_model *model = &question->set.model;
	struct json_object *list = json_object_new_array();
	uint32_t i, k;

	for (i = 0; i < model->count; i++) {
		const struct resch_chain_spec *chain = &model->chains[i];
		struct json_object *to = json_object_new_object();
		struct json_object *stages = json_object_new_array();

		json_add_text(to, "name", chain->name);
		json_add_text(to, "protocol", resch_chain_protocol_name(chain->protocol));
		json_add_time(to, "period", chain->period);
		json_add_time(to, "deadline", chain->deadline);
		json_add_time(to, "jitter", chain->jitter);
		if (bounds) {
			add_bound(to, "response", bounds[i].response);
			json_add(to, "met", json_object_new_boolean(bounds[i].met != 0));
		}
		for (k = 0; k < chain->count; k++)
			json_object_array_add(
				stages, stage_json(chain, k, bounds ? &bounds[i].stages[k] : NULL));
		json_add(to, "stages", stages);
		json_object_array_add(list, to);
	}
	return list;
}
