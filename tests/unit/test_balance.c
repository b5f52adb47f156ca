// SPDX-License-Identifier: GPL-2.0
/*
 * test_balance - who should change between RT and NRT CPUs, against floating point and brute force
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include "guard/rules.h"

#include <cmocka.h>

#define MS 1000000ULL

static u64 seed = 88172645463325252ULL;

static u64 draw(u64 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

static double ratio(u64 value)
{
	return (double)value / (double)RESCH_RT_ONE;
}

/* ---- the share ------------------------------------------------------------------------------- */

static void test_share_grows(void **state)
{
	static const struct {
		u64 samples;
		double value;
	} points[] = { { 100, .181 }, { 347, .500 }, { 500, .632 }, { 1000, .865 } };
	u32 i;

	for (i = 0; i < 4; i++) {
		struct resch_rt_share at_once = { 0 }, one_by_one = { 0 };
		u64 k;

		resch_rt_account(&at_once, points[i].samples * MS, true);
		for (k = 1; k <= points[i].samples; k++)
			resch_rt_account(&one_by_one, k * MS, true);
		assert_true(fabs(ratio(at_once.value) - points[i].value) < .0006);
		assert_true(fabs(ratio(at_once.value) -
				 (1 - exp(-(double)points[i].samples / 500))) < 1e-6);
		assert_true(fabs(ratio(one_by_one.value) - ratio(at_once.value)) < 1e-6);
	}
}

/* With too few bits it sticks far from 1, or from 0. */
static void test_share_ends(void **state)
{
	struct resch_rt_share share = { 0 };
	u64 now;

	for (now = MS; now <= 20000 * MS; now += MS)
		resch_rt_account(&share, now, true);
	assert_true(ratio(share.value) > 1 - 1e-6);
	assert_true(share.value <= RESCH_RT_ONE);
	for (; now <= 40000 * MS; now += MS)
		resch_rt_account(&share, now, false);
	assert_true(ratio(share.value) < 1e-6);
	/* All of a long time at once. */
	resch_rt_account(&share, 1ULL << 62, true);
	assert_true(ratio(share.value) > 1 - 1e-9);
	resch_rt_account(&share, 1ULL << 63, false);
	assert_int_equal(share.value, 0);
}

/*
 * Random changes at any nanosecond; the oracle cuts time into milliseconds, sums what was busy in
 * each, and smooths in floating point.
 */
static void test_share_random(void **state)
{
	struct resch_rt_share share = { 0 };
	static double busy[400000];
	double value = 0;
	u64 now = 0, k, total;
	u32 i;

	for (i = 0; i < 20000; i++) {
		u64 step = draw(3) ? draw(3 * MS) : draw(60 * MS);
		bool rt = draw(2);
		u64 end = now + step;

		if (end / MS >= 400000)
			break;
		resch_rt_account(&share, end, rt);
		while (now < end) {
			u64 edge = (now / MS + 1) * MS, until = min(edge, end);

			if (rt)
				busy[now / MS] += (double)(until - now) / MS;
			now = until;
		}
	}
	total = now / MS;
	assert_true(total > 100000);
	for (k = 0; k < total; k++)
		value = value * exp(-1.0 / 500) + (1 - exp(-1.0 / 500)) * busy[k];
	assert_true(fabs(ratio(share.value) - value) < 1e-5);
}

static void test_share_clock(void **state)
{
	struct resch_rt_share share = { 0 }, before;

	resch_rt_account(&share, 700 * MS + 5, true);
	before = share;
	resch_rt_account(&share, 300 * MS, false);
	assert_memory_equal(&share, &before, sizeof(share));
	assert_true(resch_rt_read(&share, 900 * MS, false) < share.value);
	assert_memory_equal(&share, &before, sizeof(share));
	/* A period of exactly one sample is neither always nor never seen. */
	memset(&share, 0, sizeof(share));
	for (u64 now = 0; now < 10000 * MS; now += MS) {
		resch_rt_account(&share, now + MS / 4, true);
		resch_rt_account(&share, now + MS, false);
	}
	assert_true(fabs(ratio(share.value) - .25) < 1e-5);
}

/* ---- the load -------------------------------------------------------------------------------- */

