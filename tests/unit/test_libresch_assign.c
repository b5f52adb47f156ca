// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_assign.c - task splitting: worked examples, edges, and random sets against a simulation
 *
 * The simulator (bench/study/slots.c) and the oracles below share nothing with the library.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assign.h"
#include "../../bench/study/slots.h"

#define MS 1000000ULL
#define US 1000ULL

static uint64_t random_state = 88172645463325252ULL;

static uint64_t between(uint64_t low, uint64_t high)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return low + random_state % (high - low + 1);
}

static void cpus_first(struct resch_assign *request, uint32_t nr)
{
	request->cpus = (struct resch_cpus){};
	while (nr--)
		resch_cpus_add(&request->cpus, nr);
}

static struct resch_assign ask(uint32_t method, const struct resch_assign_task *tasks, uint32_t nr,
			       uint32_t cpus, uint32_t delta)
{
	struct resch_assign request = {
		.method = method, .tasks = tasks, .nr_tasks = nr, .delta = delta, .slot_min = 1
	};

	cpus_first(&request, cpus);
	return request;
}

static struct resch_layout *must(const struct resch_assign *request)
{
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;
	char text[RESCH_ASSIGN_TEXT];
	int error = resch_assign(request, &layout, &refusal);

	if (error) {
		resch_assign_text(&refusal, text, sizeof(text));
		fail_msg("%d: %s", error, text);
	}
	assert_int_equal(refusal.reason, RESCH_ASSIGN_FITS);
	assert_int_equal(resch_layout_check(request, layout, &refusal), 0);
	return layout;
}

static struct resch_assign_refusal must_not(const struct resch_assign *request)
{
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;

	assert_int_equal(resch_assign(request, &layout, &refusal), -EBUSY);
	assert_null(layout);
	return refusal;
}

static void assert_reserve(const struct resch_layout *layout, uint32_t at, uint32_t cpu,
			   uint32_t group, uint64_t begin, uint64_t end)
{
	const struct resch_layout_reserve *reserve = &layout->reserves[at];

	assert_true(at < layout->nr_reserves);
	assert_int_equal(reserve->cpu, cpu);
	assert_int_equal(reserve->group, group);
	assert_int_equal(reserve->begin, begin);
	assert_int_equal(reserve->end, end);
}

/* ---- the worked example ---------------------------------------------------------------------- */

/* Utilizations .92 .55 .44 .50 .40 .35 .30: 3.46 on 4 CPUs */
static const struct resch_assign_task example[] = {
	{ 9200 * US, 0, 10 * MS }, { 4400 * US, 0, 8 * MS },  { 5280 * US, 0, 12 * MS },
	{ 8000 * US, 0, 16 * MS }, { 8000 * US, 0, 20 * MS }, { 3150 * US, 0, 9 * MS },
	{ 9000 * US, 0, 30 * MS },
};

#define EXAMPLE 7

static void worked_sekg(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	static const uint32_t groups[EXAMPLE] = { 1, 2, 3, 4, 5, 6, 6 };
	static const uint32_t nr_reserves[] = { 1, 1, 2, 1, 2, 1 };
	uint32_t i;

	assert_int_equal(layout->slot, 2000000);
	assert_int_equal(layout->delta, 4);
	assert_int_equal(layout->nr_groups, 6);
	assert_memory_equal(layout->task_group, groups, sizeof(groups));
	for (i = 0; i < 6; i++)
		assert_int_equal(layout->groups[i].nr_reserves, nr_reserves[i]);
	assert_int_equal(layout->nr_reserves, 8);
	assert_reserve(layout, 0, 0, 1, 0, 2000000);
	assert_reserve(layout, 1, 1, 2, 0, 1267184);
	assert_reserve(layout, 2, 1, 3, 1267184, 2000000);
	assert_reserve(layout, 3, 2, 3, 0, 258641);
	assert_reserve(layout, 4, 2, 4, 258641, 258641 + 1111455);
	assert_reserve(layout, 5, 2, 5, 2000000 - 629904, 2000000);
	assert_reserve(layout, 6, 3, 5, 0, 281553);
	assert_reserve(layout, 7, 3, 6, 281553, 281553 + 1718447);
	assert_int_equal(layout->groups[2].size, 732816 + 258641);
	assert_int_equal(layout->groups[2].cpu, 1);
	resch_layout_free(layout);
}

static void worked_npsf(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	static const uint32_t groups[EXAMPLE] = { 1, 2, 2, 3, 3, 4, 4 };
	static const uint64_t sizes[] = { 1869919, 1983968, 1836735, 1397850 };
	uint32_t i;

	assert_int_equal(layout->slot, 2000000);
	assert_int_equal(layout->nr_groups, 4);
	assert_memory_equal(layout->task_group, groups, sizeof(groups));
	for (i = 0; i < 4; i++) {
		assert_int_equal(layout->groups[i].need, sizes[i]);
		assert_int_equal(layout->groups[i].size, sizes[i]);
	}
	assert_int_equal(layout->nr_reserves, 7);
	assert_reserve(layout, 0, 0, 1, 0, 1869919);
	assert_reserve(layout, 1, 0, 2, 1869919, 2000000);
	assert_reserve(layout, 2, 1, 2, 0, 1853887);
	assert_reserve(layout, 3, 1, 3, 2000000 - 146113, 2000000);
	assert_reserve(layout, 4, 2, 3, 0, 1690622);
	assert_reserve(layout, 5, 2, 4, 2000000 - 309378, 2000000);
	assert_reserve(layout, 6, 3, 4, 0, 1088472);
	resch_layout_free(layout);
}

