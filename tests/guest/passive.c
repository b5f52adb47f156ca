// SPDX-License-Identifier: GPL-2.0
/*
 * passive.c - providers work on the servers of their clients, and on nobody else's
 *
 * resch-test: timeout=240
 */
#include "delegate.h"
#include "passive.h"

/* ---- who may what ---------------------------------------------------------------------------- */

static atomic_ullong shown;

/* A client, in `ours`, asks for what it may not have. */
static void body_refused_client(struct task *task)
{
	struct resch_serve serving;
	struct resch_call out;

	(void)task;
	refused(client_call(77, 0, &out), ENOENT);
	refused(client_call(0, 0, &out), ENOENT);
	refused(client_call(ours, 0, &out), EINVAL);
	refused(client_call(theirs, 4, &out), EINVAL);
	refused(serve(0, 0, &serving), EINVAL);
	refused(serve_end(0), ENOENT);
	refused(client_end(0, 0), ENOENT);
	must(client_call(theirs, 0, &out));
	refused(client_end(out.handle + 1, 0), ENOENT);
	refused(client_end(out.handle, 2), EINVAL);
	refused(client_call(theirs, 0, &out), EBUSY);
	refused(client_end(0, 0), ECANCELED);
	refused(client_end(0, 0), ENOENT);
	must(client_call(theirs, 0, &out));
	atomic_store(&shown, out.handle);
	check_is(client_end(0, RESCH_CALL_F_WAIT), 0);
	refused(client_end(0, 0), ENOENT);
}

/* A provider of another passive server: the call is none of its business. */
static void body_refused_stranger(struct task *task)
{
	struct resch_serve out;

	(void)task;
	refused(serve(atomic_load(&shown), 0, &out), ENOENT);
	refused(serve(0, 0, &out), EAGAIN);
	refused(serve(1, RESCH_SERVE_F_WAIT, &out), EINVAL);
	refused(serve(0, 2, &out), EINVAL);
}

static void body_refused_provider(struct task *task)
{
	struct resch_serve out, again;
	struct resch_call calling;

	(void)task;
	refused(client_call(theirs, 0, &calling), EINVAL);
	refused(serve(atomic_load(&shown) ^ 2, 0, &out), ENOENT);
	out = (struct resch_serve){ .handle = atomic_load(&shown), .pid = getpid() + 1 };
	refused(call(dev, RESCH_IOC_SERVE, &out), ENOENT);
	out.pid = -1;
	refused(call(dev, RESCH_IOC_SERVE, &out), EINVAL);
	out.pid = getpid();
	must(call(dev, RESCH_IOC_SERVE, &out));
	check_is(out.pid, getpid());
	check_is(out.handle, atomic_load(&shown));
	check_is(out.data, 4711);
	refused(serve(0, 0, &again), EBUSY);
	/* What is left is not its own: passive_nested.c has what it may. */
	refused(client_call(theirs, RESCH_CALL_F_DISCARD, &calling), EINVAL);
	refused(serve_end(out.handle + 1), ENOENT);
	must(serve_end(0));
	refused(serve_end(out.handle), ENOENT);
	refused(serve(out.handle, 0, &again), ENOENT);
}

/* It would be stopped for what it does for others. */
static void body_refused_throttled(struct task *task)
{
	struct resch_serve out;

	(void)task;
	refused(serve(0, 0, &out), EINVAL);
}

