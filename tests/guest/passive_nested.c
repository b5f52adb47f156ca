// SPDX-License-Identifier: GPL-2.0
/*
 * passive_nested.c - who works for a client calls others in turn: they work for the same client,
 * and no longer than that lasts
 *
 * resch-test: timeout=240
 */
#include "passive.h"

/* Of those whom the providers in `theirs` call. */
static uint32_t third;

static void three_servers(void)
{
	servers();
	third = server_of_kind(RESCH_SERVER_PASSIVE, 2 * MS, PASSIVE_PERIOD);
}

/* ---- at whose expense ------------------------------------------------------------------------ */

static struct resch_server_stat at_begin[3], at_end[3];
static atomic_ullong nested_consumed;
static atomic_int between_end; /* of its own work */

static void look(struct resch_server_stat stats[3])
{
	stats[0] = server_stat(domain, ours);
	stats[1] = server_stat(domain, theirs);
	stats[2] = server_stat(domain, third);
}

/* Until a budget of the client's is used up, of which others have had something before. */
static void body_last(struct task *task)
{
	struct resch_serve out;
	uint64_t end;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	check_is(out.data, 4711);
	look(at_begin);
	end = resch_now() + PATIENCE * SEC;
	do {
		spin(12 * MS);
		look(at_end);
	} while (resch_now() < end && at_end[0].exhausted == at_begin[0].exhausted);
	must(serve_end(out.handle));
	atomic_store(&task->step, 1);
}

/* Takes up a call, makes one, and waits for its end. */
static void body_between(struct task *task)
{
	struct resch_serve out;
	struct resch_call calling;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	refused(client_call(third, RESCH_CALL_F_DISCARD, &calling), EINVAL);
	task->result = client_call(third, RESCH_CALL_F_WAIT, &calling);
	atomic_store(&nested_consumed, calling.consumed);
	atomic_store(&between_end, serve_end(out.handle));
	atomic_store(&task->step, 1);
}

static void body_client(struct task *task)
{
	struct resch_call out;

	must(client_call(theirs, RESCH_CALL_F_WAIT, &out));
	check(out.consumed > atomic_load(&nested_consumed), "%llu ns, and %llu of them nested",
	      (unsigned long long)out.consumed, (unsigned long long)atomic_load(&nested_consumed));
	atomic_store(&task->step, 1);
}

