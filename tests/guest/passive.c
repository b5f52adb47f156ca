// SPDX-License-Identifier: GPL-2.0
/*
 * passive.c - providers work on the servers of their clients, and on nobody else's
 *
 * resch-test: timeout=240
 */
#include <sys/socket.h>

#include "lib.h"

#define PERIOD (20 * MS)

static __attribute__((constructor)) void limit(void)
{
	test_limit = 60;
}

/* ---- servers --------------------------------------------------------------------------------------- */

static uint32_t domain;

static uint32_t server_make(uint32_t kind, uint64_t budget, uint64_t period)
{
	struct resch_server_set set = {
		.domain = domain,
		.params = { .budget = budget,
			    .period = period,
			    .kind = kind,
			    .cpu = -1,
			    .flags = RESCH_SERVER_F_PERSIST },
	};

	must(call(dev, RESCH_IOC_SERVER_SET, &set));
	return set.id;
}

static int server_del(uint32_t id)
{
	struct resch_server_del del = { .domain = domain, .id = id };

	return call(dev, RESCH_IOC_SERVER_DEL, &del);
}

static struct resch_server_stat server_stat(uint32_t id)
{
	struct resch_server_stat stat = { .domain = domain, .id = id };

	must(call(dev, RESCH_IOC_SERVER_STAT, &stat));
	return stat;
}

static uint32_t ours, theirs;

/* One for clients, one for providers. */
static void servers(void)
{
	pin(0, "0");
	domain = use("server");
	ours = server_make(RESCH_SERVER_CBS_HARD, 8 * MS, PERIOD);
	theirs = server_make(RESCH_SERVER_PASSIVE, 2 * MS, PERIOD);
}

static void start(struct task *task, uint32_t server, void (*body)(struct task *task))
{
	memset(task, 0, sizeof(*task));
	task->reg = wakeup(PERIOD, MS);
	task->reg.params.group = server;
	task->reg.params.cpu = -1;
	task_start(task, body);
}

/* ---- both sides ------------------------------------------------------------------------------------ */

static int client_call(uint32_t server, uint32_t flags, struct resch_call *out)
{
	*out = (struct resch_call){ .server = server, .flags = flags, .data = 4711 };
	return call(dev, RESCH_IOC_CALL, out);
}

static int client_end(uint64_t handle, uint32_t flags)
{
	struct resch_call_end end = { .handle = handle, .flags = flags };

	return call(dev, RESCH_IOC_CALL_END, &end);
}

static int serve(uint64_t handle, uint32_t flags, struct resch_serve *out)
{
	*out = (struct resch_serve){ .handle = handle, .flags = flags };
	return call(dev, RESCH_IOC_SERVE, out);
}

static int serve_end(uint64_t handle)
{
	struct resch_call_end end = { .handle = handle };

	return call(dev, RESCH_IOC_SERVE_END, &end);
}

/* A client that calls once, and waits for the end. */
static void body_calls(struct task *task)
{
	struct resch_call out;

	task->result = client_call(theirs, RESCH_CALL_F_WAIT, &out);
	if (!task->result)
		check(out.consumed, "it cost nothing");
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(2);
}

/* A provider that works for as long as it is not told to stop. */
static void body_works(struct task *task)
{
	struct resch_serve out;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	atomic_store(&task->jobs, out.handle);
	atomic_store(&task->step, 1);
	spin_until(&task->stop);
	task->result = serve_end(out.handle);
}

/* ---- who may what ---------------------------------------------------------------------------------- */

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
	/* Nobody pays for what the provider has others do. */
	refused(client_call(theirs, 0, &calling), EINVAL);
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
	other = server_make(RESCH_SERVER_PASSIVE, 2 * MS, PERIOD);
	refused(client_call(theirs, 0, &calling), ENOENT);
	refused(client_end(0, 0), ENOENT);
	refused(serve(0, 0, &serving), ENOENT);
	refused(serve_end(0), ENOENT);
	start(&client, ours, body_refused_client);
	await(atomic_load(&shown));
	start(&stranger, other, body_refused_stranger);
	task_join(&stranger);
	throttled.reg = wakeup(PERIOD, 10 * MS);
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

/* ---- who pays -------------------------------------------------------------------------------------- */

static struct resch_server_stat at_begin[2], at_end[2];

