// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_tune.c - budgets that follow what is used: what they come to, by a server that is
 * used up to its budget and no more, and against a predictor that keeps all it has seen
 */
#include <errno.h>
#include <string.h>

#include "fake_device.h"
#include "random.h"
#include "resch-server.h"

#define MS 1000000ULL
#define PERIOD (10 * MS)
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct resch_tune tune_of(uint32_t window, uint32_t ignore)
{
	return (struct resch_tune){
		.least = MS / 10, .most = 8 * MS, .spare = 20, .window = window, .ignore = ignore
	};
}

/* A hard server, in which @need is asked for in each period. */
struct hard {
	struct resch_server_stat stat;
	uint64_t now;
};

static struct hard hard_of(uint64_t budget)
{
	return (struct hard){
		.stat = { .params = { .budget = budget, .period = PERIOD }, .tasks = 1 },
		.now = 1000 * MS,
	};
}

/* So many periods later: the budget that is wanted then, which it gets. */
static uint64_t follow(struct hard *hard, struct resch_tune *tune, uint64_t need, uint32_t periods)
{
	const uint64_t budget = hard->stat.params.budget;

	hard->now += periods * PERIOD;
	hard->stat.consumed += periods * (need < budget ? need : budget);
	hard->stat.params.budget = resch_tune_budget(tune, &hard->stat, hard->now);
	return hard->stat.params.budget;
}

/* A player: 2 ms a frame, then 5, then 2 again. */
static void player(void **state)
{
	struct resch_tune tune = tune_of(8, 0);
	struct hard hard = hard_of(MS);
	uint64_t budget, before;
	int i, steps;

	(void)state;
	assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), MS);
	/* By a fifth each time: 1.2^4 > 2. */
	for (i = 0, before = MS; i < 4; i++, before = budget) {
		budget = follow(&hard, &tune, 2 * MS, 10);
		assert_int_equal(budget, before < 2 * MS ? before * 120 / 100 : 2400000);
	}
	for (i = 0; i < 100; i++)
		assert_int_equal(follow(&hard, &tune, 2 * MS, 10), 2400000);
	/* 2.4 ms 1.2^5 > 5 ms: then it has that and a fifth, but for a 50th. */
	for (steps = 1; follow(&hard, &tune, 5 * MS, 10) <= 5 * MS; steps++)
		assert_true(steps < 5);
	budget = follow(&hard, &tune, 5 * MS, 10);
	assert_in_range(budget, 6 * MS - 6 * MS / 50, 6 * MS);
	for (i = 0; i < 100; i++)
		assert_int_equal(follow(&hard, &tune, 5 * MS, 10), budget);
	/* It is kept for a window, and given back then. */
	for (i = 0; i < 7; i++)
		assert_int_equal(follow(&hard, &tune, 2 * MS, 10), budget);
	for (i = 0; i < 100; i++)
		assert_int_equal(follow(&hard, &tune, 2 * MS, 10), 2400000);
}

/* The bounds hold, whatever is asked for; a server that was made larger comes back. */
static void bounds(void **state)
{
	struct resch_tune tune = tune_of(4, 0);
	struct hard hard = hard_of(9 * MS);
	int i;

	(void)state;
	assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), 8 * MS);
	hard.stat.params.budget = 8 * MS;
	for (i = 0; i < 50; i++)
		assert_int_equal(follow(&hard, &tune, 10 * MS, 10), 8 * MS);
	for (i = 0; i < 50; i++)
		follow(&hard, &tune, 0, 10);
	assert_int_equal(hard.stat.params.budget, MS / 10);
	/* No more than there is. */
	tune.most = 100 * PERIOD;
	for (i = 0; i < 50; i++)
		assert_true(follow(&hard, &tune, PERIOD, 10) <= PERIOD);
	assert_int_equal(hard.stat.params.budget, PERIOD);
	/* All of it, where the last step is less than a 50th; there it stays. */
	tune = tune_of(4, 0);
	hard = hard_of(7950000);
	resch_tune_budget(&tune, &hard.stat, hard.now);
	for (i = 0; i < 50; i++)
		assert_int_equal(follow(&hard, &tune, 10 * MS, 10), 8 * MS);
	for (i = 0; i < 50; i++)
		assert_int_equal(follow(&hard, &tune, 6600000, 10), 8 * MS);
}

