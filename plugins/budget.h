/* SPDX-License-Identifier: GPL-2.0 */
/*
 * budget.h - the budgets and deadlines of servers
 *
 * A server has a size U = budget / period. It may consume `left` until `deadline`; what it has of a
 * budget never exceeds its share U of the time until then, so that servers whose sizes add up to at
 * most 1 all get theirs under EDF.
 *
 *   CBS        a job comes to an idle server at t: left >= (deadline - t) U: deadline = t + period,
 *              left = budget; otherwise both stay. Used up: deadline += period, left = budget; at
 *              once (soft), or at the deadline (hard). Abeni, Buttazzo, Integrating multimedia
 *              applications in hard real-time systems, RTSS 1998, section 3
 *   CUS, TBS   budgets are cut to the job at the head of the server, which still needs e: e, and
 *              the deadline e / U later. CUS: at the deadline, while there are jobs; a job that
 *              comes to an idle server waits for it, too. TBS: at once, when a job comes to an idle
 *              server (from max(deadline, t) on), ends with another one there, or the budget is
 *              used up. Deng, Liu, Sun, A scheme for scheduling hard real-time applications in open
 *              system environment, Euromicro RTS 1997; Spuri, Buttazzo, Real-Time Systems 10(2),
 *              1996
 *   passive    as the hard CBS: what its tasks do that is not for a client. Shih et al., Open
 *              Real-Time Linux, section 3
 *   linux      as the hard CBS, with a job that never ends: see rest.h
 *
 * What an early end leaves is not lost: it counts as far as it is within U of the time up to its
 * deadline. No budget is larger than params.budget, whatever a job needs. What was overdrawn
 * (timers are late) is paid by later deadlines. A deadline that a new budget would have in the
 * past, since the machine stood still, say, begins anew: it must not give a right over others for
 * long.
 *
 * Pure arithmetic on one server; server.c has the queues.
 */
#ifndef _RESCH_BUDGET_H
#define _RESCH_BUDGET_H

#include <resch/plugin.h>

/* Deadlines stop here: the soft ones of who runs alone go ahead of time. 146 years. */
#define BUDGET_DEADLINE_LAST (1ULL << 62)

/* More than this is not overdrawn, ns: an hour. */
#define BUDGET_DEBT_MAX 3600000000000ULL

enum budget_place {
	BUDGET_IDLE, /* no jobs */
	BUDGET_LEAVING, /* no jobs, and its size is still in use: see reclaim.h */
	BUDGET_REST, /* that of the rest of Linux, in no queue: see rest.h */
	/* those from here on have jobs */
	BUDGET_READY, /* has jobs and, once it is settled, a budget */
	BUDGET_WAITING, /* has jobs, waits for its deadline */
};

/**
 * struct budget - the private area of a server
 * @node:   by deadline among the ready ones, or the waiting ones, of its CPU; or by its 0-lag time
 * @jobs:   the ready jobs of its tasks, in the order of its policy; where another plugin orders
 *          them (inner.h): their number alone
 * @size, @period: in force; a resized server takes the new ones with its next budget
 * @turn:   RESCH_SERVER_RR: what the first job has left of its turn, ns
 * @since:  when its last job went
 * @place:  enum budget_place
 * @share:  @size / @period, rounded up, in 1 / RESCH_SERVER_RATE
 * @counted: of that, what is in the sum of reclaim.h
 */
struct budget {
	struct resch_node node;
	struct resch_queue jobs;
	u64 size;
	u64 period;
	s64 turn;
	u64 since;
	u32 place;
	u32 share;
	u32 counted;
};

RESCH_PLUGIN_PRIVATE(struct budget, RESCH_SERVER_PRIVATE);

static inline struct budget *budget_of(struct resch_server *server)
{
	return resch_private(server, struct budget);
}

/** budget_valid - server_valid(): what goes with which kind */
static inline bool budget_valid(const struct resch_server_params *params)
{
	bool inside = params->policy == RESCH_SERVER_PLUGIN;
	bool turns = params->policy == RESCH_SERVER_RR;

	if (params->policy >= RESCH_SERVER_POLICIES || turns != !!params->quantum)
		return false;
	switch (params->kind) {
	case RESCH_SERVER_CBS_HARD:
	case RESCH_SERVER_CBS:
		return true;
	/* budgets follow the job that is first, which a plugin does not tell */
	case RESCH_SERVER_CUS:
	case RESCH_SERVER_TBS:
	case RESCH_SERVER_PASSIVE: /* its tasks go to others */
		return !inside && !(params->flags & RESCH_SERVER_F_RECLAIM);
	case RESCH_SERVER_LINUX: /* nobody in it to be ordered */
		return params->policy == RESCH_SERVER_EDF &&
		       !(params->flags & RESCH_SERVER_F_RECLAIM);
	default:
		return false;
	}
}

/* Are its budgets those of single jobs? */
static inline bool budget_by_jobs(const struct resch_server *server)
{
	return server->params.kind == RESCH_SERVER_CUS || server->params.kind == RESCH_SERVER_TBS;
}