/* Both are just their utilization: all periods are multiples of the slot. A ns less does not do. */
static void worked_exact(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->groups[0].need, 1840000);
	assert_int_equal(layout->groups[1].need, 1980000);
	assert_int_equal(layout->groups[2].need, 1800000);
	/* periods of 9 and 30 ms: not of these, but there is no worse window */
	assert_int_equal(layout->groups[3].need, 1300000);
	resch_layout_free(layout);
}

static uint64_t size_of(struct assign *assign, uint32_t first, uint32_t nr, int32_t next)
{
	const uint32_t tasks[] = { first, first + 1 };
	uint64_t size = resch_assign_size(assign, tasks, nr, 0, next);

	return size == ASSIGN_NEVER ? size : (size + 999) / 1000;
}

/* In us, rounded up. */
static void worked_overheads(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_refusal refusal;
	struct assign assign = {
		.request = &request, .refusal = &refusal, .slot = 2 * MS, .delta = 3
	};

	request.sizing = RESCH_ASSIGN_EXACT;
	assert_int_equal(resch_assign_size_init(&assign), 0);
	assert_int_equal(size_of(&assign, 0, 1, -1), 1840);
	assert_int_equal(size_of(&assign, 5, 2, -1), 1300);
	request.overheads.reserve_jitter = 9 * US;
	request.overheads.release_jitter = 32 * US;
	request.overheads.switch_cost = 3 * US;
	assert_int_equal(size_of(&assign, 5, 2, -1), 1312);
	assert_int_equal(size_of(&assign, 5, 2, 1), 1321);
	assert_int_equal(size_of(&assign, 0, 1, -1), 1857);
	assert_int_equal(size_of(&assign, 0, 1, 1), 1866);
	assert_int_equal(size_of(&assign, 1, 2, -1), 1995);
	assert_true(size_of(&assign, 1, 2, 1) == ASSIGN_NEVER);
	resch_assign_size_free(&assign);
}

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
		/* closer than 1 / (q q'), and the true root, whose square is delta (delta + 1), between */
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

	/* more digits than the quick way has, and still equal: i / p and the rest of it, for many p */
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

/* ---- edges ----------------------------------------------------------------------------------- */

/* 4 sqrt(2) - 5 = .65685424949238019520...: SEP of delta 1 */
#define LONG 3600000000000ULL
#define SEP_BELOW 2364675298172ULL /* of LONG, rounded down */

static void light_and_heavy(void **state)
{
	struct resch_assign_task tasks[] = { { SEP_BELOW, 0, LONG }, { LONG / 10, 0, LONG } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 2, 2, 1);
	struct resch_layout *layout = must(&request);

	/* light: what is next is split */
	assert_int_equal(layout->groups[1].nr_reserves, 2);
	resch_layout_free(layout);
	tasks[0].wcet++;
	/* heavy: it has its CPU, and what is next goes to another */
	layout = must(&request);
	assert_int_equal(layout->nr_reserves, 2);
	assert_reserve(layout, 0, 0, 1, 0, LONG);
	assert_reserve(layout, 1, 1, 2, 0, LONG);
	resch_layout_free(layout);
	/* a heavy one after light ones comes first all the same */
	tasks[1] = tasks[0];
	tasks[0] = (struct resch_assign_task){ LONG / 10, 0, LONG };
	layout = must(&request);
	assert_reserve(layout, 0, 0, layout->task_group[1], 0, LONG);
	assert_reserve(layout, 1, 1, layout->task_group[0], 0, LONG);
	resch_layout_free(layout);
}

/* SEP is irrational, so that a sum is never equal to it; these are the next below and above. */
static void full_to_the_bound(void **state)
{
	struct resch_assign_task tasks[] = { { LONG / 2, 0, LONG },
					     { SEP_BELOW - LONG / 2, 0, LONG } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 2, 1, 1);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout = must(&request);

	assert_int_equal(layout->nr_groups, 1);
	assert_reserve(layout, 0, 0, 1, 0, LONG);
	resch_layout_free(layout);
	tasks[1].wcet++;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_FULL);
	assert_int_equal(refusal.task, 1);
	/* by demand it fits: a CPU is a CPU */
	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	resch_layout_free(layout);
	/* and on two CPUs it is split, however little is left */
	request.sizing = RESCH_ASSIGN_PAPER;
	cpus_first(&request, 2);
	layout = must(&request);
	assert_int_equal(layout->groups[1].nr_reserves, 2);
	resch_layout_free(layout);
}

