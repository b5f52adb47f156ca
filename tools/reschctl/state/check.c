// SPDX-License-Identifier: GPL-2.0-or-later
/* check.c - does what is wanted agree with itself? And the defaults */
#include <stdarg.h>
#include <string.h>

#include "server/server.h"
#include "state.h"
#include "words.h"

int item_bad(const struct item *item, int key, const char *format, ...)
{
	unsigned int line = key >= 0 && item->lines[key] ? item->lines[key] : item->line;
	va_list arguments;
	int status;

	va_start(arguments, format);
	status = file_bad(item->file, line, format, arguments);
	va_end(arguments);
	return status;
}

static int missing(const struct item *item, enum key key)
{
	return item_bad(item, -1, "%s: %s is missing", item_title(item), key_word(key));
}

/* Return: 0 or -ENOMEM. */
static int standard(struct item *item, enum key key, const char *text)
{
	return item->values[key] ? 0 : item_put(item, key, "%s", text);
}

static int check_domain(struct item *item)
{
	static const enum key guarded[] = { KEY_MANUAL, KEY_EXEMPT, KEY_BALANCE };
	size_t i;

	if (!item->values[KEY_CPUS])
		return missing(item, KEY_CPUS);
	if (!item->values[KEY_PLUGIN])
		return missing(item, KEY_PLUGIN);
	for (i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
		if (item->values[guarded[i]] && item_is(item, KEY_GUARD, "off"))
			return item_bad(item, (int)guarded[i],
					"%s is for guarded CPUs, and guard is off",
					key_word(guarded[i]));
	}
	if (item->values[KEY_MANUAL] && !item->values[KEY_GUARD])
		return item_bad(item, KEY_MANUAL, "manual is for a guard: guard: on");
	if (standard(item, KEY_OPTIONS, "") ||
	    (item->values[KEY_GUARD] && !item_is(item, KEY_GUARD, "off") &&
	     standard(item, KEY_MANUAL, "false")))
		return fail("out of memory");
	return 0;
}

/* Return: 0, or an exit status after a message. */
static int check_holder(struct item *item)
{
	static const enum key ceilings[] = { KEY_TASKS, KEY_TOP_PRIORITY, KEY_RATE };
	size_t i;

	for (i = 0; !*item_text(item, KEY_HOLDER) && i < sizeof(ceilings) / sizeof(*ceilings);
	     i++) {
		if (item->values[ceilings[i]])
			return item_bad(item, ceilings[i], "%s is for a holder: whom?",
					key_word(ceilings[i]));
	}
	if (!*item_text(item, KEY_HOLDER))
		return 0;
	if (item_is(item, KEY_KIND, resch_server_kind_name(RESCH_SERVER_LINUX)))
		return item_bad(item, KEY_HOLDER, "the rest of Linux has no holder");
	return standard(item, KEY_TASKS, HOLDER_TASKS) || standard(item, KEY_TOP_PRIORITY, "0") ||
			       standard(item, KEY_RATE, HOLDER_RATE) ?
		       fail("out of memory") :
		       0;
}

static int check_server(struct item *item)
{
	char words[WORDS_TEXT + 64];

	if (!item->values[KEY_CPU] == !item->values[KEY_CPUS])
		return item_bad(item, -1,
				"%s: either cpu, or cpus for a band of servers, one on each",
				item_title(item));
	if (!item->values[KEY_BUDGET] || !item->values[KEY_PERIOD])
		return missing(item, item->values[KEY_BUDGET] ? KEY_PERIOD : KEY_BUDGET);
	if (item_time(item, KEY_BUDGET) > item_time(item, KEY_PERIOD))
		return item_bad(item, KEY_BUDGET, "the budget, %s, is longer than the period, %s",
				item_text(item, KEY_BUDGET), item_text(item, KEY_PERIOD));
	if (item->values[KEY_PLUGIN] && item->values[KEY_POLICY])
		return item_bad(item, KEY_POLICY,
				"either policy or plugin orders the tasks of a server");
	if (item->values[KEY_OPTIONS] && !item->values[KEY_PLUGIN])
		return item_bad(item, KEY_OPTIONS, "options are those of a plugin: which?");
	if (item->values[KEY_POLICY] && resch_server_policy_parse(item->values[KEY_POLICY]) < 0) {
		words_refusal("server-policies", words, sizeof(words));
		return item_bad(item, KEY_POLICY, "policy: '%s': %s", item->values[KEY_POLICY],
				words);
	}
	if (standard(item, KEY_NAME, "") ||
	    standard(item, KEY_KIND, resch_server_kind_name(RESCH_SERVER_CBS_HARD)) ||
	    standard(item, KEY_RECLAIM, "false") ||
	    (item->values[KEY_PLUGIN] ?
		     standard(item, KEY_OPTIONS, "") :
		     standard(item, KEY_POLICY, resch_server_policy_name(RESCH_SERVER_EDF))))
		return fail("out of memory");
	if (check_holder(item))
		return EXIT_USAGE;
	if (!item_is(item, KEY_POLICY, resch_server_policy_name(RESCH_SERVER_RR)))
		return item->values[KEY_QUANTUM] ?
			       item_bad(item, KEY_QUANTUM, "quantum is for the policy rr") :
			       0;
	return standard(item, KEY_QUANTUM, time_text(SERVER_QUANTUM)) ? fail("out of memory") : 0;
}

