// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * ring.c - groups on the slots of all CPUs, near where they stand
 *
 * The slots of the CPUs, one after the other, are a ring: a window that begins late in the slot of
 * a CPU and goes on early in that of the next one is one piece of it, as in the chain of NPS-F, and
 * so is one from the last CPU to the first. A group that needs more than there is behind it takes
 * it before it, and who is there moves forward, to earlier times. That direction alone is safe
 * while tasks run (switch.c).
 *
 * Positions are ns from the beginning of the first CPU's slot, and may be a ring or more off.
 */
#include "assign.h"

struct ring {
	struct assign *assign;
	const uint32_t *cpus;
	int64_t nr_cpus;
	int64_t slot;
	int64_t length; /* of all slots */
	int64_t loss; /* of each reserve */
	/* by position: none begins a ring or more after the first one */
	struct assign_item **items;
	uint32_t nr;
	bool shrink;
};

static int64_t slot_of(const struct ring *ring, int64_t at)
{
	int64_t slot = at / ring->slot;

	return at % ring->slot < 0 ? slot - 1 : slot;
}

static uint32_t cpu_of(const struct ring *ring, int64_t slot)
{
	int64_t cpu = slot % ring->nr_cpus;

	return ring->cpus[cpu < 0 ? cpu + ring->nr_cpus : cpu];
}

/*
 * What it needs in that slot, or from there to the next one; more than a slot: it cannot be there.
 */
static int64_t size_at(const struct ring *ring, const struct assign_item *item, int64_t slot,
		       bool cut)
{
	uint64_t size = resch_assign_size(ring->assign, item->tasks, item->nr,
					  (int32_t)cpu_of(ring, slot),
					  cut ? (int32_t)cpu_of(ring, slot + 1) : ASSIGN_CPU_NONE);

	if (size > (uint64_t)ring->slot)
		return ring->slot + 1;
	if (!ring->shrink && item->stands && item->was > size)
		size = item->was;
	return (int64_t)size;
}

/* The first place from @begin on. A piece that is all lost is none. */
static bool place_from(const struct ring *ring, struct assign_item *item, int64_t begin)
{
	int64_t tries, slot, room, size;

	for (tries = 0; tries <= ring->nr_cpus; tries++) {
		slot = slot_of(ring, begin);
		room = (slot + 1) * ring->slot - begin;
		size = size_at(ring, item, slot, false);
		if (size <= room) {
			item->begin = begin;
			item->end = begin + size;
			return true;
		}
		begin = (slot + 1) * ring->slot;
		size = size_at(ring, item, slot, true);
		if (size > ring->slot)
			continue;
		if (size < room + ring->loss + 1)
			room = size - ring->loss - 1;
		if (room <= ring->loss)
			continue;
		item->begin = begin - room;
		item->end = item->begin + size;
		return true;
	}
	return false;
}

/* The last place up to @end. */
static bool place_until(const struct ring *ring, struct assign_item *item, int64_t end)
{
	int64_t tries, slot, here, size;

	for (tries = 0; tries <= ring->nr_cpus; tries++) {
		slot = slot_of(ring, end - 1);
		here = end - slot * ring->slot;
		end = slot * ring->slot;
		size = size_at(ring, item, slot, false);
		if (size <= here) {
			item->end = end + here;
			item->begin = item->end - size;
			return true;
		}
		size = size_at(ring, item, slot - 1, true);
		if (size > ring->slot)
			continue;
		if (size < here + ring->loss + 1)
			here = size - ring->loss - 1;
		if (here <= ring->loss)
			continue;
		item->end = end + here;
		item->begin = item->end - size;
		return true;
	}
	return false;
}

/* ---- moving ---------------------------------------------------------------------------------- */

/* Where the next one begins. */
static int64_t next_begin(const struct ring *ring, uint32_t at)
{
	if (at + 1 < ring->nr)
		return ring->items[at + 1]->begin;
	return ring->items[0]->begin + ring->length;
}

/* Moves forward who is in the way. false: that does not end */
static bool relax(struct ring *ring)
{
	uint32_t round, i;
	bool moved = true;

	for (round = 0; moved && round < 4 + 2 * ring->nr_cpus; round++) {
		moved = false;
		for (i = ring->nr; i-- > 0;) {
			struct assign_item *item = ring->items[i];

			if (item->end <= next_begin(ring, i))
				continue;
			if (!place_until(ring, item, next_begin(ring, i)))
				return false;
			moved = true;
		}
	}
	return !moved;
}

static void insert(struct ring *ring, uint32_t at, struct assign_item *item)
{
	memmove(&ring->items[at + 1], &ring->items[at],
		(ring->nr - at) * sizeof(struct assign_item *));
	ring->items[at] = item;
	ring->nr++;
}

static int refuse(struct ring *ring, const struct assign_item *item)
{
	uint64_t left = (uint64_t)ring->length;
	uint32_t i;

	for (i = 0; i < ring->nr; i++) {
		if (ring->items[i] != item)
			left -= ring->items[i]->size < left ? ring->items[i]->size : left;
	}
	return resch_assign_refuse(ring->assign, RESCH_ASSIGN_BIN, item->tasks[0], item->group,
				   item->size, left);
}

/* ---- groups that stand ----------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct assign_item *x = *(struct assign_item *const *)a;
	const struct assign_item *y = *(struct assign_item *const *)b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/*
 * All of them where they stand, with what they need now: from the same beginning on, as far as
 * there is nobody, or else up to the same end.
 */