static void bins_filled_to_one(void **state)
{
	struct resch_assign_task tasks[] = { { 1 * MS, 0, 2 * MS },
					     { 1 * MS, 0, 3 * MS },
					     { 1 * MS, 0, 6 * MS },
					     { 4 * MS, 0, 4 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 4, 2, 1);
	struct resch_layout *layout = must(&request);

	/* inflate(1) is 1 */
	assert_int_equal(layout->nr_groups, 2);
	assert_int_equal(layout->nr_reserves, 2);
	assert_reserve(layout, 0, 0, 1, 0, 2 * MS);
	assert_reserve(layout, 1, 1, 2, 0, 2 * MS);
	resch_layout_free(layout);
	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->nr_groups, 2);
	resch_layout_free(layout);
	/* one nanosecond more in 6 ms is too much */
	tasks[2].wcet++;
	assert_int_equal(must_not(&request).reason, RESCH_ASSIGN_BIN);
}

/* The rate is all that is needed where all periods are multiples of the slot. */
static void harmonic(void **state)
{
	static const struct resch_assign_task tasks[] = { { 2 * MS, 0, 10 * MS },
							  { 6 * MS, 0, 20 * MS },
							  { 4 * MS, 0, 40 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 3, 1, 1);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	assert_int_equal(layout->groups[0].need, 6 * MS);
	resch_layout_free(layout);
}

static void ranges(void **state)
{
	struct resch_assign_task task = { 1 * MS, 0, 4 * MS };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, &task, 1, 1, 1), bad;
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;

	resch_layout_free(must(&request));
#define REFUSED(change)                                                           \
	do {                                                                      \
		bad = request;                                                    \
		change;                                                           \
		assert_int_equal(resch_assign(&bad, &layout, &refusal), -EINVAL); \
		assert_int_equal(refusal.reason, RESCH_ASSIGN_FITS);              \
	} while (0)
	REFUSED(bad.method = 3);
	REFUSED(bad.sizing = 2);
	REFUSED(bad.nr_tasks = 0);
	REFUSED(bad.nr_tasks = RESCH_ASSIGN_TASKS_MAX + 1);
	REFUSED(bad.delta = RESCH_ASSIGN_DELTA_MAX + 1);
	REFUSED(bad.delta_max = RESCH_ASSIGN_DELTA_MAX + 1);
	REFUSED(bad.method = RESCH_ASSIGN_CNPSF);
	REFUSED(cpus_first(&bad, 0));
	REFUSED(bad.overheads.nr_irqs = RESCH_ASSIGN_IRQS_MAX + 1);
	REFUSED(bad.overheads.nr_irqs = 1);
	REFUSED(bad.overheads.cache = LONG + 1);
#undef REFUSED
	task.wcet = 0;
	assert_int_equal(resch_assign(&request, &layout, NULL), -EINVAL);
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_TASK);
	task = (struct resch_assign_task){ 2 * MS, 1 * MS, 4 * MS };
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	task = (struct resch_assign_task){ 1, 0, LONG + 1 };
	assert_int_equal(resch_assign(&request, &layout, &refusal), -EINVAL);
	resch_layout_free(NULL);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void assert_says(const struct resch_assign_refusal *refusal, const char *words)
{
	char text[RESCH_ASSIGN_TEXT], cut[8];
	int length = resch_assign_text(refusal, text, sizeof(text));

	assert_in_range(length, 1, RESCH_ASSIGN_TEXT - 1);
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
	assert_int_equal(resch_assign_text(refusal, cut, sizeof(cut)), length);
	assert_memory_equal(cut, text, sizeof(cut) - 1);
}

static void refusals(void **state)
{
	struct resch_assign_task tasks[] = { { 9 * MS, 0, 10 * MS },
					     { 9 * MS, 0, 10 * MS },
					     { 9 * MS, 0, 10 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, tasks, 3, 2, 1);
	struct resch_assign_refusal refusal = must_not(&request);

	assert_int_equal(refusal.reason, RESCH_ASSIGN_HEAVY);
	assert_int_equal(refusal.task, 2);
	assert_int_equal(refusal.available, 2);
	assert_says(&refusal, "task 3 needs a CPU of its own");

	request.method = RESCH_ASSIGN_NPSF;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_BIN);
	assert_int_equal(refusal.group, 3);
	assert_int_equal(refusal.task, 2);
	/* .9 inflated by 2 / 1.9 */
	assert_int_equal(refusal.needed, 9473685);
	assert_int_equal(refusal.available, 2 * (10 * MS - 9473685));
	assert_int_equal(refusal.slot, 10 * MS);
	assert_says(&refusal, "bin 3, with task 3, needs 9.473685ms of each slot of 10ms, and "
			      "1.05263ms is left (delta 1)");

	request.slot_min = 3 * MS;
	request.delta = 4;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_SLOT);
	assert_int_equal(refusal.needed, 3 * MS);
	assert_int_equal(refusal.available, 2500 * US);
	assert_says(&refusal, "slots are 2.5ms long, and at least 3ms is asked for");
	/* a search that ends at the shortest slot says what did not fit into the one before */
	request.delta = 0;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_BIN);
	assert_int_equal(refusal.delta, 3);

	request.overheads.release_jitter = 2 * MS;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_ALONE);
	assert_int_equal(refusal.needed, 9 * MS);
	assert_int_equal(refusal.available, 8 * MS);
	assert_says(&refusal, "task 1 alone needs 9ms, with overheads, of 8ms");

	tasks[2].wcet = 1;
	tasks[1].wcet = 11 * MS;
	assert_int_equal(resch_assign(&request, &(struct resch_layout *){ NULL }, &refusal),
			 -EINVAL);
	assert_int_equal(refusal.task, 1);
	assert_says(&refusal, "task 2 needs a period");
}

