// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * demand.c - stages under EDF, each a sporadic task with its local deadline
 *
 * Baruah, Rosier, Howell, Real-Time Systems 2, 1990: what is released and due in any interval of
 * length t must not exceed t. Only deadlines within the synchronous busy period matter (Spuri,
 * 1996), and they are gone through from the smallest one on, so that a refusal names the shortest
 * interval that breaks it.
 */
#include "chain.h"

static bool on_place(const struct stage *stage, uint32_t place)
{
	return stage_has_place(stage) && stage->place == place;
}

/* Jobs of @stage that are released, as late as they may be, and due in @length. */
static uint64_t due(const struct stage *stage, uint64_t length)
{
	uint64_t deadline = stage->spec->local;

	if (length + stage->late < deadline)
		return 0;
	return ((length + stage->late - deadline) / stage->period + 1) * stage->cost;
}

static uint64_t demand(struct flat *flat, uint32_t place, uint64_t length)
{
	uint64_t sum = 0, blocking = 0;
	uint32_t i;

	for (i = 0; i < flat->count && flat_step(flat); i++) {
		const struct stage *stage = &flat->stages[i];

		if (!on_place(stage, place))
			continue;
		sum += due(stage, length);
		if (stage->spec->local <= length)
			blocking = chain_max(blocking, stage->spec->blocking);
	}
	return sum + blocking;
}

/* The first deadline after @length; *@whose: of that stage. */
static uint64_t next_deadline(struct flat *flat, uint32_t place, uint64_t length, uint32_t *whose)
{
	uint64_t first = CHAIN_NEVER;
	uint32_t i;

	for (i = 0; i < flat->count && flat_step(flat); i++) {
		const struct stage *stage = &flat->stages[i];
		uint64_t deadline = stage->spec->local, from = length + stage->late;

		if (!on_place(stage, place))
			continue;
		if (from >= deadline)
			deadline += ((from - deadline) / stage->period + 1) * stage->period;
		if (deadline - stage->late < first) {
			first = deadline - stage->late;
			*whose = i;
		}
	}
	return first;
}

static uint64_t busy_period(struct flat *flat, uint32_t place)
{
	uint64_t window = 1, next;
	uint32_t i;

	for (; flat->work; window = next) {
		next = 0;
		for (i = 0; i < flat->count && flat_step(flat); i++) {
			const struct stage *stage = &flat->stages[i];

			if (on_place(stage, place))
				next += chain_ceil(window + stage->late, stage->period) *
						stage->cost +
					stage->spec->blocking;
		}
		if (next <= window || next > CHAIN_HORIZON)
			break;
	}
	return window;
}

/* 0, -EBUSY with @refusal */
static int test_place(struct flat *flat, uint32_t place, struct resch_chain_refusal *refusal)
{
	uint64_t busy = busy_period(flat, place), length = 0;
	uint32_t whose = 0;

	for (;;) {
		uint64_t sum;

		length = next_deadline(flat, place, length, &whose);
		if (length > busy || !flat->work)
			return 0;
		sum = demand(flat, place, length);
		if (sum <= length)
			continue;
		*refusal = (struct resch_chain_refusal){ .reason = RESCH_CHAIN_DEMAND,
							 .chain = flat->stages[whose].chain,
							 .stage = flat->stages[whose].index,
							 .value = sum,
							 .limit = length };
		return -EBUSY;
	}
}

int flat_demand(struct flat *flat, struct resch_chain_refusal *refusal)
{
	struct resch_chain_refusal found;
	uint32_t i, k;
	int err = 0;

	for (i = 0; i < flat->count; i++)
		flat->stages[i].alone = flat->stages[i].spec->local;
	for (i = 0; i < flat->places && flat->work; i++) {
		if (!test_place(flat, i, &found))
			continue;
		if (!err)
			*refusal = found;
		err = -EBUSY;
		for (k = 0; k < flat->count; k++) {
			if (on_place(&flat->stages[k], i))
				flat->stages[k].alone = CHAIN_NEVER;
		}
	}
	return flat->work ? err : -E2BIG;
}
