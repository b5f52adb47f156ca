/* SPDX-License-Identifier: GPL-2.0 */
/*
 * supply.h - exact EDF test for a group of tasks that has reserves in periodic time slots
 *
 * The group executes in up to RESCH_PARTS_MAX parts of each slot of length S, r ns of it in all.
 * Its tasks keep their deadlines in every pattern of releases exactly if in no interval of any
 * length t the demand exceeds the least supply (Shin, Lee, Periodic resource model for
 * compositional real-time guarantees, RTSS 2003, theorem 1; for slots: Sousa, Bletsas, Tovar,
 * Souto, Akesson, Unified overhead-aware schedulability analysis for slot-based task-splitting,
 * Real-Time Systems 50, 2014):
 *
 *   dbf(t) = sum of (floor((t - D_i) / T_i) + 1) C_i over D_i <= t    <=    sbf(t)
 *
 * sbf(t) is the least over all positions of the interval. Shifting an interval earlier by a little
 * loses what it gains at most, unless it begins where a part ends; so only those positions count:
 *
 *   sbf(t) = min over parts i of  floor(t / S) r + what lies in [end_i, end_i + t mod S)
 *
 * The search goes backwards as in qpa.h, from t to the shortest interval that is sure to supply
 * dbf(t): none of those between can fail. It begins at the smaller one of
 *
 *   La = max(max(D_i - T_i), (sum of U_i (T_i - D_i) + b) / (r / S - U)), where b
 *        is the largest t r / S - sbf(t)
 *   Lb = least t with sum of ceil(t / T_i) C_i <= sbf(t): the longest busy period
 */
#ifndef _RESCH_ANALYSIS_SUPPLY_H
#define _RESCH_ANALYSIS_SUPPLY_H

#include "demand.h"

/* ---- supply ---------------------------------------------------------------------------------- */

/** resch_supply_total - r: what the parts supply in a slot, ns */
static inline u64 resch_supply_total(const struct resch_parts *parts)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < parts->count; i++)
		total += parts->part[i].end - parts->part[i].begin;
	return total;
}

/* What of [@begin, @end) lies in the part; @end is at most two slots, @begin in the first. */
static inline u64 resch_supply_overlap(const struct resch_part *part, u64 slot, u64 begin, u64 end)
{
	u64 sum = 0;
	u32 k;

	for (k = 0; k < 2; k++) {
		u64 low = max(begin, part->begin + k * slot);
		u64 high = min(end, part->end + k * slot);

		if (low < high)
			sum += high - low;
	}
	return sum;
}

/** resch_supply - sbf(@length), ns; @length below RESCH_HORIZON */
static inline u64 resch_supply(const struct resch_parts *parts, u64 slot, u64 length)
{
	u64 whole = div64_u64(length, slot), rest = length - whole * slot;
	u64 least = RESCH_NEVER;
	u32 i, j;

	for (i = 0; i < parts->count; i++) {
		u64 begin = parts->part[i].end, sum = 0;

		for (j = 0; j < parts->count; j++)
			sum += resch_supply_overlap(&parts->part[j], slot, begin, begin + rest);
		least = min(least, sum);
	}
	return parts->count ? whole * resch_supply_total(parts) + least : 0;
}

/* How long from the end of part @first on it takes until the parts have supplied @need > 0. */
static inline u64 resch_supply_wait(const struct resch_parts *parts, u64 slot, u32 first, u64 need)
{
	u64 begin = parts->part[first].end;
	u32 i;

	for (i = 1; i <= parts->count; i++) {
		const struct resch_part *part = &parts->part[(first + i) % parts->count];
		u64 at = first + i < parts->count ? part->begin : part->begin + slot;
		u64 size = part->end - part->begin;

		if (size >= need)
			return at - begin + need;
		need -= size;
	}
	return RESCH_HORIZON; /* not reached: @need is at most r */
}

/**
 * resch_supply_inverse - the least t with sbf(t) >= @need, ns; at most about RESCH_HORIZON
 * @total: r, above 0
 */
static inline u64 resch_supply_inverse(const struct resch_parts *parts, u64 slot, u64 total,
				       u64 need)
{
	u64 whole, longest = 0;
	u32 i;

	if (!need)
		return 0;
	whole = div64_u64(need - 1, total);
	if (whole >= div64_u64(RESCH_HORIZON, slot))
		return RESCH_HORIZON;
	for (i = 0; i < parts->count; i++)
		longest = max(longest, resch_supply_wait(parts, slot, i, need - whole * total));
	return whole * slot + longest;
}