static void words(void **state)
{
	uint32_t method;

	for (method = 0; method < 3; method++)
		assert_int_equal(resch_assign_parse(resch_assign_name(method)), method);
	assert_string_equal(resch_assign_name(3), "?");
	assert_int_equal(resch_assign_parse("?"), -EINVAL);
	assert_int_equal(resch_assign_parse(""), -EINVAL);
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
		/* 24 and 60 divide 120: what holds up to twice that and the longest deadline holds on */
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

/* ---- simulation ------------------------------------------------------------------------------ */

#define TASKS_MAX 64
#define RESERVES_MAX 256

static struct slots_task slot_tasks[TASKS_MAX];
static struct slots_reserve slot_reserves[RESERVES_MAX];

/* CPUs become indexes, which these requests have anyway. */
static struct slots simulation(const struct resch_assign *request,
			       const struct resch_layout *layout)
{
	struct slots slots = {
		.slot = layout->slot,
		.nr_cpus = (uint32_t)resch_cpus_count(&request->cpus),
		.tasks = slot_tasks,
		.nr_tasks = request->nr_tasks,
		.reserves = slot_reserves,
		.nr_reserves = layout->nr_reserves,
		.reclaim = request->method == RESCH_ASSIGN_SEKG,
	};
	uint32_t i;

	for (i = 0; i < request->nr_tasks; i++) {
		const struct resch_assign_task *task = &request->tasks[i];

		slot_tasks[i] = (struct slots_task){
			.wcet = task->wcet,
			.deadline = task->deadline ? task->deadline : task->period,
			.period = task->period,
			.group = layout->task_group[i],
		};
		slots.end = slots.end > 12 * task->period ? slots.end : 12 * task->period;
	}
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *reserve = &layout->reserves[i];

		slot_reserves[i] = (struct slots_reserve){ reserve->cpu, reserve->group,
							   reserve->begin, reserve->end };
	}
	return slots;
}

static void assert_no_miss(const struct resch_assign *request, const struct resch_layout *layout)
{
	struct slots slots = simulation(request, layout);
	struct slots_irq irqs[RESCH_ASSIGN_IRQS_MAX];
	struct slots_result result;
	uint32_t i;

	slots.reserve_jitter = request->overheads.reserve_jitter + request->overheads.cache;
	slots.release_jitter = request->overheads.release_jitter;
	slots.job_cost = 2 * request->overheads.switch_cost + request->overheads.cache;
	for (i = 0; i < request->overheads.nr_irqs; i++)
		irqs[i] = (struct slots_irq){ request->overheads.irqs[i].cpu,
					      request->overheads.irqs[i].period,
					      request->overheads.irqs[i].cost };
	slots.irqs = irqs;
	slots.nr_irqs = request->overheads.nr_irqs;
	for (i = 0; i < SLOTS_PATTERNS; i++) {
		slots.pattern = i;
		slots.seed = between(1, 1000000);
		assert_int_equal(slots_run(&slots, &result), 0);
		assert_true(result.jobs >= request->nr_tasks);
		if (result.misses || result.parallel)
			fail_msg("pattern %u: %lu of %lu jobs late, %lu in parallel", i,
				 (unsigned long)result.misses, (unsigned long)result.jobs,
				 (unsigned long)result.parallel);
	}
}

static void worked_examples_run(void **state)
{
	uint32_t method, sizing;

	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		for (sizing = RESCH_ASSIGN_PAPER; sizing <= RESCH_ASSIGN_EXACT; sizing++) {
			struct resch_assign request = ask(method, example, EXAMPLE, 4, 4);
			struct resch_layout *layout;

			request.sizing = sizing;
			request.cluster = 2;
			layout = must(&request);
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
	}
}

/* Nothing to spare: the formula's worst case, and a reserve that is 1 % smaller. */
static void tightness(void **state)
{
	static const uint32_t deltas[] = { 1, 2, 4 }, percents[] = { 30, 60, 90 };
	uint32_t i, j;

	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			uint64_t slot = 100000, delta = deltas[i], percent = percents[j], size;
			struct resch_assign_task task = { slot * delta * percent / 100, 0,
							  slot * delta };
			struct resch_assign request =
				ask(RESCH_ASSIGN_NPSF, &task, 1, 1, (uint32_t)delta);
			struct resch_layout *layout = must(&request);
			struct slots slots = simulation(&request, layout);
			struct slots_result result;

			size = layout->groups[0].size;
			assert_int_equal(layout->slot, slot);
			slots.pattern = SLOTS_WINDOW;
			slot_tasks[0].period = slot_tasks[0].deadline = delta * slot + slot - size;
			slot_tasks[0].wcet = slot_tasks[0].period * percent / 100;
			slots.end = 10 * slot_tasks[0].period;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_int_equal(result.misses, 0);
			/* delta windows are all that it gets: with what they have beyond it, it fits */
			assert_in_range(delta * size - slot_tasks[0].wcet, 0, 4);
			slot_tasks[0].wcet = delta * size;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_int_equal(result.misses, 0);
			slot_tasks[0].wcet++;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_true(result.misses > 0);
			slot_tasks[0].wcet = slot_tasks[0].period * percent / 100;
			slot_reserves[0].end = size * 99 / 100;
			assert_int_equal(slots_run(&slots, &result), 0);
			assert_true(result.misses > 0);
			resch_layout_free(layout);
		}
	}
}

