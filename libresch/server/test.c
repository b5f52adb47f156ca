// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * test.c - does a server carry these tasks?
 *
 * The same bounds as the plugin's, whose head (plugins/analysis/server.h) says where they come
 * from, and a search of its own.
 */
#include <errno.h>
#include <stdlib.h>

#include "test.h"

typedef unsigned __int128 wide;

/* Less than the plugin's, which is not to give up where this does not. */
#define WORK (1ULL << 22)
#define SHARE_ONE (1ULL << 60)
#define PPM 1000000

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* @part / @whole in units of SHARE_ONE, rounded down, at most twice that */
static uint64_t share_of(uint64_t part, uint64_t whole)
{
	return part / 2 >= whole ? 2 * SHARE_ONE : (uint64_t)((wide)part * SHARE_ONE / whole);
}

static uint64_t deadline_of(const struct resch_server_task *task)
{
	return task->deadline ? task->deadline : task->period;
}

static uint64_t cost_of(const struct served *served, uint32_t i)
{
	return served->tasks[i].wcet + served->overhead;
}

static uint64_t due_of(const struct served *served, uint32_t i)
{
	return served->due ? served->due : deadline_of(&served->tasks[i]);
}

/* One task looked at. */
static bool step(struct served *served)
{
	return served->work && --served->work;
}

/* ---- supply ---------------------------------------------------------------------------------- */

/* @work / U, rounded up */
static uint64_t stretch(const struct served *served, uint64_t work)
{
	wide time = ((wide)work * served->period + served->budget - 1) / served->budget;

	return time < SERVED_HORIZON ? (uint64_t)time : SERVED_HORIZON;
}

static bool is_hard(const struct served *served)
{
	return !served->alone && served->params->kind == RESCH_SERVER_CBS_HARD;
}

/* How long @work takes at most from when the server gets it. */
static uint64_t wait_for(const struct served *served, uint64_t work)
{
	uint64_t budgets;
	wide time;

	if (!work || work >= SERVED_HORIZON)
		return work ? SERVED_HORIZON : 0;
	if (!is_hard(served))
		return least_of(stretch(served, work) + served->lag, SERVED_HORIZON);
	budgets = (work - 1) / served->budget;
	time = (wide)2 * (served->period - served->budget) + (wide)budgets * served->period + work -
	       budgets * served->budget;
	return time < SERVED_HORIZON ? (uint64_t)time : SERVED_HORIZON;
}

bool resch_served_promises(const struct resch_server_params *params)
{
	switch (params->kind) {
	case RESCH_SERVER_CBS_HARD:
	case RESCH_SERVER_CBS:
		return true;
	case RESCH_SERVER_CUS:
	case RESCH_SERVER_TBS:
		return params->policy != RESCH_SERVER_PLUGIN;
	default:
		return false; /* they have no tasks of their own */
	}
}

void resch_served_init(struct served *served)
{
	bool turns = served->params->policy == RESCH_SERVER_RR;
	uint64_t sum = served->known->sum, least = served->known->least;
	uint64_t most = least_of(served->known->most, served->budget);

	served->work = WORK;
	served->due = served->known->due;
	served->round = false;
	served->lag = 0;
	if (served->alone)
		return;
	switch (served->params->kind) {
	case RESCH_SERVER_CUS:
		served->round = stretch(served, sum) <= least;
		served->lag = (stretch(served, most) - most) * (turns ? 2 : 1);
		break;
	case RESCH_SERVER_TBS:
		served->round = stretch(served, sum) <= least;
		served->lag = stretch(served, sum + (turns ? most : 0));
		break;
	default:
		served->round = sum <= served->budget && served->period <= least;
		served->lag = stretch(served, sum) + served->period;
	}
}

static int refuse(struct resch_verdict *verdict, uint32_t bound, uint32_t task, uint64_t value,
		  uint64_t limit)
{
	*verdict = (struct resch_verdict){
		.bound = bound, .task = task, .cpu = -1, .value = value, .limit = limit
	};
	return -EBUSY;
}

/* The search has taken too long: what cannot be shown is not promised. */
static int give_up(struct resch_verdict *verdict)
{
	return refuse(verdict, RESCH_BOUND_PLUGIN, 0, WORK, WORK);
}

/* ---- EDF, FIFO ------------------------------------------------------------------------------- */

static uint64_t demand(struct served *served, uint64_t length)
{
	wide sum = 0;
	uint32_t i;

	for (i = 0; i < served->count && step(served); i++) {
		uint64_t due = due_of(served, i);

		if (length >= due)
			sum += (wide)((length - due) / served->tasks[i].period + 1) *
			       cost_of(served, i);
	}
	return sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON;
}

/* The latest deadline at or before @limit of jobs released together at 0; 0: none. */
static uint64_t last_due(struct served *served, uint64_t limit)
{
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < served->count && step(served); i++) {
		uint64_t due = due_of(served, i), period = served->tasks[i].period;

		if (due <= limit && due + (limit - due) / period * period > last)
			last = due + (limit - due) / period * period;
	}
	return last;
}

