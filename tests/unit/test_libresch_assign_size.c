// SPDX-License-Identifier: GPL-2.0
/* test_libresch_assign_size.c - task splitting: sums and sizes against other ways to find them */
#include "assign_rig.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* floor(10^6 x) for x = a root + b */
static uint64_t millionths(uint32_t delta, uint64_t times, uint64_t minus_halves)
{
	struct assign_part low, high;
	assign_u128 value;

	resch_assign_root(delta, &low, &high);
	value = low.num * times * 2000000 / low.den;
	return (uint64_t)(value - (assign_u128)minus_halves * 1000000 + 1) / 2;
}

static void constants(void **state)
{
	static const struct {
		uint32_t delta;
		uint64_t alpha, sep;
	} table[] = {
		{ 1, 85786, 656854 }, { 2, 50510, 797959 }, { 3, 35898, 856406 },
		{ 4, 27864, 888544 }, { 8, 14719, 941125 },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint32_t delta = table[i].delta;
		struct assign_part low, high;

		/* SEP = 4 root - (8 delta + 2) / 2 */
		assert_int_equal(millionths(delta, 4, 8 * delta + 2), table[i].sep);
		/* 1 - 4 alpha is SEP */
		assert_in_range(1000000 - 4 * table[i].alpha, table[i].sep - 3, table[i].sep + 3);
		resch_assign_root(delta, &low, &high);
		/*
		 * closer than 1 / (q q'), and the true root, whose square is delta (delta + 1),
		 * between
		 */
		assert_true(low.num * high.den < high.num * low.den);
		assert_true(high.num * low.den - low.num * high.den == 1);
	}
}

static int compare_parts(const uint64_t (*parts)[2], size_t nr, uint64_t num, uint64_t den)
{
	struct assign_sum sum;
	size_t i;
	int sign;

	resch_assign_sum_init(&sum);
	for (i = 0; i < nr; i++)
		assert_int_equal(resch_assign_sum_add(&sum, parts[i][0], parts[i][1], false), 0);
	sign = resch_assign_sum_compare(&sum, num, den);
	resch_assign_sum_free(&sum);
	return sign;
}

static void sums(void **state)
{
	static const uint64_t thirds[][2] = { { 1, 2 }, { 1, 3 }, { 1, 6 } };
	/* 1/p + 1/q + 1/r - 1 with 42-bit primes: differs from 1 by 1/(p q r), about 2^-126 */
	static const uint64_t p = 4398046511093, q = 4398046511087, r = 4398046511071;
	const uint64_t primes[][2] = { { p - 1, p }, { q - 1, q }, { r - 1, r } };
	const uint64_t mixed[][2] = { { 1, p }, { p - 1, p }, { 1, q }, { q - 1, q }, { 1, r } };
	struct assign_sum sum;
	uint64_t i;

	assert_int_equal(compare_parts(thirds, 3, 1, 1), 0);
	assert_int_equal(compare_parts(thirds, 2, 5, 6), 0);
	assert_int_equal(compare_parts(thirds, 3, p - 1, p), 1);
	assert_int_equal(compare_parts(thirds, 3, p + 1, p), -1);
	assert_int_equal(compare_parts(primes, 3, 3, 1), -1);
	assert_int_equal(compare_parts(mixed, 4, 2, 1), 0);
	assert_int_equal(compare_parts(mixed, 5, 2, 1), 1);

	/*
	 * more digits than the quick way has, and still equal: i / p and the rest of it, for many p
	 */
	resch_assign_sum_init(&sum);
	for (i = 0; i < 40; i++) {
		uint64_t den = p - 2 * i;

		assert_int_equal(resch_assign_sum_add(&sum, i + 1, den, false), 0);
		assert_int_equal(resch_assign_sum_add(&sum, den - i - 1, den, false), 0);
	}
	assert_int_equal(resch_assign_sum_compare(&sum, 40, 1), 0);
	assert_int_equal(resch_assign_sum_ceil(&sum), 40);
	resch_assign_sum_add(&sum, 1, p, true);
	assert_int_equal(resch_assign_sum_compare(&sum, 40, 1), -1);
	assert_int_equal(resch_assign_sum_ceil(&sum), 40);
	resch_assign_sum_pop(&sum);
	assert_int_equal(resch_assign_sum_compare(&sum, 40, 1), 0);
	resch_assign_sum_add(&sum, 1, p, false);
	assert_int_equal(resch_assign_sum_ceil(&sum), 41);
	resch_assign_sum_free(&sum);
}

