/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-chain.h - end-to-end task chains: how late the last stage may complete, and which deadlines
 * to give to the stages
 *
 * A chain has a period, an end-to-end deadline, and stages on CPUs, or on links between nodes. Each
 * period, an instance of the chain begins: its first stage is released at the *origin*, each later
 * one when the one before it has completed and the chain's protocol allows it. The end-to-end
 * response is the completion of the last stage minus the origin.
 *
 * But for the last part nothing here talks to the kernel, and nothing needs the module: these are
 * pure functions of their arguments. Times are nanoseconds, integers, and no floating point decides
 * anything.
 *
 * - TC: Tindell, Clark, Holistic schedulability analysis for distributed hard real-time systems,
 *   Microprocessing and Microprogramming 40, 1994 (SA/DS of Sun and Liu).
 * - SA/PM: Sun, Liu, Synchronization protocols in distributed real-time systems, ICDCS 1996.
 * - WCDO: Palencia, Gonzalez Harbour, Schedulability analysis for tasks with static and dynamic
 *   offsets, RTSS 1998.
 *
 * docs/chains.md says which to choose, and what each bound means.
 */
#ifndef _RESCH_CHAIN_H
#define _RESCH_CHAIN_H

#include <resch.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RESCH_CHAINS_MAX 256
#define RESCH_CHAIN_NAME 16
/* Periods, deadlines, and all other times that are given: an hour. */
#define RESCH_CHAIN_TIME_MAX 3600000000000
/* A response that nothing bounds. */
#define RESCH_CHAIN_NEVER UINT64_MAX
/* Any text that resch_chain_text() makes. */
#define RESCH_CHAIN_TEXT 512

/** enum resch_chain_policy - how the CPUs are scheduled */
enum resch_chain_policy {
	RESCH_CHAIN_FP = 0, /* fixed priorities */
	RESCH_CHAIN_EDF = 1, /* by local deadlines */
};

/** enum resch_stage_kind - what carries a stage out */
enum resch_stage_kind {
	RESCH_STAGE_CPU = 0,
	/*
	 * A frame on a link, which is one place for all its frames: by priority, and not preempted.
	 */
	RESCH_STAGE_MESSAGE = 1,
	/*
	 * A declared latency from bcet to wcet, whatever else happens: such as TCP over a shared
	 * host.
	 */
	RESCH_STAGE_DELAY = 2,
};

/* local counts from the origin, not from the stage's release. */
#define RESCH_STAGE_ORIGIN 1U
/* Released as the first of the stages in @from completes an instance, not as the last one does. */
#define RESCH_STAGE_ANY 2U

/**
 * struct resch_stage_spec - a stage
 * @name:     for people
 * @node:     the machine; empty is one like any other
 * @cpu:      on @node: which CPU, or which link; of no meaning for RESCH_STAGE_DELAY
 * @kind:     enum resch_stage_kind
 * @priority: smaller is more urgent; of equal ones, the stage that comes first in the model
 * @flags:    RESCH_STAGE_ORIGIN, RESCH_STAGE_ANY
 * @from:     bit n: stage n of the chain, an earlier one, releases it; of several, when all have
 *   completed the instance. 0: the stage before it. All stages but the last are to release another
 *   one, so an instance is complete when the last stage is
 * @wcet:     longest execution, transmission or latency, ns; 1 to the period
 * @bcet:     shortest, ns; 0, which is always safe, to @wcet
 * @blocking: how long less urgent work may keep it from its CPU, ns
 * @local:    deadline from its release (or from the origin), ns; 0: none yet, resch_chain_assign()
 * @clock:    0: released by the stage before it. Else the stage is released every @clock ns by
 *   itself, and samples what the stage before it left; not for the first stage, which the chain's
 *   period releases
 * @offset:   of the first such release after that of the chain, ns; less than @clock
 */
struct resch_stage_spec {
	char name[RESCH_CHAIN_NAME];
	char node[RESCH_CHAIN_NAME];
	int32_t cpu;
	uint32_t kind;
	uint32_t priority;
	uint32_t flags;
	uint32_t from;
	uint32_t reserved;
	uint64_t wcet;
	uint64_t bcet;
	uint64_t blocking;
	uint64_t local;
	uint64_t clock;
	uint64_t offset;
};

