// SPDX-License-Identifier: GPL-2.0
/*
 * passive_end.c - how the work of a provider for a client ends before its time, and who pays from
 * then on
 *
 * resch-test: timeout=240
 */
#include "passive.h"

/* ---- who goes -------------------------------------------------------------------------------- */

static void body_gives_up(struct task *task)
{
	struct resch_call out;

	task_wait(task);
	must(client_call(theirs, 0, &out));
	/* It goes before who works for it. */
	while (!atomic_load(&task->stop))
		sleep_ms(2);
	if (task->number)
		must(resch_unregister(dev, 0));
	else
		refused(client_end(out.handle, 0), ECANCELED);
	task->unregistered_end = task->number;
}

TEST(withdrawn, "a client that withdraws its call, or itself, does not pay any longer")
{
	struct task client, provider;
	int i;

	servers();
	for (i = 0; i < 2; i++) {
		start(&provider, theirs, body_works);
		memset(&client, 0, sizeof(client));
		client.number = i;
		start_first(&client, body_gives_up);
		await(atomic_load(&provider.step));
		task_join(&client);
		pays_itself(&provider, theirs);
	}
	must(server_del(domain, ours));
	must(server_del(domain, theirs));
	check_is(domain_stat(domain).ejections, 0);
}

TEST(client_dies, "a client that is killed takes nobody along, and its server is free")
{
	struct task provider;
	pid_t pid;

	servers();
	start(&provider, theirs, body_works);
	pid = start_process(ours, body_calls);
	await(atomic_load(&provider.step));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 1);
	pays_itself(&provider, theirs);
	must(server_del(domain, ours));
}

static int body_provider_process(void *arg)
{
	struct task provider;

	dev = resch_open();
	start(&provider, theirs, body_works);
	await(atomic_load(&provider.step));
	*(volatile int *)arg = 1;
	for (;;)
		pause();
	return 0;
}

TEST(provider_dies, "a client whose provider is killed is told so")
{
	volatile int *busy = shared(sizeof(*busy));
	struct task client;
	pid_t pid;

	servers();
	pid = child(body_provider_process, (void *)busy);
	start(&client, ours, body_calls);
	await(*busy);
	kill(pid, SIGKILL);
	child_wait(pid);
	await(atomic_load(&client.step));
	check_is(client.result, -EOWNERDEAD);
	task_join(&client);
	await(server_stat(domain, theirs).tasks == 0);
	must(server_del(domain, theirs));
}

TEST(deleted, "a passive server goes, and who waits for it is told so")
{
	struct task client;

	servers();
	start(&client, ours, body_calls);
	await(proc_state(client.tid) == 'S');
	must(server_del(domain, theirs));
	/* Its share counts until its deadline. */
	await(({
		struct resch_server_stat stat = { .domain = domain, .id = theirs };
		bool gone = call(dev, RESCH_IOC_SERVER_STAT, &stat) == -ENOENT;

		server_del(domain, server_of_kind(RESCH_SERVER_CBS, MS, 100 * MS));
		gone &&atomic_load(&client.step);
	}));
	check_is(client.result, -ECANCELED);
	task_join(&client);
}

/* ---- who stays ------------------------------------------------------------------------------- */

TEST(swapped, "another plugin takes over: services end, and can begin again")
{
	struct task client, provider;
	int i;

	servers();
	for (i = 0; i < 2; i++) {
		start(&provider, theirs, body_works);
		start(&client, ours, body_calls);
		await(atomic_load(&provider.step));
		must(domain_swap(domain, "edf", ""));
		atomic_store(&provider.stop, 1);
		await(atomic_load(&provider.ended));
		await(atomic_load(&client.step));
		check_is(client.result, -ECANCELED);
		check_is(provider.result, -ECANCELED);
		task_join(&provider);
		task_join(&client);
		must(domain_swap(domain, "server", ""));
	}
	check_is(domain_stat(domain).ejections, 0);
}

static void body_interrupted(struct task *task)
{
	struct resch_call out;

	refused(client_call(theirs, RESCH_CALL_F_WAIT, &out), EINTR);
	atomic_store(&task->step, 1);
	check_is(client_end(0, RESCH_CALL_F_WAIT), 0);
	atomic_store(&task->step, 2);
}

static void body_sleeps(struct task *task)
{
	struct resch_serve out;

	(void)task;
	refused(serve(0, RESCH_SERVE_F_WAIT, &out), EINTR);
	refused(serve(0, 0, &out), EAGAIN);
}

TEST(signals, "signals end the waiting, and not the call")
{
	struct task client, provider;

	signals_end_waiting();
	servers();
	start(&provider, theirs, body_sleeps);
	await(proc_state(provider.tid) == 'S');
	stop_provider(&provider);
	start(&client, ours, body_interrupted);
	await(proc_state(client.tid) == 'S');
	syscall(SYS_tgkill, getpid(), client.tid, SIGUSR1);
	await(atomic_load(&client.step) == 1);
	start(&provider, theirs, body_answers);
	await(atomic_load(&client.step) == 2);
	task_join(&client);
	stop_provider(&provider);
}
