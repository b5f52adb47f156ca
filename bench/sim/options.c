// SPDX-License-Identifier: GPL-2.0
/* options.c - the command line of resch-sim */
#include <getopt.h>

#include "near.h"
#include "run.h"
#include "words.h"

static const char usage[] =
	"usage: resch-sim [OPTIONS] TASKSET\n"
	"       resch-sim [OPTIONS] --chains FILE\n"
	"Plays a set of tasks under a resch plugin, the same source that the kernel loads.\n"
	"\n"
	"  -p, --plugin NAME[:OPTIONS]   the algorithm (default edf, or that of the layout); OPTIONS:\n"
	"                                key=value,key=value\n"
	"  -c, --cpus N                  how many CPUs (default 1, or up to the last one of the layout)\n"
	"  -t, --time TIME               for how long (default 1s); units: ns us ms s\n"
	"  -s, --seed N                  for random execution, inter-arrival times and offsets (default 1)\n"
	"      --swap NAME[:OPTIONS]@TIME   change the plugin then; may be given several times, in order\n"
	"      --plan FILE[@TIME]        time slots, for sekg and npsf: slot,TIME from,TIME and lines of\n"
	"                                group,cpu,begin,end; or a layout as JSON, without its tasks; a later\n"
	"                                one takes over at TIME, at a slot boundary\n"
	"      --servers FILE            servers, for plugin server: lines of kind,budget,period,policy[,cpu[,quantum[,reclaim]]];\n"
	"                                kind: @server-kinds@;\n"
	"                                policy: @server-policies@, the last as plugin:NAME[:OPTIONS],\n"
	"                                these with semicolons for commas; the first line is the server of the tasks with\n"
	"                                group 1\n"
	"      --jitter TIME             timers and kicks come late by up to this, at random\n"
	"      --release-jitter TIME     releases do (default: as --jitter)\n"
	"      --irq COST/PERIOD[@CPU]   interrupts that take COST every PERIOD; without a CPU, on each. May be\n"
	"                                given several times\n"
	"      --stop-delay [TIME-]TIME  how long a deselected task takes to leave its CPU, at random (plugins\n"
	"                                for whole domains)\n"
	"      --capacity PPM            share of each CPU for admission (default 1000000)\n"
	"      --switch-cost TIME        a CPU loses this much when it changes to another task\n"
	"      --release-cost TIME       a release takes this much from its CPU\n"
	"      --overhead TIME           what admission adds to each wcet (default: two switches and a release)\n"
	"      --force                   take every task, whatever admission says\n"
	"      --trace FILE              write every event, as resch-check and resch-draw read them (-: standard output)\n"
	"      --draw FILE               draw the schedule with resch-draw (.png, .svg)\n"
	"      --json                    the result as JSON\n"
	"      --chains FILE             task chains, as reschctl chain reads them, in the place of TASKSET; the plugin is\n"
	"                                fp:order=explicit, or one that is given, such as edf; without -t until they repeat\n"
	"      --protocol PROTOCOL       chains: how stages release the next ones (default: the file's):\n"
	"                                @chain-protocols@\n"
	"      --rule RULE               chains: priorities and local deadlines by it: @chain-rules@\n"
	"      --handover [MIN-]MAX      chains: from a completion to the release of the next stage on a CPU, at random\n"
	"      --phases all|N            chains: all phasings that differ, on half of what divides all times, or N at random\n"
	"                                (default: all chains begin at once)\n"
	"      --clock-skew TIME         chains: clocks of nodes differ by up to this; matters for pm\n"
	"      --lost PPM                chains: messages and delays that are lost\n"
	"      --skip-late               chains: a later stage drops what it would turn to after the deadline\n"
	"      --histogram               chains: of the end-to-end responses, with --json, too\n"
	"  -l, --list                    the plugins\n"
	"  -h, --help                    this\n"
	"      --version                 which one this is\n"
	"\n"
	"TASKSET (-: standard input) is one of\n"
	"  lines of id,min_C,max_C,min_T,max_T,D,min_off,max_off in ns (ReTAS), or with a header of: name cpu group\n"
	"  priority kind wcet deadline period offset max_offset max_period min_exec max_exec overrun miss; times with units\n"
	"  a layout of time slots, the tasks and their plan: reschctl assign --json SET | resch-sim -t 10s -\n"
	"\n"
	"Exit status: 0: done, and no deadline missed; 1: deadlines missed (of chains: end-to-end ones), or a group on two CPUs at\n"
	"once; 2: wrong usage or input; 3: the set was refused; 4: the plugin misbehaved.\n";

