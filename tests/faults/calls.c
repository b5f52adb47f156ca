// SPDX-License-Identifier: GPL-2.0
/* calls.c - requests by which clients call providers, see faults.h */
#include "faults.h"
#include "passive.h"

/* The case is a client or a provider, and has some time for what it does beside that. */
static void join(bool provider)
{
	struct resch_register reg = wakeup(PASSIVE_PERIOD, MS);

	domain = use("server");
	ours = server_of_kind(RESCH_SERVER_CBS_HARD, PASSIVE_BUDGET, PASSIVE_PERIOD);
	theirs = server_of_kind(RESCH_SERVER_PASSIVE, PASSIVE_BUDGET, PASSIVE_PERIOD);
	reg.params.group = provider ? theirs : ours;
	reg.params.cpu = -1;
	must(resch_register_self(dev, &reg));
}

static void no_call(void)
{
	client_end(0, 0);
}

static void a_call(void)
{
	struct resch_call out;
	int err = client_call(theirs, 0, &out);

	if (err != -EBUSY)
		must(err);
}

/* There is a call if no other one can be made. */
static void tell_call(struct report *report)
{
	struct resch_call out;
	int err = client_call(theirs, 0, &out);

	report_all(report);
	report_say(report, err == -EBUSY ? "there is a call" : "there is none");
	if (!err)
		no_call();
}

/* What was withdrawn has ended. */
static long act_withdraw(void)
{
	long result = act();

	return result == -ECANCELED ? 0 : result;
}

TRIALS(call)
{
	struct task provider;

	join(false);
	asked.call.server = theirs;
	each_fails(&(struct trial){ no_call, act, tell_call });
	start(&provider, theirs, body_answers);
	signals_end_waiting();
	asked.call.flags = RESCH_CALL_F_WAIT;
	each_fails(&(struct trial){ no_call, act, report_all });
	stop_provider(&provider);
}

TRIALS(call_end)
{
	struct task provider;

	join(false);
	each_fails(&(struct trial){ a_call, act_withdraw, tell_call });
	no_call();
	start(&provider, theirs, body_answers);
	signals_end_waiting();
	asked.call_end.flags = RESCH_CALL_F_WAIT;
	each_fails(&(struct trial){ a_call, act, report_all });
	stop_provider(&provider);
}

/* A client that calls again and again. */
static void body_asks(struct task *task)
{
	struct resch_call out;
	int err;

	while (!atomic_load(&task->stop)) {
		err = client_call(theirs, RESCH_CALL_F_WAIT, &out);
		if (err != -ECANCELED && err != -EOWNERDEAD)
			must(err);
	}
}

static void works_for_nobody(void)
{
	serve_end(0);
}

static void works_for_somebody(void)
{
	struct resch_serve out;
	int err = serve(0, RESCH_SERVE_F_WAIT, &out);

	if (err != -EBUSY)
		must(err);
}

/* No call has this number. */
static void tell_work(struct report *report)
{
	struct resch_serve out;

	report_all(report);
	report_say(report, serve(2, 0, &out) == -EBUSY ? "it works" : "it does not");
}

static bool answered(void)
{
	struct resch_serve out;

	return !serve(0, 0, &out) && !serve_end(0);
}

/* Its last call is answered, which it may not have made yet. */
static void last_call(struct task *client)
{
	atomic_store(&client->stop, 1);
	await(answered() || atomic_load(&client->ended));
	task_join(client);
}

TRIALS(serve)
{
	struct task client;

	join(true);
	start(&client, ours, body_asks);
	asked.serve.flags = RESCH_SERVE_F_WAIT;
	each_fails(&(struct trial){ works_for_nobody, act, tell_work });
	last_call(&client);
}

TRIALS(serve_end)
{
	struct task client;

	join(true);
	start(&client, ours, body_asks);
	each_fails(&(struct trial){ works_for_somebody, act, tell_work });
	works_for_nobody();
	last_call(&client);
}
