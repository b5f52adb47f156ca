// SPDX-License-Identifier: GPL-2.0
/*
 * test_slots_sim_plans - random plans, plans and plugins that change, and plan files, on simulated
 * machines
 */
#include "world_rig.h"

/* ---- admission and schedules ----------------------------------------------------------------- */

static u32 random_layout(u64 *random, u64 slot, struct resch_reserve *reserves)
{
	u64 at = 0;
	u32 count = 0, cpu = 0;

	while (count < RESCH_PARTS_MAX) {
		u64 begin = at + rig_between(random, 0, slot / 3);
		u64 end = begin + rig_between(random, 1, slot / 2);

		if (end > slot)
			break;
		reserves[count++] = (struct resch_reserve){ begin, end, 1, cpu };
		cpu = min(cpu + (u32)(rig_random(random) % 2), 3U);
		at = end;
	}
	if (!count)
		reserves[count++] = (struct resch_reserve){ 0, slot / 2, 1, 0 };
	return count;
}

struct draw {
	struct resch_reserve reserves[RESCH_PARTS_MAX];
	u32 count;
	u64 slot;
	struct taskset_task specs[3];
	u32 tasks;
};

static void draw_all(struct draw *draw, u64 *random)
{
	u32 i;

	draw->slot = rig_between(random, 10, 60);
	draw->count = random_layout(random, draw->slot, draw->reserves);
	draw->tasks = (u32)rig_between(random, 1, 3);
	for (i = 0; i < draw->tasks; i++) {
		u64 period = rig_between(random, 20, 200);
		u64 deadline = rig_random(random) % 2 ?
				       period :
				       rig_between(random, period / 4, period * 5 / 4);
		u64 most = min(period, deadline) / (draw->tasks + 1) + 1;

		draw->specs[i] = spec_of(rig_between(random, 1, most), deadline, period, 0);
		draw->specs[i].params.group = 1;
	}
}

/* Misses when all arrive @offset after the plan begins. */
static u64 misses_from(const struct draw *draw, const char *plugin, u64 offset, u64 seed)
{
	struct world world = exact(plugin, "", 40000, seed);
	struct sim *sim = make_world(&world, 4, draw->reserves, draw->count, draw->slot);
	u64 sum;
	u32 i;

	sim->config.force = true;
	for (i = 0; i < draw->tasks; i++) {
		struct taskset_task spec = draw->specs[i];

		spec.params.offset = FROM + offset;
		spec.offset_max = spec.params.offset + (seed ? 300 : 0);
		if (seed % 2)
			spec.gap_max = spec.params.period * 2;
		add(sim, &spec);
	}
	assert_int_equal(sim_run(sim), 0);
	check_windows(sim, !strcmp(plugin, "sekg"), 0);
	sum = misses(sim);
	sim_free(sim);
	return sum;
}

/*
 * The test is exact: whom it takes never misses, and whom it refuses for their demand does, if all
 * arrive when the right one of the parts ends.
 */
