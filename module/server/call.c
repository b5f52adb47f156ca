// SPDX-License-Identifier: GPL-2.0
/* call.c - the calls of clients and providers */
#include <linux/freezer.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched/signal.h>

#include <resch/plugin.h>
#include <resch/types.h>

#include "call.h"
#include "entry.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "core/engine.h"
#include "core/jobs.h"
#include "core/thread.h"

static bool passive_is_called(const struct resch_thread *thread)
{
	return list_empty(&thread->passive.help.place) || thread->state == RESCH_GONE;
}

static bool passive_has_ended(const struct resch_thread *thread)
{
	return thread->passive.ask.state == RESCH_CALL_NONE ||
	       thread->passive.ask.state == RESCH_CALL_ENDED || thread->state == RESCH_GONE;
}

/* Until it is so, or a signal comes. Process context, by the thread itself, no locks. */
static int passive_sleep(struct resch_thread *thread, bool (*until)(const struct resch_thread *))
{
	unsigned long flags;
	int err = 0;

	resch_thread_lock_irqsave(thread, flags);
	while (!until(thread)) {
		if (signal_pending(current)) {
			err = -ERESTARTSYS;
			break;
		}
		thread->passive.sleeps = true;
		set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		resch_thread_unlock_irqrestore(thread, flags);
		schedule();
		resch_thread_lock_irqsave(thread, flags);
	}
	thread->passive.sleeps = false;
	resch_thread_unlock_irqrestore(thread, flags);
	return err;
}

/* The CPU decides again. cpu->lock. */
static void passive_decide(struct resch_cpu *rc, u64 now)
{
	if (likely(smp_processor_id() == rc->number)) {
		resch_engine_update(rc, now);
		resch_clock_arm(rc);
	} else {
		resch_cpu_kick(rc);
	}
}

/*
 * Which registered thread may make calls, or take them up. Who works for a client is in the
 * client's server, and may call others for it. cpu->lock.
 */
static int passive_check(const struct resch_thread *thread, bool provider)
{
	const struct resch_server *server = thread->task.server;

	if (thread->state == RESCH_GONE)
		return -ECANCELED;
	if (!(thread->rc->plugin->flags & RESCH_PLUGIN_SERVERS))
		return -EOPNOTSUPP;
	if (provider && thread->task.client)
		return -EBUSY;
	if (!server || !thread->entered)
		return -EINVAL;
	/*
	 * A plugin inside the client's server does not know providers, who would be in its client's
	 * place.
	 */
	if (!provider && server->inner)
		return -EOPNOTSUPP;
	return (server->params.kind == RESCH_SERVER_PASSIVE) == provider ? 0 : -EINVAL;
}

/* At whose expense it works. cpu->lock. */
static const struct resch_thread *passive_payer(const struct resch_thread *thread)
{
	return thread->task.client ? resch_thread_of(thread->task.client) : thread;
}

/* With a budget that does not last it would hold up the provider's other clients. */
static bool passive_granted(const struct resch_thread *thread, struct resch_server *server)
{
	return !thread->grant || READ_ONCE(resch_server_of(server)->grant) == thread->grant;
}

static int passive_call(struct resch_thread *thread, struct resch_call *call, u64 handle, u64 now)
{
	struct resch_ask *ask = &thread->passive.ask;
	struct resch_cpu *rc = thread->rc;
	struct resch_thread *provider;
	struct resch_server *server;
	int err = passive_check(thread, false);

	if (err)
		return err;
	/* What is left is the client's, not the provider's to give up. */
	if (thread->task.client && call->flags & RESCH_CALL_F_DISCARD)
		return -EINVAL;
	if (thread->task.depth >= RESCH_CALL_DEPTH)
		return -ELOOP;
	if (ask->state == RESCH_CALL_OPEN || ask->state == RESCH_CALL_SERVED)
		return -EBUSY;
	resch_rq_for_each_server(&rc->rq, server) {
		if (server->id == call->server && server->params.budget)
			break;
	}
	if (!server)
		return -ENOENT;
	if (server->params.kind != RESCH_SERVER_PASSIVE)
		return -EINVAL;
	if (!passive_granted(thread, server) || !passive_granted(passive_payer(thread), server))
		return -EPERM;
	ask->handle = handle;
	ask->data = call->data;
	ask->discards = call->flags & RESCH_CALL_F_DISCARD;
	ask->to = server;
	ask->state = RESCH_CALL_OPEN;
	call->handle = ask->handle;
	list_for_each_entry(provider, &rc->servants, passive.help.place) {
		if (provider->task.server != server)
			continue;
		resch_passive_begin(provider, thread, now);
		resch_passive_rouse(provider, now);
		return 0;
	}
	list_add_tail(&ask->place, &rc->calls);
	return 0;
}