static int check_shield(struct item *item)
{
	if (!item->values[KEY_CPUS])
		return missing(item, KEY_CPUS);
	return standard(item, KEY_KEEP_IRQ, "") || standard(item, KEY_KEEP_TASK, "") ||
			       standard(item, KEY_LATENCY, "false") || standard(item, KEY_IRQ, "") ?
		       fail("out of memory") :
		       0;
}

static int check_level(struct item *item)
{
	bool rt1;

	if (!item->values[KEY_PROGRAM])
		return missing(item, KEY_PROGRAM);
	if (!item->values[KEY_LEVEL])
		return missing(item, KEY_LEVEL);
	rt1 = item_level(item) == LEVEL_RT1;
	if (item_level(item) == LEVEL_RT0 && !item->values[KEY_CPU])
		return item_bad(item, KEY_LEVEL, "rt0 on which CPU? cpu: N");
	if (item_level(item) != LEVEL_RT0 && item->values[KEY_CPU])
		return item_bad(item, KEY_CPU, "cpu is for rt0");
	if (item_level(item) != LEVEL_RT0 && item->values[KEY_UNGUARDED])
		return item_bad(item, KEY_UNGUARDED, "unguarded is for rt0");
	if (!rt1 && (item->values[KEY_POLICY] || item->values[KEY_PRIORITY]))
		return item_bad(item, item->values[KEY_POLICY] ? KEY_POLICY : KEY_PRIORITY,
				"policy and priority are for rt1");
	if (item->values[KEY_POLICY] && item_class(item) != SCHED_FIFO &&
	    item_class(item) != SCHED_RR)
		return item_bad(item, KEY_POLICY, "policy: '%s': it is %s or %s",
				item->values[KEY_POLICY], class_word(SCHED_FIFO),
				class_word(SCHED_RR));
	if (item_is(item, KEY_PRIORITY, "0") || item_is(item, KEY_PRIORITY, "99"))
		return item_bad(item, KEY_PRIORITY, "priority: '%s': it is 1 to 98",
				item->values[KEY_PRIORITY]);
	if (standard(item, KEY_THREADS, "false") ||
	    (item_level(item) == LEVEL_RT0 && standard(item, KEY_UNGUARDED, "false")) ||
	    (rt1 && (standard(item, KEY_POLICY, class_word(SCHED_FIFO)) ||
		     standard(item, KEY_PRIORITY, "50"))))
		return fail("out of memory");
	return 0;
}

/* What both can't be. NULL: they can. */
static const char *clash(const struct item *one, const struct item *other)
{
	struct resch_cpus cpus, more;

	if (one->section != other->section)
		return NULL;
	item_cpus(one, &cpus);
	item_cpus(other, &more);
	switch (one->section) {
	case SECTION_DOMAINS:
	case SECTION_SHIELDS:
		return cpus_overlap(&cpus, &more) ? "has a CPU of that" : NULL;
	case SECTION_SERVERS:
		if (*item_text(one, KEY_NAME) && item_is(one, KEY_NAME, item_text(other, KEY_NAME)))
			return "has that name: each server has one of its own";
		if (item_is(one, KEY_KIND, "linux") && item_is(other, KEY_KIND, "linux") &&
		    cpus_overlap(&cpus, &more))
			return "is for a CPU of that: the rest of Linux has one server a CPU";
		return NULL;
	case SECTION_LEVELS:
		return item_is(one, KEY_PROGRAM, item_text(other, KEY_PROGRAM)) ?
			       "is of the same program" :
			       NULL;
	default:
		return NULL;
	}
}

int items_check(struct items *items)
{
	const char *why;
	int status = 0;
	size_t i, j;

	for (i = 0; !status && i < items->count; i++) {
		struct item *item = &items->list[i];

		switch (item->section) {
		case SECTION_PLUGINS:
			status = *item_text(item, KEY_NAME) ? 0 : missing(item, KEY_NAME);
			break;
		case SECTION_DOMAINS:
			status = check_domain(item);
			break;
		case SECTION_SERVERS:
			status = check_server(item);
			break;
		case SECTION_SHIELDS:
			status = check_shield(item);
			break;
		default:
			status = check_level(item);
		}
		for (j = 0; !status && j < i; j++) {
			why = clash(item, &items->list[j]);
			if (why)
				status = item_bad(item, -1, "%s: %s:%u %s", item_title(item),
						  items->list[j].file, items->list[j].line, why);
		}
	}
	return status;
}
