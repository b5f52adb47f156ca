// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * names.c - the words for the numbers of the ABI and of this library, each spelt here alone
 *
 * Whoever parses, prints, refuses, helps or completes takes them from these tables; what they say
 * of themselves is for `reschctl COMMAND --help` and for completions. Manuals have more to say, and
 * tests/unit/test_reschctl_words.py looks whether they have all of the words.
 */
#include <stdio.h>
#include <string.h>

#include "request.h"
#include "resch-assign.h"
#include "resch-chain.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** struct word - @about is NULL where the word says it all */
struct word {
	const char *name;
	const char *about;
};

/* clang-format off */
static const struct word kinds[RESCH_KINDS] = {
	[RESCH_PERIODIC] = { "periodic", "a job each period; for programs that call resch_wait()" },
	[RESCH_SPORADIC] = { "sporadic", "likewise, with jobs that are released one by one" },
	[RESCH_WAKEUP] = { "wakeup", "a job from each wake-up until it sleeps again" },
};

static const struct word reactions[RESCH_REACTIONS] = {
	[RESCH_COUNT] = { "count", "nothing but the statistics" },
	[RESCH_NOTIFY] = { "notify", "an event that can be read" },
	[RESCH_SIGNAL] = { "signal", "that, and --signal to the thread" },
	[RESCH_SKIP] = { "skip", "releases that the job is too late for are skipped" },
	[RESCH_THROTTLE] = { "throttle", "the job stops until the next release" },
	[RESCH_DEMOTE] = { "demote", "the rest of the job runs below all tasks" },
};

static const struct word states[] = {
	[RESCH_STATE_NEW] = { "new" },
	[RESCH_STATE_SLEEPING] = { "sleeping" },
	[RESCH_STATE_READY] = { "ready" },
	[RESCH_STATE_SELECTED] = { "selected" },
	[RESCH_STATE_BLOCKED] = { "blocked" },
	[RESCH_STATE_THROTTLED] = { "throttled" },
	[RESCH_STATE_GONE] = { "gone" },
};

static const struct word events[] = {
	[0] = { "?" },
	[RESCH_EVENT_OVERRUN] = { "overrun" },
	[RESCH_EVENT_MISS] = { "miss" },
	[RESCH_EVENT_GONE] = { "gone" },
	[RESCH_EVENT_CHAIN_COMPLETE] = { "chain-complete" },
	[RESCH_EVENT_CHAIN_MISS] = { "chain-miss" },
	[RESCH_EVENT_CHAIN_GONE] = { "chain-gone" },
};

static const struct word ends[] = {
	[0] = { "?" },
	[RESCH_GONE_EXIT] = { "exit" },
	[RESCH_GONE_EXEC] = { "exec" },
	[RESCH_GONE_EJECT] = { "eject" },
	[RESCH_GONE_OFFLINE] = { "offline" },
	[RESCH_GONE_SYSRQ] = { "sysrq" },
	[RESCH_GONE_WITHDRAWN] = { "withdrawn" },
};

static const struct word server_kinds[RESCH_SERVER_KINDS] = {
	[RESCH_SERVER_CBS_HARD] = { "cbs-hard", "no more than its budget in each period" },
	[RESCH_SERVER_CBS] = { "cbs", "what others leave, too" },
	[RESCH_SERVER_CUS] = { "cus",
		"budgets follow the jobs; the next one comes at the deadline" },
	[RESCH_SERVER_TBS] = { "tbs", "budgets follow the jobs; the next one comes at once" },
	[RESCH_SERVER_PASSIVE] = { "passive",
		"its tasks work for those of other servers, on their budgets" },
	[RESCH_SERVER_LINUX] = { "linux",
		"for all that is not under resch: a share that it is sure of; one a CPU" },
};

static const struct word server_policies[RESCH_SERVER_POLICIES] = {
	[RESCH_SERVER_EDF] = { "edf", "earliest deadline first" },
	[RESCH_SERVER_DM] = { "dm", "shortest relative deadline first" },
	[RESCH_SERVER_RM] = { "rm", "shortest period first" },
	[RESCH_SERVER_PRIORITY] = { "priority", "smallest --priority first" },
	[RESCH_SERVER_FIFO] = { "fifo", "in the order of releases" },
	[RESCH_SERVER_RR] = { "rr", "in turns of --quantum" },
	[RESCH_SERVER_PLUGIN] = { "plugin", "as --plugin says" },
};

/* by bit */
static const struct word balance_policies[] = {
	{ "weight", "a CPU's load is what real-time threads leave to each of its others" },
	{ "push", "no CPU waits for another" },
	{ "estimate", "threads that are likely to call the kernel soon are not sent" },
	{ "associate", "SCHED_FIFO and SCHED_RR threads are sent rather than others" },
};

