// SPDX-License-Identifier: GPL-2.0
/* test_job - releases, deadlines, and the constant-bandwidth rule */
#include "rig.h"

#define HOUR 3600000000000ULL

static void first(void **state)
{
	struct resch_job job = { .index = 9, .skipped = 4 };

	resch_job_first(&job, 1000, 300);
	assert_int_equal(job.index, 1);
	assert_int_equal(job.release, 1000);
	assert_int_equal(job.deadline, 1300);
	assert_int_equal(job.skipped, 0);
}

/* A year of odd periods: the last release is where multiplication says. */
static void no_drift(void **state)
{
	const u64 period = 333333337, jobs = 94608000;
	struct resch_job job;
	u64 i;

	resch_job_first(&job, 17, 5);
	for (i = 0; i < jobs; i++)
		resch_job_advance(&job, period, 5);
	assert_int_equal(job.index, jobs + 1);
	assert_true(job.release == 17 + jobs * period);
	assert_true(job.deadline == job.release + 5);
}

static void skip_past(void **state)
{
	/*
	 * nominal release 1000, period 100: at @now, so many are left out and the release is that
	 * one
	 */
	static const struct {
		u64 now, left_out, release;
	} table[] = {
		{ 0, 0, 1000 },	   { 999, 0, 1000 },   { 1000, 0, 1000 },
		{ 1001, 1, 1100 }, { 1099, 1, 1100 },  { 1100, 1, 1100 },
		{ 1101, 2, 1200 }, { 1950, 10, 2000 }, { 2000, 10, 2000 },
	};
	u32 i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct resch_job job;

		resch_job_first(&job, 1000, 250);
		assert_int_equal(resch_job_skip(&job, 100, 250, table[i].now), table[i].left_out);
		assert_int_equal(job.release, table[i].release);
		assert_int_equal(job.deadline, table[i].release + 250);
		assert_int_equal(job.skipped, table[i].left_out);
		assert_int_equal(job.index, 1);
	}
}

/* However late, the release stays on the grid and is the first one not before now. */
static void skip_on_grid(void **state)
{
	u64 random = 5;
	u32 i;

	for (i = 0; i < 100000; i++) {
		u64 period = rig_between(&random, 1000, HOUR),
		    start = rig_between(&random, 0, 1ULL << 60);
		u64 now = start + rig_between(&random, 0, 100 * period);
		struct resch_job job;

		resch_job_first(&job, start, 1);
		resch_job_skip(&job, period, 1, now);
		assert_true(job.release >= now && job.release - now < period);
		assert_true((job.release - start) % period == 0);
		assert_true(job.skipped == (job.release - start) / period);
	}
}

static void sporadic(void **state)
{
	struct resch_job job = { 0 };

	resch_job_sporadic(&job, 100, 40, 7); /* the first: at once */
	assert_int_equal(job.index, 1);
	assert_int_equal(job.release, 7);
	assert_int_equal(job.deadline, 47);
	resch_job_sporadic(&job, 100, 40, 50); /* too early: held back */
	assert_int_equal(job.release, 107);
	assert_int_equal(job.deadline, 147);
	resch_job_sporadic(&job, 100, 40, 207); /* just in time */
	assert_int_equal(job.release, 207);
	resch_job_sporadic(&job, 100, 40, 1000); /* long after */
	assert_int_equal(job.release, 1000);
	assert_int_equal(job.index, 4);
}

/*
 * The vector for a budget of 2 in 6, jobs (2,3), (6,1), (15,1), soft: the rule is asked at 2, at 6
 * (where one unit is left until 14: it stands) and at 15 (where two are left until 20, more than
 * the share, 5 * 2 / 6: a new deadline).
 */
static void bandwidth_vector(void **state)
{
	struct resch_job job = { 0 };

	assert_int_equal(resch_job_wakeup(&job, 2, 6, 0, 2), 2);
	assert_int_equal(job.deadline, 8);
	job.deadline = 14; /* the soft server postponed it at 4 */
	assert_int_equal(resch_job_wakeup(&job, 2, 6, 1, 6), 1);
	assert_int_equal(job.deadline, 14);
	assert_int_equal(job.release, 6);
	job.deadline = 20; /* at 7 the budget was used up */
	assert_int_equal(resch_job_wakeup(&job, 2, 6, 2, 15), 2);
	assert_int_equal(job.deadline, 21);
	assert_int_equal(job.index, 3);
}

