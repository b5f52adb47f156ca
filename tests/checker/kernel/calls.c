// SPDX-License-Identifier: GPL-2.0
/*
 * calls.c - a random load of clients in servers, who call threads of a passive server, which work
 * for them at their expense
 *
 * usage: calls SEED CPU CLIENTS MILLISECONDS
 *
 * A provider may call those of a second passive server for that. Clients wait for the answer, or go
 * on and look later, or withdraw; some give up what is left of their budget. Providers are fewer,
 * and sleep in the middle of their work. The domain's plugin is changed meanwhile, which ends all
 * calls. Whether budgets were taken from the right servers is for resch-check to say.
 */
#include "tasks.h"

#define CLIENTS_MAX (TASKS_MAX / 2)

static int clients;
static uint32_t passive[2];

/* A call, and what else there is to do. By one that works for a client itself: @more. */
static void ask(struct task *task, bool more)
{
	struct resch_call call = { .server = passive[more] };

	if (!more && !draw(&task->seed, 4))
		call.flags |= RESCH_CALL_F_DISCARD;
	if (draw(&task->seed, 3))
		call.flags |= RESCH_CALL_F_WAIT;
	if (resch_call(fd, &call) || call.flags & RESCH_CALL_F_WAIT)
		return;
	work(draw(&task->seed, (unsigned int)task->reg.params.wcet / 3));
	if (!draw(&task->seed, 3))
		usleep(draw(&task->seed, 4000));
	resch_call_end(fd, call.handle, draw(&task->seed, 2) ? RESCH_CALL_F_WAIT : 0, NULL);
}

static void *client(void *argument)
{
	struct task *task = argument;
	unsigned int wcet = (unsigned int)task->reg.params.wcet;
	int result;

	if (enter(task))
		return NULL;
	while (!stop) {
		result = resch_wait(fd, NULL);
		if (result && result != -EINTR)
			break;
		if (result)
			continue;
		work(wcet / 8 + draw(&task->seed, wcet / 4));
		if (draw(&task->seed, 4))
			ask(task, false);
		work(draw(&task->seed, wcet / 4));
	}
	return NULL;
}

static void *provider(void *argument)
{
	struct task *task = argument;

	if (enter(task))
		return NULL;
	while (!stop) {
		struct resch_serve serve = { .flags = RESCH_SERVE_F_WAIT };

		if (!draw(&task->seed, 6))
			serve.flags = 0;
		if (resch_serve(fd, &serve)) {
			usleep(1000 + draw(&task->seed, 3000));
			continue;
		}
		work(draw(&task->seed, 400000));
		if (!draw(&task->seed, 4))
			usleep(draw(&task->seed, 2000));
		if (task->reg.params.group == passive[0] && draw(&task->seed, 2))
			ask(task, true);
		work(draw(&task->seed, 400000));
		resch_serve_end(fd, serve.handle, NULL);
		if (!draw(&task->seed, 3))
			work(draw(&task->seed, 100000));
	}
	return NULL;
}

static int make_server(uint32_t domain, struct resch_server_params params)
{
	struct resch_server_set want = { .domain = domain, .params = params };
	int result = complain("a server", resch_server_set(fd, &want));

	/* Those are made last. */
	passive[0] = passive[1];
	passive[1] = want.id;
	return result;
}

static int make_servers(uint32_t domain, int cpu, unsigned int *seed, unsigned int count)
{
	static const unsigned int periods[] = { 4, 7, 10, 15, 24 };
	struct resch_server_params params = { .cpu = cpu };
	unsigned int i;

	for (i = 0; i < count; i++) {
		params.kind = draw(seed, 4);
		params.policy = draw(seed, 6);
		params.period = periods[draw(seed, 5)] * MS;
		params.budget = params.period * (60 + draw(seed, 30)) / 100 / count;
		params.quantum = params.policy == RESCH_SERVER_RR ? MS / 5 + draw(seed, MS) : 0;
		if (make_server(domain, params))
			return 1;
	}
	params = (struct resch_server_params){
		.cpu = cpu, .kind = RESCH_SERVER_PASSIVE, .budget = MS / 2, .period = 10 * MS
	};
	return make_server(domain, params) || make_server(domain, params);
}

static void choose(struct task *task, int number, int cpu, unsigned int *seed, unsigned int servers)
{
	static const unsigned int periods[] = { 7, 10, 13, 20, 30 };
	struct resch_task_params *params = &task->reg.params;
	bool asks = number < clients;

	task->seed = (unsigned int)rand_r(seed);
	params->kind = asks ? RESCH_PERIODIC : RESCH_WAKEUP;
	params->period = asks ? periods[draw(seed, 5)] * MS : 10 * MS;
	params->deadline = params->period;
	params->wcet = asks ? params->period / (2 * (unsigned int)clients) : MS / 4;
	params->priority = 1 + draw(seed, 20);
	params->cpu = cpu;
	params->group = asks ? 1 + (uint32_t)number % servers : passive[number % 2];
	params->flags = RESCH_F_SKIP_ADMISSION;
	snprintf(params->name, sizeof(params->name), "%c%d", asks ? 'c' : 'p', number);
}

int main(int argc, char **argv)
{
	struct resch_domain_set domain = {};
	unsigned int seed, ms, servers;
	int cpu, i;

	if (argc != 5) {
		fprintf(stderr, "usage: calls SEED CPU CLIENTS MILLISECONDS\n");
		return 2;
	}
	seed = (unsigned int)atoi(argv[1]);
	cpu = atoi(argv[2]);
	clients = atoi(argv[3]);
	ms = (unsigned int)atoi(argv[4]);
	if (clients < 1 || clients > CLIENTS_MAX)
		return 2;
	if (make_domain(&domain, cpu, "server"))
		return 1;
	servers = 1 + draw(&seed, clients < 4 ? (unsigned int)clients : 4);
	nr_tasks = clients + 2 + (int)draw(&seed, (unsigned int)clients);
	if (make_servers(domain.domain, cpu, &seed, servers))
		return 1;
	for (i = 0; i < nr_tasks; i++) {
		choose(&tasks[i], i, cpu, &seed, servers);
		if (pthread_create(&tasks[i].pthread, NULL, i < clients ? client : provider,
				   &tasks[i]))
			return 1;
	}
	for (i = 0; i < SWAPS; i++) {
		usleep(ms * 1000 / SWAPS);
		if (set_plugin(&domain, draw(&seed, 4) ? "server" : "edf"))
			return 1;
	}
	end_tasks();
	return complain("cannot remove the domain", resch_domain_del(fd, domain.domain)) ? 1 : 0;
}
