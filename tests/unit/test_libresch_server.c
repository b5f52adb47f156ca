// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_server - sizes of servers: vectors, unit by unit, and by the plugin's own
 * admission
 */
#include "rig.h"

#include "resch-server.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define US 1000ULL
#define MS 1000000ULL
#define SEC 1000000000ULL

const struct resch_plugin *resch_server(void);

/* ---- the processor that a set needs ---------------------------------------------------------- */

static const struct resch_server_task first[] = {
	{ .wcet = 1 * SEC, .period = 4 * SEC },
	{ .wcet = 1 * SEC, .period = 6 * SEC },
	{ .wcet = 1 * SEC, .period = 10 * SEC },
};
static const struct resch_server_task second[] = {
	{ .wcet = 1 * SEC, .period = 5 * SEC },
	{ .wcet = 2 * SEC, .period = 9 * SEC },
	{ .wcet = 3 * SEC, .period = 25 * SEC },
};
static const struct resch_server_task third[] = { { .wcet = 2 * SEC, .period = 4 * SEC } };
/* By its deadline, and by its utilization. */
static const struct resch_server_task tight[] = {
	{ .wcet = SEC, .deadline = 2 * SEC, .period = 8 * SEC }
};

static void capacities(void **state)
{
	static const struct {
		u32 policy;
		const struct resch_server_task *tasks;
		u32 count;
		u64 wanted;
	} table[] = {
		{ RESCH_SERVER_RM, first, 3, 600000000 },
		{ RESCH_SERVER_DM, first, 3, 600000000 },
		{ RESCH_SERVER_RM, second, 3, 560000000 },
		{ RESCH_SERVER_RM, third, 1, 500000000 },
		{ RESCH_SERVER_EDF, first, 3, 516666667 },
		{ RESCH_SERVER_EDF, second, 3, 542222223 },
		{ RESCH_SERVER_EDF, third, 1, 500000000 },
		{ RESCH_SERVER_EDF, tight, 1, 500000000 },
		{ RESCH_SERVER_DM, tight, 1, 500000000 },
		/* All within the shortest period: 3 of 4. */
		{ RESCH_SERVER_FIFO, first, 3, 750000000 },
	};
	u64 capacity;
	u32 i;

	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(resch_server_capacity(table[i].policy, 0, table[i].tasks,
						       table[i].count, &capacity),
				 0);
		assert_int_equal(capacity, table[i].wanted);
	}
	assert_int_equal(resch_server_capacity(RESCH_SERVER_RR, 0, first, 3, &capacity), -EINVAL);
	assert_int_equal(resch_server_capacity(RESCH_SERVER_EDF, 0, first, 0, &capacity), -EINVAL);
	assert_int_equal(resch_server_capacity(RESCH_SERVER_EDF, 0,
					       &(struct resch_server_task){ .wcet = 3 * SEC,
									    .period = 2 * SEC },
					       1, &capacity),
			 -EBUSY);
}

/* ---- unit by unit ---------------------------------------------------------------------------- */

#define UNIT (10 * US)
#define LINE 3000

/* What a hard CBS of @budget in @period supplies in @length at the worst, in units. */
static u64 supplied(u64 budget, u64 period, u64 length)
{
	u64 t, sum = 0, black = 2 * (period - budget);

	for (t = black; t < length; t++)
		sum += (t - black) % period < budget;
	return sum;
}

static u64 first_time(const u64 *supply, u64 work, u64 limit)
{
	u64 t;

	for (t = 0; t <= limit; t++)
		if (supply[t] >= work)
			return t;
	return limit + 1;
}

struct unit_task {
	u64 wcet, deadline, period;
};

/* The tasks in the order of their priorities; deadlines up to periods. */
static bool carries(u32 policy, u64 budget, u64 period, const struct unit_task *tasks, u32 count)
{
	static u64 supply[LINE + 1];
	u64 sum = 0, least = U64_MAX, t;
	u32 i, j;

	for (t = 0; t <= LINE; t++)
		supply[t] = supplied(budget, period, t);
	for (i = 0; i < count; i++) {
		sum += tasks[i].wcet;
		least = min(least, tasks[i].deadline);
	}
	if (sum <= budget && period <= least)
		return true;
	if (policy == RESCH_SERVER_EDF) {
		for (t = 1; t <= LINE; t++) {
			for (sum = 0, i = 0; i < count; i++)
				if (t >= tasks[i].deadline)
					sum += ((t - tasks[i].deadline) / tasks[i].period + 1) *
					       tasks[i].wcet;
			if (sum > supply[t])
				return false;
		}
		return true;
	}
	for (i = 0; i < count; i++) {
		for (t = 1; t <= tasks[i].deadline; t++) {
			for (sum = tasks[i].wcet, j = 0; j < i; j++)
				sum += (t + tasks[j].period - 1) / tasks[j].period * tasks[j].wcet;
			if (first_time(supply, sum, LINE) <= t)
				break;
		}
		if (t > tasks[i].deadline)
			return false;
	}
	return true;
}