/**
 * struct resch_chain_spec - a chain
 * @name:     for people
 * @protocol: enum resch_chain_protocol
 * @stages, @count: 1 to RESCH_CHAIN_STAGES_MAX of them, in the order in which they are released
 * @period:   or least time between two instances, ns
 * @deadline: end to end, ns; may exceed @period
 * @jitter:   the first stage may be released that much after the origin, ns
 */
struct resch_chain_spec {
	char name[RESCH_CHAIN_NAME];
	uint32_t protocol;
	uint32_t count;
	uint64_t period;
	uint64_t deadline;
	uint64_t jitter;
	struct resch_stage_spec stages[RESCH_CHAIN_STAGES_MAX];
};

/**
 * struct resch_chain_model - everything that runs on some CPUs and links; a task alone is a chain
 * of one stage
 * @chains, @count: 1 to RESCH_CHAINS_MAX
 * @policy:   enum resch_chain_policy
 * @overhead: that each job costs more than its wcet, ns
 * @handover_min, @handover_max: from a completion to the release of the next stage, where that is
 *   on a CPU, ns
 *
 * Start from a zeroed one.
 */
struct resch_chain_model {
	struct resch_chain_spec *chains;
	uint32_t count;
	uint32_t policy;
	uint64_t overhead;
	uint64_t handover_min;
	uint64_t handover_max;
};

/* The stages that release stage @index of a chain, a bit each; 0: none does, it is the first. */
static inline uint32_t resch_stage_from(const struct resch_stage_spec *stage, uint32_t index)
{
	if (!index)
		return 0;
	return stage->from ? stage->from : UINT32_C(1) << (index - 1);
}

/* Does a stage of the chain release, or wait for, another one than the next? */
static inline bool resch_chain_forks(const struct resch_chain_spec *chain)
{
	uint32_t i;

	for (i = 1; i < chain->count; i++)
		if (resch_stage_from(&chain->stages[i], i) != UINT32_C(1) << (i - 1))
			return true;
	return false;
}

/** enum resch_chain_method - how to bound the responses */
enum resch_chain_method {
	/*
	 * What suits the protocols: WCDO_EXACT where all chains are RESCH_CHAIN_DS; SAPM where none
	 * is; TC_BC where some are, with a jitter of zero for the stages of the others; and
	 * DECOMPOSED under RESCH_CHAIN_EDF.
	 */
	RESCH_CHAIN_AUTO = 0,
	/* Each stage meets its own deadline, and their sum is no more than the chain's. */
	RESCH_CHAIN_DECOMPOSED = 1,
	/* Holistic: responses become the release jitter of the next stage. For RESCH_CHAIN_DS. */
	RESCH_CHAIN_TC = 2,
	/* Likewise, less the best case of the stages before it. */
	RESCH_CHAIN_TC_BC = 3,
	/*
	 * Stages released as periodically as the first: the sum of their responses. Not for
	 * RESCH_CHAIN_DS.
	 */
	RESCH_CHAIN_SAPM = 4,
	/*
	 * Dynamic offsets, approximate: other chains at their worst at every moment. For
	 * RESCH_CHAIN_DS.
	 */
	RESCH_CHAIN_WCDO = 5,
	/*
	 * Likewise with all combinations of their phases, up to 10,000 for a stage; beyond, as
	 * RESCH_CHAIN_WCDO.
	 */
	RESCH_CHAIN_WCDO_EXACT = 6,
};

/**
 * struct resch_stage_bound - what is known of a stage
 * @response: from the origin to its completion, ns; from its own clock, where it or a stage before
 *   it has one. RESCH_CHAIN_NEVER: not bounded
 * @alone:    from its release to its completion, ns
 * @jitter:   of its release, ns
 * @best:     before it is released at the earliest, from the origin, ns
 * @phase:    sum of the @alone before it, from the origin, ns: what RESCH_CHAIN_PM releases it by
 */
struct resch_stage_bound {
	uint64_t response;
	uint64_t alone;
	uint64_t jitter;
	uint64_t best;
	uint64_t phase;
};

