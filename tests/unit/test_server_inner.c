// SPDX-License-Identifier: GPL-2.0
/*
 * test_server_inner - plugins inside servers: the same schedules as the policies of servers,
 * promises that hold whoever is picked, and plugins that err
 */
#include "sim_rig.h"

#define US 1000ULL
#define MS 1000000ULL
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct resch_plugin *resch_artis(void);
const struct resch_plugin *resch_npsf(void);
const struct resch_plugin *resch_sekg(void);
const struct resch_plugin *resch_server(void);

/* ---- the same schedule ----------------------------------------------------------------------- */

/* A policy of servers, and the plugin that does the same. */
static const struct twin {
	u32 policy;
	const char *plugin;
	const char *options;
} twins[] = {
	{ RESCH_SERVER_EDF, "edf", "" },       { RESCH_SERVER_DM, "fp", "" },
	{ RESCH_SERVER_RM, "fp", "order=rm" }, { RESCH_SERVER_PRIORITY, "fp", "order=explicit" },
	{ RESCH_SERVER_FIFO, "fifo", "" },
};

#define STRETCHES 20000

/* Who has executed when, without gaps. */
struct schedule {
	u32 count;
	struct stretch {
		u64 from, to;
		u32 task;
	} stretch[STRETCHES];
};

static struct schedule schedules[2];

static void watch(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	struct schedule *schedule = sim->watcher;
	struct stretch *last = schedule->stretch + schedule->count - 1;
	u32 id = task ? task->task.id : 0;

	if (schedule->count && last->task == id && last->to == from) {
		last->to = to;
		return;
	}
	assert_true(schedule->count < STRETCHES);
	schedule->stretch[schedule->count++] = (struct stretch){ from, to, id };
}

static void add_server(struct sim *sim, struct resch_server_params *params, const struct twin *twin,
		       bool inside)
{
	struct resch_verdict verdict;

	params->policy = inside ? RESCH_SERVER_PLUGIN : twin->policy;
	params->cpu = -1;
	assert_int_equal(sim_server_add(sim, params, &verdict), 0);
	if (inside)
		assert_int_equal(sim_server_put_inside(sim->servers[sim->nr_servers - 1],
						       sim_plugin_find(twin->plugin),
						       twin->options),
				 0);
}

/* A system from a seed; what a policy of servers orders in one run a plugin does in the other. */
static void play(u64 seed, bool inside, struct schedule *schedule)
{
	u64 random = seed, i, servers = rig_between(&random, 1, 3),
	    tasks = rig_between(&random, 2, 9);
	struct sim *sim = make("server", "", 1, 150 * MS);

	sim->config.force = true;
	schedule->count = 0;
	sim->watch = watch;
	sim->watcher = schedule;
	for (i = 0; i < servers; i++) {
		u64 period = rig_between(&random, 2, 20) * MS;
		struct resch_server_params params = {
			.kind = rig_between(&random, 0, 1) ? RESCH_SERVER_CBS :
							     RESCH_SERVER_CBS_HARD,
			.period = period,
			.budget = rig_between(&random, period / 20, period / 2),
			.flags = rig_between(&random, 0, 2) ? 0 : RESCH_SERVER_F_RECLAIM,
		};
		const struct twin *twin =
			&twins[rig_between(&random, 0, sizeof(twins) / sizeof(twins[0]) - 1)];

		bool both = i && !rig_between(&random, 0, 3);

		add_server(sim, &params, twin, inside && !both);
	}
	for (i = 0; i < tasks; i++) {
		u64 period = rig_between(&random, 2, 40) * MS;
		struct taskset_task spec =
			spec_of(rig_between(&random, 1, period / 4), period, period, 0);

		spec.params.deadline = rig_between(&random, spec.params.wcet, 2 * period);
		spec.params.priority = (u32)rig_between(&random, 0, 3);
		spec.params.group = (u32)rig_between(&random, 1, servers);
		spec.params.overrun = rig_between(&random, 0, 1) ? RESCH_THROTTLE : RESCH_COUNT;
		spec.params.miss = rig_between(&random, 0, 3) ? RESCH_COUNT : RESCH_SKIP;
		spec.exec_min = 1;
		spec.exec_max = spec.params.wcet * 5 / 4;
		spec.gap_max = period * 3 / 2;
		spec.offset_max = rig_between(&random, 0, 1) ? period : 0;
		add(sim, &spec);
	}
	if (rig_between(&random, 0, 3) == 0) {
		/* Servers and their plugins stand while another plugin has the CPU. */
		struct sim_swap swaps[2] = { { .plugin = "fp", .at = 41 * MS },
					     { .plugin = "server", .at = 67 * MS } };

		memcpy(sim->config.swaps, swaps, sizeof(swaps));
		sim->config.nr_swaps = 2;
	}
	assert_int_equal(sim_run(sim), 0);
	for (i = 0; i < servers; i++)
		assert_null(sim->servers[i]->inner.fault);
	sim_free(sim);
}

/* The two that were played are the same; how many stretches they have. */
static u32 compare(u32 system)
{
	u32 i;

	for (i = 0; i < min(schedules[0].count, schedules[1].count); i++) {
		const struct stretch *one = &schedules[0].stretch[i],
				     *two = &schedules[1].stretch[i];

		if (one->task != two->task || one->from != two->from || one->to != two->to)
			fail_msg(
				"system %u: task %u from %llu to %llu, inside task %u from %llu to %llu",
				system, one->task, (unsigned long long)one->from,
				(unsigned long long)one->to, two->task,
				(unsigned long long)two->from, (unsigned long long)two->to);
	}
	assert_int_equal(schedules[0].count, schedules[1].count);
	return schedules[0].count;
}