static void units(void **state)
{
	u64 random = 11, passed = 0, small = 0;
	u32 round;

	for (round = 0; round < 80; round++) {
		struct unit_task tasks[3];
		struct resch_server_task given[3];
		struct resch_server_params params = { .policy = round & 1 ? RESCH_SERVER_DM :
									    RESCH_SERVER_EDF };
		u32 count = (u32)rig_between(&random, 1, 3), i, j;
		u64 period = rig_between(&random, 1, 12), budget;

		for (i = 0; i < count; i++) {
			tasks[i].period = rig_between(&random, 4, 40);
			tasks[i].deadline = rig_between(&random, 2, tasks[i].period);
			tasks[i].wcet = rig_between(&random, 1, 1 + tasks[i].deadline / 4);
		}
		for (i = 0; i < count; i++)
			for (j = i + 1; j < count; j++)
				if (tasks[j].deadline < tasks[i].deadline) {
					struct unit_task other = tasks[i];

					tasks[i] = tasks[j];
					tasks[j] = other;
				}
		for (i = 0; i < count; i++)
			given[i] = (struct resch_server_task){ .wcet = tasks[i].wcet * UNIT,
							       .deadline = tasks[i].deadline * UNIT,
							       .period = tasks[i].period * UNIT };
		params.period = period * UNIT;
		for (budget = 1; budget <= period; budget++) {
			bool carried = carries(params.policy, budget, period, tasks, count);

			params.budget = budget * UNIT;
			assert_int_equal(resch_server_fits(&params, given, count, 0, NULL),
					 carried ? 0 : -EBUSY);
			if (carried)
				break;
		}
		/* The smallest one is at most a unit smaller. */
		if (budget > period) {
			assert_int_equal(resch_server_size(&params, given, count, 0, NULL), -EBUSY);
			continue;
		}
		assert_int_equal(resch_server_size(&params, given, count, 0, NULL), 0);
		assert_true(params.budget <= budget * UNIT &&
			    params.budget + UNIT > (budget - 1) * UNIT);
		assert_true(params.budget > (budget - 1) * UNIT || params.budget == UNIT);
		passed++;
		small += budget < period;
	}
	assert_true(passed > 20 && small > 10);
}

/* ---- what the plugin says -------------------------------------------------------------------- */

static struct rig rig;
static struct resch_server server;

/* Are they all admitted, one after the other? */
static bool admitted(const struct resch_server_params *params,
		     const struct resch_server_task *tasks, u32 count, u32 overhead)
{
	u32 i;

	rig_init(&rig, resch_server());
	rig.rq.overhead = overhead;
	memset(&server, 0, sizeof(server));
	server.id = 1;
	server.params = *params;
	rig.rq.servers = &server;
	for (i = 0; i < count; i++) {
		struct resch_task *task =
			rig_task(&rig, tasks[i].wcet, tasks[i].deadline, tasks[i].period);

		task->params.deadline = tasks[i].deadline ? tasks[i].deadline : tasks[i].period;
		task->params.priority = tasks[i].priority;
		task->params.group = 1;
		task->server = &server;
		if (rig_try(&rig, task))
			return false;
		rig_join(&rig, task);
	}
	return true;
}

static struct resch_server_task drawn(u64 *random)
{
	struct resch_server_task task = { .period = rig_between(random, 2 * MS, 80 * MS) };

	task.wcet = rig_between(random, 20 * US, task.period / 6);
	task.priority = (u32)rig_between(random, 0, 3);
	if (rig_between(random, 0, 2) == 0)
		task.deadline = rig_between(random, task.wcet, 2 * task.period);
	return task;
}

