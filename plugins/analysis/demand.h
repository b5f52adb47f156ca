/* SPDX-License-Identifier: GPL-2.0 */
/*
 * demand.h - what each task adds to the demand of jobs under EDF, for the tests that sum it up
 *
 * The terms of the processor demand criterion (Baruah, Rosier, Howell, Algorithms and complexity
 * concerning the preemptive scheduling of periodic, real-time tasks on one processor, Real-Time
 * Systems 2, 1990), for sporadic tasks with any deadlines. Sums of them over the tasks of a CPU
 * make qpa.h, over those of a group supply.h.
 */
#ifndef _RESCH_ANALYSIS_DEMAND_H
#define _RESCH_ANALYSIS_DEMAND_H

#include "tasks.h"

/**
 * resch_demand_due - (floor((t - D) / T) + 1) C, or 0 for t < D: of jobs that are released and due
 * in an interval of @length t, ns
 */
static inline u64 resch_demand_due(const struct resch_tasks *tasks, const struct resch_task *task,
				   u64 length)
{
	const struct resch_task_params *params = &task->params;

	if (length < params->deadline)
		return 0;
	return (div64_u64(length - params->deadline, params->period) + 1) *
	       resch_tasks_cost(tasks, task);
}

/** resch_demand_released - ceil(t / T) C: of jobs that are released in @length t > 0, ns */
static inline u64 resch_demand_released(const struct resch_tasks *tasks,
					const struct resch_task *task, u64 length)
{
	return (div64_u64(length - 1, task->params.period) + 1) * resch_tasks_cost(tasks, task);
}

/**
 * resch_demand_until - the longest interval of at most @limit whose end is a deadline when the
 * first job is released at its begin, ns; 0: there is none
 */
static inline u64 resch_demand_until(const struct resch_task *task, u64 limit)
{
	u64 deadline = task->params.deadline, period = task->params.period;

	if (deadline > limit)
		return 0;
	return deadline + div64_u64(limit - deadline, period) * period;
}

/**
 * struct resch_slack - La, the length from which on no interval can break a test whose supply grows
 * at a rate above the utilization, while the tasks are gone through
 * @sum:   of U_i (T_i - D_i), rounded up, after what the supply may fall behind its rate at first,
 *         ns
 * @bound: the largest D_i - T_i, ns
 * @count: of tasks
 */
struct resch_slack {
	u64 sum;
	u64 bound;
	u32 count;
};

static inline void resch_slack_add(struct resch_slack *slack, const struct resch_tasks *tasks,
				   const struct resch_task *task)
{
	u64 period = task->params.period, deadline = task->params.deadline;

	slack->count++;
	/* longer deadlines would only make the sum smaller: leaving them out is safe */
	if (deadline > period)
		slack->bound = max(slack->bound, deadline - period);
	else
		slack->sum +=
			resch_scale(resch_tasks_cost(tasks, task), period - deadline, period) + 1;
}

/**
 * resch_slack_end - max(@bound, @sum / (@rate - @share)), rounded up, ns; or the horizon if it is
 * beyond that
 * @rate:  of the supply, a share of a CPU
 * @share: utilization of the tasks
 */
static inline u64 resch_slack_end(const struct resch_slack *slack, u64 rate, u64 share)
{
	u64 gap, quotient;

	if (share + slack->count >= rate)
		return RESCH_HORIZON;
	/* all roundings make the gap smaller, and so the bound larger */
	gap = (rate - share - slack->count) >> 30;
	if (!gap)
		return RESCH_HORIZON;
	quotient = div64_u64(slack->sum, gap);
	if (quotient >= RESCH_HORIZON >> 31)
		return RESCH_HORIZON;
	return max(slack->bound,
		   (quotient << 30) + div64_u64((slack->sum - quotient * gap) << 30, gap) + 1);
}

#endif /* _RESCH_ANALYSIS_DEMAND_H */