static const struct word assign_methods[] = {
	[RESCH_ASSIGN_SEKG] = { "sekg", "sporadic EKG: a task is split over neighbours" },
	[RESCH_ASSIGN_NPSF] = { "npsf", "NPS-F: groups of tasks are split" },
	[RESCH_ASSIGN_CNPSF] = { "cnpsf", "NPS-F in clusters of CPUs" },
};

static const struct word chain_protocols[] = {
	[RESCH_CHAIN_DS] = { "ds", "direct synchronisation" },
	[RESCH_CHAIN_PM] = { "pm", "phase modification" },
	[RESCH_CHAIN_MPM] = { "mpm", "modified phase modification" },
	[RESCH_CHAIN_RG1] = { "rg1", "release guard, rule 1" },
	[RESCH_CHAIN_RG] = { "rg", "release guard, rules 1 and 2" },
};

static const struct word chain_policies[] = {
	[RESCH_CHAIN_FP] = { "fp", "fixed priorities" },
	[RESCH_CHAIN_EDF] = { "edf", "by local deadlines" },
};

static const struct word stage_kinds[] = {
	[RESCH_STAGE_CPU] = { "cpu", "a job on a CPU" },
	[RESCH_STAGE_MESSAGE] = { "message", "a frame on a link" },
	[RESCH_STAGE_DELAY] = { "delay", "a declared latency, whatever else happens" },
};

static const struct word chain_methods[] = {
	[RESCH_CHAIN_AUTO] = { "auto", "what suits the protocols" },
	[RESCH_CHAIN_DECOMPOSED] = { "decomposed", "each stage by its own deadline" },
	[RESCH_CHAIN_TC] = { "tc", "holistic" },
	[RESCH_CHAIN_TC_BC] = { "tc-bc", "holistic, with best cases" },
	[RESCH_CHAIN_SAPM] = { "sapm", "the sum of the stages' responses" },
	[RESCH_CHAIN_WCDO] = { "wcdo", "by offsets" },
	[RESCH_CHAIN_WCDO_EXACT] = { "wcdo-exact", "by offsets, all combinations" },
};

static const struct word chain_rules[] = {
	[RESCH_CHAIN_UD] = { "ud", "ultimate deadline" },
	[RESCH_CHAIN_ED] = { "ed", "effective deadline" },
	[RESCH_CHAIN_PD] = { "pd", "proportional deadline" },
	[RESCH_CHAIN_NPD] = { "npd", "normalised proportional deadline" },
	[RESCH_CHAIN_EQS] = { "eqs", "equal slack" },
	[RESCH_CHAIN_EQF] = { "eqf", "equal flexibility" },
	[RESCH_CHAIN_HOPA] = { "hopa", "by what the analysis says of the last try" },
};
/* clang-format on */

enum list {
	KINDS,
	REACTIONS,
	STATES,
	EVENTS,
	ENDS,
	SERVER_KINDS,
	SERVER_POLICIES,
	BALANCE_POLICIES,
	ASSIGN_METHODS,
	CHAIN_PROTOCOLS,
	CHAIN_POLICIES,
	CHAIN_METHODS,
	CHAIN_RULES,
	STAGE_KINDS,
};

#define LIST(what, words)                 \
	{                                 \
		what, words, COUNT(words) \
	}

static const struct {
	const char *what;
	const struct word *words;
	size_t count;
} lists[] = {
	[KINDS] = LIST("kinds", kinds),
	[REACTIONS] = LIST("reactions", reactions),
	[STATES] = LIST("states", states),
	[EVENTS] = LIST("events", events),
	[ENDS] = LIST("ends", ends),
	[SERVER_KINDS] = LIST("server-kinds", server_kinds),
	[SERVER_POLICIES] = LIST("server-policies", server_policies),
	[BALANCE_POLICIES] = LIST("balance-policies", balance_policies),
	[ASSIGN_METHODS] = LIST("assign-methods", assign_methods),
	[CHAIN_PROTOCOLS] = LIST("chain-protocols", chain_protocols),
	[CHAIN_POLICIES] = LIST("chain-policies", chain_policies),
	[CHAIN_METHODS] = LIST("chain-methods", chain_methods),
	[CHAIN_RULES] = LIST("chain-rules", chain_rules),
	[STAGE_KINDS] = LIST("stage-kinds", stage_kinds),
};

static const char *name(enum list list, uint64_t value)
{
	return value < lists[list].count ? lists[list].words[value].name : "?";
}

static int parse(enum list list, const char *text)
{
	size_t i;

	for (i = 0; i < lists[list].count; i++) {
		if (!strcmp(lists[list].words[i].name, text) && *text != '?')
			return (int)i;
	}
	return -EINVAL;
}

