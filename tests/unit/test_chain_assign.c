// SPDX-License-Identifier: GPL-2.0
/* test_chain_assign - deadlines for stages, what EDF makes of them, and what would pass */
#include "chain_rig.h"

/* Exact figures of all stages, ns. */
static void expect_locals(const struct chain_rig *rig, const uint64_t wanted[3][3])
{
	int i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			assert_int_equal(rig->chains[i].stages[k].local, wanted[i][k]);
}

static void expect_priorities(const struct chain_rig *rig, const uint32_t wanted[3][3])
{
	int i, k;

	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			assert_int_equal(rig->chains[i].stages[k].priority, wanted[i][k]);
}

static void from_the_origin(void **state)
{
	static const uint64_t ed[3][3] = { { 55 * UNIT, 63 * UNIT, 88 * UNIT },
					   { 14 * UNIT, 19 * UNIT, 30 * UNIT },
					   { 34 * UNIT, 40 * UNIT, 54 * UNIT } };
	static const uint64_t ud[3][3] = { { 88 * UNIT, 88 * UNIT, 88 * UNIT },
					   { 30 * UNIT, 30 * UNIT, 30 * UNIT },
					   { 54 * UNIT, 54 * UNIT, 54 * UNIT } };
	static const uint32_t rm[3][3] = { { 3, 3, 3 }, { 1, 1, 1 }, { 2, 2, 2 } };
	struct chain_rig rig;

	thaker(&rig);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_ED), 0);
	expect_locals(&rig, ed);
	expect_priorities(&rig, rm);
	assert_int_equal(rig.chains[0].stages[0].flags, RESCH_STAGE_ORIGIN);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_UD), 0);
	expect_locals(&rig, ud);
	expect_priorities(&rig, rm);
	/* good for priorities only */
	all_protocol(&rig, RESCH_CHAIN_RG);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result),
			 -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_METHOD);
}

static void from_releases(void **state)
{
	static const uint64_t pd[3][3] = { { 15400000, 17600000, 55000000 },
					   { 10800000, 6000000, 13200000 },
					   { 18000000, 10800000, 25200000 } };
	static const uint64_t eqs[3][3] = { { 23000000, 24000000, 41000000 },
					    { 10666666, 6666666, 12666668 },
					    { 18000000, 14000000, 22000000 } };
	static const uint32_t pdm[3][3] = { { 2, 3, 3 }, { 1, 1, 1 }, { 3, 2, 2 } };
	struct chain_rig rig;

	thaker(&rig);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	expect_locals(&rig, pd);
	expect_priorities(&rig, pdm);
	/* planned from the origin it is the same */
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_EQF), 0);
	expect_locals(&rig, pd);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_EQS), 0);
	expect_locals(&rig, eqs);
	assert_int_equal(rig.chains[0].stages[0].flags, 0);
}

/* Utilizations 7757/14040, 83/234 and 12163/14040, weights of T0: 7, 8 and 25 times these. */
static void normalised(void **state)
{
	const unsigned __int128 first = 7 * 7757, second = 8 * 4980, third = 25 * 12163,
				sum = first + second + third;
	struct chain_rig rig;
	uint64_t total = 0;
	int k;

	thaker(&rig);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_NPD), 0);
	assert_int_equal(rig.chains[0].stages[0].local, (uint64_t)(88 * UNIT * first / sum));
	assert_int_equal(rig.chains[0].stages[1].local, (uint64_t)(88 * UNIT * second / sum));
	for (k = 0; k < 3; k++)
		total += rig.chains[0].stages[k].local;
	assert_int_equal(total, 88 * UNIT);
}

static void online(void **state)
{
	struct chain_rig rig;
	uint64_t local;

	thaker(&rig);
	assert_int_equal(resch_chain_replan(&rig.chains[0], 1, 16 * UNIT, RESCH_CHAIN_EQF, &local),
			 0);
	assert_int_equal(local, 192 * UNIT / 11);
	assert_int_equal(resch_chain_replan(&rig.chains[0], 1, 16 * UNIT, RESCH_CHAIN_EQS, &local),
			 0);
	assert_int_equal(local, 55 * UNIT / 2);
	/* the last one gets all that is left; too late: what it needs */
	assert_int_equal(resch_chain_replan(&rig.chains[0], 2, 50 * UNIT, RESCH_CHAIN_EQF, &local),
			 0);
	assert_int_equal(local, 38 * UNIT);
	assert_int_equal(resch_chain_replan(&rig.chains[0], 1, 80 * UNIT, RESCH_CHAIN_EQS, &local),
			 0);
	assert_int_equal(local, 8 * UNIT);
	assert_int_equal(resch_chain_replan(&rig.chains[0], 3, 0, RESCH_CHAIN_EQS, &local),
			 -EINVAL);
	assert_int_equal(resch_chain_replan(&rig.chains[0], 0, 0, RESCH_CHAIN_PD, &local), -EINVAL);
}

