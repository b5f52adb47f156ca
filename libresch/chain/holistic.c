// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * holistic.c - responses of stages whose releases have jitter, and the jitter from the responses
 *
 * Tindell, Clark, 1994, section 4, and for any responses Tindell, Burns, Wellings, 1994:
 *
 *   w(q) = (q + 1) C + B + sum over those before it of ceil((w(q) + J_k) / T_k) C_k
 *   response = max over q of w(q) - q T, and J: up to the first q with w(q) + J <= (q + 1) T
 *
 * The stages of the same chain are among those before it: one of them may delay a third task, which
 * then delays this stage. The jitter of a stage is the response of the one before it (less the best
 * case, where that is asked for), and 0 where it is guarded: that is SA/PM. Where several release
 * it, that of the last one, or of the first one, whichever it waits for: an instance k is released
 * no later than that after its origin, and under a guard no later than a period after instance
 * k - 1, for which the same holds.
 *
 * Responses only grow from round to round, so the order in which they are computed does not matter.
 */
#include "chain.h"

/* From its release to its completion, on a CPU. */
static uint64_t on_cpu(struct flat *flat, const struct stage *stage)
{
	uint64_t worst = 0, base = 0, demand = stage->cost + stage->spec->blocking;
	uint64_t window = demand;

	if (stage->jitter == CHAIN_NEVER || stage->overrun)
		return CHAIN_NEVER;
	/*
	 * base is q T; with a large jitter it may be beyond the window, of a job that came early.
	 */
	for (;;) {
		uint64_t next = chain_add(demand, flat_interference(flat, stage, window, false));

		if (next == CHAIN_NEVER || next > chain_add(base, stage->limit))
			return CHAIN_NEVER;
		if (next != window) {
			window = next;
			continue;
		}
		if (window > base)
			worst = chain_max(worst, window - base);
		base += stage->period;
		if (window + stage->jitter <= base)
			return worst;
		demand += stage->cost;
		window += stage->cost;
	}
}

uint64_t flat_from(const struct flat *flat, const struct stage *stage)
{
	uint64_t last = stage_join_none(stage);
	uint32_t at;

	for (at = 0; at < stage->index; at++)
		if (stage_follows(stage, at))
			last = stage_join(stage, last, stage_of(stage, at)->response);
	return chain_add(last, flat_handover_max(flat, stage));
}

uint64_t flat_jitter(const struct flat *flat, const struct stage *stage)
{
	uint64_t from;

	if (stage_is_head(flat, stage))
		return stage->late;
	if (stage->guarded)
		return 0;
	from = flat_from(flat, stage);
	if (from == CHAIN_NEVER)
		return CHAIN_NEVER;
	return from > stage->base ? from - stage->base : 0;
}

static uint64_t alone(struct flat *flat, const struct stage *stage)
{
	switch (stage->spec->kind) {
	case RESCH_STAGE_CPU:
		return on_cpu(flat, stage);
	case RESCH_STAGE_MESSAGE:
		return flat_link(flat, stage);
	default:
		return stage->cost;
	}
}

/* Return: has its response changed? */
static bool update(struct flat *flat, struct stage *stage)
{
	uint64_t before = stage->response, from;

	stage->jitter = flat_jitter(flat, stage);
	stage->alone = alone(flat, stage);
	if (stage->guarded && !stage_is_head(flat, stage))
		from = flat_from(flat, stage);
	else
		from = chain_add(stage->jitter, stage->base);
	stage->response = chain_add(from, stage->alone);
	if (stage->response != CHAIN_NEVER && stage->response > stage->limit)
		stage->response = CHAIN_NEVER;
	return stage->response != before;
}

int flat_holistic(struct flat *flat, bool best)
{
	bool changed = true;
	uint32_t i;

	for (i = 0; i < flat->count; i++) {
		flat->stages[i].base = best ? flat->stages[i].best : 0;
		flat->stages[i].response = 0;
		flat->stages[i].jitter = 0;
	}
	while (changed) {
		changed = false;
		for (i = 0; i < flat->count; i++) {
			if (!flat_step(flat))
				return -E2BIG;
			changed |= update(flat, &flat->stages[i]);
		}
	}
	return flat->work ? 0 : -E2BIG;
}