static struct resch_balance_cpu cpus[8];
static struct resch_balance machine = { cpus, 8, RESCH_POLICY_ALL, RESCH_ATTEMPT_GAP };

static void machine_init(u32 count, u32 rt_cpus, u32 policies)
{
	u32 i;

	memset(cpus, 0, sizeof(cpus));
	for (i = 0; i < count; i++) {
		cpus[i].cpu = i;
		cpus[i].rt = rt_cpus >> i & 1;
	}
	machine.count = count;
	machine.policies = policies;
}

static void test_load(void **state)
{
	u32 i;

	machine_init(8, 0x80, RESCH_POLICY_ALL);
	for (i = 0; i < 100000; i++) {
		u32 tasks = (u32)draw(2000);
		double share, expect;

		cpus[0].share = draw(4) ? draw(RESCH_RT_ONE) :
					  RESCH_RT_ONE - draw(RESCH_RT_ONE / 500);
		cpus[0].ordinary = tasks;
		share = fmin(ratio(cpus[0].share), 1023. / 1024);
		expect = tasks / (1 - share);
		assert_true(fabs((double)resch_balance_load(&machine, &cpus[0], 0) / 65536 -
				 expect) <= expect * 1e-9 + 1. / 65536);
	}
	cpus[0].share = RESCH_RT_ONE;
	cpus[0].ordinary = 0;
	assert_int_equal(resch_balance_load(&machine, &cpus[0], 0), 0);
	cpus[0].ordinary = UINT32_MAX - 1;
	assert_int_equal(resch_balance_load(&machine, &cpus[0], 1), 32767ULL * 1024 << 16);
	machine.policies = 0;
	cpus[0].ordinary = 3;
	cpus[0].realtime = 2;
	assert_int_equal(resch_balance_load(&machine, &cpus[0], 0), 5 << 16);
}

/* Moves tasks until nobody has a reason to go; the number of moves, or -1 if there is no end. */
static int settle(u32 tasks)
{
	static const u64 everywhere[16] = { ~0ULL };
	struct resch_balance_task crowd[64];
	u32 i, k, from = 0;
	int moves;

	for (i = 0; i < tasks; i++) {
		while (!cpus[from].ordinary)
			from++;
		crowd[i] = (struct resch_balance_task){ .class = RESCH_CLASS_LINUX,
							.from = from,
							.allowed = everywhere };
		cpus[from].ordinary--;
	}
	for (i = 0; i < tasks; i++)
		cpus[crowd[i].from].ordinary++;
	for (moves = 0; moves < 1000; moves++) {
		s32 to = -1;

		for (k = 0; k < tasks && to < 0; k++) {
			to = resch_balance_target(&machine, &crowd[k]);
			if (to >= 0)
				resch_balance_move(&machine, &crowd[k], (u32)to);
		}
		if (to < 0)
			return moves;
	}
	return -1;
}

/* Figure 2: three quarters of CPU 0 are taken, five tasks: 1 + 4, from wherever they begin. */
static void test_figure_2(void **state)
{
	u32 begin;

	for (begin = 0; begin <= 5; begin++) {
		machine_init(2, 1, RESCH_POLICY_ALL);
		cpus[0].share = RESCH_RT_ONE / 4 * 3;
		cpus[0].realtime = 1;
		cpus[0].ordinary = begin;
		cpus[1].ordinary = 5 - begin;
		assert_true(settle(5) >= 0);
		assert_int_equal(cpus[0].ordinary, 1);
		assert_int_equal(cpus[1].ordinary, 4);
	}
	/* Heads alone: 2 + 3. */
	machine_init(2, 1, RESCH_POLICY_ALL & ~RESCH_POLICY_WEIGHT);
	cpus[0].share = RESCH_RT_ONE / 4 * 3;
	cpus[0].realtime = 1;
	cpus[1].ordinary = 5;
	assert_true(settle(5) >= 0);
	assert_int_equal(cpus[0].ordinary, 2);
	assert_int_equal(cpus[1].ordinary, 3);
}

/*
 * Table 3: 13 tasks, RT0 tasks have 90 % of three RT CPUs: 10 + 1 + 1 + 1; by heads 4 + 3 + 3 + 3.
 */