/* b, rounded up: the most that sbf(t) falls behind t r / S; it does so where a part begins. */
static inline u64 resch_supply_lag(const struct resch_parts *parts, u64 slot, u64 total)
{
	u64 lag = 0;
	u32 i, j;

	for (i = 0; i < parts->count; i++) {
		u64 supplied = 0;

		for (j = 1; j <= parts->count; j++) {
			const struct resch_part *part = &parts->part[(i + j) % parts->count];
			u64 at = part->begin + (i + j < parts->count ? 0 : slot);
			u64 even = resch_scale(at - parts->part[i].end, total, slot) + 1;

			if (even > supplied)
				lag = max(lag, even - supplied);
			supplied += part->end - part->begin;
		}
	}
	return lag;
}

/* ---- demand ---------------------------------------------------------------------------------- */

/*
 * A way through the tasks of a group, first the new one: those of all CPUs of the domain, as each
 * is on the list of the CPU where it joined.
 */
struct resch_crowd {
	struct resch_tasks *tasks;
	u32 group;
	u32 index; /* of the CPU whose list it is on */
	const struct resch_task *task;
};

static inline const struct resch_task *resch_crowd_first(struct resch_crowd *crowd,
							 struct resch_tasks *tasks)
{
	crowd->tasks = tasks;
	crowd->group = tasks->extra->params.group;
	crowd->index = 0;
	crowd->task = NULL;
	return tasks->extra;
}

/* NULL: that was the last one, or there is no work left. */
static inline const struct resch_task *resch_crowd_next(struct resch_crowd *crowd)
{
	const struct resch_rq *rq = crowd->tasks->rq;
	const struct resch_task *task = crowd->task;
	bool begin = !task;

	while (resch_tasks_step(crowd->tasks)) {
		if (begin)
			task = resch_rq_peer(rq, crowd->index)->tasks;
		else
			task = task->next;
		begin = !task;
		if (task && task->params.group == crowd->group) {
			crowd->task = task;
			return task;
		}
		if (!task && ++crowd->index == rq->nr_peers)
			return NULL;
	}
	return NULL;
}

#define resch_crowd_for_each(crowd, tasks, task) \
	for ((task) = resch_crowd_first((crowd), (tasks)); (task); (task) = resch_crowd_next(crowd))

/** resch_crowd_share - utilization of the group; stops at 8 */
static inline u64 resch_crowd_share(struct resch_tasks *tasks)
{
	const struct resch_task *task;
	struct resch_crowd crowd;
	u64 sum = 0;

	resch_crowd_for_each(&crowd, tasks, task) {
		sum += resch_share(resch_tasks_cost(tasks, task), task->params.period);
		if (sum >= 8 * RESCH_SHARE_ONE)
			break;
	}
	return sum;
}

/** resch_crowd_demand - dbf(@length), ns */
static inline u64 resch_crowd_demand(struct resch_tasks *tasks, u64 length)
{
	const struct resch_task *task;
	struct resch_crowd crowd;
	u64 sum = 0;

	resch_crowd_for_each(&crowd, tasks, task)
		sum += resch_demand_due(tasks, task, length);
	return sum;
}

/* The longest interval of at most @limit in which a job can be released and due, ns; 0: none. */
static inline u64 resch_crowd_until(struct resch_tasks *tasks, u64 limit)
{
	const struct resch_task *task;
	struct resch_crowd crowd;
	u64 last = 0;

	resch_crowd_for_each(&crowd, tasks, task)
		last = max(last, resch_demand_until(task, limit));
	return last;
}

/* La, rounded up, or the horizon if it is beyond that; @rate: r / S, @share: utilization. */
static inline u64 resch_crowd_slack_bound(struct resch_tasks *tasks, u64 lag, u64 rate, u64 share)
{
	struct resch_slack slack = { .sum = lag };
	const struct resch_task *task;
	struct resch_crowd crowd;

	resch_crowd_for_each(&crowd, tasks, task)
		resch_slack_add(&slack, tasks, task);
	return resch_slack_end(&slack, rate, share);
}

