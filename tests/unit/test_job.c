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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first),	  cmocka_unit_test(no_drift),
		cmocka_unit_test(skip_past),	  cmocka_unit_test(skip_on_grid),
		cmocka_unit_test(sporadic),	  cmocka_unit_test(bandwidth_vector),
		cmocka_unit_test(bandwidth_edge), cmocka_unit_test(tardiness),
	};

	return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