TEST(rights, "a call is taken up once, by a thread of the server that the client named")
{
	struct task client, provider, stranger, throttled = {};
	struct resch_serve serving;
	struct resch_call calling;
	uint32_t other;

	servers();
	other = server_of_kind(RESCH_SERVER_PASSIVE, 2 * MS, PASSIVE_PERIOD);
	refused(client_call(theirs, 0, &calling), ENOENT);
	refused(client_end(0, 0), ENOENT);
	refused(serve(0, 0, &serving), ENOENT);
	refused(serve_end(0), ENOENT);
	start(&client, ours, body_refused_client);
	await(atomic_load(&shown));
	start(&stranger, other, body_refused_stranger);
	task_join(&stranger);
	throttled.reg = wakeup(PASSIVE_PERIOD, 10 * MS);
	throttled.reg.params.group = theirs;
	throttled.reg.params.cpu = -1;
	throttled.reg.params.overrun = RESCH_THROTTLE;
	task_start(&throttled, body_refused_throttled);
	task_join(&throttled);
	start(&provider, theirs, body_refused_provider);
	task_join(&provider);
	task_join(&client);
	check_is(domain_stat(domain).ejections, 0);
}

static int holder_calls(void *arg)
{
	struct resch_register reg = task_in_server();
	struct resch_call out;

	(void)arg;
	become(ALICE, false);
	reg.params.kind = RESCH_WAKEUP;
	must(resch_register_self(dev, &reg));
	refused(client_call(theirs, 0, &out), EPERM);
	refused(client_call(theirs, RESCH_CALL_F_WAIT, &out), EPERM);
	refused(client_end(0, 0), ENOENT);
	must(resch_unregister(dev, reg.id));
	return 0;
}

/* What it asks for would wait for her budget, and others behind it. */
TEST(delegated, "who is in a server by delegation calls nobody of another one")
{
	struct task client, provider;

	servers();
	her_domain = domain;
	her_server = ours;
	give(RESCH_HOLDER_USER, ALICE);
	signals_end_waiting();
	start(&provider, theirs, body_answers);
	child_ok(child(holder_calls, NULL));
	check_is(provider.jobs, 0);
	/* Root's own may, from the same server. */
	start(&client, ours, body_calls);
	await(client.step);
	check_is(client.result, 0);
	client.stop = 1;
	task_join(&client);
	stop_provider(&provider);
	check_is(provider.jobs, 1);
}

/* ---- who pays -------------------------------------------------------------------------------- */

static struct resch_server_stat at_begin[2], at_end[2];

static void body_charged(struct task *task)
{
	struct resch_serve out;
	uint64_t end;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	at_begin[0] = server_stat(domain, ours);
	at_begin[1] = server_stat(domain, theirs);
	/*
	 * In a machine that stands still the end of a budget is noticed later, and what has passed
	 * since is on nobody: not so much time, but so many budgets.
	 */
	end = resch_now() + PATIENCE * SEC;
	do {
		spin(10 * MS);
		at_end[0] = server_stat(domain, ours);
	} while (resch_now() < end && at_end[0].exhausted < at_begin[0].exhausted + 3);
	at_end[1] = server_stat(domain, theirs);
	must(serve_end(out.handle));
	atomic_store(&task->step, 1);
}

TEST(charged, "what a provider does is on the client's server, suspended and replenished with it")
{
	struct task client, provider;
	int i;

	servers();
	for (i = 0; i < 2; i++) {
		/* Whoever comes first: the provider sleeps for the call, or the call waits. */
		if (!i)
			start(&provider, theirs, body_charged);
		if (!i)
			await(state_of(provider.id) != RESCH_STATE_SELECTED &&
			      proc_state(provider.tid) == 'S');
		start(&client, ours, body_calls);
		if (i)
			start(&provider, theirs, body_charged);
		await(atomic_load(&client.step));
		check_is(client.result, 0);
		task_join(&provider);
		task_join(&client);
		check_is(at_end[1].consumed, at_begin[1].consumed);
		check(at_end[0].consumed - at_begin[0].consumed >= 2 * PASSIVE_BUDGET,
		      "the client's server has paid %llu ns",
		      (unsigned long long)(at_end[0].consumed - at_begin[0].consumed));
		check(at_end[0].exhausted >= at_begin[0].exhausted + 3, "it was not used up");
		check(at_end[0].replenished >= at_begin[0].replenished + 2,
		      "it was not replenished");
	}
	check_is(domain_stat(domain).ejections, 0);
}

