/* SPDX-License-Identifier: GPL-2.0 */
/*
 * server.h - admission to servers: at the door of the CPU, and at the door of a server
 *
 * The door of the CPU: sizes, (budget + overhead) / period, add up to the capacity at most, and to
 * 1 less the size of the server that the rest of Linux has.
 *
 * The door of a server of size U = Q / T: whenever it gets work, it has done w of it after wait(w)
 * at the latest:
 *
 *   CBS, hard, and passive
 *               2 (T - Q) + floor((w - 1) / Q) T + rest: the periodic resource model. Shin, Lee,
 *               RTSS 2003, section 4
 *   others      w / U + lag
 *     CUS         lag = (1 - U) q / U: a budget of at most q, just used up as early as can be
 *     TBS         lag = sum of C_i / U: its deadline is so far ahead at most, if it has run ahead
 *                 of time, for the work released since it was idle is at most that and U of
 *                 the time
 *     CBS, soft   lag = sum of C_i / U + T, likewise, with budgets that are not cut to the work
 *
 * q is the largest C_i, at most Q. That budgets of CUS and TBS end with the jobs that they are for
 * is used; under round robin they do not: there one more q / U, or (1 - U) q / U, is added.
 *
 * Many servers are made for what they carry, one budget for a job of each task. That holds, under
 * any policy, where no period and no deadline is shorter than a round: T, if sum of C_i <= Q, for a
 * CBS; sum of C_i / U for CUS and TBS. A round begins when a job comes to the idle server and its
 * deadline is past, or moved; in it comes at most one job of each task, and all are done by its
 * end.
 *
 * Otherwise wait() takes the place of time in the tests that are exact on a processor of its own:
 *
 *   EDF         wait(dbf(t)) <= t at every deadline t, searched as in supply.h
 *   FIFO        the same, with the shortest deadline as everybody's: then EDF is FIFO
 *   DM, RM, priorities   response times as in rta.h, R = wait(demand of a busy window)
 *   RR          all others have a turn before each turn of a job, as in demo.c
 *   a plugin    whoever picks a task whenever one is ready has done all that came since the server
 *               was idle after its longest busy period, the least W with wait(what comes in W)
 *               <= W: that is no longer than any deadline
 *
 * Members (RESCH_F_FAMILY) may use all that the server has: it promises nothing to other tasks
 * then, and takes no members while it does.
 */
#ifndef _RESCH_ANALYSIS_SERVER_H
#define _RESCH_ANALYSIS_SERVER_H

#include <resch/sizes.h>

#include "bisect.h"
#include "busy.h"
#include "demand.h"

/* Work that is out of the question, ns: what a server might do in three days and more. */
#define RESCH_SERVER_WORK_MAX (1ULL << 48)

/* ---- the door of the CPU --------------------------------------------------------------------- */

static inline u64 resch_server_size(const struct resch_rq *rq, u64 budget, u64 period)
{
	return budget ? resch_share(budget + rq->overhead, period) : 0;
}

/* What the server has, or may still have. */
static inline u64 resch_server_claim(const struct resch_rq *rq, const struct resch_server *server)
{
	return max(resch_server_size(rq, server->params.budget, server->params.period),
		   resch_server_size(rq, server->held_budget, server->held_period));
}

/* The question of the two that follow: with another budget or period, is the size at most @rest? */
struct resch_server_fit {
	const struct resch_rq *rq;
	const struct resch_server *server;
	u64 rest;
};

static inline bool resch_server_budget_fits(void *question, u64 budget)
{
	const struct resch_server_fit *fit = question;

	return resch_server_size(fit->rq, budget, fit->server->params.period) <= fit->rest;
}

static inline bool resch_server_period_fits(void *question, u64 period)
{
	const struct resch_server_fit *fit = question;

	return resch_server_size(fit->rq, fit->server->params.budget, period) <= fit->rest;
}

/* The largest budget, and the smallest period, with which a size is at most @rest; 0: none. */
static inline void resch_server_suggest(const struct resch_rq *rq,
					const struct resch_server *server, u64 rest,
					struct resch_verdict *verdict)
{
	struct resch_server_fit fit = { .rq = rq, .server = server, .rest = rest };
	u64 budget = server->params.budget, period = server->params.period, fits;

