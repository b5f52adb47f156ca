/* SPDX-License-Identifier: GPL-2.0 */
/*
 * suggest.h - run an admission test; if it refuses, find the nearest parameters that it takes
 *
 * By bisection with the very same test, so what is suggested has passed it.
 */
#ifndef _RESCH_ANALYSIS_SUGGEST_H
#define _RESCH_ANALYSIS_SUGGEST_H

#include "bisect.h"
#include "tasks.h"

/** typedef resch_test - 0, or -EBUSY with bound, task, value and limit of the verdict filled in */
typedef int (*resch_test)(struct resch_tasks *tasks, struct resch_verdict *verdict);

/* The question of the two that follow: does @test take @tasks, with this for one of @task's? */
struct resch_suggest {
	struct resch_tasks *tasks;
	struct resch_task *task;
	resch_test test;
};

/* Nothing does once the work is used up. */
static inline bool resch_suggest_try(const struct resch_suggest *suggest)
{
	struct resch_verdict ignored;

	return suggest->tasks->work && !suggest->test(suggest->tasks, &ignored);
}

static inline bool resch_suggest_wcet(void *question, u64 wcet)
{
	struct resch_suggest *suggest = question;

	suggest->task->params.wcet = wcet;
	return resch_suggest_try(suggest);
}

/* With an implicit deadline. */
static inline bool resch_suggest_period(void *question, u64 period)
{
	struct resch_suggest *suggest = question;

	suggest->task->params.period = suggest->task->params.deadline = period;
	return resch_suggest_try(suggest);
}

/** resch_admit - the admit() of a plugin, from its @test */
static inline int resch_admit(const struct resch_rq *rq, const struct resch_task *task,
			      resch_test test, struct resch_verdict *verdict)
{
	struct resch_tasks tasks = { .rq = rq, .extra = task, .work = RESCH_WORK_TEST };
	struct resch_task other;
	struct resch_suggest suggest = { .tasks = &tasks, .task = &other, .test = test };

	if (!test(&tasks, verdict))
		return 0;
	/* Less execution time, and a longer period, never harm a test. */
	other = *task;
	tasks.extra = &other;
	tasks.work = RESCH_WORK_SUGGEST;
	verdict->suggest_wcet = resch_bisect(0, task->params.wcet, resch_suggest_wcet, &suggest);
	other = *task;
	tasks.work = RESCH_WORK_SUGGEST;
	verdict->suggest_period = 0;
	if (resch_suggest_period(&suggest, RESCH_TIME_MAX))
		verdict->suggest_period = resch_bisect(RESCH_TIME_MAX, task->params.period - 1,
						       resch_suggest_period, &suggest);
	return -EBUSY;
}

#endif /* _RESCH_ANALYSIS_SUGGEST_H */