/* What the simulator is for, it sees. */
static void simulator_sees(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 4);
	struct resch_layout *layout = must(&request);
	struct slots slots = simulation(&request, layout);
	struct slots_result result;

	/* t2's second piece opens while the first one is: it would run twice at once */
	slots.pattern = SLOTS_SYNCHRONOUS;
	slot_tasks[2].wcet = slot_tasks[2].period;
	slot_reserves[3].end = slot_reserves[2].begin + 1000;
	slot_reserves[4].begin = slot_reserves[3].end;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.parallel > 0 && result.misses > 0);
	/* reserves that overlap on a CPU are no layout at all */
	slot_reserves[4].begin--;
	assert_int_equal(slots_run(&slots, &result), -EINVAL);
	/* t4 without its second piece */
	slots = simulation(&request, layout);
	slot_reserves[6].group = 6;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.misses > 0);
	/* no interrupts were counted on */
	slots = simulation(&request, layout);
	slots.irqs = &(struct slots_irq){ -1, 1 * MS, 120 * US };
	slots.nr_irqs = 1;
	assert_int_equal(slots_run(&slots, &result), 0);
	assert_true(result.misses > 0 && !result.parallel);
	resch_layout_free(layout);
}

/* ---- random sets ----------------------------------------------------------------------------- */

static struct resch_assign_task random_tasks[TASKS_MAX];

/* Utilizations from 5 to @umax per cent up to @ppm in all, to the last millionth. */
static uint32_t random_set(uint64_t ppm, uint64_t umax)
{
	uint32_t nr = 0;

	while (ppm && nr < TASKS_MAX) {
		uint64_t u = between(50000, umax * 10000), period = between(500, 5000) * 10 * US;

		u = u < ppm ? u : ppm;
		random_tasks[nr] = (struct resch_assign_task){ period * u / 1000000, 0, period };
		ppm -= u;
		nr += random_tasks[nr].wcet != 0;
	}
	return nr;
}

/* Just below the bounds nothing is ever refused, and nothing is ever late. */
static void below_the_bounds(void **state)
{
	static const struct {
		uint32_t delta;
		uint64_t sekg, npsf;
	} table[] = { { 1, 656854, 750000 },
		      { 2, 797958, 833333 },
		      { 4, 888543, 900000 },
		      { 8, 941125, 944444 } };
	uint32_t round, i, m;

	for (round = 0; round < 12; round++) {
		for (i = 0; i < 4; i++) {
			for (m = 2; m <= 4; m += 2) {
				uint32_t nr = random_set(m * table[i].sekg, 20 + round % 4 * 25);
				struct resch_assign request =
					ask(RESCH_ASSIGN_SEKG, random_tasks, nr, m, table[i].delta);
				struct resch_layout *layout = must(&request);

				assert_no_miss(&request, layout);
				resch_layout_free(layout);
				nr = random_set(m * table[i].npsf, 20 + round % 4 * 25);
				request =
					ask(RESCH_ASSIGN_NPSF, random_tasks, nr, m, table[i].delta);
				layout = must(&request);
				assert_no_miss(&request, layout);
				resch_layout_free(layout);
			}
		}
	}
}

