/* SPDX-License-Identifier: GPL-2.0 */
/*
 * suggest.h - run an admission test; if it refuses, find the nearest parameters that it takes
 *
 * By bisection with the very same test, so what is suggested has passed it.
 */
#ifndef _RESCH_ANALYSIS_SUGGEST_H
#define _RESCH_ANALYSIS_SUGGEST_H

#include "set.h"

/** typedef resch_test - 0, or -EBUSY with bound, task, value and limit of the verdict filled in */
typedef int (*resch_test)(struct resch_set *set, struct resch_verdict *verdict);

static inline bool resch_suggest_try(struct resch_set *set, resch_test test)
{
	struct resch_verdict ignored;

	return set->work && !test(set, &ignored);
}

/*
 * The largest wcet below that of @task, which fails, ns; 0: none found. Less of it never harms a
 * test.
 */
static inline u64 resch_suggest_wcet(struct resch_set *set, struct resch_task *task,
				     resch_test test)
{
	u64 passes = 0, fails = task->params.wcet;

	while (fails - passes > 1 && set->work) {
		task->params.wcet = passes + (fails - passes) / 2;
		if (resch_suggest_try(set, test))
			passes = task->params.wcet;
		else
			fails = task->params.wcet;
	}
	return passes;
}

/* The smallest period from that of @task on, with an implicit deadline, ns; 0: none found. */
static inline u64 resch_suggest_period(struct resch_set *set, struct resch_task *task,
				       resch_test test)
{
	u64 fails = task->params.period - 1, passes = RESCH_TIME_MAX;

	task->params.period = task->params.deadline = passes;
	if (!resch_suggest_try(set, test))
		return 0;
	while (passes - fails > 1 && set->work) {
		u64 middle = fails + (passes - fails) / 2;

		task->params.period = task->params.deadline = middle;
		if (resch_suggest_try(set, test))
			passes = middle;
		else
			fails = middle;
	}
	return passes;
}

/** resch_admit - the admit() of a plugin, from its @test */
static inline int resch_admit(const struct resch_rq *rq, const struct resch_task *task,
			      resch_test test, struct resch_verdict *verdict)
{
	struct resch_set set = { .rq = rq, .extra = task, .work = RESCH_WORK_TEST };
	struct resch_task other;

	if (!test(&set, verdict))
		return 0;
	other = *task;
	set.extra = &other;
	set.work = RESCH_WORK_SUGGEST;
	verdict->suggest_wcet = resch_suggest_wcet(&set, &other, test);
	other = *task;
	set.work = RESCH_WORK_SUGGEST;
	verdict->suggest_period = resch_suggest_period(&set, &other, test);
	return -EBUSY;
}

#endif /* _RESCH_ANALYSIS_SUGGEST_H */
