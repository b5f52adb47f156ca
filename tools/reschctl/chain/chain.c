// SPDX-License-Identifier: GPL-2.0-or-later
/* chain.c - reschctl chain: its command line, and what its actions have in common */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain/chain.h"
#include "common/progress.h"
#include "common/sets.h"

const char chain_help[] =
	"usage: reschctl chain check [OPTION...] FILE\n"
	"       reschctl chain assign [OPTION...] FILE\n"
	"       reschctl chain size [OPTION...] FILE\n"
	"       reschctl chain run [OPTION...] FILE\n"
	"       reschctl chain list [--json]\n"
	"       reschctl chain show [--json] ID\n"
	"       reschctl chain top [--interval=TIME] [--once] [--json]\n"
	"       reschctl chain del ID\n"
	"\n"
	"A chain is stages on CPUs and links, of which each is released after the one before it. `check` bounds how\n"
	"late its last stage may complete, and refuses the set where that is after a deadline; `assign` divides the\n"
	"deadlines among the stages, gives these priorities, and prints the file anew; `size` says for each chain what\n"
	"the least deadline and period and the largest wcet of its worst stage are. None of these needs the module.\n"
	"\n"
	"`run` has the module run what passes, each stage a thread that computes, and compares what it saw with the\n"
	"bounds. `list` and `show` tell of the chains that run, whoever made them: docs/chains.md. `top` is a table of them\n"
	"that refreshes itself: PER S, AVG and the stage that takes longest are of the last interval, the rest is since\n"
	"the chain was made. Red: instances were late, skipped or lost in the last interval; pale: it has stopped. Keys: s\n"
	"sorts by the next of id, misses, longest response, instances that wait; f freezes the table, and lets it go on; q\n"
	"quits.\n"
	"`del` ends a chain that another program has made (root); its stages stay tasks.\n"
	"\n"
	"FILE (-: standard input) has a header, and a line for each stage; times with units:\n"
	"  chain,period,deadline,protocol,stage,wcet,bcet,node,cpu,priority,local,kind\n"
	"  T0,104ms,88ms,rg,a,7ms,7ms,,0,3,,cpu\n"
	"  T0,,,,b,8ms,8ms,,1,3,,cpu\n"
	"or is JSON, with the same words: {\"chains\": [{\"name\", \"period\", ..., \"stages\": [{\"name\", \"wcet\", ...}]}]}\n"
	"\n"
	"  -m, --method=METHOD     @chain-methods?@\n"
	"  -r, --rule=RULE         make local deadlines and priorities by this one, whatever the file has (default where\n"
	"                          the file has no priorities: pd)\n"
	"                          @chain-rules?@\n"
	"      --policy=POLICY     of the CPUs (default: the first)\n"
	"                          @chain-policies?@\n"
	"      --protocol=PROTOCOL of all chains, whatever the file has\n"
	"                          @chain-protocols?@\n"
	"      --overhead=TIME     what each job costs more than its wcet (default: 0)\n"
	"      --handover=[MIN-]MAX  from a completion to the release of the next stage on a CPU (default: 0)\n"
	"      --duration=TIME     of run (default: 10s; Ctrl-C ends it before)\n"
	"      --load=PERCENT      of run: how much of each wcet is computed, 1 to 100 (default: 90)\n"
	"  -o, --output=FILE       of run: what each instance took, as CSV, in ns\n"
	"      --force             of run: also what is refused\n"
	"      --skip-late         of run: a later stage drops what it would turn to after the chain's deadline\n"
	"  -i, --interval=TIME     of top: between two looks; 100ms to 1h (default: 1s)\n"
	"  -1, --once              of top: one table, after one interval\n"
	"  -j, --json              print JSON; times in ns; of top: an object a line each interval\n"
	"  -h, --help              this text\n";