/* U / m <= (2 delta + 1) / (2 delta + 2) m' (m + 1) / (m (m' + 1)), rounded down */
static void cluster_bounds(void **state)
{
	static const struct {
		uint32_t delta, m, cluster;
		uint64_t ppm;
	} table[] = {
		{ 1, 4, 2, 625000 }, { 4, 4, 2, 750000 }, { 1, 8, 4, 675000 }, { 4, 8, 4, 810000 }
	};
	uint32_t round, i, j;

	for (round = 0; round < 30; round++) {
		for (i = 0; i < 4; i++) {
			uint32_t nr = random_set(table[i].m * table[i].ppm, 30 + round % 3 * 35);
			struct resch_assign request = ask(RESCH_ASSIGN_CNPSF, random_tasks, nr,
							  table[i].m, table[i].delta);
			struct resch_layout *layout;

			request.cluster = table[i].cluster;
			layout = must(&request);
			for (j = 0; j < layout->nr_reserves; j++) {
				uint32_t first = layout->groups[layout->reserves[j].group - 1].cpu;

				assert_int_equal(layout->reserves[j].cpu / request.cluster,
						 first / request.cluster);
			}
			if (round < 2)
				assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
	}
}

static const struct resch_assign_overheads some_overheads = {
	.reserve_jitter = 9 * US,
	.release_jitter = 32 * US,
	.switch_cost = 3 * US,
	.release_cost = 2 * US,
	.cache = 4 * US,
	.nr_irqs = 2,
	.irqs = { { 1 * MS, 600, -1 }, { 20 * MS, 25 * US, 1 } },
};

/* Whatever is accepted, by either sizing and with whatever overheads and deadlines, is never late. */
static void accepted_is_kept(void **state)
{
	uint32_t round, accepted[3][2] = {}, i, better = 0;

	for (round = 0; round < 72; round++) {
		uint32_t nr = random_set(between(2700000, 4000000), 30 + round % 3 * 30), sizing;
		struct resch_assign request =
			ask(round % 3, random_tasks, nr, 4, (uint32_t)between(0, 4));
		struct resch_assign_refusal refusal;
		struct resch_layout *layout;
		int error[2];

		request.cluster = 2;
		request.delta_max = 8;
		request.slot_min = 100 * US;
		if (round % 2)
			request.overheads = some_overheads;
		for (i = 0; i < nr && round % 5 == 0; i++) {
			struct resch_assign_task *task = &random_tasks[i];

			task->deadline = between((task->wcet + task->period) / 2, 2 * task->period);
		}
		for (sizing = 0; sizing < 2; sizing++) {
			request.sizing = sizing;
			error[sizing] = resch_assign(&request, &layout, &refusal);
			if (error[sizing]) {
				assert_int_equal(error[sizing], -EBUSY);
				assert_says(&refusal, " ");
				continue;
			}
			accepted[round % 3][sizing]++;
			assert_int_equal(resch_layout_check(&request, layout, &refusal), 0);
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
		better += error[0] && !error[1];
	}
	for (i = 0; i < 3; i++) {
		print_message("%s: %u accepted by the papers' sizes, %u by demand\n",
			      resch_assign_name(i), accepted[i][0], accepted[i][1]);
		assert_true(accepted[i][0] > 3 && accepted[i][1] >= accepted[i][0]);
	}
	assert_true(better > 2);
}

/* ---- checking and joining -------------------------------------------------------------------- */

static void planted_faults(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;
	uint64_t begin;
	uint32_t i;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	for (i = 0; i < layout->nr_reserves; i++) {
		struct resch_layout_reserve *reserve = &layout->reserves[i];
		struct resch_layout_reserve before = *reserve;

		/* a nanosecond less than is needed */
		if (reserve->end < layout->slot)
			reserve->end--;
		else
			reserve->begin++;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
		assert_int_equal(refusal.reason, RESCH_ASSIGN_SHORT);
		assert_int_equal(refusal.group, reserve->group);
		assert_int_equal(refusal.needed, refusal.available + 1);
		assert_says(&refusal, ", needs ");
		*reserve = before;
		/* outside of the slot, of nobody, of no CPU */
		reserve->end += layout->slot;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
		reserve->group = 0;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		reserve->group = layout->nr_groups + 1;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
		reserve->cpu += 4;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
	}
	/* into the next one on this CPU */
	assert_int_equal(layout->reserves[0].cpu, layout->reserves[1].cpu);
	layout->reserves[0].end++;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	assert_says(&refusal, "overlap");
	layout->reserves[0].end--;
	/* a split group in two windows, and in two places at once */
	assert_int_equal(layout->reserves[1].group, layout->reserves[2].group);
	begin = layout->reserves[2].begin;
	layout->reserves[2].begin += 5;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	layout->reserves[2].begin = begin;
	begin = layout->reserves[3].begin;
	layout->reserves[2].end = layout->reserves[1].begin + 1;
	layout->reserves[3].begin = layout->reserves[2].end;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	assert_int_equal(refusal.group, layout->reserves[2].group);
	layout->reserves[2].end = begin;
	layout->reserves[3].begin = begin;
	layout->task_group[0] = 0;
	assert_int_equal(resch_layout_check(&request, layout, NULL), -EINVAL);
	layout->task_group[0] = 2;
	assert_int_equal(resch_layout_check(&request, layout, NULL), -EBUSY);
	layout->task_group[0] = 1;
	assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
	resch_layout_free(layout);
}

static void join(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_task task = { 2700 * US, 0, 9 * MS }, tasks[EXAMPLE + 1];
	struct resch_assign_refusal refusal;
	struct resch_layout_reserve place;
	struct resch_layout *layout = must(&request);

	/* inflate(.3) = 5 .3 / 4.3: room only in what is idle on CPU 3 */
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), 0);
	assert_int_equal(place.group, 5);
	assert_int_equal(place.cpu, 3);
	assert_int_equal(place.begin, 1088472);
	assert_int_equal(place.end - place.begin, 697675);
	/* more than is idle anywhere: the nearest is that very place */
	task.wcet = 4500 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_FULL);
	assert_int_equal(refusal.task, EXAMPLE);
	assert_int_equal(refusal.available, 911528);
	assert_int_equal(refusal.needed, 1111112);
	assert_says(&refusal, "task 8 needs 1.111112ms of each slot of 2ms, and 911.528us is left");
	task.wcet = 10 * MS;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EINVAL);
	resch_layout_free(layout);

	/* S-EKG: group 6 has 1718447 ns of each slot, and needs 5 .65 / 4.65 of 2 ms */
	request.method = RESCH_ASSIGN_SEKG;
	layout = must(&request);
	task.wcet = 900 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), 0);
	assert_int_equal(place.group, 6);
	/* with it, the layout is still one */
	memcpy(tasks, example, sizeof(example));
	tasks[EXAMPLE] = task;
	request.tasks = tasks;
	request.nr_tasks++;
	layout->nr_tasks++;
	layout->task_group = realloc(layout->task_group, sizeof(uint32_t) * (EXAMPLE + 1));
	assert_non_null(layout->task_group);
	layout->task_group[EXAMPLE] = place.group;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), 0);
	task.wcet = 4500 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EBUSY);
	request.nr_tasks--;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EINVAL);
	resch_layout_free(layout);
}