static void test_table_3(void **state)
{
	u32 weight, i;

	for (weight = 0; weight < 2; weight++) {
		machine_init(4, 0xe, weight ? RESCH_POLICY_ALL : 0);
		cpus[0].ordinary = 13;
		for (i = 1; i < 4; i++) {
			cpus[i].share = RESCH_RT_ONE / 10 * 9;
			cpus[i].realtime = 1;
		}
		assert_true(settle(13) >= 0);
		assert_int_equal(cpus[0].ordinary, weight ? 10 : 4);
		for (i = 1; i < 4; i++)
			assert_int_equal(cpus[i].ordinary, weight ? 1 : 3);
	}
}

/*
 * From anywhere it ends, and when it does no single move between the two kinds makes the larger
 * load of the two CPUs smaller, as floating point says.
 */
static void test_settles(void **state)
{
	u32 round, i, j;

	for (round = 0; round < 3000; round++) {
		u32 count = 2 + (u32)draw(7), tasks = 0;

		machine_init(count, 1 + (u32)draw((1U << count) - 1), RESCH_POLICY_WEIGHT);
		for (i = 0; i < count; i++) {
			cpus[i].share = draw(2) ? draw(RESCH_RT_ONE) : 0;
			cpus[i].ordinary = (u32)draw(8);
			tasks += cpus[i].ordinary;
		}
		assert_true(settle(tasks) >= 0);
		for (i = 0; i < count; i++) {
			for (j = 0; j < count; j++) {
				double a = 1 - fmin(ratio(cpus[i].share), 1023. / 1024);
				double b = 1 - fmin(ratio(cpus[j].share), 1023. / 1024);

				if (cpus[i].rt == cpus[j].rt || !cpus[i].ordinary)
					continue;
				assert_true((cpus[j].ordinary + 1) / b >=
					    cpus[i].ordinary / a - 1e-4 / a);
			}
		}
	}
}

/* ---- the estimate ---------------------------------------------------------------------------- */

static void test_attempt_mean(void **state)
{
	struct resch_attempts attempts = { 0 };
	double period = 0;
	u64 now = 5 * MS, delta;
	u32 i;

	resch_attempt_note(&attempts, now);
	for (i = 0; i < 100000; i++) {
		delta = draw(5) ? draw(MS) : draw(50 * MS);
		now += delta;
		resch_attempt_note(&attempts, now);
		period = i ? period + ((double)delta - period) / 8 : (double)delta;
		assert_true(fabs((double)attempts.period - period) < 10);
		assert_int_equal(attempts.last, now);
	}
	/*
	 * Execution time that is read with some delay does not run backwards into a huge interval.
	 */
	delta = attempts.period;
	resch_attempt_note(&attempts, now - MS);
	assert_true(attempts.period <= delta);
}

/*
 * The two cases of figure 4, and their edges, in words of their own: is @now in the hatched part?
 */
static bool hatched(u64 last, u64 period, u64 now, u64 gap)
{
	s64 left = (s64)(last + period) - (s64)now;

	return left >= 0 ? (u64)left < gap : (u64)-left < max(period, gap);
}