/* "2us-40us", or the most alone */
static int take_handover(const struct option_table *table, const struct option_row *row,
			 const char *value)
{
	struct resch_chain_model *model = row->to;
	struct option_row end = *row;
	const char *dash = strchr(value, '-');
	char least[32];
	int result = -1;

	if (dash) {
		snprintf(least, sizeof(least), "%.*s", (int)(dash - value), value);
		end.to = &model->handover_min;
		result = option_time(table, &end, least);
	}
	end.to = &model->handover_max;
	if (result < 0)
		result = option_time(table, &end, dash ? dash + 1 : value);
	if (result < 0 && model->handover_min > model->handover_max)
		return usage(table->command, "--handover: MIN is more than MAX");
	return result;
}

static int parse(int argc, char **argv, const char *action, struct chain_question *question,
		 struct resch_chain_model *model)
{
	struct option_row rows[] = {
		{ "method", 'm', "chain-methods", option_word, &question->method },
		{ "rule", 'r', "chain-rules", option_word, &question->rule },
		{ "policy", 0, "chain-policies", option_word, &model->policy },
		{ "protocol", 0, "chain-protocols", option_word, &question->protocol },
		{ "overhead", 0, "time", option_time, &model->overhead, 0, RESCH_CHAIN_TIME_MAX },
		{ "handover", 0, "times", take_handover, model, 0, RESCH_CHAIN_TIME_MAX },
		OPTION_JSON(&question->json),
		{ "duration", 0, "time", option_time, &question->duration, 1,
		  RESCH_CHAIN_TIME_MAX },
		{ "load", 0, "number", option_number, &question->load, 1, 100 },
		{ "output", 'o', "file", option_text, &question->output },
		{ "force", 0, NULL, option_flag, &question->force },
		{ "skip-late", 0, NULL, option_flag, &question->skip_late },
		{},
	};
	const struct option_table table = { "chain", chain_help, "file", .rows = rows };
	int result;

	if (strcmp(action, "run"))
		rows[7] = (struct option_row){}; /* the rest is for run */
	result = options_run(argc, argv, &table);

	if (result < 0 && optind + 1 != argc)
		return usage("chain", "chain %s takes one FILE", action);
	return result;
}

static int read_set(struct chain_question *question, const struct resch_chain_model *model)
{
	struct chainset *set = &question->set;
	int result = sets_read_chains(question->path, set);
	uint32_t i;

	if (result != EXIT_DONE)
		return result;
	set->model.policy = model->policy;
	set->model.overhead = model->overhead;
	set->model.handover_min = model->handover_min;
	set->model.handover_max = model->handover_max;
	for (i = 0; i < set->model.count && question->protocol >= 0; i++)
		set->model.chains[i].protocol = (uint32_t)question->protocol;
	question->result.chains = calloc(set->model.count, sizeof(*question->result.chains));
	if (question->result.chains)
		return -1;
	chainset_free(set);
	return fail("out of memory");
}

int chain_ask(int argc, char **argv, const char *action, struct chain_question *question)
{
	struct resch_chain_model model = {};
	int result;

	*question = (struct chain_question){
		.rule = -1, .made = -1, .protocol = -1, .duration = 10000000000, .load = 90
	};
	result = parse(argc, argv, action, question, &model);
	if (result >= 0)
		return result;
	question->path = argv[optind];
	return read_set(question, &model);
}

void chain_end(struct chain_question *question)
{
	free(question->result.chains);
	chainset_free(&question->set);
}

static bool needs_rule(const struct chain_question *question)
{
	const struct chainset *set = &question->set;

	if (question->rule >= 0)
		return true;
	if (set->model.policy == RESCH_CHAIN_EDF || question->method == RESCH_CHAIN_DECOMPOSED)
		return !set->assigned;
	return !set->prioritised;
}