/* No sample: too soon, nobody there, counts that begin anew, another period. */
static void none(void **state)
{
	struct resch_tune tune = tune_of(1, 0);
	struct hard hard = hard_of(2 * MS);
	int i;

	(void)state;
	resch_tune_budget(&tune, &hard.stat, hard.now);
	hard.now += PERIOD - 1;
	assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), 2 * MS);
	assert_int_equal(tune.seen, 0);
	/* The time goes on counting. */
	hard.now += 1;
	hard.stat.consumed += MS;
	assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), 1200000);
	hard.stat.params.budget = 1200000;
	hard.stat.tasks = 0;
	for (i = 0; i < 9; i++)
		assert_int_equal(follow(&hard, &tune, 0, 10), 1200000);
	hard.stat.tasks = 1;
	hard.stat.consumed = 0;
	assert_int_equal(follow(&hard, &tune, 0, 1), 1200000);
	assert_int_equal(follow(&hard, &tune, 2 * MS, 1), 1440000);
	hard.stat.params.period = 20 * MS;
	assert_int_equal(follow(&hard, &tune, 0, 20), 1440000);
	assert_int_equal(tune.seen, 0);
	/* A clock that goes back. */
	hard.now -= 5 * PERIOD;
	assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), 1440000);
	assert_int_equal(tune.seen, 0);
}

/* One sample of many: a moment's need is not what counts, if so many are ignored. */
static void ignores(void **state)
{
	struct resch_tune tune = tune_of(8, 1);
	struct hard hard = hard_of(7 * MS);
	int i;

	(void)state;
	resch_tune_budget(&tune, &hard.stat, hard.now);
	for (i = 0; i < 8; i++)
		follow(&hard, &tune, 5 * MS, 10);
	assert_int_equal(hard.stat.params.budget, 6 * MS);
	assert_int_equal(follow(&hard, &tune, 6 * MS, 10), 6 * MS);
	/* The second one is. */
	assert_int_equal(follow(&hard, &tune, 6 * MS, 10), 7200000);
}

static void refuses(void **state)
{
	const struct resch_tune good = tune_of(8, 1);
	const struct hard hard = hard_of(2 * MS);
	struct resch_tune tune;

	(void)state;
#define REFUSES(member, value)                                                       \
	do {                                                                         \
		tune = good;                                                         \
		tune.member = value;                                                 \
		assert_int_equal(resch_tune_budget(&tune, &hard.stat, hard.now), 0); \
	} while (0)
	REFUSES(least, 0);
	REFUSES(least, 9 * MS);
	REFUSES(spare, RESCH_TUNE_SPARE_MIN - 1);
	REFUSES(spare, RESCH_TUNE_SPARE_MAX + 1);
	REFUSES(window, 0);
	REFUSES(window, RESCH_TUNE_WINDOW + 1);
	REFUSES(ignore, 8);
}

static uint64_t below(uint64_t limit)
{
	static uint64_t state = 16;

	return random_mix(state += RANDOM_STEP) % limit;
}

/* What it says, by one who forgets nothing. */
static uint64_t naive(const uint64_t *used, uint32_t seen, const struct resch_tune *tune,
		      uint64_t budget)
{
	uint32_t first = seen > tune->window ? seen - tune->window : 0, larger, i, j;
	uint32_t ignore = tune->ignore < seen - first ? tune->ignore : seen - first - 1;
	uint64_t wanted = 0, difference;

	for (i = first; i < seen; i++) {
		larger = 0;
		for (j = first; j < seen; j++)
			larger += used[j] > used[i] || (j < i && used[j] == used[i]);
		if (larger == ignore)
			wanted = used[i] + used[i] * tune->spare / 100;
	}
	wanted = wanted > tune->most ? tune->most : wanted < tune->least ? tune->least : wanted;
	wanted = wanted > PERIOD ? PERIOD : wanted;
	difference = wanted > budget ? wanted - budget : budget - wanted;
	if (wanted == (tune->most < PERIOD ? tune->most : PERIOD))
		return wanted;
	return difference < budget / 50 ? budget : wanted;
}

static void predicts(void **state)
{
	static uint64_t used[600];
	uint32_t round, i;

	(void)state;
	for (round = 0; round < 200; round++) {
		uint32_t window = 1 + (uint32_t)below(RESCH_TUNE_WINDOW);
		struct resch_tune tune = tune_of(window, (uint32_t)below(window));
		struct hard hard = hard_of(MS);

		tune.spare = 5 + (uint32_t)below(396);
		resch_tune_budget(&tune, &hard.stat, hard.now);
		for (i = 0; i < COUNT(used); i++) {
			uint64_t budget = hard.stat.params.budget;
			uint64_t need = below(9 * MS);

			used[i] = need < budget ? need : budget;
			assert_int_equal(follow(&hard, &tune, need, 1),
					 naive(used, i + 1, &tune, budget));
		}
	}
}

