// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * assign.c - from a task set and CPUs to a layout of time slots: ranges, and the search for delta
 */
#include "assign.h"

#define DELTA_MAX_DEFAULT 64
#define SLOT_MIN_DEFAULT 100000
/* Rounds in which groups learn who else releases jobs on their CPUs; after that, everybody does. */
#define NEAR_ROUNDS 8

int resch_assign_refuse(struct assign *assign, uint32_t reason, uint32_t task, uint32_t group,
			uint64_t needed, uint64_t available)
{
	*assign->refusal = (struct resch_assign_refusal){
		.reason = reason,
		.task = task,
		.group = group,
		.delta = assign->delta,
		.slot = assign->slot,
		.needed = needed,
		.available = available,
	};
	return -EBUSY;
}

uint32_t resch_assign_cpus(const struct resch_assign *request, uint32_t *cpus)
{
	uint32_t cpu, nr = 0;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (resch_cpus_has(&request->cpus, cpu))
			cpus[nr++] = cpu;
	}
	return nr;
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool overheads_valid(const struct resch_assign_overheads *overheads)
{
	uint64_t most = RESCH_ASSIGN_TIME_MAX;
	uint32_t i;

	if (overheads->reserve_jitter > most || overheads->release_jitter > most ||
	    overheads->switch_cost > most || overheads->release_cost > most ||
	    overheads->cache > most || overheads->nr_irqs > RESCH_ASSIGN_IRQS_MAX)
		return false;
	for (i = 0; i < overheads->nr_irqs; i++) {
		const struct resch_assign_irq *irq = &overheads->irqs[i];

		if (!irq->period || irq->period > most || irq->cost >= irq->period ||
		    irq->cpu < -1 || irq->cpu >= RESCH_CPUS_MAX)
			return false;
	}
	return true;
}

static bool task_valid(const struct resch_assign_task *task)
{
	if (!task->period || task->period > RESCH_ASSIGN_TIME_MAX ||
	    task->deadline > RESCH_ASSIGN_TIME_MAX)
		return false;
	return task->wcet && task->wcet <= task->period &&
	       (!task->deadline || task->wcet <= task->deadline);
}

/* Numbers that may be used as indexes, and reserves in order. */
static bool standing_valid(const struct resch_layout *layout)
{
	uint32_t i;

	if (!layout->slot || layout->slot > RESCH_ASSIGN_TIME_MAX)
		return false;
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *it = &layout->reserves[i];

		if (!it->group || it->group > RESCH_GROUPS_MAX || it->cpu >= RESCH_CPUS_MAX ||
		    it->begin >= it->end || it->end > layout->slot ||
		    (i &&
		     (it[-1].cpu > it->cpu || (it[-1].cpu == it->cpu && it[-1].end > it->begin))))
			return false;
	}
	return true;
}

static bool keep_valid(const struct resch_assign *request)
{
	uint32_t i;

	for (i = 0; request->keep && i < request->nr_tasks; i++) {
		if (request->keep[i] > RESCH_GROUPS_MAX)
			return false;
	}
	return !request->standing || standing_valid(request->standing);
}

int resch_assign_valid(const struct resch_assign *request, struct resch_assign_refusal *refusal)
{
	uint32_t i;

	*refusal = (struct resch_assign_refusal){ .reason = RESCH_ASSIGN_FITS };
	if (request->method > RESCH_ASSIGN_CNPSF || request->sizing > RESCH_ASSIGN_EXACT ||
	    request->delta > RESCH_ASSIGN_DELTA_MAX ||
	    request->delta_max > RESCH_ASSIGN_DELTA_MAX || !request->nr_tasks ||
	    request->nr_tasks > RESCH_ASSIGN_TASKS_MAX ||
	    (request->method == RESCH_ASSIGN_CNPSF &&
	     (!request->cluster || request->cluster > RESCH_CPUS_MAX)) ||
	    request->slot_min > RESCH_ASSIGN_TIME_MAX || !resch_cpus_count(&request->cpus) ||
	    !overheads_valid(&request->overheads) || !keep_valid(request))
		return -EINVAL;
	for (i = 0; i < request->nr_tasks; i++) {
		if (task_valid(&request->tasks[i]))
			continue;
		refusal->reason = RESCH_ASSIGN_TASK;
		refusal->task = i;
		return -EINVAL;
	}
	return 0;
}

/* ---- one delta ------------------------------------------------------------------------------- */

/* Jobs whose jitter or charges leave no time for them at all. */
static int check_alone(struct assign *assign)
{
	const struct resch_assign *request = assign->request;
	uint32_t i;

	for (i = 0; i < request->nr_tasks; i++) {
		const struct resch_assign_task *task = &request->tasks[i];
		uint64_t due = resch_assign_due(request, task);

		if (due < resch_assign_cost(request, task))
			return resch_assign_refuse(assign, RESCH_ASSIGN_ALONE, i, 0,
						   resch_assign_cost(request, task), due);
		if (due < assign->tmin)
			assign->tmin = due;
	}
	return 0;
}

