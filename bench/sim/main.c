// SPDX-License-Identifier: GPL-2.0
/* resch-sim - play a task set under a plugin */
#include <unistd.h>
#include <sys/wait.h>

#include "chainset.h"
#include "progress.h"
#include "run.h"
#include "written.h"

/* A layout has all that would be asked for by -p, -c and --plan. */
static int read_layout(struct sim_run *run, FILE *file, char *error, size_t size)
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

static void read_set(struct sim_run *run, const char *path)
{
	char error[TASKSET_ERROR];
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int err;

	if (!file)
		sim_die("can't open", path);
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

static _Noreturn void cant_write(const char *path)
{
	fprintf(stderr, "resch-sim: %s: %s\n", path, strerror(errno));
	exit(EXIT_FAILED);
}

static void open_trace(struct sim_run *run)
{
	int fd;

	if (run->draw && !run->trace) {
		strcpy(run->drawn, "/tmp/resch-sim.XXXXXX");
		fd = mkstemp(run->drawn);
		if (fd < 0)
			cant_write(run->drawn);
		close(fd);
		run->trace = run->drawn;
	}
	if (!run->trace)
		return;
	run->config.trace = strcmp(run->trace, "-") ? fopen(run->trace, "w") : stdout;
	if (!run->config.trace)
		cant_write(run->trace);
}

/* Standard output is looked at when the program ends. */
static void close_trace(struct sim_run *run)
{
	FILE *trace = run->config.trace;
	bool lost = trace && ferror(trace);

	if (trace && trace != stdout && (fclose(trace) || lost))
		cant_write(run->trace);
	run->config.trace = NULL;
}

/* The picture is made by the tool that draws recorded schedules, too. */
static int make_picture(const struct sim_run *run)
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
	char error[RESCH_VERDICT_TEXT];
	int err = sim_plan_add(sim, plan, &verdict);

	if (err == -EBUSY) {
		resch_verdict_text_for(&verdict, "wcet", error, sizeof(error));
		fprintf(stderr, "resch-sim: %s with %s refuses task %u: %s\n", sim->plugin->name,
			text, verdict.task, error);
		exit(EXIT_FAILED);
	}
	if (err)
		sim_die("reserves that overlap, are empty, or on CPUs that are not there:", text);
}

/* "FILE", or "FILE@TIME" */
static void add_plan_file(struct sim *sim, char *text)
{
	struct sim_plan_file plan;
	char *at = strrchr(text, '@');
	char error[RESCH_VERDICT_TEXT];
	FILE *file;

	if (at)
		*at++ = '\0';
	file = fopen(text, "r");
	if (!file)
		sim_die("can't open", text);
	if (read_plan(file, &plan, error, sizeof(error))) {
		fprintf(stderr, "resch-sim: %s: %s\n", text, error);
		exit(EXIT_USAGE);
	}
	fclose(file);
	if (at)
		plan.from = sim_time_of(at);
	add_plan(sim, &plan, text);
	free(plan.reserves);
}

static void put_inside(struct sim *sim, const struct sim_inside *inside)
{
	const struct resch_plugin *plugin = sim_plugin_find(inside->plugin);

	if (!plugin)
		sim_die("no such plugin (--list):", inside->plugin);
	if (!resch_plugin_fits_inside(plugin))
		sim_die("a plugin that can't run inside a server:", inside->plugin);
	if (sim_server_put_inside(sim->servers[sim->nr_servers - 1], plugin, inside->options))
		sim_die("not options of the plugin inside a server, where times have units:",
			inside->options);
}

static void add_servers(struct sim *sim, const char *path)
{
	struct resch_verdict verdict = { 0 };
	struct sim_server_file servers;
	char error[RESCH_VERDICT_TEXT];
	FILE *file = fopen(path, "r");
	u32 i;
	int err;

	if (!file)
		sim_die("can't open", path);
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
			sim_die("no servers under plugin", sim->plugin->name);
		if (err == -EINVAL)
			sim_die("the policy, quantum or reclaiming of a server does not go with its kind, in",
				path);
		if (err != -EBUSY)
			sim_die("a server names a CPU that is not there, in", path);
		resch_verdict_text_for(&verdict, "budget", error, sizeof(error));
		fprintf(stderr, "resch-sim: %s refuses server %u: %s\n", sim->plugin->name, i + 1,
			error);
		exit(EXIT_FAILED);
	}
}