/* ---- the request ----------------------------------------------------------------------------- */

/* A server of the device: its state, what admission takes, and what was asked for. */
static struct resch_server_stat served;
static uint64_t takes, asked[4];
static int requests;

static void answer(void *argument)
{
	struct resch_server_set *set = argument;

	fake.error = 0;
	if (fake.request == RESCH_IOC_SERVER_STAT) {
		memcpy(argument, &served, sizeof(served));
		return;
	}
	assert_int_equal(fake.request, RESCH_IOC_SERVER_SET);
	assert_int_equal(set->domain, 3);
	assert_int_equal(set->id, 7);
	assert_int_equal(set->params.period, PERIOD);
	asked[requests++] = set->params.budget;
	if (set->params.budget > takes) {
		fake.error = EBUSY;
		set->verdict.bound = RESCH_BOUND_UTILIZATION;
		set->verdict.suggest_wcet = takes;
	} else {
		served.params.budget = set->params.budget;
	}
}

/* A second later, in which so much was used of each period: what comes of it. */
static int tunes(struct resch_tune *tune, uint64_t used, struct resch_server_set *want)
{
	*want = (struct resch_server_set){ .domain = 3, .id = 7 };
	tune->since = resch_now() - 1000 * MS;
	served.consumed = tune->consumed + 100 * used;
	requests = 0;
	return resch_server_tune(FD, tune, want);
}

static void asks(void **state)
{
	struct resch_tune tune = tune_of(1, 0);
	struct resch_server_set want;

	(void)state;
	fake.answer = answer;
	takes = 5 * MS;
	served = (struct resch_server_stat){
		.domain = 3, .id = 7, .tasks = 1, .params = { .budget = 2 * MS, .period = PERIOD }
	};
	tune.period = PERIOD;
	assert_int_equal(tunes(&tune, 3 * MS, &want), 1);
	assert_int_equal(requests, 1);
	assert_true(want.params.budget > 35 * MS / 10 && want.params.budget <= 36 * MS / 10);
	assert_int_equal(served.params.budget, want.params.budget);
	assert_int_equal(want.verdict.bound, 0);
	/* More than there is: what there is. */
	assert_int_equal(tunes(&tune, 6 * MS, &want), 1);
	assert_int_equal(requests, 2);
	assert_int_equal(asked[1], 5 * MS);
	assert_int_equal(want.params.budget, 5 * MS);
	assert_int_equal(want.verdict.bound, RESCH_BOUND_UTILIZATION);
	/* It has all that there is. */
	assert_int_equal(tunes(&tune, 6 * MS, &want), -EBUSY);
	assert_int_equal(requests, 1);
	assert_int_equal(want.params.budget, 5 * MS);
	/* Of a refusal that suggests less than it has it makes nothing. */
	takes = 4 * MS;
	assert_int_equal(tunes(&tune, 6 * MS, &want), -EBUSY);
	assert_int_equal(served.params.budget, 5 * MS);
	/* The same again. */
	takes = 5 * MS;
	assert_int_equal(tunes(&tune, 5 * MS / 6 * 5 / 5, &want), 1);
	assert_int_equal(tunes(&tune, 1 * MS, &want), 1);
	assert_true(want.params.budget <= 1200000);
	assert_int_equal(tunes(&tune, 1 * MS, &want), 0);
	assert_int_equal(requests, 0);
}

static void fails(void **state)
{
	struct resch_tune tune = tune_of(1, 0);
	struct resch_server_set want = { .domain = 3, .id = 7 };

	(void)state;
	assert_fails(resch_server_tune(FD, &tune, &want));
	fake.answer = answer;
	served.band = 7;
	assert_int_equal(tunes(&tune, MS, &want), -EINVAL);
	assert_int_equal(requests, 0);
	served.band = 0;
	tune.window = 0;
	assert_int_equal(tunes(&tune, MS, &want), -EINVAL);
	assert_int_equal(requests, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(player),
		cmocka_unit_test(bounds),
		cmocka_unit_test(none),
		cmocka_unit_test(ignores),
		cmocka_unit_test(refuses),
		cmocka_unit_test(predicts),
		cmocka_unit_test_setup(asks, fake_reset),
		cmocka_unit_test_setup(fails, fake_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