/* Lb, or @limit if it is longer or takes more than half of the work. */
static inline u64 resch_crowd_busy_period(struct resch_tasks *tasks,
					  const struct resch_parts *parts, u64 total, u64 limit)
{
	u64 slot = tasks->rq->plan->slot, spare = tasks->work / 2, window = 1, next;
	const struct resch_task *task;
	struct resch_crowd crowd;

	while (window < limit) {
		u64 work = 0;

		resch_crowd_for_each(&crowd, tasks, task)
			work += resch_demand_released(tasks, task, window);
		if (tasks->work <= spare)
			return limit;
		next = resch_supply_inverse(parts, slot, total, work);
		if (next <= window)
			return window;
		window = next;
	}
	return limit;
}

/* ---- the test -------------------------------------------------------------------------------- */

static inline int resch_supply_search(struct resch_tasks *tasks, const struct resch_parts *parts,
				      u64 total, u64 limit, struct resch_verdict *verdict)
{
	u64 slot = tasks->rq->plan->slot;
	u64 t = resch_crowd_until(tasks, limit);

	while (t && tasks->work) {
		u64 demand = resch_crowd_demand(tasks, t);
		u64 supply = resch_supply(parts, slot, t);

		if (demand > supply && tasks->work)
			return resch_verdict_refuse(verdict, RESCH_BOUND_RESERVE, 0, demand,
						    supply);
		t = resch_crowd_until(tasks,
				      min(t, resch_supply_inverse(parts, slot, total, demand)) - 1);
	}
	if (tasks->work)
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, RESCH_WORK_TEST,
				    RESCH_WORK_TEST);
}

/**
 * resch_test_supply - do the reserves of its group carry the new task and those that it has? 0, or
 * -EBUSY and the verdict
 *
 * tasks->rq->plan is there, and the group of tasks->extra has reserves in it.
 */
static inline int resch_test_supply(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct resch_plan *plan = tasks->rq->plan;
	const struct resch_parts *parts = &plan->parts[tasks->extra->params.group];
	u64 total = resch_supply_total(parts), rate = resch_share(total, plan->slot);
	u64 share = resch_crowd_share(tasks), limit;

	if (share > rate)
		return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
					    resch_share_ppm(share),
					    div64_u64(total * RESCH_PPM, plan->slot));
	limit = resch_crowd_slack_bound(tasks, resch_supply_lag(parts, plan->slot, total), rate,
					share);
	limit = resch_crowd_busy_period(tasks, parts, total, limit);
	return resch_supply_search(tasks, parts, total, limit, verdict);
}

/* The share of the CPU with @index in what the parts supply, in units of RESCH_SHARE_ONE. */
static inline u64 resch_supply_part(const struct resch_parts *parts, u32 index)
{
	u64 here = 0;
	u32 i;

	for (i = 0; i < parts->count; i++)
		if (parts->part[i].index == index)
			here += parts->part[i].end - parts->part[i].begin;
	return here ? resch_share(here, resch_supply_total(parts)) : 0;
}

/* What @task takes of the CPU with @index, if it spreads over its group's reserves evenly. */
static inline u64 resch_supply_load(struct resch_tasks *tasks, const struct resch_task *task,
				    u32 index)
{
	const struct resch_plan *plan = tasks->rq->plan;
	u32 group = task->params.group;

	if (!group || group > plan->nr_groups)
		return 0;
	return resch_share_mul(resch_share(resch_tasks_cost(tasks, task), task->params.period),
			       resch_supply_part(&plan->parts[group], index));
}

/**
 * resch_supply_fits - may the tasks have that much of each CPU that the new one comes to? 0, or
 * -EBUSY and the verdict
 */
static inline int resch_supply_fits(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	const struct resch_rq *rq = tasks->rq;
	const struct resch_parts *parts = &rq->plan->parts[tasks->extra->params.group];
	u64 limit = resch_share(min(rq->capacity, RESCH_PPM), RESCH_PPM);
	const struct resch_task *task;
	u32 i, k;

	for (i = 0; i < parts->count; i++) {
		u32 index = parts->part[i].index;
		u64 sum = resch_supply_load(tasks, tasks->extra, index);

		for (k = 0; k < rq->nr_peers; k++) {
			resch_rq_for_each(resch_rq_peer(rq, k), task) {
				if (sum > limit || !resch_tasks_step(tasks))
					break;
				sum += resch_supply_load(tasks, task, index);
			}
		}
		if (!tasks->work)
			return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, RESCH_WORK_TEST,
						    RESCH_WORK_TEST);
		if (sum > limit)
			return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0,
						    resch_share_ppm(sum),
						    min(rq->capacity, RESCH_PPM));
	}
	return 0;
}

#endif /* _RESCH_ANALYSIS_SUPPLY_H */