int chain_make(struct chain_question *question, bool always)
{
	int rule = question->rule >= 0 ? question->rule : RESCH_CHAIN_PD;
	int err;

	if (!always && !needs_rule(question))
		return -1;
	progress_while("dividing deadlines");
	err = resch_chain_assign(&question->set.model, (uint32_t)rule);
	progress_end();
	question->made = rule;
	if (!err)
		return -1;
	if (err == -EBUSY)
		return fail("%s: a deadline is shorter than what its chain takes alone",
			    question->path);
	return fail("%s: %s", question->path,
		    err == -E2BIG ? "this takes too many steps" : error_text(err));
}

int chain_judge(struct chain_question *question)
{
	char text[RESCH_CHAIN_TEXT];
	int err;

	progress_while("bounding responses");
	err = resch_chain_analyse(&question->set.model, question->method, &question->result);
	progress_end();
	if (!err || err == -EBUSY)
		return -1;
	if (err == -E2BIG)
		return fail("%s: the analysis takes too many steps; --method=tc-bc takes fewer",
			    question->path);
	if (err != -EINVAL)
		return fail("%s: %s", question->path, error_text(err));
	resch_chain_text(&question->set.model, &question->result, text, sizeof(text));
	return fail("%s: %s", question->path, text);
}

const char *chain_why(const struct chain_question *question, uint32_t index, char *text)
{
	const struct resch_chain_spec *chain = &question->set.model.chains[index];
	struct resch_chain_result result = question->result;

	if (result.refusal.chain != index)
		result.refusal = (struct resch_chain_refusal){
			.reason = RESCH_CHAIN_RESPONSE,
			.chain = index,
			.stage = chain->count - 1,
			.value = result.chains[index].response,
			.limit = chain->deadline,
		};
	resch_chain_text(&question->set.model, &result, text, RESCH_CHAIN_TEXT);
	text_clean(text);
	return text;
}

void chain_would(const struct chain_question *question, uint32_t index,
		 const struct resch_chain_suggestion *suggestion, char *text, size_t size)
{
	const struct resch_stage_spec *stage =
		&question->set.model.chains[index].stages[suggestion->stage];
	const char *between = "";
	size_t used = 0;

	*text = 0;
	if (suggestion->deadline) {
		used = (size_t)snprintf(text, size, "a deadline of %s",
					time_text(suggestion->deadline));
		between = ", or ";
	}
	if (suggestion->wcet && used < size) {
		used += (size_t)snprintf(text + used, size - used, "%sa wcet of %s of stage %.15s",
					 between, time_text(suggestion->wcet), stage->name);
		between = ", or ";
	}
	if (suggestion->period && used < size) {
		used += (size_t)snprintf(text + used, size - used, "%sa period of %s", between,
					 time_text(suggestion->period));
	}
	if (used && used < size)
		snprintf(text + used, size - used, " would pass");
	text_clean(text);
}

const char *chain_time(uint64_t ns)
{
	return ns == RESCH_CHAIN_NEVER ? "-" : time_text(ns);
}

const char *chain_from_text(const struct resch_chain_spec *chain, uint32_t index, char *text,
			    size_t size)
{
	const struct resch_stage_spec *stage = &chain->stages[index];
	uint32_t from = resch_stage_from(stage, index), i;
	size_t used = 0;

	*text = 0;
	if (!index || from == UINT32_C(1) << (index - 1))
		return text;
	for (i = 0; i < index && used < size; i++)
		if (from >> i & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%.15s",
						 !used				? "" :
						 stage->flags & RESCH_STAGE_ANY ? "|" :
										  "+",
						 chain->stages[i].name);
	text_clean(text);
	return text;
}

int cmd_chain(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "check", chain_check }, { "assign", chain_assign }, { "size", chain_size },
		{ "run", chain_run },	  { "list", chain_list },     { "show", chain_show },
		{ "top", chain_top },	  { "del", chain_del },	      { NULL, NULL },
	};

	return action_run(argc, argv, actions, chain_help,
			  "one of check, assign, size, run, list, show, top, del");
}
