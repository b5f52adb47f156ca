// SPDX-License-Identifier: GPL-2.0
/* resch-sim - play a task set under a plugin */
#include <getopt.h>
#include <unistd.h>
#include <sys/wait.h>

#include "sim.h"

static const char usage[] =
	"usage: resch-sim [OPTIONS] TASKSET\n"
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
	"                                kind: cbs-hard cbs cus tbs passive, policy: edf dm rm priority fifo rr, or another\n"
	"                                plugin inside it, plugin:NAME[:OPTIONS], these with semicolons for commas; the\n"
	"                                first one is the server of the tasks with group 1\n"
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
	"  -l, --list                    the plugins\n"
	"  -h, --help                    this\n"
	"\n"
	"TASKSET (-: standard input) is one of\n"
	"  lines of id,min_C,max_C,min_T,max_T,D,min_off,max_off in ns (ReTAS), or with a header of: name cpu group\n"
	"  priority kind wcet deadline period offset max_offset max_period min_exec max_exec overrun miss; times with units\n"
	"  a layout of time slots, the tasks and their plan: reschctl assign --json SET | resch-sim -t 10s -\n"
	"\n"
	"Exit status: 0: done, and no deadline missed; 1: deadlines missed, or a group on two CPUs at\n"
	"once; 2: wrong usage or input; 3: the set was refused; 4: the plugin misbehaved.\n";

enum { EXIT_MISSED = 1, EXIT_USAGE = 2, EXIT_REFUSED = 3, EXIT_PLUGIN = 4 };

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
	OPT_JSON
};

#define PLANS_MAX 16

struct run {
	struct sim_config config;
	struct taskset set;
	struct sim_plan_file plan; /* the layout's, where the set is part of one */
	char *plans[PLANS_MAX]; /* FILE[@TIME] */
	u32 nr_plans;
	const char *servers;
	const char *trace;
	const char *draw;
	char drawn[32]; /* a trace made only to draw it */
	bool json;
	bool plugin_given;
	bool cpus_given;
	bool release_jitter_given;
	bool overhead_given;
};

static void die(const char *what, const char *value)
{
	fprintf(stderr, "resch-sim: %s '%s' (--help tells more)\n", what, value);
	exit(EXIT_USAGE);
}

static u64 time_of(const char *text)
{
	u64 ns;

	if (sim_parse_time(text, &ns))
		die("not a time:", text);
	return ns;
}

static u32 number_of(const char *text, u32 least, u32 most)
{
	u32 value;

	if (kstrtou32(text, 10, &value) || value < least || value > most)
		die("not a number in range:", text);
	return value;
}

/* "NAME:OPTIONS" */
static void plugin_of(const char *text, char *name, char *options)
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	if (!length || length >= RESCH_NAME_LEN ||
	    (colon && strlen(colon + 1) >= RESCH_OPTIONS_LEN))
		die("not a plugin:", text);
	memcpy(name, text, length);
	name[length] = '\0';
	strcpy(options, colon ? colon + 1 : "");
	if (!sim_plugin_find(name))
		die("no such plugin (--list):", name);
}

static void add_swap(struct sim_config *config, char *text)
{
	struct sim_swap *swap = &config->swaps[config->nr_swaps];
	char *at = strrchr(text, '@');

	if (!at || config->nr_swaps == SIM_SWAPS_MAX)
		die("not NAME@TIME, or too many:", text);
	*at = '\0';
	plugin_of(text, swap->plugin, swap->options);
	swap->at = time_of(at + 1);
	if (config->nr_swaps && swap->at <= swap[-1].at)
		die("swaps must be in order:", text);
	config->nr_swaps++;
}

/* "MAX" or "MIN-MAX" */
static void stop_delay_of(char *text, struct sim_config *config)
{
	char *dash = strchr(text, '-');

	if (dash)
		*dash++ = '\0';
	config->stop_min = dash ? time_of(text) : 0;
	config->stop_max = time_of(dash ? dash : text);
	if (config->stop_min > config->stop_max)
		die("not MIN-MAX:", text);
}

