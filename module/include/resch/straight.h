/* SPDX-License-Identifier: GPL-2.0 */
/*
 * straight.h - what the release and the completion of a plain job change, under a plugin whose
 * order is known (RESCH_PLUGIN_ORDERED)
 *
 * Most of what happens is that: a periodic task whose budget and deadline nobody enforces is
 * released, or its job ends, and nothing else happens at that moment. Then who runs next follows
 * from one look at the queue, and is the very task that the plugin would be found to have picked
 * after its enqueue() or dequeue(). Whatever is not so plain is for the general way. The core and
 * the simulator have both ways, and go the same.
 */
#ifndef _RESCH_STRAIGHT_H
#define _RESCH_STRAIGHT_H

#include "plugin.h"

/** resch_straight_plain - may jobs of such a task go this way? */
static inline bool resch_straight_plain(const struct resch_task_params *params)
{
	return params->kind == RESCH_PERIODIC && params->overrun == RESCH_COUNT &&
	       params->miss == RESCH_COUNT && !(params->flags & RESCH_F_FAMILY);
}

/** enum resch_straight - what becomes of the choice as a job is released */
enum resch_straight {
	RESCH_STRAIGHT_NOT, /* that can't be said here */
	RESCH_STRAIGHT_STAYS,
	RESCH_STRAIGHT_TAKES, /* it falls on the job */
};

/**
 * resch_straight_release - a job with @key is released
 * @ready:    the queue, without it
 * @selected: the choice up to now, or NULL
 */
static inline enum resch_straight resch_straight_release(const struct resch_queue *ready,
							 const struct resch_task *selected, u64 key)
{
	const struct resch_node *first = resch_queue_first(ready);

	/* Somebody has come or gone, and nothing has been decided since. */
	if (unlikely(first != (selected ? &selected->node : NULL)))
		return RESCH_STRAIGHT_NOT;
	if (!first || key < first->key)
		return RESCH_STRAIGHT_TAKES;
	return likely(key > first->key) ? RESCH_STRAIGHT_STAYS : RESCH_STRAIGHT_NOT;
}

/**
 * resch_straight_heir - who is the choice when the job of @selected, which is, has ended; or NULL
 */
static inline struct resch_task *resch_straight_heir(const struct resch_queue *ready)
{
	struct resch_node *second = resch_queue_second(ready);

	return second ? container_of(second, struct resch_task, node) : NULL;
}

#endif /* _RESCH_STRAIGHT_H */
