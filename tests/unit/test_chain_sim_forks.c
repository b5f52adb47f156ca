// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_sim_forks - chains that fork and join: bounds and simulations by hand, deadlines of
 * all paths, refusals; and over random graphs, from random phases, no bound is exceeded
 *
 * RESCH_CHAIN_SETS in the environment says how many sets (default 1,000).
 */
#include "chain_sim_rig.h"

#include <stdlib.h>

/* a 2, then b 3 and c 5, then d 1: each on its CPU, or all on one, where b goes before c. */
static struct resch_chain_spec *diamond(struct chain_rig *rig, bool one_cpu, bool any)
{
	struct resch_chain_spec *chain;
	struct resch_stage_spec *stage;

	chain_rig_init(rig);
	chain = chain_add(rig, 40, 30);
	stage_add(chain, 2, 0, 1);
	stage_add(chain, 3, one_cpu ? 0 : 1, 2);
	stage = stage_add(chain, 5, one_cpu ? 0 : 2, 3);
	stage->from = 1;
	stage = stage_add(chain, 1, one_cpu ? 0 : 3, 4);
	stage->from = 2 | 4;
	stage->flags = any ? RESCH_STAGE_ANY : 0;
	return chain;
}

/* What the simulator sees of the only chain; all that begins is complete. */
static void expect_played(struct chain_rig *rig, u32 protocol, u64 response)
{
	struct sim_chain_play play;

	all_protocol(rig, protocol);
	begin(&play, rig, "fp", "order=explicit");
	play.end = 399 * UNIT;
	run(&play);
	assert_int_equal(play.totals[0].begun, 10);
	assert_int_equal(play.totals[0].complete, 10);
	assert_int_equal(play.totals[0].responses[0], response * UNIT);
	assert_int_equal(play.totals[0].responses[9], response * UNIT);
	sim_chain_play_free(&play);
}

static void apart(void **state)
{
	struct chain_rig rig;

	diamond(&rig, false, false);
	all_protocol(&rig, RESCH_CHAIN_RG);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, response, 2, 5, 7, 8);
	expect_figures(&rig, 0, phase, 0, 2, 2, 7);
	all_protocol(&rig, RESCH_CHAIN_DS);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 2, 5, 7, 8);
	expect_figures(&rig, 0, best, 0, 2, 2, 7);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, jitter, 0, 2, 2, 7);
	analyse(&rig, RESCH_CHAIN_WCDO_EXACT);
	expect_figures(&rig, 0, response, 2, 5, 7, 8);
	expect_played(&rig, RESCH_CHAIN_DS, 8);
	expect_played(&rig, RESCH_CHAIN_RG1, 8);
	expect_played(&rig, RESCH_CHAIN_PM, 8);
}

/* d begins with the first that is there. */
static void first(void **state)
{
	struct chain_rig rig;

	diamond(&rig, false, true);
	all_protocol(&rig, RESCH_CHAIN_RG);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, response, 2, 5, 7, 6);
	expect_figures(&rig, 0, phase, 0, 2, 2, 5);
	all_protocol(&rig, RESCH_CHAIN_DS);
	analyse(&rig, RESCH_CHAIN_WCDO_EXACT);
	expect_figures(&rig, 0, response, 2, 5, 7, 6);
	expect_played(&rig, RESCH_CHAIN_DS, 6);
	expect_played(&rig, RESCH_CHAIN_RG, 6);
	expect_played(&rig, RESCH_CHAIN_PM, 6);
}

/* Those that stand beside each other delay each other; d, last, waits for c even as b is there. */
static void together(void **state)
{
	struct chain_rig rig;

	diamond(&rig, true, false);
	all_protocol(&rig, RESCH_CHAIN_RG);
	analyse(&rig, RESCH_CHAIN_SAPM);
	/* alone: 2, 5, 10, 11 */
	expect_figures(&rig, 0, response, 2, 7, 12, 23);
	expect_played(&rig, RESCH_CHAIN_DS, 11);
	expect_played(&rig, RESCH_CHAIN_RG, 11);
	diamond(&rig, true, true);
	expect_played(&rig, RESCH_CHAIN_DS, 11);
}

/* The local deadlines of any way from the first stage to the last. */
static u64 longest_way(const struct resch_chain_spec *chain)
{
	u64 ends[RESCH_CHAIN_STAGES_MAX] = { 0 };
	u32 i, k;

	for (i = 0; i < chain->count; i++) {
		for (k = 0; k < i; k++)
			if (resch_stage_from(&chain->stages[i], i) >> k & 1)
				ends[i] = max(ends[i], ends[k]);
		ends[i] += chain->stages[i].local;
	}
	return ends[chain->count - 1];
}

