// SPDX-License-Identifier: GPL-2.0
/*
 * test_straight - releases and completions that go straight (resch/straight.h) make the schedule
 * that asking the plugin makes: both play the same sets, and all that they trace is compared
 */
#include "sim_rig.h"

static const struct {
	const char *name;
	const char *options;
} plugins[] = {
	{ "edf", "" },	{ "fp", "" }, { "fp", "order=rm" }, { "fp", "order=explicit" },
	{ "fifo", "" },
};

struct played {
	char *trace;
	size_t length;
	u64 decisions;
	u64 straights;
};

/* Plays the set that follows from @seed; most of its tasks are plain, most times coincide. */
static void play(u32 plugin, u64 seed, bool general, struct played *played)
{
	struct sim_config config = { .cpus = seed % 4 ? 1 : 2,
				     .end = 2000,
				     .seed = seed,
				     .capacity = 1000000,
				     .force = true,
				     .general = general };
	u64 random = seed;
	struct sim *sim;
	u32 i, count = rig_between(&random, 1, 9);

	snprintf(config.plugin, sizeof(config.plugin), "%s", plugins[plugin].name);
	snprintf(config.options, sizeof(config.options), "%s", plugins[plugin].options);
	config.switch_cost = seed % 3 ? 0 : rig_between(&random, 0, 2);
	config.release_cost = seed % 5 ? 0 : rig_between(&random, 0, 2);
	config.release_jitter = seed % 7 ? 0 : rig_between(&random, 0, 3);
	config.trace = open_memstream(&played->trace, &played->length);
	assert_non_null(config.trace);
	sim = make_of(&config);
	for (i = 0; i < count; i++) {
		u64 period = rig_between(&random, 10, 90), wcet = rig_between(&random, 1, 15);
		struct taskset_task spec = spec_of(wcet, rig_between(&random, wcet, 2 * period),
						   period, rig_between(&random, 0, 40));

		spec.exec_min = max(1ULL, wcet / 2);
		spec.exec_max = wcet + (rig_between(&random, 0, 3) ? 0 : 3); /* overruns, too */
		spec.params.priority = rig_between(&random, 0, 4);
		if (!rig_between(&random, 0, 4))
			spec.params.overrun = rig_between(&random, RESCH_COUNT, RESCH_SKIP);
		if (!rig_between(&random, 0, 4))
			spec.params.miss = rig_between(&random, RESCH_COUNT, RESCH_SKIP);
		if (!rig_between(&random, 0, 5))
			spec.gap_max += 5;
		add(sim, &spec);
	}
	assert_int_equal(sim_run(sim), 0);
	played->decisions = sim->decisions;
	played->straights = sim->straights;
	sim_free(sim);
	fclose(config.trace);
}

static void same_schedule(void **state)
{
	u32 plugin, seed;

	for (plugin = 0; plugin < sizeof(plugins) / sizeof(*plugins); plugin++) {
		u64 decisions = 0, straights = 0;

		for (seed = 1; seed <= 300; seed++) {
			struct played straight, general;

			play(plugin, seed, false, &straight);
			play(plugin, seed, true, &general);
			if (strcmp(straight.trace, general.trace))
				fail_msg("%s %s, seed %u: not the same", plugins[plugin].name,
					 plugins[plugin].options, seed);
			assert_int_equal(straight.decisions, general.decisions);
			assert_int_equal(general.straights, 0);
			decisions += straight.decisions;
			straights += straight.straights;
			free(straight.trace);
			free(general.trace);
		}
		/* There is something to compare. */
		assert_true(decisions > 25000);
		assert_true(straights > decisions / 3);
		assert_true(straights < decisions * 9 / 10);
	}
}

/* Whose order nobody knows is always asked. */
static void others_are_asked(void **state)
{
	struct taskset_task spec = spec_of(2, 10, 10, 0);
	struct sim *sim = make("demo", "", 1, 1000);

	add(sim, &spec);
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(sim->straights, 0);
	assert_true(sim->decisions > 100);
	sim_free(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_schedule),
		cmocka_unit_test(others_are_asked),
	};

	return cmocka_run_group_tests_name("straight", tests, NULL, NULL);
}
