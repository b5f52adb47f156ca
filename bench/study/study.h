/* SPDX-License-Identifier: GPL-2.0 */
/*
 * study.h - which task sets does which algorithm take?
 *
 *   main.c       sets from standard input, a line of answers for each
 *   partition.c  the algorithms that task splitting is compared with
 *   confirm.c    layouts in the simulator
 *   slots.c      the simulator
 */
#ifndef _RESCH_STUDY_STUDY_H
#define _RESCH_STUDY_STUDY_H

#include "assign/assign.h"
#include "slots.h"

#define STUDY_TASKS_MAX 1024

/** struct study_set - tasks and the machine */
struct study_set {
	struct resch_assign_task tasks[STUDY_TASKS_MAX];
	uint32_t nr_tasks;
	uint32_t nr_cpus;
	struct resch_assign_overheads overheads;
};

/* ---- partition.c: all with the overheads of the set ------------------------------------------ */

/**
 * study_edf - partitioned EDF, exact test on each CPU, First-Fit in the order given or decreasing
 */
bool study_edf(const struct study_set *set, bool decreasing);
/** study_rm - partitioned rate-monotonic, exact response times, First-Fit in the order given */
bool study_rm(const struct study_set *set);
/**
 * study_gfb - global EDF: sum of u <= m - (m - 1) u_max (Goossens, Funk, Baruah, 2003, theorem 5).
 * Charges as for the others, interrupts as a slower machine.
 */
bool study_gfb(const struct study_set *set);

/* ---- confirm.c ------------------------------------------------------------------------------- */

/** struct study_tally - what simulations have shown */
struct study_tally {
	uint64_t runs;
	uint64_t jobs;
	uint64_t misses;
	uint64_t parallel;
	uint64_t shrunk; /* layouts that were tried with less, */
	uint64_t shrunk_missed; /* and missed then */
};

/**
 * study_confirm - simulate a layout
 * @seed:   picks the arrival pattern, too
 * @shrink: also with reserves that are 1 % smaller, under each pattern until one misses
 */
void study_confirm(const struct study_set *set, const struct resch_layout *layout, bool reclaim,
		   uint64_t seed, bool shrink, struct study_tally *tally);
/** study_tightness - a table of the formula's worst cases, with all and with 99 % of the reserve */
void study_tightness(void);

#endif /* _RESCH_STUDY_STUDY_H */