static int place_standing(struct ring *ring)
{
	uint32_t i;

	qsort(ring->items, ring->nr, sizeof(struct assign_item *), by_begin);
	for (i = 0; i < ring->nr; i++) {
		struct assign_item *item = ring->items[i];
		int64_t begin = item->begin, until = next_begin(ring, i);

		if (!place_from(ring, item, begin))
			return refuse(ring, item);
		if (item->begin == begin && item->end <= until)
			continue;
		if (item->begin != begin && begin + (int64_t)item->was < until)
			until = begin + (int64_t)item->was;
		if (!place_until(ring, item, until))
			return refuse(ring, item);
	}
	return relax(ring) ? 0 : refuse(ring, ring->items[ring->nr - 1]);
}

/* ---- groups that do not ---------------------------------------------------------------------- */

static bool is_cut(const struct ring *ring, const struct assign_item *item)
{
	return slot_of(ring, item->begin) != slot_of(ring, item->end - 1);
}

/* S-EKG splits tasks, not groups of them. */
static bool whole_only(const struct ring *ring, const struct assign_item *item)
{
	return ring->assign->request->method == RESCH_ASSIGN_SEKG && item->nr > 1;
}

static bool place_between(const struct ring *ring, struct assign_item *item, int64_t begin,
			  int64_t end, bool whole)
{
	int64_t slot;

	if (begin >= end || !place_from(ring, item, begin))
		return false;
	if (whole && is_cut(ring, item)) {
		slot = slot_of(ring, item->begin) + 1;
		if (!place_from(ring, item, slot * ring->slot) || is_cut(ring, item))
			return false;
	}
	return item->end <= end;
}

static int64_t gap_after(const struct ring *ring, uint32_t at)
{
	return next_begin(ring, at) - ring->items[at]->end;
}

static int64_t in_ring(const struct ring *ring, int64_t at)
{
	at %= ring->length;
	return at < 0 ? at + ring->length : at;
}

/* The gap that comes first in the ring of those that have room for it; ring->nr: none */
static uint32_t find_gap(const struct ring *ring, struct assign_item *item, bool whole)
{
	uint32_t i, best = ring->nr;

	for (i = 0; i < ring->nr; i++) {
		int64_t from = ring->items[i]->end;

		if (best < ring->nr && in_ring(ring, ring->items[best]->end) < in_ring(ring, from))
			continue;
		if (place_between(ring, item, from, next_begin(ring, i), whole))
			best = i;
	}
	if (best < ring->nr)
		place_between(ring, item, ring->items[best]->end, next_begin(ring, best), whole);
	return best;
}

static uint32_t largest_gap(const struct ring *ring)
{
	uint32_t i, best = 0;

	for (i = 1; i < ring->nr; i++) {
		if (gap_after(ring, i) > gap_after(ring, best))
			best = i;
	}
	return best;
}

static int place_new(struct ring *ring, struct assign_item *item)
{
	uint32_t at;

	if (!ring->nr) {
		insert(ring, 0, item);
		return place_from(ring, item, 0) ? 0 : refuse(ring, item);
	}
	at = find_gap(ring, item, whole_only(ring, item));
	if (at == ring->nr && whole_only(ring, item))
		at = find_gap(ring, item, false);
	if (at < ring->nr) {
		insert(ring, at + 1, item);
		return 0;
	}
	/* room in pieces: the largest one becomes larger */
	at = largest_gap(ring);
	if (!place_until(ring, item, next_begin(ring, at)))
		return refuse(ring, item);
	insert(ring, at + 1, item);
	return relax(ring) ? 0 : refuse(ring, item);
}

/* ---- the layout ------------------------------------------------------------------------------ */

static int emit(const struct ring *ring, const struct assign_item *item)
{
	int64_t slot = slot_of(ring, item->begin), border = (slot + 1) * ring->slot;
	uint64_t begin = (uint64_t)(item->begin - slot * ring->slot);
	uint64_t size = (uint64_t)(item->end - item->begin);
	uint64_t rest = item->end > border ? (uint64_t)(item->end - border) : 0;
	struct resch_layout *layout = ring->assign->layout;
	int error;

	layout->groups[item->group - 1].need = size;
	error = resch_layout_reserve(layout, cpu_of(ring, slot), item->group, begin,
				     begin + size - rest);
	return error ? error :
		       resch_layout_reserve(layout, cpu_of(ring, slot + 1), item->group, 0, rest);
}

static int run(struct ring *ring, struct assign_item *items, uint32_t nr, uint32_t cluster)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < nr; i++) {
		if (items[i].cluster == cluster && items[i].stands)
			ring->items[ring->nr++] = &items[i];
	}
	if (ring->nr)
		error = place_standing(ring);
	for (i = 0; i < nr && !error; i++) {
		if (items[i].cluster == cluster && !items[i].stands)
			error = place_new(ring, &items[i]);
	}
	for (i = 0; i < ring->nr && !error; i++)
		error = emit(ring, ring->items[i]);
	return error;
}

int resch_assign_ring(struct assign *assign, const uint32_t *cpus, uint32_t nr_cpus,
		      struct assign_item *items, uint32_t nr, uint32_t cluster, bool shrink)
{
	struct ring ring = {
		.assign = assign,
		.cpus = cpus,
		.nr_cpus = nr_cpus,
		.slot = (int64_t)assign->slot,
		.length = (int64_t)(nr_cpus * assign->slot),
		.loss = (int64_t)resch_assign_loss(assign->request),
		.shrink = shrink,
	};
	int error;

	ring.items = calloc((size_t)nr + 1, sizeof(struct assign_item *));
	if (!ring.items)
		return -ENOMEM;
	error = run(&ring, items, nr, cluster);
	free(ring.items);
	return error;
}
