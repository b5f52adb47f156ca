// SPDX-License-Identifier: GPL-2.0
/* test_supply - what reserves supply, and the admission of sekg and npsf, against brute force */
#include "slots_rig.h"

#include "analysis/supply.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS 1000000ULL
#define SLOT_MAX 40

static struct slots_rig rig;

/* Parts of one group at random places of a small slot; none touches another's time. */
static u64 random_parts(u64 *random, struct resch_reserve *reserves, u32 *count)
{
	u64 slot = rig_between(random, 4, SLOT_MAX), at = 0;
	u32 i, cpu;

	*count = 0;
	while (*count < RESCH_PARTS_MAX) {
		u64 begin = at + rig_between(random, 0, slot / 2);
		u64 end = begin + rig_between(random, 1, slot / 2);

		if (end > slot)
			break;
		reserves[(*count)++] = (struct resch_reserve){ begin, end, 1, 0 };
		at = end;
	}
	if (!*count)
		reserves[(*count)++] = (struct resch_reserve){ 0, slot, 1, 0 };
	/* in the order of CPUs, but any of them */
	for (cpu = i = 0; i < *count; i++) {
		reserves[i].cpu = cpu;
		cpu = min(cpu + (u32)(rig_random(random) % 2), SLOTS_CPUS - 1U);
	}
	return slot;
}

static u64 brute_supply(const struct resch_parts *parts, u64 slot, u64 length)
{
	u64 least = RESCH_NEVER, phase, t;

	for (phase = 0; phase < slot; phase++) {
		u64 sum = 0;

		for (t = phase; t < phase + length; t++) {
			u32 i;

			for (i = 0; i < parts->count; i++)
				sum += parts->part[i].begin <= t % slot &&
				       t % slot < parts->part[i].end;
		}
		least = min(least, sum);
	}
	return least;
}

static void supply_and_inverse(void **state)
{
	u64 random = 1, t, need;
	u32 round;

	for (round = 0; round < 300; round++) {
		struct resch_reserve reserves[RESCH_PARTS_MAX];
		u64 least[4 * SLOT_MAX + 1] = { 0 }, slot, total;
		const struct resch_parts *parts = &rig.room.parts[1];
		u32 count;

		slots_init(&rig, resch_npsf());
		slot = random_parts(&random, reserves, &count);
		slots_plan(&rig, slot, 0, reserves, count);
		total = resch_supply_total(parts);
		for (t = 0; t <= 4 * slot; t++) {
			u64 even;

			least[t] = brute_supply(parts, slot, t);
			assert_int_equal(resch_supply(parts, slot, t), least[t]);
			even = t * total / slot;
			assert_true(even <= least[t] + resch_supply_lag(parts, slot, total));
		}
		for (need = 0; need <= 3 * total; need++) {
			for (t = 0; least[t] < need;)
				t++;
			assert_int_equal(resch_supply_inverse(parts, slot, total, need), t);
		}
	}
}

/* Lengths like those of real plans, and a need beyond all bounds. */
static void supply_of_a_long_time(void **state)
{
	static const struct resch_reserve split[] = { { 1100 * 1000, 2 * MS, 1, 0 },
						      { 0, 300 * 1000, 1, 1 } };
	const struct resch_parts *parts = &rig.room.parts[1];

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, 2 * MS, 0, split, 2);
	/* one piece of 1.2 ms around the boundary: 0.8 ms nothing at worst */
	assert_int_equal(resch_supply(parts, 2 * MS, 800000), 0);
	assert_int_equal(resch_supply(parts, 2 * MS, 800001), 1);
	assert_int_equal(resch_supply(parts, 2 * MS, 3600000 * MS), 3600000 * MS / 2 * 12 / 10);
	assert_true(resch_supply_inverse(parts, 2 * MS, 1200000, 1) == 800001);
	assert_true(resch_supply_inverse(parts, 2 * MS, 1, RESCH_HORIZON) == RESCH_HORIZON);
}

/* ---- admission ------------------------------------------------------------------------------- */

static u64 brute_demand(u64 length)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < rig.count; i++) {
		const struct resch_task_params *params = &rig.tasks[i].params;

		if (length >= params->deadline)
			sum += ((length - params->deadline) / params->period + 1) *
			       (params->wcet + rig.rqs[0].overhead);
	}
	return sum;
}