/* The old deadline stands exactly while left < (d - now) * wcet / deadline. */
static void bandwidth_edge(void **state)
{
	struct resch_job job;

	resch_job_first(&job, 0, 1000);
	assert_int_equal(resch_job_wakeup(&job, 100, 1000, 49, 500), 49); /* share: 50 */
	assert_int_equal(job.deadline, 1000);
	assert_int_equal(resch_job_wakeup(&job, 100, 1000, 50, 500), 100);
	assert_int_equal(job.deadline, 1500);
	resch_job_first(&job, 0, 1000);
	/* at the deadline: a new one */
	assert_int_equal(resch_job_wakeup(&job, 100, 1000, 0, 1000), 100);
	assert_int_equal(job.deadline, 2000);
	resch_job_first(&job, 0, HOUR); /* the largest parameters, no overflow */
	assert_true(resch_job_wakeup(&job, HOUR, HOUR, HOUR - 2, 1) == HOUR - 2);
	assert_true(resch_job_wakeup(&job, HOUR, HOUR, HOUR - 1, 1) == HOUR);
}

static void tardiness(void **state)
{
	struct resch_job job;

	resch_job_first(&job, 10, 5);
	assert_int_equal(resch_job_tardiness(&job, 3), 0);
	assert_int_equal(resch_job_tardiness(&job, 15), 0);
	assert_int_equal(resch_job_tardiness(&job, 16), 1);
}

/* A budget of 10 from CPU time 100 on: 12 used, then a new one, the next release taken over. */
static void budget(void **state)
{
	struct resch_task_params params = {
		.wcet = 10, .period = 50, .deadline = 40, .overrun = RESCH_THROTTLE
	};
	struct resch_life life = { .spent = 7, .missed = true, .skip = true, .distance = 50 };
	struct resch_stats stats = { .response_min = RESCH_NEVER };
	struct resch_job job;

	resch_job_first(&job, 1000, 40);
	resch_life_begin(&life, &params, 100);
	assert_true(life.enforce && !life.watch && !life.missed && !life.overran && life.skip);
	assert_int_equal(resch_life_left(&life, 104), 6);
	assert_int_equal(resch_life_executed(&life, 104), 4);
	assert_false(resch_life_exceeded(&life, 110));
	assert_true(resch_life_exceeded(&life, 111));
	resch_life_overran(&life, &stats, &params);
	assert_true(!life.enforce && !resch_life_exceeded(&life, 112));
	assert_int_equal(resch_life_throttled(&life, &params, &job, 1010, 5), 1050);
	assert_int_equal(resch_life_throttled(&life, &params, &job, 1049, 5), 1054);
	resch_life_replenish(&life, &stats, &params, &job, 112);
	assert_int_equal(job.release, 1050);
	assert_int_equal(job.deadline, 1090);
	assert_int_equal(job.skipped, 1);
	assert_int_equal(resch_life_left(&life, 112), 10);
	assert_int_equal(resch_life_executed(&life, 115), 15);
	resch_life_missed(&life, &stats, &params);
	resch_life_end(&life, &stats, &job, 115, 1095);
	assert_int_equal(life.spent, 3);
	assert_int_equal(stats.completed, 1);
	assert_int_equal(stats.overruns, 1);
	assert_int_equal(stats.misses, 1);
	assert_int_equal(stats.skipped, 1);
	assert_int_equal(stats.exec_total, 15);
	assert_int_equal(stats.exec_max, 15);
	assert_int_equal(stats.response_min, 45);
	assert_int_equal(stats.response_max, 45);
	assert_int_equal(stats.response_total, 45);
	assert_int_equal(stats.tardiness_max, 5);
}

/* Wake-up tasks keep their budget over a release, and a new one moves their deadline only. */
static void budget_wakeup(void **state)
{
	struct resch_task_params params = {
		.kind = RESCH_WAKEUP, .wcet = 10, .deadline = 40, .miss = RESCH_SIGNAL
	};
	struct resch_life life = { .budget = 4 };
	struct resch_stats stats = { 0 };
	struct resch_job job;

	resch_job_first(&job, 1000, 40);
	resch_life_begin(&life, &params, 100);
	assert_true(!life.enforce && life.watch);
	assert_int_equal(resch_life_left(&life, 100), 4);
	assert_int_equal(resch_life_throttled(&life, &params, &job, 1010, 5), 1040);
	resch_life_replenish(&life, &stats, &params, &job, 104);
	assert_int_equal(job.release, 1000);
	assert_int_equal(job.deadline, 1080);
	assert_int_equal(stats.skipped, 0);
	assert_int_equal(resch_life_left(&life, 104), 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first),	  cmocka_unit_test(no_drift),
		cmocka_unit_test(skip_past),	  cmocka_unit_test(skip_on_grid),
		cmocka_unit_test(sporadic),	  cmocka_unit_test(bandwidth_vector),
		cmocka_unit_test(bandwidth_edge), cmocka_unit_test(tardiness),
		cmocka_unit_test(budget),	  cmocka_unit_test(budget_wakeup),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
