// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* join.c - questions about layouts that stand: are they right, who has room */
#include "assign.h"

int resch_assign_begin(struct assign *assign, const struct resch_assign *request,
		       const struct resch_layout *layout, uint32_t *cpus)
{
	int error = resch_assign_valid(request, assign->refusal);

	if (error)
		return error;
	assign->request = request;
	assign->cpus = cpus;
	assign->nr_cpus = resch_assign_cpus(request, cpus);
	assign->slot = layout->slot;
	assign->delta = layout->delta;
	if (!resch_layout_in_range(assign, layout))
		return -EINVAL;
	error = resch_assign_size_init(assign);
	if (error)
		return error;
	error = resch_assign_near_init(assign);
	if (error)
		resch_assign_size_free(assign);
	return error;
}

void resch_assign_end(struct assign *assign)
{
	resch_assign_size_free(assign);
	free(assign->near);
	assign->near = NULL;
}

int resch_layout_check(const struct resch_assign *request, const struct resch_layout *layout,
		       struct resch_assign_refusal *refusal)
{
	struct resch_assign_refusal ignored = {};
	struct assign assign = { .refusal = refusal ? refusal : &ignored };
	struct resch_assign exact = *request;
	uint32_t cpus[RESCH_CPUS_MAX];
	int error;

	/* where that finds nothing, the papers' size is asked for, too */
	exact.sizing = RESCH_ASSIGN_EXACT;
	error = resch_assign_begin(&assign, &exact, layout, cpus);
	if (error)
		return error;
	resch_assign_near_learn(&assign, layout);
	error = resch_layout_verify(&assign, layout);
	resch_assign_end(&assign);
	return error;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* struct join - the layout with one task more, and the best place for that so far */
struct join {
	struct assign assign;
	struct resch_layout *layout; /* its last task is the new one */
	struct resch_layout_reserve place;
	struct resch_assign_refusal nearest;
	uint64_t left; /* at the best place */
	uint64_t missing; /* where it came nearest */
	bool found;
};

/* A copy with room for one task, one group and one reserve more; the task is in no group. */
static struct resch_layout *copy_layout(const struct resch_layout *from)
{
	struct resch_layout *to = calloc(1, sizeof(*to));