/*
 * No interval from here on can break the test: wait(w) <= w / U + delay, and dbf(t) is at most the
 * sum of U_i (t + T_i - D_i), from max (D_i - T_i) on. Rounded up generously.
 */
static uint64_t slack_bound(const struct served *served)
{
	long double rate = (long double)served->budget / (long double)served->period;
	long double delay = (long double)(is_hard(served) ? 2 * (served->period - served->budget) :
							    served->lag);
	long double share = 0, sum = rate * delay, bound = 0;
	uint32_t i;

	for (i = 0; i < served->count; i++) {
		long double period = (long double)served->tasks[i].period;
		long double early = period - (long double)due_of(served, i);
		long double part = (long double)cost_of(served, i) / period;

		share += part;
		if (early > 0)
			sum += part * early;
		else if (-early > bound)
			bound = -early;
	}
	if (rate - share <= 1e-12L)
		return SERVED_HORIZON;
	sum = sum / (rate - share) * (1 + 1e-6L) + 1;
	sum = sum > bound ? sum : bound;
	return sum < (long double)SERVED_HORIZON ? (uint64_t)sum + 1 : SERVED_HORIZON;
}

/* The longest time without an idle instant; @limit: it is longer, or takes long to find. */
static uint64_t busy_period(const struct served *served, uint64_t limit)
{
	uint64_t window = 1, next, rounds = 0;
	uint32_t i;

	while (window < limit && rounds++ < 10000) {
		wide sum = 0;

		for (i = 0; i < served->count; i++)
			sum += (wide)((window - 1) / served->tasks[i].period + 1) *
			       cost_of(served, i);
		next = wait_for(served, sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON);
		if (next <= window)
			return window;
		window = next;
	}
	return limit;
}

static void remember(struct served_known *known, uint64_t length, uint64_t work)
{
	known->shorts[known->next].length = length;
	known->shorts[known->next].work = work;
	known->next = (known->next + 1) % SERVED_SHORTS;
}

static int test_edf(struct served *served, struct resch_verdict *verdict)
{
	uint64_t t = last_due(served, busy_period(served, slack_bound(served)));

	while (t) {
		uint64_t work = demand(served, t), need = wait_for(served, work);

		if (!served->work)
			return give_up(verdict);
		if (need > t) {
			remember(served->known, t, work);
			return refuse(verdict, RESCH_BOUND_SERVER, 0, need, t);
		}
		t = last_due(served, least_of(t, need) - 1);
	}
	return served->work ? 0 : give_up(verdict);
}

/* ---- fixed priorities, turns ----------------------------------------------------------------- */

static uint64_t level(const struct served *served, const struct resch_server_task *task)
{
	if (served->params->policy == RESCH_SERVER_RM)
		return task->period;
	if (served->params->policy == RESCH_SERVER_PRIORITY)
		return task->priority ? task->priority : UINT32_MAX + deadline_of(task);
	return deadline_of(task);
}

static bool goes_before(const struct served *served, uint32_t a, uint32_t b)
{
	uint64_t one = level(served, &served->tasks[a]), two = level(served, &served->tasks[b]);

	return one < two || (one == two && a < b);
}

/* All of them looked at. */
static bool step_all(struct served *served)
{
	served->work -= least_of(served->work, served->count);
	return served->work;
}

/* The worst response time of the task at @place, or the first one above its deadline. */
static uint64_t response(struct served *served, uint32_t place)
{
	const uint32_t *order = served->known->order;
	const struct resch_server_task *task = &served->tasks[order[place]];
	uint64_t base = 0, worst = 0, window = 1, own = cost_of(served, order[place]);
	uint32_t i;

	for (;;) {
		wide sum = own;
		uint64_t next;

		if (!step_all(served))
			return UINT64_MAX;
		for (i = 0; i < place; i++)
			sum += (wide)((window - 1) / served->tasks[order[i]].period + 1) *
			       cost_of(served, order[i]);
		next = wait_for(served, sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON);
		if (next >= SERVED_HORIZON)
			return UINT64_MAX;
		if (next > base + deadline_of(task))
			return next - base;
		if (next > window) {
			window = next;
			continue;
		}
		if (window - base > worst)
			worst = window - base;
		if (window <= base + task->period)
			return worst;
		base += task->period;
		own += cost_of(served, order[place]);
	}
}

/* All others have a turn before each turn of a job, and no task has more than one job at a time. */
static uint64_t turns(struct served *served, uint32_t which)
{
	uint64_t quantum = served->params->quantum, wcet = served->tasks[which].wcet;
	wide others = served->overhead, work;
	uint32_t i;

	for (i = 0; i < served->count && step(served); i++)
		if (i != which)
			others += least_of(quantum, served->tasks[i].wcet) + served->overhead;
	work = wcet + ((wcet - 1) / quantum + 1) * others;
	return wait_for(served, work < SERVED_HORIZON ? (uint64_t)work : SERVED_HORIZON);
}

