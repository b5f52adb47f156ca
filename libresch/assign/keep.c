// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * keep.c - which group each task goes into where some have one already
 *
 * As NPS-F packs bins, but bins have numbers, and some have tasks in them that stay. Where each
 * group stands now is looked up in the standing layout; ring.c finds the new places.
 */
#include "assign.h"

struct keep {
	struct assign *assign;
	struct assign_item *items; /* by the number of the group */
	uint32_t nr; /* numbers that are in use: below this */
	uint32_t room;
	uint32_t cluster; /* CPUs in each */
	uint32_t nr_clusters;
	uint32_t *cpus; /* those of each cluster in the order of the ring */
	bool shrink;
};

static const struct resch_layout *standing(const struct keep *keep)
{
	const struct resch_layout *layout = keep->assign->request->standing;

	return layout && layout->slot == keep->assign->slot ? layout : NULL;
}

/* ---- tasks into groups ----------------------------------------------------------------------- */

static int append(struct assign_item *item, uint32_t task)
{
	uint32_t room = item->room ? 2 * item->room : 4;
	uint32_t *tasks;

	if (item->nr == item->room) {
		tasks = realloc(item->tasks, room * sizeof(*tasks));
		if (!tasks)
			return -ENOMEM;
		item->tasks = tasks;
		item->room = room;
	}
	item->tasks[item->nr++] = task;
	return 0;
}

/* On any CPU, or on those without interrupts of their own at least. */
static uint64_t size_of(struct assign *assign, const struct assign_item *item)
{
	uint64_t size =
		resch_assign_size(assign, item->tasks, item->nr, ASSIGN_CPU_WORST, ASSIGN_CPU_NONE);

	if (size <= assign->slot)
		return size;
	return resch_assign_size(assign, item->tasks, item->nr, ASSIGN_CPU_QUIET, ASSIGN_CPU_NONE);
}

static int add_kept(struct keep *keep)
{
	struct assign *assign = keep->assign;
	const uint32_t *kept = assign->request->keep;
	uint32_t i, group;
	int error = 0;

	for (i = 0; i < assign->request->nr_tasks && !error; i++) {
		if (kept[i])
			error = append(&keep->items[kept[i]], i);
		keep->nr = kept[i] >= keep->nr ? kept[i] + 1 : keep->nr;
	}
	for (group = 1; group < keep->nr && !error; group++) {
		struct assign_item *item = &keep->items[group];

		if (!item->nr)
			continue;
		item->size = size_of(assign, item);
		if (item->size > assign->slot)
			error = resch_assign_refuse(assign, RESCH_ASSIGN_KEPT, item->tasks[0],
						    group, item->size, assign->slot);
	}
	return error;
}

/* 1: it is in; 0: no room; -ENOMEM */
static int try_group(struct keep *keep, uint32_t group, uint32_t task)
{
	struct assign_item *item = &keep->items[group];
	uint64_t size;
	int error = append(item, task);

	if (error)
		return error;
	size = size_of(keep->assign, item);
	if (size <= keep->assign->slot) {
		item->size = size;
		return 1;
	}
	item->nr--;
	return 0;
}

static bool may_join(const struct keep *keep, uint32_t group)
{
	const struct resch_layout_reserve *found[2];

	if (!keep->items[group].nr)
		return false;
	if (keep->assign->request->method != RESCH_ASSIGN_SEKG || !standing(keep))
		return true;
	return resch_layout_find(standing(keep), group, found) < 2;
}

static int add_free(struct keep *keep, uint32_t task)
{
	struct assign *assign = keep->assign;
	uint32_t group;
	int result;

	for (group = 1; group < keep->nr; group++) {
		result = may_join(keep, group) ? try_group(keep, group, task) : 0;
		if (result)
			return result < 0 ? result : 0;
	}
	for (group = 1; group < keep->room && keep->items[group].nr; group++)
		;
	result = group < keep->room ? try_group(keep, group, task) : 0;
	if (!result)
		return resch_assign_refuse(assign, RESCH_ASSIGN_ALONE, task, 0,
					   resch_assign_cost(assign->request,
							     &assign->request->tasks[task]),
					   assign->slot);
	keep->nr = group >= keep->nr ? group + 1 : keep->nr;
	return result < 0 ? result : 0;
}

