// SPDX-License-Identifier: GPL-2.0
/*
 * receive.c - servers for the threads that receive: one for each node, on a CPU that is no stage's
 *
 * What middleware does for messages then takes nothing from stages, however many come, and what it
 * takes at most is known: a cbs-hard server that was idle has served its budget one period after a
 * message came. So a message takes one period at most, and what it takes to be sent, as long as
 * what comes in a period costs no more than the budget.
 */
#include <errno.h>
#include <resch-text.h>
#include <resch.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "clock-ns.h"
#include "nodes.h"

static bool has_stage(const struct plan *plan, int cpu)
{
	uint32_t i, k;

	for (i = 0; i < plan->set.model.count; i++)
		for (k = 0; k < plan->set.model.chains[i].count; k++)
			if (stage_of(plan, i, k)->cpu == cpu)
				return true;
	return false;
}

/* Return: the first CPU without stages, or -ENODEV */
static int free_cpu(const struct plan *plan)
{
	cpu_set_t cpus;
	int cpu;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && !has_stage(plan, cpu))
			return cpu;
	return -ENODEV;
}

/* Return: 0, or -1 after a message */
static int make_server(int device, struct plan *plan, uint32_t node)
{
	struct resch_server_set want = {
		.domain = plan->receive.domain,
		.params = { .kind = RESCH_SERVER_CBS_HARD,
			    .policy = RESCH_SERVER_EDF,
			    .budget = plan->receive.budget,
			    .period = plan->receive.period,
			    .cpu = plan->receive.cpu },
	};
	char text[RESCH_VERDICT_TEXT];
	int result;

	snprintf(want.params.name, sizeof(want.params.name), "%s", plan->names[node]);
	result = resch_server_set(device, &want);
	if (result == -EBUSY) {
		resch_verdict_text(&want.verdict, text, sizeof(text));
		fprintf(stderr, "resch-nodes: --receive for %u nodes: %s\n", plan->nodes, text);
		return -1;
	}
	plan->receive.server[node] = want.id;
	return result ? say_failed("a server that receives", result) : 0;
}

int receive_open(int device, struct plan *plan)
{
	struct receive *receive = &plan->receive;
	struct resch_domain_set want = { .plugin = "server" };
	int result;
	uint32_t i;

	if (!receive->budget)
		return 0;
	receive->cpu = free_cpu(plan);
	if (receive->cpu < 0)
		return say_failed("a CPU without stages, for --receive", receive->cpu);
	want.cpus.bits[receive->cpu / 64] |= 1ULL << receive->cpu % 64;
	result = resch_domain_set(device, &want);
	if (result)
		return say_failed("a domain of servers (plugin server)", result);
	receive->domain = want.domain;
	for (i = 0; i < plan->nodes && !result; i++)
		result = make_server(device, plan, i);
	if (result)
		receive_close(device, plan);
	return result;
}

/* Threads may still be on their way out. */
static void drop_server(int device, uint32_t domain, uint32_t server)
{
	int tries;

	for (tries = 0; tries < 500 && resch_server_del(device, domain, server) == -EBUSY; tries++)
		sleep_for(10000000);
}

void receive_close(int device, struct plan *plan)
{
	struct receive *receive = &plan->receive;
	uint32_t i;

	if (!receive->domain)
		return;
	for (i = 0; i < plan->nodes; i++)
		if (receive->server[i])
			drop_server(device, receive->domain, receive->server[i]);
	domain_drop(device, receive->domain);
	receive->domain = 0;
	memset(receive->server, 0, sizeof(receive->server));
}

void receive_params(const struct lane *lane, struct resch_register *reg)
{
	const struct receive *receive = &here.plan->receive;

	reader_params(lane, reg);
	if (!receive->budget)
		return;
	reg->domain = receive->domain;
	reg->params.period = receive->period;
	reg->params.deadline = receive->period;
	reg->params.wcet = receive->budget;
	reg->params.priority = 0;
	reg->params.cpu = receive->cpu;
	reg->params.group = receive->server[here.self];
	snprintf(reg->params.name, sizeof(reg->params.name), "receiver");
}
