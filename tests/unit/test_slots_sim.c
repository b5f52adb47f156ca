// SPDX-License-Identifier: GPL-2.0
/* test_slots_sim - sekg and npsf on simulated machines, exact ones and such where all comes late */
#include "world_rig.h"

static void example_keeps_deadlines(void **state)
{
	static const char *const options[] = { "", "handover=retry" };
	u32 round;

	for (round = 0; round < 160; round++) {
		bool sekg = round & 1;
		struct world world =
			exact(sekg ? "sekg" : "npsf", options[round >> 1 & 1], 250 * MS, round);
		struct sim *sim = make_example(&world, sekg);

		/* who retries finds the group busy at the very instant, and loses 5 us a slot */
		add_example(sim, sekg, round >> 2 & 3, round & 2 ? 99 : 100);
		assert_int_equal(sim_run(sim), 0);
		if (misses(sim))
			fail_msg("round %u misses", round);
		check_windows(sim, sekg, 0);
		sim_free(sim);
	}
}

/* Partitioned EDF does not find room for a split task's set: three of .6 on two CPUs. */
static void more_than_partitioning_can(void **state)
{
	static const struct resch_reserve layout[] = {
		{ 0, 1300, 1, 0 }, { 1300, 2000, 2, 0 }, { 0, 700, 2, 1 }, { 700, 2000, 3, 1 }
	};
	struct world world = exact("sekg", "", 100 * MS, 1);
	struct resch_verdict verdict;
	struct sim *sim = make_world(&world, 2, layout, COUNT(layout), 2000), *edf;
	u32 i;

	edf = make("edf", "", 2, 100);
	for (i = 0; i < 3; i++) {
		struct taskset_task spec = spec_of(12000, 20000, 20000, FROM);

		spec.params.group = i + 1;
		assert_int_equal(sim_add(edf, &spec, &verdict), i < 2 ? 0 : -EBUSY);
		add(sim, &spec);
	}
	assert_int_equal(sim_run(sim), 0);
	assert_int_equal(misses(sim), 0);
	check_windows(sim, true, 0);
	sim_free(edf);
	sim_free(sim);
}

/* ---- all comes late -------------------------------------------------------------------------- */

/*
 * What a late machine takes: a part begins late by the other CPU's timer, its thread's way out, and
 * the kick or retry that tells us; each job costs up to two ways out; a release is known after
 * two late interrupts.
 */
static void admit_with_allowances(const struct world *world, bool sekg, u32 percent)
{
	struct resch_reserve reserves[8];
	u32 i, count = sekg ? COUNT(sekg_layout) : COUNT(npsf_layout);
	struct sim *sim;

	memcpy(reserves, sekg ? sekg_layout : npsf_layout, count * sizeof(*reserves));
	for (i = 0; i < count; i++)
		reserves[i].begin += 2 * world->jitter + world->stop + RETRY;
	sim = make_world(world, 4, reserves, count, 2 * MS);
	for (i = 0; i < 4; i++)
		sim->cpus[i].rq.overhead = 2 * world->stop;
	for (i = 0; i < COUNT(example); i++) {
		u64 period = example[i].period;
		struct taskset_task spec = spec_of(example[i].wcet * percent / 100,
						   period - 2 * world->jitter, period, 0);

		spec.params.group = sekg ? example[i].sekg : example[i].npsf;
		add(sim, &spec);
	}
	sim_free(sim);
}

/* Never on two CPUs at once, and no miss that the delays don't account for. */
static void example_on_late_machines(void **state)
{
	static const char *const options[] = { "", "handover=retry" };
	u64 late = 0;
	u32 round;

	for (round = 0; round < 160; round++) {
		bool sekg = round & 1;
		struct world world = {
			sekg ? "sekg" : "npsf", options[round >> 1 & 1], 250 * MS, round,
			round % 5 * 3 * US,	round % 7 * 3 * US
		};
		u32 percent = round % 3 ? 93 : 100;
		struct sim *sim = make_example(&world, sekg);

		add_example(sim, sekg, round >> 2 & 3, percent);
		assert_int_equal(sim_run(sim), 0);
		check_windows(sim, sekg, world.jitter);
		if (percent < 100) {
			admit_with_allowances(&world, sekg, percent);
			if (misses(sim))
				fail_msg("round %u misses", round);
		}
		late += misses(sim);
		sim_free(sim);
	}
	assert_true(late > 0); /* where there is no allowance the delays do show */
}