	fits = resch_bisect(0, budget, resch_server_budget_fits, &fit);
	verdict->suggest_wcet = resch_server_size_valid(fits, period) ? fits : 0;
	if (!resch_server_period_fits(&fit, RESCH_TIME_MAX))
		return;
	fits = resch_bisect(RESCH_TIME_MAX, period, resch_server_period_fits, &fit);
	verdict->suggest_period = resch_server_size_valid(budget, fits) ? fits : 0;
}

/** resch_admit_server - admit_server() of a plugin that does EDF over servers */
static inline int resch_admit_server(const struct resch_rq *rq, const struct resch_server *server,
				     struct resch_verdict *verdict)
{
	u64 full = resch_share(RESCH_PPM, RESCH_PPM), others = 0, rest = 0;
	u32 capacity = min(rq->capacity, RESCH_PPM);
	u64 limit = resch_share(capacity, RESCH_PPM);
	bool linux_own = server->params.kind == RESCH_SERVER_LINUX;
	u64 own = resch_server_claim(rq, server);
	const struct resch_server *other;

	resch_rq_for_each_server(rq, other) {
		if (other->id == server->id && other->params.budget)
			continue;
		if (other->params.kind == RESCH_SERVER_LINUX)
			rest = resch_server_claim(rq, other);
		else
			others += resch_server_claim(rq, other);
	}
	if (linux_own && others <= limit) {
		limit = full;
		capacity = RESCH_PPM;
	} else if (!linux_own && full - min(rest, full) < limit) {
		limit = full - min(rest, full);
		capacity = RESCH_PPM - (u32)resch_share_ppm(rest - 1);
	}
	if (others + own <= limit)
		return 0;
	if (others < limit)
		resch_server_suggest(rq, server, limit - others, verdict);
	return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
				    resch_share_ppm(others + own), capacity);
}

/** resch_server_find - the server with @id that serves the CPU, or NULL */
static inline const struct resch_server *resch_server_find(const struct resch_rq *rq, u32 id)
{
	const struct resch_server *server;

	resch_rq_for_each_server(rq, server)
		if (server->id == id && server->params.budget)
			return server;
	return NULL;
}

/* ---- the tasks of a server ------------------------------------------------------------------- */

/**
 * resch_server_level - the priority of a task under DM, RM and priorities; smaller is more urgent
 */
static inline u64 resch_server_level(const struct resch_server_params *params,
				     const struct resch_task *task)
{
	if (params->policy == RESCH_SERVER_RM)
		return task->params.period;
	if (params->policy == RESCH_SERVER_PRIORITY)
		return task->params.priority ? task->params.priority :
					       (u64)U32_MAX + task->params.deadline;
	return task->params.deadline;
}

/* The next task of the same server; NULL: that was the last one, or there is no work left. */
static inline const struct resch_task *resch_server_after(struct resch_tasks *tasks,
							  const struct resch_task *task)
{
	while (resch_tasks_step(tasks)) {
		task = resch_tasks_next(tasks, task);
		if (!task || task->params.group == tasks->extra->params.group)
			return task;
	}
	return NULL;
}

#define resch_server_for_each(tasks, task) \
	for ((task) = (tasks)->extra; (task); (task) = resch_server_after(tasks, task))

/* ---- supply ---------------------------------------------------------------------------------- */

/** struct resch_served - a server as its tasks see it
 * @tasks:    the tasks
 * @params: of the server, but for the size, which may be that of before
 * @budget, @period: Q and T
 * @lag:    see above; not for the hard CBS
 * @due:    everybody's relative deadline; 0: each has its own
 * @round:  a round carries one job of each task, and is over before the next one comes
 */
struct resch_served {
	struct resch_tasks *tasks;
	const struct resch_server_params *params;
	u64 budget;
	u64 period;
	u64 lag;
	u64 due;
	bool round;
};

/* @work / U, rounded up */
static inline u64 resch_served_stretch(const struct resch_served *served, u64 work)
{
	u64 time;

	if (work > RESCH_SERVER_WORK_MAX)
		return RESCH_HORIZON;
	time = mul_u64_u64_div_u64(work, served->period, served->budget);
	return work * served->period == time * served->budget ? time : time + 1;
}

