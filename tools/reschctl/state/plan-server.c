// SPDX-License-Identifier: GPL-2.0-or-later
/* plan-server.c - steps for servers, and for whom they are */
#include "plan.h"

static bool same_place(const struct item *want, const struct item *have)
{
	return !item_differs(want, have, KEY_CPU) && !item_differs(want, have, KEY_CPUS) &&
	       !item_differs(have, want, KEY_CPU) && !item_differs(have, want, KEY_CPUS);
}

struct item *server_match(const struct item *want, struct items *present)
{
	struct item *named = NULL;
	size_t i;

	for (i = 0; i < present->count; i++) {
		struct item *have = &present->list[i];

		if (have->section != SECTION_SERVERS || have->taken)
			continue;
		if (!planning_differs(want, have, PART_SERVER) &&
		    !planning_differs(have, want, PART_SERVER))
			return have;
		if (named)
			continue;
		if (*item_text(want, KEY_NAME) ?
			    item_is(have, KEY_NAME, item_text(want, KEY_NAME)) :
			    item_is(want, KEY_KIND, "linux") && item_is(have, KEY_KIND, "linux") &&
				    same_place(want, have))
			named = have;
	}
	return named;
}

/* What a standing server cannot change. */
static bool needs_another(const struct item *want, const struct item *have)
{
	static const enum key lasting[] = { KEY_KIND, KEY_POLICY, KEY_PLUGIN, KEY_OPTIONS,
					    KEY_RECLAIM };
	size_t i;

	for (i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++) {
		if (item_differs(want, have, lasting[i]) || item_differs(have, want, lasting[i]))
			return true;
	}
	return !same_place(want, have);
}

static int check_place(struct planning *planning, const struct item *want)
{
	struct resch_cpus cpus, domain;
	size_t i;

	item_cpus(want, &cpus);
	for (i = 0; i < planning->present->count; i++) {
		const struct item *have = &planning->present->list[i];

		item_cpus(have, &domain);
		if (have->section == SECTION_DOMAINS && cpus_within(&cpus, &domain))
			return 0;
	}
	return item_bad(want, want->values[KEY_CPUS] ? KEY_CPUS : KEY_CPU,
			"%s: there is no domain with CPU%s %s", item_title(want),
			want->values[KEY_CPUS] ? "s" : "",
			item_text(want, want->values[KEY_CPUS] ? KEY_CPUS : KEY_CPU));
}

/* Before it is removed: to be taken back one by one. */
static int take_holder(struct planning *planning, struct item *have, const struct item *want)
{
	struct item nobody = { .section = SECTION_SERVERS, .file = want->file, .line = want->line };
	int status;

	if (!*item_text(have, KEY_HOLDER))
		return 0;
	if (item_put(&nobody, KEY_HOLDER, "%s", ""))
		return fail("out of memory");
	status = planning_change(planning, PART_HOLDER, have, &nobody);
	item_free(&nobody);
	return status;
}

static int make_server(struct planning *planning, const struct item *want)
{
	struct item fresh;
	int status;

	if (item_copy(&fresh, want))
		return fail("out of memory");
	planning_forget(&fresh, PART_SERVER);
	status = planning_make(planning, PART_SERVER, &fresh);
	item_free(&fresh);
	if (!status &&
	    item_put(&planning->present->list[planning->present->count - 1], KEY_HOLDER, "%s", ""))
		return fail("out of memory");
	return status;
}

static int plan_size(struct planning *planning, const struct item *want)
{
	struct item *have = server_match(want, planning->present);
	int status = check_place(planning, want);

	if (status)
		return status;
	if (have)
		have->taken = true;
	if (have && !needs_another(want, have))
		return planning_differs(want, have, PART_SERVER) ?
			       planning_change(planning, PART_SERVER, have, want) :
			       0;
	if (have) {
		if (have->tasks)
			return item_bad(
				want, -1,
				"%s: server %u:%u has tasks, and another one would have to be made: end "
				"their programs first, see `reschctl tasks`",
				item_title(want), have->domain, have->id);
		status =
			take_holder(planning, have, want) ?:
				planning_step(planning, PART_SERVER, DEED_REMOVE, have, NULL, want);
		item_free(have);
		have->section = NR_SECTIONS;
	}
	return status ?: make_server(planning, want);
}

int planning_server(struct planning *planning, const struct item *want)
{
	struct items *present = planning->present;
	struct item *have = server_match(want, present);
	size_t index = have ? (size_t)(have - present->list) : present->count;
	int status = plan_size(planning, want);

	/* One that was removed is followed by another, at the end. */
	if (!status && have && present->list[index].section == NR_SECTIONS)
		index = present->count - 1;
	have = &present->list[index];
	return status ?:
		       planning_differs(want, have, PART_HOLDER) ?
		       planning_change(planning, PART_HOLDER, have, want) :
		       0;
}