/**
 * struct resch_chain_bound - what is known of a chain
 * @response: what @deadline of the chain is compared with, ns: the response of the last stage; or,
 *   where stages have clocks, the longest time from an event to the first output that depends on
 *   it: the sum over the segments that clocks cut the chain into of period and response (Davare and
 *   others, DAC 2007)
 * @met:      is that within the chain's deadline?
 * @sampled:  stages have clocks
 * @stages:   those of the chain, in its order
 */
struct resch_chain_bound {
	uint64_t response;
	uint32_t met;
	uint32_t sampled;
	struct resch_stage_bound stages[RESCH_CHAIN_STAGES_MAX];
};

/** enum resch_chain_reason - what a model is refused for */
enum resch_chain_reason {
	RESCH_CHAIN_FITS = 0,
	/*
	 * A field of chain or stage is out of range; stage RESCH_CHAIN_STAGES_MAX: one of the
	 * chain.
	 */
	RESCH_CHAIN_RANGE = 1,
	/* The chain's response, @value, is above its deadline, @limit. */
	RESCH_CHAIN_RESPONSE = 2,
	/* The stage's own response, @value, is above its local deadline, @limit. */
	RESCH_CHAIN_LOCAL = 3,
	/* The local deadlines of the chain, @value together, exceed its deadline, @limit. */
	RESCH_CHAIN_SUM = 4,
	/* On the stage's CPU, jobs of @value ns are due within @limit ns. */
	RESCH_CHAIN_DEMAND = 5,
	/* The stage's CPU or link has work for @value ppm of its time: more than @limit. */
	RESCH_CHAIN_LOAD = 6,
	/*
	 * The method has no bound for the chain's protocol, the policy, or deadlines from the
	 * origin.
	 */
	RESCH_CHAIN_METHOD = 7,
	/* The stage has no local deadline. */
	RESCH_CHAIN_UNASSIGNED = 8,
};

/**
 * struct resch_chain_refusal - which chain is not shown to be in time, and why
 * @reason: enum resch_chain_reason
 * @chain:  index in the model
 * @stage:  index in the chain; RESCH_CHAIN_STAGES_MAX: the chain itself
 * @value:  what was found; unit: as the reason says, times are ns
 * @limit:  what it may be at most
 */
struct resch_chain_refusal {
	uint32_t reason;
	uint32_t chain;
	uint32_t stage;
	uint32_t reserved;
	uint64_t value;
	uint64_t limit;
};

/**
 * struct resch_chain_result - what an analysis found
 * @method:  the one that was used, never RESCH_CHAIN_AUTO
 * @chains:  the caller's, one for each chain of the model
 * @refusal: the first one, where there are any
 */
struct resch_chain_result {
	uint32_t method;
	uint32_t reserved;
	struct resch_chain_bound *chains;
	struct resch_chain_refusal refusal;
};

/**
 * resch_chain_analyse - do all instances of all chains meet their end-to-end deadlines?
 * @method: enum resch_chain_method
 * @result: out; its chains are the caller's
 *
 * Under RESCH_CHAIN_FP the bounds are those of any arrivals that keep the periods; stages of a
 * chain on one CPU delay each other, and are counted.
 *
 * Return: 0: they do; -EBUSY: no, or not shown, see @result; -EINVAL: out of range, where
 * @result->refusal tells; -E2BIG: it takes too many steps; -ENOMEM.
 */
int resch_chain_analyse(const struct resch_chain_model *model, uint32_t method,
			struct resch_chain_result *result);

/**
 * resch_chain_best - responses of the stages alone in the best case: in @result, as alone of each
 * stage
 *
 * Redell, Sanfridson, Exact best-case response time analysis of fixed priority scheduled tasks,
 * ECRTS 2002, with the jitter of RESCH_CHAIN_TC; holds once the jobs that were released at the
 * start are done, not from the first moment on. Of stages on links, and where nothing is bounded:
 * bcet.
 *
 * Return: 0, or as resch_chain_analyse(), but never -EBUSY.
 */
int resch_chain_best(const struct resch_chain_model *model, struct resch_chain_result *result);

