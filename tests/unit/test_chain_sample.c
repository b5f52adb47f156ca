// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_sample - reaction time and data age of stages with clocks, against a walk of time unit
 * by unit
 */
#include "chain_rig.h"

static void vectors(void **state)
{
	static const struct {
		uint32_t count;
		struct resch_chain_sampler samplers[3];
		uint64_t longest, reaction_reduced, age_reduced, bound;
	} table[] = {
		{ 2, { { 2, 0 }, { 5, 0 } }, 13, 11, 8, 14 },
		{ 2, { { 5, 0 }, { 2, 0 } }, 13, 8, 11, 14 },
		{ 3, { { 3, 0 }, { 5, 0 }, { 4, 0 } }, 22, 19, 18, 24 },
		{ 3, { { 10, 0 }, { 20, 0 }, { 50, 0 } }, 140, 130, 90, 160 },
		{ 3, { { 10, 0 }, { 20, 3 }, { 50, 7 } }, 147, 137, 97, 160 },
		{ 3, { { 5, 0 }, { 5, 0 }, { 5, 0 } }, 20, 15, 15, 30 },
		{ 3, { { 5, 0 }, { 5, 1 }, { 5, 2 } }, 22, 17, 17, 30 },
		{ 3, { { 20, 0 }, { 10, 0 }, { 20, 0 } }, 80, 60, 60, 100 },
		{ 3, { { 4, 0 }, { 6, 1 }, { 10, 0 } }, 38, 34, 28, 40 },
	};
	struct resch_chain_latency latency;
	uint32_t i;

	for (i = 0; i < COUNT(table); i++) {
		assert_int_equal(resch_chain_sample(table[i].samplers, table[i].count, &latency),
				 0);
		assert_int_equal(latency.reaction, table[i].longest);
		assert_int_equal(latency.age, table[i].longest);
		assert_int_equal(latency.reaction_reduced, table[i].reaction_reduced);
		assert_int_equal(latency.age_reduced, table[i].age_reduced);
		assert_int_equal(latency.bound, table[i].bound);
	}
}

/*
 * Unit by unit: each stage holds what it reads, and shows it a period later. Values are the times
 * at which the first stage sampled them.
 */
struct walker {
	int64_t read, shown;
};

static void walk(const struct resch_chain_sampler *samplers, uint32_t count, uint64_t hyperperiod,
		 struct resch_chain_latency *latency)
{
	struct walker walkers[RESCH_CHAIN_STAGES_MAX];
	uint64_t end = 8 * hyperperiod + 400, settled = 400, now;
	static unsigned char used[1 << 16];
	int64_t last = -1;
	uint32_t i;

	memset(latency, 0, sizeof(*latency));
	memset(walkers, -1, sizeof(walkers));
	memset(used, 0, sizeof(used));
	assert_true(end < sizeof(used));
	for (now = 0; now < end; now++) {
		const struct resch_chain_sampler *first = samplers;
		int64_t before = walkers[count - 1].shown, out;
		bool wrote = false;

		/* all writes of a moment, then all reads */
		for (i = 0; i < count; i++) {
			if (now < samplers[i].offset + samplers[i].period ||
			    (now - samplers[i].offset) % samplers[i].period)
				continue;
			walkers[i].shown = walkers[i].read;
			wrote = i == count - 1;
		}
		for (i = 0; i < count; i++) {
			if (now < samplers[i].offset ||
			    (now - samplers[i].offset) % samplers[i].period)
				continue;
			walkers[i].read = i ? walkers[i - 1].shown : (int64_t)now;
		}
		out = walkers[count - 1].shown;
		if (out >= 0)
			used[out] = 1;
		if (!wrote || now < settled || before < 0)
			continue;
		/* what was shown up to now was that old at last */
		latency->age = now - (uint64_t)before > latency->age ? now - (uint64_t)before :
								       latency->age;
		if (now - (uint64_t)out > latency->age_reduced)
			latency->age_reduced = now - (uint64_t)out;
		/*
		 * an event after the sampling that was shown before is first answered by this one
		 */
		if (out == last)
			continue;
		if (last >= 0 && (uint64_t)last >= first->offset) {
			uint64_t event = (uint64_t)last, seen = event + first->period;

			latency->reaction = now - event > latency->reaction ? now - event :
									      latency->reaction;
			latency->reaction_reduced = now - seen > latency->reaction_reduced ?
							    now - seen :
							    latency->reaction_reduced;
		}
		last = out;
	}
	for (now = samplers[0].offset + 4 * hyperperiod; now < samplers[0].offset + 5 * hyperperiod;
	     now += samplers[0].period)
		latency->unseen += !used[now];
}

static void random_ones(void **state)
{
	struct resch_chain_sampler samplers[4];
	struct resch_chain_latency latency, walked;
	uint64_t seed = 5;
	uint32_t round, i, count;

	for (round = 0; round < 400; round++) {
		count = (uint32_t)chain_between(&seed, 1, 4);
		for (i = 0; i < count; i++) {
			samplers[i].period = chain_between(&seed, 1, 12);
			samplers[i].offset = chain_between(&seed, 0, samplers[i].period - 1);
		}
		assert_int_equal(resch_chain_sample(samplers, count, &latency), 0);
		if (latency.hyperperiod > 2000)
			continue;
		walk(samplers, count, latency.hyperperiod, &walked);
		assert_int_equal(latency.reaction, walked.reaction);
		assert_int_equal(latency.age, walked.age);
		assert_int_equal(latency.reaction, latency.age);
		assert_int_equal(latency.reaction_reduced, walked.reaction_reduced);
		assert_int_equal(latency.age_reduced, walked.age_reduced);
		assert_int_equal(latency.unseen, walked.unseen);
		assert_true(latency.reaction <= latency.bound);
	}
}

static void ranges(void **state)
{
	struct resch_chain_sampler samplers[] = { { 3599999999999, 0 }, { 3599999999873, 0 } };
	struct resch_chain_latency latency;

	/* the hyperperiod has too many jobs, or is no number any more */
	assert_int_equal(resch_chain_sample(samplers, 2, &latency), -E2BIG);
	assert_int_equal(resch_chain_sample(samplers, 1, &latency), 0);
	assert_int_equal(resch_chain_sample(samplers, 0, &latency), -EINVAL);
	assert_int_equal(resch_chain_sample(samplers, 17, &latency), -EINVAL);
	samplers[0].offset = samplers[0].period;
	assert_int_equal(resch_chain_sample(samplers, 1, &latency), -EINVAL);
	samplers[0].period = 0;
	assert_int_equal(resch_chain_sample(samplers, 1, &latency), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(random_ones),
		cmocka_unit_test(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