/* As late as can be: longer than most windows. Slow, but never on two CPUs, and nobody is lost. */
static void wild_machines(void **state)
{
	static const char *const options[] = { "", "handover=retry" };
	u32 round, i;

	for (round = 0; round < 60; round++) {
		bool sekg = round & 1;
		struct world world = { sekg ? "sekg" : "npsf",
				       options[round >> 1 & 1],
				       400 * MS,
				       round,
				       700 * US,
				       900 * US };
		struct sim *sim = make_example(&world, sekg);

		add_example(sim, sekg, round >> 2 & 3, 20);
		assert_int_equal(sim_run(sim), 0);
		assert_int_equal(sim->parallel, 0);
		for (i = 0; i < sim->nr_tasks; i++)
			assert_true(sim->tasks[i]->stats.completed + 3 >= sim->tasks[i]->released);
		for (i = 0; i < sim->nr_tasks; i++)
			assert_true(sim->tasks[i]->stats.completed > 5);
		sim_free(sim);
	}
}

/* ---- tightness ------------------------------------------------------------------------------- */

/*
 * A reserve of n S = (delta + 1) U / (U + delta) S carries a task of utilization U with a period of
 * delta S + (1 - n) S that arrives when the reserve ends: just so.
 */
static void tight_case(u64 delta, double share, bool split)
{
	double n = (double)(delta + 1) * share / (share + (double)delta);
	u64 slot = 100000, size = (u64)((double)slot * n) + 1;
	u64 period = delta * slot + slot - (u64)((double)slot * n);
	struct taskset_task spec = spec_of((u64)((double)period * share), period, period, 0);
	struct world world = exact("npsf", "", 50 * slot, 1);
	u32 smaller;

	for (smaller = 0; smaller < 2; smaller++) {
		u64 length = smaller ? size * 99 / 100 : size, cut = split ? length / 3 : length;
		struct resch_reserve reserves[] = { { slot - cut, slot, 1, 0 },
						    { 0, length - cut, 1, 1 } };
		struct sim *sim = make_world(&world, 2, reserves, split ? 2 : 1, slot);
		struct resch_verdict verdict = { 0 };

		spec.params.group = 1;
		spec.params.offset = spec.offset_max = FROM + (split ? length - cut : slot);
		assert_int_equal(sim_add(sim, &spec, &verdict), smaller ? -EBUSY : 0);
		if (smaller) {
			assert_true(verdict.bound == RESCH_BOUND_RESERVE);
			sim->config.force = true;
			add(sim, &spec);
		}
		assert_int_equal(sim_run(sim), 0);
		assert_true(!misses(sim) == !smaller);
		if (!smaller)
			assert_true(delta * size - spec.params.wcet <= delta + 3);
		assert_int_equal(sim->tasks[0]->outside, 0);
		sim_free(sim);
	}
}

static void reserves_are_tight(void **state)
{
	static const u64 deltas[] = { 1, 2, 4 };
	static const double shares[] = { .3, .6, .9 };
	u32 i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++) {
			tight_case(deltas[i], shares[k], false);
			tight_case(deltas[i], shares[k], true);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example_keeps_deadlines),
		cmocka_unit_test(more_than_partitioning_can),
		cmocka_unit_test(example_on_late_machines),
		cmocka_unit_test(wild_machines),
		cmocka_unit_test(reserves_are_tight),
	};

	return cmocka_run_group_tests_name("slots_sim", tests, NULL, NULL);
}
