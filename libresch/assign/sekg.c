// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * sekg.c - S-EKG: CPUs are filled one after the other, the task that does not fit is split
 *
 * Andersson and Bletsas, ECRTS 2008. With
 *
 *   alpha = 1/2 - sqrt(delta (delta + 1)) + delta,   SEP = 1 - 4 alpha
 *
 * tasks above SEP get a CPU each. Each other CPU is filled up to a utilization of SEP: of the task
 * that goes beyond, hi stays and lo goes to the next CPU, as reserves of S (hi + alpha) at the end
 * of the slot and S (lo + alpha) at its beginning. A window of the fraction n of a slot is worth at
 * least n - 2 alpha, so the two together carry the task, and what lies between them carries the
 * rest of the CPU.
 *
 * What CPU number k (from 1) is filled to follows from all light tasks so far: their sum is at most
 * k SEP. That is compared exactly, with the irrational root between two fractions.
 */
#include "assign.h"

struct sekg {
	struct assign *assign;
	struct assign_part low, high; /* the root */
	struct assign_sum sum; /* of light tasks so far */
	uint32_t at; /* index of the CPU that is being filled */
	uint32_t first; /* of the light ones */
	uint32_t group; /* of its non-split tasks; 0: none yet */
	uint64_t begin; /* of what is left for them */
	uint32_t *members; /* of that group, where sizes are asked for */
	uint32_t nr;
};

/*
 * Is a sum of utilizations at most k SEP = 4 k root - k (4 delta + 1)? Between the two fractions
 * that the root is between, no is the safe answer.
 */
static bool below_sep(const struct sekg *sekg, const struct assign_sum *sum, uint64_t k)
{
	assign_u128 den = sekg->low.den;

	return resch_assign_sum_compare(
		       sum, k * (4 * sekg->low.num - (4ULL * sekg->assign->delta + 1) * den),
		       sekg->low.den) <= 0;
}

static int add_task(struct sekg *sekg, struct assign_sum *sum, uint32_t task)
{
	const struct resch_assign *request = sekg->assign->request;

	return resch_assign_sum_add(sum, resch_assign_cost(request, &request->tasks[task]),
				    resch_assign_due(request, &request->tasks[task]), false);
}

static bool is_light(struct sekg *sekg, uint32_t task)
{
	struct assign_sum sum;
	bool light;

	resch_assign_sum_init(&sum);
	light = !add_task(sekg, &sum, task) && below_sep(sekg, &sum, 1);
	resch_assign_sum_free(&sum);
	return light;
}

static int add_heavy(struct sekg *sekg, uint32_t task)
{
	struct assign *assign = sekg->assign;
	uint64_t need;
	uint32_t group;

	if (sekg->first == assign->nr_cpus)
		return resch_assign_refuse(assign, RESCH_ASSIGN_HEAVY, task, 0, assign->nr_cpus + 1,
					   assign->nr_cpus);
	need = resch_assign_size(assign, &task, 1, (int32_t)assign->cpus[sekg->first],
				 ASSIGN_CPU_NONE);
	if (need > assign->slot)
		return resch_assign_refuse(assign, RESCH_ASSIGN_ALONE, task, 0, need, assign->slot);
	group = resch_layout_group(assign->layout, need);
	if (!group)
		return -ENOMEM;
	resch_layout_put(assign->layout, task, group);
	return resch_layout_reserve(assign->layout, assign->cpus[sekg->first++], group, 0,
				    assign->slot);
}

/*
 * S (hi + alpha) or S (lo + alpha), rounded up. Of the task, what is up to k SEP is hi, what is
 * beyond it is lo; @before: the sum without it, @after: with it.
 *
 *   hi + alpha = (4 k - 1) root - k (4 delta + 1) + delta + 1/2 - before
 *   lo + alpha = after - (4 k + 1) root + k (4 delta + 1) + delta + 1/2
 */
