// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * size.c - reschctl chain size: how small and how large each chain may be, the others being as they
 * are
 */
#include "chain/chain.h"
#include "common/progress.h"

static const char *or_none(uint64_t ns)
{
	return ns ? time_text(ns) : "none";
}

static void add_row(const struct chain_question *question, struct table *table, uint32_t index,
		    const struct resch_chain_suggestion *most)
{
	const struct resch_chain_spec *chain = &question->set.model.chains[index];
	char name[RESCH_CHAIN_NAME];

	snprintf(name, sizeof(name), "%.15s", chain->name);
	text_clean(name);
	table_add(table, "%s", name);
	table_add(table, "%s", chain_time(question->result.chains[index].response));
	table_add(table, "%s", time_text(chain->deadline));
	table_add(table, "%s", or_none(most->deadline));
	table_add(table, "%s", time_text(chain->period));
	table_add(table, "%s", or_none(most->period));
	snprintf(name, sizeof(name), "%.15s", chain->stages[most->stage].name);
	text_clean(name);
	table_add(table, "%s", name);
	table_add(table, "%s", time_text(chain->stages[most->stage].wcet));
	table_add(table, "%s", or_none(most->wcet));
}

static void add_json(const struct chain_question *question, struct json_object *list,
		     uint32_t index, const struct resch_chain_suggestion *most)
{
	const struct resch_chain_spec *chain = &question->set.model.chains[index];
	const struct resch_chain_bound *bound = &question->result.chains[index];
	struct json_object *to = json_object_new_object();

	json_add_text(to, "name", chain->name);
	json_add(to, "response",
		 bound->response == RESCH_CHAIN_NEVER ? NULL :
							json_object_new_uint64(bound->response));
	json_add_time(to, "deadline", chain->deadline);
	json_add_time(to, "least_deadline", most->deadline);
	json_add_time(to, "period", chain->period);
	json_add_time(to, "least_period", most->period);
	json_add_text(to, "stage", chain->stages[most->stage].name);
	json_add_time(to, "wcet", chain->stages[most->stage].wcet);
	json_add_time(to, "largest_wcet", most->wcet);
	json_object_array_add(list, to);
}

static void show(const struct chain_question *question)
{
	static const char *const headings[] = { "CHAIN",    ">RESPONSE", ">DEADLINE", ">LEAST",
						">PERIOD",  ">LEAST",	 "STAGE",     ">WCET",
						">LARGEST", NULL };
	struct json_object *list = json_object_new_array();
	struct table table;
	uint32_t i;

	table_begin(&table, headings);
	progress_begin();
	progress_by_alarm();
	for (i = 0; i < question->set.model.count; i++) {
		struct resch_chain_suggestion most = {};

		progress("chains sized", i, question->set.model.count);
		resch_chain_suggest(&question->set.model, question->method, question->made, i,
				    &most);
		if (question->json)
			add_json(question, list, i, &most);
		else
			add_row(question, &table, i, &most);
	}
	progress_end();
	list_show(&table, list, "chains", question->json, NULL);
}

int chain_size(int argc, char **argv)
{
	struct chain_question question;
	int result = chain_ask(argc, argv, "size", &question);

	if (result >= 0)
		return result;
	result = chain_make(&question, false);
	if (result < 0)
		result = chain_judge(&question);
	if (result < 0)
		show(&question);
	chain_end(&question);
	return result < 0 ? EXIT_DONE : result;
}
