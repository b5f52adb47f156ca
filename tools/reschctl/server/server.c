// SPDX-License-Identifier: GPL-2.0-or-later
/* server.c - reschctl server */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "server.h"
#include "words.h"

static const char help[] =
	"usage: reschctl server list [--json]\n"
	"       reschctl server add --budget=TIME --period=TIME [OPTION...]\n"
	"       reschctl server set DOMAIN:ID [--budget=TIME] [--period=TIME] [--quantum=TIME] [--name=NAME]\n"
	"       reschctl server del DOMAIN:ID\n"
	"       reschctl server size [OPTION...] FILE\n"
	"       reschctl server run --budget=TIME --period=TIME [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"       reschctl server run --in=SERVER [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
	"       reschctl server attach SERVER PID...\n"
	"       reschctl server attach {SERVER | --budget=TIME --period=TIME [OPTION...]} {--cgroup=PATH | --slice=NAME}\n"
	"       reschctl server delegate DOMAIN:ID {--user=NAME | --group=NAME | --withdraw} [OPTION...]\n"
	"       reschctl server tune DOMAIN:ID [OPTION...]\n"
	"\n"
	"A server is a group of tasks on one CPU that share a budget in every period, as if they had a slower\n"
	"processor to themselves. Its domain is under the plugin `server`; tasks join it with --group=ID. `set`\n"
	"resizes it from its next budget on. Servers made here stay until they are removed, or their domain is.\n"
	"`run` makes one for a program and all threads and processes that it will have, and removes it when the last\n"
	"of them has ended; its exit status is the program's, or 125 to 127, as with `reschctl run`. `attach` takes in\n"
	"all threads of processes that run already, and what these start, until it is interrupted; of a control group\n"
	"all that is there and all that comes, until it goes, in a server of its own or one that there is. `delegate` gives a\n"
	"server to a user or a group without rights: `reschctl server delegate --help`. `tune` has the budget follow\n"
	"what is used: `reschctl server tune --help`.\n"
	"\n"
	"  -b, --budget=TIME       what its tasks may execute in each period; 10us or more\n"
	"      --period=TIME       at most 1h, and 10000 budgets\n"
	"  -k, --kind=KIND         (default: the first)\n"
	"                          @server-kinds?@\n"
	"      --policy=POLICY     how its jobs are ordered (default: the first; run: default)\n"
	"                          @server-policies?@\n"
	"      --plugin=NAME[:KEY=VALUE,...]  ... or by another plugin, inside the server, with its options: fp, edf,\n"
	"                          fifo, demo, one of your own; not for servers of every kind\n"
	"      --quantum=TIME      a turn under rr (default: 1ms)\n"
	"      --reclaim           the budget lasts longer while other servers have nothing to do; not for every kind\n"
	"      --cpu=N             the CPU (default: the first one of the domain with room)\n"
	"      --cpus=LIST         add, run: a band of servers, one on each of these CPUs: tasks and processes are put into\n"
	"                          the one with the most to spare; set and del then are for all of the band\n"
	"      --domain=ID         the domain (default: that of --cpu, else the first one under `server`)\n"
	"      --name=NAME         for people; up to 15 bytes\n"
	"      --in=SERVER         run: in this server or band, DOMAIN:ID or its name, which stays, instead of a new one\n"
	"      --cgroup=PATH       attach: a control group, below /sys/fs/cgroup\n"
	"      --slice=NAME        attach: a slice of systemd, with all services in it\n"
	"  -q, --quiet             run: nothing but errors\n"
	"  -j, --json              print JSON; times in ns\n"
	"  -h, --help              this text\n";

struct json_object *server_json(const struct resch_server_stat *stat)
{
	const struct resch_server_params *params = &stat->params;
	struct json_object *server = json_object_new_object();

	json_add(server, "domain", json_object_new_int64(stat->domain));
	json_add(server, "id", json_object_new_int64(stat->id));
	json_add(server, "band", json_object_new_int64(stat->band));
	json_add_text(server, "name", params->name);
	json_add(server, "cpu", json_object_new_int(params->cpu));
	json_add_text(server, "kind", resch_server_kind_name(params->kind));
	json_add_text(server, "policy", resch_server_policy_name(params->policy));
	json_add_text(server, "plugin", stat->plugin);
	json_add_text(server, "options", stat->options);
	json_add_text(server, "fault", stat->fault);
	json_add_time(server, "budget", params->budget);
	json_add_time(server, "period", params->period);
	json_add_time(server, "quantum", params->quantum);
	json_add(server, "persistent",
		 json_object_new_boolean(params->flags & RESCH_SERVER_F_PERSIST));
	json_add(server, "reclaim",
		 json_object_new_boolean(params->flags & RESCH_SERVER_F_RECLAIM));
	json_add(server, "tasks", json_object_new_int64(stat->tasks));
	json_add(server, "waiting", json_object_new_int64(stat->waiting));
	json_add(server, "holder", stat->holder ? holder_json(stat) : NULL);
	json_add_time(server, "left", stat->left);
	json_add_time(server, "deadline", stat->deadline);
	json_add_time(server, "consumed", stat->consumed);
	json_add_number(server, "replenished", stat->replenished);
	json_add_number(server, "exhausted", stat->exhausted);
	json_add_number(server, "postponed", stat->postponed);
	return server;
}

/* ---- list ------------------------------------------------------------------------------------ */

static void list_add(struct table *table, struct resch_server_stat *stat)
{
	const struct resch_server_params *params = &stat->params;

	text_clean(stat->params.name);
	table_add(table, "%u:%u", stat->domain, stat->id);
	table_add(table, "%s", params->name[0] ? params->name : "-");
	table_add(table, "%d", params->cpu);
	table_add(table, "%s%s", resch_server_kind_name(params->kind),
		  params->flags & RESCH_SERVER_F_RECLAIM ? "+reclaim" : "");
	text_clean(stat->plugin);
	if (stat->fault[0])
		table_add(table, "edf (%s erred)", stat->plugin);
	else if (params->policy == RESCH_SERVER_PLUGIN)
		table_add(table, "plugin:%s", stat->plugin);
	else
		table_add(table, "%s", resch_server_policy_name(params->policy));
	table_add(table, "%s", time_text(params->budget));
	table_add(table, "%s", time_text(params->period));
	table_add(table, "%u", stat->tasks);
	table_add(table, "%s", time_short(stat->left));
	table_add(table, "%s", time_short(stat->consumed));
	table_add(table, "%llu", (unsigned long long)stat->replenished);
	table_add(table, "%llu", (unsigned long long)stat->exhausted);
	table_add(table, "%llu", (unsigned long long)stat->postponed);
}

/* Those of all domains. */
static int list_fill(int fd, struct table *table, struct json_object *list)
{
	static const char *const headings[] = {
		"ID",	  "NAME",  ">CPU",	"KIND",	    "POLICY",	  ">BUDGET",	">PERIOD",
		">TASKS", ">LEFT", ">CONSUMED", ">BUDGETS", ">EXHAUSTED", ">POSTPONED", NULL,
	};
	struct resch_domain_stat domain = {};
	int result;

	table_begin(table, headings);
	while ((result = resch_domain_next(fd, &domain)) > 0) {
		struct resch_server_stat stat = { .domain = domain.domain };

		while ((result = resch_server_next(fd, &stat)) > 0) {
			json_object_array_add(list, server_json(&stat));
			list_add(table, &stat);
		}
		/* -ENODEV: the domain has gone meanwhile */
		if (result < 0 && result != -ENODEV)
			return result;
	}
	return result;
}

static int server_list(int argc, char **argv)
{
	static const struct listing listing = {
		"server",  "server list", help,
		"servers", list_fill,	  "no servers: `reschctl server add` makes one"
	};

	return list_run(argc, argv, &listing);
}

/* ---- add and set ----------------------------------------------------------------------------- */

static int take_policy(const struct option_table *table, const struct option_row *row,
		       const char *value)
{
	int result = option_word(table, row, value);

	if (result < 0 && *(uint32_t *)row->to == RESCH_SERVER_PLUGIN)
		return usage(table->command, "--policy=%s: which one is said with --plugin=NAME",
			     value);
	return result;
}

static int take_plugin(const struct option_table *table, const struct option_row *row,
		       const char *value)
{
	struct server_given *given = row->to;
	struct resch_domain_set split = {};

	(void)table;
	if (plugin_split(value, &split))
		return EXIT_USAGE;
	memcpy(given->plugin, split.plugin, sizeof(given->plugin));
	memcpy(given->options, split.options, sizeof(given->options));
	return -1;
}

static int take_name(const struct option_table *table, const struct option_row *row,
		     const char *value)
{
	struct server_given *given = row->to;

	if (strlen(value) >= sizeof(given->params.name))
		return usage(table->command, "--name=%s: a name has at most 15 bytes", value);
	memset(given->params.name, 0, sizeof(given->params.name));
	memcpy(given->params.name, value, strlen(value));
	return -1;
}

static int take_reclaim(const struct option_table *table, const struct option_row *row,
			const char *value)
{
	struct server_given *given = row->to;

	(void)table;
	(void)value;
	given->params.flags |= RESCH_SERVER_F_RECLAIM;
	return -1;
}

/* Return: -1: go on at optind; else an exit status. */
int server_parse(int argc, char **argv, struct server_given *given, const char *arguments)
{
	struct resch_server_params *params = &given->params;
	bool run = arguments && !strcmp(arguments, "program");
	uint64_t budget = 0, period = 0, quantum = 0;
	const struct option_row rows[] = {
		{ "budget", 'b', "time", option_time, &budget, 1 },
		{ "period", 0, "time", option_time, &period, 1 },
		{ "quantum", 0, "time", option_time, &quantum, 1 },
		{ "kind", 'k', "server-kinds", option_word, &params->kind, .given = &given->kind },
		{ "policy", 0, "server-policies", take_policy, &params->policy,
		  .given = &given->policy },
		{ "plugin", 0, "plugins", take_plugin, given },
		{ "name", 0, "name", take_name, given, .given = &given->name },
		{ "domain", 0, "domains", option_number, &given->domain, 1, INT32_MAX },
		{ "cpu", 0, "cpu", option_cpu, &params->cpu, .given = &given->cpu },
		{ "cpus", 0, "cpus", option_cpus, &given->cpus, .given = &given->band },
		{ "reclaim", 0, NULL, take_reclaim, given },
		{ "in", 0, "servers", option_text, &given->in },
		{ "cgroup", 0, "directory", option_text, &given->cgroup },
		{ "slice", 0, "name", option_text, &given->slice },
		{ "quiet", 'q', NULL, option_flag, &given->quiet },
		OPTION_JSON(&given->json),
		{},
	};
	const struct option_table table = { "server", help, arguments, run, rows };
	int result;

	params->cpu = -1;
	result = options_run(argc, argv, &table);
	params->budget = budget;
	params->period = period;
	params->quantum = quantum;
	if (result < 0 && budget > period && period)
		result = usage("server", "the budget, %s, is longer than the period, %s",
			       time_text(budget), time_text(period));
	if (result < 0 && given->quiet && !run)
		result = usage("server", "--quiet is for server run");
	if (result < 0 && given->in && !run)
		result = usage("server", "--in is for server run");
	if (result < 0 && (given->cgroup || given->slice) && strcmp(argv[0], "attach"))
		result = usage("server", "--cgroup and --slice are for server attach");
	return result;
}

/* "1:3" */
int server_parse_id(const char *text, uint32_t *domain, uint32_t *id)
{
	const char *colon = strchr(text, ':');
	uint64_t first, second;
	char copy[16];

	if (!colon || (size_t)(colon - text) >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, (size_t)(colon - text));
	copy[colon - text] = 0;
	if (number_parse(copy, INT32_MAX, &first) || number_parse(colon + 1, UINT32_MAX, &second) ||
	    !first || !second)
		return -EINVAL;
	*domain = (uint32_t)first;
	*id = (uint32_t)second;
	return 0;
}

int server_explain(int error, uint32_t domain, uint32_t id, const struct resch_verdict *verdict)
{
	char why[RESCH_VERDICT_TEXT];

	switch (-error) {
	case EBUSY:
		resch_verdict_text_for(verdict, "budget", why, sizeof(why));
		return fail("refused: %s", why);
	case EINVAL:
		return fail(
			"refused: a budget is 10us to the period and at least a 10000th of it, a period at "
			"most 1h, a quantum (for rr) 10us to 1s; or servers of that kind don't go with this "
			"--policy, --plugin or --reclaim: see reschctl(8)");
	case ENODEV:
		return fail(
			"there is no such domain, or no such CPU in it: see `reschctl domain list`");
	case ENOENT:
		return fail("there is no server %u:%u: see `reschctl server list`", domain, id);
	case EOPNOTSUPP:
		return fail(
			"the plugin of domain %u has no servers: reschctl domain set --id=%u --plugin=server",
			domain, domain);
	case EEXIST:
		return fail(
			"the rest of Linux has a server there already: resize it with `reschctl server set`");
	case ENOSPC:
		return fail("the domain has as many servers as there can be");
	default:
		return fail("server: %s", error_text(error));
	}
}

/* What is loaded under that name. Return: 0, and *@stat; -errno */
static int find_plugin(int fd, const char *name, struct resch_plugin_stat *stat)
{
	uint32_t i;
	int result;

	for (i = 0; !(result = resch_plugin_stat(fd, i, stat)); i++) {
		if (!strcmp(stat->name, name))
			return 0;
	}
	return result;
}

int server_explain_plugin(int fd, int error, const struct server_given *given)
{
	const char *name = given->plugin;
	struct resch_plugin_stat stat;
	char unit[WORDS_TEXT];

	if (!*name)
		return 0;
	switch (-error) {
	case E2BIG:
		return fail("the module is older than reschctl, and has no plugins inside servers");
	case ENOENT:
		return plugin_absent(name);
	case EINVAL:
		if (find_plugin(fd, name, &stat))
			return 0;
		if (!stat.inner)
			return fail(
				"refused: plugin %s can't run inside a server: it decides for more than a group of "
				"tasks on one CPU, or does not say that it can",
				name);
		words_unit(given->options, unit, sizeof(unit));
		if (*given->options)
			return fail(
				"refused: '%s' may not be options of plugin %s, or a time is out of range: see "
				"`reschctl server --help`%s",
				given->options, name, unit);
		return 0;
	default:
		return 0;
	}
}

static int explain(int error, const struct resch_server_set *want)
{
	return server_explain(error, want->domain, want->id, &want->verdict);
}

static void show(int fd, const struct resch_server_set *want, bool json)
{
	struct resch_server_stat stat;

	if (json && !resch_server_stat(fd, want->domain, want->id, &stat))
		json_show(server_json(&stat), stdout);
	else if (!json)
		printf("server %u:%u: CPU %d, %s of %s\n", want->domain, want->id, want->cpu,
		       time_text(want->params.budget), time_text(want->params.period));
}

static int apply(int fd, struct resch_server_set *want, bool json)
{
	int result = resch_server_set(fd, want);

	if (result)
		return explain(result, want);
	show(fd, want, json);
	return EXIT_DONE;
}

/* The domain that a new server is for. Return: its id; 0: none; -errno. */
static int find_domain(int fd, const struct server_given *given)
{
	struct resch_domain_stat stat = {};
	unsigned int cpu = 0;
	int result;

	if (given->domain)
		return (int)given->domain;
	while (given->band && !resch_cpus_has(&given->cpus, cpu))
		cpu++;
	if (given->cpu || given->band)
		return domain_of_cpu(fd, given->cpu ? (unsigned int)given->params.cpu : cpu, &stat);
	while ((result = resch_domain_next(fd, &stat)) > 0) {
		if (!strcmp(stat.plugin, "server"))
			return (int)stat.domain;
	}
	return result;
}

static int complete_plugin(struct server_given *given)
{
	struct resch_server_params *params = &given->params;

	if (!*given->plugin)
		return 0;
	if (given->policy)
		return usage("server", "either --policy or --plugin orders the tasks of a server");
	params->policy = RESCH_SERVER_PLUGIN;
	return 0;
}

int server_complete(struct server_given *given)
{
	struct resch_server_params *params = &given->params;

	if (!params->budget || !params->period)
		return usage("server", "a new server needs --budget and --period");
	if (params->policy == RESCH_SERVER_RR && !params->quantum)
		params->quantum = SERVER_QUANTUM;
	if (params->policy != RESCH_SERVER_RR && params->quantum)
		return usage("server", "--quantum is for --policy=rr");
	if (given->band && given->cpu)
		return usage("server", "--cpu is for one server, --cpus for one on each of them");
	return complete_plugin(given);
}

static int server_domain(int fd, const struct server_given *given, uint32_t *domain)
{
	int result = find_domain(fd, given);

	if (result < 0)
		return fail("server: %s", error_text(result));
	if (!result)
		return fail("there is no domain for it: make one with `reschctl domain set CPUS "
			    "--plugin=server`");
	*domain = (uint32_t)result;
	return 0;
}

int server_fill(int fd, const struct server_given *given, uint32_t flags,
		struct resch_server_params *params, char *plugin, char *options, uint32_t *domain)
{
	*params = given->params;
	params->flags |= flags;
	memcpy(plugin, given->plugin, sizeof(given->plugin));
	memcpy(options, given->options, sizeof(given->options));
	return server_domain(fd, given, domain);
}

int server_make(int fd, const struct server_given *given, uint32_t flags,
		struct resch_server_set *want)
{
	int result;

	*want = (struct resch_server_set){};
	result = server_fill(fd, given, flags, &want->params, want->plugin, want->options,
			     &want->domain);
	if (result)
		return result;
	result = resch_server_set(fd, want);
	if (!result)
		return 0;
	return server_explain_plugin(fd, result, given) ?: explain(result, want);
}

static int add_one(int fd, const struct server_given *given)
{
	struct resch_server_set want;
	int result = server_make(fd, given, RESCH_SERVER_F_PERSIST, &want);

	if (!result)
		show(fd, &want, given->json);
	return result;
}

static int server_add(int argc, char **argv)
{
	struct server_given given = {};
	int fd, result;

	result = server_parse(argc, argv, &given, NULL);
	if (result >= 0)
		return result;
	if (optind != argc)
		return usage("server", "server add takes options only");
	result = server_complete(&given);
	if (result)
		return result;
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = given.band ? server_band_add(fd, &given) : add_one(fd, &given);
	close(fd);
	return result;
}

/* What is not given stays as it is. */
static int server_resize(int argc, char **argv)
{
	struct resch_server_set want = {};
	struct resch_server_stat stat;
	struct server_given given = {};
	int fd, result;

	result = server_parse(argc, argv, &given, "servers");
	if (result >= 0)
		return result;
	if (optind + 1 != argc || server_parse_id(argv[optind], &want.domain, &want.id))
		return usage("server",
			     "server set takes DOMAIN:ID, as `reschctl server list` shows it");
	if (given.kind || given.policy || given.cpu || given.band || given.domain ||
	    given.params.flags || *given.plugin)
		return usage(
			"server",
			"kind, policy, reclaiming, CPU and domain of a server stay: make another one");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	result = resch_server_stat(fd, want.domain, want.id, &stat);
	if (result) {
		close(fd);
		return explain(result, &want);
	}
	want.params = stat.params;
	if (given.params.budget)
		want.params.budget = given.params.budget;
	if (given.params.period)
		want.params.period = given.params.period;
	if (given.params.quantum)
		want.params.quantum = given.params.quantum;
	if (given.name)
		memcpy(want.params.name, given.params.name, sizeof(want.params.name));
	if (stat.band)
		result = server_band_resize(fd, &stat, &want.params, given.json);
	else
		result = apply(fd, &want, given.json);
	close(fd);
	return result;
}

/* ---- del ------------------------------------------------------------------------------------- */

static int server_del(int argc, char **argv)
{
	struct resch_server_set want = {};
	struct resch_server_stat stat;
	int fd, result;
	bool json;

	result = options_plain(argc, argv, "server", help, "servers", &json);
	if (result >= 0)
		return result;
	if (optind + 1 != argc || server_parse_id(argv[optind], &want.domain, &want.id))
		return usage("server",
			     "server del takes DOMAIN:ID, as `reschctl server list` shows it");
	fd = device_open();
	if (fd < 0)
		return EXIT_NO_MODULE;
	if (!resch_server_stat(fd, want.domain, want.id, &stat) && stat.band)
		result = resch_servers_del(fd, want.domain, stat.band);
	else
		result = resch_server_del(fd, want.domain, want.id);
	close(fd);
	if (result == -EBUSY)
		return fail(
			"server %u:%u has tasks: see `reschctl tasks`; end their programs first",
			want.domain, want.id);
	return result ? explain(result, &want) : EXIT_DONE;
}

int server_plain(int argc, char **argv, bool *json)
{
	return options_plain(argc, argv, "server", help, "servers", json);
}

int cmd_server(int argc, char **argv)
{
	static const struct action actions[] = {
		{ "list", server_list },
		{ "add", server_add },
		{ "set", server_resize },
		{ "del", server_del },
		/* in files of their own */
		{ "size", server_size },
		{ "run", server_run },
		{ "attach", server_attach },
		{ "delegate", server_delegate },
		{ "tune", server_tune },
		{},
	};

	return action_run(
		argc, argv, actions, help,
		"server list, server add, server set, server del, server size, server run, server attach, "
		"server delegate or server tune");
}