static uint64_t piece(const struct sekg *sekg, bool high_part)
{
	uint64_t k = sekg->at - sekg->first + 1, slot = sekg->assign->slot, size;
	assign_u128 whole = (assign_u128)k * (4 * sekg->assign->delta + 1) * slot;
	const struct assign_part *root = high_part ? &sekg->high : &sekg->low;
	size_t count = sekg->sum.nr - (high_part ? 1 : 0), i;
	struct assign_sum sum;
	int error;

	resch_assign_sum_init(&sum);
	error = resch_assign_sum_add(&sum, root->num * slot * (high_part ? 4 * k - 1 : 4 * k + 1),
				     root->den, !high_part);
	error = error ? error : resch_assign_sum_add(&sum, whole, 1, high_part);
	error = error ? error :
			resch_assign_sum_add(
				&sum, (2 * (assign_u128)sekg->assign->delta + 1) * slot, 2, false);
	for (i = 0; i < count && !error; i++)
		error = resch_assign_sum_add(&sum, sekg->sum.parts[i].num * slot,
					     sekg->sum.parts[i].den, high_part);
	size = error ? ASSIGN_NEVER : resch_assign_sum_ceil(&sum);
	resch_assign_sum_free(&sum);
	return size;
}

/* The non-split tasks of the CPU get what is between the pieces. */
static int close_cpu(struct sekg *sekg, uint64_t end)
{
	struct assign *assign = sekg->assign;

	if (!sekg->group)
		return 0;
	return resch_layout_reserve(assign->layout, assign->cpus[sekg->at], sekg->group,
				    sekg->begin, end);
}

static void open_cpu(struct sekg *sekg, uint64_t begin)
{
	sekg->at++;
	sekg->group = 0;
	sekg->nr = 0;
	sekg->begin = begin;
}

/* @task is one of the non-split ones here. */
static int put_whole(struct sekg *sekg, uint32_t task)
{
	if (!sekg->group)
		sekg->group = resch_layout_group(sekg->assign->layout, 0);
	if (!sekg->group)
		return -ENOMEM;
	resch_layout_put(sekg->assign->layout, task, sekg->group);
	sekg->members[sekg->nr++] = task;
	return 0;
}

/* @task gets @y at the end of this CPU's slot and @x at the beginning of the next one's. */
static int put_split(struct sekg *sekg, uint32_t task, uint64_t y, uint64_t x)
{
	struct assign *assign = sekg->assign;
	struct resch_layout *layout = assign->layout;
	uint32_t group;
	int error;

	error = close_cpu(sekg, assign->slot - y);
	if (error)
		return error;
	group = resch_layout_group(layout, x + y);
	if (!group)
		return -ENOMEM;
	resch_layout_put(layout, task, group);
	error = resch_layout_reserve(layout, assign->cpus[sekg->at], group, assign->slot - y,
				     assign->slot);
	open_cpu(sekg, x);
	return error ? error : resch_layout_reserve(layout, assign->cpus[sekg->at], group, 0, x);
}

/* ---- the paper's sizes ----------------------------------------------------------------------- */

static int paper_add(struct sekg *sekg, uint32_t task)
{
	struct assign *assign = sekg->assign;
	uint64_t x, y;

	if (sekg->at >= assign->nr_cpus)
		return resch_assign_refuse(
			assign, RESCH_ASSIGN_FULL, task, 0,
			resch_assign_size(assign, &task, 1, ASSIGN_CPU_WORST, ASSIGN_CPU_NONE), 0);
	if (add_task(sekg, &sekg->sum, task))
		return -ENOMEM;
	if (below_sep(sekg, &sekg->sum, sekg->at - sekg->first + 1))
		return put_whole(sekg, task);
	y = piece(sekg, true);
	x = piece(sekg, false);
	if (x == ASSIGN_NEVER || y == ASSIGN_NEVER)
		return -ENOMEM;
	if (sekg->at + 1 == assign->nr_cpus)
		return resch_assign_refuse(assign, RESCH_ASSIGN_FULL, task, 0, x + y, y);
	return put_split(sekg, task, y, x);
}

/* ---- sizes by demand, or with overheads ------------------------------------------------------ */

/* What the non-split tasks here need with @task, or without: ASSIGN_NONE. */
static uint64_t non_split_size(struct sekg *sekg, uint32_t task)
{
	struct assign *assign = sekg->assign;
	uint32_t nr = sekg->nr;

	if (task != ASSIGN_NONE)
		sekg->members[nr++] = task;
	if (!nr)
		return 0;
	return resch_assign_size(assign, sekg->members, nr, (int32_t)assign->cpus[sekg->at],
				 ASSIGN_CPU_NONE);
}