	if (!to)
		return NULL;
	*to = *from;
	to->nr_tasks++;
	to->groups = calloc(from->nr_groups + 1, sizeof(*to->groups));
	to->reserves = calloc(from->nr_reserves + 1, sizeof(*to->reserves));
	to->task_group = calloc(to->nr_tasks, sizeof(*to->task_group));
	if (!to->groups || !to->reserves || !to->task_group) {
		resch_layout_free(to);
		return NULL;
	}
	memcpy(to->groups, from->groups, from->nr_groups * sizeof(*to->groups));
	memcpy(to->reserves, from->reserves, from->nr_reserves * sizeof(*to->reserves));
	memcpy(to->task_group, from->task_group, from->nr_tasks * sizeof(*to->task_group));
	return to;
}

/* The others are not disturbed by the new one's releases? */
static bool others_bear_it(struct join *join, const struct resch_layout_reserve *place)
{
	struct assign *assign = &join->assign;
	struct resch_layout with = *join->layout;
	struct resch_layout *changed;
	size_t nr = assign->request->nr_tasks;
	bool good;

	if (!assign->near)
		return true;
	with.nr_tasks--;
	changed = copy_layout(&with);
	if (!changed)
		return false;
	changed->task_group[nr - 1] = place->group;
	if (place->group > changed->nr_groups) {
		changed->nr_groups++;
		changed->reserves[changed->nr_reserves++] = *place;
		resch_layout_sort(changed);
	}
	memset(assign->near, 0, nr * nr);
	resch_assign_near_learn(assign, changed);
	good = !resch_layout_verify(assign, changed);
	resch_layout_free(changed);
	return good;
}

static void consider(struct join *join, const struct resch_layout_reserve *place, uint64_t need,
		     uint64_t available)
{
	uint64_t missing = need > available ? need - available : 1;

	if (need <= available) {
		if (join->found && available - need >= join->left)
			return;
		if (others_bear_it(join, place)) {
			join->found = true;
			join->left = available - need;
			join->place = *place;
			return;
		}
	}
	if (join->found || missing >= join->missing)
		return;
	join->missing = missing;
	resch_assign_refuse(&join->assign, RESCH_ASSIGN_FULL, join->layout->nr_tasks - 1,
			    place->group, need, available);
	join->nearest = *join->assign.refusal;
}

static void consider_group(struct join *join, uint32_t group)
{
	const struct resch_layout_reserve *found[2] = { NULL, NULL };
	struct resch_layout *layout = join->layout;
	uint32_t nr = resch_layout_find(layout, group, found), nr_tasks = 0, i;
	struct assign *assign = &join->assign;
	uint64_t need, size = 0;

	if (!nr || nr > 2 || (nr == 2 && assign->request->method == RESCH_ASSIGN_SEKG))
		return;
	for (i = 0; i < nr; i++)
		size += found[i]->end - found[i]->begin;
	for (i = 0; i + 1 < layout->nr_tasks; i++) {
		if (layout->task_group[i] == group)
			assign->members[nr_tasks++] = i;
	}
	assign->members[nr_tasks++] = layout->nr_tasks - 1;
	need = resch_assign_size(assign, assign->members, nr_tasks, (int32_t)found[0]->cpu,
				 nr == 2 ? (int32_t)found[1]->cpu : ASSIGN_CPU_NONE);
	consider(join, found[0], need, size);
}

/* S-EKG's groups have all of their CPUs: there only empty ones are of use. */
static void consider_gap(struct join *join, uint32_t cpu, uint64_t from, uint64_t to)
{
	struct assign *assign = &join->assign;
	struct resch_layout_reserve place = { cpu, join->layout->nr_groups + 1, from, to };
	uint32_t task = join->layout->nr_tasks - 1;
	uint64_t need;

	if (from == to ||
	    (assign->request->method == RESCH_ASSIGN_SEKG && to - from < assign->slot))
		return;
	need = resch_assign_size(assign, &task, 1, (int32_t)cpu, ASSIGN_CPU_NONE);
	if (need <= to - from && assign->request->method != RESCH_ASSIGN_SEKG)
		place.end = from + need;
	consider(join, &place, need, to - from);
}

static void consider_all(struct join *join)
{
	const struct resch_layout *layout = join->layout;
	const struct assign *assign = &join->assign;
	uint32_t i, at = 0;
	uint64_t from;

	for (i = 1; i <= layout->nr_groups; i++)
		consider_group(join, i);
	for (i = 0; i < assign->nr_cpus && !join->found; i++) {
		from = 0;
		for (; at < layout->nr_reserves && layout->reserves[at].cpu == assign->cpus[i];
		     at++) {
			consider_gap(join, assign->cpus[i], from, layout->reserves[at].begin);
			from = layout->reserves[at].end;
		}
		consider_gap(join, assign->cpus[i], from, layout->slot);
	}
}

/* @tasks: those of the request, and the new one. */
static int join_with(const struct resch_assign *request, const struct resch_layout *layout,
		     struct join *join)
{
	uint32_t cpus[RESCH_CPUS_MAX];
	int error;

	join->layout = copy_layout(layout);
	if (!join->layout)
		return -ENOMEM;
	/* any group does, while ranges are checked */
	join->layout->task_group[layout->nr_tasks] = 1;
	error = resch_assign_begin(&join->assign, request, join->layout, cpus);
	if (!error) {
		consider_all(join);
		resch_assign_end(&join->assign);
	}
	resch_layout_free(join->layout);
	if (error)
		return error;
	return join->found ? 0 : -EBUSY;
}

int resch_layout_join(const struct resch_assign *request, const struct resch_layout *layout,
		      const struct resch_assign_task *task, struct resch_layout_reserve *place,
		      struct resch_assign_refusal *refusal)
{
	struct resch_assign_refusal ignored = {};
	struct join join = {
		.assign.refusal = &ignored,
		.missing = ASSIGN_NEVER,
		/* where there is no group that could be asked */
		.nearest = { .reason = RESCH_ASSIGN_FULL,
			     .task = request->nr_tasks,
			     .delta = layout->delta,
			     .slot = layout->slot,
			     .needed = ASSIGN_NEVER },
	};
	struct resch_assign with = *request;
	struct resch_assign_task *tasks;
	int error;

	if (layout->nr_tasks != request->nr_tasks || !layout->nr_groups)
		return -EINVAL;
	tasks = calloc(request->nr_tasks + 1, sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	memcpy(tasks, request->tasks, request->nr_tasks * sizeof(*tasks));
	tasks[request->nr_tasks] = *task;
	with.tasks = tasks;
	with.nr_tasks++;
	error = join_with(&with, layout, &join);
	free(tasks);
	if (!error)
		*place = join.place;
	if (refusal)
		*refusal = error == -EBUSY ? join.nearest : ignored;
	return error;
}