/* Return: enum list, or -EINVAL. */
static int list_find(const char *what)
{
	size_t i;

	for (i = 0; i < COUNT(lists); i++) {
		if (!strcmp(lists[i].what, what))
			return (int)i;
	}
	return -EINVAL;
}

int resch_names(const char *what, char *text, size_t size)
{
	int list = list_find(what), length = 0;
	size_t i;

	if (size)
		*text = 0;
	for (i = 0; list >= 0 && i < lists[list].count; i++) {
		size_t used = (size_t)length < size ? (size_t)length : size;
		const char *word = lists[list].words[i].name;

		/* no word for it, as 0 among the events */
		if (*word != '?')
			length += snprintf(size ? text + used : NULL, size - used, "%s%s",
					   length ? ", " : "", word);
	}
	return list < 0 ? list : length;
}

const char *resch_name_of(const char *what, uint64_t value)
{
	int list = list_find(what);

	return list < 0 ? "?" : name((enum list)list, value);
}

int resch_name_parse(const char *what, const char *text)
{
	int list = list_find(what);

	return list < 0 ? list : parse((enum list)list, text);
}

const char *resch_name_about(const char *what, const char *text)
{
	int list = list_find(what), value = list < 0 ? list : parse((enum list)list, text);

	return value < 0 || !lists[list].words[value].about ? "" : lists[list].words[value].about;
}

/* ---- one by one ------------------------------------------------------------------------------ */

const char *resch_kind_name(uint32_t kind)
{
	return name(KINDS, kind);
}

int resch_kind_parse(const char *text)
{
	return parse(KINDS, text);
}

const char *resch_react_name(uint32_t react)
{
	return name(REACTIONS, react);
}

int resch_react_parse(const char *text)
{
	return parse(REACTIONS, text);
}

const char *resch_state_name(uint32_t state)
{
	return name(STATES, state);
}

const char *resch_event_name(uint32_t type)
{
	return name(EVENTS, type);
}

const char *resch_gone_name(uint64_t gone)
{
	return name(ENDS, gone);
}

const char *resch_server_kind_name(uint32_t kind)
{
	return name(SERVER_KINDS, kind);
}

int resch_server_kind_parse(const char *text)
{
	return parse(SERVER_KINDS, text);
}

const char *resch_server_policy_name(uint32_t policy)
{
	return name(SERVER_POLICIES, policy);
}

int resch_server_policy_parse(const char *text)
{
	return parse(SERVER_POLICIES, text);
}

const char *resch_assign_name(uint32_t method)
{
	return name(ASSIGN_METHODS, method);
}

int resch_assign_parse(const char *text)
{
	return parse(ASSIGN_METHODS, text);
}

const char *resch_chain_protocol_name(uint32_t protocol)
{
	return name(CHAIN_PROTOCOLS, protocol);
}

int resch_chain_protocol_parse(const char *text)
{
	return parse(CHAIN_PROTOCOLS, text);
}

const char *resch_chain_method_name(uint32_t method)
{
	return name(CHAIN_METHODS, method);
}

int resch_chain_method_parse(const char *text)
{
	return parse(CHAIN_METHODS, text);
}

const char *resch_chain_rule_name(uint32_t rule)
{
	return name(CHAIN_RULES, rule);
}

int resch_chain_rule_parse(const char *text)
{
	return parse(CHAIN_RULES, text);
}

/* ---- several of them, with commas ------------------------------------------------------------ */

/* The bit of one name of @length bytes, or 0. */
static uint32_t balance_bit(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < COUNT(balance_policies); i++) {
		const char *word = balance_policies[i].name;

		if (strlen(word) == length && !memcmp(word, text, length))
			return 1U << i;
	}
	return 0;
}

int resch_balance_parse(const char *text, uint32_t *policies)
{
	uint32_t sum = 0, bit;
	size_t length;

	if (!strcmp(text, "all") || !strcmp(text, "none")) {
		*policies = *text == 'a' ? RESCH_BALANCE_ALL : 0;
		return 0;
	}
	for (;; text += length + 1) {
		length = strcspn(text, ",");
		bit = balance_bit(text, length);
		if (!bit)
			return -EINVAL;
		sum |= bit;
		if (!text[length])
			break;
	}
	*policies = sum;
	return 0;
}

int resch_balance_format(uint32_t policies, char *text, size_t size)
{
	char all[64] = "none";
	int length = 4;
	size_t i;

	for (i = 0; i < COUNT(balance_policies); i++) {
		if (!(policies >> i & 1))
			continue;
		if (all[0] == 'n')
			length = 0;
		length += snprintf(all + length, sizeof(all) - (size_t)length, "%s%s",
				   length ? "," : "", balance_policies[i].name);
	}
	if (size) {
		size_t fit = (size_t)length < size ? (size_t)length : size - 1;

		memcpy(text, all, fit);
		text[fit] = 0;
	}
	return length;
}