/* The longest task that may join fits, and one that is a ns longer may not. */
static void join_to_the_end(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_task task = { 0, 0, 9 * MS }, tasks[EXAMPLE + 1];
	struct resch_layout *layout = must(&request);
	struct resch_layout_reserve place;
	uint64_t low = 1, high = 9 * MS;

	while (high - low > 1) {
		task.wcet = low + (high - low) / 2;
		if (resch_layout_join(&request, layout, &task, &place, NULL))
			high = task.wcet;
		else
			low = task.wcet;
	}
	task.wcet = low;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, NULL), 0);
	assert_int_equal(resch_layout_group(layout, 1), place.group);
	assert_int_equal(
		resch_layout_reserve(layout, place.cpu, place.group, place.begin, place.end), 0);
	memcpy(tasks, example, sizeof(example));
	tasks[EXAMPLE] = task;
	request.tasks = tasks;
	request.nr_tasks++;
	layout->task_group = realloc(layout->task_group, sizeof(uint32_t) * (EXAMPLE + 1));
	assert_non_null(layout->task_group);
	layout->task_group[layout->nr_tasks++] = place.group;
	resch_layout_sort(layout);
	assert_true(layout->groups[place.group - 1].size <= 911528);
	/* U = delta r / (S (delta + 1) - r) of all that is idle: there is no more in it */
	assert_int_equal(low, 4 * 911528ULL * task.period / (5 * 2 * MS - 911528));
	assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
	resch_layout_free(layout);
}

