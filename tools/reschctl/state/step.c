// SPDX-License-Identifier: GPL-2.0-or-later
/* step.c - carry out a step, or its reverse */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guard.h"
#include "server/server.h"
#include "state.h"

/* ---- plugins -------------------------------------------------------------------------------- */

static int do_plugin(const struct machine *machine, const struct step *step)
{
	const struct item *item = step->deed == DEED_REMOVE ? &step->before : &step->after;
	const char *name = item_text(item, KEY_NAME);
	char module[RESCH_NAME_LEN + 8], *at;
	int result;

	if (step->deed != DEED_REMOVE) {
		result = resch_plugin_load(machine->fd, name);
		if (result == -ENOENT)
			return plugin_absent(name);
		return result ? fail("plugin %s: %s", name, error_text(result)) : 0;
	}
	snprintf(module, sizeof(module), "resch_%s", name);
	for (at = module; *at; at++) {
		if (*at == '-')
			*at = '_';
	}
	if (syscall(SYS_delete_module, module, O_NONBLOCK) && errno != ENOENT)
		note("plugin %s stays loaded: %s", name,
		     errno == EWOULDBLOCK || errno == EBUSY ? "it is in use" : strerror(errno));
	return 0;
}

/* ---- domains and their guards --------------------------------------------------------------- */

static int find_domain(int fd, const struct item *item, uint32_t *domain)
{
	struct resch_domain_stat stat;
	struct resch_cpus cpus;
	int result;

	item_cpus(item, &cpus);
	result = present_domain(fd, &cpus, &stat);
	if (result < 0)
		return fail("domain: %s", error_text(result));
	if (!result)
		return fail("there is no domain of CPUs %s any more", item_text(item, KEY_CPUS));
	*domain = (uint32_t)result;
	return 0;
}

static int do_balance(int fd, uint32_t domain, const struct item *item)
{
	uint32_t policies;

	if (!item->values[KEY_BALANCE] || resch_balance_parse(item->values[KEY_BALANCE], &policies))
		return 0;
	return balance_apply(fd, domain, policies) ? EXIT_FAILED : 0;
}

/*
 * Without exempt calls: those that stand, or the default. Without a word on the guard: there was
 * none yet.
 */
static int do_guard(int fd, uint32_t domain, const struct item *item)
{
	struct resch_calls calls = {};
	uint32_t flags = 0;
	int result;

	if (item->values[KEY_GUARD] && !item_is(item, KEY_GUARD, "off"))
		flags |= RESCH_GUARD_ON;
	if (item_is(item, KEY_GUARD, "all"))
		flags |= RESCH_GUARD_ALL;
	if (flags && item_is(item, KEY_MANUAL, "true"))
		flags |= RESCH_GUARD_MANUAL;
	if (item->values[KEY_EXEMPT] && guard_calls_parse(item->values[KEY_EXEMPT], &calls))
		return fail("domain %u: exempt: no such system calls", domain);
	result = resch_guard_set(fd, domain, flags,
				 flags && item->values[KEY_EXEMPT] ? &calls : NULL);
	if (result == -EINVAL)
		return fail(
			"domain %u: not guarded: no CPU would be left unguarded, or a call that makes threads or "
			"programs is to be exempt",
			domain);
	return result ? fail("domain %u: guard: %s", domain, error_text(result)) : 0;
}

/* What a plugin has brought with it goes with it. */
static int restore_guard(int fd, uint32_t domain, const struct item *item)
{
	struct item now = { .section = SECTION_DOMAINS, .domain = domain };
	int status = 0, result = present_guard(fd, &now);

	if (result)
		return fail("domain %u: guard: %s", domain, error_text(result));
	if (item_differs(item, &now, KEY_GUARD) || item_differs(item, &now, KEY_MANUAL) ||
	    item_differs(item, &now, KEY_EXEMPT))
		status = do_guard(fd, domain, item);
	if (!status && item_differs(item, &now, KEY_BALANCE))
		status = do_balance(fd, domain, item);
	item_free(&now);
	return status;
}

