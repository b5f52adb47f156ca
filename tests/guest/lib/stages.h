/* SPDX-License-Identifier: GPL-2.0 */
/* stages.h - threads on CPUs 1 to 3 that are the stages of a chain, and what they see */
#ifndef _TEST_LIB_STAGES_H
#define _TEST_LIB_STAGES_H

#include "lib.h"

#define STAGES 3
#define INSTANCES 1000
#define STAGES_AHEAD 16 /* instances that are begun, and not done in the last stage */

/* What a stage saw of an instance. */
struct stage_seen {
	uint64_t origin;
	uint64_t deadline; /* of the instance */
	uint64_t release; /* of the stage's own job */
};

struct stages {
	struct task tasks[STAGES];
	atomic_uint done[STAGES]; /* instances */
	struct stage_seen seen[STAGES][INSTANCES + 1]; /* by number */
	uint32_t fed; /* instances begun by stages_feed() */
	uint32_t chain;
};

extern struct stages stages;

/* CPUs 1, 2 and 3; 1 ms each. */
extern const int three_cpus[STAGES];
extern const uint64_t one_ms[STAGES];

/*
 * Three sporadic tasks, on these CPUs, registered and offered; they wait for jobs, and fail the
 * case if these are not of instances, of one after the other, each after the stage before has done
 * its part.
 */
void stages_start(const int cpus[STAGES], const uint64_t periods[STAGES]);

/* Likewise, and they do what @body says, which counts stages.done[task->number]. */
void stages_start_as(void (*body)(struct task *task), const int cpus[STAGES],
		     const uint64_t periods[STAGES]);

/* They are a chain from now on. */
void stages_chain(uint32_t protocol, uint64_t period, uint64_t deadline, uint32_t flags);

/*
 * So many more instances, and no more than STAGES_AHEAD at once; @each, for each turn, may be NULL.
 */
void stages_feed(uint32_t count, void (*each)(void));

/* The chain ends, and the tasks do. */
void stages_end(void);

/* Make a chain of tasks that were offered with stage_key(): as RESCH_IOC_CHAIN_SET returns. */
int chain_make(int fd, struct resch_chain_set *want, const uint32_t *tasks, const uint64_t *phases);

/* What a chain with that protocol asks for. */
struct resch_chain_set chain_of(uint32_t protocol, uint64_t period, uint64_t deadline);

/* The key of a test's task. */
uint64_t stage_key(uint32_t task);

struct resch_chain_stat chain_stat(uint32_t chain);
struct resch_stage_stat stage_stat(uint32_t chain, uint32_t stage);

#endif /* _TEST_LIB_STAGES_H */
