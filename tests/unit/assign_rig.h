/* SPDX-License-Identifier: GPL-2.0 */
/*
 * assign_rig.h - requests for task splitting, sets to ask for, and the simulation that the answers
 * must pass
 *
 * The simulator is bench/study/slots.c, which shares nothing with the library.
 */
#ifndef _RESCH_ASSIGN_RIG_H
#define _RESCH_ASSIGN_RIG_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assign/assign.h"
#include "../../bench/study/slots.h"

#define MS 1000000ULL
#define US 1000ULL

static uint64_t random_state = 88172645463325252ULL;

static inline uint64_t between(uint64_t low, uint64_t high)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return low + random_state % (high - low + 1);
}

static inline void cpus_first(struct resch_assign *request, uint32_t nr)
{
	request->cpus = (struct resch_cpus){};
	while (nr--)
		resch_cpus_add(&request->cpus, nr);
}

static inline struct resch_assign ask(uint32_t method, const struct resch_assign_task *tasks,
				      uint32_t nr, uint32_t cpus, uint32_t delta)
{
	struct resch_assign request = {
		.method = method, .tasks = tasks, .nr_tasks = nr, .delta = delta, .slot_min = 1
	};

	cpus_first(&request, cpus);
	return request;
}

static inline struct resch_layout *must(const struct resch_assign *request)
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

static inline struct resch_assign_refusal must_not(const struct resch_assign *request)
{
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;

	assert_int_equal(resch_assign(request, &layout, &refusal), -EBUSY);
	assert_null(layout);
	return refusal;
}

static inline void assert_says(const struct resch_assign_refusal *refusal, const char *words)
{
	char text[RESCH_ASSIGN_TEXT], cut[8];
	int length = resch_assign_text(refusal, text, sizeof(text));

	assert_in_range(length, 1, RESCH_ASSIGN_TEXT - 1);
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
	assert_int_equal(resch_assign_text(refusal, cut, sizeof(cut)), length);
	assert_memory_equal(cut, text, sizeof(cut) - 1);
}

/* Utilizations .92 .55 .44 .50 .40 .35 .30: 3.46 on 4 CPUs */
static const struct resch_assign_task example[] = {
	{ 9200 * US, 0, 10 * MS }, { 4400 * US, 0, 8 * MS },  { 5280 * US, 0, 12 * MS },
	{ 8000 * US, 0, 16 * MS }, { 8000 * US, 0, 20 * MS }, { 3150 * US, 0, 9 * MS },
	{ 9000 * US, 0, 30 * MS },
};

#define EXAMPLE 7

/* ---- simulation ------------------------------------------------------------------------------ */

#define TASKS_MAX 64
#define RESERVES_MAX 256

static struct slots_task slot_tasks[TASKS_MAX];
static struct slots_reserve slot_reserves[RESERVES_MAX];

/* CPUs become indexes, which these requests have anyway. */
static inline struct slots simulation(const struct resch_assign *request,
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

static inline void assert_no_miss(const struct resch_assign *request,
				  const struct resch_layout *layout)
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

/* ---- random sets ----------------------------------------------------------------------------- */

static struct resch_assign_task random_tasks[TASKS_MAX];

/* Utilizations from 5 to @umax per cent up to @ppm in all, to the last millionth. */
static inline uint32_t random_set(uint64_t ppm, uint64_t umax)
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

static const struct resch_assign_overheads some_overheads = {
	.reserve_jitter = 9 * US,
	.release_jitter = 32 * US,
	.switch_cost = 3 * US,
	.release_cost = 2 * US,
	.cache = 4 * US,
	.nr_irqs = 2,
	.irqs = { { 1 * MS, 600, -1 }, { 20 * MS, 25 * US, 1 } },
};

#endif /* _RESCH_ASSIGN_RIG_H */
