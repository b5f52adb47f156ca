/* SPDX-License-Identifier: GPL-2.0 */
/* run.h - what a command line of resch-sim asks for */
#ifndef _RESCH_SIM_RUN_H
#define _RESCH_SIM_RUN_H

#include "chain.h"
#include "exit-status.h"

#define SIM_PLANS_MAX 16

/* What --chains plays. */
struct sim_chain_run {
	const char *path;
	struct sim_chain_config config;
	int protocol, rule; /* -1: the file's */
	u32 phases;
	bool all;
	bool histogram;
};

struct sim_run {
	struct sim_config config;
	struct taskset set;
	struct sim_plan_file plan; /* the layout's, where the set is part of one */
	char *plans[SIM_PLANS_MAX]; /* FILE[@TIME] */
	u32 nr_plans;
	const char *servers;
	const char *trace;
	const char *draw;
	char drawn[32]; /* a trace made only to draw it */
	struct sim_chain_run chains;
	bool json;
	bool time_given;
	bool plugin_given;
	bool cpus_given;
	bool release_jitter_given;
	bool overhead_given;
};

/* Says @what of @value, and ends the program. */
void sim_die(const char *what, const char *value) __attribute__((noreturn));
u64 sim_time_of(const char *text);
/* "NAME:OPTIONS", of a plugin that is there */
void sim_plugin_of(const char *text, char *name, char *options);
/* Ends the program where the options make no sense, or have been done. */
void sim_run_parse(struct sim_run *run, int argc, char **argv);

#endif /* _RESCH_SIM_RUN_H */
