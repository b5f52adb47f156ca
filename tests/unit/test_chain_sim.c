// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_sim - simulated chains, of the plugins' own sources: suprema over all phases against
 * figures that other programs have found
 */
#include "chain_sim_rig.h"

/* The longest from the origin to the end of each stage, in half units; 0: it does not matter. */
static void expect_longest(struct chain_rig *rig, u32 protocol, bool all, const u64 *wanted)
{
	struct sim_chain_play play;
	u32 i, k;

	all_protocol(rig, protocol);
	begin(&play, rig, "fp", "order=explicit");
	play.all = all;
	run(&play);
	for (i = 0; i < rig->model.count; i++)
		for (k = 0; k < rig->chains[i].count; k++, wanted++)
			if (*wanted)
				assert_int_equal(play.totals[i].worst[k], *wanted * UNIT / 2);
	sim_chain_play_free(&play);
}

static void expect_phasings(struct chain_rig *rig, u32 wanted)
{
	struct sim_chain_play play;

	begin(&play, rig, "fp", "order=explicit");
	play.all = true;
	run(&play);
	assert_int_equal(play.played, wanted);
	sim_chain_play_free(&play);
}

static void thaker_all_phases(void **state)
{
	static const u64 rm_ds[] = { 52, 89, 235, 18, 28, 50, 38, 59, 97 };
	static const u64 rm_rg1[] = { 52, 90, 262, 18, 28, 50, 38, 60, 110 };
	static const u64 rm_rg[] = { 52, 89, 235, 18, 28, 50, 38, 59, 109 };
	static const u64 rm_mpm[] = { 0, 0, 262, 0, 0, 50, 0, 0, 110 };
	static const u64 pdm_ds[] = { 32, 69, 231, 18, 28, 50, 52, 73, 114 };
	static const u64 pdm_rg1[] = { 32, 70, 242, 18, 28, 50, 52, 74, 124 };
	static const u64 pdm_rg[] = { 32, 69, 231, 18, 28, 50, 52, 73, 122 };
	static const u64 pdm_mpm[] = { 0, 0, 242, 0, 0, 50, 0, 0, 124 };
	struct chain_rig rig;

	thaker(&rig);
	expect_phasings(&rig, 48);
	expect_longest(&rig, RESCH_CHAIN_DS, true, rm_ds);
	expect_longest(&rig, RESCH_CHAIN_RG1, true, rm_rg1);
	expect_longest(&rig, RESCH_CHAIN_RG, true, rm_rg);
	expect_longest(&rig, RESCH_CHAIN_MPM, true, rm_mpm);
	expect_longest(&rig, RESCH_CHAIN_PM, true, rm_mpm);
	thaker_pdm(&rig);
	expect_longest(&rig, RESCH_CHAIN_DS, true, pdm_ds);
	expect_longest(&rig, RESCH_CHAIN_RG1, true, pdm_rg1);
	expect_longest(&rig, RESCH_CHAIN_RG, true, pdm_rg);
	expect_longest(&rig, RESCH_CHAIN_MPM, true, pdm_mpm);
}

static void thaker_at_once(void **state)
{
	static const u64 rm_ds[] = { 0, 0, 224, 0, 0, 50, 0, 0, 90 };
	static const u64 rm_rg[] = { 0, 0, 224, 0, 0, 50, 0, 0, 102 };
	static const u64 rm_mpm[] = { 0, 0, 262, 0, 0, 50, 0, 0, 110 };
	static const u64 pdm_ds[] = { 0, 0, 214, 0, 0, 50, 0, 0, 114 };
	static const u64 pdm_mpm[] = { 0, 0, 242, 0, 0, 50, 0, 0, 124 };
	struct chain_rig rig;

	thaker(&rig);
	expect_longest(&rig, RESCH_CHAIN_DS, false, rm_ds);
	expect_longest(&rig, RESCH_CHAIN_RG, false, rm_rg);
	expect_longest(&rig, RESCH_CHAIN_MPM, false, rm_mpm);
	thaker_pdm(&rig);
	expect_longest(&rig, RESCH_CHAIN_DS, false, pdm_ds);
	expect_longest(&rig, RESCH_CHAIN_RG, false, pdm_ds);
	expect_longest(&rig, RESCH_CHAIN_MPM, false, pdm_mpm);
}

static void slides_all_phases(void **state)
{
	static const u64 ds[] = { 0, 0, 171, 0, 0, 50, 0, 0, 84 };
	static const u64 rg1[] = { 0, 0, 178, 0, 0, 50, 0, 0, 84 };
	struct chain_rig rig;

	slides(&rig);
	expect_longest(&rig, RESCH_CHAIN_DS, true, ds);
	expect_longest(&rig, RESCH_CHAIN_RG, true, ds);
	expect_longest(&rig, RESCH_CHAIN_RG1, true, rg1);
}

/* ---- release by release ---------------------------------------------------------------------- */

/* What a CPU has executed: [from, to) of a task. */
struct piece {
	u64 from, to;
	u32 task;
};

static struct {
	struct piece pieces[64];
	u32 count;
} line;

