/* SPDX-License-Identifier: GPL-2.0-or-later */
/* top.h - what the parts of reschtop share */
#ifndef _TOP_TOP_H
#define _TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "look.h"
#include "reschctl.h"

struct reschtop_bpf;

/* ---- probe.c: the programs in the kernel ----------------------------------------------------- */

/**
 * struct probe - programs that count, and the maps where they do
 * @tasks:     @places of them, mapped
 * @cpus:      @cpu_count of them, mapped
 * @servers, @chains: TOP_SERVERS, TOP_CHAINS of them, mapped
 * @since:     when they began
 */
struct probe {
	struct reschtop_bpf *bpf;
	struct top_task *tasks;
	struct top_cpu *cpus;
	struct top_server *servers;
	struct top_chain *chains;
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
 * @tasks:  for how many there has to be room
 * @stacks: take them, too
 *
 * Return: EXIT_DONE, or another exit status after a message.
 */
int probe_begin(struct probe *probe, size_t tasks, bool stacks);
/** probe_end - detach: the module can be removed again */
void probe_end(struct probe *probe);
/** probe_left_out - tasks for which there was no room */
uint64_t probe_left_out(const struct probe *probe);
/** probe_groups_left_out - likewise, servers and chains */
uint64_t probe_groups_left_out(const struct probe *probe);

/* ---- look.c: what they have counted ---------------------------------------------------------- */

/**
 * look_take - copy what was counted so far
 * @before: the look before it: who had gone by then, and LOOK_GONE ago, leaves; NULL: nobody does
 * @fd:     the device: what no event has told, it does
 *
 * Return: 0 or -errno.
 */
int look_take(struct look *look, const struct look *before, const struct probe *probe, int fd);
void look_free(struct look *look);
/**
 * place_copy - a copy of a place, which begins with its id
 *
 * Return: whether it is one owner's: false where another one gets the place just now.
 */
bool place_copy(void *to, const void *from, size_t size);
/**
 * place_free - clear a place whose owner has gone
 * @place: @size bytes, its id at first, in @id bytes
 * @gone:  in it
 */
void place_free(void *place, size_t size, size_t id, uint32_t *gone);
/** place_old - is it time for one that has gone at @ended to leave? */
bool place_old(const struct look *look, const struct look *before, uint64_t ended);

/* ---- groups.c: likewise, servers, chains and CPUs -------------------------------------------- */

/** groups_take - Return: 0 or -errno */
int groups_take(struct look *look, const struct look *before, const struct probe *probe, int fd);
/** share_names - by enum top_share */
extern const char *const share_names[TOP_SHARES];

/* ---- report.c: for people and programs ------------------------------------------------------- */

/** report_tasks - a table; @before: the look before it, for what is new, or NULL */
void report_tasks(const struct look *now, const struct look *before, FILE *to);
/** report_rows - a table of these, in so many columns */
void report_rows(const struct top_task *const *rows, size_t count, size_t width, FILE *to);
/** report_json - all of it; takes nothing, returns a new object */
struct json_object *report_json(const struct look *look);
/** histogram_json - takes nothing, returns a new object */
struct json_object *histogram_json(const struct histogram *histogram);

/* ---- groups_report.c: likewise, servers, chains and CPUs ------------------------------------- */

/** servers_table, chains_table - in so many columns; 0: no limit. Return: how many there are */
size_t servers_table(const struct look *look, size_t width, FILE *to);
size_t chains_table(const struct look *look, size_t width, FILE *to);
/** cpus_table - who had the CPUs since the look before */
size_t cpus_table(const struct look *look, const struct look *before, size_t width, FILE *to);
/** groups_table - a table of servers and one of chains, where there are some */
void groups_table(const struct look *look, FILE *to);
/** groups_json - add them to an object */
void groups_json(struct json_object *out, const struct look *look);
/** groups_prometheus - likewise, for Prometheus */
void groups_prometheus(const struct look *look, FILE *to);

/* ---- blame.c: who had the CPU while a job was there ------------------------------------------ */

/** blame_read - a copy that is whole; where there is none yet, its @complete is 0 */
void blame_read(struct top_blame *blame, const struct top_blame *from);
/** blame_table - the slowest job of each task, and its last late one */
void blame_table(const struct look *look, FILE *to);
/** blame_text - who had the CPU, in a line; to be freed, or NULL */
char *blame_text(const struct top_task *task, enum top_of of);
/** blame_json - takes nothing, returns a new object; NULL: there was no such job */
struct json_object *blame_json(const struct top_task *task, enum top_of of);

/* ---- prometheus.c: for Prometheus ------------------------------------------------------------ */

/** prometheus_print - all of it, in the text exposition format */
void prometheus_print(const struct look *look, FILE *to);
/**
 * prometheus_save - likewise into a file, which is never seen half written
 *
 * Return: EXIT_DONE, or EXIT_FAILED after a message.
 */
int prometheus_save(const struct look *look, const char *path);
/** prometheus_text - a label's value: what the format gives a meaning of its own is escaped */
void prometheus_text(FILE *to, const char *text);
/** prometheus_seconds - ns, in seconds */
void prometheus_seconds(FILE *to, uint64_t ns);
/**
 * prometheus_histogram - all samples of one
 * @name:   of the metric
 * @labels: "{...", without the "}"
 */
void prometheus_histogram(FILE *to, const char *name, const char *labels,
			  const struct histogram *histogram);

/* ---- main.c ---------------------------------------------------------------------------------- */

/**
 * struct state - what there is while it runs
 * @turn:   of the newer of the looks
 * @looked: there is an older one
 */
struct state {
	struct probe probe;
	struct look looks[2];
	unsigned int turn;
	bool looked;
	int fd;
};

/** state_look - take a look. Return: 0 or -errno */
int state_look(struct state *state);

/* ---- terminal.c: on a terminal's screen ------------------------------------------------------ */

/** terminal_watch - until somebody ends it. Return: an exit status, perhaps after a message */
int terminal_watch(struct state *state, uint64_t interval);

#endif
