// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * size.c - what a group needs on its CPUs, with overheads
 *
 * The papers' size (notional processors, RTSS 2009): where all deadlines are delta slots away or
 * more, a window that is the fraction n of each slot supplies at least delta n / (delta + 1 - n) of
 * any interval that long. Solved for n, a utilization U needs
 *
 *   inflate(U) = (delta + 1) U / (U + delta)
 *
 * Overheads make it U' = sum of (C + charges) / (min(D, T) - jitter), and for what steals c each T,
 * with jitter J: ceil((t + J) / T) c is at most t (c / T + c (1 + J / T) / D_min) from the shortest
 * deadline on.
 */
#include "assign.h"

bool resch_assign_overheads_none(const struct resch_assign_overheads *overheads)
{
	return !overheads->reserve_jitter && !overheads->release_jitter &&
	       !overheads->switch_cost && !overheads->release_cost && !overheads->cache &&
	       !overheads->nr_irqs;
}

static uint64_t deadline(const struct resch_assign_task *task)
{
	return task->deadline ? task->deadline : task->period;
}

uint64_t resch_assign_due(const struct resch_assign *request, const struct resch_assign_task *task)
{
	uint64_t due = deadline(task) < task->period ? deadline(task) : task->period;

	return due > request->overheads.release_jitter ? due - request->overheads.release_jitter :
							 0;
}

uint64_t resch_assign_cost(const struct resch_assign *request, const struct resch_assign_task *task)
{
	return task->wcet + 2 * request->overheads.switch_cost + request->overheads.cache;
}

uint64_t resch_assign_loss(const struct resch_assign *request)
{
	return request->overheads.reserve_jitter + request->overheads.cache;
}

int resch_assign_size_init(struct assign *assign)
{
	uint32_t nr = assign->request->nr_tasks;
	struct assign_demand *demand = &assign->demand;

	resch_assign_sum_init(&assign->sum);
	demand->jobs = calloc(nr, sizeof(*demand->jobs));
	demand->thieves = calloc(nr + 2 * RESCH_ASSIGN_IRQS_MAX, sizeof(*demand->thieves));
	assign->members = calloc(nr, sizeof(*assign->members));
	if (demand->jobs && demand->thieves && assign->members)
		return 0;
	resch_assign_size_free(assign);
	return -ENOMEM;
}

