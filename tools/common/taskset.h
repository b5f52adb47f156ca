/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taskset.h - task sets from CSV files, for reschctl assign and resch-sim
 *
 * Without a header the lines are those of the ReTAS task-set generator, all times in ns and without
 * a unit; a comma may end each:
 *
 *   id,min_C,max_C,min_T,max_T,D,min_off,max_off
 *
 * With one, times have units (resch_time_parse()), and its words say what the columns are: those
 * above, or
 *
 *   name, cpu, group, priority, kind (periodic, sporadic), overrun, miss
 *   (resch_names("reactions")), wcet, deadline, period, offset, max_offset, max_period, min_exec,
 *   max_exec
 *
 * What is left out: deadline = period, no offset, any CPU, every job executes for its wcet,
 * inter-arrival times are the period, overruns and misses are counted. Lines that begin with # and
 * empty ones are passed over.
 */
#ifndef _RESCH_TASKSET_H
#define _RESCH_TASKSET_H

#include <linux/resch.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct taskset_task - a task as the file describes it
 * @params:              as for registering it; wcet is the longest execution that is promised
 * @exec_min, @exec_max: what each job really executes for: uniform in between, ns; may exceed
 *   params.wcet
 * @gap_max:             inter-arrival times are uniform in [params.period, gap_max], ns
 * @offset_max:          the first release is uniform in [params.offset, offset_max], ns
 */
struct taskset_task {
	struct resch_task_params params;
	__u64 exec_min;
	__u64 exec_max;
	__u64 gap_max;
	__u64 offset_max;
};

/** struct taskset - what a file held; taskset_free() */
struct taskset {
	struct taskset_task *tasks;
	uint32_t count;
};

/* Enough for any sentence of taskset_read(), with a word of the file in it. */
#define TASKSET_ERROR 256

/**
 * taskset_read - all of @file
 *
 * Return: 0; -EINVAL, -EIO, -EISDIR or -ENOMEM with a sentence in @error, and nothing to free.
 */
int taskset_read(FILE *file, struct taskset *set, char *error, size_t size);
void taskset_free(struct taskset *set);

#endif /* _RESCH_TASKSET_H */