static int do_domain(int fd, const struct step *step, bool back)
{
	const struct item *item = step->deed == DEED_REMOVE ? &step->before : &step->after;
	struct resch_domain_set want = { .capacity = item_share(item, KEY_CAPACITY),
					 .overhead = (uint32_t)item_time(item, KEY_OVERHEAD) };
	int status, result;

	if (step->deed != DEED_MAKE) {
		status = find_domain(fd, item, &want.domain);
		if (status)
			return status;
	}
	if (step->deed == DEED_REMOVE) {
		result = resch_domain_del(fd, want.domain);
		if (result == -EBUSY)
			return fail(
				"domain %u has tasks: see `reschctl tasks`; end their programs first",
				want.domain);
		return result ? fail("domain %u: %s", want.domain, error_text(result)) : 0;
	}
	if (step->deed == DEED_MAKE)
		item_cpus(item, &want.cpus);
	snprintf(want.plugin, sizeof(want.plugin), "%s", item_text(item, KEY_PLUGIN));
	snprintf(want.options, sizeof(want.options), "%s", item_text(item, KEY_OPTIONS));
	if (domain_apply(fd, &want))
		return EXIT_FAILED;
	return back && item->values[KEY_GUARD] ? restore_guard(fd, want.domain, item) : 0;
}

static int do_of_guard(int fd, const struct step *step, bool back)
{
	uint32_t domain;
	int status = find_domain(fd, &step->after, &domain);

	if (status)
		return status;
	if (step->part == PART_BALANCE)
		return do_balance(fd, domain, &step->after);
	status = do_guard(fd, domain, &step->after);
	/* One that is raised has all policies; the one that stood may have had fewer. */
	return status ?:
		       back && !item_is(&step->after, KEY_GUARD, "off") ?
		       restore_guard(fd, domain, &step->after) :
		       0;
}

/* ---- servers -------------------------------------------------------------------------------- */

static void given_server(const struct item *item, struct server_given *given)
{
	*given = (struct server_given){
		.params = { .budget = item_time(item, KEY_BUDGET),
			    .period = item_time(item, KEY_PERIOD),
			    .quantum = item_time(item, KEY_QUANTUM),
			    .cpu = -1,
			    .kind = (uint32_t)resch_server_kind_parse(item_text(item, KEY_KIND)),
			    .policy = RESCH_SERVER_PLUGIN },
		.cpu = item->values[KEY_CPU],
		.band = item->values[KEY_CPUS],
	};
	if (item->values[KEY_POLICY])
		given->params.policy =
			(uint32_t)resch_server_policy_parse(item->values[KEY_POLICY]);
	if (item_is(item, KEY_RECLAIM, "true"))
		given->params.flags |= RESCH_SERVER_F_RECLAIM;
	snprintf(given->params.name, sizeof(given->params.name), "%s", item_text(item, KEY_NAME));
	snprintf(given->plugin, sizeof(given->plugin), "%s", item_text(item, KEY_PLUGIN));
	snprintf(given->options, sizeof(given->options), "%s", item_text(item, KEY_OPTIONS));
	if (given->band)
		item_cpus(item, &given->cpus);
	else
		given->params.cpu = atoi(item_text(item, KEY_CPU));
}

static int make_server(int fd, const struct item *item)
{
	struct resch_servers_set servers;
	struct resch_server_set server;
	struct server_given given;

	given_server(item, &given);
	return given.band ? server_band_make(fd, &given, RESCH_SERVER_F_PERSIST, &servers) :
			    server_make(fd, &given, RESCH_SERVER_F_PERSIST, &server);
}

static int resize_server(int fd, const struct item *have, const struct item *item)
{
	struct server_given given;
	struct resch_server_set server;
	struct resch_servers_set servers;
	int result;

	given_server(item, &given);
	given.params.flags |= RESCH_SERVER_F_PERSIST;
	if (given.band) {
		servers = (struct resch_servers_set){ .domain = have->domain,
						      .id = have->id,
						      .params = given.params };
		result = resch_servers_set(fd, &servers);
		if (result)
			return server_explain(result, have->domain, have->id, &servers.verdict);
	} else {
		server = (struct resch_server_set){ .domain = have->domain,
						    .id = have->id,
						    .params = given.params };
		result = resch_server_set(fd, &server);
		if (result)
			return server_explain(result, have->domain, have->id, &server.verdict);
	}
	return 0;
}

