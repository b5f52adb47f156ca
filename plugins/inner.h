/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inner.h - servers whose jobs another plugin orders: what it is told, and whether its answers hold
 *
 * See resch/inner.h. The ready jobs of such a server are in queues of that plugin; budget.jobs only
 * counts them. When it errs they come into that queue after all, and the server goes on by EDF.
 */
#ifndef _RESCH_PLUGINS_INNER_H
#define _RESCH_PLUGINS_INNER_H

#include <resch/inner.h>

#include "budget.h"

/* Does another plugin order the server's jobs? */
static inline bool inner_orders(const struct resch_server *server)
{
	return unlikely(server->inner) && !server->inner->fault;
}

static inline void inner_attach(struct resch_task *task)
{
	struct resch_inner *inner = task->server ? task->server->inner : NULL;

	if (inner && !inner->fault && inner->plugin->attach)
		inner->plugin->attach(&inner->rq, task);
}

static inline void inner_detach(struct resch_task *task)
{
	struct resch_inner *inner = task->server ? task->server->inner : NULL;

	if (inner && !inner->fault && inner->plugin->detach)
		inner->plugin->detach(&inner->rq, task);
}

static inline void inner_enqueue(struct resch_server *server, struct resch_task *task,
				 enum resch_why why, u64 now)
{
	struct resch_inner *inner = server->inner;

	budget_of(server)->jobs.count++;
	inner->plugin->enqueue(&inner->rq, task, why, now);
}

static inline void inner_dequeue(struct resch_server *server, struct resch_task *task,
				 enum resch_why why, u64 now)
{
	struct resch_inner *inner = server->inner;

	budget_of(server)->jobs.count--;
	inner->plugin->dequeue(&inner->rq, task, why, now);
}

/* Why an answer can't be true, or NULL. The server has jobs. */
static inline const char *inner_nonsense(const struct resch_server *server,
					 const struct resch_pick *pick, u64 now)
{
	if (!pick->task)
		return "picked nobody while tasks were ready";
	if (pick->task->server != server)
		return "picked a task of another server";
	if (!pick->task->ready)
		return "picked a task that is not ready";
	if (pick->until <= now)
		return "asked to be asked again in the past";
	return NULL;
}

/**
 * inner_pick - whom the plugin in a server with jobs wants to run, and until when
 * @now: does not go back on a CPU
 *
 * NULL: nonsense; it is not asked again, and the jobs are to be queued elsewhere (inner_give_up()).
 */
static inline struct resch_task *inner_pick(struct resch_server *server, u64 now, u64 *until)
{
	struct resch_pick pick = { .task = NULL, .until = RESCH_NEVER };
	struct resch_inner *inner = server->inner;

	inner->plugin->pick(&inner->rq, now, &pick);
	inner->fault = inner_nonsense(server, &pick, now);
	*until = pick.until;
	return likely(!inner->fault) ? pick.task : NULL;
}

/**
 * inner_give_up - the ready tasks of a server whose plugin has erred: @add is called for each
 *
 * Once in the life of a server, with a look at each task of the CPU. Where their nodes are is no
 * longer known, so nothing of the plugin's queues is touched.
 */
static inline void inner_give_up(struct resch_rq *rq, struct resch_server *server,
				 void (*add)(struct resch_server *server, struct resch_task *task))
{
	struct resch_task *task;

	budget_of(server)->jobs.count = 0;
	resch_rq_for_each(rq, task) {
		if (task->server != server || !task->ready)
			continue;
		memset(&task->node, 0, sizeof(task->node));
		add(server, task);
	}
	resch_server_note(rq, server, RESCH_SERVER_FAULT);
}

#endif /* _RESCH_PLUGINS_INNER_H */
