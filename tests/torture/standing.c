// SPDX-License-Identifier: GPL-2.0
/* standing.c - what there is at the moment: any of it, see torture.h */
#include "torture.h"

uint32_t id_any(struct life *life)
{
	return one_in(life, 2) ? 0 : below(life, 1U << below(life, 16));
}

/*
 * Any of those that @next finds, by id: what it has found stands in @life, and 0 is none. So many
 * turns at most: others may be making more all the time.
 */
static bool any(struct life *life, uint32_t domain,
		uint32_t (*next)(struct life *life, uint32_t domain, uint32_t after))
{
	uint32_t after = id_any(life), found, turns;

	for (turns = 0; turns < 12; turns++) {
		found = next(life, domain, after);
		if (found && one_in(life, 2))
			return true;
		if (!found && !after)
			return false;
		after = found;
	}
	return true;
}

static uint32_t domain_next(struct life *life, __attribute__((unused)) uint32_t domain,
			    uint32_t after)
{
	union argument argument = { .domain_stat = { .domain = after, .next = 1 } };

	if (request(life, REQUEST_DOMAIN_STAT, &argument))
		return 0;
	life->domain = argument.domain_stat;
	return life->domain.domain;
}

bool domain_any(struct life *life)
{
	return any(life, 0, domain_next);
}

static uint32_t server_next(struct life *life, uint32_t domain, uint32_t after)
{
	union argument argument = { .server_stat = { .domain = domain, .id = after, .next = 1 } };

	if (request(life, REQUEST_SERVER_STAT, &argument))
		return 0;
	life->server = argument.server_stat;
	return life->server.id;
}

bool server_any(struct life *life, uint32_t domain)
{
	return any(life, domain, server_next);
}

uint32_t task_any(struct life *life)
{
	union argument argument;

	memset(&argument, 0, sizeof(argument));
	argument.task_stat.id = id_any(life);
	argument.task_stat.next = 1;
	return request(life, REQUEST_TASK_STAT, &argument) ? 0 : argument.task_stat.id;
}

int domain_cpu(struct life *life)
{
	unsigned int cpu, start = below(life, world->cpus);

	for (cpu = start; cpu < start + world->cpus; cpu++)
		if (resch_cpus_has(&life->domain.cpus, cpu % world->cpus))
			return cpu % world->cpus;
	return -1;
}
