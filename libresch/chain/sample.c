// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * sample.c - cause and effect through stages that read and write at times of their own
 *
 * Logical execution time: a job reads at its release, and what it made of that is there one period
 * later. So everything repeats with the hyperperiod, and walking it once, forwards from each
 * sampling of the first stage and backwards from each output of the last one, is exact. Definitions
 * as in Günzel, Chen, Ueter, von der Brüggen, Dürr, Chen, Compositional timing analysis of
 * asynchronized distributed cause-effect chains, 2023, which also shows that the longest of both
 * are equal.
 */
#include "chain.h"
#include "divisor.h"

/* Jobs that are walked through at most: a second or so. */
#define WALK_MAX (1ULL << 26)

/* The first release at or after @time. */
static uint64_t release_after(const struct resch_chain_sampler *sampler, uint64_t time)
{
	if (time <= sampler->offset)
		return sampler->offset;
	return sampler->offset +
	       chain_ceil(time - sampler->offset, sampler->period) * sampler->period;
}

/* The last release whose output is there at @time, which is late enough for one. */
static uint64_t written_until(const struct resch_chain_sampler *sampler, uint64_t time)
{
	uint64_t last = time - sampler->period - sampler->offset;

	return sampler->offset + last / sampler->period * sampler->period;
}

/* When what the first stage samples at @time comes out. */
static uint64_t forwards(const struct resch_chain_sampler *samplers, uint32_t count, uint64_t time)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		time = release_after(&samplers[i], time) + samplers[i].period;
	return time;
}

/* When the first stage sampled what the last one reads at @time. */
static uint64_t backwards(const struct resch_chain_sampler *samplers, uint32_t count, uint64_t time)
{
	while (--count)
		time = written_until(&samplers[count - 1], time);
	return time;
}

static void walk(const struct resch_chain_sampler *samplers, uint32_t count, uint64_t settled,
		 struct resch_chain_latency *latency)
{
	const struct resch_chain_sampler *first = samplers, *last = &samplers[count - 1];
	uint64_t time, end = first->offset + latency->hyperperiod, seen = 0;

	for (time = first->offset; time < end; time += first->period) {
		uint64_t sampled = time + first->period;
		uint64_t out = forwards(samplers, count, sampled);

		latency->reaction = chain_max(latency->reaction, out - time);
		latency->reaction_reduced = chain_max(latency->reaction_reduced, out - sampled);
	}
	time = release_after(last, settled);
	for (end = time + latency->hyperperiod; time < end; time += last->period) {
		uint64_t out = time + last->period;
		uint64_t sampled = backwards(samplers, count, time);
		uint64_t next = backwards(samplers, count, out);

		latency->age = chain_max(latency->age, out + last->period - sampled);
		latency->age_reduced = chain_max(latency->age_reduced, out - sampled);
		seen += next != sampled;
	}
	latency->unseen = latency->hyperperiod / first->period - seen;
}

int resch_chain_sample(const struct resch_chain_sampler *samplers, uint32_t count,
		       struct resch_chain_latency *latency)
{
	uint64_t all = 1, sum = 0, jobs;
	uint32_t i;

	*latency = (struct resch_chain_latency){};
	if (!count || count > RESCH_CHAIN_STAGES_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		uint64_t period = samplers[i].period;

		if (!period || period > RESCH_CHAIN_TIME_MAX || samplers[i].offset >= period)
			return -EINVAL;
		sum += period;
	}
	for (i = 0; i < count; i++) {
		if (__builtin_mul_overflow(all / chain_divisor(all, samplers[i].period),
					   samplers[i].period, &all) ||
		    all > CHAIN_HORIZON)
			return -E2BIG;
	}
	jobs = all / samplers[0].period + all / samplers[count - 1].period;
	if (jobs > WALK_MAX / count)
		return -E2BIG;
	latency->hyperperiod = all;
	latency->bound = 2 * sum;
	walk(samplers, count, chain_ceil(3 * sum, all) * all, latency);
	return 0;
}
