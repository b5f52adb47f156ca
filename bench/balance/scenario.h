/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scenario.h - sets of tasks that load a machine, as files describe them
 *
 * After lbu, the tool of É. Piel and others: ARTiS, INRIA RR-5781, 2005, section 5.3.1 and figure
 * 9.
 *
 *	# a comment
 *	{
 *		name = often		for the output (the group's number)
 *		count = 8		so many of them (1)
 *		sched = FIFO		OTHER, FIFO or RR (OTHER)
 *		priority = 50		of FIFO and RR
 *		cpu_mask = 0xc		where they may run (everywhere)
 *		cpu = 300000		us of CPU time that they compute, or
 *		loop = 1000000		... steps; with neither, until all others have ended
 *		run = 9000		us of CPU time from one sleep to the next, or
 *		sloop = 4000		... steps
 *		sleep = 1000		us
 *		lock = 200		us of CPU time from one lock to the next, or
 *		lloop = 100		... steps
 *	}
 */
#ifndef _BALANCE_SCENARIO_H
#define _BALANCE_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define GROUPS_MAX 16
#define TASKS_MAX 256

/* Work: 0 for none. */
struct amount {
	uint64_t value;
	/* Steps of a loop, rather than ns of CPU time. */
	bool steps;
};

struct group {
	char name[32];
	unsigned int count;
	int policy;
	int priority;
	uint64_t cpu_mask;
	struct amount work;
	struct amount run;
	struct amount lock;
	uint64_t sleep_ns;
};

struct scenario {
	struct group group[GROUPS_MAX];
	unsigned int groups;
	unsigned int tasks;
};

/* Returns 0, or -1 with one line in @why (@size bytes) that has the line's number. */
int scenario_read(struct scenario *scenario, FILE *from, char *why, size_t size);

#endif /* _BALANCE_SCENARIO_H */