static int put_tasks(struct keep *keep)
{
	struct assign *assign = keep->assign;
	uint32_t i, group;
	int error = add_kept(keep);

	for (i = 0; i < assign->request->nr_tasks && !error; i++) {
		if (!assign->request->keep[i])
			error = add_free(keep, i);
	}
	for (group = 1; group < keep->nr && !error; group++) {
		struct assign_item *item = &keep->items[group];

		item->group = group;
		if (!resch_layout_group(assign->layout, 0))
			error = -ENOMEM;
		for (i = 0; i < item->nr; i++)
			resch_layout_put(assign->layout, item->tasks[i], group);
	}
	return error;
}

/* ---- where groups stand ---------------------------------------------------------------------- */

static uint32_t position(const uint32_t *cpus, uint32_t nr, uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < nr && cpus[i] != cpu; i++)
		;
	return i < nr ? i : ASSIGN_NONE;
}

/* The CPU on which the group goes on that has the end of the slot on @cpu. */
static uint32_t follower(const struct resch_layout *layout, uint32_t cpu)
{
	const struct resch_layout_reserve *found[2];
	uint32_t i;

	for (i = 0; i < layout->nr_reserves; i++) {
		const struct resch_layout_reserve *it = &layout->reserves[i];

		if (it->cpu != cpu || it->end != layout->slot ||
		    resch_layout_find(layout, it->group, found) != 2)
			continue;
		if (found[0] == it && !found[1]->begin)
			return found[1]->cpu;
		if (found[1] == it && !found[0]->begin)
			return found[0]->cpu;
	}
	return ASSIGN_NONE;
}

static bool follows(const struct resch_layout *layout, const uint32_t *cpus, uint32_t nr,
		    uint32_t cpu)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (cpus[i] != cpu && follower(layout, cpus[i]) == cpu)
			return true;
	}
	return false;
}

/*
 * The CPUs of a cluster such that those that share a group are neighbours. First whole chains,
 * then, where all CPUs are one ring, that.
 */
static void order_ring(const struct keep *keep, const uint32_t *from, uint32_t *to, uint32_t nr)
{
	const struct resch_layout *layout = standing(keep);
	uint32_t i, done = 0, round, cpu;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < nr; i++) {
			if (!round && layout && follows(layout, from, nr, from[i]))
				continue;
			cpu = from[i];
			while (cpu != ASSIGN_NONE && position(from, nr, cpu) != ASSIGN_NONE &&
			       position(to, done, cpu) == ASSIGN_NONE) {
				to[done++] = cpu;
				cpu = layout ? follower(layout, cpu) : ASSIGN_NONE;
			}
		}
	}
}

/* Its place, if it has a single window in the ring of one cluster. */
static void find_place(const struct keep *keep, struct assign_item *item, uint32_t cluster,
		       const uint32_t *cpus, uint32_t nr)
{
	const struct resch_layout_reserve *found[2], *first;
	uint32_t count = resch_layout_find(standing(keep), item->group, found), at;

	if (count < 1 || count > 2)
		return;
	first = found[0];
	if (count == 2 && (first->end != standing(keep)->slot || found[1]->begin))
		first = found[1];
	at = position(cpus, nr, first->cpu);
	if (at == ASSIGN_NONE)
		return;
	item->was = first->end - first->begin;
	if (count == 2) {
		const struct resch_layout_reserve *second = first == found[0] ? found[1] : found[0];

		if (first->end != standing(keep)->slot || second->begin ||
		    position(cpus, nr, second->cpu) != (at + 1) % nr)
			return;
		item->was += second->end;
	}
	if (item->was > standing(keep)->slot)
		return;
	item->cluster = cluster;
	item->begin = (int64_t)(at * keep->assign->slot + first->begin);
	item->stands = true;
}