static struct sim *build(struct sim_run *run, const char *path)
{
	struct resch_verdict verdict = { 0 };
	char error[RESCH_VERDICT_TEXT];
	struct sim *sim = sim_new(&run->config, error, sizeof(error));
	struct sim_progress progress = {};
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
		sim_progress_admit(&progress, i, run->set.count);
		err = sim_add(sim, &run->set.tasks[i], &verdict);
		if (!err)
			continue;
		sim_progress_done(&progress);
		if (err == -EINVAL)
			sim_die("the plugin needs a plan (--plan) with reserves for the group, or a server (--servers), of task",
				run->set.tasks[i].params.name);
		if (err == -ENODEV)
			sim_die("the set names a CPU that is not there, task",
				run->set.tasks[i].params.name);
		resch_verdict_text_for(&verdict, "wcet", error, sizeof(error));
		fprintf(stderr, "resch-sim: %s refuses task %u (%s): %s\n", run->config.plugin,
			i + 1, run->set.tasks[i].params.name, error);
		sim_free(sim);
		taskset_free(&run->set);
		exit(EXIT_FAILED);
	}
	sim_progress_done(&progress);
	while (plans < run->nr_plans)
		add_plan_file(sim, run->plans[plans++]);
	return sim;
}

static int finish(struct sim_run *run, struct sim *sim, int err)
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
	close_trace(run);
	if (run->draw && make_picture(run))
		return EXIT_FAILED;
	for (i = 0; i < sim->nr_tasks; i++)
		misses += sim->tasks[i]->stats.misses;
	return err ? EXIT_PLUGIN : misses ? EXIT_FAILED : EXIT_DONE;
}

/* ---- chains ---------------------------------------------------------------------------------- */

static void read_chains(struct sim_run *run, struct chainset *set)
{
	const char *path = run->chains.path;
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char error[CHAINSET_ERROR];
	u32 i;

	if (!file)
		sim_die("can't open", path);
	if (chainset_read(file, set, error, sizeof(error))) {
		fprintf(stderr, "resch-sim: %s: %s\n", path, error);
		exit(EXIT_USAGE);
	}
	if (file != stdin)
		fclose(file);
	if (!run->plugin_given)
		sim_plugin_of("fp:order=explicit", run->config.plugin, run->config.options);
	set->model.policy = strcmp(run->config.plugin, "edf") ? RESCH_CHAIN_FP : RESCH_CHAIN_EDF;
	set->model.handover_min = run->chains.config.handover_min;
	set->model.handover_max = run->chains.config.handover_max;
	set->model.overhead = run->config.overhead;
	for (i = 0; i < set->model.count && run->chains.protocol >= 0; i++)
		set->model.chains[i].protocol = (u32)run->chains.protocol;
	if (run->chains.rule < 0 && (set->model.policy ? set->assigned : set->prioritised))
		return;
	if (resch_chain_assign(&set->model,
			       run->chains.rule < 0 ? RESCH_CHAIN_PD : (u32)run->chains.rule))
		sim_die("a deadline is shorter than what its chain takes alone, in", path);
}

static int play_chains(struct sim_run *run)
{
	struct sim_chain_play *play = calloc(1, sizeof(*play));
	struct chainset set;
	char error[RESCH_CHAIN_TEXT] = "out of memory";
	u64 misses = 0;
	u32 i;
	int err = -ENOMEM;

	read_chains(run, &set);
	if (play) {
		play->model = set.model;
		play->config = run->chains.config;
		play->sim = run->config;
		play->phases = run->chains.phases;
		play->all = run->chains.all;
		play->end = run->time_given ? run->config.end : 0;
		err = sim_chain_play(play, error, sizeof(error));
	}
	if (err)
		fprintf(stderr, "resch-sim: %s: %s\n", run->chains.path, error);
	else if (run->json)
		sim_chain_report_json(play, run->chains.histogram, stdout);
	else if (run->config.trace != stdout)
		sim_chain_report_table(play, run->chains.histogram, stdout);
	for (i = 0; i < set.model.count && !err; i++)
		misses += play->totals[i].missed;
	if (play)
		sim_chain_play_free(play);
	free(play);
	chainset_free(&set);
	if (err)
		return err == -EPROTO ? EXIT_PLUGIN : EXIT_USAGE;
	return misses ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct sim_run run = { .chains = { .protocol = -1, .rule = -1 },
			       .config = { .plugin = "edf",
					   .cpus = 1,
					   .end = 1000000000,
					   .seed = 1,
					   .capacity = 1000000 } };
	struct sim *sim;
	int status;

	written_or_failed("resch-sim");
	sim_run_parse(&run, argc, argv);
	if (run.chains.path) {
		if ((run.trace || run.draw) && (run.chains.all || run.chains.phases > 1))
			sim_die("a trace is of one phasing, not of", "--phases");
		open_trace(&run);
		status = play_chains(&run);
		close_trace(&run);
		return run.draw && make_picture(&run) ? EXIT_FAILED : status;
	}
	read_set(&run, argv[optind]);
	open_trace(&run);
	sim = build(&run, argv[optind]);
	status = finish(&run, sim, sim_run(sim));
	sim_free(sim);
	free(run.plan.reserves);
	taskset_free(&run.set);
	return status;
}
