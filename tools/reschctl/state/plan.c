// SPDX-License-Identifier: GPL-2.0-or-later
/* plan.c - the steps from the present state to the wanted one */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define HOLDER_KEYS \
	(KEY_BIT(KEY_HOLDER) | KEY_BIT(KEY_TASKS) | KEY_BIT(KEY_TOP_PRIORITY) | KEY_BIT(KEY_RATE))

static const struct {
	const char *word;
	enum section section; /* of its items */
	uint64_t keys; /* that it is about; 0: all of the section */
} parts[NR_PARTS] = {
	[PART_PLUGIN] = { "plugin", SECTION_PLUGINS, 0 },
	[PART_DOMAIN] = { "domain", SECTION_DOMAINS,
			  KEY_BIT(KEY_CPUS) | KEY_BIT(KEY_PLUGIN) | KEY_BIT(KEY_OPTIONS) |
				  KEY_BIT(KEY_CAPACITY) | KEY_BIT(KEY_OVERHEAD) },
	[PART_SERVER] = { "server", SECTION_SERVERS, KEY_BIT(NR_KEYS) - 1 - HOLDER_KEYS },
	[PART_HOLDER] = { "holder", SECTION_SERVERS, HOLDER_KEYS },
	[PART_SHIELD] = { "shield", SECTION_SHIELDS, 0 },
	[PART_GUARD] = { "guard", SECTION_DOMAINS,
			 KEY_BIT(KEY_GUARD) | KEY_BIT(KEY_MANUAL) | KEY_BIT(KEY_EXEMPT) },
	[PART_BALANCE] = { "balance", SECTION_DOMAINS, KEY_BIT(KEY_BALANCE) },
	[PART_THREAD] = { "thread", SECTION_THREADS, 0 },
};

bool part_has(enum part part, enum key key)
{
	return parts[part].keys ? parts[part].keys >> key & 1 :
				  section_has(parts[part].section, key);
}

const char *part_word(enum part part)
{
	return parts[part].word;
}

int planning_step(struct planning *planning, enum part part, enum deed deed,
		  const struct item *before, const struct item *after, const struct item *want)
{
	struct plan *plan = planning->plan;
	struct step *grown = reallocarray(plan->list, plan->count + 1, sizeof(*grown)), *step;

	if (!grown)
		return fail("out of memory");
	plan->list = grown;
	step = &grown[plan->count];
	*step = (struct step){ .part = part, .deed = deed, .file = want->file, .line = want->line };
	step->before.section = step->after.section = parts[part].section;
	if ((before && item_copy(&step->before, before)) ||
	    (after && item_copy(&step->after, after))) {
		item_free(&step->before);
		return fail("out of memory");
	}
	plan->count++;
	return 0;
}

static void forget(struct item *item, const enum key *keys, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(item->values[keys[i]]);
		item->values[keys[i]] = NULL;
	}
}

/* What there is only while CPUs are guarded, and while a server has a holder. */
static void forget_idle(struct item *item)
{
	static const enum key guarded[] = { KEY_MANUAL, KEY_EXEMPT, KEY_BALANCE };
	static const enum key held[] = { KEY_TASKS, KEY_TOP_PRIORITY, KEY_RATE };

	if (item_is(item, KEY_GUARD, "off"))
		forget(item, guarded, sizeof(guarded) / sizeof(guarded[0]));
	if (item_is(item, KEY_HOLDER, ""))
		forget(item, held, sizeof(held) / sizeof(held[0]));
}

/* @have with what @want says of the part. */
static int merge(struct item *to, const struct item *have, const struct item *want, enum part part)
{
	int key;

	if (item_copy(to, have))
		return fail("out of memory");
	for (key = 0; key < NR_KEYS; key++) {
		if (want->values[key] && part_has(part, (enum key)key) &&
		    item_put(to, (enum key)key, "%s", want->values[key])) {
			item_free(to);
			return fail("out of memory");
		}
	}
	forget_idle(to);
	return 0;
}

bool planning_differs(const struct item *want, const struct item *have, enum part part)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (part_has(part, (enum key)key) && item_differs(want, have, (enum key)key))
			return true;
	}
	return false;
}

int planning_change(struct planning *planning, enum part part, struct item *have,
		    const struct item *want)
{
	struct item after;
	int status = merge(&after, have, want, part);

	if (status)
		return status;
	status = planning_step(planning, part, DEED_CHANGE, have, &after, want);
	if (status) {
		item_free(&after);
		return status;
	}
	item_free(have);
	*have = after;
	return 0;
}

int planning_make(struct planning *planning, enum part part, const struct item *want)
{
	struct item *have;
	int status = planning_step(planning, part, DEED_MAKE, NULL, want, want);

	if (status)
		return status;
	have = items_add(planning->present, want->section);
	if (!have || item_copy(have, want))
		return fail("out of memory");
	have->taken = true;
	return 0;
}

/* ---- plugins, domains ----------------------------------------------------------------------- */

