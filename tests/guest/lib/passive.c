// SPDX-License-Identifier: GPL-2.0
/* passive.c - clients and providers, see passive.h */
#include "passive.h"

uint32_t domain, ours, theirs;

uint32_t server_of_kind(uint32_t kind, uint64_t budget, uint64_t period)
{
	struct resch_server_set want = server_of(domain, budget, period);

	want.params.kind = kind;
	must(server_set(&want));
	return want.id;
}

void servers(void)
{
	pin(0, "0");
	domain = use("server");
	ours = server_of_kind(RESCH_SERVER_CBS_HARD, PASSIVE_BUDGET, PASSIVE_PERIOD);
	theirs = server_of_kind(RESCH_SERVER_PASSIVE, 2 * MS, PASSIVE_PERIOD);
}

void start(struct task *task, uint32_t server, void (*body)(struct task *task))
{
	memset(task, 0, sizeof(*task));
	task->reg = wakeup(PASSIVE_PERIOD, MS);
	task->reg.params.group = server;
	task->reg.params.cpu = -1;
	task_start(task, body);
}

void start_first(struct task *task, void (*body)(struct task *task))
{
	task->reg = periodic(PASSIVE_PERIOD, MS);
	task->reg.params.group = ours;
	task->reg.params.cpu = -1;
	task_start(task, body);
}

struct alone {
	uint32_t server;
	void (*body)(struct task *task);
};

static int process_main(void *arg)
{
	const struct alone *alone = arg;
	struct task task;

	dev = resch_open();
	start(&task, alone->server, alone->body);
	for (;;)
		pause();
	return 0;
}

pid_t start_process(uint32_t server, void (*body)(struct task *task))
{
	struct alone alone = { .server = server, .body = body };

	return child(process_main, &alone);
}

int client_call(uint32_t server, uint32_t flags, struct resch_call *out)
{
	*out = (struct resch_call){ .server = server, .flags = flags, .data = 4711 };
	return call(dev, RESCH_IOC_CALL, out);
}

int client_end(uint64_t handle, uint32_t flags)
{
	struct resch_call_end end = { .handle = handle, .flags = flags };

	return call(dev, RESCH_IOC_CALL_END, &end);
}

int serve(uint64_t handle, uint32_t flags, struct resch_serve *out)
{
	*out = (struct resch_serve){ .handle = handle, .flags = flags };
	return call(dev, RESCH_IOC_SERVE, out);
}

int serve_end(uint64_t handle)
{
	struct resch_call_end end = { .handle = handle };

	return call(dev, RESCH_IOC_SERVE_END, &end);
}

void body_calls(struct task *task)
{
	struct resch_call out;

	task->result = client_call(theirs, RESCH_CALL_F_WAIT, &out);
	if (!task->result)
		check(out.consumed, "it cost nothing");
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(2);
}

void body_works(struct task *task)
{
	struct resch_serve out;

	must(serve(0, RESCH_SERVE_F_WAIT, &out));
	atomic_store(&task->jobs, out.handle);
	atomic_store(&task->step, 1);
	spin_until(&task->stop);
	task->result = serve_end(out.handle);
}

void pays_itself(struct task *provider, uint32_t own)
{
	uint64_t clients, paid;

	await(state_of(provider->id) != RESCH_STATE_GONE);
	clients = server_stat(domain, ours).consumed;
	paid = server_stat(domain, own).consumed;
	await(server_stat(domain, own).consumed > paid + 4 * MS);
	check_is(server_stat(domain, ours).consumed, clients);
	atomic_store(&provider->stop, 1);
	await(atomic_load(&provider->ended));
	check_is(provider->result, -ECANCELED);
	task_join(provider);
}

void body_answers(struct task *task)
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

static void on_signal(int number)
{
	(void)number;
}

void signals_end_waiting(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
}

void stop_provider(struct task *task)
{
	atomic_store(&task->stop, 1);
	while (!atomic_load(&task->ended)) {
		syscall(SYS_tgkill, getpid(), task->tid, SIGUSR1);
		sleep_ms(5);
	}
	task_join(task);
}