/** enum resch_chain_rule - how to divide the end-to-end deadline among the stages */
enum resch_chain_rule {
	RESCH_CHAIN_UD = 0, /* ultimate: all of it for each, from the origin */
	RESCH_CHAIN_ED = 1, /* effective: less the wcet of the stages after it, from the origin */
	RESCH_CHAIN_PD = 2, /* proportional to wcet */
	RESCH_CHAIN_NPD = 3, /* proportional to wcet times the utilization of the place */
	RESCH_CHAIN_EQS = 4, /* equal slack: wcet, and equal parts of what is left */
	RESCH_CHAIN_EQF = 5, /* equal flexibility: wcet, and parts proportional to it */
	/*
	 * From RESCH_CHAIN_PD on, more for those who are late, as long as that helps. Gutierrez,
	 * Gonzalez Harbour, WPDRTS 1995. Chains with forks stay as RESCH_CHAIN_PD has them.
	 */
	RESCH_CHAIN_HOPA = 6,
};

/**
 * resch_chain_assign - local deadlines for all stages, and priorities from them
 * @model: gets local, priority and the flag RESCH_STAGE_ORIGIN of each stage
 * @rule:  enum resch_chain_rule
 *
 * Local deadlines from releases are rounded down to ns, and the last stage gets the rest: their sum
 * is the chain's deadline. Where a chain forks, a stage gets its part of the longest path through
 * it, so that the deadlines of any path add up to that at most. What is divided is the deadline
 * less hand-overs and, where stages have clocks, less the periods of the segments. Priorities are
 * the ranks of local on each place, from 1; ties by chain and stage. Delays take their wcet, and no
 * priority.
 *
 * Return: 0; -EBUSY: a deadline is shorter than its chain's wcets together, or RESCH_CHAIN_ED
 * leaves a stage nothing; -EINVAL; -E2BIG; -ENOMEM.
 */
int resch_chain_assign(struct resch_chain_model *model, uint32_t rule);

/**
 * resch_chain_replan - the local deadline of a stage from the time that is left as it is released
 * @stage:   index
 * @elapsed: its release minus the origin, ns
 * @rule:    RESCH_CHAIN_EQS or RESCH_CHAIN_EQF
 * @local:   out: from its release, ns, rounded down; wcet, where less than all wcets is left
 *
 * Return: 0 or -EINVAL, also where the chain forks.
 */
int resch_chain_replan(const struct resch_chain_spec *chain, uint32_t stage, uint64_t elapsed,
		       uint32_t rule, uint64_t *local);

/**
 * struct resch_chain_suggestion - what would pass, everything else being as it is; 0: nothing that
 * was found
 * @deadline: the least end-to-end deadline
 * @period:   the least period
 * @wcet:     the largest wcet of stage @stage
 * @stage:    index of the stage that adds most to the response
 */
struct resch_chain_suggestion {
	uint64_t deadline;
	uint64_t period;
	uint64_t wcet;
	uint32_t stage;
	uint32_t reserved;
};

/**
 * resch_chain_suggest - what would make a chain pass, or how far it is from being refused
 * @method: as for resch_chain_analyse()
 * @rule:   enum resch_chain_rule: local deadlines and priorities are made anew by it each time; -1:
 *          they stay
 * @chain:  index; the others are not asked whether they pass
 *
 * By bisection, each with the method itself.
 *
 * Return: 0; -EINVAL, -ENOMEM.
 */
int resch_chain_suggest(const struct resch_chain_model *model, uint32_t method, int rule,
			uint32_t chain, struct resch_chain_suggestion *suggestion);

/**
 * struct resch_chain_sampler - a stage with a clock, under logical execution time: it reads at its
 * release, and writes one period later
 * @period: ns, or any other unit that all of them have
 * @offset: of its first release; less than @period
 */
struct resch_chain_sampler {
	uint64_t period;
	uint64_t offset;
};

