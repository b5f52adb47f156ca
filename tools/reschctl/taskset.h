/* SPDX-License-Identifier: GPL-2.0-or-later */
/* taskset.h - task sets from CSV files, those that resch-sim reads */
#ifndef _RESCHCTL_TASKSET_H
#define _RESCHCTL_TASKSET_H

#include "reschctl.h"

/**
 * struct taskset_task - a task as the file describes it
 * @params:              as for registering it; wcet is the longest execution that is promised
 * @exec_min, @exec_max: what each job really executes for: uniform in between, ns
 * @gap_max:             longest time between two releases, ns; the least is params.period
 * @offset_max:          latest first release, ns; the earliest is params.offset
 */
struct taskset_task {
	struct resch_task_params params;
	uint64_t exec_min;
	uint64_t exec_max;
	uint64_t gap_max;
	uint64_t offset_max;
};

/** struct taskset - what a file held; taskset_free() */
struct taskset {
	struct taskset_task *tasks;
	uint32_t count;
};

/** taskset_read - a file, or "-": standard input. Return: 0, or -1 after a message */
int taskset_read(const char *path, struct taskset *set);
void taskset_free(struct taskset *set);

#endif /* _RESCHCTL_TASKSET_H */
