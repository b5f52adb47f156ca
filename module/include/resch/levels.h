/* SPDX-License-Identifier: GPL-2.0 */
/*
 * levels.h - which SCHED_FIFO priority a newcomer gets, and who has to move for it
 *
 * Levels follow relative deadlines: a shorter deadline has a higher level. Two that share a level
 * don't preempt each other in the kernel, so each preemption among them costs a stop and a second
 * switch. Half-way between its neighbours a newcomer soon finds no room (the fifth deadline in
 * rising order would share). So those between it and the nearest free level move by one; where no
 * level is free, two neighbouring levels become one. That is a bounded number of tasks for each
 * newcomer.
 *
 * Pure arithmetic on positions: 1 is the lowest of @nr levels, @nr the highest.
 */
#ifndef _RESCH_LEVELS_H
#define _RESCH_LEVELS_H

#include "types.h"

/* SCHED_FIFO priorities end at 99. */
#define RESCH_LEVELS_MAX 99

/*
 * No newcomer makes more tasks than this move: each move is a change of policy (about 1500
 * instructions).
 */
#define RESCH_LEVELS_MOVES 64

/**
 * struct resch_levels - who stands where
 * @nr:    levels, 1 to RESCH_LEVELS_MAX
 * @above: the lowest position of those with a shorter deadline than the newcomer's; nr + 1: none
 * @below: the highest position of those with a longer deadline; 0: none
 * @count: tasks at each position
 */
struct resch_levels {
	u32 nr;
	u32 above;
	u32 below;
	u32 count[RESCH_LEVELS_MAX + 2];
};

/**
 * struct resch_levels_plan - what becomes of it
 * @place: the newcomer's position
 * @first: those at positions first to last ...
 * @last:  ... (none if first > last) ...
 * @up:    ... move by one, up or down
 */
struct resch_levels_plan {
	u32 place;
	u32 first;
	u32 last;
	bool up;
};

/* How many would share position @to if those at @from came there. */
static inline u32 resch_levels_joint(const struct resch_levels *levels, u32 to, u32 from)
{
	return levels->count[to] ? levels->count[to] + levels->count[from] : 0;
}

/* Whether a move that leaves @size tasks at one level, for @cost moves, is the best one so far. */
static inline bool resch_levels_better(u32 size, u32 cost, u32 *best_size, u32 *best_cost)
{
	if (cost > RESCH_LEVELS_MOVES || size > *best_size ||
	    (size == *best_size && cost >= *best_cost))
		return false;
	*best_size = size;
	*best_cost = cost;
	return true;
}

/**
 * resch_levels_place - a position of its own for the newcomer, if that can be had
 * O(nr).
 */
static inline void resch_levels_place(const struct resch_levels *levels,
				      struct resch_levels_plan *plan)
{
	u32 above = levels->above, below = levels->below;
	u32 size = ~0u, most = ~0u, cost, to;

	plan->first = 1;
	plan->last = 0;
	plan->up = false;
	if (above > below + 1) {
		plan->place = below + (above - below) / 2;
		return;
	}
	/*
	 * It shares: it is in the middle of those of one level, or nobody can move at a bearable
	 * cost.
	 */
	plan->place = below ? below : above;
	if (above <= below)
		return;
	/* Down: those at to + 1 ... below, onto whoever is at `to`. */
	for (to = below - 1, cost = 0; below && to >= 1; to--) {
		cost += levels->count[to + 1];
		if (resch_levels_better(resch_levels_joint(levels, to, to + 1), cost, &size, &most))
			*plan = (struct resch_levels_plan){ below, to + 1, below, false };
	}
	/* Up: those at above ... to - 1. */
	for (to = above + 1, cost = 0; to <= levels->nr; to++) {
		cost += levels->count[to - 1];
		if (resch_levels_better(resch_levels_joint(levels, to, to - 1), cost, &size, &most))
			*plan = (struct resch_levels_plan){ above, above, to - 1, true };
	}
}

#endif /* _RESCH_LEVELS_H */