static void test_attempt_far(void **state)
{
	struct resch_attempts attempts = { 0 };
	u32 i;

	assert_true(resch_attempt_far(&attempts, 7, 10 * MS));
	resch_attempt_note(&attempts, 100 * MS);
	assert_true(resch_attempt_far(&attempts, 100 * MS, 10 * MS));
	resch_attempt_note(&attempts, 150 * MS);
	/* next: 200 */
	assert_true(resch_attempt_far(&attempts, 150 * MS, 10 * MS));
	assert_true(resch_attempt_far(&attempts, 190 * MS, 10 * MS));
	assert_false(resch_attempt_far(&attempts, 190 * MS + 1, 10 * MS));
	assert_false(resch_attempt_far(&attempts, 200 * MS, 10 * MS));
	assert_false(resch_attempt_far(&attempts, 250 * MS - 1, 10 * MS));
	assert_true(resch_attempt_far(&attempts, 250 * MS, 10 * MS));
	for (i = 0; i < 200000; i++) {
		u64 gap = draw(20 * MS), now;

		attempts = (struct resch_attempts){ draw(100 * MS), draw(40 * MS), 2 };
		now = attempts.last + draw(120 * MS);
		assert_int_equal(resch_attempt_far(&attempts, now, gap),
				 !hatched(attempts.last, attempts.period, now, gap));
	}
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* All that the rules say of a target, once more, from the report's side. */
static bool may_go(const struct resch_balance_task *task, u32 to)
{
	const struct resch_balance_cpu *a = &cpus[task->from], *b = &cpus[to];
	bool own_place = task->class == RESCH_CLASS_RT1 &&
			 machine.policies & RESCH_POLICY_ASSOCIATE;
	double load_a = a->ordinary, load_b = b->ordinary + 1;

	if (task->class == RESCH_CLASS_RT0 || a->rt == b->rt)
		return false;
	if (!(task->allowed[b->cpu / 64] & 1ULL << b->cpu % 64))
		return false;
	if (own_place)
		return a->rt ? ratio(a->hard) >= .95 : ratio(b->hard) < .95;
	if (machine.policies & RESCH_POLICY_WEIGHT && task->class == RESCH_CLASS_LINUX) {
		load_a /= 1 - fmin(ratio(a->share), 1023. / 1024);
		load_b /= 1 - fmin(ratio(b->share), 1023. / 1024);
	} else {
		load_a += a->realtime;
		load_b += b->realtime;
	}
	return load_b < load_a;
}

static void test_target(void **state)
{
	u32 i, j, found = 0, stayed = 0;

	for (i = 0; i < 100000; i++) {
		u32 count = 2 + (u32)draw(7);
		u64 allowed[2] = { 0, 0 };
		struct resch_balance_task task = { .class = (u32)draw(3), .allowed = allowed };
		bool any = false;
		s32 to;

		machine_init(count, (u32)draw(1U << count), (u32)draw(16));
		for (j = 0; j < count; j++) {
			/* numbers that are not indexes, in two words */
			cpus[j].cpu = j * 17;
			/* shares of few values: ties are ties in floating point, too */
			cpus[j].share = draw(8) * (RESCH_RT_ONE / 8);
			cpus[j].hard = draw(3) * (RESCH_RT_ONE / 2);
			cpus[j].ordinary = (u32)draw(6);
			cpus[j].realtime = (u32)draw(4);
			if (draw(4))
				allowed[cpus[j].cpu / 64] |= 1ULL << cpus[j].cpu % 64;
		}
		task.from = (u32)draw(count);
		to = resch_balance_target(&machine, &task);
		for (j = 0; j < count; j++)
			any |= may_go(&task, j);
		assert_int_equal(any, to >= 0);
		if (to < 0) {
			stayed++;
			continue;
		}
		found++;
		assert_true(may_go(&task, (u32)to));
		for (j = 0; j < count; j++) {
			const struct resch_balance_cpu *best = &cpus[to];

			if (!may_go(&task, j))
				continue;
			if (task.class == RESCH_CLASS_RT1 &&
			    machine.policies & RESCH_POLICY_ASSOCIATE) {
				assert_true(best->realtime <= cpus[j].realtime);
				continue;
			}
			assert_true(resch_balance_load(&machine, best, 1) <=
				    resch_balance_load(&machine, &cpus[j], 1));
		}
	}
	assert_true(found > 10000 && stayed > 10000);
}

static void test_first(void **state)
{
	static const struct resch_attempts often = { 0, MS, 2 }, seldom = { 0, 90 * MS, 2 }, never;
	struct resch_balance_task linux_task = { .class = RESCH_CLASS_LINUX, .attempts = often };
	struct resch_balance_task rt_task = { .class = RESCH_CLASS_RT1, .attempts = often };
	struct resch_balance_task other = linux_task;

	machine_init(2, 2, RESCH_POLICY_ALL);
	/* from the NRT CPU real-time tasks first, from the RT CPU ordinary ones */
	assert_true(resch_balance_first(&machine, &rt_task, &linux_task));
	assert_false(resch_balance_first(&machine, &linux_task, &rt_task));
	rt_task.from = 1;
	linux_task.from = 1;
	assert_false(resch_balance_first(&machine, &rt_task, &linux_task));
	assert_true(resch_balance_first(&machine, &linux_task, &rt_task));
	machine.policies &= ~RESCH_POLICY_ASSOCIATE;
	assert_false(resch_balance_first(&machine, &linux_task, &rt_task));
	assert_false(resch_balance_first(&machine, &rt_task, &linux_task));
	/* equals: by their calls */
	linux_task.from = 0;
	linux_task.attempts = seldom;
	assert_true(resch_balance_first(&machine, &linux_task, &other));
	assert_false(resch_balance_first(&machine, &other, &linux_task));
	other.attempts = never;
	assert_true(resch_balance_first(&machine, &other, &linux_task));
	assert_false(resch_balance_first(&machine, &linux_task, &other));
	machine.policies = 0;
	assert_false(resch_balance_first(&machine, &other, &linux_task));
}

/* Who goes in a round: nobody twice, nobody that the estimate keeps, and those that have to. */
static void test_choose(void **state)
{
	static const struct resch_attempts often = { 100 * MS, MS, 2 };
	static const struct resch_attempts never;
	static const u64 everywhere[16] = { ~0ULL }, nrt_only[16] = { 1 };
	struct resch_balance_task crowd[5] = {
		{ RESCH_CLASS_LINUX, 0, 0, everywhere, never, 0 },
		{ RESCH_CLASS_RT1, 0, 0, everywhere, never, 0 },
		{ RESCH_CLASS_RT1, 0, 0, nrt_only, never, 0 },
		{ RESCH_CLASS_RT1, 0, 0, everywhere, often, 100 * MS },
		{ RESCH_CLASS_RT0, 1, 0, everywhere, never, 0 },
	};
	struct resch_balance_choice choice;

	machine_init(2, 2, RESCH_POLICY_ALL);
	cpus[0].ordinary = 1;
	cpus[0].realtime = 3;
	cpus[1].realtime = 1;
	assert_true(resch_balance_choose(&machine, crowd, 5, true, &choice));
	assert_int_equal(choice.task, 1);
	assert_int_equal(choice.to, 1);
	assert_int_equal(crowd[3].kept_from, 2);
	assert_false(crowd[2].kept_from);
	resch_balance_move(&machine, &crowd[1], choice.to);
	assert_int_equal(cpus[0].realtime, 2);
	assert_int_equal(cpus[1].realtime, 2);
	assert_int_equal(crowd[1].from, 1);
	assert_false(resch_balance_choose(&machine, crowd, 5, true, &choice));
	/*
	 * The whole round finds the CPU that has no ordinary task no better than its own: 1 and 1.
	 */
	assert_false(resch_balance_choose(&machine, crowd, 5, false, &choice));
	crowd[3].executed = 102 * MS;
	assert_false(resch_balance_choose(&machine, crowd, 5, true, &choice));
	crowd[3].executed = 111 * MS;
	assert_true(resch_balance_choose(&machine, crowd, 5, true, &choice));
	assert_int_equal(choice.task, 3);
	machine.policies &= ~RESCH_POLICY_ASSOCIATE;
	assert_false(resch_balance_choose(&machine, crowd, 5, true, &choice));
	/* The estimate keeps nobody on an RT CPU. */
	machine_init(2, 1, RESCH_POLICY_ALL);
	cpus[0].ordinary = 4;
	crowd[0].attempts = often;
	crowd[0].executed = 100 * MS;
	assert_true(resch_balance_choose(&machine, crowd, 1, false, &choice));
	assert_int_equal(choice.to, 1);
	assert_false(crowd[0].kept_from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_grows),  cmocka_unit_test(test_share_ends),
		cmocka_unit_test(test_share_random), cmocka_unit_test(test_share_clock),
		cmocka_unit_test(test_load),	     cmocka_unit_test(test_figure_2),
		cmocka_unit_test(test_table_3),	     cmocka_unit_test(test_settles),
		cmocka_unit_test(test_attempt_mean), cmocka_unit_test(test_attempt_far),
		cmocka_unit_test(test_target),	     cmocka_unit_test(test_first),
		cmocka_unit_test(test_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