/* Has it whole budgets, and waits for each? */
static inline bool resch_served_waits(const struct resch_served *served)
{
	return served->params->kind == RESCH_SERVER_CBS_HARD ||
	       served->params->kind == RESCH_SERVER_PASSIVE;
}

/** resch_served_wait - how long @work takes at most, from when the server gets it, ns */
static inline u64 resch_served_wait(const struct resch_served *served, u64 work)
{
	u64 budget = served->budget, period = served->period, whole;

	if (!work || work > RESCH_SERVER_WORK_MAX)
		return work ? RESCH_HORIZON : 0;
	if (!resch_served_waits(served))
		return resch_served_stretch(served, work) + served->lag;
	whole = div64_u64(work - 1, budget);
	return 2 * (period - budget) + whole * period + work - whole * budget;
}

static inline u64 resch_served_delay(const struct resch_served *served)
{
	if (resch_served_waits(served))
		return 2 * (served->period - served->budget);
	return served->lag;
}

static inline void resch_served_init(struct resch_served *served, struct resch_tasks *tasks,
				     const struct resch_server *server, bool before)
{
	bool turns = server->params.policy == RESCH_SERVER_RR;
	const struct resch_task *task;
	u64 sum = 0, most = 0, least = RESCH_NEVER;

	served->tasks = tasks;
	served->params = &server->params;
	served->budget = before ? server->held_budget : server->params.budget;
	served->period = before ? server->held_period : server->params.period;
	served->due = server->params.policy == RESCH_SERVER_FIFO ? RESCH_NEVER : 0;
	resch_server_for_each(tasks, task) {
		sum += resch_tasks_cost(tasks, task);
		most = max(most, resch_tasks_cost(tasks, task));
		least = min(least, min(task->params.deadline, task->params.period));
		served->due = min(served->due, task->params.deadline);
	}
	if (server->params.kind == RESCH_SERVER_CUS || server->params.kind == RESCH_SERVER_TBS)
		served->round = resch_served_stretch(served, sum) <= least;
	else
		served->round = sum <= served->budget && served->period <= least;
	most = min(most, served->budget);
	switch (server->params.kind) {
	case RESCH_SERVER_CUS:
		served->lag = resch_served_stretch(served, most) - most;
		served->lag += turns ? served->lag : 0;
		break;
	case RESCH_SERVER_TBS:
		served->lag = resch_served_stretch(served, sum + (turns ? most : 0));
		break;
	default:
		served->lag = resch_served_stretch(served, sum) + served->period;
	}
}

/* ---- EDF, and FIFO --------------------------------------------------------------------------- */

static inline u64 resch_served_due(const struct resch_served *served, const struct resch_task *task)
{
	return served->due ? served->due : task->params.deadline;
}

/* dbf(@length) */
static inline u64 resch_served_demand(const struct resch_served *served, u64 length)
{
	const struct resch_task *task;
	u64 sum = 0;

	resch_server_for_each(served->tasks, task) {
		u64 due = resch_served_due(served, task);

		if (length >= due)
			sum += (div64_u64(length - due, task->params.period) + 1) *
			       resch_tasks_cost(served->tasks, task);
	}
	return sum;
}

/* The longest interval of at most @limit in which a job can be released and due, ns; 0: none. */
static inline u64 resch_served_until(const struct resch_served *served, u64 limit)
{
	const struct resch_task *task;
	u64 last = 0;

	resch_server_for_each(served->tasks, task) {
		u64 due = resch_served_due(served, task), period = task->params.period;

		if (due <= limit)
			last = max(last, due + div64_u64(limit - due, period) * period);
	}
	return last;
}

/*
 * The longest interval that can break the test, rounded up, or the horizon: from there on U of the
 * time less the delay is above U_i (t + T_i - D_i), summed up. @rate: U, @share: sum of U_i
 */
