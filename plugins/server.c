// SPDX-License-Identifier: GPL-2.0
/*
 * server - application servers: two levels, EDF over servers, then what each server wants
 *
 * Every task belongs to a server (params.group), and every server to a CPU. Of the servers that
 * have ready jobs and a budget the one with the earliest deadline serves; of its jobs the one that
 * its policy puts first runs. A server is charged for the time that its tasks are the CPU's choice.
 * So what a task does is felt in its own server alone: the others get their budgets by their
 * deadlines. See budget.h for the kinds of servers, reclaim.h for those that use what others leave,
 * analysis/server.h for admission. No options.
 *
 * The time from one pick to the next is charged to the server that was picked, whatever the CPU did
 * in it: interrupts, tasks above all registered ones, and a thread of another server that was
 * deselected in a system call and has not left the kernel yet.
 *
 * A task of a passive server that works for a client is in the client's server meanwhile, in the
 * place of the client's job, and its budget: task->client. To the other servers that is no
 * different from the client doing the work itself.
 *
 * The rest of Linux may have a server, too: rest.h. The jobs of others may be ordered by another
 * plugin: inner.h.
 *
 * The two levels are those of Shih, Qian, Jonnalagadda, Liu, Li, Open Real-Time Linux (a patched
 * kernel); before that Deng, Liu, Scheduling real-time applications in an open environment, RTSS
 * 1997.
 */
#include <resch/plugin.h>

#include "analysis/server.h"
#include "analysis/suggest.h"
#include "budget.h"
#include "inner.h"
#include "reclaim.h"
#include "rest.h"

/** struct server_rq - a CPU
 * @reclaim: what servers that use what others leave have to know
 * @rest:    the server of the rest of Linux
 * @ready:   servers with jobs and a budget, by deadline
 * @waiting: servers with jobs that wait for their next budget, by when it comes
 * @running: the task of the last pick, while it is ready
 * @last:    the latest time that we were told: it does not go back here
 */
struct server_rq {
	struct reclaim reclaim;
	struct rest rest;
	struct resch_queue ready;
	struct resch_queue waiting;
	struct resch_task *running;
	u64 last;
};

RESCH_PLUGIN_PRIVATE(struct server_rq, RESCH_RQ_PRIVATE);

static struct resch_server *server_of(struct resch_node *node)
{
	struct budget *budget = container_of(node, struct budget, node);

	return container_of((u64 *)budget, struct resch_server, private[0]);
}

static struct resch_task *server_first_job(struct resch_server *server)
{
	return container_of(resch_queue_first(&budget_of(server)->jobs), struct resch_task, node);
}

/*
 * Whose job it is: who works for a client does the client's job, in the client's place, as far as
 * it has come with it.
 */
static struct resch_task *server_principal(struct resch_task *task)
{
	return task->client ? task->client : task;
}

/*
 * What the job may still need, by its declaration. One that has overrun may need anything; and
 * budgets that do not go by that are for anything, too.
 */
static u64 server_need(const struct resch_rq *rq, struct resch_server *server,
		       struct resch_task *task)
{
	struct resch_task *principal;
	u64 cost, done;

	if (likely(!budget_by_jobs(server)))
		return RESCH_NEVER;
	principal = server_principal(task);
	cost = resch_task_cost(rq, principal);
	done = principal->outer;
	return done < cost ? cost - done : RESCH_NEVER;
}

/*
 * How much execution time the first job of the server has left. Without limit where a plugin orders
 * the jobs: nobody knows which one is first.
 */
static u64 server_need_first(const struct resch_rq *rq, struct resch_server *server)
{
	return inner_orders(server) ? RESCH_NEVER :
				      server_need(rq, server, server_first_job(server));
}

/* ---- places ---------------------------------------------------------------------------------- */

static void server_take_out(struct server_rq *own, struct resch_server *server)
{
	struct budget *budget = budget_of(server);

	if (budget->place == BUDGET_READY)
		resch_queue_erase(&own->ready, &budget->node);
	else if (budget->place == BUDGET_WAITING)
		resch_queue_erase(&own->waiting, &budget->node);
	else if (budget->place == BUDGET_LEAVING)
		reclaim_stay(&own->reclaim, budget);
	budget->place = BUDGET_IDLE;
}

