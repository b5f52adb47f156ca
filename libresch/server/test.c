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

bool resch_served_hard(const struct served *served)
{
	return !served->alone && served->params->kind == RESCH_SERVER_CBS_HARD;
}

uint64_t resch_served_wait(const struct served *served, uint64_t work)
{
	uint64_t budgets;
	wide time;

	if (!work || work >= SERVED_HORIZON)
		return work ? SERVED_HORIZON : 0;
	if (!resch_served_hard(served))
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

	served->work = SERVED_WORK;
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

int resch_served_refuse(struct resch_verdict *verdict, uint32_t bound, uint32_t task,
			uint64_t value, uint64_t limit)
{
	*verdict = (struct resch_verdict){
		.bound = bound, .task = task, .cpu = -1, .value = value, .limit = limit
	};
	return -EBUSY;
}

int resch_served_give_up(struct resch_verdict *verdict)
{
	return resch_served_refuse(verdict, RESCH_BOUND_PLUGIN, 0, SERVED_WORK, SERVED_WORK);
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
		next = resch_served_wait(served,
					 sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON);
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
	return resch_served_wait(served, work < SERVED_HORIZON ? (uint64_t)work : SERVED_HORIZON);
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
			return resch_served_give_up(verdict);
		if (time > limit) {
			served->known->task = i + 1;
			return resch_served_refuse(verdict, RESCH_BOUND_RESPONSE, i + 1,
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
		next = resch_served_wait(served,
					 sum < SERVED_HORIZON ? (uint64_t)sum : SERVED_HORIZON);
		if (!served->work)
			return resch_served_give_up(verdict);
		if (next <= window)
			return 0;
		if (next > least)
			return resch_served_refuse(verdict, RESCH_BOUND_SERVER, 0, next, least);
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
	if (policy == RESCH_SERVER_EDF || policy == RESCH_SERVER_FIFO)
		return resch_served_rows(served, known);
	return 0;
}

void resch_served_forget(struct served_known *known)
{
	free(known->order);
	free(known->rows);
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
		if (resch_served_wait(served, known->shorts[i].work) > known->shorts[i].length)
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
		return resch_served_refuse(
			verdict, RESCH_BOUND_UTILIZATION, 0,
			(uint64_t)(((wide)share * PPM + SHARE_ONE - 1) / SHARE_ONE),
			(uint64_t)((wide)served->budget * PPM / served->period));
	if (served->round)
		return 0;
	if (policy == RESCH_SERVER_PLUGIN)
		return test_any(served, verdict);
	if (policy == RESCH_SERVER_EDF || policy == RESCH_SERVER_FIFO)
		return resch_served_edf(served, verdict);
	return test_each(served, verdict);
}