/* What EDF refuses, on each CPU alone: the others' stages are elsewhere. */
static void expect_demand(uint32_t rule, int cpu, uint64_t time, uint64_t demand)
{
	struct chain_rig rig, alone;
	int i, err;

	thaker(&rig);
	assert_int_equal(resch_chain_assign(&rig.model, rule), 0);
	chain_rig_init(&alone);
	for (i = 0; i < 3; i++) {
		chain_add(&alone, rig.chains[i].period / UNIT, rig.chains[i].deadline / UNIT);
		alone.chains[i].stages[0] = rig.chains[i].stages[cpu];
		alone.chains[i].count = 1;
	}
	alone.model.policy = RESCH_CHAIN_EDF;
	err = resch_chain_analyse(&alone.model, RESCH_CHAIN_AUTO, &alone.result);
	assert_int_equal(alone.result.method, RESCH_CHAIN_DECOMPOSED);
	assert_int_equal(err, time ? -EBUSY : 0);
	if (!time)
		return;
	assert_int_equal(alone.result.refusal.reason, RESCH_CHAIN_DEMAND);
	assert_int_equal(alone.result.refusal.limit, time);
	assert_int_equal(alone.result.refusal.value, demand * UNIT);
}

static void edf(void **state)
{
	struct chain_rig rig;

	expect_demand(RESCH_CHAIN_PD, 0, 15400000, 16);
	expect_demand(RESCH_CHAIN_PD, 1, 10800000, 11);
	expect_demand(RESCH_CHAIN_PD, 2, 55000000, 61);
	expect_demand(RESCH_CHAIN_EQS, 0, 18000000, 19);
	expect_demand(RESCH_CHAIN_EQS, 1, 0, 0);
	expect_demand(RESCH_CHAIN_EQS, 2, 22000000, 25);

	/* all of it: the first of them; with the double of everything it fits */
	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	rig.model.policy = RESCH_CHAIN_EDF;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), -EBUSY);
	assert_int_equal(rig.result.refusal.limit, 15400000);
	rig.chains[0].deadline = 180 * UNIT;
	rig.chains[1].deadline = 60 * UNIT;
	rig.chains[2].deadline = 110 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), 0);
	assert_int_equal(rig.bounds[0].response, 180 * UNIT);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_TC, &rig.result), -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_METHOD);
}

static void decomposed(void **state)
{
	struct chain_rig rig;

	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG1);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result),
			 -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_UNASSIGNED);
	rig.chains[0].deadline = 200 * UNIT;
	rig.chains[1].deadline = 30 * UNIT;
	rig.chains[2].deadline = 100 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result), 0);
	assert_int_equal(rig.bounds[0].response, 131 * UNIT);
	/* a stage of its own, and the sum */
	rig.chains[0].stages[2].local = 86 * UNIT - 1;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result),
			 -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_LOCAL);
	assert_int_equal(rig.result.refusal.stage, 2);
	assert_int_equal(rig.result.refusal.value, 86 * UNIT);
	rig.chains[0].stages[2].local = 200 * UNIT;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result),
			 -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_SUM);
	assert_int_equal(rig.result.refusal.value, 275 * UNIT);
	all_protocol(&rig, RESCH_CHAIN_DS);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result),
			 -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_METHOD);
}

/* Hand-overs, declared latencies and clocks are not for dividing. */
static void what_is_left(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 20, 60);
	stage_add(chain, 5, 0, 0);
	stage_add(chain, 10, 0, 0)->kind = RESCH_STAGE_DELAY;
	stage_add(chain, 15, 1, 0);
	rig.model.handover_max = 2 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	assert_int_equal(chain->stages[0].local, 12 * UNIT);
	assert_int_equal(chain->stages[1].local, 10 * UNIT);
	assert_int_equal(chain->stages[2].local, 36 * UNIT);
	assert_int_equal(chain->stages[1].priority, 0);
	chain->stages[2].clock = 15 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_EQS), -EBUSY);
	chain->deadline = 75 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_EQS), 0);
	assert_int_equal(chain->stages[0].local, 10 * UNIT);
	assert_int_equal(chain->stages[2].local, 20 * UNIT);
	chain->deadline = 25 * UNIT;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_ED), -EBUSY);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_HOPA + 1), -EINVAL);
}

