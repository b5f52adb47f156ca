// SPDX-License-Identifier: GPL-2.0-or-later
/* present.c - the present state, as items */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "server/server.h"
#include "state.h"

static int put_cpus(struct item *item, enum key key, const struct resch_cpus *cpus)
{
	char text[VALUE_MAX];

	resch_cpus_format(cpus, text, sizeof(text));
	return item_put(item, key, "%s", text);
}

int present_domain(int fd, const struct resch_cpus *cpus, struct resch_domain_stat *stat)
{
	int result;

	*stat = (struct resch_domain_stat){};
	while ((result = resch_domain_next(fd, stat)) > 0) {
		if (cpus_equal(&stat->cpus, cpus))
			return (int)stat->domain;
	}
	return result;
}

/* ---- plugins, domains ----------------------------------------------------------------------- */

static int read_plugins(int fd, struct items *items)
{
	struct resch_plugin_stat stat;
	struct item *item;
	uint32_t i;
	int result;

	for (i = 0; !(result = resch_plugin_stat(fd, i, &stat)); i++) {
		item = items_add(items, SECTION_PLUGINS);
		if (!item || item_put(item, KEY_NAME, "%.*s", RESCH_NAME_LEN, stat.name))
			return -ENOMEM;
	}
	return result == -ENOENT ? 0 : result;
}

int present_guard(int fd, struct item *domain)
{
	struct resch_balance_stat balance;
	struct resch_guard_stat guard;
	char text[VALUE_MAX];
	int result = resch_guard_stat(fd, domain->domain, -1, &guard, NULL);

	if (result)
		return result;
	if (!guard.flags)
		return item_put(domain, KEY_GUARD, "off");
	result = guard_calls_format(&guard.exempt, text, sizeof(text));
	if (!result)
		result = item_put(domain, KEY_EXEMPT, "%s", text);
	if (!result)
		result = item_put(domain, KEY_GUARD, guard.flags & RESCH_GUARD_ALL ? "all" : "on");
	if (!result)
		result = item_put(domain, KEY_MANUAL,
				  guard.flags & RESCH_GUARD_MANUAL ? "true" : "false");
	if (!result)
		result = resch_balance_stat(fd, domain->domain, -1, &balance);
	if (result)
		return result;
	resch_balance_format(balance.policies, text, sizeof(text));
	return item_put(domain, KEY_BALANCE, "%s", text);
}

static int read_domains(int fd, struct items *items)
{
	struct resch_domain_stat stat = {};
	struct item *item;
	const char *why;
	int result;

	while ((result = resch_domain_next(fd, &stat)) > 0) {
		item = items_add(items, SECTION_DOMAINS);
		if (!item)
			return -ENOMEM;
		item->domain = stat.domain;
		item->tasks = stat.tasks;
		if (put_cpus(item, KEY_CPUS, &stat.cpus) ||
		    item_put(item, KEY_PLUGIN, "%.*s", RESCH_NAME_LEN, stat.plugin) ||
		    item_put(item, KEY_OPTIONS, "%.*s", RESCH_OPTIONS_LEN, stat.options) ||
		    item_put(item, KEY_OVERHEAD, "%uns", stat.overhead) ||
		    item_put(item, KEY_CAPACITY, "%u", stat.capacity) ||
		    item_take(item, KEY_OVERHEAD, time_text(stat.overhead), &why) ||
		    item_take(item, KEY_CAPACITY, item_text(item, KEY_CAPACITY), &why))
			return -ENOMEM;
		result = present_guard(fd, item);
		if (result && result != -ENODEV)
			return result;
	}
	return result;
}

/* ---- servers -------------------------------------------------------------------------------- */

static int put_holder(struct item *item, const struct resch_server_stat *stat)
{
	char text[HOLDER_TEXT];

	holder_format(stat->holder, stat->who, text, sizeof(text));
	if (item_put(item, KEY_HOLDER, "%s", text))
		return -ENOMEM;
	if (!stat->holder)
		return 0;
	return item_put(item, KEY_TASKS, "%u", stat->holder_tasks) ||
			       item_put(item, KEY_TOP_PRIORITY, "%u", stat->holder_priority) ||
			       item_put(item, KEY_RATE, "%u", stat->holder_rate) ?
		       -ENOMEM :
		       0;
}

