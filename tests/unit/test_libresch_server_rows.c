// SPDX-License-Identifier: GPL-2.0
/* test_libresch_server_rows.c - servers for rows of tasks: point by point, task by task */
#include <time.h>

#include "rig.h"

#include "server/test.h"

#define MS 1000000ULL

/* What one test of the library may look at, and what it says then. */
#define LOOKS (1ULL << 22)

#define DIFFERENT 100

static u64 naive_supply(u64 budget, u64 period, u64 work)
{
	u64 budgets = (work - 1) / budget;

	return 2 * (period - budget) + budgets * period + work - budgets * budget;
}

static u64 naive_demand(const struct resch_server_task *tasks, u32 count, u64 length)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < count; i++)
		if (length >= tasks[i].deadline)
			sum += ((length - tasks[i].deadline) / tasks[i].period + 1) * tasks[i].wcet;
	return sum;
}

static u64 naive_last(const struct resch_server_task *tasks, u32 count, u64 limit)
{
	u64 last = 0;
	u32 i;

	for (i = 0; i < count; i++)
		if (limit >= tasks[i].deadline)
			last = max(last, limit - (limit - tasks[i].deadline) % tasks[i].period);
	return last;
}

/* From @from back, as long as looks are left. Return: 0, -EBUSY, -EAGAIN: given up */
static int naive(const struct resch_server_params *params, const struct resch_server_task *tasks,
		 u32 count, u64 from, struct resch_verdict *why)
{
	u64 looks = LOOKS / count, t = naive_last(tasks, count, from);

	for (looks = looks ? looks - 1 : 0; t; looks -= 2) {
		u64 need =
			naive_supply(params->budget, params->period, naive_demand(tasks, count, t));

		if (looks < 2)
			return -EAGAIN;
		*why = (struct resch_verdict){ .value = need, .limit = t };
		if (need > t)
			return -EBUSY;
		t = naive_last(tasks, count, min(t, need) - 1);
	}
	return 0;
}

/* The end of the first busy period: nothing later can be worse. */
static u64 naive_busy(const struct resch_server_params *params,
		      const struct resch_server_task *tasks, u32 count)
{
	u64 window = 1, next, sum;
	u32 i, rounds;

	for (rounds = 0; rounds < 10000; rounds++) {
		for (sum = 0, i = 0; i < count; i++)
			sum += ((window - 1) / tasks[i].period + 1) * tasks[i].wcet;
		next = naive_supply(params->budget, params->period, sum);
		if (next <= window)
			return window;
		window = next;
	}
	return 0;
}