static void divided(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;
	uint64_t local;
	u32 rule;

	chain = diamond(&rig, false, false);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	/* 30 by 2, 5, 1 of 8, and b as on its own longest way: 3 of 6 */
	assert_int_equal(chain->stages[0].local, 7500000);
	assert_int_equal(chain->stages[1].local, 15000000);
	assert_int_equal(chain->stages[2].local, 18750000);
	assert_int_equal(chain->stages[3].local, 3750000);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_ED), 0);
	assert_int_equal(chain->stages[0].local, 24 * UNIT);
	assert_int_equal(chain->stages[1].local, 29 * UNIT);
	assert_int_equal(chain->stages[2].local, 29 * UNIT);
	assert_int_equal(chain->stages[3].local, 30 * UNIT);
	for (rule = RESCH_CHAIN_PD; rule <= RESCH_CHAIN_HOPA; rule++) {
		assert_int_equal(resch_chain_assign(&rig.model, rule), 0);
		assert_true(longest_way(chain) <= chain->deadline);
		assert_true(longest_way(chain) + 4 > chain->deadline);
	}
	/* 8 are needed on the longer way. */
	chain->deadline = 8 * UNIT - 1;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), -EBUSY);
	assert_int_equal(resch_chain_replan(chain, 1, 0, RESCH_CHAIN_EQS, &local), -EINVAL);
	/* By local deadlines: of the longer way, or, with the first, of the shorter one. */
	chain = diamond(&rig, false, false);
	all_protocol(&rig, RESCH_CHAIN_RG);
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	chain->stages[2].local = 19 * UNIT;
	analyse(&rig, RESCH_CHAIN_DECOMPOSED);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_SUM);
	assert_int_equal(rig.result.refusal.value, 30250000);
	chain->stages[3].flags |= RESCH_STAGE_ANY;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_DECOMPOSED, &rig.result), 0);
}

static void expect_refused(struct chain_rig *rig, u32 stage)
{
	assert_int_equal(resch_chain_analyse(&rig->model, RESCH_CHAIN_AUTO, &rig->result), -EINVAL);
	assert_int_equal(rig->result.refusal.reason, RESCH_CHAIN_RANGE);
	assert_int_equal(rig->result.refusal.stage, stage);
}

static void refused(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;

	chain = diamond(&rig, false, false);
	chain->stages[1].from = 2; /* itself */
	expect_refused(&rig, 1);
	chain = diamond(&rig, false, false);
	chain->stages[0].from = 2;
	expect_refused(&rig, 0);
	chain = diamond(&rig, false, false);
	chain->stages[0].flags = RESCH_STAGE_ANY;
	expect_refused(&rig, 0);
	chain = diamond(&rig, false, false);
	chain->stages[3].from = 4; /* nobody waits for b */
	expect_refused(&rig, 1);
	chain = diamond(&rig, false, false);
	chain->stages[2].clock = 10 * UNIT;
	expect_refused(&rig, 2);
	chain = diamond(&rig, false, false);
	chain->protocol = RESCH_CHAIN_MPM;
	expect_refused(&rig, 3);
	/* What forks nothing is a chain as before, whatever it says. */
	chain = diamond(&rig, false, true);
	chain->protocol = RESCH_CHAIN_MPM;
	chain->stages[1].from = 1;
	chain->stages[2].from = 2;
	chain->stages[3].from = 0;
	assert_false(resch_chain_forks(chain));
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, response, 2, 5, 10, 11);
}

/* ---- random ones ----------------------------------------------------------------------------- */

static u32 sets_wanted(void)
{
	const char *wanted = getenv("RESCH_CHAIN_SETS");

	return wanted ? (u32)atoi(wanted) : 1000;
}

static struct {
	u32 sets, forks, stages, broken, tight;
} seen;

/* Some of those before it release each stage; who releases nobody, releases the last one. */
static void fork_randomly(struct resch_chain_spec *chain, u64 *seed)
{
	u32 i, releases = 0;

	for (i = 1; i < chain->count; i++) {
		u32 all = (1U << i) - 1;

		chain->stages[i].from = (u32)chain_between(seed, 1, all);
		if (chain_between(seed, 0, 1))
			chain->stages[i].from &= 1U << chain_between(seed, 0, i - 1);
		chain->stages[i].from += !chain->stages[i].from;
		if (!chain_between(seed, 0, 2))
			chain->stages[i].flags = RESCH_STAGE_ANY;
		releases |= chain->stages[i].from;
	}
	if (chain->count > 1)
		chain->stages[chain->count - 1].from |= ~releases & ((1U << (i - 1)) - 1);
}