/* The server, which has jobs, goes where its state says. */
static void server_put(struct server_rq *own, struct resch_server *server, u64 now)
{
	struct budget *budget = budget_of(server);
	bool waits = server->state.left <= 0 && !budget_at_once(server) &&
		     now < server->state.deadline;

	server_take_out(own, server);
	budget->place = waits ? BUDGET_WAITING : BUDGET_READY;
	resch_queue_insert(waits ? &own->waiting : &own->ready, &budget->node,
			   server->state.deadline);
	reclaim_count(&own->reclaim, budget, budget->share);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* How long its budget lasts. */
static u64 server_lasts(struct resch_rq *rq, struct resch_server *server, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct reclaim *reclaim = &own->reclaim;

	server->state.rate = RESCH_SERVER_RATE;
	if (likely(!reclaims(server)))
		return (u64)server->state.left;
	if (unlikely(!reclaim->kept))
		reclaim_keep(reclaim, rq, now);
	server->state.rate = reclaim_rate(reclaim->active + rest_share(rq, &own->rest));
	return reclaim_lasts((u64)server->state.left, server->state.rate);
}

/* Who runs is charged for @time, which has passed since the last time. Returns what time it is. */
static u64 server_charge_time(struct resch_rq *rq, u64 time)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	u64 cost = time, active = own->reclaim.active, beyond;
	struct resch_task *task = own->running;

	own->last += time;
	if (unlikely(own->reclaim.kept)) {
		beyond = reclaim_pass(&own->reclaim, own->last - time, own->last);
		if (task && reclaims(task->server) && time <= BUDGET_DEBT_MAX)
			cost = reclaim_cost(active + rest_share(rq, &own->rest), beyond, time);
	}
	if (task) {
		struct resch_server *server = task->server;

		server_principal(task)->outer += time;
		budget_of(server)->turn -= (s64)min(time, BUDGET_DEBT_MAX);
		budget_charge(server, time, cost);
		server->state.since = own->last;
	} else if (unlikely(own->rest.serves)) {
		rest_charge(&own->rest, time, own->last);
	}
	return own->last;
}

/* Likewise, for the time up to @now. Returns that, or a later time we knew of before. */
static u64 server_charge(struct resch_rq *rq, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);

	return now > own->last ? server_charge_time(rq, now - own->last) : own->last;
}

/* The first of the ready servers has used up its budget. */
static noinline void server_exhaust(struct resch_rq *rq, struct resch_server *server, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	u32 what = RESCH_SERVER_EXHAUSTED;

	server->state.exhausted++;
	if (budget_at_once(server) || now >= server->state.deadline) {
		what |= RESCH_SERVER_REPLENISHED;
		if (budget_at_once(server)) {
			what |= RESCH_SERVER_POSTPONED;
			server->state.postponed++;
		}
		budget_next(server, server_need_first(rq, server), now);
	}
	resch_server_note(rq, server, what);
	server_put(own, server, now);
}

/* Servers whose deadlines have come have new budgets. */
static noinline void server_replenish(struct resch_rq *rq, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct resch_node *node;

	while ((node = resch_queue_first(&own->waiting)) && node->key <= now) {
		struct resch_server *server = server_of(node);

		budget_next(server, server_need_first(rq, server), now);
		resch_server_note(rq, server, RESCH_SERVER_REPLENISHED);
		server_put(own, server, now);
	}
}

/* The rest of Linux may have a server, or another one, or none any more. */
static void server_renew_rest(struct resch_rq *rq, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct resch_server *server = rest_find(rq), *before = own->rest.server;

	if (unlikely(before && before != server)) {
		rest_end(&own->rest);
		reclaim_leave(&own->reclaim, before, now);
	}
	if (unlikely(server))
		rest_renew(&own->rest, rq, server, now);
}

/* ---- the jobs of a server -------------------------------------------------------------------- */

