/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * assign.h - what the sources of resch-assign.h share; not installed
 *
 *   sum.c     sums of fractions, compared exactly
 *   demand.c  demand and supply bound functions; what a group needs at least
 *   size.c    what a group needs on its CPUs, with overheads
 *   sekg.c, npsf.c   the methods
 *   keep.c    which group each task goes into where some have one already
 *   ring.c    groups on the slots of all CPUs, near where they stand
 *   switch.c  from a standing layout to another one
 *   layout.c  making and checking layouts
 *   near.c    who releases jobs on whose CPUs
 *   join.c    questions about layouts that stand
 *   text.c    words
 *   assign.c         ranges, and the search for delta
 */
#ifndef _RESCH_ASSIGN_PRIVATE_H
#define _RESCH_ASSIGN_PRIVATE_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "resch-assign.h"

__extension__ typedef unsigned __int128 assign_u128;

/* A size that no slot has. */
#define ASSIGN_NEVER UINT64_MAX
/* No CPU, no task, no group. */
#define ASSIGN_NONE UINT32_MAX

/* ---- sum.c ----------------------------------------------------------------------------------- */

/** struct assign_part - @num / @den, subtracted if @minus; the quotient is below 2^63 */
struct assign_part {
	assign_u128 num;
	uint64_t den;
	bool minus;
};

/**
 * struct assign_sum - a sum of fractions
 *
 * The first 128 binary digits are kept of each side; where they do not decide a comparison, it is
 * made with as many as the denominators need.
 */
struct assign_sum {
	struct assign_part *parts;
	size_t nr, room;
	struct assign_side {
		uint64_t whole;
		assign_u128 rest; /* rounded down part by part, in 2^-128 */
		uint64_t inexact; /* how many parts were */
	} side[2]; /* added, subtracted */
};

void resch_assign_sum_init(struct assign_sum *sum);
void resch_assign_sum_free(struct assign_sum *sum);
/* -ENOMEM */
int resch_assign_sum_add(struct assign_sum *sum, assign_u128 num, uint64_t den, bool minus);
void resch_assign_sum_pop(struct assign_sum *sum);
/* 1, 0, -1: above, equal to, below @num / @den. Out of memory: 1, which refuses. */
int resch_assign_sum_compare(const struct assign_sum *sum, assign_u128 num, uint64_t den);
/* The least integer that is not below the sum; 0 for negative ones. */
uint64_t resch_assign_sum_ceil(const struct assign_sum *sum);
/**
 * resch_assign_root - sqrt(@delta (@delta + 1)) from below and from above, closer than 2^-96
 *
 * It is irrational: no fraction equals it, so one that is between these two may be counted to
 * either side; the callers count it to the one that makes reserves longer.
 */
void resch_assign_root(uint32_t delta, struct assign_part *low, struct assign_part *high);

/* ---- demand.c -------------------------------------------------------------------------------- */

/** struct assign_job - what asks for time: of tasks by deadlines, of others whenever they come */
struct assign_job {
	uint64_t cost;
	uint64_t period;
	uint64_t due; /* relative deadline less jitter, ns; of thieves: their jitter */
};

/** struct assign_demand - the tasks of a group, and what steals from it on its CPUs */
struct assign_demand {
	struct assign_job *jobs;
	size_t nr_jobs;
	struct assign_job *thieves;
	size_t nr_thieves;
};

/**
 * resch_assign_exact - least length of a window in each slot that carries a demand, ns
 * @most: give up above this
 *
 * A little more than the least where that takes too long to find. ASSIGN_NEVER: above @most, or not
 * found out with reasonable work.
 */
uint64_t resch_assign_exact(const struct assign_demand *demand, uint64_t slot, uint64_t most);
/*
 * Does a window of that length carry the demand? false also where that takes too long to find out.
 */
bool resch_assign_carries(const struct assign_demand *demand, uint64_t slot, uint64_t window);

/* ---- size.c ---------------------------------------------------------------------------------- */

/** struct assign - a request with one slot length, being answered */
struct assign {
	const struct resch_assign *request;
	struct resch_assign_refusal *refusal;
	const uint32_t *cpus;
	uint32_t nr_cpus;
	uint32_t delta;
	uint64_t slot;
	uint64_t tmin; /* shortest period or deadline less jitter */
	/* near[i * nr_tasks + j]: tasks that are on one CPU; NULL: releases cost nothing */
	uint8_t *near;
	struct resch_layout *layout;
	uint32_t *members; /* scratch: nr_tasks of them */
	struct assign_demand demand; /* scratch */
	struct assign_sum sum; /* scratch */
};

int resch_assign_size_init(struct assign *assign);
void resch_assign_size_free(struct assign *assign);
/* min(D, T) less jitter; 0: nothing is left */
uint64_t resch_assign_due(const struct resch_assign *request, const struct resch_assign_task *task);
bool resch_assign_overheads_none(const struct resch_assign_overheads *overheads);
/* wcet with what each job is charged */
uint64_t resch_assign_cost(const struct resch_assign *request,
			   const struct resch_assign_task *task);

/** enum assign_cpus - other CPUs than real ones */
enum { ASSIGN_CPU_NONE = -1, ASSIGN_CPU_WORST = -2, ASSIGN_CPU_QUIET = -3 };

