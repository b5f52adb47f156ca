// SPDX-License-Identifier: GPL-2.0-or-later
/* overheads.c - what a kernel takes, as people write it */
#include <stdlib.h>
#include <string.h>

#include "assign.h"

/*
 * Largest values of all experiments: Sousa, Bletsas, Tovar, Andersson, On the implementation of
 * real-time slot-based task-splitting scheduling algorithms for multiprocessor systems, 2011,
 * tables 1 and 5. Their release jitter includes what releases of others take. The tick came each
 * millisecond; the disk's interrupt, rare and on the last CPU, is left to who has such a disk.
 */
static const struct {
	const char *name;
	struct resch_assign_overheads overheads;
} known[] = {
	{ "paper4",
	  { .reserve_jitter = 8824,
	    .release_jitter = 31834,
	    .switch_cost = 2218,
	    .nr_irqs = 1,
	    .irqs = { { .period = 1000000, .cost = 571, .cpu = -1 } } } },
	{ "paper24",
	  { .reserve_jitter = 48087,
	    .release_jitter = 37264,
	    .switch_cost = 9743,
	    .nr_irqs = 1,
	    .irqs = { { .period = 1000000, .cost = 6431, .cpu = -1 } } } },
};

static int bad(const char *key, const char *value, const char *what)
{
	usage("assign", "--overheads: %s%s%s: %s", key, value ? "=" : "", value ? value : "", what);
	return -1;
}

/* COST/PERIOD or COST/PERIOD@CPU */
static int add_irq(struct resch_assign_overheads *overheads, char *value)
{
	struct resch_assign_irq irq = { .cpu = -1 };
	char *period = strchr(value, '/'), *cpu = strchr(value, '@');
	uint64_t number;

	if (overheads->nr_irqs == RESCH_ASSIGN_IRQS_MAX)
		return bad("irq", value, "these are too many");
	if (period)
		*period++ = 0;
	if (cpu)
		*cpu++ = 0;
	if (!period || resch_time_parse(value, &irq.cost) || resch_time_parse(period, &irq.period))
		return bad("irq", value, "it is COST/PERIOD or COST/PERIOD@CPU");
	if (!irq.period || irq.cost >= irq.period || irq.period > RESCH_ASSIGN_TIME_MAX)
		return bad("irq", value, "the cost is less than the period, which is at most 1h");
	if (cpu) {
		if (number_parse(cpu, RESCH_CPUS_MAX - 1, &number))
			return bad("irq", value, "no CPU comes after the @");
		irq.cpu = (int32_t)number;
	}
	overheads->irqs[overheads->nr_irqs++] = irq;
	return 0;
}

static int set_one(struct resch_assign_overheads *overheads, const char *key, char *value)
{
	const struct {
		const char *key;
		uint64_t *to;
	} times[] = {
		{ "reserve", &overheads->reserve_jitter },
		{ "release", &overheads->release_jitter },
		{ "switch", &overheads->switch_cost },
		{ "cost", &overheads->release_cost },
		{ "cache", &overheads->cache },
	};
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!value && !strcmp(key, known[i].name)) {
			*overheads = known[i].overheads;
			return 0;
		}
	}
	if (!value)
		return bad(key, value, "it is KEY=TIME,..., paper4 or paper24");
	if (!strcmp(key, "irq"))
		return add_irq(overheads, value);
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (strcmp(key, times[i].key))
			continue;
		if (resch_time_parse(value, &ns) || ns > RESCH_ASSIGN_TIME_MAX)
			return bad(key, value, "a time is a number with its unit: 9us, 571ns");
		*times[i].to = ns;
		return 0;
	}
	return bad(key, value, "keys are reserve, release, switch, cost, cache, irq");
}

int overheads_parse(struct resch_assign_overheads *overheads, const char *text)
{
	char *copy = strdup(text), *rest = copy, *key, *value;
	int result = copy ? 0 : -1;

	while (!result && (key = strsep(&rest, ","))) {
		value = strchr(key, '=');
		if (value)
			*value++ = 0;
		result = set_one(overheads, key, value);
	}
	free(copy);
	return result;
}