static inline u64 resch_served_slack_bound(const struct resch_served *served, u64 rate, u64 share)
{
	u64 delay = resch_served_delay(served);
	const struct resch_task *task;
	struct resch_slack slack;

	if (delay > RESCH_SERVER_WORK_MAX)
		return RESCH_HORIZON;
	slack.sum = mul_u64_u64_div_u64(delay, served->budget, served->period) + 1;
	slack.bound = 0;
	slack.count = 0;
	resch_server_for_each(served->tasks, task) {
		u64 period = task->params.period, due = resch_served_due(served, task);

		slack.count++;
		if (due > period)
			slack.bound = max(slack.bound, due - period);
		else
			slack.sum += resch_scale(resch_tasks_cost(served->tasks, task),
						 period - due, period) +
				     1;
	}
	return resch_slack_end(&slack, rate, share);
}

/*
 * The longest time for which the server has work without a pause, or @limit if it takes too long.
 */
static inline u64 resch_served_busy_period(const struct resch_served *served, u64 limit)
{
	u64 spare = served->tasks->work / 2, window = 1, next;
	const struct resch_task *task;

	while (window < limit) {
		u64 work = 0;

		resch_server_for_each(served->tasks, task)
			work += resch_demand_released(served->tasks, task, window);
		if (served->tasks->work <= spare)
			return limit;
		next = resch_served_wait(served, work);
		if (next <= window)
			return window;
		window = next;
	}
	return limit;
}

static inline int resch_served_test_edf(const struct resch_served *served, u64 rate, u64 share,
					struct resch_verdict *verdict)
{
	u64 limit = resch_served_slack_bound(served, rate, share), t, need;

	limit = resch_served_busy_period(served, limit);
	t = resch_served_until(served, limit);
	while (t && served->tasks->work) {
		need = resch_served_wait(served, resch_served_demand(served, t));
		if (need > t && served->tasks->work)
			return resch_verdict_refuse(verdict, RESCH_BOUND_SERVER, 0, need, t);
		t = resch_served_until(served, min(t, need) - 1);
	}
	return 0;
}

/* ---- fixed priorities ------------------------------------------------------------------------ */

/* Does @a go before @b? The new task has no id yet: it will be the last. */
static inline bool resch_served_before(const struct resch_served *served,
				       const struct resch_task *a, const struct resch_task *b)
{
	u64 one = resch_server_level(served->params, a),
	    two = resch_server_level(served->params, b);

	if (one != two)
		return one < two;
	if (a == served->tasks->extra || b == served->tasks->extra)
		return b == served->tasks->extra;
	return a->id < b->id;
}

static inline u64 resch_served_interference(const struct resch_served *served,
					    const struct resch_task *task, u64 window)
{
	const struct resch_task *other;
	u64 sum = 0;

	resch_server_for_each(served->tasks, other) {
		if (other != task && resch_served_before(served, other, task))
			sum += resch_demand_released(served->tasks, other, window);
	}
	return sum;
}

static inline u64 resch_served_done(const void *question, const struct resch_task *task, u64 demand,
				    u64 window)
{
	const struct resch_served *served = question;
	u64 done =
		resch_served_wait(served, demand + resch_served_interference(served, task, window));

	return served->tasks->work && done < RESCH_HORIZON ? done : RESCH_NEVER;
}

/* Round robin: before each of its turns all others have one. One job of each at a time. */
static inline u64 resch_served_turns(const struct resch_served *served,
				     const struct resch_task *task)
{
	u64 quantum = served->params->quantum, overhead = served->tasks->rq->overhead, others = 0;
	u64 turns = div64_u64(task->params.wcet - 1, quantum) + 1;
	const struct resch_task *other;

	resch_server_for_each(served->tasks, other)
		if (other != task)
			others += min(quantum, other->params.wcet) + overhead;
	if (others > div64_u64(RESCH_SERVER_WORK_MAX, turns))
		return RESCH_HORIZON;
	return resch_served_wait(served, task->params.wcet + turns * (others + overhead));
}

static inline int resch_served_test_each(const struct resch_served *served,
					 struct resch_verdict *verdict)
{
	bool turns = served->params->policy == RESCH_SERVER_RR;
	const struct resch_task *task;
	u64 response, limit;