enum {
	OPT_SWAP = 256,
	OPT_PLAN,
	OPT_SERVERS,
	OPT_JITTER,
	OPT_RELEASE_JITTER,
	OPT_IRQ,
	OPT_STOP,
	OPT_CAPACITY,
	OPT_SWITCH,
	OPT_RELEASE,
	OPT_OVERHEAD,
	OPT_FORCE,
	OPT_TRACE,
	OPT_DRAW,
	OPT_JSON,
	OPT_CHAINS,
	OPT_PROTOCOL,
	OPT_RULE,
	OPT_HANDOVER,
	OPT_PHASES,
	OPT_SKEW,
	OPT_LOST,
	OPT_SKIP_LATE,
	OPT_HISTOGRAM,
	OPT_VERSION
};

void sim_die(const char *what, const char *value)
{
	fprintf(stderr, "resch-sim: %s '%s' (--help tells more)\n", what, value);
	exit(EXIT_USAGE);
}

u64 sim_time_of(const char *text)
{
	u64 ns;

	if (sim_parse_time(text, &ns))
		sim_die("not a time:", text);
	return ns;
}

static u32 number_of(const char *text, u32 least, u32 most)
{
	u32 value;

	if (kstrtou32(text, 10, &value) || value < least || value > most)
		sim_die("not a number in range:", text);
	return value;
}

/* "NAME:OPTIONS" */
void sim_plugin_of(const char *text, char *name, char *options)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (!length || length >= RESCH_NAME_LEN ||
	    (colon && strlen(colon + 1) >= RESCH_OPTIONS_LEN))
		sim_die("not a plugin:", text);
	memcpy(name, text, length);
	name[length] = '\0';
	strcpy(options, colon ? colon + 1 : "");
	if (!sim_plugin_find(name))
		sim_die("no such plugin (--list):", name);
}

/* Options of a swap are refused before the run, not in its middle. */
static void check_options(const char *plugin, const char *options)
{
	u64 domain[RESCH_DOMAIN_PRIVATE] = { 0 };

	if (sim_plugin_options(sim_plugin_find(plugin), options, domain))
		sim_die("not options of the plugin, where times have units:", options);
}

static void add_swap(struct sim_config *config, char *text)
{
	struct sim_swap *swap = &config->swaps[config->nr_swaps];
	char *at = strrchr(text, '@');

	if (!at || config->nr_swaps == SIM_SWAPS_MAX)
		sim_die("not NAME@TIME, or too many:", text);
	*at = '\0';
	sim_plugin_of(text, swap->plugin, swap->options);
	check_options(swap->plugin, swap->options);
	swap->at = sim_time_of(at + 1);
	if (config->nr_swaps && swap->at <= swap[-1].at)
		sim_die("swaps must be in order:", text);
	config->nr_swaps++;
}

/* "MAX" or "MIN-MAX" */
static void stop_delay_of(char *text, struct sim_config *config)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	config->stop_min = dash ? sim_time_of(text) : 0;
	config->stop_max = sim_time_of(dash ? dash : text);
	if (config->stop_min > config->stop_max)
		sim_die("not MIN-MAX:", text);
}