#define BRUTE_LENGTH 6000

/* The first interval of a few hyperperiods' length in which the demand exceeds the supply; or 0. */
static u64 brute_failure(u64 slot)
{
	u64 t;

	for (t = 1; t < BRUTE_LENGTH; t++)
		if (brute_demand(t) > resch_supply(&rig.room.parts[1], slot, t))
			return t;
	return 0;
}

static struct resch_task *random_task(u64 *random, u32 n)
{
	u64 period = rig_between(random, 8, 60) * (1 + rig_random(random) % 3);
	u64 deadline = rig_random(random) % 2 ? period :
						rig_between(random, period / 4, period * 5 / 4);

	return slots_task(&rig, 1,
			  rig_between(random, 1, max(1ULL, min(period, deadline) / (n + 2))),
			  deadline, period);
}

static void admission_against_brute_force(void **state)
{
	u64 random = 2;
	u32 round, counts[3] = { 0 };

	for (round = 0; round < 3000; round++) {
		struct resch_reserve reserves[RESCH_PARTS_MAX];
		struct resch_task *task = NULL;
		u32 count, n = rig_between(&random, 1, 4), i;
		u64 slot, failure;
		int err;

		slots_init(&rig, round % 2 ? resch_npsf() : resch_sekg());
		slot = random_parts(&random, reserves, &count);
		slots_plan(&rig, slot, 0, reserves, count);
		for (i = 0; i < SLOTS_CPUS; i++)
			rig.rqs[i].overhead = round % 3 == 2;
		for (i = 0; i < n; i++) {
			task = random_task(&random, n);
			/* on whatever list: tasks of a group are found everywhere */
			if (i + 1 < n) {
				task->rq = &rig.rqs[rig_between(&random, 0, SLOTS_CPUS - 1)];
				slots_list(&rig, task);
			}
		}
		err = slots_try(&rig, task);
		failure = brute_failure(slot);
		counts[!err ? 0 : rig.verdict.bound == RESCH_BOUND_RESERVE ? 1 : 2]++;
		if (!err)
			assert_int_equal(failure, 0);
		if (failure)
			assert_int_equal(err, -EBUSY);
		if (err && rig.verdict.bound == RESCH_BOUND_RESERVE)
			assert_true(failure && rig.verdict.value > rig.verdict.limit);
		else if (err)
			assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
	}
	print_message("%u accepted, %u refused by demand, %u by utilization\n", counts[0],
		      counts[1], counts[2]);
	assert_true(counts[0] > 500 && counts[1] > 300 && counts[2] > 100);
}

/* What is suggested passes, and one ns more of wcet, or less of period, does not. */
static void suggestions(void **state)
{
	static const struct resch_reserve half[] = { { 0, 500, 1, 0 } };
	struct resch_task *task;

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, 1000, 0, half, 1);
	task = slots_task(&rig, 1, 2000, 5000, 5000);
	assert_int_equal(slots_try(&rig, task), 0);
	slots_list(&rig, task);
	/* 5000 to 5500 ns are sure to supply 2500 */
	task = slots_task(&rig, 1, 501, 5000, 5000);
	assert_int_equal(slots_try(&rig, task), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(rig.verdict.suggest_wcet, 500);
	assert_int_equal(rig.verdict.suggest_period, 5501);
	task->params.wcet = 500;
	assert_int_equal(slots_try(&rig, task), 0);
	/* 1499 ns may have the 500 ns that are off twice, and supply 499 */
	task->params.wcet = 500;
	task->params.deadline = 999;
	assert_int_equal(slots_try(&rig, task), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_RESERVE);
	assert_int_equal(rig.verdict.value, 500);
	assert_int_equal(rig.verdict.limit, 499);
	assert_int_equal(rig.verdict.suggest_wcet, 499);
}