static void plugin(void **state)
{
	u64 random = 5;
	u32 found = 0, tried = 0, smaller = 0, round;

	for (round = 0; round < 192; round++) {
		u32 policy = round / 4 % 7;
		struct resch_server_params params = {
			.kind = policy == RESCH_SERVER_PLUGIN ? round % 2 : round % 4,
			.policy = policy,
			.period = rig_between(&random, 200, 10000) * US
		};
		u32 count = (u32)rig_between(&random, 1, 4), overhead, i;
		struct resch_server_task tasks[4];
		struct resch_verdict verdict;

		overhead = round / 24 & 1 ? (u32)rig_between(&random, 0, 20 * US) : 0;
		if (params.policy == RESCH_SERVER_RR)
			params.quantum = rig_between(&random, 100, 2000) * US;
		for (i = 0; i < count; i++)
			tasks[i] = drawn(&random);
		tried++;
		if (resch_server_size(&params, tasks, count, overhead, NULL)) {
			params.budget = params.period;
			assert_false(admitted(&params, tasks, count, overhead));
			continue;
		}
		found++;
		assert_true(admitted(&params, tasks, count, overhead));
		assert_int_equal(resch_server_fits(&params, tasks, count, overhead, NULL), 0);
		if (params.budget == 10 * US)
			continue;
		params.budget--;
		resch_server_fits(&params, tasks, count, overhead, &verdict);
		/* Where it gives up the plugin may go on. */
		if (verdict.bound == RESCH_BOUND_PLUGIN)
			continue;
		smaller++;
		assert_false(admitted(&params, tasks, count, overhead));
	}
	assert_true(found > tried / 2 && smaller > tried / 2);
}

/* The period that is chosen is as good as any other of those that are said to be tried. */
static void periods(void **state)
{
	u64 random = 3;
	u32 round;

	for (round = 0; round < 2; round++) {
		struct resch_server_task tasks[2] = { drawn(&random), drawn(&random) };
		struct resch_server_params best = { .kind = round % 4, .policy = RESCH_SERVER_EDF };
		u64 overhead = 5 * US;
		u32 i, k;

		assert_int_equal(resch_server_size(&best, tasks, 2, overhead, NULL), 0);
		for (i = 0; i < 2; i++) {
			for (k = 1; k <= 64 && tasks[i].period / k >= 100 * US; k++) {
				struct resch_server_params other = best;

				other.period = tasks[i].period / k;
				if (resch_server_size(&other, tasks, 2, overhead, NULL))
					continue;
				assert_true((__uint128_t)(best.budget + overhead) * other.period <=
					    (__uint128_t)(other.budget + overhead) * best.period);
			}
		}
	}
}

/* What resch_server_size() is short for: the best budget at one period, by tests alone. */
static bool halved(struct resch_server_params *params, const struct resch_server_task *tasks,
		   u32 count, u64 overhead)
{
	u64 fails = max(10 * US, (params->period + 9999) / 10000) - 1, passes = params->period;

	params->budget = passes;
	if (resch_server_fits(params, tasks, count, overhead, NULL))
		return false;
	while (passes - fails > 1) {
		params->budget = fails + (passes - fails) / 2;
		if (resch_server_fits(params, tasks, count, overhead, NULL))
			fails = params->budget;
		else
			passes = params->budget;
	}
	params->budget = passes;
	return true;
}

/* ... and of all periods: of those with the smallest size the longest. */
static bool halved_all(struct resch_server_params *best, const struct resch_server_task *tasks,
		       u32 count, u64 overhead)
{
	struct resch_server_params one = *best;
	u32 i, k;

	for (i = 0; i < 2 * count; i++) {
		u64 whole = i % 2 && tasks[i / 2].deadline ? tasks[i / 2].deadline :
							     tasks[i / 2].period;

		for (k = 1; k <= 64 && whole / k >= 100 * US; k++) {
			__uint128_t mine, other;

			one.period = whole / k;
			if (!halved(&one, tasks, count, overhead))
				continue;
			mine = (__uint128_t)(one.budget + overhead) * best->period;
			other = (__uint128_t)(best->budget + overhead) * one.period;
			if (!best->period || mine < other ||
			    (mine == other && one.period > best->period))
				*best = one;
		}
	}
	return best->period;
}