/* Does it get a new budget before the deadline of the last one? */
static inline bool budget_at_once(const struct resch_server *server)
{
	return server->params.kind == RESCH_SERVER_CBS || server->params.kind == RESCH_SERVER_TBS;
}

/* @work / U, rounded up; @work is at most two hours, U at least 1 / 10000 */
static inline u64 budget_stretch(const struct budget *budget, u64 work)
{
	u64 time = mul_u64_u64_div_u64(work, budget->period, budget->size);

	/* the remainder, of which the low bits are enough */
	return work * budget->period == time * budget->size ? time : time + 1;
}

/* Is @left at least U of @time? Exact. */
static inline bool budget_exceeds(const struct budget *budget, s64 left, u64 time)
{
	u64 share = mul_u64_u64_div_u64(time, budget->size, budget->period);

	if (left < 0 || (u64)left < share)
		return false;
	return (u64)left > share || time * budget->size == share * budget->period;
}

/* From a new budget on, a change of size holds. */
static inline void budget_renew(struct resch_server *server)
{
	struct budget *budget = budget_of(server);

	budget->size = server->params.budget;
	budget->period = server->params.period;
	budget->share = (u32)(div64_u64(budget->size * RESCH_SERVER_RATE, budget->period) + 1);
	server->state.replenished++;
}

static inline void budget_put_off(struct resch_server *server, u64 by, u64 now)
{
	struct budget *budget = budget_of(server);
	u64 deadline = server->state.deadline + by;

	if (deadline <= now)
		deadline = now + budget->period;
	server->state.deadline = min(deadline, BUDGET_DEADLINE_LAST);
}

/* Whole budgets, as many as it takes to be out of debt. */
static inline void budget_fill(struct resch_server *server, u64 now)
{
	struct resch_server_state *state = &server->state;
	struct budget *budget = budget_of(server);
	u64 count = 1;

	budget_renew(server);
	if (state->left < 0)
		count += div64_u64((u64)-state->left, budget->size);
	state->left += (s64)(count * budget->size);
	budget_put_off(server, count * budget->period, now);
}

/* What the job needs, which is at the head, and what is left is not enough: CUS, TBS. */
static inline void budget_cut(struct resch_server *server, u64 need, u64 now)
{
	struct resch_server_state *state = &server->state;
	struct budget *budget = budget_of(server);
	s64 grant;

	budget_renew(server);
	grant = (s64)min(need, budget->size);
	if (state->deadline < now)
		state->deadline = now;
	budget_put_off(server, budget_stretch(budget, (u64)(grant - state->left)), now);
	state->left = grant;
}

/** budget_charge - it has executed for @time, which costs @cost */
static inline void budget_charge(struct resch_server *server, u64 time, u64 cost)
{
	struct resch_server_state *state = &server->state;

	state->consumed += time;
	state->left -= (s64)min(cost, BUDGET_DEBT_MAX);
	if (state->left < -(s64)BUDGET_DEBT_MAX)
		state->left = -(s64)BUDGET_DEBT_MAX;
}

/** budget_discard - what is left is given up, as if it had been used; a debt stays */
static inline void budget_discard(struct resch_server *server)
{
	server->state.left = min(server->state.left, 0LL);
}

/* A CBS that gets a job at @now, when it had none. */
static inline void budget_wake_cbs(struct resch_server *server, u64 now)
{
	struct resch_server_state *state = &server->state;

	if (now < state->deadline &&
	    !budget_exceeds(budget_of(server), state->left, state->deadline - now))
		return;
	state->left = min(state->left, 0LL);
	state->deadline = now;
	budget_fill(server, now);
}

/* A CUS or TBS that does. */
static inline void budget_wake_jobs(struct resch_server *server, u64 need, u64 now)
{
	struct resch_server_state *state = &server->state;
	struct budget *budget = budget_of(server);
	bool due = now >= state->deadline;
	u64 share = 0;

	need = min(need, server->params.budget);
	if (!due)
		share = mul_u64_u64_div_u64(state->deadline - now, budget->size, budget->period);
	if (state->left > 0)
		state->left = (s64)min((u64)state->left, share);
	if ((due || budget_at_once(server)) && (state->left < 0 || (u64)state->left < need))
		budget_cut(server, need, now);
}

/** budget_wake - a job that needs @need comes at @now to the server, which had none */
static inline void budget_wake(struct resch_server *server, u64 need, u64 now)
{
	if (budget_by_jobs(server))
		budget_wake_jobs(server, need, now);
	else
		budget_wake_cbs(server, now);
}

/** budget_next - the budget is used up, and it is time for a new one; the first job needs @need */
static inline void budget_next(struct resch_server *server, u64 need, u64 now)
{
	if (budget_by_jobs(server))
		budget_cut(server, need, now);
	else
		budget_fill(server, now);
}

/** budget_top_up - TBS: a job has ended, the next one needs @need. Whether anything changed */
static inline bool budget_top_up(struct resch_server *server, u64 need, u64 now)
{
	need = min(need, server->params.budget);
	if (server->params.kind != RESCH_SERVER_TBS ||
	    (server->state.left > 0 && (u64)server->state.left >= need))
		return false;
	budget_cut(server, need, now);
	return true;
}

#endif /* _RESCH_BUDGET_H */
