// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* layout.c - making and checking layouts */
#include "assign.h"

struct resch_layout *resch_layout_new(const struct assign *assign)
{
	struct resch_layout *layout = calloc(1, sizeof(*layout));

	if (!layout)
		return NULL;
	layout->slot = assign->slot;
	layout->delta = assign->delta;
	layout->nr_tasks = assign->request->nr_tasks;
	layout->task_group = calloc(layout->nr_tasks, sizeof(*layout->task_group));
	if (!layout->task_group) {
		free(layout);
		return NULL;
	}
	return layout;
}

void resch_layout_free(struct resch_layout *layout)
{
	if (!layout)
		return;
	free(layout->groups);
	free(layout->reserves);
	free(layout->task_group);
	free(layout);
}

/* Room for one more in an array that doubles at each power of two. */
static void *grow(void *array, uint32_t nr, size_t size)
{
	if (nr & (nr - 1))
		return array;
	return realloc(array, (nr ? 2 * (size_t)nr : 1) * size);
}

uint32_t resch_layout_group(struct resch_layout *layout, uint64_t need)
{
	struct resch_layout_group *groups;

	groups = grow(layout->groups, layout->nr_groups, sizeof(*groups));
	if (!groups)
		return 0;
	layout->groups = groups;
	groups[layout->nr_groups] = (struct resch_layout_group){ .need = need };
	return ++layout->nr_groups;
}

int resch_layout_reserve(struct resch_layout *layout, uint32_t cpu, uint32_t group, uint64_t begin,
			 uint64_t end)
{
	struct resch_layout_reserve *reserves;

	if (begin == end)
		return 0;
	reserves = grow(layout->reserves, layout->nr_reserves, sizeof(*reserves));
	if (!reserves)
		return -ENOMEM;
	layout->reserves = reserves;
	reserves[layout->nr_reserves++] = (struct resch_layout_reserve){ cpu, group, begin, end };
	return 0;
}

void resch_layout_put(struct resch_layout *layout, uint32_t task, uint32_t group)
{
	layout->task_group[task] = group;
}

static int by_place(const void *a, const void *b)
{
	const struct resch_layout_reserve *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void resch_layout_sort(struct resch_layout *layout)
{
	uint32_t i;

	qsort(layout->reserves, layout->nr_reserves, sizeof(*layout->reserves), by_place);
	for (i = 0; i < layout->nr_groups; i++) {
		layout->groups[i].nr_tasks = 0;
		layout->groups[i].nr_reserves = 0;
		layout->groups[i].size = 0;
	}
	for (i = 0; i < layout->nr_tasks; i++)
		layout->groups[layout->task_group[i] - 1].nr_tasks++;
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *reserve = &layout->reserves[i];
		struct resch_layout_group *group = &layout->groups[reserve->group - 1];

		group->size += reserve->end - reserve->begin;
		if (!group->nr_reserves++)
			group->cpu = reserve->cpu;
	}
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Everything that is used as an index below is one, and every list has something in it. */
bool resch_layout_in_range(const struct assign *assign, const struct resch_layout *layout)
{
	uint32_t i;

	if (layout->nr_tasks != assign->request->nr_tasks || !layout->slot || !layout->delta ||
	    layout->slot > RESCH_ASSIGN_TIME_MAX || layout->delta > RESCH_ASSIGN_DELTA_MAX)
		return false;
	for (i = 0; i < layout->nr_tasks; i++) {
		if (!layout->task_group[i] || layout->task_group[i] > layout->nr_groups)
			return false;
	}
	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *reserve = &layout->reserves[i];

		if (!reserve->group || reserve->group > layout->nr_groups ||
		    !resch_cpus_has(&assign->request->cpus, reserve->cpu) ||
		    reserve->begin >= reserve->end || reserve->end > layout->slot ||
		    (i && by_place(reserve - 1, reserve) >= 0))
			return false;
	}
	return true;
}

uint32_t resch_layout_find(const struct resch_layout *layout, uint32_t group,
			   const struct resch_layout_reserve **found)
{
	uint32_t i, nr = 0;

	for (i = 0; i < layout->nr_reserves; i++) {
		if (layout->reserves[i].group != group)
			continue;
		if (nr < 2)
			found[nr] = &layout->reserves[i];
		nr++;
	}
	return nr;
}

/* One window, perhaps around the slot boundary: what the supply bound function is made for. */
static bool one_window(const struct resch_layout *layout, const struct resch_layout_reserve **found,
		       uint32_t nr)
{
	if (nr == 1)
		return true;
	if (nr != 2)
		return false;
	if (found[0]->end == layout->slot && !found[1]->begin)
		return found[1]->end <= found[0]->begin;
	if (found[1]->end == layout->slot && !found[0]->begin)
		return found[0]->end <= found[1]->begin;
	return false;
}

static int verify_group(struct assign *assign, const struct resch_layout *layout, uint32_t group)
{
	const struct resch_layout_reserve *found[2] = { NULL, NULL };
	uint32_t nr = resch_layout_find(layout, group, found), nr_tasks = 0, i;
	int32_t cpu, next = ASSIGN_CPU_NONE;
	uint64_t size = 0;

	for (i = 0; i < layout->nr_tasks; i++) {
		if (layout->task_group[i] == group)
			assign->members[nr_tasks++] = i;
	}
	if (!nr_tasks)
		return 0;
	if (!nr)
		return resch_assign_refuse(assign, RESCH_ASSIGN_SHORT, assign->members[0], group, 1,
					   0);
	if (!one_window(layout, found, nr))
		return resch_assign_refuse(assign, RESCH_ASSIGN_OVERLAP, assign->members[0], group,
					   0, 0);
	for (i = 0; i < nr; i++)
		size += found[i]->end - found[i]->begin;
	cpu = (int32_t)found[0]->cpu;
	if (nr == 2)
		next = (int32_t)found[1]->cpu;
	if (resch_assign_enough(assign, assign->members, nr_tasks, cpu, next, size))
		return 0;
	return resch_assign_refuse(assign, RESCH_ASSIGN_SHORT, assign->members[0], group,
				   resch_assign_size(assign, assign->members, nr_tasks, cpu, next),
				   size);
}

int resch_layout_verify(struct assign *assign, const struct resch_layout *layout)
{
	uint32_t i;
	int result;

	if (!resch_layout_in_range(assign, layout))
		return -EINVAL;
	for (i = 1; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *reserve = &layout->reserves[i];

		if (reserve[-1].cpu == reserve->cpu && reserve[-1].end > reserve->begin)
			return resch_assign_refuse(assign, RESCH_ASSIGN_OVERLAP, 0, reserve->group,
						   0, 0);
	}
	for (i = 1; i <= layout->nr_groups; i++) {
		result = verify_group(assign, layout, i);
		if (result)
			return result;
	}
	return 0;
}