/* By what jobs are ordered where ids decide among equals. */
static u64 server_key(const struct resch_server *server, const struct resch_task *task)
{
	switch (server->params.policy) {
	case RESCH_SERVER_PLUGIN: /* that has erred */
		return task->job.deadline;
	case RESCH_SERVER_FIFO:
		return task->job.release;
	default:
		return resch_server_level(&server->params, task);
	}
}

static __always_inline void server_add_job(struct resch_server *server, struct resch_task *task)
{
	const struct resch_task *principal = server_principal(task);
	struct budget *budget = budget_of(server);

	/*
	 * Fixed priorities, and releases at one time, go by id, so that admission knows the order.
	 * A client goes before who works for it: it may be about to withdraw its call. Depths are
	 * at most RESCH_CALL_DEPTH, which is a nanosecond or so.
	 */
	if (likely(server->params.policy == RESCH_SERVER_EDF))
		resch_queue_insert(&budget->jobs, &task->node,
				   principal->job.deadline + task->depth);
	else if (server->params.policy == RESCH_SERVER_RR)
		resch_queue_insert(&budget->jobs, &task->node, 0);
	else
		resch_queue_insert_tie(&budget->jobs, &task->node, server_key(server, principal),
				       16ULL * principal->id + task->depth);
	if (budget->jobs.count == 1)
		budget->turn = (s64)server->params.quantum;
}

/* It was in a queue of the plugin in the server, which has erred. */
static void server_take_over(struct resch_server *server, struct resch_task *task)
{
	server_add_job(server, task);
}

/* Whom the plugin in it picks, and until when; if that has erred, who is first from now on. */
static noinline struct resch_task *server_ask(struct resch_rq *rq, struct resch_server *server,
					      u64 now, struct resch_pick *pick)
{
	struct resch_task *task = inner_pick(server, now, &pick->until);

	if (likely(task))
		return task;
	inner_give_up(rq, server, server_take_over);
	pick->until = RESCH_NEVER;
	return server_first_job(server);
}

/* Round robin: whose turn is over goes to the back. */
static struct resch_task *server_turn(struct resch_server *server)
{
	struct resch_task *task = server_first_job(server);
	struct budget *budget = budget_of(server);

	if (server->params.policy != RESCH_SERVER_RR || budget->turn > 0)
		return task;
	resch_queue_erase(&budget->jobs, &task->node);
	resch_queue_insert(&budget->jobs, &task->node, 0);
	budget->turn = (s64)server->params.quantum;
	return server_first_job(server);
}

/* ---- ops ------------------------------------------------------------------------------------- */

static int server_admit(const struct resch_rq *rq, const struct resch_task *task,
			struct resch_verdict *verdict)
{
	if (!resch_server_find(rq, task->params.group))
		return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, task->params.group, 0);
	return resch_admit(rq, task, resch_test_server, verdict);
}

static void server_attach(struct resch_rq *rq, struct resch_task *task)
{
	inner_attach(task);
}

static void server_detach(struct resch_rq *rq, struct resch_task *task)
{
	inner_detach(task);
}

static void server_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why,
			   u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct resch_server *server = task->server;
	u64 replenished = server->state.replenished;
	bool released = why == RESCH_WHY_RELEASE && !task->client;

	now = server_charge(rq, now);
	if (released)
		task->outer = 0;
	if (inner_orders(server))
		inner_enqueue(server, task, why, now);
	else
		server_add_job(server, task);
	if (budget_of(server)->place >= BUDGET_READY)
		return;
	/*
	 * A job that should have come while the last one was under way, which was late: the server
	 * was not idle. To treat it so would put its deadline off again and again.
	 */
	if (released && budget_of(server)->since == now && task->job.release < now)
		budget_top_up(server, server_need(rq, server, task), now);
	else
		budget_wake(server, server_need(rq, server, task), now);
	if (server->state.replenished != replenished)
		resch_server_note(rq, server, RESCH_SERVER_REPLENISHED);
	server_put(own, server, now);
}

/* The server has no jobs any more. */
static void server_idle(struct resch_rq *rq, struct resch_server *server, u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);

	server_take_out(own, server);
	budget_of(server)->since = now;
	if (server->state.left <= 0 && server->params.kind == RESCH_SERVER_CBS) {
		budget_next(server, 0, now);
		server->state.postponed++;
		resch_server_note(rq, server, RESCH_SERVER_REPLENISHED | RESCH_SERVER_POSTPONED);
	}
	reclaim_leave(&own->reclaim, server, now);
}