static void body_charged(struct task *task)
{
	struct resch_serve out;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	at_begin[0] = server_stat(ours);
	at_begin[1] = server_stat(theirs);
	spin(30 * MS);
	at_end[0] = server_stat(ours);
	at_end[1] = server_stat(theirs);
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
		check(at_end[0].consumed - at_begin[0].consumed > 20 * MS,
		      "the client's server has paid %llu ns",
		      (unsigned long long)(at_end[0].consumed - at_begin[0].consumed));
		check(at_end[0].exhausted > at_begin[0].exhausted, "it was never used up");
		check(at_end[0].replenished > at_begin[0].replenished, "it was never replenished");
	}
	check_is(domain_stat(domain).ejections, 0);
}

static void body_answers(struct task *task)
{
	struct resch_serve out;

	while (!atomic_load(&task->stop)) {
		int err = serve(0, RESCH_SERVE_F_WAIT, &out);

		if (err == -EINTR)
			continue;
		must(err);
		spin(MS / 10);
		err = serve_end(out.handle);
		if (err != -ECANCELED)
			must(err);
		atomic_fetch_add(&task->jobs, 1);
	}
}

static void body_asks(struct task *task)
{
	uint32_t discards = task->number & 1 ? RESCH_CALL_F_DISCARD : 0;
	struct resch_call out;

	while (atomic_load(&task->jobs) < 100) {
		if (atomic_load(&task->jobs) % 4 == 3) {
			must(client_call(theirs, discards, &out));
			client_end(out.handle, 0);
		} else {
			must(client_call(theirs, RESCH_CALL_F_WAIT | discards, &out));
			check(out.consumed, "it cost nothing");
		}
		atomic_fetch_add(&task->jobs, 1);
	}
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(2);
}

static void on_signal(int number)
{
	(void)number;
}

static void stop_provider(struct task *task)
{
	atomic_store(&task->stop, 1);
	while (!atomic_load(&task->ended)) {
		syscall(SYS_tgkill, getpid(), task->tid, SIGUSR1);
		sleep_ms(5);
	}
	task_join(task);
}

TEST(crowd, "many clients, few providers, calls that are withdrawn: all get on")
{
	struct sigaction action = { .sa_handler = on_signal };
	struct task clients[4], providers[2];
	int i;

	sigaction(SIGUSR1, &action, NULL);
	servers();
	for (i = 0; i < 2; i++)
		start(&providers[i], theirs, body_answers);
	for (i = 0; i < 4; i++) {
		start(&clients[i], ours, body_asks);
		clients[i].number = i;
	}
	for (i = 0; i < 4; i++)
		await(atomic_load(&clients[i].step));
	for (i = 0; i < 4; i++)
		task_join(&clients[i]);
	for (i = 0; i < 2; i++)
		stop_provider(&providers[i]);
	check(server_stat(theirs).consumed, "the providers were never charged themselves");
	check_is(domain_stat(domain).ejections, 0);
}

/* ---- in which order -------------------------------------------------------------------------------- */

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
	must(server_del(ours));
	slow = server_make(RESCH_SERVER_CBS_HARD, 600 * MS, 60 * SEC);
	quick = server_make(RESCH_SERVER_CBS_HARD, 8 * MS, 80 * MS);
	start(&late, slow, body_calls);
	await(proc_state(late.tid) == 'S');
	start(&early, quick, body_calls);
	await(proc_state(early.tid) == 'S');
	provider.reg = wakeup(PERIOD, MS);
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
	must(server_del(ours));
	slow = server_make(RESCH_SERVER_CBS_HARD, 30 * SEC, 60 * SEC);
	quick = server_make(RESCH_SERVER_CBS_HARD, 8 * MS, 80 * MS);
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

/* ---- ends ------------------------------------------------------------------------------------------ */