static uint64_t worst_ppm(struct chain_rig *rig)
{
	uint64_t worst = 0;
	uint32_t i;

	analyse(rig, RESCH_CHAIN_AUTO);
	for (i = 0; i < rig->model.count; i++) {
		uint64_t ppm = rig->bounds[i].response / (rig->chains[i].deadline / 1000000);

		if (rig->bounds[i].response == RESCH_CHAIN_NEVER)
			return RESCH_CHAIN_NEVER;
		worst = ppm > worst ? ppm : worst;
	}
	return worst;
}

/* By trial: never worse than where it begins, and better where that is not the best there is. */
static void by_trial(void **state)
{
	uint64_t seed = 11, before, after, sum, better = 0;
	uint32_t round, i, k;
	struct chain_rig rig;

	for (round = 0; round < 25; round++) {
		chain_rig_init(&rig);
		for (i = 0; i < 4; i++) {
			struct resch_chain_spec *chain =
				chain_add(&rig, chain_between(&seed, 20, 100), 50);

			chain->deadline = chain->period * chain_between(&seed, 5, 12) / 10;
			for (k = 0; k < 3; k++)
				stage_add(chain, chain_between(&seed, 1, chain->period / UNIT / 5),
					  (int)chain_between(&seed, 0, 2), 0);
		}
		if (resch_chain_assign(&rig.model, RESCH_CHAIN_PD))
			continue;
		before = worst_ppm(&rig);
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_HOPA), 0);
		after = worst_ppm(&rig);
		assert_true(after <= before);
		better += after < before;
		for (i = 0; i < 4; i++) {
			for (k = 0, sum = 0; k < 3; k++)
				sum += rig.chains[i].stages[k].local;
			assert_int_equal(sum, rig.chains[i].deadline);
		}
	}
	assert_in_range(better, 5, 25);
}

/* ---- what would pass ------------------------------------------------------------------------- */

static void suggestions(void **state)
{
	struct resch_chain_suggestion suggestion;
	struct chain_rig rig;
	uint32_t i;

	/* with the priorities as they are, the bound is the least deadline */
	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG);
	for (i = 0; i < 3; i++) {
		static const uint64_t wanted[] = { 131, 25, 55 };

		assert_int_equal(
			resch_chain_suggest(&rig.model, RESCH_CHAIN_AUTO, -1, i, &suggestion), 0);
		assert_int_equal(suggestion.deadline, wanted[i] * UNIT);
	}
	/* T2 is refused by 1: its last stage may have that less, and not a ns more */
	assert_int_equal(suggestion.stage, 2);
	assert_int_equal(suggestion.wcet, 13 * UNIT);
	assert_int_equal(suggestion.period, 0);
	/* T1 has 5 to spare: the worst stage may be that much longer */
	resch_chain_suggest(&rig.model, RESCH_CHAIN_AUTO, -1, 1, &suggestion);
	assert_int_equal(suggestion.stage, 2);
	assert_int_equal(suggestion.wcet, 16 * UNIT);
	/* less than the work of the chain is no deadline, with priorities made anew */
	rig.chains[2].deadline = 20 * UNIT;
	resch_chain_suggest(&rig.model, RESCH_CHAIN_AUTO, RESCH_CHAIN_PD, 2, &suggestion);
	assert_true(suggestion.deadline > 30 * UNIT);
	/* with priorities made anew each time: what is said holds, and 1 ns beyond it does not */
	for (i = 0; i < 3; i += 2) {
		thaker_pdm(&rig);
		all_protocol(&rig, RESCH_CHAIN_RG);
		resch_chain_suggest(&rig.model, RESCH_CHAIN_AUTO, RESCH_CHAIN_PD, i, &suggestion);
		rig.chains[i].deadline = suggestion.deadline;
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
		analyse(&rig, RESCH_CHAIN_AUTO);
		assert_true(rig.bounds[i].met);
		rig.chains[i].deadline--;
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
		analyse(&rig, RESCH_CHAIN_AUTO);
		assert_false(rig.bounds[i].met);
	}
	assert_int_equal(resch_chain_suggest(&rig.model, RESCH_CHAIN_AUTO, -1, 3, &suggestion),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_the_origin),
		cmocka_unit_test(from_releases),
		cmocka_unit_test(normalised),
		cmocka_unit_test(online),
		cmocka_unit_test(edf),
		cmocka_unit_test(decomposed),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(by_trial),
		cmocka_unit_test(suggestions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
