// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_vectors - bounds on end-to-end responses against figures that programs which share
 * nothing with the library have found
 */
#include "chain_rig.h"

#include <stdlib.h>

/* ---- the slides' set, stage j on CPU j ------------------------------------------------------- */

static void thaker_rate_monotonic(void **state)
{
	struct chain_rig rig;

	thaker(&rig);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 26, 45, 167);
	expect_figures(&rig, 1, response, 9, 14, 25);
	expect_figures(&rig, 2, response, 19, 30, 66);
	expect_figures(&rig, 0, jitter, 0, 26, 45);
	expect_figures(&rig, 1, jitter, 0, 9, 14);
	expect_figures(&rig, 2, jitter, 0, 19, 30);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 26, 45, 131);
	expect_figures(&rig, 1, response, 9, 14, 25);
	expect_figures(&rig, 2, response, 19, 30, 55);
	expect_figures(&rig, 0, jitter, 0, 19, 30);
	expect_figures(&rig, 1, jitter, 0, 0, 0);
	expect_figures(&rig, 2, jitter, 0, 9, 14);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, alone, 26, 19, 86);
	expect_figures(&rig, 1, alone, 9, 5, 11);
	expect_figures(&rig, 2, alone, 19, 11, 25);
	expect_figures(&rig, 0, response, 26, 45, 131);
	expect_figures(&rig, 2, response, 19, 30, 55);
	/* what phase modification releases them by */
	expect_figures(&rig, 0, phase, 0, 26, 45);
	expect_figures(&rig, 1, phase, 0, 9, 14);
	expect_figures(&rig, 2, phase, 0, 19, 30);
}

static void thaker_offsets(void **state)
{
	uint32_t method;
	struct chain_rig rig;

	for (method = RESCH_CHAIN_WCDO; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		thaker(&rig);
		analyse(&rig, method);
		assert_int_equal(rig.result.method, method);
		expect_figures(&rig, 0, response, 26, 45, 131);
		expect_figures(&rig, 1, response, 9, 14, 25);
		expect_figures(&rig, 2, response, 19, 30, 55);
		thaker_pdm(&rig);
		analyse(&rig, method);
		expect_figures(&rig, 0, response, 16, 35, 121);
		expect_figures(&rig, 1, response, 9, 14, 25);
		expect_figures(&rig, 2, response, 26, 37, 62);
	}
}

static void thaker_proportional(void **state)
{
	struct chain_rig rig;

	thaker_pdm(&rig);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 16, 35, 157);
	expect_figures(&rig, 1, response, 9, 14, 25);
	expect_figures(&rig, 2, response, 26, 37, 73);
	expect_figures(&rig, 0, jitter, 0, 16, 35);
	expect_figures(&rig, 2, jitter, 0, 26, 37);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 16, 35, 121);
	expect_figures(&rig, 2, response, 26, 37, 62);
	expect_figures(&rig, 0, jitter, 0, 9, 20);
	expect_figures(&rig, 1, jitter, 0, 0, 0);
	expect_figures(&rig, 2, jitter, 0, 16, 21);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, alone, 16, 19, 86);
	expect_figures(&rig, 1, alone, 9, 5, 11);
	expect_figures(&rig, 2, alone, 26, 11, 25);
}

/* Refused with the slides' deadlines; taken from these on, and not one ns before. */
static void thaker_verdicts(void **state)
{
	static const uint64_t rm[] = { 131, 25, 55 }, pdm[] = { 121, 25, 62 };
	struct chain_rig rig;
	uint32_t i, by;

	for (by = 0; by < 2; by++) {
		thaker(&rig);
		if (by)
			thaker_pdm(&rig);
		all_protocol(&rig, RESCH_CHAIN_RG);
		assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result),
				 -EBUSY);
		assert_int_equal(rig.result.method, RESCH_CHAIN_SAPM);
		assert_false(rig.bounds[0].met);
		assert_true(rig.bounds[1].met);
		assert_false(rig.bounds[2].met);
		assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_RESPONSE);
		assert_int_equal(rig.result.refusal.chain, 0);
		assert_int_equal(rig.result.refusal.limit, 88 * UNIT);
		for (i = 0; i < 3; i++)
			rig.chains[i].deadline = (by ? pdm : rm)[i] * UNIT;
		assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), 0);
		for (i = 0; i < 3; i++) {
			rig.chains[i].deadline--;
			assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO,
							     &rig.result),
					 -EBUSY);
			assert_int_equal(rig.result.refusal.chain, i);
			rig.chains[i].deadline++;
		}
	}
}

/* ---- the slides' figures --------------------------------------------------------------------- */