/* From here on the provider works at the expense of its own server, and not at the client's. */
static void pays_itself(struct task *provider)
{
	struct resch_server_stat before;
	uint64_t paid;

	await(state_of(provider->id) != RESCH_STATE_GONE);
	before = server_stat(ours);
	paid = server_stat(theirs).consumed;
	await(server_stat(theirs).consumed > paid + 4 * MS);
	check_is(server_stat(ours).consumed, before.consumed);
	atomic_store(&provider->stop, 1);
	await(atomic_load(&provider->ended));
	check_is(provider->result, -ECANCELED);
	task_join(provider);
}

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
		client.reg = periodic(PERIOD, MS);
		client.reg.params.group = ours;
		client.reg.params.cpu = -1;
		client.number = i;
		task_start(&client, body_gives_up);
		await(atomic_load(&provider.step));
		task_join(&client);
		pays_itself(&provider);
	}
	must(server_del(ours));
	must(server_del(theirs));
	check_is(domain_stat(domain).ejections, 0);
}

static int body_client_process(void *arg)
{
	struct task client;

	(void)arg;
	dev = resch_open();
	start(&client, ours, body_calls);
	for (;;)
		pause();
	return 0;
}

TEST(client_dies, "a client that is killed takes nobody along, and its server is free")
{
	struct task provider;
	pid_t pid;

	servers();
	start(&provider, theirs, body_works);
	pid = child(body_client_process, NULL);
	await(atomic_load(&provider.step));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 1);
	pays_itself(&provider);
	must(server_del(ours));
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
	await(server_stat(theirs).tasks == 0);
	must(server_del(theirs));
}

TEST(deleted, "a passive server goes, and who waits for it is told so")
{
	struct task client;

	servers();
	start(&client, ours, body_calls);
	await(proc_state(client.tid) == 'S');
	must(server_del(theirs));
	/* Its share counts until its deadline. */
	await(({
		struct resch_server_stat stat = { .domain = domain, .id = theirs };
		bool gone = call(dev, RESCH_IOC_SERVER_STAT, &stat) == -ENOENT;

		server_del(server_make(RESCH_SERVER_CBS, MS, 100 * MS));
		gone &&atomic_load(&client.step);
	}));
	check_is(client.result, -ECANCELED);
	task_join(&client);
}

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
	struct sigaction action = { .sa_handler = on_signal };
	struct task client, provider;

	sigaction(SIGUSR1, &action, NULL);
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

/* ---- the library's remote procedure calls ---------------------------------------------------------- */

static int listening;

static ssize_t do_spin(void *data, struct resch_rpc_peer *peer, uint32_t method,
		       const void *request, size_t size, void *reply, size_t room)
{
	(void)data;
	(void)method;
	(void)request;
	(void)size;
	(void)room;
	spin(12 * MS);
	memcpy(reply, &peer->pid, sizeof(peer->pid));
	return sizeof(peer->pid);
}

static void body_rpc_provider(struct task *task)
{
	struct resch_rpc_service service = { .fd = dev, .server = theirs, .serve = do_spin };
	int fd = must_libc(accept(listening, NULL, NULL));

	task->result = resch_rpc_serve(&service, fd);
	close(fd);
}

static void body_rpc_client(struct task *task)
{
	struct resch_server_stat before;
	struct resch_rpc rpc;
	pid_t pid = 0;
	int i;

	must(resch_rpc_open(&rpc, dev, "/tmp/passive.socket"));
	check_is(rpc.server, theirs);
	for (i = 0; i < 4; i++) {
		before = server_stat(ours);
		rpc.flags = i & 1 ? RESCH_CALL_F_DISCARD : 0;
		check_is(resch_rpc_call(&rpc, 1, NULL, 0, &pid, sizeof(pid)), sizeof(pid));
		check_is(pid, getpid());
		check(rpc.consumed > 8 * MS, "it is said to have cost %llu ns",
		      (unsigned long long)rpc.consumed);
		check(server_stat(ours).consumed - before.consumed > 8 * MS,
		      "the client's server has paid %llu ns",
		      (unsigned long long)(server_stat(ours).consumed - before.consumed));
	}
	resch_rpc_close(&rpc);
	task->result = 1;
}

TEST(rpc, "requests over a socket are paid by those who make them")
{
	struct task client, provider;

	servers();
	listening = must(resch_rpc_listen("/tmp/passive.socket", 0600));
	start(&provider, theirs, body_rpc_provider);
	start(&client, ours, body_rpc_client);
	task_join(&client);
	task_join(&provider);
	unlink("/tmp/passive.socket");
	check_is(provider.result, 0);
	check_is(client.result, 1);
	check_is(domain_stat(domain).ejections, 0);
}