/* 3 on 2 or 3 CPUs, of up to 7 stages each. */
static void graphs(struct chain_rig *rig, u64 *seed)
{
	static const u64 periods[] = { 20, 24, 30, 40, 60, 120 };
	int cpus = (int)chain_between(seed, 2, 3);
	u32 i, k, count;

	chain_rig_init(rig);
	for (i = 0; i < 3; i++) {
		u64 period = periods[chain_between(seed, 0, COUNT(periods) - 1)];
		struct resch_chain_spec *chain = chain_add(rig, period, 2 * period);

		count = (u32)chain_between(seed, 1, 7);
		for (k = 0; k < count; k++) {
			u32 level = (u32)chain_between(seed, 0, 20);
			struct resch_stage_spec *stage =
				stage_add(chain, chain_between(seed, 1, 1 + period / 15),
					  (int)chain_between(seed, 0, (u64)cpus - 1),
					  1 + level * 32 + i * 8 + k);

			stage->bcet = chain_between(seed, 0, 1) ?
					      stage->wcet :
					      chain_between(seed, 1, stage->wcet);
		}
		fork_randomly(chain, seed);
		seen.forks += resch_chain_forks(chain);
	}
}

static void judge(struct chain_rig *rig, const struct sim_chain_play *play, u64 seed, u32 method)
{
	u32 i, k;

	for (i = 0; i < rig->model.count; i++) {
		assert_true(play->totals[i].complete);
		for (k = 0; k < rig->chains[i].count; k++) {
			u64 bound = rig->bounds[i].stages[k].response;

			seen.stages++;
			seen.tight += play->totals[i].worst[k] > bound / 10 * 8;
			if (play->totals[i].worst[k] <= bound)
				continue;
			seen.broken++;
			print_error("%s, %s: seed %llu, chain %u, stage %u: %llu of %llu\n",
				    resch_chain_method_name(method),
				    resch_chain_protocol_name(rig->chains[i].protocol),
				    (unsigned long long)seed, i, k,
				    (unsigned long long)play->totals[i].worst[k],
				    (unsigned long long)bound);
		}
	}
}

static void play_set(struct chain_rig *rig, u64 seed, u32 protocol, u32 method)
{
	struct sim_chain_play play;
	u32 i;

	all_protocol(rig, protocol);
	analyse(rig, method);
	for (i = 0; i < rig->model.count; i++)
		if (rig->bounds[i].response == RESCH_CHAIN_NEVER)
			return;
	begin(&play, rig, "fp", "order=explicit");
	play.sim.seed = seed;
	play.phases = 2;
	play.end = 600 * UNIT;
	run(&play);
	judge(rig, &play, seed, method);
	sim_chain_play_free(&play);
}

static void orders(void **state)
{
	static const u32 direct[] = { RESCH_CHAIN_WCDO_EXACT, RESCH_CHAIN_WCDO, RESCH_CHAIN_TC_BC,
				      RESCH_CHAIN_TC };
	static const u32 guarded[] = { RESCH_CHAIN_PM, RESCH_CHAIN_RG1, RESCH_CHAIN_RG };
	u32 sets = sets_wanted(), i;
	struct chain_rig rig;
	u64 seed, at;

	for (seed = 1; seen.sets < sets; seed++) {
		at = seed;
		graphs(&rig, &at);
		seen.sets++;
		play_set(&rig, seed, RESCH_CHAIN_DS, direct[seed % COUNT(direct)]);
		for (i = 0; i < COUNT(guarded); i++)
			play_set(&rig, seed, guarded[i], RESCH_CHAIN_SAPM);
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD + seed % 4), 0);
		for (i = 0; i < rig.model.count; i++)
			assert_true(longest_way(&rig.chains[i]) <= rig.chains[i].deadline);
	}
	print_message("%u sets, %u chains that fork, %u bounds of stages, %u attained to 80 %%\n",
		      seen.sets, seen.forks, seen.stages, seen.tight);
	assert_int_equal(seen.broken, 0);
	assert_true(seen.forks > seen.sets);
	assert_true(seen.tight > seen.stages / 6);
}

/* The exact analysis by offsets is below the others, here too. */
static void methods(void **state)
{
	static const u32 methods[] = { RESCH_CHAIN_WCDO_EXACT, RESCH_CHAIN_WCDO, RESCH_CHAIN_TC_BC,
				       RESCH_CHAIN_TC };
	u64 before[CHAINS], seed, at;
	struct chain_rig rig;
	u32 i, k;

	for (seed = 1; seed <= sets_wanted(); seed++) {
		at = seed;
		graphs(&rig, &at);
		all_protocol(&rig, RESCH_CHAIN_DS);
		memset(before, 0, sizeof(before));
		for (i = 0; i < COUNT(methods); i++) {
			analyse(&rig, methods[i]);
			for (k = 0; k < rig.model.count; k++) {
				assert_true(rig.bounds[k].response >= before[k]);
				before[k] = rig.bounds[k].response;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apart),   cmocka_unit_test(first),   cmocka_unit_test(together),
		cmocka_unit_test(divided), cmocka_unit_test(refused), cmocka_unit_test(orders),
		cmocka_unit_test(methods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