/* Small denominators, where 64 bits hold the truth. */
static void sums_random(void **state)
{
	uint32_t round, i;

	for (round = 0; round < 3000; round++) {
		uint64_t parts[4][2], common = 1, total = 0, target;
		uint32_t nr = (uint32_t)between(1, 4);
		int sign;

		for (i = 0; i < nr; i++) {
			parts[i][1] = between(1, 40);
			parts[i][0] = between(0, 80);
			common *= parts[i][1];
		}
		for (i = 0; i < nr; i++)
			total += parts[i][0] * (common / parts[i][1]);
		target = total + between(0, 2) - 1;
		if (target > total + 1)
			target = total;
		sign = compare_parts((const uint64_t(*)[2])parts, nr, target, common);
		assert_int_equal(sign, total > target ? 1 : total < target ? -1 : 0);
	}
}

/* ---- sizes against brute force --------------------------------------------------------------- */

static uint64_t brute_demand(const struct assign_demand *demand, uint64_t t)
{
	uint64_t sum = 0, at;
	size_t i;

	for (i = 0; i < demand->nr_jobs; i++) {
		for (at = demand->jobs[i].due; at <= t; at += demand->jobs[i].period)
			sum += demand->jobs[i].cost;
	}
	for (i = 0; i < demand->nr_thieves; i++) {
		for (at = 0; at < t + demand->thieves[i].due; at += demand->thieves[i].period)
			sum += demand->thieves[i].cost;
	}
	return sum;
}

/* Supply in [end of a window, that + t), counted tick by tick. */
static uint64_t brute_supply(uint64_t slot, uint64_t window, uint64_t t)
{
	uint64_t i, sum = 0;

	for (i = 0; i < t; i++)
		sum += i % slot >= slot - window;
	return sum;
}

static bool brute_fits(const struct assign_demand *demand, uint64_t slot, uint64_t window,
		       uint64_t until)
{
	uint64_t t;
	size_t i;

	for (t = 1; t <= until; t++) {
		bool due = false;

		for (i = 0; i < demand->nr_jobs; i++)
			due = due || (t >= demand->jobs[i].due &&
				      (t - demand->jobs[i].due) % demand->jobs[i].period == 0);
		if (due && brute_demand(demand, t) > brute_supply(slot, window, t))
			return false;
	}
	return true;
}

static void exact_sizes(void **state)
{
	static const uint64_t periods[] = { 4, 6, 8, 12, 24 };
	uint32_t round, found = 0, never = 0;

	for (round = 0; round < 1500; round++) {
		struct assign_job jobs[3], thieves[1];
		struct assign_demand demand = { .jobs = jobs, .thieves = thieves };
		uint64_t slot = between(2, 6), size, window;
		size_t i;

		demand.nr_jobs = between(1, 3);
		for (i = 0; i < demand.nr_jobs; i++) {
			jobs[i].period = periods[between(0, 4)];
			jobs[i].due = between(1, jobs[i].period + (round % 3 ? 0 : 8));
			if (round % 4 == 0)
				jobs[i].due = jobs[i].period;
			jobs[i].cost = between(1, 1 + jobs[i].period / 3);
		}
		if (round % 2) {
			demand.nr_thieves = 1;
			thieves[0] =
				(struct assign_job){ 1, periods[between(2, 4)], between(0, 5) };
		}
		/*
		 * 24 and 60 divide 120: what holds up to twice that and the longest deadline holds
		 * on
		 */
		for (window = 1; window <= slot; window++) {
			if (brute_fits(&demand, slot, window, 2 * 120 + 40))
				break;
		}
		size = resch_assign_exact(&demand, slot, slot);
		if (window > slot) {
			assert_true(size == ASSIGN_NEVER);
			never++;
		} else {
			assert_int_equal(size, window);
			found++;
		}
	}
	assert_true(found > 300 && never > 300);
}

/* Least r >= S (delta + 1) U / (U + delta), in integers: U = c / t. */
static void inflated_sizes(void **state)
{
	uint32_t round;

	for (round = 0; round < 300; round++) {
		uint32_t delta = (uint32_t)between(1, 9);
		uint64_t slot = between(1000, 100000), t = slot * delta, c = between(1, t);
		struct resch_assign_task task = { c, 0, t };
		struct resch_assign request = ask(RESCH_ASSIGN_NPSF, &task, 1, 1, delta);
		struct resch_layout *layout = must(&request);
		assign_u128 num = (assign_u128)slot * (delta + 1) * c,
			    den = c + (assign_u128)delta * t;

		assert_int_equal(layout->slot, slot);
		assert_int_equal(layout->groups[0].need, (uint64_t)((num + den - 1) / den));
		resch_layout_free(layout);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),		  cmocka_unit_test(sums_random),
		cmocka_unit_test(constants),	  cmocka_unit_test(exact_sizes),
		cmocka_unit_test(inflated_sizes),
	};

	return cmocka_run_group_tests_name("libresch_assign_size", tests, NULL, NULL);
}
