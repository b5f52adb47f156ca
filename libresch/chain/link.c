// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * link.c - frames on a link: by priority, but one that has begun is sent to its end
 *
 * Davis, Burns, Bril, Lukkien, Controller area network (CAN) schedulability analysis: refuted,
 * revisited and revised, Real-Time Systems 35(3), 2007: every frame of the busy period counts, and
 *
 *   w(q) = Bl + q C + sum over those before it of (floor((w(q) + J_k) / T_k) + 1) C_k
 *   response = max over q of w(q) + C - q T, and J
 *
 * where Bl is the longest frame of those after it. Time is not cut into bits here, so one that
 * begins just before the frame comes counts in full.
 */
#include "chain.h"

/* The longest frame that may be on the link when @stage wants it. */
static uint64_t in_the_way(const struct flat *flat, const struct stage *stage)
{
	uint64_t longest = stage->spec->blocking;
	uint32_t i;

	for (i = 0; i < flat->count; i++) {
		if (stage_before(stage, &flat->stages[i]))
			longest = chain_max(longest, flat->stages[i].cost);
	}
	return longest;
}

/* How long frames of @stage and those before it keep the link busy. */
static uint64_t busy_period(struct flat *flat, const struct stage *stage, uint64_t blocking)
{
	uint64_t window = blocking + stage->cost, next;

	for (;; window = next) {
		next = flat_interference(flat, stage, window, false);
		if (next == CHAIN_NEVER || window > stage->limit + stage->jitter)
			return CHAIN_NEVER;
		next += blocking + chain_ceil(window + stage->jitter, stage->period) * stage->cost;
		if (next == window)
			return window;
	}
}

uint64_t flat_link(struct flat *flat, const struct stage *stage)
{
	uint64_t blocking = in_the_way(flat, stage), busy, q, worst = 0, window = blocking;

	if (stage->jitter == CHAIN_NEVER || stage->overrun)
		return CHAIN_NEVER;
	busy = busy_period(flat, stage, blocking);
	if (busy == CHAIN_NEVER)
		return CHAIN_NEVER;
	for (q = 0; q < chain_ceil(busy + stage->jitter, stage->period); q++) {
		uint64_t next = blocking + q * stage->cost;

		for (window = chain_max(window, next);; window = next) {
			next = chain_add(blocking + q * stage->cost,
					 flat_interference(flat, stage, window, true));
			if (next == CHAIN_NEVER || next > stage->limit + stage->jitter)
				return CHAIN_NEVER;
			if (next == window)
				break;
		}
		if (window + stage->cost > q * stage->period)
			worst = chain_max(worst, window + stage->cost - q * stage->period);
	}
	return worst;
}