/* Its response or turns, and @limit on them. */
static uint64_t time_of(struct served *served, uint32_t which, uint64_t *limit)
{
	const struct resch_server_task *task = &served->tasks[which];
	uint32_t place = 0;

	*limit = deadline_of(task);
	if (served->params->policy == RESCH_SERVER_RR) {
		*limit = least_of(*limit, task->period);
		return turns(served, which);
	}
	while (served->known->order[place] != which)
		place++;
	return response(served, place);
}

static int test_each(struct served *served, struct resch_verdict *verdict)
{
	uint32_t i;

	for (i = 0; i < served->count; i++) {
		uint64_t limit, time = time_of(served, i, &limit);

		if (!served->work)
			return give_up(verdict);
		if (time > limit) {
			served->known->task = i + 1;
			return refuse(verdict, RESCH_BOUND_RESPONSE, i + 1,
				      least_of(time, SERVED_HORIZON), limit);
		}
	}
	return 0;
}

/* ---- any order ------------------------------------------------------------------------------- */

/* All that has come since the server was idle is done when its longest busy period ends. */
static int test_any(struct served *served, struct resch_verdict *verdict)
{
	uint64_t window = 1, least = UINT64_MAX, next;
	uint32_t i;

	for (i = 0; i < served->count; i++)
		least = least_of(least, deadline_of(&served->tasks[i]));
	for (;; window = next) {
		wide sum = 0;

		for (i = 0; i < served->count && step(served); i++)
			sum += (wide)((window - 1) / served->tasks[i].period + 1) *
			       cost_of(served, i);
		next = wait_for(served, sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON);
		if (!served->work)
			return give_up(verdict);
		if (next <= window)
			return 0;
		if (next > least)
			return refuse(verdict, RESCH_BOUND_SERVER, 0, next, least);
	}
}

/* ---- what tests have in common --------------------------------------------------------------- */

static int know_order(struct served *served, struct served_known *known)
{
	uint32_t i, place;

	known->order = calloc(served->count, sizeof(*known->order));
	if (!known->order)
		return -ENOMEM;
	for (i = 0; i < served->count; i++) {
		for (place = i; place && goes_before(served, i, known->order[place - 1]); place--)
			known->order[place] = known->order[place - 1];
		known->order[place] = i;
	}
	return 0;
}

int resch_served_know(struct served *served, struct served_known *known)
{
	uint32_t policy = served->params->policy, i;

	*known = (struct served_known){ .least = UINT64_MAX };
	known->due = policy == RESCH_SERVER_FIFO ? UINT64_MAX : 0;
	for (i = 0; i < served->count; i++) {
		const struct resch_server_task *task = &served->tasks[i];
		uint64_t cost = cost_of(served, i);

		known->sum += cost;
		known->most = cost > known->most ? cost : known->most;
		known->least = least_of(known->least, least_of(deadline_of(task), task->period));
		known->due = least_of(known->due, deadline_of(task));
		if (known->share <= SHARE_ONE)
			known->share += share_of(cost, task->period);
	}
	served->known = known;
	if (policy == RESCH_SERVER_DM || policy == RESCH_SERVER_RM ||
	    policy == RESCH_SERVER_PRIORITY)
		return know_order(served, known);
	return 0;
}

void resch_served_forget(struct served_known *known)
{
	free(known->order);
}

/* ---- the test -------------------------------------------------------------------------------- */

/*
 * An interval that was too short for its demand, or a task that was late, with another budget or
 * period: is it still? Then the rest need not be looked at.
 */
bool resch_served_refused(const struct served *served)
{
	const struct served_known *known = served->known;
	struct served copy = *served;
	uint64_t time, limit;
	uint32_t i;

	if (known->share > share_of(served->budget, served->period))
		return true;
	if (served->round)
		return false;
	for (i = 0; i < SERVED_SHORTS && known->shorts[i].length; i++)
		if (wait_for(served, known->shorts[i].work) > known->shorts[i].length)
			return true;
	if (!known->task)
		return false;
	time = time_of(&copy, known->task - 1, &limit);
	return !copy.work || time > limit;
}

int resch_served_test(struct served *served, struct resch_verdict *verdict)
{
	uint32_t policy = served->params->policy;
	uint64_t share = served->known->share, rate = share_of(served->budget, served->period);

	if (share > rate)
		return refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
			      (uint64_t)(((wide)share * PPM + SHARE_ONE - 1) / SHARE_ONE),
			      (uint64_t)((wide)served->budget * PPM / served->period));
	if (served->round)
		return 0;
	if (policy == RESCH_SERVER_PLUGIN)
		return test_any(served, verdict);
	if (policy == RESCH_SERVER_EDF || policy == RESCH_SERVER_FIFO)
		return test_edf(served, verdict);
	return test_each(served, verdict);
}