void resch_assign_size_free(struct assign *assign)
{
	resch_assign_sum_free(&assign->sum);
	free(assign->demand.jobs);
	free(assign->demand.thieves);
	free(assign->members);
	assign->demand = (struct assign_demand){};
	assign->members = NULL;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static void add_thief(struct assign_demand *demand, uint64_t cost, uint64_t period, uint64_t jitter)
{
	if (cost)
		demand->thieves[demand->nr_thieves++] = (struct assign_job){ cost, period, jitter };
}

static void add_irqs(struct assign *assign, int32_t cpu)
{
	const struct resch_assign_overheads *overheads = &assign->request->overheads;
	uint32_t i;

	for (i = 0; i < overheads->nr_irqs; i++) {
		const struct resch_assign_irq *irq = &overheads->irqs[i];

		if (irq->cpu == cpu || irq->cpu == -1)
			add_thief(&assign->demand, irq->cost, irq->period, 0);
	}
}

/* Releases of tasks that are not of this group, but on its CPUs. */
static void add_releases(struct assign *assign, const uint32_t *tasks, uint32_t nr)
{
	const struct resch_assign *request = assign->request;
	uint32_t other, i;

	for (other = 0; other < request->nr_tasks; other++) {
		bool near = false;

		for (i = 0; i < nr && tasks[i] != other; i++)
			near = near || assign->near[(size_t)tasks[i] * request->nr_tasks + other];
		if (i == nr && near)
			add_thief(&assign->demand, request->overheads.release_cost,
				  request->tasks[other].period, request->overheads.release_jitter);
	}
}

bool resch_assign_demand(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			 int32_t next)
{
	const struct resch_assign *request = assign->request;
	uint64_t jitter = request->overheads.release_jitter;
	struct assign_demand *demand = &assign->demand;
	uint32_t i;

	demand->nr_jobs = 0;
	demand->nr_thieves = 0;
	for (i = 0; i < nr; i++) {
		const struct resch_assign_task *task = &request->tasks[tasks[i]];

		if (!resch_assign_due(request, task))
			return false;
		demand->jobs[demand->nr_jobs++] = (struct assign_job){
			.cost = resch_assign_cost(request, task),
			.period = task->period,
			.due = deadline(task) - jitter,
		};
	}
	add_irqs(assign, cpu);
	if (next != ASSIGN_CPU_NONE)
		add_irqs(assign, next);
	if (assign->near)
		add_releases(assign, tasks, nr);
	return true;
}

/* ---- the papers' size ------------------------------------------------------------------------ */

/* U' as a sum; the shortest deadline */
static int build_density(struct assign *assign, uint64_t *shortest)
{
	const struct assign_demand *demand = &assign->demand;
	struct assign_sum *sum = &assign->sum;
	int error = 0;
	size_t i;

	sum->nr = 0;
	memset(sum->side, 0, sizeof(sum->side));
	*shortest = UINT64_MAX;
	for (i = 0; i < demand->nr_jobs; i++) {
		const struct assign_job *job = &demand->jobs[i];
		uint64_t due = job->due, most;

		most = job->period - assign->request->overheads.release_jitter;
		if (due > most)
			due = most;
		if (due < *shortest)
			*shortest = due;
		error = error ? error : resch_assign_sum_add(sum, job->cost, due, false);
	}
	for (i = 0; i < demand->nr_thieves; i++) {
		const struct assign_job *thief = &demand->thieves[i];
		assign_u128 jitter = (assign_u128)thief->cost * thief->due + thief->period - 1;

		jitter = thief->cost + jitter / thief->period;
		error = error ? error :
				resch_assign_sum_add(sum, thief->cost, thief->period, false);
		error = error ? error : resch_assign_sum_add(sum, jitter, *shortest, false);
	}
	return error;
}

/* Least r with U <= delta r / (S (delta + 1) - r), which is r >= S inflate(U). */
static uint64_t inflated(struct assign *assign)
{
	uint64_t slot = assign->slot, low = 0, high = slot, middle, shortest, delta;

	if (build_density(assign, &shortest) || resch_assign_sum_compare(&assign->sum, 1, 1) > 0)
		return ASSIGN_NEVER;
	/* a task that joined later may have a shorter deadline than the slot was made for */
	delta = shortest / slot < assign->delta ? shortest / slot : assign->delta;
	if (!delta)
		return ASSIGN_NEVER;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (resch_assign_sum_compare(&assign->sum, (assign_u128)middle * delta,
					     slot * (delta + 1) - middle) <= 0)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static uint64_t size_on(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			int32_t next)
{
	uint64_t loss = resch_assign_loss(assign->request), size, exact;

	if (!resch_assign_demand(assign, tasks, nr, cpu, next))
		return ASSIGN_NEVER;
	size = inflated(assign);
	if (assign->request->sizing == RESCH_ASSIGN_EXACT) {
		exact = resch_assign_exact(&assign->demand, assign->slot,
					   size < assign->slot ? size : assign->slot);
		size = exact < size ? exact : size;
	}
	if (size > assign->slot)
		return ASSIGN_NEVER;
	if (next != ASSIGN_CPU_NONE)
		return size + 2 * loss <= assign->slot ? size + 2 * loss : ASSIGN_NEVER;
	/* who has all of a CPU loses nothing to hand-overs */
	return size + loss <= assign->slot ? size + loss : assign->slot;
}

uint64_t resch_assign_size(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			   int32_t next)
{
	const struct resch_assign_overheads *overheads = &assign->request->overheads;
	uint64_t worst, size;
	uint32_t i;

	worst = size_on(assign, tasks, nr, cpu, next);
	if (cpu != ASSIGN_CPU_WORST)
		return worst;
	for (i = 0; i < overheads->nr_irqs && worst != ASSIGN_NEVER; i++) {
		if (overheads->irqs[i].cpu < 0)
			continue;
		size = size_on(assign, tasks, nr, overheads->irqs[i].cpu, next);
		worst = size > worst ? size : worst;
	}
	return worst;
}

bool resch_assign_enough(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			 int32_t next, uint64_t size)
{
	uint64_t loss = resch_assign_loss(assign->request);

	loss *= next == ASSIGN_CPU_NONE ? 1 : 2;
	/* who has all of a CPU loses nothing to hand-overs */
	if (next == ASSIGN_CPU_NONE && size == assign->slot)
		loss = 0;
	if (size <= loss || size > assign->slot ||
	    !resch_assign_demand(assign, tasks, nr, cpu, next))
		return false;
	return inflated(assign) <= size - loss ||
	       resch_assign_carries(&assign->demand, assign->slot, size - loss);
}
