/* SPDX-License-Identifier: GPL-2.0-or-later */
/* top.h - what the parts of reschtop share */
#ifndef _TOP_TOP_H
#define _TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "reschctl.h"
#include "shared.h"

struct reschtop_bpf;

/* ---- probe.c: the programs in the kernel ----------------------------------------------------- */

/**
 * struct probe - programs that count, and the maps where they do
 * @tasks:     @places of them, mapped
 * @cpus:      @cpu_count of them, mapped
 * @since:     when they began
 */
struct probe {
	struct reschtop_bpf *bpf;
	struct top_task *tasks;
	struct top_cpu *cpus;
	size_t places, cpu_count;
	uint64_t since;
};

/**
 * probe_possible - what of kernel, module and rights is missing, and what to do
 * @root: where the files of the kernel are; "": at /
 *
 * Return: EXIT_DONE: nothing is; else an exit status, after a message.
 */
int probe_possible(const char *root);
/**
 * probe_begin - load and attach
 * @tasks: for how many there has to be room
 *
 * Return: EXIT_DONE, or another exit status after a message.
 */
int probe_begin(struct probe *probe, size_t tasks);
/** probe_end - detach: the module can be removed again */
void probe_end(struct probe *probe);
/** probe_left_out - tasks for which there was no room */
uint64_t probe_left_out(const struct probe *probe);

/* ---- look.c: what they have counted ---------------------------------------------------------- */

/** struct look - all tasks at one time, by their ids */
struct look {
	struct top_task *tasks;
	size_t count, room;
	uint64_t time;
};

/**
 * look_take - copy what was counted so far
 * @fd: the device: what no event has told of a task, it does
 *
 * Return: 0 or -errno.
 */
int look_take(struct look *look, const struct probe *probe, int fd);
void look_free(struct look *look);
/** look_find - Return: the task, or NULL */
const struct top_task *look_find(const struct look *look, uint32_t id);

/* ---- report.c: for people and programs ------------------------------------------------------- */

/** report_tasks - a table; @before: the look before it, for what is new, or NULL */
void report_tasks(const struct look *now, const struct look *before, FILE *to);
/** report_json - all of it; takes nothing, returns a new object */
struct json_object *report_json(const struct look *look, const struct probe *probe);

/* ---- blame.c: who had the CPU while a job was there ------------------------------------------ */

/** blame_read - a copy that is whole; where there is none yet, its @complete is 0 */
void blame_read(struct top_blame *blame, const struct top_blame *from);
/** blame_table - the slowest job of each task, and its last late one */
void blame_table(const struct look *look, FILE *to);
/** blame_json - takes nothing, returns a new object; NULL: there was no such job */
struct json_object *blame_json(const struct top_task *task, enum top_of of);

/* ---- prometheus.c: for Prometheus ------------------------------------------------------------ */

/** prometheus_print - all of it, in the text exposition format */
void prometheus_print(const struct look *look, const struct probe *probe, FILE *to);
/**
 * prometheus_save - likewise into a file, which is never seen half written
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int prometheus_save(const struct look *look, const struct probe *probe, const char *path);

#endif
