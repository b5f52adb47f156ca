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
 * What the domain keeps from servers (1 - capacity) counts as active: it is the rest of Linux's.
 * Sizes are those in force. All is rounded against the one that reclaims. Between two charges no
 * server gets a first job or loses its last one, so that all there is to see is that 0-lag times
 * pass. It costs a look at each server of the CPU, and nothing where the one that runs does not
 * reclaim.
 */
#ifndef _RESCH_RECLAIM_H
#define _RESCH_RECLAIM_H

#include "budget.h"

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

/* How long of [@from, @to) the server is active. */
static inline u64 reclaim_active(const struct resch_server *server, u64 from, u64 to)
{
	u64 until = to;

	if (resch_private(server, const struct budget)->place == BUDGET_IDLE)
		until = min(until, reclaim_until(server));
	return until > from ? until - from : 0;
}

/* The share of the CPU that no server may have, in 1 / RESCH_SERVER_RATE. */
static inline u32 reclaim_rest(const struct resch_rq *rq)
{
	u32 capacity = min(rq->capacity, 1000000U);

	return RESCH_SERVER_RATE - (u32)div64_u64((u64)capacity * RESCH_SERVER_RATE, 1000000);
}

/**
 * reclaim_cost - what [@from, @to) costs a server that reclaims and executes all along, ns
 *
 * At most the time itself. The time is at most BUDGET_DEBT_MAX.
 */
static inline u64 reclaim_cost(const struct resch_rq *rq, u64 from, u64 to)
{
	u64 sum = reclaim_rest(rq) * (to - from);
	const struct resch_server *server;

	resch_rq_for_each_server(rq, server)
		sum += resch_private(server, const struct budget)->share *
		       reclaim_active(server, from, to);
	return min(div64_u64(sum + RESCH_SERVER_RATE - 1, RESCH_SERVER_RATE), to - from);
}

/** reclaim_rate - U_active at @now, in 1 / RESCH_SERVER_RATE; more than 0, since somebody has jobs */
static inline u32 reclaim_rate(const struct resch_rq *rq, u64 now)
{
	u64 sum = reclaim_rest(rq);
	const struct resch_server *server;

	resch_rq_for_each_server(rq, server)
		if (reclaim_active(server, now, now + 1))
			sum += resch_private(server, const struct budget)->share;
	return sum < RESCH_SERVER_RATE ? (u32)sum : RESCH_SERVER_RATE;
}

/** reclaim_lasts - how long @left lasts at @rate, ns; longer if somebody gets inactive meanwhile */
static inline u64 reclaim_lasts(u64 left, u32 rate)
{
	return div64_u64(left * RESCH_SERVER_RATE + rate - 1, rate);
}

#endif /* _RESCH_RECLAIM_H */