static void slides_figures(void **state)
{
	struct chain_rig rig;
	uint32_t method;

	for (method = RESCH_CHAIN_WCDO; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		slides(&rig);
		analyse(&rig, method);
		expect_figures(&rig, 0, response, 12, 40, 89);
		expect_figures(&rig, 1, response, 9, 14, 25);
		expect_figures(&rig, 2, response, 10, 16, 42);
		/* by 1 above its deadline */
		assert_int_equal(rig.result.refusal.chain, 0);
		assert_int_equal(rig.result.refusal.value - rig.result.refusal.limit, UNIT);
		assert_true(rig.bounds[2].met);
	}
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 12, 71, 146);
	expect_figures(&rig, 1, response, 9, 14, 34);
	expect_figures(&rig, 2, response, 16, 22, 53);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 12, 40, 115);
	expect_figures(&rig, 1, response, 9, 14, 34);
	expect_figures(&rig, 2, response, 16, 22, 48);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, alone, 12, 28, 75);
	expect_figures(&rig, 1, alone, 9, 5, 20);
	expect_figures(&rig, 2, alone, 16, 6, 26);
}

/* ---- smaller ones ---------------------------------------------------------------------------- */

static void sun_and_liu(void **state)
{
	static const uint32_t methods[] = { RESCH_CHAIN_TC, RESCH_CHAIN_TC_BC, RESCH_CHAIN_WCDO,
					    RESCH_CHAIN_WCDO_EXACT };
	struct chain_rig rig;
	uint32_t i;

	sun_liu(&rig);
	for (i = 0; i < COUNT(methods); i++) {
		analyse(&rig, methods[i]);
		expect_figures(&rig, 0, response, 2);
		expect_figures(&rig, 1, response, 4, 7);
		expect_figures(&rig, 2, response, 8);
		assert_int_equal(rig.result.refusal.chain, 2);
	}
	all_protocol(&rig, RESCH_CHAIN_RG);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_SAPM, &rig.result), 0);
	expect_figures(&rig, 1, alone, 4, 3);
	expect_figures(&rig, 2, response, 5);
}

static void own_stages_count(void **state)
{
	struct chain_rig rig;

	own_stages(&rig);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 5, 15);
	expect_figures(&rig, 1, response, 7);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 5, 15);
	analyse(&rig, RESCH_CHAIN_SAPM);
	expect_figures(&rig, 0, alone, 5, 10);
	analyse(&rig, RESCH_CHAIN_WCDO_EXACT);
	expect_figures(&rig, 0, response, 5, 10);
	expect_figures(&rig, 1, response, 7);
}

static void offsets(void **state)
{
	static const struct {
		uint64_t period, cost[3], period_x, cost_x, wanted[4];
	} table[] = {
		{ 20, { 3, 4, 3 }, 40, 4, { 10, 10, 10, 7 } },
		{ 20, { 4, 6, 4 }, 40, 5, { 17, 13, 13, 9 } },
		{ 30, { 5, 10, 5 }, 60, 6, { 21, 16, 16, 11 } },
	};
	static const uint32_t methods[] = { RESCH_CHAIN_TC, RESCH_CHAIN_TC_BC, RESCH_CHAIN_SAPM,
					    RESCH_CHAIN_WCDO_EXACT };
	struct chain_rig rig;
	uint32_t i, k;

	for (i = 0; i < COUNT(table); i++) {
		offsets_pay(&rig, table[i].period, table[i].cost, table[i].period_x,
			    table[i].cost_x);
		for (k = 0; k < COUNT(methods); k++) {
			analyse(&rig, methods[k]);
			assert_int_equal(rig.bounds[1].response, table[i].wanted[k] * UNIT);
		}
		analyse(&rig, RESCH_CHAIN_WCDO);
		assert_int_equal(rig.bounds[1].response, table[i].wanted[3] * UNIT);
	}
}

static void beyond_the_period(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;
	uint32_t method, cpu;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 10, 20);
	for (cpu = 0; cpu < 3; cpu++)
		stage_add(chain, 6, (int)cpu, 1);
	analyse(&rig, RESCH_CHAIN_TC);
	expect_figures(&rig, 0, response, 6, 12, 18);
	expect_figures(&rig, 0, jitter, 0, 6, 12);
	analyse(&rig, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, response, 6, 12, 18);
	expect_figures(&rig, 0, jitter, 0, 0, 0);

	beyond(&rig);
	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		analyse(&rig, method);
		expect_figures(&rig, 0, response, 5, 10);
		expect_figures(&rig, 1, response, 11, 22);
		if (method == RESCH_CHAIN_TC)
			expect_figures(&rig, 1, jitter, 0, 11);
		if (method == RESCH_CHAIN_TC_BC)
			expect_figures(&rig, 1, jitter, 0, 5);
		if (method == RESCH_CHAIN_SAPM)
			expect_figures(&rig, 1, alone, 11, 11);
	}
}