static void note(struct sim *sim, struct sim_task *task, u64 from, u64 to)
{
	struct piece *last = line.pieces + (line.count ? line.count - 1 : 0);

	if (!task || line.count == 64)
		return;
	if (line.count && last->task == task->task.id && last->to == from)
		last->to = to;
	else
		line.pieces[line.count++] =
			(struct piece){ .from = from, .to = to, .task = task->task.id };
}

/* Plays one phasing up to @end, and notes who executed when. */
static void draw(struct chain_rig *rig, u32 protocol, const u64 *phases, u64 end)
{
	struct sim_chain_config config = { 0 };
	struct sim_config machine = { .cpus = sim_chain_places(&rig->model),
				      .end = end * UNIT,
				      .seed = 1,
				      .capacity = 1000000,
				      .force = true,
				      .plugin = "fp",
				      .options = "order=explicit" };
	char error[200];
	struct sim *sim;

	all_protocol(rig, protocol);
	analyse(rig, RESCH_CHAIN_SAPM);
	sim = sim_new(&machine, error, sizeof(error));
	assert_non_null(sim);
	assert_int_equal(sim_chains_add(sim, &rig->model, rig->bounds, &config, phases), 0);
	memset(&line, 0, sizeof(line));
	sim->watch = note;
	assert_int_equal(sim_run(sim), 0);
	sim_free(sim);
}

/* When the @nth piece of @task begins, or ends, in units. */
static u64 piece_of(u32 task, u32 nth, bool end)
{
	u32 i;

	for (i = 0; i < line.count; i++) {
		if (line.pieces[i].task == task && !nth--)
			return (end ? line.pieces[i].to : line.pieces[i].from) / UNIT;
	}
	fail_msg("task %u has not executed that often", task);
	return 0;
}

/* Tasks 1: A, 2 and 3: B, 4: X, which is released at 4 and due at 10. */
static void sun_and_liu(void **state)
{
	static const u64 phases[] = { 0, 0, 4 * UNIT };
	static const u32 held[] = { RESCH_CHAIN_PM, RESCH_CHAIN_MPM, RESCH_CHAIN_RG1 };
	struct chain_rig rig;
	u32 i;

	sun_liu(&rig);
	draw(&rig, RESCH_CHAIN_DS, phases, 14);
	assert_int_equal(piece_of(3, 0, false), 4);
	assert_int_equal(piece_of(3, 1, false), 8);
	assert_int_equal(piece_of(4, 1, true), 12);
	for (i = 0; i < COUNT(held); i++) {
		draw(&rig, held[i], phases, 14);
		assert_int_equal(piece_of(3, 0, false), 4);
		assert_int_equal(piece_of(3, 1, false), 10);
		assert_int_equal(piece_of(4, 0, true), 9);
	}
	draw(&rig, RESCH_CHAIN_RG, phases, 14);
	assert_int_equal(piece_of(3, 0, false), 4);
	assert_int_equal(piece_of(3, 1, false), 9);
	assert_int_equal(piece_of(4, 0, true), 9);
}

static void own_stages_delay(void **state)
{
	static const u64 phases[] = { 0, 0 };
	struct chain_rig rig;

	own_stages(&rig);
	draw(&rig, RESCH_CHAIN_DS, phases, 12);
	assert_int_equal(piece_of(1, 0, true), 5);
	assert_int_equal(piece_of(3, 0, false), 5);
	assert_int_equal(piece_of(2, 0, false), 9);
	assert_int_equal(piece_of(2, 0, true), 10);
}

static void offsets_attained(void **state)
{
	static const struct {
		uint64_t period, cost[3], period_x, cost_x;
		u64 wanted[4];
	} table[] = {
		{ 20, { 3, 4, 3 }, 40, 4, { 0, 0, 0, 14 } },
		{ 20, { 4, 6, 4 }, 40, 5, { 0, 0, 0, 18 } },
		{ 30, { 5, 10, 5 }, 60, 6, { 0, 0, 0, 22 } },
	};
	struct chain_rig rig;
	u32 i;

	for (i = 0; i < COUNT(table); i++) {
		offsets_pay(&rig, table[i].period, table[i].cost, table[i].period_x,
			    table[i].cost_x);
		expect_longest(&rig, RESCH_CHAIN_DS, true, table[i].wanted);
	}
}

static void beyond_the_period(void **state)
{
	static const u64 wanted[] = { 10, 20, 22, 43 };
	struct chain_rig rig;

	beyond(&rig);
	expect_longest(&rig, RESCH_CHAIN_DS, true, wanted);
}

/*
 * A link is a CPU whose choice stands; half a unit less than the bound, which nothing cuts into
 * units.
 */