/* Shortcuts change nothing. */
static void shortcuts(void **state)
{
	u64 random = 17;
	u32 round, found = 0, i;

	for (round = 0; round < 96; round++) {
		struct resch_server_params params = { .kind = round % 4,
						      .policy = round / 4 % RESCH_SERVER_PLUGIN };
		u32 count = (u32)rig_between(&random, 1, 3);
		u64 overhead = round & 1 ? 5 * US : 0;
		struct resch_server_task tasks[3];
		struct resch_server_params wanted;

		for (i = 0; i < count; i++) {
			tasks[i] = drawn(&random);
			if (tasks[i].deadline && tasks[i].deadline < 2 * MS)
				tasks[i].deadline = 0;
		}
		if (params.policy == RESCH_SERVER_RR)
			params.quantum = rig_between(&random, 100, 2000) * US;
		wanted = params;
		if (!halved_all(&wanted, tasks, count, overhead)) {
			assert_int_equal(resch_server_size(&params, tasks, count, overhead, NULL),
					 -EBUSY);
			continue;
		}
		found++;
		assert_int_equal(resch_server_size(&params, tasks, count, overhead, NULL), 0);
		assert_int_equal(params.budget, wanted.budget);
		assert_int_equal(params.period, wanted.period);
	}
	assert_in_range(found, 48, 95);
}

/* The size that tests alone have found. */
static void many(void **state)
{
	struct resch_server_params params = { .policy = RESCH_SERVER_DM };
	static struct resch_server_task tasks[300];
	u64 random = 23;
	u32 i;

	for (i = 0; i < COUNT(tasks); i++) {
		tasks[i].period = rig_between(&random, 3 * MS, 300 * MS);
		tasks[i].deadline = rig_between(&random, tasks[i].period / 10 * 6, tasks[i].period);
		tasks[i].wcet = tasks[i].period / 600;
	}
	assert_int_equal(resch_server_size(&params, tasks, COUNT(tasks), 5 * US, NULL), 0);
	assert_int_equal(params.budget, 1448250);
	assert_int_equal(params.period, 2163539);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refuses(void **state)
{
	struct resch_server_params params = { .budget = 2 * MS, .period = 10 * MS };
	struct resch_server_task task = { .wcet = 3 * MS, .period = 10 * MS };
	struct resch_verdict verdict;
	char text[RESCH_VERDICT_TEXT];

	assert_int_equal(resch_server_fits(&params, &task, 1, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(verdict.value, 300000);
	assert_int_equal(verdict.limit, 200000);
	resch_verdict_text(&verdict, text, sizeof(text));
	assert_string_equal(text,
			    "the utilization would be 30 %, and at most 20 % may be given away");
	params.budget = 3 * MS;
	assert_int_equal(resch_server_fits(&params, &task, 1, 0, &verdict), 0);
	task.deadline = 9 * MS;
	params.policy = RESCH_SERVER_DM;
	assert_int_equal(resch_server_fits(&params, &task, 1, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_RESPONSE);
	assert_int_equal(verdict.task, 1);
	assert_int_equal(verdict.value, 17 * MS);
	assert_int_equal(verdict.limit, 9 * MS);
	params.policy = RESCH_SERVER_EDF;
	assert_int_equal(resch_server_fits(&params, &task, 1, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_SERVER);
	/* Even all of the CPU is too little. */
	task.wcet = 11 * MS;
	assert_int_equal(resch_server_size(&params, &task, 1, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.bound, RESCH_BOUND_UTILIZATION);
	task.wcet = 3 * MS;

#define INVALID(change)                                                                       \
	do {                                                                                  \
		struct resch_server_params was = params;                                      \
		struct resch_server_task had = task;                                          \
		change;                                                                       \
		assert_int_equal(resch_server_fits(&params, &task, 1, 0, &verdict), -EINVAL); \
		params = was;                                                                 \
		task = had;                                                                   \
	} while (0)
	INVALID(params.kind = RESCH_SERVER_TBS + 1);
	INVALID(params.policy = RESCH_SERVER_RR);
	INVALID(params.policy = RESCH_SERVER_POLICIES);
	INVALID(params.policy = RESCH_SERVER_PLUGIN; params.kind = RESCH_SERVER_CUS);
	INVALID(params.policy = RESCH_SERVER_PLUGIN; params.quantum = MS);
	INVALID(params.quantum = MS);
	INVALID(params.budget = params.period + 1);
	INVALID(params.budget = 9999);
	INVALID(params.period = 3601 * SEC; params.budget = SEC);
	INVALID(params.budget = 10 * US; params.period = 100 * MS + 1);
	INVALID(task.wcet = 0);
	INVALID(task.period = 999);
	INVALID(task.period = 3601 * SEC);
	INVALID(task.reserved = 1);
	assert_int_equal(resch_server_fits(&params, &task, 0, 0, &verdict), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capacities), cmocka_unit_test(units),
		cmocka_unit_test(plugin),     cmocka_unit_test(periods),
		cmocka_unit_test(refuses),    cmocka_unit_test(shortcuts),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