static void body_asks(struct task *task)
{
	struct resch_call out;
	unsigned int i;

	for (i = 0; i < 60; i++) {
		uint32_t discards = (i ^ i / 4) & 1 ? RESCH_CALL_F_DISCARD : 0;

		if (i % 4 == 3) {
			must(client_call(theirs, discards, &out));
			client_end(out.handle, 0);
		} else {
			must(client_call(theirs, RESCH_CALL_F_WAIT | discards, &out));
			check(out.consumed, "it cost nothing");
		}
	}
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(2);
}

TEST(crowd, "many clients, few providers, calls that are withdrawn: all get on")
{
	struct task clients[4], providers[2];
	int i;

	signals_end_waiting();
	servers();
	for (i = 0; i < 2; i++)
		start(&providers[i], theirs, body_answers);
	for (i = 0; i < 4; i++)
		start(&clients[i], ours, body_asks);
	for (i = 0; i < 4; i++)
		await(atomic_load(&clients[i].step));
	for (i = 0; i < 4; i++)
		task_join(&clients[i]);
	for (i = 0; i < 2; i++)
		stop_provider(&providers[i]);
	check(server_stat(domain, theirs).consumed, "the providers were never charged themselves");
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- in which order -------------------------------------------------------------------------- */

static uint32_t quick, slow;

static void body_in_turn(struct task *task)
{
	struct resch_serve out;
	int i;

	for (i = 0; i < 2; i++) {
		must(serve(0, 0, &out));
		note(out.client == *(uint32_t *)task->arg ? 'q' : 's');
		must(serve_end(0));
	}
}

TEST(order, "the call whose client's server has the earliest deadline is taken up first")
{
	struct task late, early, provider = {};

	servers();
	must(server_del(domain, ours));
	/* More than it can use up, however long the machine lets it wait. */
	slow = server_of_kind(RESCH_SERVER_CBS_HARD, 30 * SEC, 60 * SEC);
	quick = server_of_kind(RESCH_SERVER_CBS_HARD, 8 * MS, 80 * MS);
	start(&late, slow, body_calls);
	await(proc_state(late.tid) == 'S');
	start(&early, quick, body_calls);
	await(proc_state(early.tid) == 'S');
	provider.reg = wakeup(PASSIVE_PERIOD, MS);
	provider.reg.params.group = theirs;
	provider.reg.params.cpu = -1;
	provider.arg = &early.id;
	task_start(&provider, body_in_turn);
	task_join(&provider);
	await(atomic_load(&late.step) && atomic_load(&early.step));
	check(!strcmp(notes(), "qs"), "the order is %s", notes());
	task_join(&late);
	task_join(&early);
}

static atomic_int let_go;

static void body_stubborn(struct task *task)
{
	struct resch_serve out;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	atomic_store(&task->step, 1);
	spin_until(&let_go);
	must(serve_end(0));
}

static void body_lets_go(struct task *task)
{
	struct resch_serve out;

	(void)task;
	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	atomic_store(&let_go, 1);
	must(serve_end(0));
}

TEST(preempts, "work for a client that is due earlier preempts work for another")
{
	struct task late, early, one, two;

	servers();
	must(server_del(domain, ours));
	slow = server_of_kind(RESCH_SERVER_CBS_HARD, 30 * SEC, 60 * SEC);
	quick = server_of_kind(RESCH_SERVER_CBS_HARD, 8 * MS, 80 * MS);
	start(&one, theirs, body_stubborn);
	start(&late, slow, body_calls);
	await(atomic_load(&one.step));
	start(&two, theirs, body_lets_go);
	start(&early, quick, body_calls);
	await(atomic_load(&late.step) && atomic_load(&early.step));
	check_is(late.result, 0);
	check_is(early.result, 0);
	task_join(&late);
	task_join(&early);
	task_join(&one);
	task_join(&two);
}
