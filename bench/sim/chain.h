/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - simulated chains: stages are ordinary tasks, and who releases them is played here
 *
 *   chain.c         hand-overs, guards, idle points
 *   chain_trace.c   what a trace says of them
 *   chain_play.c    phases, and what came of them
 *   chain_report.c  tables, JSON
 *
 * At one moment, completions come first, then releases of first stages, then forwarded ones, then
 * idle points, then decisions.
 */
#ifndef _RESCH_SIM_CHAIN_H
#define _RESCH_SIM_CHAIN_H

#include <resch-chain.h>

#include "sim.h"

/* Instances that wait for a stage; one more is lost. */
#define SIM_CHAIN_QUEUE 64
#define SIM_CHAIN_PHASES_MAX 100000

/**
 * struct sim_parcel - an instance on its way: handed over at @ready, released at @release by the
 * rule; @begun: it is the one that its stage turns to next
 */
struct sim_parcel {
	u64 instance;
	u64 origin;
	u64 ready;
	u64 release;
	bool begun;
};

/**
 * struct sim_join - of an instance: which of the stages that release this one have completed it
 */
struct sim_join {
	u64 instance;
	u32 by;
};

/**
 * struct sim_stage
 * @task:  NULL: a declared latency
 * @queue: not released yet, @count of them from @first on, a ring; @job: the current one
 * @joins: where it waits for several stages, a ring by instance; @joined: where it waits for the
 *   first of them, the last instance that one has completed
 * @guard: under a release guard, none is released before, ns
 * @worst: longest time from the origin to a completion, ns; @held: parcels that a rule kept,
 *   @held_total: for how long, ns
 */
struct sim_stage {
	struct sim_chains *chains;
	u32 chain, index;
	struct sim_task *task;
	const struct resch_stage_spec *spec;
	struct sim_parcel queue[SIM_CHAIN_QUEUE];
	u32 first, count;
	struct sim_parcel job;
	struct sim_join joins[SIM_CHAIN_QUEUE];
	u64 joined;
	u64 guard;
	u64 worst;
	u64 held, held_total;
	u32 queue_max;
};

/**
 * struct sim_chain
 * @begun, @complete, @missed, @skipped, @lost: instances, and where the chain forks of the latter
 *   two each of their ways; @late: phases that passed before the
 *   stage before was complete
 * @responses: of the complete ones, ns; room for @room
 */
struct sim_chain {
	const struct resch_chain_spec *spec;
	struct sim_stage stages[RESCH_CHAIN_STAGES_MAX];
	u64 begun, complete, missed, skipped, lost, late;
	u64 *responses;
	u64 room;
};

/**
 * struct sim_chain_config
 * @handover_min, @handover_max: from a completion to the release on a CPU, at random, ns
 * @clock_skew:  clocks of nodes differ by up to this, at random, ns: for RESCH_CHAIN_PM
 * @lost:        messages, ppm
 * @skip_late:   a later stage drops what it would turn to after the chain's deadline
 */
struct sim_chain_config {
	u64 handover_min, handover_max;
	u64 clock_skew;
	u32 lost;
	bool skip_late;
};

/**
 * struct sim_chains - the chains of a simulation
 * @bounds: by RESCH_CHAIN_SAPM, for the phases of PM and MPM
 * @idle:   is rule 2 of release guards in force: does the plugin never idle while there is work?
 */
struct sim_chains {
	struct sim *sim;
	struct sim_chain_config config;
	struct sim_chain *chains;
	u32 count;
	const struct resch_chain_bound *bounds;
	u64 random;
	bool idle;
};

/* Which simulated CPU a stage is on; as many as there are before sim_new(). */
u32 sim_chain_place(const struct resch_chain_model *model, u32 chain, u32 index);
u32 sim_chain_places(const struct resch_chain_model *model);

/*
 * All chains of @model join, before the start; the plugin is to order by priority or deadline.
 * @phases: first release of each, ns. -ENOMEM, -EINVAL: stages with clocks of their own, a latency
 *  that comes first or in a chain that forks. The simulation owns them: sim_chains_free()
 */
int sim_chains_add(struct sim *sim, const struct resch_chain_model *model,
		   const struct resch_chain_bound *bounds, const struct sim_chain_config *config,
		   const u64 *phases);
void sim_chains_free(struct sim *sim);

/* From jobs.c: a job of a stage is released, or complete. */
void sim_chain_released(struct sim_task *task);
void sim_chain_complete(struct sim_task *task);
/* The next job of a stage but the first: its release, or RESCH_NEVER. */
void sim_chain_next(struct sim_task *task);
/* From engine.c: everything of this moment has happened. */
void sim_chain_idle_points(struct sim *sim);

/* ---- chain_trace.c --------------------------------------------------------------------------- */

void sim_chain_trace_begin(const struct sim *sim);
/* Of an instance that was with the stage; what: RESCH_INSTANCE_HANDED and its like. */
void sim_chain_trace(const struct sim_stage *stage, const struct sim_parcel *parcel, u32 what);

/* ---- chain_play.c ---------------------------------------------------------------------------- */

/**
 * struct sim_chain_total - of a chain over all that was played; @responses: @complete of them,
 * sorted
 */
struct sim_chain_total {
	u64 begun, complete, missed, skipped, lost, late;
	u64 worst[RESCH_CHAIN_STAGES_MAX];
	u64 held[RESCH_CHAIN_STAGES_MAX];
	u64 *responses;
	u64 room;
};

/**
 * struct sim_chain_play - what to play, and what came of it
 * @phases: 0: all chains begin at once, else so many phasings at random; @all: all that differ
 * @end:    of each, ns; 0: as long as it takes to repeat
 * @played: out: how many phasings there were
 * @rule2:  out: was rule 2 in force?
 */
struct sim_chain_play {
	struct resch_chain_model model;
	struct sim_chain_config config;
	struct sim_config sim;
	u32 phases;
	bool all;
	u64 end;
	u32 played;
	bool rule2;
	struct resch_chain_bound sapm[RESCH_CHAINS_MAX];
	struct sim_chain_total *totals;
};

/*
 * 0; -EINVAL, -ENOMEM, -E2BIG (too many phasings), -EPROTO (the plugin misbehaved) with a sentence
 * in @error
 */
int sim_chain_play(struct sim_chain_play *play, char *error, size_t size);
void sim_chain_play_free(struct sim_chain_play *play);

/* ---- chain_report.c -------------------------------------------------------------------------- */

void sim_chain_report_table(const struct sim_chain_play *play, bool histogram, FILE *out);
void sim_chain_report_json(const struct sim_chain_play *play, bool histogram, FILE *out);

#endif /* _RESCH_SIM_CHAIN_H */
