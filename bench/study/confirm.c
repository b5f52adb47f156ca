// SPDX-License-Identifier: GPL-2.0
/* confirm.c - layouts in the simulator */
#include <stdio.h>

#include "study.h"

#define RESERVES_MAX (4 * RESCH_CPUS_MAX)
#define PERIODS 8 /* of the longest one, that are simulated */

static struct slots_task tasks[STUDY_TASKS_MAX];
static struct slots_reserve reserves[RESERVES_MAX];
static struct slots_irq irqs[RESCH_ASSIGN_IRQS_MAX];

static struct slots prepare(const struct study_set *set, const struct resch_layout *layout)
{
	const struct resch_assign_overheads *overheads = &set->overheads;
	struct slots slots = {
		.slot = layout->slot,
		.nr_cpus = set->nr_cpus,
		.tasks = tasks,
		.nr_tasks = set->nr_tasks,
		.reserves = reserves,
		.nr_reserves = layout->nr_reserves,
		.irqs = irqs,
		.nr_irqs = overheads->nr_irqs,
		.reserve_jitter = overheads->reserve_jitter + overheads->cache,
		.release_jitter = overheads->release_jitter,
		.job_cost = 2 * overheads->switch_cost + overheads->cache,
	};
	uint32_t i;

	for (i = 0; i < set->nr_tasks; i++) {
		const struct resch_assign_task *task = &set->tasks[i];

		tasks[i] = (struct slots_task){ task->wcet,
						task->deadline ? task->deadline : task->period,
						task->period, layout->task_group[i] };
		if (slots.end < PERIODS * task->period)
			slots.end = PERIODS * task->period;
	}
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *it = &layout->reserves[i];

		reserves[i] = (struct slots_reserve){ it->cpu, it->group, it->begin, it->end };
	}
	for (i = 0; i < overheads->nr_irqs; i++)
		irqs[i] = (struct slots_irq){ overheads->irqs[i].cpu, overheads->irqs[i].period,
					      overheads->irqs[i].cost };
	return slots;
}

/* 1 % off each reserve, from the side that is not at the slot boundary */
static void shrink_reserves(const struct resch_layout *layout)
{
	uint32_t i;

	for (i = 0; i < layout->nr_reserves; i++) {
		uint64_t part = (reserves[i].end - reserves[i].begin + 99) / 100;

		if (reserves[i].end == layout->slot)
			reserves[i].begin += part;
		else
			reserves[i].end -= part;
		if (reserves[i].begin == reserves[i].end)
			reserves[i].end++;
	}
}

void study_confirm(const struct study_set *set, const struct resch_layout *layout, bool reclaim,
		   uint64_t seed, bool shrink, struct study_tally *tally)
{
	struct slots slots = prepare(set, layout);
	struct slots_result result;
	uint32_t pattern;

	slots.reclaim = reclaim;
	slots.seed = seed;
	slots.pattern = seed % SLOTS_PATTERNS;
	if (slots_run(&slots, &result)) {
		tally->misses++;
		return;
	}
	tally->runs++;
	tally->jobs += result.jobs;
	tally->misses += result.misses;
	tally->parallel += result.parallel;
	if (!shrink)
		return;
	shrink_reserves(layout);
	tally->shrunk++;
	for (pattern = 0; pattern < SLOTS_PATTERNS; pattern++) {
		slots.pattern = pattern;
		if (slots_run(&slots, &result) || !result.misses)
			continue;
		tally->shrunk_missed++;
		return;
	}
}

/* ---- the formula's worst case ---------------------------------------------------------------- */

/* A layout of one reserve, for a task of utilization @percent and the shortest period. */
static uint64_t reserve_for(uint64_t slot, uint32_t delta, uint64_t percent)
{
	const struct resch_assign_task task = { slot * delta * percent / 100, 0, slot * delta };
	struct resch_assign request = {
		.method = RESCH_ASSIGN_NPSF, .tasks = &task, .nr_tasks = 1, .delta = delta
	};
	struct resch_layout *layout;
	uint64_t size;

	resch_cpus_add(&request.cpus, 0);
	if (resch_assign(&request, &layout, NULL))
		return 0;
	size = layout->groups[0].size;
	resch_layout_free(layout);
	return size;
}

static uint64_t misses_with(uint64_t slot, uint64_t size, const struct slots_task *task)
{
	const struct slots_reserve reserve = { 0, 1, 0, size };
	struct slots slots = { .slot = slot,
			       .nr_cpus = 1,
			       .tasks = task,
			       .nr_tasks = 1,
			       .reserves = &reserve,
			       .nr_reserves = 1,
			       .pattern = SLOTS_ADVERSARIAL,
			       .seed = 1,
			       .end = 50 * task->period };
	struct slots_result result;

	return slots_run(&slots, &result) ? UINT64_MAX : result.misses;
}

void study_tightness(void)
{
	static const uint32_t deltas[] = { 1, 2, 4, 8 };
	const uint64_t slot = 1000000;
	uint32_t i, percent;

	puts("delta,utilization,reserve,spare,misses,misses_99");
	for (i = 0; i < sizeof(deltas) / sizeof(deltas[0]); i++) {
		for (percent = 10; percent < 100; percent += 20) {
			uint64_t size = reserve_for(slot, deltas[i], percent);
			/*
			 * arrives when its window ends, and is due when the next but delta begins
			 */
			uint64_t period = deltas[i] * slot + slot - size;
			struct slots_task task = { period * percent / 100, period, period, 1 };

			printf("%u,.%02u,%lu,%lu,%lu,%lu\n", deltas[i], percent,
			       (unsigned long)size, (unsigned long)(deltas[i] * size - task.wcet),
			       (unsigned long)misses_with(slot, size, &task),
			       (unsigned long)misses_with(slot, size - (size + 99) / 100, &task));
		}
	}
}
