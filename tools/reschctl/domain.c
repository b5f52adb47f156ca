// SPDX-License-Identifier: GPL-2.0-or-later
/* domain.c - reschctl domain */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

#define OVERHEAD_MAX 999999 /* ns: below 1 ms */

static const char help[] =
	"usage: reschctl domain list [--json]\n"
	"       reschctl domain set CPUS --plugin=NAME[:KEY=VALUE,...] [OPTION...]\n"
	"       reschctl domain set --id=ID [--plugin=NAME[:KEY=VALUE,...]] [OPTION...]\n"
	"       reschctl domain del ID\n"
	"\n"
	"A domain is a set of CPUs under one scheduling plugin. `set` makes one of CPUS (a list: 1,3-5), or changes\n"
	"the one that has exactly these: its tasks and their current jobs go over to the new plugin. Where that\n"
	"refuses them, nothing changes. What is not given stays as it is.\n"
	"\n"
	"  -p, --plugin=NAME[:KEY=VALUE,...]  plugin (loaded as resch-NAME where needed) and its options\n"
	"      --capacity=SHARE    what admission may give away of each CPU: 95%, 0.95 (default: what the kernel\n"
	"                          leaves to real-time tasks)\n"
	"      --overhead=TIME     what each job costs beside its runtime; below 1ms (default: 0)\n"
	"      --guard=WHOM        off, on (others make no system calls on its CPUs), all (and may be lent to them whatever\n"
	"                          their affinity); default: as it is, and for the plugin artis: all. See `guard`\n"
	"      --balance=POLICIES  of a guarded domain: who is sent to its CPUs, see `reschctl balance`\n"
	"      --id=ID             the domain to change\n"
	"  -j, --json              print JSON; times in ns, shares in parts per million\n"
	"  -h, --help              this text\n";

/* As `domain set --guard` has it; "-": a module that knows of no guards. */
static const char *guard_text(int fd, uint32_t domain)
{
	struct resch_guard_stat guard = {};

	if (resch_guard_stat(fd, domain, -1, &guard, NULL))
		return "-";
	if (!guard.flags)
		return "off";
	return guard.flags & RESCH_GUARD_ALL ? "all" : "on";
}

static int list_fill(int fd, struct table *table, struct json_object *list)
{
	static const char *const headings[] = {
		">ID",	      "CPUS",	       "PLUGIN", "OPTIONS", ">CAPACITY",
		">OVERHEAD",  "GUARD",	       ">TASKS", ">SWAPS",  ">DECISIONS",
		">EJECTIONS", "LAST EJECTION", NULL,
	};
	struct resch_domain_stat stat = {};
	struct json_object *domain;
	const char *guard;
	int result;

	table_begin(table, headings);
	while ((result = resch_domain_next(fd, &stat)) > 0) {
		guard = guard_text(fd, stat.domain);
		domain = domain_json(&stat);
		json_add(domain, "guard", json_object_new_string(guard));
		json_object_array_add(list, domain);
		table_add(table, "%u", stat.domain);
		table_add(table, "%s", cpus_text(&stat.cpus));
		table_add(table, "%s", stat.plugin);
		table_add(table, "%s", stat.options[0] ? stat.options : "-");
		table_add(table, "%s", share_text(stat.capacity));
		table_add(table, "%s", time_text(stat.overhead));
		table_add(table, "%s", guard);
		table_add(table, "%u", stat.tasks);
		table_add(table, "%llu", (unsigned long long)stat.swaps);
		table_add(table, "%llu", (unsigned long long)stat.decisions);
		table_add(table, "%u", stat.ejections);
		if (stat.ejections)
			table_add(table, "%s: %s", stat.eject_plugin, stat.eject_reason);
		else
			table_add(table, "-");
	}
	return result;
}

static int domain_list(int argc, char **argv)
{
	static const struct listing listing = {
		"domain",  "domain list", help,
		"domains", list_fill,	  "no domains: `reschctl domain set` makes one"
	};

	return list_run(argc, argv, &listing);
}

/*
 * What stands is the default for what is not given. The domain by its id, else by its exact CPUs.
 */
static int find_standing(int fd, uint32_t id, const struct resch_cpus *cpus,
			 struct resch_domain_stat *found)
{
	struct resch_domain_stat stat = {};
	int result;

	while ((result = resch_domain_next(fd, &stat)) > 0) {
		if (id ? stat.domain == id : !memcmp(&stat.cpus, cpus, sizeof(*cpus))) {
			*found = stat;
			return 1;
		}
	}
	return result;
}

struct set_options {
	const char *plugin, *capacity, *overhead, *balance, *guard, *id;
	bool json;
	/* what the texts say: id, overhead (ns), capacity, balance; 0: not given */
	uint64_t number, time;
	uint32_t share, policies;
};

/* Return: -1: go on at optind; else an exit status. */
static int set_parse(int argc, char **argv, struct set_options *given)
{
	const struct option_row rows[] = {
		{ "plugin", 'p', "plugins", option_text, &given->plugin },
		{ "policy", 0, "plugins", option_text, &given->plugin },
		{ "capacity", 0, "share", option_text, &given->capacity },
		{ "overhead", 0, "time", option_text, &given->overhead },
		{ "balance", 0, "balance-policies", option_text, &given->balance },
		{ "id", 0, "domains", option_text, &given->id },
		{ "guard", 0, ",off,on,all", option_text, &given->guard },
		OPTION_JSON(&given->json),
		{},
	};
	const struct option_table table = { "domain", help, .rows = rows };

	return options_run(argc, argv, &table);
}