/* How the call has ended, which is then no more. cpu->lock. */
static int passive_reap(struct resch_thread *thread, u64 *consumed)
{
	struct resch_ask *ask = &thread->passive.ask;

	if (thread->state == RESCH_GONE)
		return -ECANCELED;
	if (ask->state != RESCH_CALL_ENDED)
		return -ENOENT;
	ask->state = RESCH_CALL_NONE;
	*consumed = ask->consumed;
	return ask->result;
}

int resch_passive_call(struct resch_thread *thread, struct resch_call *call)
{
	u64 handle = get_random_u64() | 1; /* here, where it may sleep; never 0 */
	struct resch_cpu *rc;
	unsigned long flags;
	u64 now;
	int err;

	if (call->flags & ~(RESCH_CALL_F_WAIT | RESCH_CALL_F_DISCARD))
		return -EINVAL;
	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	err = passive_call(thread, call, handle, now);
	if (!err && thread->passive.ask.state == RESCH_CALL_SERVED)
		passive_decide(rc, now);
	resch_cpu_unlock_irqrestore(rc, flags);
	if (err || !(call->flags & RESCH_CALL_F_WAIT))
		return err;
	/* Not to be begun again: the call is made. */
	if (passive_sleep(thread, passive_has_ended))
		return -EINTR;
	rc = resch_thread_lock_irqsave(thread, flags);
	err = passive_reap(thread, &call->consumed);
	resch_cpu_unlock_irqrestore(rc, flags);
	return err;
}

int resch_passive_call_end(struct resch_thread *thread, struct resch_call_end *end)
{
	struct resch_ask *ask = &thread->passive.ask;
	struct resch_cpu *rc;
	unsigned long flags;
	u64 now;
	int err;

	if (end->flags & ~RESCH_CALL_F_WAIT || end->reserved)
		return -EINVAL;
	rc = resch_thread_lock_irqsave(thread, flags);
	err = ask->state == RESCH_CALL_NONE || (end->handle && end->handle != ask->handle);
	resch_cpu_unlock_irqrestore(rc, flags);
	if (err)
		return -ENOENT;
	err = end->flags ? passive_sleep(thread, passive_has_ended) : 0;
	if (err)
		return err;
	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	if (ask->state == RESCH_CALL_OPEN || ask->state == RESCH_CALL_SERVED) {
		resch_passive_withdraw(thread, now);
		passive_decide(rc, now);
	}
	err = passive_reap(thread, &end->consumed);
	resch_cpu_unlock_irqrestore(rc, flags);
	return err;
}

/*
 * The open call for the server with the wanted handle, of the wanted process; handle 0: the one
 * whose client's server is due first.
 */
static struct resch_thread *passive_find(struct resch_cpu *rc, const struct resch_server *to,
					 const struct resch_serve *serve)
{
	u64 handle = serve->handle;
	struct resch_thread *first = NULL, *client;

	list_for_each_entry(client, &rc->calls, passive.ask.place) {
		const struct resch_ask *ask = &client->passive.ask;

		if (ask->to != to || (handle && ask->handle != handle))
			continue;
		if (serve->pid && task_tgid_vnr(client->linux_task) != serve->pid)
			continue;
		if (!first ||
		    client->task.server->state.deadline < first->task.server->state.deadline)
			first = client;
	}
	return first;
}