static void refusals(void **state)
{
	static const struct resch_reserve two[] = { { 0, 900, 1, 0 }, { 0, 900, 3, 1 } };
	struct resch_task *task;
	u32 i;

	slots_init(&rig, resch_sekg());
	task = slots_task(&rig, 1, 10, 5000, 5000);
	assert_int_equal(slots_try(&rig, task), -EBUSY); /* no plan */
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_PLUGIN);
	slots_plan(&rig, 1000, 0, two, 2);
	assert_int_equal(slots_try(&rig, task), 0);
	for (i = 0; i < 4; i++) {
		static const u32 groups[] = { 0, 2, SLOTS_GROUPS + 1, 4000000000U };

		task->params.group = groups[i]; /* none, without reserves, not in the plan */
		assert_int_equal(slots_try(&rig, task), -EBUSY);
		assert_int_equal(rig.verdict.bound, RESCH_BOUND_PLUGIN);
		assert_int_equal(rig.verdict.value, groups[i]);
	}
	/* the reserve would carry it, but the CPU has not so much to give */
	task->params.group = 1;
	task->params.wcet = 4000;
	assert_int_equal(slots_try(&rig, task), 0);
	rig.rqs[0].capacity = 790000;
	assert_int_equal(slots_try(&rig, task), -EBUSY);
	assert_int_equal(rig.verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(rig.verdict.value, 800000);
	assert_int_equal(rig.verdict.limit, 790000);
}

/* Thousands of tasks: it ends, and does so soon. */
static void work_is_bounded(void **state)
{
	static const struct resch_reserve all[] = { { 0, 2 * MS - 1, 1, 0 } };
	static struct resch_task tasks[3000];
	struct resch_task *task;
	u64 random = 9;
	u32 i;

	slots_init(&rig, resch_npsf());
	slots_plan(&rig, 2 * MS, 0, all, 1);
	for (i = 0; i < COUNT(tasks); i++) {
		u64 period = rig_between(&random, 50 * MS, 5000 * MS);

		tasks[i].params.group = 1;
		tasks[i].params.period = period;
		tasks[i].params.deadline = period * 9 / 10;
		tasks[i].params.wcet = period / 3002;
		tasks[i].next = rig.rqs[i % SLOTS_CPUS].tasks;
		rig.rqs[i % SLOTS_CPUS].tasks = &tasks[i];
	}
	task = slots_task(&rig, 1, 50 * MS / 2500, 50 * MS, 50 * MS);
	slots_try(&rig, task);
	task->params.wcet = 1;
	slots_try(&rig, task);
}

/* ---- sizes of reserves ----------------------------------------------------------------------- */

/* The least reserve, in one piece, that carries the tasks; each C, T. */
static u64 least_reserve(const u64 (*tasks)[2], u32 count)
{
	u64 low = 0, high = 2 * MS;

	while (high - low > 1) {
		struct resch_reserve reserve = { 0, low + (high - low) / 2, 1, 0 };
		u32 i, refused = 0;

		slots_init(&rig, resch_npsf());
		slots_plan(&rig, 2 * MS, 0, &reserve, 1);
		for (i = 0; i < count; i++) {
			struct resch_task *task =
				slots_task(&rig, 1, tasks[i][0], tasks[i][1], tasks[i][1]);

			refused += !!slots_try(&rig, task);
			slots_list(&rig, task);
		}
		if (refused)
			low = reserve.end;
		else
			high = reserve.end;
	}
	return high;
}

/* The worked example: exact sizes, to be below those of NPS-F's formula. */
static void exact_sizes(void **state)
{
	static const u64 t0[][2] = { { 9200000, 10 * MS } };
	static const u64 t12[][2] = { { 4400000, 8 * MS }, { 5280000, 12 * MS } };
	static const u64 t56[][2] = { { 3150000, 9 * MS }, { 9000000, 30 * MS } };
	u64 one = least_reserve(t0, 1), two = least_reserve(t12, 2), three = least_reserve(t56, 2);

	assert_int_equal(one / 1000, 1840); /* 10 ms are 5 slots: 9.2 / 5 */
	assert_in_range(two, 1980000, 1982000); /* 1984 us inflated */
	assert_in_range(three, 1300000, 1302000); /* 1398 us */
	print_message("%llu, %llu, %llu ns\n", (unsigned long long)one, (unsigned long long)two,
		      (unsigned long long)three);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(supply_and_inverse),
		cmocka_unit_test(supply_of_a_long_time),
		cmocka_unit_test(admission_against_brute_force),
		cmocka_unit_test(suggestions),
		cmocka_unit_test(refusals),
		cmocka_unit_test(work_is_bounded),
		cmocka_unit_test(exact_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