static int need_plugin(struct planning *planning, const char *name, const struct item *want)
{
	struct item item = { .section = SECTION_PLUGINS, .file = want->file, .line = want->line };
	size_t i;
	int status;

	for (i = 0; i < planning->present->count; i++) {
		const struct item *have = &planning->present->list[i];

		if (have->section == SECTION_PLUGINS && item_is(have, KEY_NAME, name))
			return 0;
	}
	if (item_put(&item, KEY_NAME, "%s", name))
		return fail("out of memory");
	status = planning_make(planning, PART_PLUGIN, &item);
	item_free(&item);
	return status;
}

/* Those that are asked for, and those that others need. */
static int plan_plugins(struct planning *planning, const struct item *want)
{
	if (want->section == SECTION_PLUGINS)
		return need_plugin(planning, item_text(want, KEY_NAME), want);
	if ((want->section == SECTION_DOMAINS || want->section == SECTION_SERVERS) &&
	    want->values[KEY_PLUGIN])
		return need_plugin(planning, want->values[KEY_PLUGIN], want);
	return 0;
}

/*
 * The one of that section with exactly these CPUs. NULL: there is none; *@other has one of them, or
 * is NULL
 */
static struct item *find_cpus(struct items *present, enum section section,
			      const struct resch_cpus *cpus, struct item **other)
{
	struct resch_cpus theirs;
	size_t i;

	*other = NULL;
	for (i = 0; i < present->count; i++) {
		struct item *have = &present->list[i];

		if (have->section != section)
			continue;
		item_cpus(have, &theirs);
		if (cpus_equal(cpus, &theirs))
			return have;
		if (cpus_overlap(cpus, &theirs))
			*other = have;
	}
	return NULL;
}

void planning_forget(struct item *item, enum part part)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (!part_has(part, (enum key)key)) {
			free(item->values[key]);
			item->values[key] = NULL;
		}
	}
}

static int change_domain(struct planning *planning, struct item *have, const struct item *want)
{
	bool plugin = item_differs(want, have, KEY_PLUGIN);
	int status;

	if (!planning_differs(want, have, PART_DOMAIN))
		return 0;
	status = planning_change(planning, PART_DOMAIN, have, want);
	if (!status && plugin)
		planning_forget(have, PART_DOMAIN);
	return status;
}

static int plan_domain(struct planning *planning, const struct item *want)
{
	struct item *have, *other, fresh;
	struct resch_cpus cpus;
	int status;

	item_cpus(want, &cpus);
	have = find_cpus(planning->present, SECTION_DOMAINS, &cpus, &other);
	if (have)
		return change_domain(planning, have, want);
	if (other && other->domain)
		return item_bad(
			want, KEY_CPUS,
			"domain %u has a CPU of that, and is of CPUs %s: `reschctl domain del %u` first",
			other->domain, item_text(other, KEY_CPUS), other->domain);
	if (item_copy(&fresh, want))
		return fail("out of memory");
	planning_forget(&fresh, PART_DOMAIN);
	status = planning_make(planning, PART_DOMAIN, &fresh);
	item_free(&fresh);
	return status;
}

/* ---- shields, guards, balancing ------------------------------------------------------------- */

static int plan_shield(struct planning *planning, const struct item *want)
{
	struct item *have, *other;
	struct resch_cpus cpus;

	item_cpus(want, &cpus);
	have = find_cpus(planning->present, SECTION_SHIELDS, &cpus, &other);
	if (!have && other)
		return item_bad(
			want, KEY_CPUS,
			"CPUs %s are shielded already: `reschctl unshield %s` gives them back",
			item_text(other, KEY_CPUS), item_text(other, KEY_CPUS));
	if (!have)
		return planning_make(planning, PART_SHIELD, want);
	return planning_differs(want, have, PART_SHIELD) ?
		       planning_change(planning, PART_SHIELD, have, want) :
		       0;
}

static int plan_of_guard(struct planning *planning, const struct item *want, enum part part)
{
	struct item *have, *other;
	struct resch_cpus cpus;

	item_cpus(want, &cpus);
	have = find_cpus(planning->present, SECTION_DOMAINS, &cpus, &other);
	return have && planning_differs(want, have, part) ?
		       planning_change(planning, part, have, want) :
		       0;
}

/* ---- levels --------------------------------------------------------------------------------- */

/*
 * All CPUs that no guard and no shield has. Who may use these is to get all when its level is
 * taken back: those two
 * take off again what is theirs, and know what to give back when they end.
 */
static void free_cpus(const struct items *present, struct resch_cpus *cpus, bool *some)
{
	struct resch_cpus theirs;
	char text[VALUE_MAX];
	size_t i;

	*some = false;
	if (read_text("/sys/devices/system/cpu/online", text, sizeof(text)) <= 0 ||
	    resch_cpus_parse(text, cpus) <= 0)
		return;
	for (i = 0; i < present->count; i++) {
		const struct item *have = &present->list[i];

		if (have->section != SECTION_SHIELDS &&
		    (have->section != SECTION_DOMAINS || !have->values[KEY_GUARD] ||
		     item_is(have, KEY_GUARD, "off")))
			continue;
		item_cpus(have, &theirs);
		cpus_subtract(cpus, &theirs);
		*some = true;
	}
}