/* Sets in which tasks have deadlines and periods in common, or not. */
static void rows(void **state)
{
	static struct resch_server_task tasks[64];
	u32 round, i, count, passed = 0, failed = 0;
	u64 random = 17, busy;

	for (round = 0; round < 3000; round++) {
		struct resch_server_params params = { .period = (1 + rig_between(&random, 0, 49)) *
								MS };
		struct resch_verdict why = {}, wanted = {};
		u64 sum = 0, least = UINT64_MAX;
		int result, right;

		count = 1 + (u32)rig_between(&random, 0, round % 2 ? 63 : 7);
		for (i = 0; i < count; i++) {
			u64 period = (5 + rig_between(&random, 0, round % 3 ? 11 : 4999)) * MS;

			tasks[i] = (struct resch_server_task){
				.period = period,
				.deadline = round % 5 ?
						    period * (1 + rig_between(&random, 0, 3)) / 2 :
						    period,
				.wcet = 1 +
					period / count * (20 + rig_between(&random, 0, 59)) / 200,
			};
			sum += tasks[i].wcet;
			least = min(least, min(period, tasks[i].deadline));
		}
		params.budget =
			max(params.period * (20 + rig_between(&random, 0, 79)) / 100, 10000ULL);
		params.budget = min(params.budget, params.period);
		busy = naive_busy(&params, tasks, count);
		/* A round of all tasks in each budget is carried without a search. */
		if (!busy || (sum <= params.budget && params.period <= least))
			continue;
		result = resch_server_fits(&params, tasks, count, 0, &why);
		if (why.bound == RESCH_BOUND_UTILIZATION || why.bound == RESCH_BOUND_PLUGIN)
			continue;
		right = naive(&params, tasks, count, busy, &wanted);
		assert_int_equal(result, right);
		passed += !result;
		failed += !!result;
		if (!result)
			continue;
		assert_int_equal(why.bound, RESCH_BOUND_SERVER);
		/* It may have begun earlier than at the busy period's end. */
		assert_int_equal(why.value, naive_supply(params.budget, params.period,
							 naive_demand(tasks, count, why.limit)));
		assert_true(why.value > why.limit);
		assert_true(why.limit <= busy);
	}
	print_message("%u passed, %u failed\n", passed, failed);
	assert_true(passed > 200 && failed > 200);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Job by job. Return: the latest deadline at or before @limit */
static u64 each_job(const struct resch_server_task *tasks, u32 count, u64 limit, u64 *work)
{
	u64 due, last = 0;
	u32 i;

	*work = 0;
	for (i = 0; i < count; i++) {
		for (due = tasks[i].deadline; due <= limit; due += tasks[i].period) {
			*work += tasks[i].wcet;
			last = max(last, due);
		}
	}
	return last;
}

/*
 * Back to every limit, by one and by many periods, and by exactly so many: numbers are small, so
 * that they often meet.
 */
static void walk(void **state)
{
	static const struct resch_server_params params = { .kind = RESCH_SERVER_CBS_HARD };
	struct resch_server_task tasks[6];
	u32 round, i, exact = 0;
	u64 random = 5, limit, right;

	for (round = 0; round < 3000; round++) {
		unsigned __int128 work;
		struct served served = { .params = &params, .tasks = tasks };
		struct served_known known;

		served.count = 1 + (u32)rig_between(&random, 0, 5);
		for (i = 0; i < served.count; i++)
			tasks[i] = (struct resch_server_task){
				.period = 1 + rig_between(&random, 0, 8),
				.deadline = 1 + rig_between(&random, 0, round % 2 ? 8 : 40),
				.wcet = 1 + rig_between(&random, 0, 99),
			};
		assert_int_equal(resch_served_know(&served, &known), 0);
		limit = 20 + rig_between(&random, 0, 99);
		assert_int_equal(resch_served_last(&known, limit, &work),
				 each_job(tasks, served.count, limit, &right));
		assert_true(work == right);
		while (limit) {
			u64 before = limit, step = 1 + rig_between(&random, 0, 29);

			limit -= min(limit, step);
			for (i = 0; i < served.count; i++)
				exact += limit >= tasks[i].deadline &&
					 before - limit > tasks[i].period &&
					 (limit - tasks[i].deadline) % tasks[i].period == 0;
			assert_int_equal(resch_served_back(&known, limit, &work),
					 each_job(tasks, served.count, limit, &right));
			assert_true(work == right);
		}
		resch_served_forget(&known);
	}
	assert_true(exact > 1000);
}

/*
 * A hundred periods of which none goes into another one: that took 20 s. The answers are those of a
 * search that tried them in their order and looked at all rows anew at each point.
 */
static void different(void **state)
{
	static const struct {
		u32 kind, percent;
		u64 step, budget, period;
	} cases[] = {
		{ RESCH_SERVER_CBS_HARD, 95, 1013, 190969204, 200287000 },
		{ RESCH_SERVER_CUS, 95, 1013, 190966792, 200287000 },
		{ RESCH_SERVER_CBS_HARD, 60, 1000, 41340132, 68500000 },
		{ RESCH_SERVER_CUS, 60, 1000, 120092236, 199000000 },
	};
	static struct resch_server_task tasks[DIFFERENT];
	clock_t begin = clock();
	u32 i, k;

	for (k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct resch_server_params params = { .kind = cases[k].kind };

		for (i = 0; i < DIFFERENT; i++) {
			u64 period = 100 * MS + i * cases[k].step * 1000;

			tasks[i] = (struct resch_server_task){
				.period = period,
				.wcet = period * cases[k].percent / 10000,
			};
		}
		assert_int_equal(resch_server_size(&params, tasks, DIFFERENT, 5000, NULL), 0);
		print_message("%u: %llu %llu\n", k, params.budget, params.period);
		assert_int_equal(params.budget, cases[k].budget);
		assert_int_equal(params.period, cases[k].period);
	}
	print_message("%.1f s\n", (double)(clock() - begin) / CLOCKS_PER_SEC);
	assert_true(clock() - begin < 20 * CLOCKS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(walk),
		cmocka_unit_test(different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