static void admission_is_exact(void **state)
{
	u64 random = 3;
	u32 round, i, accepted = 0, refused = 0;

	for (round = 0; round < 600; round++) {
		struct world world = exact("npsf", "", 1, 1);
		struct resch_verdict verdict = { 0 };
		struct draw draw;
		struct sim *sim;
		u64 missed = 0;
		int err = 0;

		draw_all(&draw, &random);
		sim = make_world(&world, 4, draw.reserves, draw.count, draw.slot);
		for (i = 0; i < draw.tasks && !err; i++)
			err = sim_add(sim, &draw.specs[i], &verdict);
		draw.tasks = i;
		sim_free(sim);
		for (i = 0; i < draw.count && (!err || !missed); i++)
			missed += misses_from(&draw, "npsf", draw.reserves[i].end, 0);
		if (!err) {
			missed += misses_from(&draw, "npsf", 0, 2 * round + 1);
			missed += misses_from(&draw, "sekg", 0, 2 * round + 2);
			assert_int_equal(missed, 0);
			accepted++;
		} else if (verdict.bound == RESCH_BOUND_RESERVE) {
			assert_true(missed > 0);
			refused++;
		}
	}
	print_message("%u sets accepted, %u refused by demand\n", accepted, refused);
	assert_true(accepted > 80 && refused > 80);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* The same windows on other CPUs, twice; then all as before, with everything late. */
static void plans_change(void **state)
{
	u32 round, i, k;

	for (round = 0; round < 40; round++) {
		bool sekg = round & 1;
		struct world world = { sekg ? "sekg" : "npsf",
				       round & 2 ? "handover=retry" : "",
				       200 * MS,
				       round,
				       round & 8 ? 30 * US : 0,
				       round & 8 ? 50 * US : 0 };
		struct sim *sim = make_example(&world, sekg);
		u32 count = sekg ? COUNT(sekg_layout) : COUNT(npsf_layout);

		add_example(sim, sekg, round >> 2 & 1, round & 2 ? 99 : 100);
		for (k = 1; k < 3; k++) {
			struct resch_reserve reserves[8];
			struct sim_plan_file file = { reserves, count, 2 * MS, k * 60 * MS + 777 };
			struct resch_verdict verdict;

			memcpy(reserves, sekg ? sekg_layout : npsf_layout,
			       count * sizeof(*reserves));
			for (i = 0; i < count; i++)
				reserves[i].cpu = (reserves[i].cpu + k) % 4;
			assert_int_equal(sim_plan_add(sim, &file, &verdict), 0);
			assert_true(sim_plan_latest(sim)->from - file.from < 2 * MS);
			assert_int_equal((sim_plan_latest(sim)->from - FROM) % (2 * MS), 0);
		}
		assert_int_equal(sim_run(sim), 0);
		assert_int_equal(sim->parallel, 0);
		assert_int_equal(sim->plan, 3);
		for (i = 0; i < sim->nr_tasks; i++)
			assert_true(sim->tasks[i]->stats.migrations > 0);
		if (!world.jitter)
			assert_int_equal(misses(sim), 0);
		sim_free(sim);
	}
}

/* A plan in which a standing task has no reserve, or too little, is refused. */
static void plan_refused(void **state)
{
	struct world world = exact("npsf", "", 200 * MS, 1);
	struct sim *sim = make_example(&world, false);
	struct resch_reserve reserves[COUNT(npsf_layout)];
	struct sim_plan_file file = { reserves, COUNT(npsf_layout), 2 * MS, 50 * MS };
	struct resch_verdict verdict = { 0 };

	add_example(sim, false, TOGETHER, 100);
	memcpy(reserves, npsf_layout, sizeof(reserves));
	reserves[6].end = 300000;
	assert_int_equal(sim_plan_add(sim, &file, &verdict), -EBUSY);
	assert_true(verdict.task == 6 || verdict.task == 7);
	reserves[6] = npsf_layout[6];
	reserves[0].group = 9;
	assert_int_equal(sim_plan_add(sim, &file, &verdict), -EBUSY);
	reserves[0] = npsf_layout[0];
	reserves[6].begin = reserves[6].end;
	assert_int_equal(sim_plan_add(sim, &file, &verdict), -EINVAL);
	sim_free(sim);
}

/* From a plugin that knows no groups, to one that does, to another, and back: jobs go on. */
static void plugins_change(void **state)
{
	static const char *const names[] = { "sekg", "npsf", "edf", "npsf", "edf", "sekg" };
	u32 round, i;

	for (round = 0; round < 30; round++) {
		struct world world = {
			"edf", "", 400 * MS, round, round % 3 * 20 * US, round % 2 * 60 * US
		};
		/* the layout of the bins suits sekg as well */
		struct sim *sim = make_example(&world, false);

		for (i = 0; i < COUNT(names); i++) {
			sim->config.swaps[i].at = (i + 1) * 50 * MS + 333 * round;
			strcpy(sim->config.swaps[i].plugin, names[i]);
		}
		sim->config.nr_swaps = COUNT(names);
		add_example(sim, false, round >> 1 & 3, 90);
		assert_int_equal(sim_run(sim), 0);
		assert_int_equal(sim->next_swap, COUNT(names));
		assert_string_equal(sim->plugin->name, "sekg");
		assert_int_equal(sim->parallel, 0);
		for (i = 0; i < sim->nr_tasks; i++)
			assert_true(sim->tasks[i]->stats.completed + 2 >= sim->tasks[i]->released);
		sim_free(sim);
	}
}

/* After a hundred thousand slots the windows are where they belong, to the nanosecond. */
static void slots_do_not_drift(void **state)
{
	static const struct resch_reserve layout[] = { { 10, 700, 1, 0 }, { 700, 1007, 1, 1 } };
	struct world world = exact("npsf", "", 100000 * 1007, 1);
	struct sim *sim = make_world(&world, 2, layout, 2, 1007);
	struct taskset_task spec = spec_of(900000, 1007000, 1007000, 0);

	spec.params.group = 1;
	add(sim, &spec);
	assert_int_equal(sim_run(sim), 0);
	check_windows(sim, false, 0);
	assert_true(sim->cpus[0].rq.plan->from == FROM);
	assert_int_equal(misses(sim), 0);
	sim_free(sim);
}

static void npsf_reclaims(void **state)
{
	static const struct resch_reserve layout[] = { { 0, 500, 1, 0 }, { 500, 1000, 2, 0 } };
	static const char *const options[] = { "", "reclaim=1" };
	u32 i;

	for (i = 0; i < 2; i++) {
		struct world world = exact("npsf", options[i], 1 * MS, 1);
		struct sim *sim = make_world(&world, 1, layout, 2, 1000);
		struct taskset_task spec = spec_of(4000, 10000, 10000, FROM);

		spec.params.group = 1;
		add(sim, &spec);
		assert_int_equal(sim_run(sim), 0);
		assert_int_equal(sim->tasks[0]->stats.response_max, i ? 4000 : 7500);
		assert_true(!sim->tasks[0]->outside == !i);
		sim_free(sim);
	}
}

/* ---- plan files ------------------------------------------------------------------------------ */

static int read_text(const char *text, struct sim_plan_file *plan)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	char error[200] = "";
	int err = sim_plan_read(file, plan, error, sizeof(error));

	fclose(file);
	assert_true(!err == !*error);
	return err;
}

