/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rest.h - the server of the rest of Linux: RESCH_SERVER_LINUX
 *
 * A hard CBS (budget.h) that always has work, which is all that is not registered here: to pick it
 * is to pick nobody. So Linux gets its budget by each of its deadlines, as every server does under
 * EDF while sizes add up to at most 1, and the others get theirs. Soft servers, and those that
 * reclaim, have deadlines of their own further away: Linux goes before what they do beyond their
 * shares.
 *
 * All time in which nobody is picked is Linux's, and its budget pays for it as long as there is
 * one, whether somebody else had work or not, and whether Linux did. Once that is used up it is not
 * picked before its deadline, though it has the CPU whenever nobody else wants it.
 *
 * It is in no queue: the core puts it first on the list of its CPU's servers, where one look tells
 * CPUs that have none. Pure bookkeeping; server.c decides.
 */
#ifndef _RESCH_REST_H
#define _RESCH_REST_H

#include "budget.h"

/** struct rest - a CPU
 * @server: that of the rest of Linux as of the last pick, or NULL
 * @ready:  it has a budget
 * @serves: it is its budget that is running
 */
struct rest {
	struct resch_server *server;
	u32 ready;
	u32 serves;
};

/** rest_find - the server that the rest of Linux has on the CPU now, or NULL */
static inline struct resch_server *rest_find(const struct resch_rq *rq)
{
	struct resch_server *first = rq->servers;

	return first && first->params.kind == RESCH_SERVER_LINUX && first->params.budget ? first :
											   NULL;
}

/**
 * rest_share - the part of the CPU that no other server may have, in 1 / RESCH_SERVER_RATE
 *
 * The size in force or, if that is more, what the domain keeps from servers: 1 - capacity.
 */
static inline u32 rest_share(const struct resch_rq *rq, const struct rest *rest)
{
	u32 capacity = min(rq->capacity, 1000000U);
	u32 kept = RESCH_SERVER_RATE - (u32)div64_u64((u64)capacity * RESCH_SERVER_RATE, 1000000);

	return rest->server ? max(kept, budget_of(rest->server)->share) : kept;
}

/**
 * rest_charge - nobody was picked for @time, up to @now
 *
 * A machine that stood still gave Linux nothing, whatever the clock says: more than one budget of
 * debt would keep it waiting for that time.
 */
static inline void rest_charge(struct rest *rest, u64 time, u64 now)
{
	struct resch_server *server = rest->server;
	u64 most = (u64)(server->state.left + (s64)budget_of(server)->size);

	time = min(time, most);
	budget_charge(server, time, time);
	server->state.since = now;
}

/* The server has gone, or another one is there. It is in no queue. */
static inline void rest_end(struct rest *rest)
{
	rest->server->state.since = 0;
	budget_of(rest->server)->place = BUDGET_IDLE;
	rest->server = NULL;
	rest->ready = false;
	rest->serves = false;
}

/**
 * rest_renew - it is @now: @server, which the CPU has, has used up its budget, or gets a new one
 */
static inline void rest_renew(struct rest *rest, struct resch_rq *rq, struct resch_server *server,
			      u64 now)
{
	struct resch_server_state *state = &server->state;
	u32 what = 0;

	if (!rest->server) {
		rest->server = server;
		budget_of(server)->place = BUDGET_REST;
		state->deadline = now;
	}
	if (rest->ready && state->left <= 0) {
		rest->ready = false;
		state->exhausted++;
		what = RESCH_SERVER_EXHAUSTED;
	}
	if (!rest->ready && now >= state->deadline) {
		rest->ready = true;
		budget_next(server, RESCH_NEVER, now);
		what |= RESCH_SERVER_REPLENISHED;
	}
	if (what)
		resch_server_note(rq, server, what);
}

/** rest_first - is it its turn, where @other, or nobody, is the first of the others? */
static inline bool rest_first(const struct rest *rest, const struct resch_server *other)
{
	return rest->ready && (!other || rest->server->state.deadline < other->state.deadline);
}

/** rest_pick - whether it is, @serves, was decided: for how long that holds */
static inline void rest_pick(struct rest *rest, bool serves, u64 now, struct resch_pick *pick)
{
	struct resch_server_state *state = &rest->server->state;

	rest->serves = serves;
	state->rate = RESCH_SERVER_RATE;
	state->since = serves ? now : 0;
	if (serves)
		pick->until = now + (u64)state->left;
	else if (!rest->ready)
		pick->until = min(pick->until, state->deadline);
}

#endif /* _RESCH_REST_H */
