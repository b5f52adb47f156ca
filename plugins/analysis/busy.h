/* SPDX-License-Identifier: GPL-2.0 */
/*
 * busy.h - worst response times, job by job through a busy window
 *
 * Where deadlines are longer than periods jobs of a task queue up, and any of those of a window in
 * which there is always work may be the worst one: see rta.h.
 */
#ifndef _RESCH_ANALYSIS_BUSY_H
#define _RESCH_ANALYSIS_BUSY_H

#include "tasks.h"

/**
 * typedef resch_busy - when @demand of the task and all that goes before it and comes within
 * @window of the start of the window are done, ns after that start
 *
 * More of either never makes it earlier, and c more of @demand makes it later by c at least.
 * RESCH_NEVER: no work left, or beyond the horizon.
 */
typedef u64 (*resch_busy)(const void *question, const struct resch_task *task, u64 demand,
			  u64 window);

/**
 * resch_busy_response - the worst response time of @task, whose jobs cost @cost each, ns
 *
 * Stops at the first one above the deadline and returns that one. RESCH_NEVER: as @done says.
 */
static inline u64 resch_busy_response(const struct resch_task *task, u64 cost, resch_busy done,
				      const void *question)
{
	u64 period = task->params.period, deadline = task->params.deadline;
	u64 worst = 0, base = 0, demand = cost, window = cost, next;

	/*
	 * base is q T, demand (q + 1) C; the window only grows, and the interference with it, so it
	 * stays above the base
	 */
	for (;;) {
		next = done(question, task, demand, window);
		if (next == RESCH_NEVER)
			return RESCH_NEVER;
		if (next - base > deadline)
			return next - base;
		if (next > window) {
			window = next;
			continue;
		}
		worst = max(worst, window - base);
		if (window <= base + period)
			return worst;
		base += period;
		demand += cost;
		window += cost;
	}
}

#endif /* _RESCH_ANALYSIS_BUSY_H */
