// SPDX-License-Identifier: GPL-2.0
/* test_chain_links - the least that stages take, and frames on links */
#include "chain_rig.h"

#include <stdlib.h>

/* ---- best cases ------------------------------------------------------------------------------ */

static void best_cases(void **state)
{
	static const struct {
		uint64_t cost[3], period[3], wanted[3];
	} table[] = {
		{ { 1, 2, 3 }, { 4, 6, 12 }, { 1, 2, 3 } },
		{ { 2, 3, 5 }, { 5, 11, 28 }, { 2, 3, 12 } },
		{ { 3, 3, 5 }, { 7, 12, 20 }, { 3, 3, 8 } },
		{ { 1, 4, 4 }, { 3, 9, 27 }, { 1, 5, 11 } },
	};
	struct chain_rig rig;
	uint32_t i, k;

	for (i = 0; i < COUNT(table); i++) {
		chain_rig_init(&rig);
		for (k = 0; k < 3; k++)
			stage_add(chain_add(&rig, table[i].period[k], 100), table[i].cost[k], 0,
				  k + 1);
		assert_int_equal(resch_chain_best(&rig.model, &rig.result), 0);
		for (k = 0; k < 3; k++)
			assert_int_equal(rig.bounds[k].stages[0].alone, table[i].wanted[k] * UNIT);
	}
}

/* Shortest responses of three tasks, unit by unit, of jobs released from @from on. */
static void play_best(const struct chain_rig *rig, const uint64_t phases[3], uint64_t from,
		      uint64_t end, uint64_t best[3])
{
	uint64_t released[3] = { 0 }, left[3] = { 0 }, now;
	uint32_t i;

	for (now = 0; now < end; now++) {
		for (i = 0; i < 3; i++) {
			const struct resch_chain_spec *chain = &rig->chains[i];

			if (now < phases[i] || (now - phases[i]) % (chain->period / UNIT))
				continue;
			assert_int_equal(left[i], 0);
			released[i] = now;
			left[i] = chain->stages[0].wcet / UNIT;
		}
		for (i = 0; i < 3 && !left[i]; i++)
			;
		if (i < 3 && !--left[i] && released[i] >= from && now + 1 - released[i] < best[i])
			best[i] = now + 1 - released[i];
	}
}

/*
 * From all phases, with as many jobs released at the start as later: what is said holds from the
 * first hyperperiod on, and is attained. The second set shows that it does not hold before.
 */
static void best_cases_are_seen(void **state)
{
	static const struct {
		uint64_t cost[3], period[3], all;
	} table[] = {
		{ { 1, 2, 3 }, { 4, 6, 12 }, 12 },
		{ { 2, 3, 5 }, { 5, 11, 28 }, 1540 },
		{ { 3, 3, 5 }, { 7, 12, 20 }, 420 },
		{ { 1, 4, 4 }, { 3, 9, 27 }, 27 },
	};
	uint32_t i, k;

	for (i = 0; i < COUNT(table); i++) {
		uint64_t later[3] = { 1000, 1000, 1000 }, ever[3] = { 1000, 1000, 1000 },
			 phases[3] = { 0 };
		struct chain_rig rig;

		chain_rig_init(&rig);
		for (k = 0; k < 3; k++)
			stage_add(chain_add(&rig, table[i].period[k], 100), table[i].cost[k], 0,
				  k + 1);
		assert_int_equal(resch_chain_best(&rig.model, &rig.result), 0);
		for (phases[1] = 0; phases[1] < table[i].period[1]; phases[1]++)
			for (phases[2] = 0; phases[2] < table[i].period[2]; phases[2]++) {
				play_best(&rig, phases, 0, 60, ever);
				/* periods that share nothing come to all phases by themselves */
				if (table[i].all < 1000 || !(phases[1] + phases[2]))
					play_best(&rig, phases, 60, 60 + 2 * table[i].all, later);
			}
		for (k = 0; k < 3; k++)
			assert_int_equal(later[k] * UNIT, rig.bounds[k].stages[0].alone);
		if (i == 1)
			assert_int_equal(ever[2], 7);
	}
}

static void link_of_three(struct chain_rig *rig)
{
	static const uint64_t cost[] = { 2, 3, 4 }, period[] = { 10, 12, 20 };
	uint32_t i;

	chain_rig_init(rig);
	for (i = 0; i < 3; i++)
		stage_add(chain_add(rig, period[i], period[i]), cost[i], 0, i + 1)->kind =
			RESCH_STAGE_MESSAGE;
}

static void links(void **state)
{
	struct chain_rig rig;

	link_of_three(&rig);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 6);
	expect_figures(&rig, 1, response, 9);
	expect_figures(&rig, 2, response, 9);
	rig.chains[0].jitter = 5 * UNIT;
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 11);
	expect_figures(&rig, 1, response, 11);
	expect_figures(&rig, 2, response, 11);
	analyse(&rig, RESCH_CHAIN_WCDO);
	expect_figures(&rig, 2, response, 11);
}

/* A CPU of the same number is not the link; and a declared latency disturbs nobody. */
static void messages_between(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;
	uint32_t method;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 100, 100);
	stage_add(chain, 5, 0, 1);
	stage_add(chain, 7, 0, 1)->kind = RESCH_STAGE_MESSAGE;
	stage_add(chain, 9, 0, 0)->kind = RESCH_STAGE_DELAY;
	chain->stages[2].bcet = 3 * UNIT;
	stage_add(chain, 5, 1, 1);
	stage_add(chain_add(&rig, 100, 100), 5, 0, 2);
	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		analyse(&rig, method);
		expect_figures(&rig, 0, response, 5, 12, 21, 26);
		expect_figures(&rig, 1, response, 10);
		expect_figures(&rig, 0, best, 0, 5, 12, 15);
	}
	/* from a completion to a release on a CPU, not to a frame */
	rig.model.handover_min = UNIT;
	rig.model.handover_max = 2 * UNIT;
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 5, 12, 21, 28);
	expect_figures(&rig, 0, best, 0, 5, 12, 16);
	rig.model.overhead = UNIT;
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, response, 6, 13, 22, 30);
	expect_figures(&rig, 1, response, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_cases),
		cmocka_unit_test(best_cases_are_seen),
		cmocka_unit_test(links),
		cmocka_unit_test(messages_between),
	};

	return cmocka_run_group_tests_name("chain_links", tests, NULL, NULL);
}