/* Return: 0, or -errno after a message. */
static int set_guard(int fd, uint32_t domain, const char *guard)
{
	uint32_t flags = RESCH_GUARD_ON | (strcmp(guard, "all") ? 0 : RESCH_GUARD_ALL);
	int result = resch_guard_set(fd, domain, strcmp(guard, "off") ? flags : 0, NULL);

	if (result == -EINVAL)
		fail("domain %u: not guarded, since no other CPU would be left", domain);
	else if (result)
		fail("domain %u: not guarded: %s", domain, error_text(result));
	return result;
}

/* A guard that came with a plugin stays when that goes: who has not asked for it is told. */
static void tell_guard(int fd, const struct resch_domain_stat *before,
		       const struct resch_domain_set *want)
{
	struct resch_guard_stat guard = {};

	if (!before->domain || !strcmp(before->plugin, want->plugin) ||
	    resch_guard_stat(fd, want->domain, -1, &guard, NULL) || !guard.flags)
		return;
	note("domain %u is still guarded, as under %s: `reschctl guard off %u` ends that",
	     want->domain, before->plugin, want->domain);
}

/* Return: 0, with what is given in @given and @want, or an exit status after a message. */
static int set_read(int argc, char **argv, struct set_options *given, struct resch_domain_set *want)
{
	if (given->id && (number_parse(given->id, UINT32_MAX, &given->number) || !given->number))
		return usage("domain", "--id=%s: ids are numbers from 1", given->id);
	if (optind + !given->number != argc)
		return usage("domain", "domain set takes one list of CPUs, or --id");
	if (!given->number && resch_cpus_parse(argv[optind], &want->cpus) <= 0)
		return usage("domain", "'%s' is no list of CPUs such as 1,3-5", argv[optind]);
	if (given->capacity && share_parse(given->capacity, &given->share))
		return usage("domain", "--capacity=%s: a share is 95%%, 0.95 or 950000",
			     given->capacity);
	if (given->overhead &&
	    (resch_time_parse(given->overhead, &given->time) || given->time > OVERHEAD_MAX))
		return usage("domain", "--overhead=%s: a time below 1ms, such as 10us",
			     given->overhead);
	if (given->plugin && plugin_split(given->plugin, want))
		return EXIT_USAGE;
	if (given->guard && strcmp(given->guard, "off") && strcmp(given->guard, "on") &&
	    strcmp(given->guard, "all"))
		return usage("domain", "--guard=%s: it is off, on or all", given->guard);
	if (given->balance && balance_policies("domain", given->balance, &given->policies))
		return EXIT_USAGE;
	return 0;
}

/* What is not given is as it stands. Return: 0, or an exit status after a message. */
static int set_complete(int fd, const struct set_options *given, struct resch_domain_set *want,
			struct resch_domain_stat *standing)
{
	int result = find_standing(fd, (uint32_t)given->number, &want->cpus, standing);

	if (result < 0)
		return fail("domain set: %s", error_text(result));
	if (!result && given->number)
		return fail("there is no domain %lu: see `reschctl domain list`",
			    (unsigned long)given->number);
	if (!result && !given->plugin)
		return usage("domain", "a new domain needs a --plugin");
	if (result) {
		want->domain = standing->domain;
		want->cpus = (struct resch_cpus){};
		if (!given->plugin) {
			memcpy(want->plugin, standing->plugin, sizeof(want->plugin));
			memcpy(want->options, standing->options, sizeof(want->options));
		}
		want->capacity = standing->capacity;
		want->overhead = standing->overhead;
	}
	if (given->capacity)
		want->capacity = given->share;
	if (given->overhead)
		want->overhead = (uint32_t)given->time;
	return 0;
}

/* Return: 0, or an error after a message. */
static int set_apply(int fd, const struct set_options *given, struct resch_domain_set *want,
		     const struct resch_domain_stat *standing)
{
	int result = domain_apply(fd, want);

	if (!result && given->guard)
		result = set_guard(fd, want->domain, given->guard);
	else if (!result)
		tell_guard(fd, standing, want);
	if (!result && given->balance)
		result = balance_apply(fd, want->domain, given->policies);
	return result;
}

static int domain_set(int argc, char **argv)
{
	struct resch_domain_stat standing = {};
	struct resch_domain_set want = {};
	struct set_options given = {};
	int fd, result;

	result = set_parse(argc, argv, &given);
	if (result >= 0)
		return result;
	result = set_read(argc, argv, &given, &want);
	if (result)
		return result;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = set_complete(fd, &given, &want, &standing);
	if (result)
		goto out;
	result = set_apply(fd, &given, &want, &standing) ? EXIT_FAILED : EXIT_DONE;
	if (!result && given.json && !resch_domain_stat(fd, want.domain, &standing))
		json_show(domain_json(&standing), stdout);
	else if (!result)
		printf("domain %u: %s\n", want.domain, want.plugin);
out:
	close(fd);
	return result;
}

static int domain_del(int argc, char **argv)
{
	int fd, result;
	uint64_t id;
	bool json;

	result = options_plain(argc, argv, "domain", help, "domains", &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage("domain", "domain del takes the id of a domain");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_domain_del(fd, (uint32_t)id);
	close(fd);
	if (result == -EBUSY)
		return fail("domain %lu has tasks: see `reschctl tasks`; end their programs first",
			    (unsigned long)id);
	if (result == -ENODEV || result == -ENOENT)
		return fail("there is no domain %lu: see `reschctl domain list`",
			    (unsigned long)id);
	return result ? fail("domain del: %s", error_text(result)) : EXIT_DONE;
}

int cmd_domain(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "list", domain_list },
		{ "set", domain_set },
		{ "del", domain_del },
		{},
	};

	return action_run(argc, argv, actions, help, "domain list, domain set or domain del");
}
