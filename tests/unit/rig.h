/* SPDX-License-Identifier: GPL-2.0 */
/* rig.h - a CPU with tasks under a plugin, in the place of the core */
#ifndef _RESCH_RIG_H
#define _RESCH_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <resch/plugin.h>

#include <cmocka.h>

#include "random.h"

#include "fifo.h"

#define RIG_TASKS 512

const struct resch_plugin *resch_demo(void);
const struct resch_plugin *resch_edf(void);
const struct resch_plugin *resch_fp(void);

struct rig {
	const struct resch_plugin *plugin;
	u64 domain[RESCH_DOMAIN_PRIVATE];
	struct resch_rq rq;
	struct resch_task tasks[RIG_TASKS];
	u32 count;
	struct resch_verdict verdict; /* of the last rig_try() */
};

static inline void rig_init(struct rig *rig, const struct resch_plugin *plugin)
{
	memset(rig, 0, sizeof(*rig));
	rig->plugin = plugin;
	rig->rq.domain = rig->domain;
	rig->rq.capacity = 1000000;
}

static inline void rig_option(struct rig *rig, const char *key, const char *value)
{
	assert_int_equal(rig->plugin->option(rig->domain, key, value), 0);
}

/* A task that is not on the CPU yet; changed freely before rig_try() and rig_join(). */
static inline struct resch_task *rig_task(struct rig *rig, u64 wcet, u64 deadline, u64 period)
{
	struct resch_task *task = &rig->tasks[rig->count];

	assert_true(rig->count < RIG_TASKS);
	memset(task, 0, sizeof(*task));
	task->id = ++rig->count;
	task->rq = &rig->rq;
	task->params.wcet = wcet;
	task->params.deadline = deadline;
	task->params.period = period;
	return task;
}

static inline int rig_try(struct rig *rig, struct resch_task *task)
{
	memset(&rig->verdict, 0, sizeof(rig->verdict));
	return rig->plugin->admit(&rig->rq, task, &rig->verdict);
}

static inline void rig_join(struct rig *rig, struct resch_task *task)
{
	task->next = rig->rq.tasks;
	rig->rq.tasks = task;
	rig->rq.nr_tasks++;
	if (rig->plugin->attach)
		rig->plugin->attach(&rig->rq, task);
}

/* Admits and adds; what it returns is admit()'s answer. */
static inline int rig_add(struct rig *rig, u64 wcet, u64 deadline, u64 period)
{
	struct resch_task *task = rig_task(rig, wcet, deadline, period);
	int err = rig_try(rig, task);

	if (!err)
		rig_join(rig, task);
	return err;
}

static inline void rig_leave(struct rig *rig, struct resch_task *task)
{
	struct resch_task **link = &rig->rq.tasks;

	while (*link != task)
		link = &(*link)->next;
	*link = task->next;
	rig->rq.nr_tasks--;
	if (rig->plugin->detach)
		rig->plugin->detach(&rig->rq, task);
}

static inline u64 rig_random(u64 *state)
{
	return random_mix(*state += RANDOM_STEP);
}

/* Uniform in [low, high]. */
static inline u64 rig_between(u64 *state, u64 low, u64 high)
{
	return low + rig_random(state) % (high - low + 1);
}

#endif /* _RESCH_RIG_H */