/* "COST/PERIOD" or "COST/PERIOD@CPU" */
static void add_irq(const char *text, struct sim_config *config)
{
	struct sim_irq *irq = &config->irqs[config->nr_irqs];
	char *copy = strdup(text), *slash = copy ? strchr(copy, '/') : NULL,
	     *at = copy ? strchr(copy, '@') : NULL;

	if (!slash || (at && at < slash) || config->nr_irqs == SIM_IRQS_MAX)
		die("not COST/PERIOD[@CPU], or too many:", text);
	*slash++ = '\0';
	if (at)
		*at++ = '\0';
	irq->cost = time_of(copy);
	irq->period = time_of(slash);
	irq->cpu = at ? (s32)number_of(at, 0, RESCH_CPUS_MAX - 1) : -1;
	if (!irq->cost || irq->cost >= irq->period)
		die("interrupts cost something, and less than their period:", text);
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

static void parse_option(struct run *run, int option)
{
	struct sim_config *config = &run->config;

	switch (option) {
	case 'p':
		plugin_of(optarg, config->plugin, config->options);
		run->plugin_given = true;
		break;
	case 'c':
		config->cpus = number_of(optarg, 1, RESCH_CPUS_MAX);
		run->cpus_given = true;
		break;
	case 't':
		config->end = time_of(optarg);
		break;
	case 's':
		config->seed = number_of(optarg, 0, U32_MAX);
		break;
	case OPT_SWAP:
		add_swap(config, optarg);
		break;
	case OPT_PLAN:
		if (run->nr_plans == PLANS_MAX)
			die("too many plans, at", optarg);
		run->plans[run->nr_plans++] = optarg;
		break;
	case OPT_SERVERS:
		run->servers = optarg;
		break;
	case OPT_JITTER:
		config->jitter = time_of(optarg);
		break;
	case OPT_RELEASE_JITTER:
		config->release_jitter = time_of(optarg);
		run->release_jitter_given = true;
		break;
	case OPT_IRQ:
		add_irq(optarg, config);
		break;
	case OPT_STOP:
		stop_delay_of(optarg, config);
		break;
	case OPT_CAPACITY:
		config->capacity = number_of(optarg, 1, 1000000);
		break;
	case OPT_SWITCH:
		config->switch_cost = time_of(optarg);
		break;
	case OPT_RELEASE:
		config->release_cost = time_of(optarg);
		break;
	case OPT_OVERHEAD:
		config->overhead = (u32)min(time_of(optarg), (u64)U32_MAX);
		run->overhead_given = true;
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
		fputs(usage, stdout);
		exit(0);
	default:
		exit(EXIT_USAGE);
	}
}

static void parse(struct run *run, int argc, char **argv)
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
		{ "list", 0, NULL, 'l' },
		{ "help", 0, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "p:c:t:s:lh", options, NULL)) != -1)
		parse_option(run, option);
	if (argc - optind != 1) {
		fputs(usage, stderr);
		exit(EXIT_USAGE);
	}
	if (!run->config.end)
		die("nothing to simulate in a time of", "0");
	if (!run->release_jitter_given)
		run->config.release_jitter = run->config.jitter;
	if (!run->overhead_given)
		run->config.overhead = (u32)min(
			2 * run->config.switch_cost + run->config.release_cost, (u64)U32_MAX);
}

/* A layout has all that would be asked for by -p, -c and --plan. */
static int read_layout(struct run *run, FILE *file, char *error, size_t size)
{
	struct sim_config *config = &run->config;
	struct sim_layout layout;
	u32 i;

	if (sim_layout_read(file, &layout, error, size))
		return -EINVAL;
	run->set = layout.set;
	run->plan = layout.plan;
	if (!run->plugin_given)
		strcpy(config->plugin, layout.plugin);
	for (i = 0; i < run->plan.count && !run->cpus_given; i++)
		config->cpus = max(config->cpus, run->plan.reserves[i].cpu + 1);
	return 0;
}

