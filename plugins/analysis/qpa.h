/* SPDX-License-Identifier: GPL-2.0 */
/*
 * qpa.h - exact EDF test for any deadlines: quick processor-demand analysis
 *
 * Zhang, Burns, Schedulability analysis for real-time systems with EDF scheduling, IEEE Trans.
 * Computers 58(9), 2009: the demand h(t) of all jobs that are released and due in an interval of
 * length t must not exceed t, and going backwards from a bound L, from t to h(t), passes no
 * interval that breaks it (theorem 5). L is the smaller one of
 *
 *   La = max(max(D_i - T_i), sum of U_i (T_i - D_i) / (1 - U))   (section 3, for U < 1)
 *   Lb = the synchronous busy period: least fixed point of w = sum of ceil(w / T_i) C_i
 *        (Spuri, 1996)
 */
#ifndef _RESCH_ANALYSIS_QPA_H
#define _RESCH_ANALYSIS_QPA_H

#include "demand.h"

/**
 * resch_qpa_demand - h(@length), ns; RESCH_NEVER: no work left. Utilization <= 1 and @length <=
 * horizon: no overflow
 */
static inline u64 resch_qpa_demand(struct resch_tasks *tasks, u64 length)
{
	const struct resch_task *task;
	u64 sum = 0;

	resch_tasks_for_each(tasks, task) {
		if (!resch_tasks_step(tasks))
			return RESCH_NEVER;
		sum += resch_demand_due(tasks, task, length);
	}
	return sum;
}

/*
 * The largest absolute deadline of a synchronous start that is at most @limit; 0: there is none.
 * RESCH_NEVER: no work.
 */
static inline u64 resch_qpa_deadline_until(struct resch_tasks *tasks, u64 limit)
{
	const struct resch_task *task;
	u64 last = 0;

	resch_tasks_for_each(tasks, task) {
		if (!resch_tasks_step(tasks))
			return RESCH_NEVER;
		last = max(last, resch_demand_until(task, limit));
	}
	return last;
}

/**
 * resch_qpa_slack_bound - La, rounded up, or the horizon if it is beyond that; @share: utilization
 * of the tasks
 */
static inline u64 resch_qpa_slack_bound(const struct resch_tasks *tasks, u64 share)
{
	struct resch_slack slack = { 0 };
	const struct resch_task *task;

	resch_tasks_for_each(tasks, task)
		resch_slack_add(&slack, tasks, task);
	return resch_slack_end(&slack, RESCH_SHARE_ONE, share);
}

/*
 * Steps for Lb where La is there, too: from a larger L the search takes a few rounds more, so it is
 * not worth a lot.
 */
#define RESCH_QPA_BUSY_WORK (1ULL << 14)

/** resch_qpa_busy_period - Lb, or @limit if it is longer or takes too much of the work */
static inline u64 resch_qpa_busy_period(struct resch_tasks *tasks, u64 limit)
{
	u64 effort = limit < RESCH_HORIZON ? min(tasks->work / 2, RESCH_QPA_BUSY_WORK) :
					     tasks->work / 2;
	u64 window = 1, next = 0, spare = tasks->work - effort;
	const struct resch_task *task;

	/* with a window of 1 the first round is the sum of all costs */
	for (; window < limit; window = next) {
		next = 0;
		resch_tasks_for_each(tasks, task) {
			if (tasks->work <= spare || !resch_tasks_step(tasks))
				return limit;
			next += resch_demand_released(tasks, task, window);
		}
		if (next == window)
			return window;
	}
	return limit;
}

/**
 * resch_test_qpa - does EDF schedule the tasks? 0, or -EBUSY and the verdict
 * @share: its utilization; must be at most 1
 */
static inline int resch_test_qpa(struct resch_tasks *tasks, u64 share,
				 struct resch_verdict *verdict)
{
	const struct resch_task *task;
	u64 first = RESCH_NEVER, t, h;

	resch_tasks_for_each(tasks, task)
		first = min(first, task->params.deadline);
	t = resch_qpa_deadline_until(
		tasks, resch_qpa_busy_period(tasks, resch_qpa_slack_bound(tasks, share)));
	while (t && t != RESCH_NEVER) {
		h = resch_qpa_demand(tasks, t);
		if (h == RESCH_NEVER)
			break;
		if (h > t)
			return resch_verdict_refuse(verdict, RESCH_BOUND_DEMAND, 0, h, t);
		if (h <= first)
			return 0;
		t = h < t ? h : resch_qpa_deadline_until(tasks, t - 1);
	}
	if (!t)
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, RESCH_WORK_TEST,
				    RESCH_WORK_TEST);
}

#endif /* _RESCH_ANALYSIS_QPA_H */