/**
 * struct resch_chain_latency - cause and effect through stages with clocks
 * @reaction: maximum reaction time: from an event, which comes just after a sampling, to the first
 *   output that depends on it
 * @age:      maximum data age: from a sampling to the last moment at which its effect is the newest
 *   output. Always equal to @reaction: Günzel and others, ECRTS 2023
 * @reaction_reduced, @age_reduced: likewise, from the first sampling that sees the event to the
 *   output, and from a sampling to the output
 * @bound:    of Davare and others, with each response equal to the period: twice the sum of the
 *            periods
 * @unseen:   outputs of the first stage in @hyperperiod whose data never reaches an output of the
 *            last one
 * @hyperperiod: of all
 */
struct resch_chain_latency {
	uint64_t reaction;
	uint64_t age;
	uint64_t reaction_reduced;
	uint64_t age_reduced;
	uint64_t bound;
	uint64_t unseen;
	uint64_t hyperperiod;
};

/**
 * resch_chain_sample - exact latencies of stages with clocks; what is written at a time is seen by
 * what reads at that time
 * @count: 1 to RESCH_CHAIN_STAGES_MAX
 *
 * Return: 0; -EINVAL; -E2BIG: the hyperperiod has too many jobs.
 */
int resch_chain_sample(const struct resch_chain_sampler *samplers, uint32_t count,
		       struct resch_chain_latency *latency);

/**
 * resch_chain_text - a refusal as a sentence without its full stop: which chain, which stage, by
 * which method, and how much
 * @text: gets it, cut to @size bytes with the terminating zero
 *
 * Return: as snprintf(3); RESCH_CHAIN_TEXT bytes always suffice.
 */
int resch_chain_text(const struct resch_chain_model *model, const struct resch_chain_result *result,
		     char *text, size_t size);

/**
 * resch_chain_protocol_name - a word for a protocol, or "?"; all: resch_names("chain-protocols")
 */
const char *resch_chain_protocol_name(uint32_t protocol);
/**
 * resch_chain_protocol_parse - the way back. Return: enum resch_chain_protocol; -EINVAL: none of
 * them
 */
int resch_chain_protocol_parse(const char *name);
/** resch_chain_method_name - a word for a method, or "?"; all: resch_names("chain-methods") */
const char *resch_chain_method_name(uint32_t method);
/**
 * resch_chain_method_parse - the way back. Return: enum resch_chain_method; -EINVAL: none of them
 */
int resch_chain_method_parse(const char *name);
/** resch_chain_rule_name - a word for a rule, or "?"; all: resch_names("chain-rules") */
const char *resch_chain_rule_name(uint32_t rule);
/** resch_chain_rule_parse - the way back. Return: enum resch_chain_rule; -EINVAL: none of them */
int resch_chain_rule_parse(const char *name);

/* ---- chains that the module runs: see resch_chain_set() of resch.h --------------------------- */

/**
 * resch_chain_open - a descriptor of a chain, for resch_chain_map()
 *
 * Return: the descriptor, to be closed; -ENOENT: no such chain; -EPERM: the caller has neither
 * CAP_SYS_NICE nor a thread that is a stage, and @fd did not make it; -EMFILE, -ENFILE, -ENOMEM;
 * -ENOTTY: the module is older than this call.
 */
int resch_chain_open(int fd, uint32_t chain);

/**
 * resch_chain_map - the page that says which instances a chain's stages work on
 * @chain: from resch_chain_open(); may be closed then
 *
 * Return: the page, until munmap(); NULL and errno.
 */
const struct resch_chain_page *resch_chain_map(int chain);

/**
 * resch_chain_read - what belongs together of a stage, without a system call
 * @stage: from 0
 *
 * Return: 0; -EINVAL: the chain has no such stage; -ENOENT: the stage has no instance just now;
 * @copy->task and @copy->rest are valid with that, too.
 */
int resch_chain_read(const struct resch_chain_page *page, uint32_t stage,
		     struct resch_stage_page *copy);

/**
 * resch_chain_slack - how much later a stage may complete its instance than now, ns
 *
 * For the instance to be in time, should the stages after it take what their tasks' wcet allows
 * and wait for nobody: its deadline less that and less the time that it is. Negative: it won't be.
 * Without a system call where the vDSO reads the clock.
 *
 * Return: ns; INT64_MAX where the stage has no instance.
 */
int64_t resch_chain_slack(const struct resch_chain_page *page, uint32_t stage);

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_CHAIN_H */
