// SPDX-License-Identifier: GPL-2.0
/*
 * events.c - what happens next: a heap of events by time, then by tie
 *
 * Four children a node, and keys in the array rather than in the events: with 1,024 CPUs thousands
 * of events wait, and following pointers to them is most of what a simulation takes. D. B. Johnson,
 * Priority queues with update and finding minimum spanning trees, 1975.
 */
#include "sim.h"

#define WIDTH 4

static bool before(const struct sim_entry *a, const struct sim_entry *b)
{
	return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static void put(struct sim_events *events, u32 at, const struct sim_entry *entry)
{
	events->heap[at] = *entry;
	entry->event->at = at + 1;
}

/* The place @at is free; @entry goes there or further up. */
static void rise(struct sim_events *events, u32 at, const struct sim_entry *entry)
{
	while (at) {
		u32 up = (at - 1) / WIDTH;

		if (!before(entry, &events->heap[up]))
			break;
		put(events, at, &events->heap[up]);
		at = up;
	}
	put(events, at, entry);
}

/* The place @at is free; @entry goes there or further down. */
static void sink(struct sim_events *events, u32 at, const struct sim_entry *entry)
{
	const struct sim_entry *heap = events->heap;
	u32 i, child, least;

	while ((child = at * WIDTH + 1) < events->count) {
		least = child;
		for (i = child + 1; i < child + WIDTH && i < events->count; i++)
			if (before(&heap[i], &heap[least]))
				least = i;
		if (!before(&heap[least], entry))
			break;
		put(events, at, &heap[least]);
		at = least;
	}
	put(events, at, entry);
}

static void settle(struct sim_events *events, u32 at, const struct sim_entry *entry)
{
	if (at && before(entry, &events->heap[(at - 1) / WIDTH]))
		rise(events, at, entry);
	else
		sink(events, at, entry);
}

void sim_event_set(struct sim_events *events, struct sim_event *event, u64 key, u64 tie)
{
	struct sim_entry entry = { key, tie, event };

	event->key = key;
	event->tie = tie;
	if (sim_event_queued(event))
		settle(events, event->at - 1, &entry);
	else
		rise(events, events->count++, &entry);
}

void sim_event_drop(struct sim_events *events, struct sim_event *event)
{
	struct sim_entry last;
	u32 at = event->at - 1;

	event->at = 0;
	last = events->heap[--events->count];
	if (last.event != event)
		settle(events, at, &last);
}

int sim_events_grow(struct sim_events *events, u32 room)
{
	struct sim_entry *heap;

	if (room <= events->room)
		return 0;
	heap = realloc(events->heap, 2 * (size_t)room * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	events->heap = heap;
	events->room = 2 * room;
	return 0;
}