/* "COST/PERIOD" or "COST/PERIOD@CPU" */
static void add_irq(const char *text, struct sim_config *config)
{
	struct sim_irq *irq = &config->irqs[config->nr_irqs];
	char *copy = strdup(text), *slash = copy ? strchr(copy, '/') : NULL,
	     *at = copy ? strchr(copy, '@') : NULL;

	if (!slash || (at && at < slash) || config->nr_irqs == SIM_IRQS_MAX)
		sim_die("not COST/PERIOD[@CPU], or too many:", text);
	*slash++ = '\0';
	if (at)
		*at++ = '\0';
	irq->cost = sim_time_of(copy);
	irq->period = sim_time_of(slash);
	irq->cpu = at ? (s32)number_of(at, 0, RESCH_CPUS_MAX - 1) : -1;
	if (!irq->cost || irq->cost >= irq->period)
		sim_die("interrupts cost something, and less than their period:", text);
	config->nr_irqs++;
	free(copy);
}

static void list_plugins(void)
{
	const struct resch_plugin *plugin;
	u32 i;

	for (i = 0; (plugin = sim_plugin_at(i)); i++)
		printf("%-8s %s\n", plugin->name, plugin->about);
	exit(0);
}

/* "all" or a number */
static void phases_of(const char *text, struct sim_chain_run *chains)
{
	chains->all = !strcmp(text, "all");
	if (!chains->all)
		chains->phases = number_of(text, 1, SIM_CHAIN_PHASES_MAX);
}

/* "MAX" or "MIN-MAX" */
static void handover_of(char *text, struct sim_chain_config *config)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	config->handover_min = dash ? sim_time_of(text) : 0;
	config->handover_max = sim_time_of(dash ? dash : text);
	if (config->handover_min > config->handover_max)
		sim_die("not MIN-MAX:", text);
}

/* Return: was it one of those about chains? */
static bool parse_chain_option(struct sim_chain_run *chains, int option)
{
	switch (option) {
	case OPT_CHAINS:
		chains->path = optarg;
		return true;
	case OPT_PROTOCOL:
		chains->protocol = resch_chain_protocol_parse(optarg);
		if (chains->protocol < 0)
			sim_die("no such protocol:", optarg);
		return true;
	case OPT_RULE:
		chains->rule = resch_chain_rule_parse(optarg);
		if (chains->rule < 0)
			sim_die("no such rule:", optarg);
		return true;
	case OPT_HANDOVER:
		handover_of(optarg, &chains->config);
		return true;
	case OPT_PHASES:
		phases_of(optarg, chains);
		return true;
	case OPT_SKEW:
		chains->config.clock_skew = sim_time_of(optarg);
		return true;
	case OPT_LOST:
		chains->config.lost = number_of(optarg, 0, 1000000);
		return true;
	case OPT_SKIP_LATE:
		chains->config.skip_late = true;
		return true;
	case OPT_HISTOGRAM:
		chains->histogram = true;
		return true;
	default:
		return false;
	}
}

/* What the machine takes, and when it is late. */
static bool parse_machine_option(struct sim_run *run, int option)
{
	struct sim_config *config = &run->config;

	switch (option) {
	case OPT_JITTER:
		config->jitter = sim_time_of(optarg);
		return true;
	case OPT_RELEASE_JITTER:
		config->release_jitter = sim_time_of(optarg);
		run->release_jitter_given = true;
		return true;
	case OPT_IRQ:
		add_irq(optarg, config);
		return true;
	case OPT_STOP:
		stop_delay_of(optarg, config);
		return true;
	case OPT_SWITCH:
		config->switch_cost = sim_time_of(optarg);
		return true;
	case OPT_RELEASE:
		config->release_cost = sim_time_of(optarg);
		return true;
	case OPT_OVERHEAD:
		config->overhead = (u32)min(sim_time_of(optarg), (u64)U32_MAX);
		run->overhead_given = true;
		return true;
	default:
		return false;
	}
}