/* How many CPUs share their tasks. */
static uint32_t cluster_of(const struct assign *assign)
{
	const struct resch_assign *request = assign->request;

	if (request->method == RESCH_ASSIGN_CNPSF && request->cluster < assign->nr_cpus)
		return request->cluster;
	return assign->nr_cpus;
}

static int method(struct assign *assign)
{
	if (assign->request->keep)
		return resch_assign_keep(assign, cluster_of(assign));
	if (assign->request->method == RESCH_ASSIGN_SEKG)
		return resch_assign_sekg(assign);
	return resch_assign_npsf(assign, cluster_of(assign));
}

/* ---- the order of CPUs ----------------------------------------------------------------------- */

static bool is_quiet(const struct resch_assign *request, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < request->overheads.nr_irqs; i++) {
		if (request->overheads.irqs[i].cpu == (int32_t)cpu)
			return false;
	}
	return true;
}

/*
 * Within each cluster those with interrupts of their own come last: tasks and bins that nearly fill
 * a CPU are given theirs first.
 */
static void order_cpus(const struct assign *assign, uint32_t *cpus)
{
	uint32_t cluster = cluster_of(assign), from, i, j, cpu;

	for (from = 0; from < assign->nr_cpus; from += cluster) {
		for (i = from; i < from + cluster && i < assign->nr_cpus; i++) {
			cpu = cpus[i];
			for (j = i; j > from && is_quiet(assign->request, cpu) &&
				    !is_quiet(assign->request, cpus[j - 1]);
			     j--)
				cpus[j] = cpus[j - 1];
			cpus[j] = cpu;
		}
	}
}

/*
 * What releases take from others depends on who is on the same CPU, and that on the sizes: repeated
 * until nobody new comes together. Who was near once stays so: that ends, and is safe.
 */
static int with_near(struct assign *assign)
{
	size_t nr = assign->request->nr_tasks;
	int round, error;

	error = resch_assign_near_init(assign);
	if (error || !assign->near)
		return error ? error : method(assign);
	for (round = 0;; round++) {
		error = method(assign);
		if (error || !resch_assign_near_learn(assign, assign->layout))
			break;
		if (round == NEAR_ROUNDS)
			memset(assign->near, 1, nr * nr);
	}
	free(assign->near);
	assign->near = NULL;
	return error;
}

static int try_delta(struct assign *assign, uint32_t delta)
{
	uint64_t slot_min = assign->request->slot_min;

	assign->delta = delta;
	assign->slot = assign->tmin / delta;
	slot_min = slot_min ? slot_min : SLOT_MIN_DEFAULT;
	if (assign->slot < slot_min)
		return resch_assign_refuse(assign, RESCH_ASSIGN_SLOT, 0, 0, slot_min, assign->slot);
	return with_near(assign);
}

/* The slot that there is. Tasks that are due sooner need sizes by demand. */
static int try_standing(struct assign *assign, uint64_t slot)
{
	uint64_t delta = assign->tmin / slot;

	assign->delta = (uint32_t)(delta < RESCH_ASSIGN_DELTA_MAX ? delta : RESCH_ASSIGN_DELTA_MAX);
	assign->delta = assign->delta ? assign->delta : 1;
	assign->slot = slot;
	return with_near(assign);
}

static int search(struct assign *assign)
{
	const struct resch_assign *request = assign->request;
	struct resch_assign_refusal last = {};
	uint32_t delta, most = request->delta_max ? request->delta_max : DELTA_MAX_DEFAULT;
	int error;

	if (request->delta)
		return try_delta(assign, request->delta);
	if (request->keep && request->standing)
		return try_standing(assign, request->standing->slot);
	for (delta = 1; delta <= most; delta++) {
		error = try_delta(assign, delta);
		if (error != -EBUSY)
			return error;
		/* slots only get shorter, and what did not fit into the longer ones says more */
		if (assign->refusal->reason == RESCH_ASSIGN_SLOT && delta > 1) {
			*assign->refusal = last;
			break;
		}
		last = *assign->refusal;
	}
	return -EBUSY;
}

int resch_assign(const struct resch_assign *request, struct resch_layout **layout,
		 struct resch_assign_refusal *refusal)
{
	struct resch_assign_refusal ignored = {};
	uint32_t cpus[RESCH_CPUS_MAX];
	struct assign assign = {
		.request = request,
		.refusal = refusal ? refusal : &ignored,
		.cpus = cpus,
		.tmin = RESCH_ASSIGN_TIME_MAX,
	};
	int error;

	*layout = NULL;
	error = resch_assign_valid(request, assign.refusal);
	if (error)
		return error;
	assign.nr_cpus = resch_assign_cpus(request, cpus);
	order_cpus(&assign, cpus);
	error = resch_assign_size_init(&assign);
	if (error)
		return error;
	error = check_alone(&assign);
	if (!error)
		error = search(&assign);
	resch_assign_size_free(&assign);
	if (error) {
		resch_layout_free(assign.layout);
		return error;
	}
	*assign.refusal = (struct resch_assign_refusal){ .reason = RESCH_ASSIGN_FITS };
	*layout = assign.layout;
	return 0;
}
