/* SPDX-License-Identifier: GPL-2.0 */
/* chain_rig.h - chains in a line, for tests; and the sets that several of them look at */
#ifndef _RESCH_CHAIN_RIG_H
#define _RESCH_CHAIN_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "random.h"
#include "resch-chain.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNIT 1000000ULL
#define CHAINS 8

/* A model, and what is found out about it. */
struct chain_rig {
	struct resch_chain_spec chains[CHAINS];
	struct resch_chain_bound bounds[CHAINS];
	struct resch_chain_model model;
	struct resch_chain_result result;
};

static inline void chain_rig_init(struct chain_rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->model.chains = rig->chains;
	rig->result.chains = rig->bounds;
}

static inline struct resch_chain_spec *chain_add(struct chain_rig *rig, uint64_t period,
						 uint64_t deadline)
{
	struct resch_chain_spec *chain = &rig->chains[rig->model.count];

	assert_true(rig->model.count < CHAINS);
	snprintf(chain->name, sizeof(chain->name), "T%u", rig->model.count++);
	chain->period = period * UNIT;
	chain->deadline = deadline * UNIT;
	return chain;
}

/* Its best case is its worst, as the vectors want it. */
static inline struct resch_stage_spec *stage_add(struct resch_chain_spec *chain, uint64_t cost,
						 int cpu, uint32_t priority)
{
	struct resch_stage_spec *stage = &chain->stages[chain->count];

	snprintf(stage->name, sizeof(stage->name), "%c", 'a' + (int)chain->count++);
	stage->wcet = cost * UNIT;
	stage->bcet = stage->wcet;
	stage->cpu = cpu;
	stage->priority = priority;
	return stage;
}

static inline void all_protocol(struct chain_rig *rig, uint32_t protocol)
{
	uint32_t i;

	for (i = 0; i < rig->model.count; i++)
		rig->chains[i].protocol = protocol;
}

/* The slides' set: stage j on CPU j, rate-monotonic, which is T1, T2, T0; the slides' deadlines. */
static inline void thaker(struct chain_rig *rig)
{
	static const uint64_t cost[3][3] = { { 7, 8, 25 }, { 9, 5, 11 }, { 10, 6, 14 } };
	static const uint64_t period[] = { 104, 30, 54 }, deadline[] = { 88, 30, 54 };
	static const uint32_t priority[] = { 3, 1, 2 };
	int i, k;

	chain_rig_init(rig);
	for (i = 0; i < 3; i++) {
		struct resch_chain_spec *chain = chain_add(rig, period[i], deadline[i]);

		for (k = 0; k < 3; k++)
			stage_add(chain, cost[i][k], k, priority[i]);
	}
}

/* Likewise with priorities by proportional deadlines. */
static inline void thaker_pdm(struct chain_rig *rig)
{
	thaker(rig);
	assert_int_equal(resch_chain_assign(&rig->model, RESCH_CHAIN_PD), 0);
}

/* The mapping that the slides' figures go with: 0-1-0, 1-0-1, 2-2-0, proportional deadlines. */
static inline void slides(struct chain_rig *rig)
{
	static const int cpu[3][3] = { { 0, 1, 0 }, { 1, 0, 1 }, { 2, 2, 0 } };
	int i, k;

	thaker(rig);
	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++)
			rig->chains[i].stages[k].cpu = cpu[i][k];
	assert_int_equal(resch_chain_assign(&rig->model, RESCH_CHAIN_PD), 0);
}

/* Sun and Liu's example: A, B over two CPUs, X below B's second stage. */
static inline void sun_liu(struct chain_rig *rig)
{
	struct resch_chain_spec *chain;

	chain_rig_init(rig);
	stage_add(chain_add(rig, 4, 4), 2, 0, 1);
	chain = chain_add(rig, 6, 7);
	stage_add(chain, 2, 0, 2);
	stage_add(chain, 3, 1, 1);
	stage_add(chain_add(rig, 6, 6), 2, 1, 2);
}

/* An earlier stage of the chain delays h, which then delays a later one. */
static inline void own_stages(struct chain_rig *rig)
{
	struct resch_chain_spec *chain;

	chain_rig_init(rig);
	chain = chain_add(rig, 20, 20);
	stage_add(chain, 5, 0, 1);
	stage_add(chain, 1, 0, 3);
	stage_add(chain_add(rig, 6, 8), 2, 0, 2);
}