/*
 * All that the non-split tasks leave goes to the split one, and the rest of it to the next CPU. A
 * rest of this CPU that is no more than a reserve loses anyway is left alone.
 */
static int sized_add(struct sekg *sekg, uint32_t task)
{
	struct assign *assign = sekg->assign;
	uint64_t here, whole, both, room, loss = resch_assign_loss(assign->request),
					  slot = assign->slot;
	int32_t next;

	for (;; open_cpu(sekg, 0)) {
		whole = resch_assign_size(assign, &task, 1, ASSIGN_CPU_WORST, ASSIGN_CPU_NONE);
		if (sekg->at >= assign->nr_cpus)
			return resch_assign_refuse(assign, RESCH_ASSIGN_FULL, task, 0, whole, 0);
		here = non_split_size(sekg, task);
		/* the whole slot is one only where nothing is before it */
		if (here <= slot - sekg->begin)
			return put_whole(sekg, task);
		here = non_split_size(sekg, ASSIGN_NONE);
		room = slot - sekg->begin - here;
		if (sekg->at + 1 == assign->nr_cpus)
			return resch_assign_refuse(assign, RESCH_ASSIGN_FULL, task, 0, whole, room);
		next = (int32_t)assign->cpus[sekg->at + 1];
		both = resch_assign_size(assign, &task, 1, (int32_t)assign->cpus[sekg->at], next);
		if (both <= slot && room > loss) {
			/* the second piece is to be of some use, too */
			if (both < room + loss + 1)
				room = both - loss - 1;
			if (room > loss)
				return put_split(sekg, task, room, both - room);
		}
		if (close_cpu(sekg, slot))
			return -ENOMEM;
	}
}

/* ---- both ------------------------------------------------------------------------------------ */

static int add_all(struct sekg *sekg, bool paper)
{
	const struct assign *assign = sekg->assign;
	uint32_t task;
	int error = 0;

	for (task = 0; task < assign->request->nr_tasks && !error; task++) {
		if (!is_light(sekg, task))
			error = add_heavy(sekg, task);
	}
	sekg->at = sekg->first;
	for (task = 0; task < assign->request->nr_tasks && !error; task++) {
		if (assign->layout->task_group[task])
			continue;
		error = paper ? paper_add(sekg, task) : sized_add(sekg, task);
	}
	if (!error && sekg->at < assign->nr_cpus)
		error = close_cpu(sekg, assign->slot);
	return error;
}

/* What non-split tasks need was not asked while they were put together. */
static void fill_needs(struct assign *assign)
{
	struct resch_layout *layout = assign->layout;
	uint32_t group, task, nr;

	for (group = 1; group <= layout->nr_groups; group++) {
		struct resch_layout_group *it = &layout->groups[group - 1];

		if (it->need)
			continue;
		for (task = 0, nr = 0; task < layout->nr_tasks; task++) {
			if (layout->task_group[task] == group)
				assign->members[nr++] = task;
		}
		it->need = resch_assign_size(assign, assign->members, nr, (int32_t)it->cpu,
					     ASSIGN_CPU_NONE);
	}
}

static int run(struct assign *assign, bool paper)
{
	struct sekg sekg = { .assign = assign };
	int error;

	resch_layout_free(assign->layout);
	assign->layout = resch_layout_new(assign);
	sekg.members = calloc(assign->request->nr_tasks, sizeof(*sekg.members));
	resch_assign_root(assign->delta, &sekg.low, &sekg.high);
	resch_assign_sum_init(&sekg.sum);
	error = assign->layout && sekg.members ? add_all(&sekg, paper) : -ENOMEM;
	resch_assign_sum_free(&sekg.sum);
	free(sekg.members);
	if (error)
		return error;
	resch_layout_sort(assign->layout);
	fill_needs(assign);
	return resch_layout_verify(assign, assign->layout);
}

int resch_assign_sekg(struct assign *assign)
{
	int error;

	if (assign->request->sizing == RESCH_ASSIGN_EXACT ||
	    !resch_assign_overheads_none(&assign->request->overheads))
		return run(assign, false);
	error = run(assign, true);
	/*
	 * Pieces are rounded up, at the cost of what is between them: that may fall short by 2 ns
	 * where a CPU is filled to the very bound.
	 */
	if (error == -EBUSY && assign->refusal->reason == RESCH_ASSIGN_SHORT)
		error = run(assign, false);
	return error;
}
