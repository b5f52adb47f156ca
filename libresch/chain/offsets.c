// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * offsets.c - responses of stages that are released after one another (WCDO)
 *
 * Palencia, Gonzalez Harbour, RTSS 1998: the stages of a chain have offsets, their best cases
 * before them, and jitter around these, which the responses give; so not all of them come at once.
 * A busy period begins when some stage k of each chain is released after having been as late as it
 * may be. Then another stage j of it comes for the first time
 *
 *   p_j = T - ((phi_k + J_k - phi_j) mod T)
 *
 * later, and in the first t its chain asks for
 *
 *   W_k(t) = sum over j of (floor((J_j + p_j) / T) + ceil((t - p_j) / T)) C_j,   that not below 0
 *
 * counting those stages that go before the one that is analysed, on its CPU. Which k is the worst:
 * for the own chain, each is tried. For the others all combinations are (exact), or each W is taken
 * at its largest for each t (approximate). Jobs p0 = 1 - floor((J + p) / T) to ceil((L - p) / T) of
 * the stage are in the busy period L, and the p-th one's response is w(p) - p_own - (p - 1) T, and
 * its offset.
 */
#include "chain.h"

/* As many stages of other chains may begin a busy period. */
#define OTHERS_MAX 64

/*
 * struct scene - who begins the busy period
 * @stage:  under analysis
 * @own:    of its segment
 * @others: segments (their heads) that have stages before @stage on its CPU; @chosen: one of them
 *   in each, an index into the flat model. Approximate: all are tried
 */
struct scene {
	struct flat *flat;
	const struct stage *stage;
	const struct stage *own;
	uint32_t nr_others;
	uint32_t others[RESCH_CHAINS_MAX * RESCH_CHAIN_STAGES_MAX];
	uint32_t chosen[OTHERS_MAX];
	bool exact;
};

static const struct stage *segment_end(const struct flat *flat, uint32_t head)
{
	const struct stage *stage = &flat->stages[head];

	while (stage < flat->stages + flat->count && stage->head == head)
		stage++;
	return stage;
}

/* p_j: from the beginning of the busy period to the first release of @stage after it. 1 to T. */
static uint64_t first_after(const struct stage *stage, const struct stage *begins)
{
	uint64_t period = stage->period;
	uint64_t late = (begins->best % period + begins->jitter % period) % period;
	uint64_t offset = stage->best % period;

	return period - (late + period - offset) % period;
}

/* How many jobs of @stage are in the first @window, of those that wait at its beginning on. */
static uint64_t jobs(const struct stage *stage, const struct stage *begins, uint64_t window)
{
	uint64_t first = first_after(stage, begins);
	uint64_t count = (stage->jitter + first) / stage->period;

	return window > first ? count + chain_ceil(window - first, stage->period) : count;
}

/* W_k: what the segment of @begins asks for before the stage of the scene. */
static uint64_t asked(struct scene *scene, const struct stage *begins, uint64_t window)
{
	const struct stage *stage, *end = segment_end(scene->flat, begins->head);
	uint64_t sum = 0;

	for (stage = &scene->flat->stages[begins->head]; stage < end; stage++) {
		if (!stage_before(stage, scene->stage))
			continue;
		if (!flat_step(scene->flat) || stage->jitter == CHAIN_NEVER)
			return CHAIN_NEVER;
		sum += jobs(stage, begins, window) * stage->cost;
		if (sum > CHAIN_HORIZON)
			return CHAIN_NEVER;
	}
	return sum;
}

/* The largest W_k of the segment. */
static uint64_t asked_most(struct scene *scene, uint32_t head, uint64_t window)
{
	const struct stage *begins, *end = segment_end(scene->flat, head);
	uint64_t most = 0;

	for (begins = &scene->flat->stages[head]; begins < end; begins++) {
		if (stage_before(begins, scene->stage))
			most = chain_max(most, asked(scene, begins, window));
	}
	return most;
}

static uint64_t interference(struct scene *scene, uint64_t window)
{
	uint64_t sum = asked(scene, scene->own, window);
	uint32_t i;

	for (i = 0; i < scene->nr_others && sum != CHAIN_NEVER; i++) {
		uint64_t more;

		if (scene->exact)
			more = asked(scene, &scene->flat->stages[scene->chosen[i]], window);
		else
			more = asked_most(scene, scene->others[i], window);
		sum = chain_add(sum, more);
		if (sum != CHAIN_NEVER && sum > CHAIN_HORIZON)
			sum = CHAIN_NEVER;
	}
	return sum;
}

/* The longest response in the scene, from the origin; 0: no job of the stage is in it. */
static uint64_t scene_response(struct scene *scene)
{
	const struct stage *stage = scene->stage;
	uint64_t first = first_after(stage, scene->own), waiting, busy = 1, next, worst = 0, i, w;
	uint64_t most = stage->limit + stage->jitter;

	waiting = (stage->jitter + first) / stage->period;
	for (;; busy = next) {
		next = interference(scene, busy);
		if (next == CHAIN_NEVER || busy > most)
			return CHAIN_NEVER;
		next += stage->spec->blocking + jobs(stage, scene->own, busy) * stage->cost;
		if (next == busy)
			break;
	}
	w = 1;
	for (i = 1; i <= jobs(stage, scene->own, busy); i++) {
		uint64_t demand = stage->spec->blocking + i * stage->cost, released;

		for (w = chain_max(w, demand);; w = next) {
			next = chain_add(demand, interference(scene, w));
			if (next == CHAIN_NEVER)
				return CHAIN_NEVER;
			if (next <= w)
				break;
		}
		/* w - (p_own + (p - 1) T), where p - 1 is i - 1 - waiting */
		w += waiting * stage->period;
		released = first + (i - 1) * stage->period;
		if (w > released)
			worst = chain_max(worst, w - released);
		w -= waiting * stage->period;
	}
	return worst ? worst + stage->best : 0;
}