static void read_set(struct run *run, const char *path)
{
	char error[TASKSET_ERROR];
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int err;

	if (!file)
		die("can't open", path);
	if (sim_is_json(file))
		err = read_layout(run, file, error, sizeof(error));
	else
		err = taskset_read(file, &run->set, error, sizeof(error));
	if (err) {
		fprintf(stderr, "resch-sim: %s: %s\n", path, error);
		exit(EXIT_USAGE);
	}
	if (file != stdin)
		fclose(file);
}

static void open_trace(struct run *run)
{
	int fd;

	if (run->draw && !run->trace) {
		strcpy(run->drawn, "/tmp/resch-sim.XXXXXX");
		fd = mkstemp(run->drawn);
		if (fd < 0)
			die("can't make", run->drawn);
		close(fd);
		run->trace = run->drawn;
	}
	if (!run->trace)
		return;
	run->config.trace = strcmp(run->trace, "-") ? fopen(run->trace, "w") : stdout;
	if (!run->config.trace)
		die("can't write", run->trace);
}

/* The picture is made by the tool that draws recorded schedules, too. */
static int make_picture(const struct run *run)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		execlp("resch-draw", "resch-draw", run->trace, "-o", run->draw, NULL);
		fprintf(stderr,
			"resch-sim: can't run resch-draw: %s; it is in tools/ and needs python3-matplotlib\n",
			strerror(errno));
		_exit(127);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	if (*run->drawn)
		unlink(run->drawn);
	return status ? -EIO : 0;
}

/* Of a layout, the plan alone. */
static int read_plan(FILE *file, struct sim_plan_file *plan, char *error, size_t size)
{
	struct sim_layout layout;

	if (!sim_is_json(file))
		return sim_plan_read(file, plan, error, size);
	if (sim_layout_read(file, &layout, error, size))
		return -EINVAL;
	taskset_free(&layout.set);
	*plan = layout.plan;
	return 0;
}

static void add_plan(struct sim *sim, const struct sim_plan_file *plan, const char *text)
{
	struct resch_verdict verdict = { 0 };
	char error[200];
	int err = sim_plan_add(sim, plan, &verdict);

	if (err == -EBUSY) {
		sim_report_verdict(&verdict, error, sizeof(error));
		fprintf(stderr, "resch-sim: %s with %s refuses task %u: %s\n", sim->plugin->name,
			text, verdict.task, error);
		exit(EXIT_REFUSED);
	}
	if (err)
		die("reserves that overlap, are empty, or on CPUs that are not there:", text);
}

/* "FILE", or "FILE@TIME" */
static void add_plan_file(struct sim *sim, char *text)
{
	struct sim_plan_file plan;
	char *at = strrchr(text, '@');
	char error[200];
	FILE *file;

	if (at)
		*at++ = '\0';
	file = fopen(text, "r");
	if (!file)
		die("can't open", text);
	if (read_plan(file, &plan, error, sizeof(error))) {
		fprintf(stderr, "resch-sim: %s: %s\n", text, error);
		exit(EXIT_USAGE);
	}
	fclose(file);
	if (at)
		plan.from = time_of(at);
	add_plan(sim, &plan, text);
	free(plan.reserves);
}

static void put_inside(struct sim *sim, const struct sim_inside *inside)
{
	const struct resch_plugin *plugin = sim_plugin_find(inside->plugin);

	if (!plugin)
		die("no such plugin (--list):", inside->plugin);
	if (!resch_plugin_fits_inside(plugin))
		die("a plugin that can't run inside a server:", inside->plugin);
	if (sim_server_put_inside(sim->servers[sim->nr_servers - 1], plugin, inside->options))
		die("not options of the plugin inside a server:", inside->options);
}