	resch_server_for_each(served->tasks, task) {
		if (task != served->tasks->extra && task->params.flags & RESCH_F_SKIP_ADMISSION)
			continue;
		response = turns ? resch_served_turns(served, task) :
				   resch_busy_response(task, resch_tasks_cost(served->tasks, task),
						       resch_served_done, served);
		limit = task->params.deadline;
		if (turns)
			limit = min(limit, task->params.period);
		if (response == RESCH_NEVER)
			return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN,
						    resch_tasks_name(served->tasks, task),
						    RESCH_WORK_TEST, RESCH_WORK_TEST);
		if (response > limit)
			return resch_verdict_refuse(verdict, RESCH_BOUND_RESPONSE,
						    resch_tasks_name(served->tasks, task), response,
						    limit);
	}
	return 0;
}

/* ---- any order ------------------------------------------------------------------------------- */

/* Is the server's longest busy period over by the shortest deadline? */
static inline int resch_served_test_any(const struct resch_served *served,
					struct resch_verdict *verdict)
{
	u64 window = 1, least = RESCH_NEVER, work, next;
	const struct resch_task *task;

	resch_server_for_each(served->tasks, task)
		if (task == served->tasks->extra || !(task->params.flags & RESCH_F_SKIP_ADMISSION))
			least = min(least, task->params.deadline);
	while (served->tasks->work) {
		work = 0;
		resch_server_for_each(served->tasks, task)
			work += resch_demand_released(served->tasks, task, window);
		next = resch_served_wait(served, work);
		if (next <= window)
			return 0;
		if (next > least)
			return resch_verdict_refuse(verdict, RESCH_BOUND_SERVER, 0, next, least);
		window = next;
	}
	return 0;
}

/* ---- the test -------------------------------------------------------------------------------- */

static inline int resch_served_test(const struct resch_served *served,
				    struct resch_verdict *verdict)
{
	u64 rate = resch_share(served->budget, served->period), share = 0;
	struct resch_tasks *tasks = served->tasks;
	const struct resch_task *task;
	int err;

	resch_server_for_each(tasks, task) {
		share += resch_share(resch_tasks_cost(tasks, task), task->params.period);
		if (share > RESCH_SHARE_ONE)
			break;
	}
	if (share > rate)
		return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
					    resch_share_ppm(share),
					    div64_u64(served->budget * RESCH_PPM, served->period));
	if (served->round)
		err = 0;
	else if (served->params->policy == RESCH_SERVER_PLUGIN)
		err = resch_served_test_any(served, verdict);
	else if (served->params->policy == RESCH_SERVER_EDF ||
		 served->params->policy == RESCH_SERVER_FIFO)
		err = resch_served_test_edf(served, rate, share, verdict);
	else
		err = resch_served_test_each(served, verdict);
	if (!err && !tasks->work)
		err = resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, RESCH_WORK_TEST,
					   RESCH_WORK_TEST);
	return err;
}

/* Is the server for members, or for tasks with promises? 0, or -EBUSY and the verdict: for both. */
static inline int resch_served_family(const struct resch_served *served,
				      struct resch_verdict *verdict)
{
	u64 rate = resch_share(served->budget, served->period), share = 0;
	const struct resch_tasks *tasks = served->tasks;
	const struct resch_task *task;
	bool members = false;

	resch_server_for_each(served->tasks, task) {
		if (task->params.flags & RESCH_F_FAMILY)
			members = true;
		else if (task == tasks->extra || !(task->params.flags & RESCH_F_SKIP_ADMISSION))
			share += resch_share(resch_tasks_cost(tasks, task), task->params.period);
		if (share > RESCH_SHARE_ONE)
			break;
	}
	if (!members || !share)
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
				    resch_share_ppm(share + rate), resch_share_ppm(rate));
}

/**
 * resch_test_server - does its server carry the new task and those that it has? 0, or -EBUSY and
 * the verdict
 *
 * The server is there. One that was resized has to carry them with either size.
 */
static inline int resch_test_server(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct resch_server *server =
		resch_server_find(tasks->rq, tasks->extra->params.group);
	struct resch_served served;
	int err;

	resch_served_init(&served, tasks, server, false);
	err = resch_served_family(&served, verdict);
	if (err || tasks->extra->params.flags & RESCH_F_FAMILY)
		return err;
	err = resch_served_test(&served, verdict);
	if (err || !server->held_budget)
		return err;
	resch_served_init(&served, tasks, server, true);
	return resch_served_test(&served, verdict);
}

#endif /* _RESCH_ANALYSIS_SERVER_H */
