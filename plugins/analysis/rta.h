/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rta.h - exact response times under preemptive fixed priorities, any deadlines
 *
 * Sporadic or periodic tasks that may all be released at once. With deadlines up to the period one
 * job has to be looked at: Joseph, Pandya, The Computer Journal 29(5), 1986; Audsley and others,
 * 1993. With longer ones jobs of a task queue up, and every job of the level-i busy period has to
 * be: Lehoczky, RTSS 1990, section 3; Tindell, Burns, Wellings, 1994:
 *
 *   w(q) = (q + 1) C + sum over higher priorities of ceil(w(q) / T_j) C_j
 *   R = max over q of w(q) - q T
 *
 * for q = 0, 1, ... up to the first q with w(q) <= (q + 1) T.
 */
#ifndef _RESCH_ANALYSIS_RTA_H
#define _RESCH_ANALYSIS_RTA_H

#include "busy.h"

/**
 * typedef resch_level - what orders tasks: smaller is more urgent; equal ones: the new task last,
 * the others by id
 */
typedef u64 (*resch_level)(const u64 *domain, const struct resch_task *task);

/* Does @a, at @level_a, go before another task @b at @level_b? */
static inline bool resch_rta_before(const struct resch_tasks *tasks, const struct resch_task *a,
				    u64 level_a, const struct resch_task *b, u64 level_b)
{
	if (level_a != level_b)
		return level_a < level_b;
	if (a == tasks->extra || b == tasks->extra)
		return b == tasks->extra;
	return a->id < b->id;
}

/*
 * What the tasks above @task ask for in the first @window of a busy period, ns. Bounded by @window
 * plus all costs while the utilization is at most 1. RESCH_NEVER: no work left.
 */
static inline u64 resch_rta_interference(struct resch_tasks *tasks, resch_level level,
					 const struct resch_task *task, u64 own, u64 window)
{
	const struct resch_task *other;
	u64 sum = 0;

	resch_tasks_for_each(tasks, other) {
		if (!resch_tasks_step(tasks))
			return RESCH_NEVER;
		if (other == task ||
		    !resch_rta_before(tasks, other, level(tasks->rq->domain, other), task, own))
			continue;
		sum += (div64_u64(window - 1, other->params.period) + 1) *
		       resch_tasks_cost(tasks, other);
	}
	return sum;
}

/* struct resch_rta - the question of resch_rta_done() */
struct resch_rta {
	struct resch_tasks *tasks;
	resch_level level;
	u64 own; /* the level of the task */
};

static inline u64 resch_rta_done(const void *question, const struct resch_task *task, u64 demand,
				 u64 window)
{
	const struct resch_rta *rta = question;
	u64 others = resch_rta_interference(rta->tasks, rta->level, task, rta->own, window);

	return others == RESCH_NEVER || demand + others > RESCH_HORIZON ? RESCH_NEVER :
									  demand + others;
}

/**
 * resch_rta_response - worst response time of @task, which is in @tasks, ns
 *
 * Their utilization must be at most 1. Else as resch_busy_response(); RESCH_NEVER: no work
 * left, or beyond the horizon.
 */
static inline u64 resch_rta_response(struct resch_tasks *tasks, resch_level level,
				     const struct resch_task *task)
{
	struct resch_rta rta = { .tasks = tasks,
				 .level = level,
				 .own = level(tasks->rq->domain, task) };

	return resch_busy_response(task, resch_tasks_cost(tasks, task), resch_rta_done, &rta);
}

/**
 * resch_test_rta - do @extra and the tasks below it meet their deadlines? 0, or -EBUSY and the
 * verdict
 *
 * Those above @extra don't notice it. Tasks taken without a test interfere, but hold nobody to a
 * promise.
 */
static inline int resch_test_rta(struct resch_tasks *tasks, resch_level level,
				 struct resch_verdict *verdict)
{
	const struct resch_task *task;
	u64 own = level(tasks->rq->domain, tasks->extra);

	resch_tasks_for_each(tasks, task) {
		u64 response;

		if (task != tasks->extra && (task->params.flags & RESCH_F_SKIP_ADMISSION ||
					     !resch_rta_before(tasks, tasks->extra, own, task,
							       level(tasks->rq->domain, task))))
			continue;
		response = resch_rta_response(tasks, level, task);
		if (response == RESCH_NEVER)
			return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN,
						    resch_tasks_name(tasks, task), RESCH_WORK_TEST,
						    RESCH_WORK_TEST);
		if (response > task->params.deadline)
			return resch_verdict_refuse(verdict, RESCH_BOUND_RESPONSE,
						    resch_tasks_name(tasks, task), response,
						    task->params.deadline);
	}
	return 0;
}

#endif /* _RESCH_ANALYSIS_RTA_H */
