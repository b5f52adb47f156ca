// SPDX-License-Identifier: GPL-2.0
/* test_handler - the budgets of signal handlers between two jobs, by hand */
#include "rig.h"

#include <resch/handler.h>

static const struct resch_task_params periodic = {
	.kind = RESCH_PERIODIC,
	.wcet = 10,
	.period = 50,
	.deadline = 40,
	.overrun = RESCH_THROTTLE,
};

static void confined(void **state)
{
	struct resch_task_params params = { .wcet = 10 };
	const struct {
		u32 overrun;
		bool confined;
	} cases[] = {
		{ RESCH_COUNT, false }, { RESCH_NOTIFY, false },  { RESCH_SIGNAL, false },
		{ RESCH_SKIP, false },	{ RESCH_THROTTLE, true }, { RESCH_DEMOTE, true },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		params.overrun = cases[i].overrun;
		assert_int_equal(resch_handler_confined(&params), cases[i].confined);
	}
}

static void deadlines(void **state)
{
	struct resch_job job = { 0 };

	/* no job yet, nor known */
	assert_int_equal(resch_handler_deadline(&periodic, &job, false, 1000), 1040);
	resch_job_first(&job, 1030, 40);
	/* the next one's */
	assert_int_equal(resch_handler_deadline(&periodic, &job, true, 1000), 1070);
	assert_int_equal(resch_handler_deadline(&periodic, &job, true, 1070), 1070);
	assert_int_equal(resch_handler_deadline(&periodic, &job, true, 1071), 1111);
	/* of a sporadic task: that of the earliest that could come */
	assert_int_equal(resch_handler_deadline(&periodic, &job, false, 1035), 1120);
	assert_int_equal(resch_handler_deadline(&periodic, &job, false, 1080), 1120);
	assert_int_equal(resch_handler_deadline(&periodic, &job, false, 1081), 1121);
}

/* Two handlers, of 3 and 4, before a job that is released 30 after the first one began. */
static void charged(void **state)
{
	struct resch_life life = { .distance = 50 };
	struct resch_job job;

	resch_job_first(&job, 1030, 40);
	resch_handler_begin(&life, &periodic, &job, true, 100, 1000);
	assert_true(life.enforce);
	assert_int_equal(resch_life_left(&life, 100), 10);
	resch_handler_end(&life, &periodic, 103);
	assert_false(life.enforce);
	resch_handler_begin(&life, &periodic, &job, true, 110, 1015);
	assert_int_equal(resch_life_left(&life, 110), 7);
	resch_handler_end(&life, &periodic, 114);
	resch_life_begin(&life, &periodic, 120);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 120), 3);
	assert_int_equal(resch_life_executed(&life, 121), 1);
	/* and that is settled */
	resch_life_begin(&life, &periodic, 130);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 130), 10);
}

/* The next job is further away than a period: it has a budget of its own. */
static void far(void **state)
{
	struct resch_life life = { .distance = 50 };
	struct resch_stats stats = { 0 };
	struct resch_job job;

	resch_job_first(&job, 1200, 40);
	resch_handler_begin(&life, &periodic, &job, true, 100, 1000);
	assert_int_equal(resch_handler_stopped(&life, &job, true, 1010, 5), 1050);
	resch_handler_replenish(&life, &stats, &periodic, &job, true, 110, 1050);
	assert_int_equal(job.release, 1200);
	assert_int_equal(job.skipped, 0);
	assert_int_equal(resch_life_left(&life, 112), 8);
	resch_handler_end(&life, &periodic, 112);
	/* within the same period: what is left of it; in the next one: all */
	resch_handler_begin(&life, &periodic, &job, true, 112, 1099);
	assert_int_equal(resch_life_left(&life, 112), 8);
	resch_handler_end(&life, &periodic, 112);
	resch_handler_begin(&life, &periodic, &job, true, 112, 1100);
	assert_int_equal(resch_life_left(&life, 112), 10);
	resch_handler_end(&life, &periodic, 113);
	resch_life_begin(&life, &periodic, 113);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 113), 10);
}

/* It has used the next job's budget up, and takes that of the one after. */
static void stopped(void **state)
{
	struct resch_life life = { .distance = 50 };
	struct resch_stats stats = { 0 };
	struct resch_job job;

	resch_job_first(&job, 1030, 40);
	resch_handler_begin(&life, &periodic, &job, true, 100, 1000);
	assert_int_equal(resch_life_left(&life, 111), 0);
	assert_int_equal(resch_handler_stopped(&life, &job, true, 1011, 5), 1080);
	assert_int_equal(resch_handler_stopped(&life, &job, true, 1078, 5), 1083);
	resch_handler_replenish(&life, &stats, &periodic, &job, true, 111, 1080);
	assert_int_equal(job.release, 1080);
	assert_int_equal(job.deadline, 1120);
	assert_int_equal(job.skipped, 1);
	assert_int_equal(stats.skipped, 1);
	assert_int_equal(resch_life_left(&life, 111), 10);
	resch_handler_end(&life, &periodic, 115);
	resch_life_begin(&life, &periodic, 115);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 115), 6);
}

/* Stopped, it called in the kernel to wait, having executed for more than its budget. */
static void used_up(void **state)
{
	struct resch_life life = { .distance = 50 };
	struct resch_job job;

	resch_job_first(&job, 1030, 40);
	resch_handler_begin(&life, &periodic, &job, true, 100, 1000);
	resch_handler_end(&life, &periodic, 115);
	resch_handler_begin(&life, &periodic, &job, true, 115, 1020);
	assert_int_equal(resch_life_left(&life, 115), 0);
	resch_handler_end(&life, &periodic, 116);
	resch_life_begin(&life, &periodic, 116);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 116), 0);
}

/* Nobody has asked for a job: it is as if the handlers were sporadic jobs. */
static void not_asked_for(void **state)
{
	struct resch_life life = { .distance = 50 };
	struct resch_stats stats = { 0 };
	struct resch_job job;

	resch_job_first(&job, 1000, 40);
	resch_handler_begin(&life, &periodic, &job, false, 100, 1010);
	/* not before 1050 there could be a job: it is that one's budget, and the next is of 1100 */
	assert_int_equal(resch_handler_stopped(&life, &job, false, 1020, 5), 1100);
	resch_handler_replenish(&life, &stats, &periodic, &job, false, 110, 1100);
	assert_int_equal(job.deadline, 1140);
	assert_int_equal(stats.skipped, 0);
	resch_handler_end(&life, &periodic, 114);
	/* asked for long ago: not before the handlers' last budget, which it has in common */
	resch_job_sporadic(&job, 50, 40, 1060);
	assert_int_equal(job.release, 1100);
	resch_life_begin(&life, &periodic, 114);
	resch_handler_charge(&life, &job);
	assert_int_equal(resch_life_left(&life, 114), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(confined),	 cmocka_unit_test(deadlines),
		cmocka_unit_test(charged),	 cmocka_unit_test(far),
		cmocka_unit_test(stopped),	 cmocka_unit_test(used_up),
		cmocka_unit_test(not_asked_for),
	};

	return cmocka_run_group_tests_name("handler", tests, NULL, NULL);
}