/* ---- clocks, mixtures, refusals -------------------------------------------------------------- */

/* A stage with a clock begins a segment: Davare's sum of periods and responses. */
static void clocks(void **state)
{
	struct resch_chain_spec *chain;
	struct chain_rig rig;

	chain_rig_init(&rig);
	chain = chain_add(&rig, 10, 60);
	chain->protocol = RESCH_CHAIN_RG;
	stage_add(chain, 2, 0, 1);
	stage_add(chain, 3, 1, 1);
	stage_add(chain, 4, 0, 2)->clock = 20 * UNIT;
	stage_add(chain, 1, 1, 2);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), 0);
	expect_figures(&rig, 0, response, 2, 5, 6, 10);
	assert_true(rig.bounds[0].sampled);
	assert_int_equal(rig.bounds[0].response, (10 + 5 + 20 + 10) * UNIT);
	rig.chains[0].deadline = 44 * UNIT;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_AUTO, &rig.result), -EBUSY);
	assert_int_equal(rig.result.refusal.value, 45 * UNIT);
}

/* One chain by ds makes jitter for itself, the guarded one none. */
static void mixtures(void **state)
{
	struct chain_rig rig;

	thaker(&rig);
	rig.chains[0].protocol = RESCH_CHAIN_RG;
	rig.chains[2].protocol = RESCH_CHAIN_RG1;
	analyse(&rig, RESCH_CHAIN_AUTO);
	assert_int_equal(rig.result.method, RESCH_CHAIN_TC_BC);
	expect_figures(&rig, 0, jitter, 0, 0, 0);
	/* T1 is the first everywhere, and has no jitter either way */
	expect_figures(&rig, 0, response, 26, 45, 131);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_WCDO, &rig.result), -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_METHOD);
	assert_int_equal(rig.result.refusal.chain, 0);
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_SAPM, &rig.result), -EBUSY);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_METHOD);
	assert_int_equal(rig.result.refusal.chain, 1);
}

static void overload(void **state)
{
	struct chain_rig rig;
	uint32_t method;
	char text[RESCH_CHAIN_TEXT];

	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		thaker(&rig);
		rig.chains[1].stages[2].wcet = 20 * UNIT;
		assert_int_equal(resch_chain_analyse(&rig.model, method, &rig.result), -EBUSY);
		assert_true(rig.result.refusal.reason == RESCH_CHAIN_LOAD ||
			    rig.result.refusal.reason == RESCH_CHAIN_METHOD);
		assert_int_equal(rig.bounds[0].response, RESCH_CHAIN_NEVER);
		assert_int_equal(rig.bounds[0].stages[1].response / UNIT / 100, 0);
	}
	analyse(&rig, RESCH_CHAIN_TC);
	assert_int_equal(rig.result.refusal.value, 1166311);
	resch_chain_text(&rig.model, &rig.result, text, sizeof(text));
	assert_string_equal(
		text,
		"chain T0, stage c: CPU 2 has work for 116.6311 % of its time, by any method");
}

static void sentences(void **state)
{
	char text[RESCH_CHAIN_TEXT];
	struct chain_rig rig;

	thaker(&rig);
	all_protocol(&rig, RESCH_CHAIN_RG);
	analyse(&rig, RESCH_CHAIN_AUTO);
	resch_chain_text(&rig.model, &rig.result, text, sizeof(text));
	assert_string_equal(
		text,
		"chain T0, stage c: by the sum of the stages' responses (SA/PM) 131ms from the origin to its end, at most 88ms are allowed");
	rig.chains[2].stages[1].wcet = 0;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_TC, &rig.result), -EINVAL);
	assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_RANGE);
	assert_int_equal(rig.result.refusal.chain, 2);
	assert_int_equal(rig.result.refusal.stage, 1);
	resch_chain_text(&rig.model, &rig.result, text, sizeof(text));
	assert_string_equal(
		text, "chain T2, stage b: a time or number is out of range, with at most 54ms");
}