static int put_server(struct item *item, const struct resch_server_stat *stat)
{
	const struct resch_server_params *params = &stat->params;
	bool plugin = params->policy == RESCH_SERVER_PLUGIN;

	item->domain = stat->domain;
	item->id = stat->band ?: stat->id;
	if (item_put(item, KEY_NAME, "%.*s", RESCH_NAME_LEN, params->name) ||
	    item_put(item, KEY_KIND, "%s", resch_server_kind_name(params->kind)) ||
	    item_put(item, KEY_BUDGET, "%s", time_text(params->budget)) ||
	    item_put(item, KEY_PERIOD, "%s", time_text(params->period)) ||
	    item_put(item, KEY_RECLAIM, params->flags & RESCH_SERVER_F_RECLAIM ? "true" : "false"))
		return -ENOMEM;
	if (plugin ? item_put(item, KEY_PLUGIN, "%.*s", RESCH_NAME_LEN, stat->plugin) ||
			     item_put(item, KEY_OPTIONS, "%.*s", RESCH_OPTIONS_LEN, stat->options) :
		     item_put(item, KEY_POLICY, "%s", resch_server_policy_name(params->policy)))
		return -ENOMEM;
	if (params->policy == RESCH_SERVER_RR &&
	    item_put(item, KEY_QUANTUM, "%s", time_text(params->quantum)))
		return -ENOMEM;
	return put_holder(item, stat);
}

/* The item that the others of a band are; NULL: it is the first one. */
static struct item *set_item(struct items *items, const struct resch_server_stat *stat)
{
	size_t i;

	for (i = 0; stat->band && i < items->count; i++) {
		struct item *item = &items->list[i];

		if (item->section == SECTION_SERVERS && item->domain == stat->domain &&
		    item->values[KEY_CPUS] && item->id == stat->band)
			return item;
	}
	return NULL;
}

/* Those that stay: others are programs' own, and go with them. */
static int read_servers(int fd, struct items *items)
{
	struct resch_domain_stat domain = {};
	int result;

	while ((result = resch_domain_next(fd, &domain)) > 0) {
		struct resch_server_stat stat = { .domain = domain.domain };

		while ((result = resch_server_next(fd, &stat)) > 0) {
			struct item *item = set_item(items, &stat);
			struct resch_cpus cpus = {};

			if (!(stat.params.flags & RESCH_SERVER_F_PERSIST))
				continue;
			if (item) {
				item_cpus(item, &cpus);
			} else {
				item = items_add(items, SECTION_SERVERS);
				if (!item || put_server(item, &stat))
					return -ENOMEM;
			}
			item->tasks += stat.tasks;
			resch_cpus_add(&cpus, (unsigned int)stat.params.cpu);
			if (put_cpus(item, stat.band ? KEY_CPUS : KEY_CPU, &cpus))
				return -ENOMEM;
		}
		/* -ENODEV: the domain has gone meanwhile; -EOPNOTSUPP: it has no servers */
		if (result < 0 && result != -ENODEV && result != -EOPNOTSUPP)
			return result;
	}
	return result;
}

/* ---- shields -------------------------------------------------------------------------------- */

static int put_shield(struct items *items, const struct shield *shield)
{
	struct item *item = items_add(items, SECTION_SHIELDS);

	if (!item || put_cpus(item, KEY_CPUS, &shield->cpus) ||
	    item_put(item, KEY_KEEP_IRQ, "%s",
		     strcmp(shield->keep_irqs, "-") ? shield->keep_irqs : "") ||
	    item_put(item, KEY_KEEP_TASK, "%s",
		     strcmp(shield->keep_tasks, "-") ? shield->keep_tasks : "") ||
	    item_put(item, KEY_IRQ, "%s", strcmp(shield->irqs, "-") ? shield->irqs : "") ||
	    item_put(item, KEY_LATENCY, "%s", shield->latency ? "true" : "false"))
		return -ENOMEM;
	return 0;
}

/* One without its keeper does not keep anybody off any more: the next `shield` takes it down. */
static int read_shields(const char *root, struct items *items)
{
	struct state *state = malloc(sizeof(*state));
	int result;
	size_t i;

	if (!state)
		return -ENOMEM;
	result = state_open(state, root, false);
	for (i = 0; !result && i < state->nr_shields && state_holder(state, "keeper"); i++) {
		if (state->shields[i].phase == SHIELD_STANDS)
			result = put_shield(items, &state->shields[i]);
	}
	state_close(state);
	free(state);
	return result;
}

int present_read(const struct machine *machine, struct items *items)
{
	int result = 0;

	*items = (struct items){};
	if (machine->fd >= 0) {
		result = read_plugins(machine->fd, items);
		if (!result)
			result = read_domains(machine->fd, items);
		if (!result)
			result = read_servers(machine->fd, items);
	}
	if (result)
		return fail("the present state cannot be read: %s", error_text(result));
	result = read_shields(machine->root, items);
	return result ? fail("the shields' journal cannot be read: %s", strerror(-result)) : 0;
}
