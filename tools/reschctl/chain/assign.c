// SPDX-License-Identifier: GPL-2.0-or-later
/* assign.c - reschctl chain assign: the file anew, with local deadlines and priorities */
#include "chain/chain.h"

/* Nothing for what is not there. */
static const char *or_nothing(uint64_t ns)
{
	return ns ? time_text(ns) : "";
}

static void show_stage(const struct resch_chain_spec *chain, uint32_t index)
{
	const struct resch_stage_spec *stage = &chain->stages[index];
	char cpu[16] = "", priority[16] = "", from[CHAIN_FROM_TEXT];

	if (stage->kind != RESCH_STAGE_DELAY)
		snprintf(cpu, sizeof(cpu), "%d", stage->cpu);
	if (stage->priority)
		snprintf(priority, sizeof(priority), "%u", stage->priority);
	if (index)
		printf("%s,,,,,", chain->name);
	else
		printf("%s,%s,%s,%s,%s,", chain->name, time_text(chain->period),
		       time_text(chain->deadline), resch_chain_protocol_name(chain->protocol),
		       or_nothing(chain->jitter));
	printf("%s,%s,%s,%s,%s,%s,", stage->name, time_text(stage->wcet), or_nothing(stage->bcet),
	       or_nothing(stage->blocking), stage->node, cpu);
	printf("%s,%s,%s,%s,%s,%s\n", priority, time_text(stage->local),
	       resch_name_of("stage-kinds", stage->kind), or_nothing(stage->clock),
	       or_nothing(stage->offset), chain_from_text(chain, index, from, sizeof(from)));
}

static void show_lines(const struct chain_question *question)
{
	const struct resch_chain_model *model = &question->set.model;
	uint32_t i, k;

	printf("# reschctl chain assign --rule=%s%s\n",
	       resch_chain_rule_name((uint32_t)question->made),
	       model->chains[0].stages[0].flags & RESCH_STAGE_ORIGIN ?
		       ": local deadlines count from the origin, and are good for priorities only" :
		       "");
	printf("chain,period,deadline,protocol,jitter,stage,wcet,bcet,blocking,node,cpu,priority,local,kind,clock,offset,from\n");
	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			show_stage(&model->chains[i], k);
}

int chain_assign(int argc, char **argv)
{
	struct chain_question question;
	struct json_object *out;
	int result = chain_ask(argc, argv, "assign", &question);

	if (result >= 0)
		return result;
	result = chain_make(&question, true);
	if (result < 0 && question.json) {
		out = json_object_new_object();
		json_add_text(out, "rule", resch_chain_rule_name((uint32_t)question.made));
		json_add(out, "chains", chain_json(&question, NULL));
		json_show(out, stdout);
	} else if (result < 0) {
		show_lines(&question);
	}
	chain_end(&question);
	return result < 0 ? EXIT_DONE : result;
}