static uint32_t cluster_size(const struct keep *keep, uint32_t cluster)
{
	uint32_t from = cluster * keep->cluster;

	return keep->assign->nr_cpus - from < keep->cluster ? keep->assign->nr_cpus - from :
							      keep->cluster;
}

static void find_places(struct keep *keep)
{
	uint32_t i, group, from, nr;

	for (i = 0; i < keep->nr_clusters; i++) {
		from = i * keep->cluster;
		nr = cluster_size(keep, i);
		order_ring(keep, keep->assign->cpus + from, keep->cpus + from, nr);
		for (group = 1; standing(keep) && group < keep->nr; group++) {
			if (keep->items[group].nr)
				find_place(keep, &keep->items[group], i, keep->cpus + from, nr);
		}
	}
}

/* ---- clusters -------------------------------------------------------------------------------- */

/* Groups without a place: each, in the order of their numbers, where the most is left. */
static int choose_clusters(struct keep *keep)
{
	int64_t *room = calloc(keep->nr_clusters, sizeof(*room));
	uint32_t i, group, best;

	if (!room)
		return -ENOMEM;
	for (i = 0; i < keep->nr_clusters; i++)
		room[i] = (int64_t)(cluster_size(keep, i) * keep->assign->slot);
	for (group = 1; group < keep->nr; group++) {
		if (keep->items[group].nr && keep->items[group].stands)
			room[keep->items[group].cluster] -= (int64_t)keep->items[group].size;
	}
	for (group = 1; group < keep->nr; group++) {
		struct assign_item *item = &keep->items[group];

		if (!item->nr || item->stands)
			continue;
		for (i = 1, best = 0; i < keep->nr_clusters; i++)
			best = room[i] > room[best] ? i : best;
		item->cluster = best;
		room[best] -= (int64_t)item->size;
	}
	free(room);
	return 0;
}

static int place_all(struct keep *keep)
{
	uint32_t i, group;
	int error;

	for (group = 0; group < keep->room; group++)
		keep->items[group].cluster = ASSIGN_NONE;
	find_places(keep);
	error = choose_clusters(keep);
	for (i = 0; i < keep->nr_clusters && !error; i++)
		error = resch_assign_ring(keep->assign, keep->cpus + i * keep->cluster,
					  cluster_size(keep, i), keep->items, keep->nr, i,
					  keep->shrink);
	return error;
}

/* ---- both ------------------------------------------------------------------------------------ */

static int run(struct assign *assign, uint32_t cluster, bool shrink)
{
	struct keep keep = { .assign = assign,
			     .nr = 1,
			     .room = RESCH_GROUPS_MAX + 1,
			     .cluster = cluster,
			     .shrink = shrink };
	uint32_t i;
	int error;

	keep.nr_clusters = (assign->nr_cpus + cluster - 1) / cluster;
	resch_layout_free(assign->layout);
	assign->layout = resch_layout_new(assign);
	keep.items = calloc(keep.room, sizeof(*keep.items));
	keep.cpus = calloc(assign->nr_cpus, sizeof(*keep.cpus));
	error = assign->layout && keep.items && keep.cpus ? put_tasks(&keep) : -ENOMEM;
	if (!error)
		error = place_all(&keep);
	for (i = 0; keep.items && i < keep.room; i++)
		free(keep.items[i].tasks);
	free(keep.items);
	free(keep.cpus);
	if (error)
		return error;
	resch_layout_sort(assign->layout);
	return resch_layout_verify(assign, assign->layout);
}

int resch_assign_keep(struct assign *assign, uint32_t cluster)
{
	const struct resch_assign *request = assign->request;
	bool joins = false;
	uint32_t i;
	int error = -EBUSY;

	for (i = 0; i < request->nr_tasks; i++)
		joins = joins || !request->keep[i];
	if (joins && request->standing)
		error = run(assign, cluster, false);
	return error == -EBUSY ? run(assign, cluster, true) : error;
}
