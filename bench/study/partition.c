// SPDX-License-Identifier: GPL-2.0
/* partition.c - partitioned EDF and rate-monotonic, and a bound for global EDF */
#include "study.h"

/* Any length does: the window is the whole slot. */
#define SLOT 1000000

static uint64_t cost(const struct study_set *set, uint32_t task)
{
	return set->tasks[task].wcet + 2 * set->overheads.switch_cost + set->overheads.cache;
}

static uint64_t due(const struct study_set *set, uint32_t task)
{
	const struct resch_assign_task *it = &set->tasks[task];
	uint64_t deadline = it->deadline ? it->deadline : it->period;

	return deadline > set->overheads.release_jitter ? deadline - set->overheads.release_jitter :
							  0;
}

/* struct cpu - the tasks on a CPU */
struct cpu {
	uint32_t tasks[STUDY_TASKS_MAX];
	uint32_t nr;
};

typedef bool (*test)(const struct study_set *set, const struct cpu *cpu, uint32_t index);

static bool edf_test(const struct study_set *set, const struct cpu *cpu, uint32_t index)
{
	struct assign_job jobs[STUDY_TASKS_MAX], thieves[RESCH_ASSIGN_IRQS_MAX];
	struct assign_demand demand = { .jobs = jobs, .thieves = thieves };
	uint32_t i;

	for (i = 0; i < cpu->nr; i++) {
		if (due(set, cpu->tasks[i]) < cost(set, cpu->tasks[i]))
			return false;
		jobs[demand.nr_jobs++] = (struct assign_job){ cost(set, cpu->tasks[i]),
							      set->tasks[cpu->tasks[i]].period,
							      due(set, cpu->tasks[i]) };
	}
	for (i = 0; i < set->overheads.nr_irqs; i++) {
		const struct resch_assign_irq *irq = &set->overheads.irqs[i];

		if (irq->cpu == -1 || irq->cpu == (int32_t)index)
			thieves[demand.nr_thieves++] =
				(struct assign_job){ irq->cost, irq->period, 0 };
	}
	return resch_assign_carries(&demand, SLOT, SLOT);
}

/* What is above @task, and @task, ask for in a busy period of @window, ns. */
static uint64_t rm_demand(const struct study_set *set, const struct cpu *cpu, uint32_t index,
			  uint32_t task, uint64_t window)
{
	uint64_t sum = cost(set, task), jitter = set->overheads.release_jitter;
	uint32_t i;

	for (i = 0; i < cpu->nr; i++) {
		uint32_t other = cpu->tasks[i];
		uint64_t period = set->tasks[other].period;

		/* of equal periods the task that comes first in the set goes first */
		if (other == task || period > set->tasks[task].period ||
		    (other > task && period == set->tasks[task].period))
			continue;
		sum += (window + jitter + period - 1) / period * cost(set, other);
	}
	for (i = 0; i < set->overheads.nr_irqs; i++) {
		const struct resch_assign_irq *irq = &set->overheads.irqs[i];

		if (irq->cpu == -1 || irq->cpu == (int32_t)index)
			sum += (window + irq->period - 1) / irq->period * irq->cost;
	}
	return sum;
}

static bool rm_test(const struct study_set *set, const struct cpu *cpu, uint32_t index)
{
	uint32_t i;

	for (i = 0; i < cpu->nr; i++) {
		uint64_t window = 0, next = cost(set, cpu->tasks[i]);

		while (next != window) {
			window = next;
			if (window > due(set, cpu->tasks[i]))
				return false;
			next = rm_demand(set, cpu, index, cpu->tasks[i], window);
		}
	}
	return true;
}

static bool first_fit(const struct study_set *set, const uint32_t *order, test fits)
{
	static struct cpu cpus[RESCH_CPUS_MAX];
	uint32_t i, j;

	for (j = 0; j < set->nr_cpus; j++)
		cpus[j].nr = 0;
	for (i = 0; i < set->nr_tasks; i++) {
		for (j = 0; j < set->nr_cpus; j++) {
			cpus[j].tasks[cpus[j].nr++] = order[i];
			if (fits(set, &cpus[j], j))
				break;
			cpus[j].nr--;
		}
		if (j == set->nr_cpus)
			return false;
	}
	return true;
}

/* Is the utilization of task a above that of b? */
static bool above(const struct study_set *set, uint32_t a, uint32_t b)
{
	return (assign_u128)set->tasks[a].wcet * set->tasks[b].period >
	       (assign_u128)set->tasks[b].wcet * set->tasks[a].period;
}

bool study_edf(const struct study_set *set, bool decreasing)
{
	uint32_t order[STUDY_TASKS_MAX], i, j;

	for (i = 0; i < set->nr_tasks; i++) {
		for (j = i; decreasing && j && above(set, i, order[j - 1]); j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
	return first_fit(set, order, edf_test);
}

bool study_rm(const struct study_set *set)
{
	uint32_t order[STUDY_TASKS_MAX], i;

	for (i = 0; i < set->nr_tasks; i++)
		order[i] = i;
	return first_fit(set, order, rm_test);
}

bool study_gfb(const struct study_set *set)
{
	const uint64_t one = 1ULL << 40;
	uint64_t sum = 0, most = 0, speed = one, burst = 0, share;
	uint32_t i;

	/* each job loses one of each interrupt, and a share of the time for all that follow */
	for (i = 0; i < set->overheads.nr_irqs; i++) {
		const struct resch_assign_irq *irq = &set->overheads.irqs[i];

		speed -= (uint64_t)(((assign_u128)irq->cost << 40) / irq->period) + 1;
		burst += irq->cost;
	}
	for (i = 0; i < set->nr_tasks; i++) {
		uint64_t deadline = due(set, i);

		if (deadline < cost(set, i))
			return false;
		if (deadline > set->tasks[i].period)
			deadline = set->tasks[i].period;
		share = (uint64_t)(((assign_u128)(cost(set, i) + burst) << 40) / deadline) + 1;
		if (!burst && set->overheads.release_jitter == 0)
			share--;
		sum += share;
		most = share > most ? share : most;
	}
	return most <= speed &&
	       sum + (assign_u128)(set->nr_cpus - 1) * most <= (assign_u128)set->nr_cpus * speed;
}