/* Those segments that have something before the stage. */
static void find_others(struct scene *scene)
{
	const struct stage *other, *end = scene->flat->stages + scene->flat->count;
	uint32_t last = UINT32_MAX;

	scene->nr_others = 0;
	for (other = scene->flat->stages; other < end; other++) {
		if (other->head == scene->stage->head || other->head == last ||
		    !stage_before(other, scene->stage))
			continue;
		last = other->head;
		scene->others[scene->nr_others++] = last;
	}
}

/* The next stage of the segment that may begin the busy period, after @at; or the segment's end. */
static uint32_t next_choice(const struct scene *scene, uint32_t head, uint32_t at)
{
	const struct stage *end = segment_end(scene->flat, head);

	while (scene->flat->stages + at < end &&
	       !stage_before(&scene->flat->stages[at], scene->stage))
		at++;
	return at;
}

static bool is_choice(const struct scene *scene, uint32_t head, uint32_t at)
{
	return scene->flat->stages + at < segment_end(scene->flat, head);
}

/*
 * How many scenes there are for each own stage; more than the most that are tried: one above that.
 */
static uint32_t combinations(const struct scene *scene)
{
	uint32_t i, count = 1;

	if (scene->nr_others > OTHERS_MAX)
		return CHAIN_COMBINATIONS + 1;
	for (i = 0; i < scene->nr_others; i++) {
		uint32_t head = scene->others[i], at = next_choice(scene, head, head), each = 0;

		for (; is_choice(scene, head, at); at = next_choice(scene, head, at + 1))
			each++;
		count *= each;
		if (count > CHAIN_COMBINATIONS)
			return CHAIN_COMBINATIONS + 1;
	}
	return count;
}

/* The next combination; false: that was the last one. */
static bool advance(struct scene *scene)
{
	uint32_t i;

	for (i = 0; i < scene->nr_others; i++) {
		uint32_t head = scene->others[i];

		scene->chosen[i] = next_choice(scene, head, scene->chosen[i] + 1);
		if (is_choice(scene, head, scene->chosen[i]))
			return true;
		scene->chosen[i] = next_choice(scene, head, head);
	}
	return false;
}

static uint64_t own_response(struct scene *scene)
{
	uint64_t worst = 0;
	uint32_t i;

	if (!scene->exact)
		return scene_response(scene);
	for (i = 0; i < scene->nr_others; i++)
		scene->chosen[i] = next_choice(scene, scene->others[i], scene->others[i]);
	do {
		worst = chain_max(worst, scene_response(scene));
	} while (worst != CHAIN_NEVER && advance(scene));
	return worst;
}

static uint64_t on_cpu(struct scene *scene, const struct stage *stage, bool *exact)
{
	const struct stage *end = segment_end(scene->flat, stage->head);
	uint64_t worst = 0;

	if (stage->jitter == CHAIN_NEVER || stage->overrun)
		return CHAIN_NEVER;
	scene->stage = stage;
	find_others(scene);
	scene->exact = *exact && combinations(scene) <= CHAIN_COMBINATIONS;
	*exact &= scene->exact;
	for (scene->own = &scene->flat->stages[stage->head]; scene->own < end; scene->own++) {
		if (scene->own != stage && !stage_before(scene->own, stage))
			continue;
		if (scene->own->jitter == CHAIN_NEVER)
			return CHAIN_NEVER;
		worst = chain_max(worst, own_response(scene));
	}
	return worst;
}

/*
 * Return: has its response grown? *@exact becomes false where not all combinations could be tried.
 */
static bool update(struct scene *scene, struct stage *stage, bool *exact)
{
	struct flat *flat = scene->flat;
	uint64_t before = stage->response, response;

	stage->jitter = flat_jitter(flat, stage);
	if (stage->spec->kind == RESCH_STAGE_CPU)
		response = on_cpu(scene, stage, exact);
	else if (stage->spec->kind == RESCH_STAGE_MESSAGE)
		response = chain_add(chain_add(stage->jitter, stage->base), flat_link(flat, stage));
	else
		response = chain_add(stage->jitter, stage->base + stage->cost);
	if (response != CHAIN_NEVER && response > stage->limit)
		response = CHAIN_NEVER;
	/*
	 * A jitter that grows may move phases, so that less is asked for; what was found before
	 * stands.
	 */
	stage->response = chain_max(before, response);
	stage->alone = stage->response == CHAIN_NEVER ? CHAIN_NEVER : stage->response - stage->best;
	return stage->response != before;
}

static int iterate(struct flat *flat, bool *exact)
{
	struct scene scene = { .flat = flat };
	bool changed = true;
	uint32_t i;

	for (i = 0; i < flat->count; i++) {
		flat->stages[i].base = flat->stages[i].best;
		flat->stages[i].response = 0;
		flat->stages[i].jitter = 0;
		flat->stages[i].guarded = false;
	}
	while (changed) {
		changed = false;
		for (i = 0; i < flat->count; i++) {
			if (!flat_step(flat))
				return -E2BIG;
			changed |= update(&scene, &flat->stages[i], exact);
		}
	}
	return flat->work ? 0 : -E2BIG;
}

/*
 * Where the approximate analysis has no bound, looking for one in all combinations would take for
 * ever.
 */
int flat_offsets(struct flat *flat, bool *exact)
{
	bool wanted = *exact;
	uint32_t i;
	int err;

	*exact = false;
	err = iterate(flat, exact);
	for (i = 0; i < flat->count; i++)
		wanted &= flat->stages[i].response != CHAIN_NEVER;
	if (err || !wanted)
		return err;
	*exact = true;
	return iterate(flat, exact);
}
