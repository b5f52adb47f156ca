// SPDX-License-Identifier: GPL-2.0-or-later
/* balance.c - reschctl balance */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"
#include "words.h"

static const char help[] =
	"usage: reschctl balance list [--json]\n"
	"       reschctl balance set DOMAIN POLICIES\n"
	"\n"
	"Where a domain is guarded, other threads may use its CPUs in user mode; which of them are sent there is a\n"
	"matter of policies. `list` shows for each guarded CPU what the balancing sees and has done, `set` changes the\n"
	"policies of a domain.\n"
	"\n"
	"  POLICIES                all (default), none, or some, with commas; several guards: what they have in common\n"
	"                          is in force\n"
	"                          @balance-policies?@\n"
	"  -j, --json              print JSON; shares in parts per million\n"
	"  -h, --help              this text\n";

static const char *policies_text(uint32_t policies)
{
	static char text[64];

	resch_balance_format(policies, text, sizeof(text));
	return text;
}

static struct json_object *balance_json(const struct resch_balance_stat *stat)
{
	struct json_object *cpu = json_object_new_object();

	json_add(cpu, "domain", json_object_new_int64(stat->domain));
	json_add(cpu, "cpu", json_object_new_int(stat->cpu));
	json_add_text(cpu, "policies", policies_text(stat->policies));
	json_add_text(cpu, "in_force", policies_text(stat->in_force));
	json_add(cpu, "share", json_object_new_int64(stat->share));
	json_add(cpu, "share_rt0", json_object_new_int64(stat->share_rt0));
	json_add(cpu, "ordinary", json_object_new_int64(stat->ordinary));
	json_add(cpu, "realtime", json_object_new_int64(stat->realtime));
	json_add(cpu, "to_load", json_object_new_int64((int64_t)stat->to_load));
	json_add(cpu, "to_home", json_object_new_int64((int64_t)stat->to_home));
	json_add(cpu, "from_load", json_object_new_int64((int64_t)stat->from_load));
	json_add(cpu, "pushed", json_object_new_int64((int64_t)stat->pushed));
	json_add(cpu, "kept", json_object_new_int64((int64_t)stat->kept));
	return cpu;
}

static void list_add(struct table *table, const struct resch_balance_stat *stat)
{
	table_add(table, "%u", stat->domain);
	table_add(table, "%d", stat->cpu);
	table_add(table, "%s", policies_text(stat->in_force));
	table_add(table, "%.1f%%", stat->share / 1e4);
	table_add(table, "%.1f%%", stat->share_rt0 / 1e4);
	table_add(table, "%u", stat->ordinary);
	table_add(table, "%u", stat->realtime);
	table_add(table, "%llu", (unsigned long long)stat->to_load);
	table_add(table, "%llu", (unsigned long long)stat->to_home);
	table_add(table, "%llu", (unsigned long long)stat->from_load);
	table_add(table, "%llu", (unsigned long long)stat->pushed);
	table_add(table, "%llu", (unsigned long long)stat->kept);
}

/* The CPUs of the guarded domains. */
static int list_fill(int fd, struct table *table, struct json_object *list)
{
	static const char *const headings[] = {
		">DOMAIN",  ">CPU",	"POLICIES",   ">REALTIME", ">RT0",  ">ORDINARY", ">RT",
		">TO LOAD", ">TO HOME", ">FROM LOAD", ">PUSHED",   ">KEPT", NULL,
	};
	struct resch_domain_stat domain = {};
	struct resch_balance_stat stat;
	unsigned int cpu;
	int result;

	table_begin(table, headings);
	while ((result = resch_domain_next(fd, &domain)) > 0) {
		for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
			if (!resch_cpus_has(&domain.cpus, cpu))
				continue;
			result = resch_balance_stat(fd, domain.domain, (int)cpu, &stat);
			/* not guarded, or gone meanwhile */
			if (result == -ENOENT || result == -ENODEV)
				break;
			if (result < 0)
				return result;
			json_object_array_add(list, balance_json(&stat));
			list_add(table, &stat);
		}
	}
	return result;
}

static int balance_list(int argc, char **argv)
{
	static const struct listing listing = {
		"balance", "balance list", help,
		"cpus",	   list_fill,	   "no CPU is guarded: `reschctl guard on` guards a domain"
	};

	return list_run(argc, argv, &listing);
}

int balance_apply(int fd, uint32_t domain, uint32_t policies)
{
	int result = resch_balance_set(fd, domain, policies);

	if (result == -ENOENT)
		fail("domain %u is not guarded: nobody else is sent to its CPUs", domain);
	else if (result == -ENODEV)
		fail("there is no domain %u: see `reschctl domain list`", domain);
	else if (result)
		fail("balance set: %s", error_text(result));
	return result;
}

int balance_policies(const char *command, const char *text, uint32_t *policies)
{
	char words[WORDS_TEXT];

	if (!resch_balance_parse(text, policies))
		return 0;
	words_refusal("balance-policies", words, sizeof(words));
	usage(command, "'%s': %s, with commas; all; none", text, words);
	return -EINVAL;
}

static int balance_set(int argc, char **argv)
{
	uint32_t policies;
	int fd, result;
	uint64_t id;
	bool json;

	result = options_plain(argc, argv, "balance", help, "domains", &json);
	if (result >= 0)
		return result;
	if (optind + 2 != argc || number_parse(argv[optind], UINT32_MAX, &id) || !id)
		return usage("balance", "balance set takes the id of a domain, and policies");
	if (balance_policies("balance", argv[optind + 1], &policies))
		return EXIT_USAGE;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = balance_apply(fd, (uint32_t)id, policies);
	close(fd);
	return result ? EXIT_FAILED : EXIT_DONE;
}

int cmd_balance(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "list", balance_list },
		{ "set", balance_set },
		{},
	};

	return action_run(argc, argv, actions, help, "balance list or balance set");
}
