// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_assign_run.c - task splitting: what is accepted keeps its deadlines in a simulation
 */
#include "assign_rig.h"

static void worked_examples_run(void **state)
{
	uint32_t method, sizing;

	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		for (sizing = RESCH_ASSIGN_PAPER; sizing <= RESCH_ASSIGN_EXACT; sizing++) {
			struct resch_assign request = ask(method, example, EXAMPLE, 4, 4);
			struct resch_layout *layout;

			request.sizing = sizing;
			request.cluster = 2;
			layout = must(&request);
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
	}
}

/* Nothing to spare: the formula's worst case, and a reserve that is 1 % smaller. */
static void tightness(void **state)
{
	static const uint32_t deltas[] = { 1, 2, 4 }, percents[] = { 30, 60, 90 };
	uint32_t i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			uint64_t slot = 100000, delta = deltas[i], percent = percents[j], size;
			struct resch_assign_task task = { slot * delta * percent / 100, 0,
							  slot * delta };
			struct resch_assign request =
				ask(RESCH_ASSIGN_NPSF, &task, 1, 1, (uint32_t)delta);
			struct resch_layout *layout = must(&request);
			struct slots slots = simulation(&request, layout);
			struct slots_result result;

			size = layout->groups[0].size;
			assert_int_equal(layout->slot, slot);
			slots.pattern = SLOTS_WINDOW;
			slot_tasks[0].period = slot_tasks[0].deadline = delta * slot + slot - size;
			slot_tasks[0].wcet = slot_tasks[0].period * percent / 100;
			slots.end = 10 * slot_tasks[0].period;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_int_equal(result.misses, 0);
			/*
			 * delta windows are all that it gets: with what they have beyond it, it
			 * fits
			 */
			assert_in_range(delta * size - slot_tasks[0].wcet, 0, 4);
			slot_tasks[0].wcet = delta * size;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_int_equal(result.misses, 0);
			slot_tasks[0].wcet++;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_true(result.misses > 0);
			slot_tasks[0].wcet = slot_tasks[0].period * percent / 100;
			slot_reserves[0].end = size * 99 / 100;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_true(result.misses > 0);
			resch_layout_free(layout);
		}
	}
}

/* What the simulator is for, it sees. */
static void simulator_sees(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	struct slots slots = simulation(&request, layout);
	struct slots_result result;

	/* t2's second piece opens while the first one is: it would run twice at once */
	slots.pattern = SLOTS_SYNCHRONOUS;
	slot_tasks[2].wcet = slot_tasks[2].period;
	slot_reserves[3].end = slot_reserves[2].begin + 1000;
	slot_reserves[4].begin = slot_reserves[3].end;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.parallel > 0 && result.misses > 0);
	/* reserves that overlap on a CPU are no layout at all */
	slot_reserves[4].begin--;
	assert_int_equal(slots_run(&slots, &result), -EINVAL);
	/* t4 without its second piece */
	slots = simulation(&request, layout);
	slot_reserves[6].group = 6;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.misses > 0);
	/* no interrupts were counted on */
	slots = simulation(&request, layout);
	slots.irqs = &(struct slots_irq){ -1, 1 * MS, 120 * US };
	slots.nr_irqs = 1;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.misses > 0 && !result.parallel);
	resch_layout_free(layout);
}

/* ---- random sets ----------------------------------------------------------------------------- */

