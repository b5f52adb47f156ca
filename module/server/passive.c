// SPDX-License-Identifier: GPL-2.0
/*
 * passive.c - work for others: calls of clients, and threads of passive servers that take them up
 *
 * While a provider works for a client it is in the client's server (task.server), in the place of
 * the client's job (task.client): the plugin charges, orders and suspends it so. A provider may
 * call others for that: they are in the same server, in the same place. All are on one CPU, so that
 * its lock guards all there is, and nobody but the client spends what is the client's: a call is
 * taken up by a thread of the server that the client named, once, and ends when either of them
 * ends, or says so. Handles are random, so that who sends a provider a request can't have it done
 * at the expense of somebody else whose handle it has guessed.
 *
 * Who points to whom, and how each lets go: client and provider to each other, the lists of the CPU
 * to both: resch_passive_leave(), when the registration of either is retired. The client to the
 * server that it calls: resch_passive_forget(). The provider to its own server: that has a task in
 * it, the provider, and stays; as the client's does.
 */
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched/signal.h>

#include "entry.h"
#include "passive.h"
#include "show.h"
#include "core/jobs.h"
#include "core/trace.h"

void resch_passive_init(struct resch_thread *thread)
{
	INIT_LIST_HEAD(&thread->passive.ask.place);
	INIT_LIST_HEAD(&thread->passive.help.place);
}

/* ---- moves. cpu->lock ------------------------------------------------------------------------ */

static bool passive_wake(struct resch_thread *thread)
{
	if (!thread->passive.sleeps)
		return false;
	thread->passive.sleeps = false;
	wake_up_process(thread->linux_task);
	return true;
}

void resch_passive_rouse(struct resch_thread *thread, u64 now)
{
	if (passive_wake(thread))
		resch_job_sync(thread, now);
}

static void passive_set(struct resch_thread *provider, struct resch_thread *client)
{
	struct resch_task *task = &provider->task;

	task->server = client ? client->task.server : provider->passive.help.own;
	task->client = client ? client->task.client ?: &client->task : NULL;
	task->depth = client ? client->task.depth + 1 : 0;
}

/* To the server of @client and its place; NULL: back to its own. */
static void passive_move(struct resch_thread *provider, struct resch_thread *client,
			 enum resch_why why, u64 now)
{
	struct resch_server *from = provider->task.server;
	struct resch_cpu *rc = provider->rc;
	bool ready = provider->task.ready;

	if (ready)
		rc->plugin->dequeue(&rc->rq, &provider->task, why, now);
	passive_set(provider, client);
	if (ready)
		rc->plugin->enqueue(&rc->rq, &provider->task, RESCH_WHY_WAKE, now);
	resch_server_show(rc, from);
	resch_server_show(rc, provider->task.server);
}

void resch_passive_begin(struct resch_thread *provider, struct resch_thread *client, u64 now)
{
	struct resch_ask *ask = &client->passive.ask;
	struct resch_help *help = &provider->passive.help;

	list_del_init(&ask->place);
	ask->state = RESCH_CALL_SERVED;
	ask->provider = provider;
	list_del_init(&help->place);
	*help = (struct resch_help){
		.place = LIST_HEAD_INIT(help->place),
		.client = client,
		.handle = ask->handle,
		.own = provider->task.server,
		.began = resch_thread_runtime(provider),
	};
	passive_move(provider, client, RESCH_WHY_BLOCK, now);
	trace_resch_serve(provider, client, true, false, now);
}

/* The two have nothing to do with each other any more. The client is left with @result. */
static void passive_part(struct resch_thread *provider, int result)
{
	struct resch_help *help = &provider->passive.help;
	struct resch_ask *ask = &help->client->passive.ask;

	ask->consumed = resch_thread_runtime(provider) - help->began + help->others;
	ask->provider = NULL;
	ask->state = RESCH_CALL_ENDED;
	ask->result = result;
	help->client->passive.help.others += ask->consumed;
	help->client = NULL;
	help->lost = result == -ECANCELED;
}

void resch_passive_end(struct resch_thread *provider, int result, u64 now)
{
	struct resch_help *help = &provider->passive.help;
	struct resch_thread *client = help->client;
	bool discards = client->passive.ask.discards;

	/* no deeper than RESCH_CALL_DEPTH */
	resch_passive_withdraw(provider, now);
	resch_passive_rouse(client, now);
	passive_move(provider, NULL, discards ? RESCH_WHY_DISCARD : RESCH_WHY_BLOCK, now);
	trace_resch_serve(provider, client, false, discards, now);
	passive_part(provider, result);
}

/* Nobody has taken it up. */
static void passive_cancel(struct resch_thread *client)
{
	struct resch_ask *ask = &client->passive.ask;

	list_del_init(&ask->place);
	ask->state = RESCH_CALL_ENDED;
	ask->result = -ECANCELED;
	ask->consumed = 0;
	passive_wake(client);
}

void resch_passive_withdraw(struct resch_thread *client, u64 now)
{
	struct resch_ask *ask = &client->passive.ask;

	if (ask->state == RESCH_CALL_SERVED)
		resch_passive_end(ask->provider, -ECANCELED, now);
	else if (ask->state == RESCH_CALL_OPEN)
		passive_cancel(client);
}

/* ---- what happens to others, and to plugins. cpu->lock --------------------------------------- */

void resch_passive_leave(struct resch_thread *thread, u64 now)
{
	struct resch_passive *passive = &thread->passive;

	resch_cpu_assert_locked(thread->rc);
	if (thread->task.client)
		resch_passive_end(thread, -EOWNERDEAD, now);
	resch_passive_withdraw(thread, now);
	list_del_init(&passive->help.place);
	passive->ask.state = RESCH_CALL_NONE;
	passive_wake(thread);
}

void resch_passive_reset(struct resch_cpu *rc)
{
	struct resch_task *task;

	resch_cpu_assert_locked(rc);
	resch_rq_for_each(&rc->rq, task) {
		struct resch_thread *provider = resch_thread_of(task);

		if (!task->client)
			continue;
		/* What it has called for its client is nobody's any more. */
		if (provider->passive.ask.state == RESCH_CALL_OPEN)
			passive_cancel(provider);
		passive_wake(provider->passive.help.client);
		passive_set(provider, NULL);
		passive_part(provider, -ECANCELED);
	}
}

void resch_passive_forget(struct resch_cpu *rc, const struct resch_server *server)
{
	struct resch_thread *client, *next;

	resch_cpu_assert_locked(rc);
	list_for_each_entry_safe(client, next, &rc->calls, passive.ask.place) {
		if (client->passive.ask.to == server)
			passive_cancel(client);
	}
}