static void parse_option(struct sim_run *run, int option)
{
	struct sim_config *config = &run->config;

	if (parse_chain_option(&run->chains, option) || parse_machine_option(run, option))
		return;
	switch (option) {
	case 'p':
		sim_plugin_of(optarg, config->plugin, config->options);
		run->plugin_given = true;
		break;
	case 'c':
		config->cpus = number_of(optarg, 1, RESCH_CPUS_MAX);
		run->cpus_given = true;
		break;
	case 't':
		config->end = sim_time_of(optarg);
		run->time_given = true;
		break;
	case 's':
		config->seed = number_of(optarg, 0, U32_MAX);
		break;
	case OPT_SWAP:
		add_swap(config, optarg);
		break;
	case OPT_PLAN:
		if (run->nr_plans == SIM_PLANS_MAX)
			sim_die("too many plans, at", optarg);
		run->plans[run->nr_plans++] = optarg;
		break;
	case OPT_SERVERS:
		run->servers = optarg;
		break;
	case OPT_CAPACITY:
		config->capacity = number_of(optarg, 1, 1000000);
		break;
	case OPT_FORCE:
		config->force = true;
		break;
	case OPT_TRACE:
		run->trace = optarg;
		break;
	case OPT_DRAW:
		run->draw = optarg;
		break;
	case OPT_JSON:
		run->json = true;
		break;
	case 'l':
		list_plugins();
		break;
	case 'h':
		words_print(usage, stdout);
		exit(0);
	case OPT_VERSION:
		puts("resch-sim " RESCH_VERSION);
		exit(0);
	default:
		exit(EXIT_USAGE);
	}
}

void sim_run_parse(struct sim_run *run, int argc, char **argv)
{
	static const struct option options[] = {
		{ "plugin", 1, NULL, 'p' },
		{ "cpus", 1, NULL, 'c' },
		{ "time", 1, NULL, 't' },
		{ "seed", 1, NULL, 's' },
		{ "swap", 1, NULL, OPT_SWAP },
		{ "plan", 1, NULL, OPT_PLAN },
		{ "servers", 1, NULL, OPT_SERVERS },
		{ "jitter", 1, NULL, OPT_JITTER },
		{ "release-jitter", 1, NULL, OPT_RELEASE_JITTER },
		{ "irq", 1, NULL, OPT_IRQ },
		{ "stop-delay", 1, NULL, OPT_STOP },
		{ "capacity", 1, NULL, OPT_CAPACITY },
		{ "switch-cost", 1, NULL, OPT_SWITCH },
		{ "release-cost", 1, NULL, OPT_RELEASE },
		{ "overhead", 1, NULL, OPT_OVERHEAD },
		{ "force", 0, NULL, OPT_FORCE },
		{ "trace", 1, NULL, OPT_TRACE },
		{ "draw", 1, NULL, OPT_DRAW },
		{ "json", 0, NULL, OPT_JSON },
		{ "chains", 1, NULL, OPT_CHAINS },
		{ "protocol", 1, NULL, OPT_PROTOCOL },
		{ "rule", 1, NULL, OPT_RULE },
		{ "handover", 1, NULL, OPT_HANDOVER },
		{ "phases", 1, NULL, OPT_PHASES },
		{ "clock-skew", 1, NULL, OPT_SKEW },
		{ "lost", 1, NULL, OPT_LOST },
		{ "skip-late", 0, NULL, OPT_SKIP_LATE },
		{ "histogram", 0, NULL, OPT_HISTOGRAM },
		{ "list", 0, NULL, 'l' },
		{ "help", 0, NULL, 'h' },
		{ "version", 0, NULL, OPT_VERSION },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "p:c:t:s:lh", options, NULL)) != -1) {
		if (option == '?')
			words_option("resch-sim", argv[optind - 1], options);
		parse_option(run, option);
	}
	if (argc - optind != !run->chains.path) {
		words_print(usage, stderr);
		exit(EXIT_USAGE);
	}
	if (!run->config.end)
		sim_die("nothing to simulate in a time of", "0");
	if (!run->release_jitter_given)
		run->config.release_jitter = run->config.jitter;
	if (!run->overhead_given)
		run->config.overhead = (u32)min(
			2 * run->config.switch_cost + run->config.release_cost, (u64)U32_MAX);
}
