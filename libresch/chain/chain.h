/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * chain.h - a model of chains as the analyses see it; not installed
 *
 *   model.c     ranges, and the flat form below      names.c    words
 *   holistic.c  TC, TC-bc, SA/PM                      offsets.c  WCDO
 *   link.c      frames that are not preempted         demand.c   EDF
 *   best.c      best cases                            sample.c   stages with clocks
 *   result.c    from responses to a verdict           text.c     ... and to a sentence
 *   assign.c    local deadlines, priorities           hopa.c     ... by trial
 *   suggest.c   what would pass
 */
#ifndef _RESCH_CHAIN_ROOM_H
#define _RESCH_CHAIN_ROOM_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "resch-chain.h"

#define CHAIN_NEVER RESCH_CHAIN_NEVER
/* Windows longer than this don't end. Sums that are stopped above it fit 64 bits by far. */
#define CHAIN_HORIZON (1ULL << 61)
/* Steps (a stage looked at, one division) that an analysis may take: below a second. */
#define CHAIN_WORK (1ULL << 26)
/* Combinations of phases for the exact analysis of a stage. */
#define CHAIN_COMBINATIONS 10000

/**
 * struct stage - a stage of a segment, which is a chain, or what clocks leave of it
 * @spec:     of the model
 * @chain, @index: where it is there
 * @head:     of its segment, in struct flat; the stages of a segment follow each other
 * @place:    numbers the CPUs and links; of no meaning for delays
 * @cost:     wcet and overhead
 * @period, @limit: of the segment; responses above @limit are taken to grow for ever
 * @base:     what is taken off the response before to make @jitter
 * @best:     sum of best cases before it: the earliest release after the segment's
 * @guarded:  released as periodically as the head
 * @overrun:  what goes before it and itself are more than its place can do
 * @late:     of the head: jitter from outside
 * @jitter, @alone, @response: as of now; response from the segment's begin. CHAIN_NEVER
 */
struct stage {
	const struct resch_stage_spec *spec;
	uint32_t chain, index;
	uint32_t head;
	uint32_t place;
	uint64_t cost;
	uint64_t period;
	uint64_t limit;
	uint64_t base;
	uint64_t best;
	uint64_t late;
	bool guarded;
	bool overrun;
	uint64_t jitter;
	uint64_t alone;
	uint64_t response;
};

/** struct flat - all stages of a model, by chain and place in it; @work: steps left */
struct flat {
	const struct resch_chain_model *model;
	struct stage *stages;
	uint32_t count;
	uint32_t places;
	uint64_t work;
};

/* Takes a step; false: there are none left. */
static inline bool flat_step(struct flat *flat)
{
	if (!flat->work)
		return false;
	flat->work--;
	return true;
}

static inline bool stage_is_head(const struct flat *flat, const struct stage *stage)
{
	return flat->stages + stage->head == stage;
}

static inline bool stage_has_place(const struct stage *stage)
{
	return stage->spec->kind != RESCH_STAGE_DELAY;
}

/* Does @a, on the same place, go before @b? */
static inline bool stage_before(const struct stage *a, const struct stage *b)
{
	if (a == b || !stage_has_place(a) || a->place != b->place)
		return false;
	if (a->spec->priority != b->spec->priority)
		return a->spec->priority < b->spec->priority;
	return a < b;
}

static inline uint64_t chain_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t chain_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Does stage @at of the chain, an earlier one, release @stage? */
static inline bool stage_follows(const struct stage *stage, uint32_t at)
{
	return resch_stage_from(stage->spec, stage->index) >> at & 1;
}

/* Stage @at of the chain that @stage is of. */
static inline const struct stage *stage_of(const struct stage *stage, uint32_t at)
{
	return stage - stage->index + at;
}

/* Where stage_join() begins. */
static inline uint64_t stage_join_none(const struct stage *stage)
{
	return stage->spec->flags & RESCH_STAGE_ANY ? CHAIN_NEVER : 0;
}

/* Of two stages that release one: what counts, times or never. */
static inline uint64_t stage_join(const struct stage *stage, uint64_t a, uint64_t b)
{
	bool any = stage->spec->flags & RESCH_STAGE_ANY;

	return any ? chain_min(a, b) : chain_max(a, b);
}

/* Never stays never. */
static inline uint64_t chain_add(uint64_t a, uint64_t b)
{
	return a == CHAIN_NEVER || b == CHAIN_NEVER ? CHAIN_NEVER : a + b;
}

/* ceil(@a / @b) */
static inline uint64_t chain_ceil(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* model.c: -EINVAL with @refusal, -ENOMEM. flat_end() gives back what flat_begin() made. */
int flat_begin(struct flat *flat, const struct resch_chain_model *model,
	       struct resch_chain_refusal *refusal);
void flat_end(struct flat *flat);
/* What comes between the stage before it and its release. */
uint64_t flat_handover_min(const struct flat *flat, const struct stage *stage);
uint64_t flat_handover_max(const struct flat *flat, const struct stage *stage);
/*
 * What goes before @stage in the first @window of a busy period, ns; beyond the horizon:
 * CHAIN_NEVER. @closed: what comes at the very end of the window counts, as where nothing of it has
 * been sent yet: so it would be.
 */
uint64_t flat_interference(struct flat *flat, const struct stage *stage, uint64_t window,
			   bool closed);

/*
 * holistic.c: responses of all stages; -E2BIG. @best: best cases lessen the jitter. Whether a stage
 * is guarded is the caller's to say.
 */
int flat_holistic(struct flat *flat, bool best);
/* When those that release @stage, no head, have done so at the latest, by their responses. */
uint64_t flat_from(const struct flat *flat, const struct stage *stage);
/* The jitter of @stage from that. */
uint64_t flat_jitter(const struct flat *flat, const struct stage *stage);
/* offsets.c: likewise; *@exact: out: was it, or were there too many combinations for a stage? */
int flat_offsets(struct flat *flat, bool *exact);
/* link.c: the longest time from the release of a frame to its end, ns or CHAIN_NEVER */
uint64_t flat_link(struct flat *flat, const struct stage *stage);
/* demand.c: does EDF meet all local deadlines? 0; -EBUSY with @refusal, -E2BIG */
int flat_demand(struct flat *flat, struct resch_chain_refusal *refusal);
/* The place that @stage is on has more work than time: parts per million, rounded up, or 0. */
uint64_t flat_overload(const struct flat *flat, const struct stage *stage);
/* assign.c: priorities from the local deadlines. */
int assign_priorities(struct resch_chain_model *model);
/* hopa.c: from where resch_chain_assign() has begun. */
int assign_hopa(struct resch_chain_model *model);

#endif /* _RESCH_CHAIN_ROOM_H */