static void words(void **state)
{
	uint32_t i;

	for (i = 0; i <= RESCH_CHAIN_RG; i++)
		assert_int_equal(resch_chain_protocol_parse(resch_chain_protocol_name(i)), i);
	for (i = 0; i <= RESCH_CHAIN_WCDO_EXACT; i++)
		assert_int_equal(resch_chain_method_parse(resch_chain_method_name(i)), i);
	for (i = 0; i <= RESCH_CHAIN_HOPA; i++)
		assert_int_equal(resch_chain_rule_parse(resch_chain_rule_name(i)), i);
	assert_string_equal(resch_chain_protocol_name(RESCH_CHAIN_RG1), "rg1");
	assert_string_equal(resch_chain_method_name(RESCH_CHAIN_TC_BC), "tc-bc");
	assert_string_equal(resch_chain_rule_name(99), "?");
	assert_int_equal(resch_chain_protocol_parse("rg2"), -EINVAL);
	assert_int_equal(resch_chain_method_parse(""), -EINVAL);
	assert_int_equal(resch_chain_rule_parse("dm"), -EINVAL);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static void ranges(void **state)
{
	static const struct {
		size_t offset;
		uint64_t value;
	} table[] = {
		{ offsetof(struct resch_chain_spec, period), 0 },
		{ offsetof(struct resch_chain_spec, period), RESCH_CHAIN_TIME_MAX + 1 },
		{ offsetof(struct resch_chain_spec, deadline), 0 },
		{ offsetof(struct resch_chain_spec, deadline), RESCH_CHAIN_TIME_MAX + 1 },
		{ offsetof(struct resch_chain_spec, jitter), RESCH_CHAIN_TIME_MAX + 1 },
		{ offsetof(struct resch_chain_spec, stages[0].wcet), 0 },
		{ offsetof(struct resch_chain_spec, stages[0].wcet), 104 * UNIT + 1 },
		{ offsetof(struct resch_chain_spec, stages[0].bcet), 7 * UNIT + 1 },
		{ offsetof(struct resch_chain_spec, stages[0].clock), 10 * UNIT },
		{ offsetof(struct resch_chain_spec, stages[1].clock), RESCH_CHAIN_TIME_MAX + 1 },
		{ offsetof(struct resch_chain_spec, stages[1].offset), 1 },
		{ offsetof(struct resch_chain_spec, stages[1].blocking), UINT64_MAX },
		{ offsetof(struct resch_chain_spec, stages[1].local), UINT64_MAX },
	};
	struct chain_rig rig;
	uint32_t i;

	for (i = 0; i < COUNT(table); i++) {
		thaker(&rig);
		memcpy((char *)&rig.chains[0] + table[i].offset, &table[i].value, sizeof(uint64_t));
		assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_TC, &rig.result),
				 -EINVAL);
		assert_int_equal(rig.result.refusal.reason, RESCH_CHAIN_RANGE);
		assert_int_equal(resch_chain_assign(&rig.model, RESCH_CHAIN_PD), -EINVAL);
		assert_int_equal(resch_chain_best(&rig.model, &rig.result), -EINVAL);
	}
	thaker(&rig);
	assert_int_equal(resch_chain_analyse(&rig.model, 7, &rig.result), -EINVAL);
	rig.chains[1].count = RESCH_CHAIN_STAGES_MAX + 1;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_TC, &rig.result), -EINVAL);
	rig.model.count = 0;
	assert_int_equal(resch_chain_analyse(&rig.model, RESCH_CHAIN_TC, &rig.result), -EINVAL);
}

/* The largest of everything: it ends, with an answer or a word that there is none. */
static void extremes(void **state)
{
	struct resch_chain_spec *chains = calloc(64, sizeof(*chains));
	struct resch_chain_bound *bounds = calloc(64, sizeof(*bounds));
	struct resch_chain_model model = { .chains = chains, .count = 64 };
	struct resch_chain_result result = { .chains = bounds };
	uint32_t i, k, method;
	int err;

	for (i = 0; i < model.count; i++) {
		chains[i].period = i % 2 ? RESCH_CHAIN_TIME_MAX : RESCH_CHAIN_TIME_MAX / 7 + i;
		chains[i].deadline = RESCH_CHAIN_TIME_MAX;
		chains[i].jitter = RESCH_CHAIN_TIME_MAX;
		chains[i].count = 4;
		for (k = 0; k < 4; k++) {
			chains[i].stages[k].cpu = (int)(k + i) % 5;
			chains[i].stages[k].wcet = chains[i].period / 90;
			chains[i].stages[k].priority = (i * 7 + k) % 64;
		}
	}
	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO; method++) {
		err = resch_chain_analyse(&model, method, &result);
		assert_true(!err || err == -EBUSY || err == -E2BIG);
	}
	free(chains);
	free(bounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thaker_rate_monotonic),
		cmocka_unit_test(thaker_offsets),
		cmocka_unit_test(thaker_proportional),
		cmocka_unit_test(thaker_verdicts),
		cmocka_unit_test(slides_figures),
		cmocka_unit_test(sun_and_liu),
		cmocka_unit_test(own_stages_count),
		cmocka_unit_test(offsets),
		cmocka_unit_test(beyond_the_period),
		cmocka_unit_test(clocks),
		cmocka_unit_test(mixtures),
		cmocka_unit_test(overload),
		cmocka_unit_test(sentences),
		cmocka_unit_test(words),
		cmocka_unit_test(ranges),
		cmocka_unit_test(extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