/* -EAGAIN: it is to sleep for a call. */
static int passive_serve(struct resch_thread *thread, const struct resch_serve *serve, u64 now)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_cpu *rc = thread->rc;
	struct resch_thread *client;
	int err = passive_check(thread, true);

	if (err)
		return err;
	thread->passive.help.lost = false;
	/* What it does for others is not to be judged by its own execution time and deadline. */
	if (params->overrun != RESCH_COUNT || params->miss != RESCH_COUNT)
		return -EINVAL;
	/* It runs, so whatever the engine has not heard of yet is over. */
	WRITE_ONCE(thread->kblocked, false);
	resch_job_sync(thread, now);
	if (thread->state != RESCH_READY || thread->early)
		return -EINVAL;
	client = passive_find(rc, thread->task.server, serve);
	if (client) {
		resch_passive_begin(thread, client, now);
		passive_decide(rc, now);
		return 0;
	}
	if (serve->handle)
		return -ENOENT;
	if (serve->flags & RESCH_SERVE_F_WAIT)
		list_add_tail(&thread->passive.help.place, &rc->servants);
	return -EAGAIN;
}

static void passive_report(const struct resch_thread *thread, struct resch_serve *serve)
{
	const struct resch_thread *client = thread->passive.help.client;
	const struct resch_server_state *state = &client->task.server->state;

	serve->handle = client->passive.ask.handle;
	serve->client = client->task.id;
	serve->pid = task_tgid_vnr(client->linux_task);
	serve->data = client->passive.ask.data;
	serve->deadline = state->deadline;
	serve->left = state->left > 0 ? state->left : 0;
}

int resch_passive_serve(struct resch_thread *thread, struct resch_serve *serve)
{
	struct resch_cpu *rc;
	unsigned long flags;
	int err;

	if (serve->flags & ~RESCH_SERVE_F_WAIT || serve->reserved)
		return -EINVAL;
	if (serve->handle ? serve->flags || serve->pid < 0 : serve->pid)
		return -EINVAL;
	rc = resch_thread_lock_irqsave(thread, flags);
	err = passive_serve(thread, serve, ktime_get());
	while (err == -EAGAIN && serve->flags) {
		resch_cpu_unlock_irqrestore(rc, flags);
		err = passive_sleep(thread, passive_is_called);
		rc = resch_thread_lock_irqsave(thread, flags);
		list_del_init(&thread->passive.help.place);
		if (thread->task.client)
			err = 0;
		else if (thread->state == RESCH_GONE)
			err = -ECANCELED;
		else if (!err) /* withdrawn before the thread woke */
			err = passive_serve(thread, serve, ktime_get());
	}
	if (!err)
		passive_report(thread, serve);
	resch_cpu_unlock_irqrestore(rc, flags);
	return err;
}

int resch_passive_serve_end(struct resch_thread *thread, struct resch_call_end *end)
{
	struct resch_help *help = &thread->passive.help;
	struct resch_cpu *rc;
	unsigned long flags;
	int err = 0;
	u64 now;

	if (end->flags || end->reserved)
		return -EINVAL;
	rc = resch_thread_lock_irqsave(thread, flags);
	now = ktime_get();
	if (thread->state == RESCH_GONE) {
		err = -ECANCELED;
	} else if (end->handle && end->handle != help->handle) {
		err = -ENOENT;
	} else if (!thread->task.client) {
		err = help->lost ? -ECANCELED : -ENOENT;
		help->lost = false;
	} else {
		struct resch_ask *ask = &help->client->passive.ask;

		WRITE_ONCE(thread->kblocked, false);
		resch_job_sync(thread, now);
		resch_passive_end(thread, 0, now);
		end->consumed = ask->consumed;
		passive_decide(rc, now);
	}
	resch_cpu_unlock_irqrestore(rc, flags);
	return err;
}