static int give_server(int fd, const struct item *item, uint32_t domain, uint32_t id)
{
	struct resch_delegate want = { .domain = domain, .id = id };

	if (holder_parse(item_text(item, KEY_HOLDER), &want.holder, &want.who))
		return fail("there is no %s any more", item_text(item, KEY_HOLDER));
	if (want.holder) {
		want.tasks = (uint32_t)atoi(item_text(item, KEY_TASKS));
		want.priority = (uint32_t)atoi(item_text(item, KEY_TOP_PRIORITY));
		want.rate = (uint32_t)atoi(item_text(item, KEY_RATE));
	}
	return server_give(fd, &want);
}

static int remove_server(int fd, const struct item *have)
{
	int result = have->values[KEY_CPUS] ? resch_servers_del(fd, have->domain, have->id) :
					      resch_server_del(fd, have->domain, have->id);

	if (result == -EBUSY)
		return fail(
			"server %u:%u has tasks: see `reschctl tasks`; end their programs first",
			have->domain, have->id);
	return result ? fail("server %u:%u: %s", have->domain, have->id, error_text(result)) : 0;
}

static int do_server(const struct machine *machine, const struct step *step)
{
	struct items present;
	struct item *have;
	int status;

	if (step->deed == DEED_MAKE)
		return make_server(machine->fd, &step->after);
	/* Its number may have changed since the step was thought out. */
	status = present_read(machine, &present);
	if (!status) {
		have = server_match(&step->before, &present);
		if (!have)
			status = fail("%s has gone", item_title(&step->before));
		else if (step->part == PART_HOLDER)
			status = give_server(machine->fd, &step->after, have->domain, have->id);
		else if (step->deed == DEED_REMOVE)
			status = remove_server(machine->fd, have);
		else
			status = resize_server(machine->fd, have, &step->after);
	}
	items_free(&present);
	return status;
}

/* ---- shields, threads ----------------------------------------------------------------------- */

static int do_shield(const struct machine *machine, const struct step *step)
{
	const struct item *item = step->deed == DEED_REMOVE ? &step->before : &step->after;
	struct shield shield = {};

	item_cpus(item, &shield.cpus);
	if (step->deed == DEED_REMOVE)
		return shield_down(machine->root, &shield.cpus);
	snprintf(shield.keep_irqs, sizeof(shield.keep_irqs), "%s",
		 *item_text(item, KEY_KEEP_IRQ) ? item_text(item, KEY_KEEP_IRQ) : "-");
	snprintf(shield.keep_tasks, sizeof(shield.keep_tasks), "%s",
		 *item_text(item, KEY_KEEP_TASK) ? item_text(item, KEY_KEEP_TASK) : "-");
	snprintf(shield.irqs, sizeof(shield.irqs), "%s",
		 *item_text(item, KEY_IRQ) ? item_text(item, KEY_IRQ) : "-");
	shield.latency = item_is(item, KEY_LATENCY, "true");
	return step->deed == DEED_CHANGE ? shield_change(machine->root, &shield) :
					   shield_up(machine->root, &shield);
}

static int check_guard(int fd, const struct item *item)
{
	uint32_t domain;
	int stands = guard_stands(fd, (uint32_t)atoi(item_text(item, KEY_CPU)), &domain);

	if (stands < 0)
		return fail("%s: %s", item_title(item), error_text(stands));
	return stands ? 0 : fail(LEVEL_UNGUARDED, item_title(item), item_text(item, KEY_CPU));
}

static int do_thread(const struct machine *machine, const struct step *step)
{
	int result;

	if (item_is(&step->after, KEY_UNGUARDED, "false") && check_guard(machine->fd, &step->after))
		return EXIT_FAILED;
	result = thread_make(&step->after);

	/* One that has ended meanwhile is no matter. */
	if (!result || result == -ESRCH)
		return 0;
	if (result == -EINVAL)
		return fail("%s: CPU %s is not there, or not for that thread",
			    item_title(&step->after), item_text(&step->after, KEY_CPU));
	return fail("%s: %s", item_title(&step->after), strerror(-result));
}