static void twins_agree(void **state)
{
	u32 seed, rounds = getenv("RESCH_TEST_LONG") ? 20000 : 400;
	u64 stretches = 0;

	for (seed = 1; seed <= rounds; seed++) {
		play(seed, false, &schedules[0]);
		play(seed, true, &schedules[1]);
		stretches += compare(seed);
	}
	assert_true(stretches > 20 * rounds);
}

/* Tasks under a plugin that has the CPU, or is inside a server that has all of it. */
static void play_whole(u64 seed, const struct twin *twin, bool inside, struct schedule *schedule)
{
	struct sim *sim =
		make(inside ? "server" : twin->plugin, inside ? "" : twin->options, 1, 150 * MS);
	struct resch_server_params params = { .budget = 7 * MS, .period = 7 * MS };
	u64 random = seed, i;

	sim->config.force = true;
	schedule->count = 0;
	sim->watch = watch;
	sim->watcher = schedule;
	if (inside)
		add_server(sim, &params, twin, true);
	for (i = 0; i < 5; i++) {
		u64 period = rig_between(&random, 2, 40) * MS;
		struct taskset_task spec =
			spec_of(rig_between(&random, 1, period / 4), period, period, 0);

		spec.params.group = 1;
		spec.params.priority = (u32)rig_between(&random, 0, 3);
		spec.exec_min = 1;
		spec.offset_max = period;
		add(sim, &spec);
	}
	assert_int_equal(sim_run(sim), 0);
	sim_free(sim);
}

static void whole_cpu(void **state)
{
	static const struct twin alone[] = {
		{ 0, "edf", "" },  { 0, "fp", "" },   { 0, "fp", "order=explicit" },
		{ 0, "fifo", "" }, { 0, "demo", "" }, { 0, "demo", "quantum=170us" },
	};
	u32 seed, rounds = getenv("RESCH_TEST_LONG") ? 10000 : 120;
	u64 stretches = 0;

	for (seed = 1; seed <= rounds; seed++) {
		play_whole(seed, &alone[seed % COUNT(alone)], false, &schedules[0]);
		play_whole(seed, &alone[seed % COUNT(alone)], true, &schedules[1]);
		stretches += compare(seed);
	}
	assert_true(stretches > 20 * rounds);
}

/* ---- who may --------------------------------------------------------------------------------- */

static void flags(void **state)
{
	static const struct {
		const struct resch_plugin *(*plugin)(void);
		bool may;
	} plugins[] = {
		{ resch_edf, true },	 { resch_fp, true },	{ resch_demo, true },
		{ resch_artis, false },	 { resch_npsf, false }, { resch_sekg, false },
		{ resch_server, false },
	};
	struct resch_server_params params = {
		.policy = RESCH_SERVER_PLUGIN, .budget = 4 * MS, .period = 10 * MS, .cpu = -1
	};
	struct sim *sim = make("server", "", 1, MS);
	struct resch_verdict verdict;
	u32 i;

	assert_int_equal(sim_server_add(sim, &params, &verdict), 0);
	for (i = 0; i < COUNT(plugins); i++) {
		const struct resch_plugin *plugin = plugins[i].plugin();

		assert_int_equal(resch_plugin_fits_inside(plugin), plugins[i].may);
		assert_int_equal(sim_server_put_inside(sim->servers[0], plugin, ""),
				 plugins[i].may ? 0 : -EINVAL);
		if (plugins[i].may)
			assert_null(plugin->stopped);
	}
	assert_true(resch_plugin_fits_inside(&resch_plugin_fallback));
	assert_int_equal(sim_server_put_inside(sim->servers[0], resch_fp(), "order=rm,test=ll"), 0);
	assert_string_equal(sim->servers[0]->policy, "plugin:fp");
	assert_int_equal(sim_server_put_inside(sim->servers[0], resch_fp(), "order=best"), -EINVAL);
	assert_int_equal(sim_server_put_inside(sim->servers[0], resch_edf(), "order=rm"), -EINVAL);
	sim_free(sim);
}

static struct sim_server_file file;

static int read_text(const char *text)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	char error[200];
	int result = sim_server_read(in, &file, error, sizeof(error));

	fclose(in);
	return result;
}

static void files(void **state)
{
	static const char *const bad[] = {
		"cbs, 1ms, 10ms, plugin",
		"cbs, 1ms, 10ms, plugin:",
		"cbs, 1ms, 10ms, plugin::order=rm",
		"cbs, 1ms, 10ms, edf:fp",
		"cbs, 1ms, 10ms, fp",
		"cbs, 1ms, 10ms, plugin:a-name-of-16-chr",
	};
	u32 i;

	assert_int_equal(read_text("cbs-hard, 1ms, 10ms, plugin:fp:order=rm;test=ll, 1\n"
				   "cbs, 1ms, 10ms, plugin:edf, , , reclaim\ncbs, 1ms, 10ms, dm\n"),
			 0);
	assert_int_equal(file.count, 3);
	assert_int_equal(file.params[0].policy, RESCH_SERVER_PLUGIN);
	assert_string_equal(file.inside[0].plugin, "fp");
	assert_string_equal(file.inside[0].options, "order=rm,test=ll");
	assert_int_equal(file.params[0].cpu, 1);
	assert_string_equal(file.inside[1].plugin, "edf");
	assert_string_equal(file.inside[1].options, "");
	assert_string_equal(file.inside[2].plugin, "");
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(read_text(bad[i]), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twins_agree),
		cmocka_unit_test(whole_cpu),
		cmocka_unit_test(flags),
		cmocka_unit_test(files),
	};

	return cmocka_run_group_tests_name("server_inner", tests, NULL, NULL);
}