static void links(void **state)
{
	static const u64 cost[] = { 2, 3, 4 }, period[] = { 10, 12, 20 }, wanted[] = { 11, 17, 18 };
	struct chain_rig rig;
	u32 i;

	chain_rig_init(&rig);
	for (i = 0; i < 3; i++)
		stage_add(chain_add(&rig, period[i], period[i]), cost[i], 0, i + 1)->kind =
			RESCH_STAGE_MESSAGE;
	expect_longest(&rig, RESCH_CHAIN_DS, true, wanted);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Under EDF, what is admitted by local deadlines completes within their sum. */
static void edf(void **state)
{
	struct sim_chain_play play;
	struct chain_rig rig;
	u32 i;

	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG);
	rig.chains[0].deadline = 180 * UNIT;
	rig.chains[1].deadline = 60 * UNIT;
	rig.chains[2].deadline = 110 * UNIT;
	rig.model.policy = RESCH_CHAIN_EDF;
	assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), 0);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), 0);
	begin(&play, &rig, "edf", "");
	play.all = true;
	run(&play);
	assert_true(play.rule2);
	for (i = 0; i < 3; i++) {
		assert_int_equal(play.totals[i].missed, 0);
		assert_true(play.totals[i].complete > 1000);
	}
	sim_chain_play_free(&play);
}

static void messages_are_lost(void **state)
{
	struct resch_chain_spec *chain;
	struct sim_chain_play play;
	struct chain_rig rig;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 10, 20);
	chain->protocol = RESCH_CHAIN_RG;
	stage_add(chain, 2, 0, 1);
	stage_add(chain, 4, 0, 0)->kind = RESCH_STAGE_DELAY;
	chain->stages[1].bcet = UNIT;
	stage_add(chain, 2, 1, 1);
	begin(&play, &rig, "fp", "order=explicit");
	play.config.lost = 100000;
	play.end = 10000 * UNIT;
	run(&play);
	assert_in_range(play.totals[0].lost, 50, 150);
	assert_in_range(play.totals[0].complete + play.totals[0].lost, 999, 1001);
	/* a latency of 1 to 4, and what a guard then makes of it */
	assert_in_range(play.totals[0].responses[0], 5 * UNIT, 6 * UNIT);
	assert_in_range(play.totals[0].worst[2], 7 * UNIT, 8 * UNIT);
	sim_chain_play_free(&play);
}

/* The second stage can't keep up: what it turns to late is dropped, if that is asked for. */
static void late_ones_are_skipped(void **state)
{
	struct resch_chain_spec *chain;
	struct sim_chain_play play;
	struct chain_rig rig;
	const struct sim_chain_total *total = NULL;
	int skip;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 10, 30);
	chain->protocol = RESCH_CHAIN_DS;
	stage_add(chain, 2, 0, 1);
	stage_add(chain, 9, 1, 2);
	chain = chain_add(&rig, 10, 100);
	stage_add(chain, 3, 1, 1);
	for (skip = 0; skip < 2; skip++) {
		begin(&play, &rig, "fp", "order=explicit");
		play.config.skip_late = skip;
		play.sim.force = true;
		play.end = 1000 * UNIT;
		run(&play);
		total = &play.totals[0];
		if (skip) {
			/*
			 * The other chain, of the higher priority, leaves 7 of 10, so that 77 of
			 * 100 can be done; what begins in time ends two of its periods later.
			 */
			assert_in_range(total->skipped, 15, 25);
			assert_true(total->worst[1] <= 50 * UNIT);
			assert_in_range(total->complete + total->skipped, 95, 101);
		} else {
			assert_int_equal(total->skipped, 0);
			assert_true(total->worst[1] > 100 * UNIT);
		}
		sim_chain_play_free(&play);
	}
}

/* Without work conservation rule 2 has no ground. */
static void rule_2_is_off(void **state)
{
	struct sim_chain_play play;
	struct chain_rig rig;

	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG);
	begin(&play, &rig, "demo", "");
	run(&play);
	assert_false(play.rule2);
	sim_chain_play_free(&play);
}

static void refusals(void **state)
{
	char error[RESCH_CHAIN_TEXT] = "";
	struct sim_chain_play play;
	struct chain_rig rig;

	thaker(&rig);
	rig.chains[0].stages[2].clock = 50 * UNIT;
	begin(&play, &rig, "fp", "order=explicit");
	assert_int_equal(sim_chain_play(&play, error, sizeof(error)), -EINVAL);
	assert_non_null(strstr(error, "clocks"));
	sim_chain_play_free(&play);
	thaker(&rig);
	/* half a microsecond of 200 ms, for two chains */
	rig.chains[0].period = 200 * UNIT;
	rig.chains[1].period = 200 * UNIT;
	rig.chains[2].period = 200 * UNIT;
	rig.chains[0].stages[0].wcet += 1000;
	begin(&play, &rig, "fp", "order=explicit");
	play.all = true;
	assert_int_equal(sim_chain_play(&play, error, sizeof(error)), -E2BIG);
	assert_non_null(strstr(error, "phasings"));
	sim_chain_play_free(&play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thaker_all_phases),
		cmocka_unit_test(thaker_at_once),
		cmocka_unit_test(slides_all_phases),
		cmocka_unit_test(sun_and_liu),
		cmocka_unit_test(own_stages_delay),
		cmocka_unit_test(offsets_attained),
		cmocka_unit_test(beyond_the_period),
		cmocka_unit_test(links),
		cmocka_unit_test(edf),
		cmocka_unit_test(messages_are_lost),
		cmocka_unit_test(late_ones_are_skipped),
		cmocka_unit_test(rule_2_is_off),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