/* x, low, beside a chain that comes back to its CPU. */
static inline void offsets_pay(struct chain_rig *rig, uint64_t period, const uint64_t cost[3],
			       uint64_t period_x, uint64_t cost_x)
{
	struct resch_chain_spec *chain;

	chain_rig_init(rig);
	chain = chain_add(rig, period, period);
	stage_add(chain, cost[0], 0, 1);
	stage_add(chain, cost[1], 1, 1);
	stage_add(chain, cost[2], 0, 1);
	stage_add(chain_add(rig, period_x, period_x), cost_x, 0, 2);
}

/* Responses beyond the period: P before Q on two CPUs. */
static inline void beyond(struct chain_rig *rig)
{
	struct resch_chain_spec *chain;

	chain_rig_init(rig);
	chain = chain_add(rig, 25, 25);
	stage_add(chain, 5, 0, 1);
	stage_add(chain, 5, 1, 1);
	chain = chain_add(rig, 10, 30);
	stage_add(chain, 6, 0, 2);
	stage_add(chain, 6, 1, 2);
}

static inline void analyse(struct chain_rig *rig, uint32_t method)
{
	int err = resch_chain_analyse(&rig->model, method, &rig->result);

	assert_true(!err || err == -EBUSY);
}

/* What a table of vectors has for a chain: up to three figures in units. */
#define expect_figures(rig, chain, field, ...)                                      \
	do {                                                                        \
		static const uint64_t figures_[] = { __VA_ARGS__ };                 \
		uint32_t stage_;                                                    \
		assert_int_equal((rig)->chains[chain].count, COUNT(figures_));      \
		for (stage_ = 0; stage_ < COUNT(figures_); stage_++)                \
			assert_int_equal((rig)->bounds[chain].stages[stage_].field, \
					 figures_[stage_] * UNIT);                  \
	} while (0)

static inline uint64_t chain_random(uint64_t *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* Uniform in [low, high]. */
static inline uint64_t chain_between(uint64_t *state, uint64_t low, uint64_t high)
{
	return low + chain_random(state) % (high - low + 1);
}

/* What random chains are like. */
struct chain_mould {
	const uint64_t *periods; /* to choose from, in units */
	size_t count; /* of these */
	uint64_t deadline; /* so many periods */
	uint64_t share; /* a stage takes up to one unit, and 1 in so many of its period */
	uint32_t first, priorities; /* the lowest one, and how many steps there may be above it */
	uint64_t step; /* best cases are multiples of it, ns */
};

/* 3 chains on 2 or 3 CPUs, of up to 4 stages each. */
static inline void chain_rig_random(struct chain_rig *rig, const struct chain_mould *mould,
				    uint64_t *seed)
{
	uint64_t cpus = chain_between(seed, 2, 3);
	uint32_t i, k, count;

	chain_rig_init(rig);
	for (i = 0; i < 3; i++) {
		uint64_t period = mould->periods[chain_between(seed, 0, mould->count - 1)];
		struct resch_chain_spec *chain = chain_add(rig, period, mould->deadline * period);

		count = (uint32_t)chain_between(seed, 1, 4);
		for (k = 0; k < count; k++) {
			uint32_t level = (uint32_t)chain_between(seed, 0, mould->priorities);
			int cpu = (int)chain_between(seed, 0, cpus - 1);
			uint64_t cost = chain_between(seed, 1, 1 + period / mould->share);
			struct resch_stage_spec *stage =
				stage_add(chain, cost, cpu, mould->first + level * 16 + i * 4 + k);

			stage->bcet =
				chain_between(seed, 1, stage->wcet / mould->step) * mould->step;
		}
	}
}

/* Bounds of CPUs that are nearly full take long to find, or to find out that there are none. */
static inline bool chain_rig_is_full(const struct chain_rig *rig)
{
	double load[3] = { 0 };
	uint32_t i, k;

	for (i = 0; i < rig->model.count; i++) {
		for (k = 0; k < rig->chains[i].count; k++) {
			const struct resch_stage_spec *stage = &rig->chains[i].stages[k];

			load[stage->cpu] += (double)stage->wcet / (double)rig->chains[i].period;
			if (load[stage->cpu] > 0.85)
				return true;
		}
	}
	return false;
}

#endif /* _RESCH_CHAIN_RIG_H */