/* Just below the bounds nothing is ever refused, and nothing is ever late. */
static void below_the_bounds(void **state)
{
	static const struct {
		uint32_t delta;
		uint64_t sekg, npsf;
	} table[] = { { 1, 656854, 750000 },
		      { 2, 797958, 833333 },
		      { 4, 888543, 900000 },
		      { 8, 941125, 944444 } };
	uint32_t round, i, m;

	for (round = 0; round < 12; round++) {
		for (i = 0; i < 4; i++) {
			for (m = 2; m <= 4; m += 2) {
				uint32_t nr = random_set(m * table[i].sekg, 20 + round % 4 * 25);
				struct resch_assign request =
					ask(RESCH_ASSIGN_SEKG, random_tasks, nr, m, table[i].delta);
				struct resch_layout *layout = must(&request);

				assert_no_miss(&request, layout);
				resch_layout_free(layout);
				nr = random_set(m * table[i].npsf, 20 + round % 4 * 25);
				request =
					ask(RESCH_ASSIGN_NPSF, random_tasks, nr, m, table[i].delta);
				layout = must(&request);
				assert_no_miss(&request, layout);
				resch_layout_free(layout);
			}
		}
	}
}

/* U / m <= (2 delta + 1) / (2 delta + 2) m' (m + 1) / (m (m' + 1)), rounded down */
static void cluster_bounds(void **state)
{
	static const struct {
		uint32_t delta, m, cluster;
		uint64_t ppm;
	} table[] = {
		{ 1, 4, 2, 625000 }, { 4, 4, 2, 750000 }, { 1, 8, 4, 675000 }, { 4, 8, 4, 810000 }
	};
	uint32_t round, i, j;

	for (round = 0; round < 30; round++) {
		for (i = 0; i < 4; i++) {
			uint32_t nr = random_set(table[i].m * table[i].ppm, 30 + round % 3 * 35);
			struct resch_assign request = ask(RESCH_ASSIGN_CNPSF, random_tasks, nr,
							  table[i].m, table[i].delta);
			struct resch_layout *layout;

			request.cluster = table[i].cluster;
			layout = must(&request);
			for (j = 0; j < layout->nr_reserves; j++) {
				uint32_t first = layout->groups[layout->reserves[j].group - 1].cpu;

				assert_int_equal(layout->reserves[j].cpu / request.cluster,
						 first / request.cluster);
			}
			if (round < 2)
				assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
	}
}

/*
 * Whatever is accepted, by either sizing and with whatever overheads and deadlines, is never late.
 */
static void accepted_is_kept(void **state)
{
	uint32_t round, accepted[3][2] = {}, i, better = 0;

	for (round = 0; round < 72; round++) {
		uint32_t nr = random_set(between(2700000, 4000000), 30 + round % 3 * 30), sizing;
		struct resch_assign request =
			ask(round % 3, random_tasks, nr, 4, (uint32_t)between(0, 4));
		struct resch_assign_refusal refusal;
		struct resch_layout *layout;
		int error[2];

		request.cluster = 2;
		request.delta_max = 8;
		request.slot_min = 100 * US;
		if (round % 2)
			request.overheads = some_overheads;
		for (i = 0; i < nr && round % 5 == 0; i++) {
			struct resch_assign_task *task = &random_tasks[i];

			task->deadline = between((task->wcet + task->period) / 2, 2 * task->period);
		}
		for (sizing = 0; sizing < 2; sizing++) {
			request.sizing = sizing;
			error[sizing] = resch_assign(&request, &layout, &refusal);
			if (error[sizing]) {
				assert_int_equal(error[sizing], -EBUSY);
				assert_says(&refusal, " ");
				continue;
			}
			accepted[round % 3][sizing]++;
			assert_int_equal(resch_layout_check(&request, layout, &refusal), 0);
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
		better += error[0] && !error[1];
	}
	for (i = 0; i < 3; i++) {
		print_message("%s: %u accepted by the papers' sizes, %u by demand\n",
			      resch_assign_name(i), accepted[i][0], accepted[i][1]);
		assert_true(accepted[i][0] > 3 && accepted[i][1] >= accepted[i][0]);
	}
	assert_true(better > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_examples_run), cmocka_unit_test(tightness),
		cmocka_unit_test(simulator_sees),      cmocka_unit_test(below_the_bounds),
		cmocka_unit_test(cluster_bounds),      cmocka_unit_test(accepted_is_kept),
	};

	return cmocka_run_group_tests_name("libresch_assign_run", tests, NULL, NULL);
}
