// SPDX-License-Identifier: GPL-2.0
/* test_suggest - what a verdict suggests passes, and a little more does not */
#include "rig.h"

#define MS 1000000ULL
#define HOUR 3600000000000ULL

static struct rig rig;

struct tally {
	u32 wcet, period, neither;
};

/* @task was refused. Tries the suggestions; the CPU stays as it is. */
static void check_refusal(struct resch_task *task, bool sharp_period, struct tally *tally)
{
	const struct resch_task_params asked = task->params;
	const struct resch_verdict verdict = rig.verdict;

	assert_int_not_equal(verdict.bound, RESCH_BOUND_NONE);
	assert_true(verdict.value > verdict.limit || verdict.bound == RESCH_BOUND_PLUGIN);
	assert_true(verdict.suggest_wcet < asked.wcet);
	if (verdict.suggest_wcet) {
		task->params.wcet = verdict.suggest_wcet;
		assert_int_equal(rig_try(&rig, task), 0);
		task->params.wcet = verdict.suggest_wcet + 1;
		assert_int_equal(rig_try(&rig, task), -EBUSY);
		task->params.wcet = verdict.suggest_wcet + verdict.suggest_wcet / 100 + 1;
		assert_int_equal(rig_try(&rig, task), -EBUSY);
		tally->wcet++;
	}
	task->params = asked;
	if (verdict.suggest_period) {
		assert_true(verdict.suggest_period >= asked.period &&
			    verdict.suggest_period <= HOUR);
		task->params.period = task->params.deadline = verdict.suggest_period;
		assert_int_equal(rig_try(&rig, task), 0);
		if (sharp_period && verdict.suggest_period > asked.period) {
			task->params.period = task->params.deadline = verdict.suggest_period - 1;
			assert_int_equal(rig_try(&rig, task), -EBUSY);
		}
		tally->period++;
	}
	tally->neither += !verdict.suggest_wcet && !verdict.suggest_period;
	task->params = asked;
}

/*
 * @sharp_period: the test gets no harder as the period grows, so that there is one smallest one
 * that passes
 */
static void run(const struct resch_plugin *plugin, const char *key, const char *value,
		bool sharp_period, bool implicit)
{
	struct tally tally = { 0 };
	u64 random = 17;
	u32 round, i;

	for (round = 0; round < 150; round++) {
		rig_init(&rig, plugin);
		rig.rq.capacity = rig_between(&random, 500000, 1000000);
		rig.rq.overhead = rig_between(&random, 0, 20000);
		if (key)
			rig_option(&rig, key, value);
		for (i = 0; i < 6; i++) {
			u64 period = rig_between(&random, MS, 20 * MS);
			u64 deadline = implicit ? period :
						  rig_between(&random, period / 10,
							      round % 2 ? period : 2 * period);
			u64 wcet = rig_between(&random, 1000, min(deadline, period) / 2);
			struct resch_task *task = rig_task(&rig, wcet, deadline, period);

			task->params.priority = rig_between(&random, 1, 10000);
			if (!rig_try(&rig, task))
				rig_join(&rig, task);
			else
				check_refusal(task, sharp_period, &tally);
		}
	}
	print_message("refusals with a wcet that passes %u, a period %u, neither %u\n", tally.wcet,
		      tally.period, tally.neither);
	assert_true(tally.wcet > 50);
}

static void edf(void **state)
{
	run(resch_edf(), NULL, NULL, true, false);
}

static void fifo(void **state)
{
	run(&resch_plugin_fallback, NULL, NULL, true, false);
}

static void fp_deadline(void **state)
{
	run(resch_fp(), "order", "dm", false, false);
}

static void fp_rate(void **state)
{
	run(resch_fp(), "order", "rm", false, false);
}

static void fp_explicit(void **state)
{
	run(resch_fp(), "order", "explicit", true, false);
}

static void fp_hyperbolic(void **state)
{
	run(resch_fp(), "test", "hyperbolic", true, true);
}

static void fp_liu_layland(void **state)
{
	run(resch_fp(), "test", "ll", true, true);
}

static void demo(void **state)
{
	run(resch_demo(), "quantum", "500us", true, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edf),
		cmocka_unit_test(fifo),
		cmocka_unit_test(fp_deadline),
		cmocka_unit_test(fp_rate),
		cmocka_unit_test(fp_explicit),
		cmocka_unit_test(fp_hyperbolic),
		cmocka_unit_test(fp_liu_layland),
		cmocka_unit_test(demo),
	};

	return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
