// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_sim_orders - bounds hold for simulated chains, of the plugins' own sources, over
 * random sets: under each protocol, under several at once, under EDF
 *
 * RESCH_CHAIN_SETS in the environment says how many sets (default 1,000).
 */
#include "chain_sim_rig.h"

#include <stdlib.h>

static u32 sets_wanted(void)
{
	const char *wanted = getenv("RESCH_CHAIN_SETS");

	return wanted ? (u32)atoi(wanted) : 1000;
}

static const uint64_t periods[] = { 10, 12, 15, 20, 24, 30, 40, 60 };
static const struct chain_mould mould = {
	.periods = periods,
	.count = COUNT(periods),
	.deadline = 2,
	.share = 6,
	.first = 1,
	.priorities = 500,
	.step = 1,
};

static struct {
	u32 sets, stages, broken, tight;
} seen;

/* With executions that vary, with hand-overs that take time, from random phases. */
static void play_set(struct chain_rig *rig, u64 seed, u32 method)
{
	struct sim_chain_play play;
	u32 i, k;

	rig->model.handover_min = seed % 3 * UNIT / 4;
	rig->model.handover_max = seed % 3 * UNIT / 2;
	analyse(rig, method);
	for (i = 0; i < rig->model.count; i++)
		if (rig->bounds[i].response == RESCH_CHAIN_NEVER)
			return;
	begin(&play, rig, "fp", "order=explicit");
	play.sim.seed = seed;
	play.phases = 2;
	play.end = 400 * UNIT;
	play.config.handover_min = rig->model.handover_min;
	play.config.handover_max = rig->model.handover_max;
	run(&play);
	for (i = 0; i < rig->model.count; i++) {
		for (k = 0; k < rig->chains[i].count; k++) {
			u64 bound = rig->bounds[i].stages[k].response;

			seen.stages++;
			seen.tight += play.totals[i].worst[k] > bound / 10 * 8;
			if (play.totals[i].worst[k] <= bound)
				continue;
			seen.broken++;
			print_error("%s, %s: set of seed %llu, chain %u, stage %u: %llu of %llu\n",
				    resch_chain_method_name(method),
				    resch_chain_protocol_name(rig->chains[i].protocol),
				    (unsigned long long)seed, i, k,
				    (unsigned long long)play.totals[i].worst[k],
				    (unsigned long long)bound);
		}
	}
	sim_chain_play_free(&play);
}

/* A protocol a chain, one of them ds, so that the bounds are those of jitter. */
static void mix_protocols(struct chain_rig *rig, u64 seed)
{
	u32 i;

	for (i = 0; i < rig->model.count; i++)
		rig->chains[i].protocol = (u32)chain_between(&seed, RESCH_CHAIN_DS, RESCH_CHAIN_RG);
	rig->chains[seed % rig->model.count].protocol = RESCH_CHAIN_DS;
}

static void orders(void **state)
{
	u32 sets = sets_wanted(), protocol;
	struct chain_rig rig;
	u64 seed, at;

	for (seed = 1; seen.sets < sets; seed++) {
		at = seed;
		chain_rig_random(&rig, &mould, &at);
		if (chain_rig_is_full(&rig))
			continue;
		seen.sets++;
		all_protocol(&rig, RESCH_CHAIN_DS);
		play_set(&rig, seed, RESCH_CHAIN_WCDO_EXACT);
		for (protocol = RESCH_CHAIN_PM; protocol <= RESCH_CHAIN_RG; protocol++) {
			all_protocol(&rig, protocol);
			play_set(&rig, seed, RESCH_CHAIN_SAPM);
		}
		mix_protocols(&rig, seed);
		play_set(&rig, seed, RESCH_CHAIN_TC_BC);
	}
	print_message("%u sets, %u bounds of stages, %u of them attained to 80 %%\n", seen.sets,
		      seen.stages, seen.tight);
	assert_int_equal(seen.broken, 0);
	assert_true(seen.tight > seen.stages / 3);
}

/* Under EDF, what is admitted by local deadlines completes within their sum. */
static void edf_orders(void **state)
{
	u32 sets = sets_wanted(), admitted = 0, i;
	struct sim_chain_play play;
	struct chain_rig rig;
	u64 seed, at;

	for (seed = 1; admitted < sets; seed++) {
		at = seed;
		chain_rig_random(&rig, &mould, &at);
		rig.model.policy = RESCH_CHAIN_EDF;
		all_protocol(&rig, RESCH_CHAIN_PM + (u32)(seed % 4));
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
		if (resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result))
			continue;
		admitted++;
		begin(&play, &rig, "edf", "");
		play.sim.seed = seed;
		play.phases = 2;
		play.end = 400 * UNIT;
		run(&play);
		for (i = 0; i < rig.model.count; i++) {
			assert_true(play.totals[i].complete);
			assert_int_equal(play.totals[i].missed, 0);
		}
		sim_chain_play_free(&play);
	}
	print_message("%u sets admitted of %llu\n", admitted, (unsigned long long)seed - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(edf_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
