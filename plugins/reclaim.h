/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reclaim.h - what a server is charged that uses what others leave: GRUB
 *
 * A server is active while it has jobs, and after that until its 0-lag time, deadline - left / U:
 * from then on it would get a whole new budget. While an ordinary server executes its budget goes
 * down by 1 a ns; that of one that reclaims by U_active, the sizes of the active servers added up:
 * dq = -U_active dt. What inactive servers do not use lasts it so much longer, and no other server
 * gets anything later than without. Lipari, Baruah, Greedy reclamation of unused bandwidth in
 * constant-bandwidth servers, ECRTS 2000, section 4.
 *
 * The rest of Linux counts as active at all times, with the share that admission leaves for it: its
 * server's or, if that is more, what the domain keeps from servers (rest_share()). It has no 0-lag
 * time, for it always has work; so nothing of its share is anybody else's.
 *
 * Sizes are those in force. All is rounded against the one that reclaims. U_active is kept as a
 * sum: a server is added with its first job, and taken out at its 0-lag time, for which those
 * without jobs are in a queue: O(log n). Between two charges no server gets a first job or loses
 * its last one, so that all there is to see is that 0-lag times pass. CPUs on which nobody has
 * reclaimed yet don't keep the sum.
 */
#ifndef _RESCH_RECLAIM_H
#define _RESCH_RECLAIM_H

#include "rest.h"

static inline bool reclaims(const struct resch_server *server)
{
	return server->params.flags & RESCH_SERVER_F_RECLAIM;
}

/* Until when the size of a server without jobs is in use: its 0-lag time. */
static inline u64 reclaim_until(const struct resch_server *server)
{
	const struct budget *budget = resch_private(server, const struct budget);
	const struct resch_server_state *state = &server->state;
	u64 rest;

	if (state->left <= 0 || !budget->size)
		return state->deadline;
	rest = mul_u64_u64_div_u64((u64)state->left, budget->period, budget->size);
	return state->deadline > rest ? state->deadline - rest : 0;
}

/** struct reclaim - a CPU
 * @leaving: servers without jobs whose size is in use, by their 0-lag times
 * @active:  the shares of all active servers but the rest of Linux's, in 1 / RESCH_SERVER_RATE
 * @kept:    somebody reclaims, or did: the two above are kept
 */
struct reclaim {
	struct resch_queue leaving;
	u64 active;
	bool kept;
};

/* The server has jobs, or leaves: its share, which a new budget may have changed, is in the sum. */
static inline void reclaim_count(struct reclaim *reclaim, struct budget *budget, u32 share)
{
	if (likely(!reclaim->kept))
		return;
	reclaim->active += share;
	reclaim->active -= budget->counted;
	budget->counted = share;
}

/*
 * The server, which is in no queue, has no jobs any more, and nothing about it changes until it
 * has.
 */
static inline void reclaim_leave(struct reclaim *reclaim, struct resch_server *server, u64 now)
{
	struct budget *budget = budget_of(server);
	u64 until;

	if (likely(!reclaim->kept))
		return;
	until = reclaim_until(server);
	budget->place = until > now ? BUDGET_LEAVING : BUDGET_IDLE;
	reclaim_count(reclaim, budget, until > now ? budget->share : 0);
	if (until > now)
		resch_queue_insert(&reclaim->leaving, &budget->node, until);
}

/* It has jobs again, or goes for good: it is in no queue. */
static inline void reclaim_stay(struct reclaim *reclaim, struct budget *budget)
{
	resch_queue_erase(&reclaim->leaving, &budget->node);
	budget->place = BUDGET_IDLE;
}

/**
 * reclaim_pass - the time goes from @from to @to: 0-lag times pass
 *
 * Returns what the shares would have been in use for beyond those, in ns / RESCH_SERVER_RATE.
 */
static inline u64 reclaim_pass(struct reclaim *reclaim, u64 from, u64 to)
{
	struct resch_node *node;
	u64 beyond = 0;

	while ((node = resch_queue_first(&reclaim->leaving)) && node->key <= to) {
		struct budget *budget = container_of(node, struct budget, node);

		beyond += budget->counted * (to - max(from, node->key));
		reclaim_stay(reclaim, budget);
		reclaim_count(reclaim, budget, 0);
	}
	return beyond;
}

/* From now on the sum is kept: a look at each server of the CPU, once. */
static inline void reclaim_keep(struct reclaim *reclaim, const struct resch_rq *rq, u64 now)
{
	struct resch_server *server;

	reclaim->kept = true;
	resch_rq_for_each_server(rq, server) {
		struct budget *budget = budget_of(server);

		if (budget->place == BUDGET_REST)
			continue;
		if (budget->place == BUDGET_IDLE)
			reclaim_leave(reclaim, server, now);
		else
			reclaim_count(reclaim, budget, budget->share);
	}
}

/**
 * reclaim_cost - what @time costs a server that reclaims and executes all along, ns
 * @active: U_active at the beginning, with the share of the rest of Linux
 * @beyond: what 0-lag times took off it in that time, from reclaim_pass()
 *
 * At most the time itself. The time is at most BUDGET_DEBT_MAX.
 */
static inline u64 reclaim_cost(u64 active, u64 beyond, u64 time)
{
	u64 sum = active * time - beyond;

	return min(div64_u64(sum + RESCH_SERVER_RATE - 1, RESCH_SERVER_RATE), time);
}

/** reclaim_rate - @active as a rate, which is more than 0, since somebody has jobs */
static inline u32 reclaim_rate(u64 active)
{
	return active < RESCH_SERVER_RATE ? (u32)active : RESCH_SERVER_RATE;
}

/** reclaim_lasts - how long @left lasts at @rate, ns; longer if somebody gets inactive meanwhile */
static inline u64 reclaim_lasts(u64 left, u32 rate)
{
	return div64_u64(left * RESCH_SERVER_RATE + rate - 1, rate);
}

#endif /* _RESCH_RECLAIM_H */
