/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slots.h - a machine that schedules by time slots, simulated
 *
 * Confirms what libresch assigns, and shares no code with it: all CPUs step together from event to
 * event (the edge of a reserve, a release, a completion, an interrupt), every choice is made anew
 * at each of them, and what is to be true of a schedule is looked at, not concluded. Times are ns.
 */
#ifndef _RESCH_STUDY_SLOTS_H
#define _RESCH_STUDY_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct slots_task - all jobs execute for @wcet; @group from 1
 * @joins:  no job arrives before that
 * @leaves: nothing is left of it from then on; 0: never
 */
struct slots_task {
	uint64_t wcet;
	uint64_t deadline;
	uint64_t period;
	uint32_t group;
	uint64_t joins;
	uint64_t leaves;
};

/** struct slots_reserve - [@begin, @end) of each slot on CPU @cpu, an index, is for @group */
struct slots_reserve {
	uint32_t cpu;
	uint32_t group;
	uint64_t begin;
	uint64_t end;
};

/** struct slots_change - from the slot boundary @from on, the reserves are these */
struct slots_change {
	uint64_t from;
	const struct slots_reserve *reserves;
	uint32_t nr_reserves;
};

/** struct slots_irq - every @period, ns, CPU @cpu (all: -1) loses @cost */
struct slots_irq {
	int32_t cpu;
	uint64_t period;
	uint64_t cost;
};

/** enum slots_pattern - when jobs arrive; never two within the period */
enum slots_pattern {
	SLOTS_SYNCHRONOUS, /* all at zero, then periodically */
	SLOTS_WINDOW, /* first when a window of the group ends, then periodically */
	SLOTS_OFFSETS, /* at random, then periodically */
	SLOTS_SPORADIC, /* random offsets, random distances of up to twice the period */
	/* each of them when a window of the group ends, as soon as that may be */
	SLOTS_ADVERSARIAL,
	SLOTS_PATTERNS,
};

/**
 * struct slots - what to simulate
 * @changes: @nr_changes of them, by time; groups that nobody is in yet may be missing in @reserves
 * @reclaim: where a split group (one with two reserves) has nothing to run in its reserve, the
 *   CPU's own group may (S-EKG)
 * @end:     when to stop, ns
 * @reserve_jitter: what each reserve loses at its beginning
 * @release_jitter: from the arrival of a job until it is ready; each job has the most of it
 * @job_cost: what each job executes for beside its wcet
 */
struct slots {
	uint64_t slot;
	uint32_t nr_cpus;
	const struct slots_task *tasks;
	uint32_t nr_tasks;
	const struct slots_reserve *reserves;
	uint32_t nr_reserves;
	const struct slots_change *changes;
	uint32_t nr_changes;
	const struct slots_irq *irqs;
	uint32_t nr_irqs;
	bool reclaim;
	enum slots_pattern pattern;
	uint64_t seed;
	uint64_t end;
	uint64_t reserve_jitter;
	uint64_t release_jitter;
	uint64_t job_cost;
};

/**
 * struct slots_result
 * @jobs:     that were due
 * @misses:   of them
 * @parallel: how often a group was to run on two CPUs at once
 * @margin:   least time between a completion and its deadline, ns; 0 with misses
 * @migrations, @preemptions: of jobs
 */
struct slots_result {
	uint64_t jobs;
	uint64_t misses;
	uint64_t parallel;
	uint64_t margin;
	uint64_t migrations;
	uint64_t preemptions;
};

/* 0, -EINVAL, -ENOMEM */
int slots_run(const struct slots *slots, struct slots_result *result);

#endif /* _RESCH_STUDY_SLOTS_H */