TEST(nested, "a provider's provider works at the first client's expense")
{
	struct task client, between, last;

	three_servers();
	start(&last, third, body_last);
	start(&between, theirs, body_between);
	start(&client, ours, body_client);
	await(atomic_load(&client.step));
	check_is(between.result, 0);
	check_is(atomic_load(&between_end), 0);
	check(atomic_load(&nested_consumed) > 4 * MS, "what it called has cost %llu ns",
	      (unsigned long long)atomic_load(&nested_consumed));
	check(at_end[0].consumed - at_begin[0].consumed > 4 * MS, "the client has paid %llu ns",
	      (unsigned long long)(at_end[0].consumed - at_begin[0].consumed));
	check(at_end[0].exhausted > at_begin[0].exhausted, "its budget was never used up");
	check_is(at_end[1].consumed, at_begin[1].consumed);
	check_is(at_end[2].consumed, at_begin[2].consumed);
	task_join(&client);
	task_join(&between);
	task_join(&last);
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- how long -------------------------------------------------------------------------------- */

/* It goes before who works for it. */
static void body_gives_up(struct task *task)
{
	struct resch_call out;

	task_wait(task);
	must(client_call(theirs, 0, &out));
	while (!atomic_load(&task->stop))
		sleep_ms(2);
	task->result = client_end(out.handle, 0);
	atomic_store(&task->step, 1);
}

TEST(withdrawn, "with the first call all end that were made for it")
{
	struct task client = {}, between, last;

	three_servers();
	start(&last, third, body_works);
	start(&between, theirs, body_between);
	start_first(&client, body_gives_up);
	await(atomic_load(&last.step));
	atomic_store(&client.stop, 1);
	await(atomic_load(&client.step));
	check_is(client.result, -ECANCELED);
	await(atomic_load(&between.step));
	check_is(between.result, -ECANCELED);
	check_is(atomic_load(&between_end), -ECANCELED);
	task_join(&client);
	task_join(&between);
	pays_itself(&last, third);
	must(server_del(domain, theirs));
	check_is(domain_stat(domain).ejections, 0);
}

/* Calls, and does not wait. */
static void body_ends(struct task *task)
{
	struct resch_serve out;
	struct resch_call calling;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	must(client_call(third, 0, &calling));
	while (!atomic_load(&task->stop))
		sleep_ms(2);
	must(serve_end(out.handle));
	atomic_store(&task->step, 1);
	while (atomic_load(&task->stop) < 2)
		sleep_ms(2);
	task->result = client_end(calling.handle, 0);
	atomic_store(&task->step, 2);
}

TEST(ended, "with the work that it was made for a call ends, taken up or not")
{
	struct task client, between, last = {};
	int i;

	three_servers();
	for (i = 0; i < 2; i++) {
		if (i)
			start(&last, third, body_works);
		start(&between, theirs, body_ends);
		start(&client, ours, body_calls);
		if (i)
			await(atomic_load(&last.step));
		else
			await(server_stat(domain, theirs).consumed &&
			      proc_state(client.tid) == 'S' && proc_state(between.tid) == 'S');
		atomic_store(&between.stop, 1);
		await(atomic_load(&client.step));
		check_is(client.result, 0);
		task_join(&client);
		await(atomic_load(&between.step));
		if (i)
			pays_itself(&last, third);
		atomic_store(&between.stop, 2);
		await(atomic_load(&between.step) == 2);
		check_is(between.result, -ECANCELED);
		task_join(&between);
	}
	check_is(domain_stat(domain).ejections, 0);
}

TEST(dies, "who dies in between takes nobody along")
{
	struct task client, last;
	pid_t pid;

	three_servers();
	start(&last, third, body_works);
	pid = start_process(theirs, body_between);
	start(&client, ours, body_calls);
	await(atomic_load(&last.step));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(atomic_load(&client.step));
	check_is(client.result, -EOWNERDEAD);
	task_join(&client);
	pays_itself(&last, third);
	await(server_del(domain, ours) == 0);
}

TEST(swapped, "another plugin takes over: all of them end")
{
	struct task client, between, last;

	three_servers();
	start(&last, third, body_works);
	start(&between, theirs, body_between);
	start(&client, ours, body_calls);
	await(atomic_load(&last.step));
	must(domain_swap(domain, "edf", ""));
	atomic_store(&last.stop, 1);
	await(atomic_load(&client.step));
	check_is(client.result, -ECANCELED);
	await(atomic_load(&between.step));
	check_is(between.result, -ECANCELED);
	check_is(atomic_load(&between_end), -ECANCELED);
	await(atomic_load(&last.ended));
	check_is(last.result, -ECANCELED);
	task_join(&client);
	task_join(&between);
	task_join(&last);
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- how deep -------------------------------------------------------------------------------- */

#define DEEPEST 8

static atomic_int too_deep;

/* Has the same done by another one, until that is refused. */
static void body_passes_on(struct task *task)
{
	struct resch_serve out;
	struct resch_call calling;
	int err = serve(0, RESCH_SERVE_F_WAIT, &out);

	if (err == -EINTR)
		return;
	must(err);
	err = client_call(theirs, RESCH_CALL_F_WAIT, &calling);
	if (err == -ELOOP)
		atomic_fetch_add(&too_deep, 1);
	else
		must(err);
	must(serve_end(out.handle));
	atomic_store(&task->step, 1);
}

TEST(depth, "eight calls may follow one another, and no more")
{
	struct task client, providers[DEEPEST + 1];
	int i, worked = 0;

	signals_end_waiting();
	servers();
	for (i = 0; i <= DEEPEST; i++)
		start(&providers[i], theirs, body_passes_on);
	start(&client, ours, body_calls);
	await(atomic_load(&client.step));
	check_is(client.result, 0);
	check_is(atomic_load(&too_deep), 1);
	task_join(&client);
	for (i = 0; i <= DEEPEST; i++) {
		stop_provider(&providers[i]);
		worked += atomic_load(&providers[i].step);
	}
	check_is(worked, DEEPEST);
	check_is(domain_stat(domain).ejections, 0);
}