static int plan_thread(struct planning *planning, const struct item *want, struct item *thread,
		       const struct resch_cpus *free)
{
	static const enum key of_levels[] = { KEY_LEVEL, KEY_CPU, KEY_POLICY, KEY_PRIORITY,
					      KEY_UNGUARDED };
	struct resch_cpus cpus;
	struct item after = { .section = SECTION_THREADS };
	size_t i;
	int status;

	item_cpus(thread, &cpus);
	if (free && cpus_within(free, &cpus) &&
	    item_put(thread, KEY_CPUS, "0-%d", RESCH_CPUS_MAX - 1))
		return fail("out of memory");
	if (item_put(&after, KEY_ID, "%s", item_text(thread, KEY_ID)) ||
	    item_put(&after, KEY_START, "%s", item_text(thread, KEY_START)) ||
	    item_put(&after, KEY_NAME, "%s", item_text(thread, KEY_NAME))) {
		item_free(&after);
		return fail("out of memory");
	}
	for (i = 0; i < sizeof(of_levels) / sizeof(of_levels[0]); i++) {
		if (want->values[of_levels[i]] &&
		    item_put(&after, of_levels[i], "%s", want->values[of_levels[i]])) {
			item_free(&after);
			return fail("out of memory");
		}
	}
	status = planning_step(planning, PART_THREAD, DEED_CHANGE, thread, &after, want);
	item_free(&after);
	return status;
}

/* Whether a new plugin has brought a guard is seen when it is the turn of the level. */
static bool may_be_guarded(const struct items *present, const struct item *level)
{
	struct resch_cpus cpu, domain;
	size_t i;

	item_cpus(level, &cpu);
	for (i = 0; i < present->count; i++) {
		item_cpus(&present->list[i], &domain);
		if (present->list[i].section == SECTION_DOMAINS && cpus_within(&cpu, &domain))
			return !item_is(&present->list[i], KEY_GUARD, "off");
	}
	return false;
}

static int plan_level(struct planning *planning, const struct item *want,
		      const struct items *before)
{
	struct resch_cpus free;
	struct items threads;
	int status = 0, found;
	bool some;
	size_t i;

	if (item_is(want, KEY_UNGUARDED, "false") && !may_be_guarded(planning->present, want))
		return item_bad(want, KEY_CPU, LEVEL_UNGUARDED, item_title(want),
				item_text(want, KEY_CPU));
	found = thread_items(want, &threads);

	free_cpus(before, &free, &some);
	if (found < 0)
		status = found == -EBUSY ? item_bad(want, -1, "%s: it is under SCHED_DEADLINE",
						    item_title(want)) :
					   fail("%s: %s", item_title(want), strerror(-found));
	if (!found)
		note("%s:%u: %s: it does not run: apply again when it does", want->file, want->line,
		     item_title(want));
	for (i = 0; !status && i < threads.count; i++) {
		if (!thread_is_at(&threads.list[i], want))
			status = plan_thread(planning, want, &threads.list[i], some ? &free : NULL);
	}
	items_free(&threads);
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int plan_part(struct planning *planning, enum part part, const struct item *want,
		     const struct items *before)
{
	if (part == PART_PLUGIN)
		return plan_plugins(planning, want);
	if (parts[part].section != want->section &&
	    !(part == PART_THREAD && want->section == SECTION_LEVELS))
		return 0;
	switch (part) {
	case PART_DOMAIN:
		return plan_domain(planning, want);
	case PART_SERVER:
		return planning_server(planning, want);
	case PART_HOLDER: /* has come with its server */
		return 0;
	case PART_SHIELD:
		return plan_shield(planning, want);
	case PART_GUARD:
	case PART_BALANCE:
		return plan_of_guard(planning, want, part);
	default:
		return plan_level(planning, want, before);
	}
}

static int copy_items(struct items *to, const struct items *from)
{
	struct item *item;
	size_t i;

	*to = (struct items){};
	for (i = 0; i < from->count; i++) {
		item = items_add(to, from->list[i].section);
		if (!item || item_copy(item, &from->list[i]))
			return fail("out of memory");
	}
	return 0;
}

int plan_make(const struct items *wanted, const char *file, struct items *present,
	      struct plan *plan)
{
	struct planning planning = { wanted, file, present, plan };
	struct items before;
	int part, status = copy_items(&before, present);
	size_t i;

	*plan = (struct plan){};
	for (part = 0; part < NR_PARTS; part++) {
		for (i = 0; !status && i < wanted->count; i++) {
			if (!file || wanted->list[i].file == file)
				status = plan_part(&planning, (enum part)part, &wanted->list[i],
						   &before);
		}
	}
	items_free(&before);
	return status;
}

void plan_free(struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		step_free(&plan->list[i]);
	free(plan->list);
	*plan = (struct plan){};
}