static void server_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why,
			   u64 now)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct resch_server *server = task->server;
	struct budget *budget = budget_of(server);
	bool first = resch_queue_first(&budget->jobs) == &task->node;

	now = server_charge(rq, now);
	if (own->running == task) {
		own->running = NULL;
		server->state.since = 0;
	}
	/*
	 * A throttled job goes on with a budget of its own as large as the first. What comes before
	 * the next job, a signal handler, has done nothing yet.
	 */
	if ((why == RESCH_WHY_THROTTLE || why == RESCH_WHY_COMPLETE) && !task->client)
		task->outer = 0;
	if (why == RESCH_WHY_DISCARD)
		budget_discard(server);
	if (inner_orders(server))
		inner_dequeue(server, task, why, now);
	else
		resch_queue_erase(&budget->jobs, &task->node);
	if (!budget->jobs.count) {
		server_idle(rq, server, now);
		return;
	}
	if (first)
		budget->turn = (s64)server->params.quantum;
	if (why == RESCH_WHY_COMPLETE && !task->client &&
	    budget_top_up(server, server_need_first(rq, server), now)) {
		resch_server_note(rq, server, RESCH_SERVER_REPLENISHED);
		server_put(own, server, now);
	}
}

/* Its turn: which of its jobs, and for how long. */
static void server_serve(struct resch_rq *rq, struct resch_server *server, u64 now,
			 struct resch_pick *pick)
{
	struct server_rq *own = resch_private(rq, struct server_rq);

	if (inner_orders(server))
		own->running = server_ask(rq, server, now, pick);
	else
		own->running = server_turn(server);
	server->state.since = now;
	pick->task = own->running;
	pick->until = min(pick->until, now + server_lasts(rq, server, now));
	if (server->params.policy == RESCH_SERVER_RR && budget_of(server)->jobs.count > 1)
		pick->until = min(pick->until, now + (u64)budget_of(server)->turn);
}

static void server_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct server_rq *own = resch_private(rq, struct server_rq);
	struct resch_task *before = own->running;
	struct resch_server *server = NULL;
	struct resch_node *node;

	now = server_charge(rq, now);
	node = resch_queue_first(&own->waiting);
	if (unlikely(node && node->key <= now))
		server_replenish(rq, now);
	server_renew_rest(rq, now);
	while ((node = resch_queue_first(&own->ready)) && server_of(node)->state.left <= 0)
		server_exhaust(rq, server_of(node), now);
	own->running = NULL;
	if (node && likely(!rest_first(&own->rest, server_of(node)))) {
		server = server_of(node);
		server_serve(rq, server, now, pick);
	}
	if (unlikely(own->rest.server))
		rest_pick(&own->rest, !server && own->rest.ready, now, pick);
	if (before && before->server != server)
		before->server->state.since = 0;
	node = resch_queue_first(&own->waiting);
	if (node)
		pick->until = min(pick->until, node->key);
}

/* It has no jobs, or is the rest of Linux's; it may leave before its 0-lag time. */
static void server_remove(struct resch_rq *rq, struct resch_server *server)
{
	struct server_rq *own = resch_private(rq, struct server_rq);

	if (own->rest.server == server)
		rest_end(&own->rest);
	server_take_out(own, server);
	reclaim_count(&own->reclaim, budget_of(server), 0);
}

static const struct resch_plugin server = {
	.name = "server",
	.about =
		"application servers (CBS, CUS, TBS, passive, Linux): EDF over them, in each a policy or plugin",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_SERVERS,
	.stand_in = "edf", /* server_key() */
	.admit = server_admit,
	.server_valid = budget_valid,
	.admit_server = resch_admit_server,
	.remove_server = server_remove,
	.attach = server_attach,
	.detach = server_detach,
	.enqueue = server_enqueue,
	.dequeue = server_dequeue,
	.pick = server_pick,
};

resch_plugin_module(server);
MODULE_DESCRIPTION("resch plugin: application servers");