/* Releases cost both of two groups that share a CPU, and nobody else. */
static void releases_cost_neighbours(void **state)
{
	static const struct resch_assign_task tasks[] = { { 6 * MS, 0, 10 * MS },
							  { 9 * MS, 0, 15 * MS },
							  { 7 * MS, 0, 20 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 3, 2, 4);
	struct resch_layout *before, *after;

	request.sizing = RESCH_ASSIGN_EXACT;
	before = must(&request);
	assert_int_equal(before->nr_groups, 2);
	request.overheads.release_cost = 10 * US;
	after = must(&request);
	assert_int_equal(after->nr_groups, 2);
	assert_true(after->groups[0].need > before->groups[0].need);
	assert_true(after->groups[1].need > before->groups[1].need);
	resch_layout_free(before);
	resch_layout_free(after);
	/* one task on its own CPU */
	request.nr_tasks = 1;
	after = must(&request);
	assert_int_equal(after->groups[0].need, 1500 * US);
	resch_layout_free(after);
}

/* Tasks join until none does any more; what stands is right all the time. */
static void join_random(void **state)
{
	uint32_t round, joined = 0, refused = 0;

	for (round = 0; round < 12; round++) {
		uint32_t nr = random_set(2000000, 50), added;
		struct resch_assign request = ask(round % 2, random_tasks, nr, 4, 2);
		struct resch_layout *layout;

		request.sizing = round / 2 % 2;
		if (round % 3 == 0)
			request.overheads = some_overheads;
		layout = must(&request);
		for (added = 0; added < 8; added++) {
			uint64_t period = between(5000, 50000) * US;
			struct resch_assign_task task = { period * between(5, 40) / 100, 0,
							  period };
			struct resch_layout_reserve place;
			int error = resch_layout_join(&request, layout, &task, &place, NULL);

			if (error) {
				assert_int_equal(error, -EBUSY);
				refused++;
				continue;
			}
			joined++;
			if (place.group > layout->nr_groups) {
				assert_int_equal(resch_layout_group(layout, 1), place.group);
				assert_int_equal(resch_layout_reserve(layout, place.cpu,
								      place.group, place.begin,
								      place.end),
						 0);
			}
			random_tasks[request.nr_tasks++] = task;
			layout->task_group =
				realloc(layout->task_group, request.nr_tasks * sizeof(uint32_t));
			assert_non_null(layout->task_group);
			layout->task_group[layout->nr_tasks++] = place.group;
			resch_layout_sort(layout);
			assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
		}
		if (round % 3)
			assert_no_miss(&request, layout);
		resch_layout_free(layout);
	}
	print_message("%u joined, %u were refused\n", joined, refused);
	assert_true(joined > 20 && refused > 20);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void search_delta(void **state)
{
	/* .92 + .99 + .90 + .65 of 4; the S-EKG bound is above .865 from delta 4 on */
	struct resch_assign request = ask(RESCH_ASSIGN_SEKG, example, EXAMPLE, 4, 0);
	struct resch_layout *layout;
	uint32_t delta;

	request.slot_min = 0;
	layout = must(&request);
	for (delta = 1; delta < layout->delta; delta++) {
		request.delta = delta;
		must_not(&request);
	}
	request.delta = layout->delta;
	resch_layout_free(layout);
	resch_layout_free(must(&request));
	request.delta = 0;
	request.delta_max = 1;
	assert_int_equal(must_not(&request).delta, 1);
}

/* CPUs need not be the first ones, nor next to each other. */
static void any_cpus(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_layout *layout;

	assert_int_equal(resch_cpus_parse("2,5-6,1023", &request.cpus), 4);
	layout = must(&request);
	assert_reserve(layout, 1, 2, 2, 1869919, 2000000);
	assert_reserve(layout, 2, 5, 2, 0, 1853887);
	assert_reserve(layout, 6, 1023, 4, 0, 1088472);
	resch_layout_free(layout);
}

/* A task that fills a CPU goes where no disk interrupts it, whichever CPU that is. */
static void quiet_cpus_first(void **state)
{
	struct resch_assign_task tasks[] = { { 2 * MS, 0, 10 * MS }, { 9990 * US, 0, 10 * MS } };
	struct resch_assign request;
	struct resch_layout *layout;
	int32_t disk;
	uint32_t method, i;

	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		for (disk = 0; disk < 2; disk++) {
			request = ask(method, tasks, 2, 2, 1);
			request.cluster = 2;
			request.overheads.nr_irqs = 1;
			request.overheads.irqs[0] =
				(struct resch_assign_irq){ 10 * MS, 25 * US, disk };
			layout = must(&request);
			for (i = 0; i < layout->nr_reserves; i++) {
				if (layout->reserves[i].group == layout->task_group[1])
					assert_int_equal(layout->reserves[i].cpu, 1 - disk);
			}
			assert_no_miss(&request, layout);
			resch_layout_free(layout);
		}
		/* both of them have a disk */
		request.overheads.irqs[request.overheads.nr_irqs++] =
			(struct resch_assign_irq){ 10 * MS, 25 * US, 0 };
		must_not(&request);
	}
}

/* A bin that is nearly full stays whole where hand-overs cost too much, and the rest is left idle. */
static void full_bins_stay_whole(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, 3, 2, 4);
	struct resch_layout *layout;

	request.sizing = RESCH_ASSIGN_EXACT;
	request.overheads.reserve_jitter = 9 * US;
	request.overheads.release_jitter = 32 * US;
	request.overheads.switch_cost = 3 * US;
	layout = must(&request);
	assert_int_equal(layout->nr_groups, 2);
	assert_int_equal(layout->nr_reserves, 2);
	assert_int_equal(layout->reserves[1].cpu, 1);
	assert_int_equal(layout->reserves[1].begin, 0);
	resch_layout_free(layout);
}

/* 1,024 CPUs, which has to be quick, too. */
static void many(void **state)
{
	enum { CPUS = 1024, TASKS = 5000 };
	struct resch_assign_task *tasks = calloc(TASKS, sizeof(*tasks));
	uint32_t i, method;

	assert_non_null(tasks);
	for (i = 0; i < TASKS; i++) {
		uint64_t period = between(5000, 50000) * US;

		tasks[i] = (struct resch_assign_task){ period * between(5, 29) / 100, 0, period };
	}
	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		struct resch_assign request = ask(method, tasks, TASKS, CPUS, 4);

		request.cluster = 8;
		resch_layout_free(must(&request));
	}
	free(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(sums_random),
		cmocka_unit_test(constants),
		cmocka_unit_test(worked_sekg),
		cmocka_unit_test(worked_npsf),
		cmocka_unit_test(worked_exact),
		cmocka_unit_test(worked_overheads),
		cmocka_unit_test(light_and_heavy),
		cmocka_unit_test(full_to_the_bound),
		cmocka_unit_test(bins_filled_to_one),
		cmocka_unit_test(harmonic),
		cmocka_unit_test(ranges),
		cmocka_unit_test(refusals),
		cmocka_unit_test(words),
		cmocka_unit_test(exact_sizes),
		cmocka_unit_test(inflated_sizes),
		cmocka_unit_test(worked_examples_run),
		cmocka_unit_test(tightness),
		cmocka_unit_test(simulator_sees),
		cmocka_unit_test(below_the_bounds),
		cmocka_unit_test(cluster_bounds),
		cmocka_unit_test(accepted_is_kept),
		cmocka_unit_test(planted_faults),
		cmocka_unit_test(join),
		cmocka_unit_test(join_to_the_end),
		cmocka_unit_test(releases_cost_neighbours),
		cmocka_unit_test(join_random),
		cmocka_unit_test(search_delta),
		cmocka_unit_test(any_cpus),
		cmocka_unit_test(quiet_cpus_first),
		cmocka_unit_test(full_bins_stay_whole),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("libresch_assign", tests, NULL, NULL);
}
