// SPDX-License-Identifier: GPL-2.0-or-later
/* check.c - reschctl chain check */
#include "chain/chain.h"
#include "common/progress.h"

#define WOULD 320

static const char *place_text(const struct resch_stage_spec *stage, char *text, size_t size)
{
	if (stage->kind == RESCH_STAGE_DELAY)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.15s%s%s%d", stage->node, *stage->node ? ":" : "",
			 stage->kind == RESCH_STAGE_MESSAGE ? "link" : "", stage->cpu);
	text_clean(text);
	return text;
}

static bool forks(const struct resch_chain_model *model)
{
	uint32_t i;

	for (i = 0; i < model->count; i++)
		if (resch_chain_forks(&model->chains[i]))
			return true;
	return false;
}

static void add_row(const struct chain_question *question, struct table *table, uint32_t index,
		    uint32_t number)
{
	const struct resch_chain_spec *chain = &question->set.model.chains[index];
	const struct resch_chain_bound *bounds = &question->result.chains[index];
	const struct resch_stage_spec *stage = &chain->stages[number];
	const struct resch_stage_bound *bound = &bounds->stages[number];
	char place[48], name[RESCH_CHAIN_NAME], from[CHAIN_FROM_TEXT];

	snprintf(name, sizeof(name), "%.15s", number ? "" : chain->name);
	text_clean(name);
	table_add(table, "%s", name);
	snprintf(name, sizeof(name), "%.15s", stage->name);
	text_clean(name);
	table_add(table, "%s", name);
	if (forks(&question->set.model))
		table_add(table, "%s", chain_from_text(chain, number, from, sizeof(from)));
	table_add(table, "%s", place_text(stage, place, sizeof(place)));
	if (stage->priority)
		table_add(table, "%u", stage->priority);
	else
		table_add(table, "-");
	table_add(table, "%s", time_text(stage->wcet));
	table_add(table, "%s", stage->local ? time_text(stage->local) : "-");
	table_add(table, "%s", chain_time(bound->jitter));
	table_add(table, "%s", chain_time(bound->alone));
	table_add(table, "%s", chain_time(bound->response));
}

static void show_table(const struct chain_question *question)
{
	static const char *const headings[] = { "CHAIN",  "STAGE",   "CPU",    ">PRIO",	    ">WCET",
						">LOCAL", ">JITTER", ">ALONE", ">RESPONSE", NULL };
	static const char *const forking[] = { "CHAIN",	 "STAGE",     "FROM",	"CPU",
					       ">PRIO",	 ">WCET",     ">LOCAL", ">JITTER",
					       ">ALONE", ">RESPONSE", NULL };
	const struct resch_chain_model *model = &question->set.model;
	struct table table;
	uint32_t i, k;

	table_begin(&table, forks(model) ? forking : headings);
	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++)
			add_row(question, &table, i, k);
	table_print(&table, stdout);
	printf("\n");
	for (i = 0; i < model->count; i++) {
		const struct resch_chain_bound *bound = &question->result.chains[i];

		printf("%s, %s: %s%s, deadline %s: %s\n", model->chains[i].name,
		       resch_chain_protocol_name(model->chains[i].protocol),
		       bound->sampled ? "reaction " : "", chain_time(bound->response),
		       time_text(model->chains[i].deadline), bound->met ? "met" : "NOT MET");
	}
	printf("method %s, policy %s, priorities %s\n",
	       resch_chain_method_name(question->result.method),
	       resch_name_of("chain-policies", model->policy),
	       question->made < 0 ? "of the file" :
				    resch_chain_rule_name((uint32_t)question->made));
}

/* The sentence for chain @index, in @text; what would pass in @would. */
static void explain(const struct chain_question *question, uint32_t index, char *text, char *would)
{
	struct resch_chain_suggestion suggestion = {};

	chain_why(question, index, text);
	progress_while("looking for what would pass");
	resch_chain_suggest(&question->set.model, question->method, question->made, index,
			    &suggestion);
	progress_end();
	chain_would(question, index, &suggestion, would, WOULD);
}

static bool is_refused(const struct chain_question *question, uint32_t index)
{
	const struct resch_chain_refusal *refusal = &question->result.refusal;

	return !question->result.chains[index].met || (refusal->reason && refusal->chain == index);
}

static void show_refusals(const struct chain_question *question)
{
	char text[RESCH_CHAIN_TEXT], would[WOULD];
	uint32_t i;

	for (i = 0; i < question->set.model.count; i++) {
		if (!is_refused(question, i))
			continue;
		explain(question, i, text, would);
		fail("%s: %s%s%s", question->path, text, *would ? "; " : "", would);
	}
}

static void show_json(const struct chain_question *question)
{
	struct json_object *out = json_object_new_object();
	struct json_object *refused = json_object_new_array();
	char text[RESCH_CHAIN_TEXT], would[WOULD];
	uint32_t i;

	json_add(out, "accepted", json_object_new_boolean(!question->result.refusal.reason));
	json_add_text(out, "method", resch_chain_method_name(question->result.method));
	json_add_text(out, "policy", resch_name_of("chain-policies", question->set.model.policy));
	if (question->made >= 0)
		json_add_text(out, "rule", resch_chain_rule_name((uint32_t)question->made));
	json_add(out, "chains", chain_json(question, question->result.chains));
	for (i = 0; i < question->set.model.count; i++) {
		struct json_object *one;

		if (!is_refused(question, i))
			continue;
		one = json_object_new_object();
		explain(question, i, text, would);
		json_add_text(one, "chain", question->set.model.chains[i].name);
		json_add_text(one, "why", text);
		json_add_text(one, "would_pass", would);
		json_object_array_add(refused, one);
	}
	json_add(out, "refused", refused);
	json_show(out, stdout);
}

int chain_check(int argc, char **argv)
{
	struct chain_question question;
	int result = chain_ask(argc, argv, "check", &question);

	if (result >= 0)
		return result;
	result = chain_make(&question, false);
	if (result < 0)
		result = chain_judge(&question);
	if (result < 0) {
		if (question.json) {
			show_json(&question);
		} else {
			show_table(&question);
			fflush(stdout);
			show_refusals(&question);
		}
		result = question.result.refusal.reason ? EXIT_FAILED : EXIT_DONE;
	}
	chain_end(&question);
	return result;
}
