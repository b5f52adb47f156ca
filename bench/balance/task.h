/* SPDX-License-Identifier: GPL-2.0 */
/* task.h - a task of a scenario, and what it tells about itself */
#ifndef _BALANCE_TASK_H
#define _BALANCE_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "scenario.h"

#define CPUS_MAX 64

struct task {
	const struct group *group;
	pid_t pid;
	/* Of the process, written before it ends. */
	volatile bool ready, done;
	uint64_t cpu_ns[CPUS_MAX];
	uint64_t end_ns;
	uint64_t locks;
	long voluntary, involuntary;
};

struct board {
	volatile bool enough;
	struct task task[TASKS_MAX];
};

/* A child does this: reports to be ready, waits until @gate is closed, works, ends. */
_Noreturn void task_live(struct board *board, struct task *task, int gate, uint64_t gap_ns);

#endif /* _BALANCE_TASK_H */
