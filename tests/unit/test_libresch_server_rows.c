// SPDX-License-Identifier: GPL-2.0
/* test_libresch_server_rows.c - servers for rows of tasks: point by point, task by task */
#include "rig.h"

#include "resch-server.h"

#define MS 1000000ULL

/* What one test of the library may look at, and what it says then. */
#define LOOKS (1ULL << 22)

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