static int carry_out(const struct machine *machine, const struct step *step, bool back)
{
	switch (step->part) {
	case PART_PLUGIN:
		return do_plugin(machine, step);
	case PART_DOMAIN:
		return do_domain(machine->fd, step, back);
	case PART_SERVER:
	case PART_HOLDER:
		return do_server(machine, step);
	case PART_SHIELD:
		return do_shield(machine, step);
	case PART_GUARD:
	case PART_BALANCE:
		return do_of_guard(machine->fd, step, back);
	default:
		return do_thread(machine, step);
	}
}

int step_do(const struct machine *machine, const struct step *step)
{
	return carry_out(machine, step, false);
}

/* ---- back ----------------------------------------------------------------------------------- */

/* Is @have what @item says of the part? */
static bool is_so(const struct item *item, const struct item *have, enum part part)
{
	int key;

	for (key = 0; key < NR_KEYS; key++) {
		if (part_has(part, (enum key)key) && item_differs(item, have, (enum key)key))
			return false;
	}
	return true;
}

static struct item *find(const struct step *step, const struct item *item, struct items *present)
{
	struct resch_cpus cpus, theirs;
	size_t i;

	if (step->part == PART_SERVER || step->part == PART_HOLDER)
		return server_match(item, present);
	item_cpus(item, &cpus);
	for (i = 0; i < present->count; i++) {
		struct item *have = &present->list[i];

		if (have->section != item->section)
			continue;
		item_cpus(have, &theirs);
		if (step->part == PART_PLUGIN ? item_is(have, KEY_NAME, item_text(item, KEY_NAME)) :
						cpus_equal(&cpus, &theirs))
			return have;
	}
	return NULL;
}

/* Return: 0: take it back; 1: it was never done; 2: it is somebody else's now. */
static int judge_thread(const struct step *step)
{
	struct item now;
	int result = 0;

	if (item_copy(&now, &step->before) || thread_now(&now))
		result = 2;
	else if (thread_is_at(&now, &step->after))
		result = 0;
	else
		result = item_differs(&step->before, &now, KEY_POLICY) ||
					 item_differs(&step->before, &now, KEY_PRIORITY) ?
				 2 :
				 1;
	item_free(&now);
	return result;
}

static int judge(const struct step *step, struct items *present)
{
	struct item *have;

	if (step->part == PART_THREAD)
		return judge_thread(step);
	have = find(step, step->deed == DEED_REMOVE ? &step->before : &step->after, present);
	switch (step->deed) {
	case DEED_MAKE:
		return have ? 0 : 1;
	case DEED_REMOVE:
		return have && is_so(&step->before, have, step->part) ? 1 : 0;
	default:
		if (!have && step->part == PART_SERVER)
			have = find(step, &step->before, present);
		if (!have)
			return 2;
		/* Some of it may be done, and a plugin brings a guard without being asked. */
		if (is_so(&step->after, have, step->part))
			return 0;
		return is_so(&step->before, have, step->part) ? 1 : 2;
	}
}

/*
 * An undo that was killed between a domain and its guard, or a guard and its balancing, has done
 * the first alone.
 */
static int finish_guard(int fd, const struct step *step)
{
	uint32_t domain;

	if ((step->part != PART_DOMAIN && step->part != PART_GUARD) || step->deed != DEED_CHANGE ||
	    !step->before.values[KEY_GUARD])
		return 0;
	return find_domain(fd, &step->before, &domain) || restore_guard(fd, domain, &step->before) ?
		       -1 :
		       0;
}

int step_undo(const struct machine *machine, const struct step *step, struct step *backwards)
{
	static const enum deed reverse[] = {
		[DEED_MAKE] = DEED_REMOVE, [DEED_CHANGE] = DEED_CHANGE, [DEED_REMOVE] = DEED_MAKE
	};
	struct items present;
	int result;

	if (present_read(machine, &present)) {
		items_free(&present);
		return -1;
	}
	result = judge(step, &present);
	items_free(&present);
	if (result == 1 && finish_guard(machine->fd, step))
		return -1;
	if (result)
		return result;
	*backwards = (struct step){ .part = step->part,
				    .deed = reverse[step->deed],
				    .before = step->after,
				    .after = step->before };
	return carry_out(machine, backwards, true) ? -1 : 0;
}