/**
 * resch_assign_size - what tasks need as one group, ns of each slot with what reserves lose
 * @tasks: indexes, @nr of them
 * @cpu:   where, or ASSIGN_CPU_WORST: wherever the most interrupts are, or ASSIGN_CPU_QUIET: with
 *   those alone that are everywhere
 * @next:  the second CPU of a split group, else ASSIGN_CPU_NONE
 *
 * ASSIGN_NEVER: does not fit into a slot; -ENOMEM shows as that, too.
 */
uint64_t resch_assign_size(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			   int32_t next);
/* Are reserves that add up to @size enough? Arguments as above, but for real CPUs. */
bool resch_assign_enough(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			 int32_t next, uint64_t size);
/*
 * Fills assign->demand with what tasks ask for, and what steals from them; arguments as above.
 * false: a job is due before it can be ready
 */
bool resch_assign_demand(struct assign *assign, const uint32_t *tasks, uint32_t nr, int32_t cpu,
			 int32_t next);
/* What is lost of each reserve. */
uint64_t resch_assign_loss(const struct resch_assign *request);

/* ---- sekg.c, npsf.c -------------------------------------------------------------------------- */

/* 0; -EBUSY with assign->refusal; -ENOMEM. They fill assign->layout. */
int resch_assign_sekg(struct assign *assign);
int resch_assign_npsf(struct assign *assign, uint32_t cluster);

/* ---- keep.c, ring.c -------------------------------------------------------------------------- */

/**
 * struct assign_item - a group that is to be placed
 * @task:       its first one
 * @tasks, @nr: all of them; NULL: none
 * @cluster:    which CPUs share it
 * @stands:     it has a place: one window of @was ns, which begins @begin ns into the ring
 * @begin, @end: out: the window in the ring, which may be a ring or more off
 */
struct assign_item {
	uint32_t *tasks;
	uint32_t nr;
	uint32_t room;
	uint32_t group;
	uint32_t cluster;
	bool stands;
	uint64_t size; /* uncut, wherever that takes most */
	uint64_t was;
	int64_t begin;
	int64_t end;
};

/* Both methods, where tasks keep their groups: as resch_assign_npsf(). */
int resch_assign_keep(struct assign *assign, uint32_t cluster);
/**
 * resch_assign_ring - windows for groups on the slots of some CPUs, one after the other
 * @cpus:   @nr_cpus of them, the last one comes before the first
 * @items:  @nr groups, of any cluster; those of @cluster get their windows
 * @shrink: groups that stand may become smaller
 *
 * 0; -EBUSY with the refusal; -ENOMEM. The reserves are added to assign->layout.
 */
int resch_assign_ring(struct assign *assign, const uint32_t *cpus, uint32_t nr_cpus,
		      struct assign_item *items, uint32_t nr, uint32_t cluster, bool shrink);

/* ---- layout.c -------------------------------------------------------------------------------- */

struct resch_layout *resch_layout_new(const struct assign *assign);
/* The number of a new group that needs @need, 0: no memory. */
uint32_t resch_layout_group(struct resch_layout *layout, uint64_t need);
/* -ENOMEM. An empty one is left out. */
int resch_layout_reserve(struct resch_layout *layout, uint32_t cpu, uint32_t group, uint64_t begin,
			 uint64_t end);
void resch_layout_put(struct resch_layout *layout, uint32_t task, uint32_t group);
/* By CPU and time; sums. */
void resch_layout_sort(struct resch_layout *layout);
/* May every number in it be used as an index? */
bool resch_layout_in_range(const struct assign *assign, const struct resch_layout *layout);
/* The reserves of @group, at most two; how many there are */
uint32_t resch_layout_find(const struct resch_layout *layout, uint32_t group,
			   const struct resch_layout_reserve **found);
/* resch_layout_check() with a request that is known to be in range; assign->near is up to date */
int resch_layout_verify(struct assign *assign, const struct resch_layout *layout);

/* ---- near.c ---------------------------------------------------------------------------------- */

/* assign->near with nobody near; NULL stays where releases cost nothing. -ENOMEM */
int resch_assign_near_init(struct assign *assign);
/* Adds who shares a CPU in @layout. true: some did not before */
bool resch_assign_near_learn(struct assign *assign, const struct resch_layout *layout);

/* ---- join.c ---------------------------------------------------------------------------------- */

/* @assign for a layout that stands; @cpus has room for RESCH_CPUS_MAX. -EINVAL, -ENOMEM */
int resch_assign_begin(struct assign *assign, const struct resch_assign *request,
		       const struct resch_layout *layout, uint32_t *cpus);
void resch_assign_end(struct assign *assign);

/* ---- demand.c -------------------------------------------------------------------------------- */

/**
 * resch_assign_idle - in how long is there an instant without work, whatever there was before?
 * @backlog: what there may have been
 *
 * ns; ASSIGN_NEVER: not known to come within @most.
 */
uint64_t resch_assign_idle(const struct assign_demand *demand, uint64_t slot, uint64_t window,
			   uint64_t backlog, uint64_t most);

/* ---- assign.c -------------------------------------------------------------------------------- */

/* -EBUSY, with the reason */
int resch_assign_refuse(struct assign *assign, uint32_t reason, uint32_t task, uint32_t group,
			uint64_t needed, uint64_t available);
/* -EINVAL; in @refusal, the task */
int resch_assign_valid(const struct resch_assign *request, struct resch_assign_refusal *refusal);
/* The CPUs of a request as a list, ascending; how many */
uint32_t resch_assign_cpus(const struct resch_assign *request, uint32_t *cpus);

#endif /* _RESCH_ASSIGN_PRIVATE_H */