static void add_servers(struct sim *sim, const char *path)
{
	struct resch_verdict verdict = { 0 };
	struct sim_server_file servers;
	char error[200];
	FILE *file = fopen(path, "r");
	u32 i;
	int err;

	if (!file)
		die("can't open", path);
	if (sim_server_read(file, &servers, error, sizeof(error))) {
		fprintf(stderr, "resch-sim: %s: %s\n", path, error);
		exit(EXIT_USAGE);
	}
	fclose(file);
	for (i = 0; i < servers.count; i++) {
		err = sim_server_add(sim, &servers.params[i], &verdict);
		if (!err && servers.params[i].policy == RESCH_SERVER_PLUGIN)
			put_inside(sim, &servers.inside[i]);
		if (!err)
			continue;
		if (err == -EOPNOTSUPP)
			die("no servers under plugin", sim->plugin->name);
		if (err != -EBUSY)
			die("a server names a CPU that is not there, in", path);
		sim_report_verdict(&verdict, error, sizeof(error));
		fprintf(stderr, "resch-sim: %s refuses server %u on CPU %d: %s\n",
			sim->plugin->name, i + 1, verdict.cpu, error);
		exit(EXIT_REFUSED);
	}
}

static struct sim *build(struct run *run, const char *path)
{
	struct resch_verdict verdict = { 0 };
	char error[200];
	struct sim *sim = sim_new(&run->config, error, sizeof(error));
	u32 i, plans = 0;
	int err;

	if (!sim) {
		fprintf(stderr, "resch-sim: %s\n", error);
		exit(EXIT_USAGE);
	}
	if (run->plan.count)
		add_plan(sim, &run->plan, path);
	else if (run->nr_plans)
		add_plan_file(sim, run->plans[plans++]);
	if (run->servers)
		add_servers(sim, run->servers);
	for (i = 0; i < run->set.count; i++) {
		err = sim_add(sim, &run->set.tasks[i], &verdict);
		if (!err)
			continue;
		if (err == -EINVAL)
			die("the plugin needs a plan (--plan) with reserves for the group, or a server (--servers), of task",
			    run->set.tasks[i].params.name);
		if (err == -ENODEV)
			die("the set names a CPU that is not there, task",
			    run->set.tasks[i].params.name);
		sim_report_verdict(&verdict, error, sizeof(error));
		fprintf(stderr, "resch-sim: %s refuses task %u (%s) on CPU %d: %s\n",
			run->config.plugin, i + 1, run->set.tasks[i].params.name, verdict.cpu,
			error);
		sim_free(sim);
		taskset_free(&run->set);
		exit(EXIT_REFUSED);
	}
	while (plans < run->nr_plans)
		add_plan_file(sim, run->plans[plans++]);
	return sim;
}

static int finish(struct run *run, struct sim *sim, int err)
{
	u64 misses = sim->parallel;
	u32 i;

	if (err)
		fprintf(stderr, "resch-sim: the core would throw %s out at %llu ns: %s\n",
			sim->plugin->name, (unsigned long long)sim->now, sim->fault);
	else if (run->json)
		sim_report_json(sim, stdout);
	else if (run->config.trace != stdout)
		sim_report_table(sim, stdout);
	if (run->config.trace && fflush(run->config.trace))
		die("can't write", run->trace);
	if (run->draw && make_picture(run))
		return EXIT_USAGE;
	for (i = 0; i < sim->nr_tasks; i++)
		misses += sim->tasks[i]->stats.misses;
	return err ? EXIT_PLUGIN : misses ? EXIT_MISSED : 0;
}

int main(int argc, char **argv)
{
	struct run run = { .config = { .plugin = "edf",
				       .cpus = 1,
				       .end = 1000000000,
				       .seed = 1,
				       .capacity = 1000000 } };
	struct sim *sim;
	int status;

	parse(&run, argc, argv);
	read_set(&run, argv[optind]);
	open_trace(&run);
	sim = build(&run, argv[optind]);
	status = finish(&run, sim, sim_run(sim));
	if (run.config.trace && run.config.trace != stdout)
		fclose(run.config.trace);
	sim_free(sim);
	free(run.plan.reserves);
	taskset_free(&run.set);
	return status;
}