static void plan_files(void **state)
{
	static const char *const bad[] = {
		"slot,2ms\n",
		"1,0,0,1ms\n",
		"slot,2ms\n1,0,0\n",
		"slot,2ms\n1,0,0,1ms,4\n",
		"slot,2ms\n1,x,0,1ms\n",
		"slot\n1,0,0,1ms\n",
		"slot,2ms\nfrom\n1,0,0,1ms\n",
		"slot,2ms\n1,0,0,one\n",
		"slot,2ms\n1,0,0,1000000\n",
		"",
		"slot,2ms\n-1,0,0,1ms\n",
	};
	struct sim_plan_file plan;
	u32 i;

	assert_int_equal(read_text("# a comment\nslot, 2ms\r\n\nfrom,5us # here\n"
				   "group,cpu,begin,end\n7, 1, 0, 1.5ms\n2,0,1500us,2ms\n",
				   &plan),
			 0);
	assert_int_equal(plan.slot, 2 * MS);
	assert_int_equal(plan.from, 5 * US);
	assert_int_equal(plan.count, 2);
	assert_int_equal(plan.reserves[0].group, 7);
	assert_int_equal(plan.reserves[0].cpu, 1);
	assert_int_equal(plan.reserves[0].end, 1500000);
	assert_int_equal(plan.reserves[1].begin, 1500000);
	free(plan.reserves);
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(read_text(bad[i], &plan), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(admission_is_exact), cmocka_unit_test(plans_change),
		cmocka_unit_test(plan_refused),	      cmocka_unit_test(plugins_change),
		cmocka_unit_test(slots_do_not_drift), cmocka_unit_test(npsf_reclaims),
		cmocka_unit_test(plan_files),
	};

	return cmocka_run_group_tests_name("slots_sim_plans", tests, NULL, NULL);
}
