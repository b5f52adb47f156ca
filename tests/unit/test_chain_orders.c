// SPDX-License-Identifier: GPL-2.0
/*
 * test_chain_orders - bounds among each other, and above what happens, over random sets of chains
 *
 * What happens is played unit by unit, in arrays, with nothing of the library or of the simulator
 * in it:
 *
 *   ds <= WCDO exact <= WCDO approximate <= TC-bc <= TC;   rg, rg1, mpm, pm <= SA/PM <= TC-bc
 *
 * RESCH_CHAIN_SETS in the environment says how many sets, instead of 1,000:
 * make -C tests/unit RESCH_CHAIN_SETS=20000 check-chain_orders
 */
#include "chain_rig.h"

#include <stdlib.h>

#define STAGES 12
#define WAITING 64

/* ---- unit by unit ---------------------------------------------------------------------------- */

struct play_job {
	uint64_t origin;
	uint64_t ready; /* handed over */
	uint64_t release; /* by the rule */
};

struct play_stage {
	const struct resch_stage_spec *spec;
	uint32_t chain, index;
	uint64_t period, phase, alone;
	struct play_job jobs[WAITING]; /* those that are handed over, the current one first */
	uint32_t count;
	uint64_t left; /* of the current one; 0: it has not begun */
	uint64_t guard; /* none may be released before */
	uint64_t worst; /* from the origin */
};

struct play {
	struct play_stage stages[STAGES];
	uint32_t count;
	uint32_t protocol;
	uint64_t now;
	uint64_t seed; /* for executions below the wcet; 0: none are */
};

static void play_hand_over(struct play *play, struct play_stage *stage, uint64_t origin,
			   uint64_t released)
{
	struct play_job *job = &stage->jobs[stage->count];

	assert_true(stage->count < WAITING);
	stage->count++;
	*job = (struct play_job){ .origin = origin, .ready = play->now, .release = play->now };
	if (!stage->index)
		return;
	if (play->protocol == RESCH_CHAIN_PM && job->release < origin + stage->phase)
		job->release = origin + stage->phase;
	if (play->protocol == RESCH_CHAIN_MPM && job->release < released + stage[-1].alone)
		job->release = released + stage[-1].alone;
}

static bool play_guarded(const struct play *play, const struct play_stage *stage)
{
	return stage->index && play->protocol >= RESCH_CHAIN_RG1;
}

/* The first job of the stage may be released; under a guard, not before it. */
static bool play_is_ready(const struct play *play, const struct play_stage *stage)
{
	const struct play_job *job = stage->jobs;

	if (!stage->count)
		return false;
	if (stage->left)
		return true;
	return job->release <= play->now &&
	       (!play_guarded(play, stage) || stage->guard <= play->now);
}

static void play_begin(struct play *play, struct play_stage *stage)
{
	uint64_t least = stage->spec->bcet / UNIT, most = stage->spec->wcet / UNIT;
	struct play_job *job = stage->jobs;

	stage->left = play->seed ? chain_between(&play->seed, least, most) : most;
	if (play_guarded(play, stage)) {
		/* when it might have been released, had the job before it not been in the way */
		if (job->release < stage->guard)
			job->release = stage->guard;
		stage->guard = job->release + stage->period;
	}
}

static void play_complete(struct play *play, struct play_stage *stage)
{
	struct play_job job = stage->jobs[0];
	uint64_t response = play->now - job.origin;
	struct play_stage *next = stage + 1;

	stage->worst = response > stage->worst ? response : stage->worst;
	memmove(stage->jobs, stage->jobs + 1, --stage->count * sizeof(*stage->jobs));
	if (next < play->stages + play->count && next->chain == stage->chain)
		play_hand_over(play, next, job.origin, job.release);
}

/* Nothing that was released before now is left on the CPU. */
static bool play_is_idle(const struct play *play, int cpu)
{
	uint32_t i;

	for (i = 0; i < play->count; i++) {
		const struct play_stage *stage = &play->stages[i];

		if (stage->spec->cpu != cpu || !stage->count)
			continue;
		if (stage->left ||
		    (play_is_ready(play, stage) && stage->jobs[0].release < play->now &&
		     (!play_guarded(play, stage) || stage->guard < play->now)))
			return false;
	}
	return true;
}

static void play_idle_points(struct play *play)
{
	bool idle[STAGES];
	uint32_t i;

	if (play->protocol != RESCH_CHAIN_RG)
		return;
	for (i = 0; i < play->count; i++)
		idle[i] = play_is_idle(play, play->stages[i].spec->cpu);
	for (i = 0; i < play->count; i++) {
		struct play_stage *stage = &play->stages[i];

		if (idle[i] && stage->guard > play->now)
			stage->guard = play->now;
	}
}

static void play_tick(struct play *play)
{
	struct play_stage *running[STAGES] = { NULL };
	uint32_t i;

	play_idle_points(play);
	for (i = 0; i < play->count; i++) {
		struct play_stage *stage = &play->stages[i], **on = &running[stage->spec->cpu];

		if (!play_is_ready(play, stage))
			continue;
		if (!stage->left)
			play_begin(play, stage);
		if (!*on || stage->spec->priority < (*on)->spec->priority)
			*on = stage;
	}
	play->now++;
	for (i = 0; i < STAGES; i++) {
		if (running[i] && !--running[i]->left)
			play_complete(play, running[i]);
	}
}

static void play_begin_all(struct play *play, const struct chain_rig *rig, uint32_t protocol)
{
	uint32_t i, k;

	memset(play, 0, sizeof(*play));
	play->protocol = protocol;
	for (i = 0; i < rig->model.count; i++) {
		for (k = 0; k < rig->chains[i].count; k++)
			play->stages[play->count++] = (struct play_stage){
				.spec = &rig->chains[i].stages[k],
				.chain = i,
				.index = k,
				.period = rig->chains[i].period / UNIT,
				.phase = rig->bounds[i].stages[k].phase / UNIT,
				.alone = rig->bounds[i].stages[k].alone / UNIT,
			};
	}
}

static void play_run(struct play *play, const uint64_t *phases, uint64_t end)
{
	uint32_t i;

	while (play->now < end) {
		for (i = 0; i < play->count; i++) {
			struct play_stage *stage = &play->stages[i];
			uint64_t phase = phases[stage->chain];

			if (!stage->index && play->now >= phase &&
			    !((play->now - phase) % stage->period))
				play_hand_over(play, stage, play->now, play->now);
		}
		play_tick(play);
	}
}

/* ---- sets ------------------------------------------------------------------------------------ */

/* They soon repeat. */
static const uint64_t periods[] = { 5, 6, 8, 10, 12, 15, 20, 24, 30 };
static const struct chain_mould mould = {
	.periods = periods,
	.count = COUNT(periods),
	.deadline = 3,
	.share = 5,
	.priorities = 1000,
	.step = UNIT,
};

static uint64_t hyperperiod(const struct chain_rig *rig)
{
	uint64_t all = 1, i;

	for (i = 0; i < rig->model.count; i++) {
		uint64_t step = all;

		while (all % (rig->chains[i].period / UNIT))
			all += step;
	}
	return all;
}

/* How often each order was strict, so that the test has something to say. */
static struct {
	uint32_t sets;
	uint32_t stages;
	uint32_t endless; /* analyses that took too many steps */
	uint32_t broken; /* orders that do not hold */
	uint32_t tight[RESCH_CHAIN_RG + 1]; /* stages whose bound was attained */
	uint64_t sum[RESCH_CHAIN_WCDO_EXACT + 1];
} seen;

struct bounds {
	uint64_t response[STAGES];
	bool bounded;
};

static void take_bounds(struct chain_rig *rig, uint32_t method, struct bounds *bounds)
{
	uint32_t i, k, at = 0;

	bounds->bounded = resch_chain_analyse(&rig->model, method, &rig->result) != -E2BIG;
	seen.endless += !bounds->bounded;
	if (!bounds->bounded)
		return;
	for (i = 0; i < rig->model.count; i++) {
		for (k = 0; k < rig->chains[i].count; k++) {
			bounds->response[at++] = rig->bounds[i].stages[k].response;
			bounds->bounded &= rig->bounds[i].stages[k].response != RESCH_CHAIN_NEVER;
		}
	}
}

static void below(const char *what, uint64_t seed, uint32_t count, const uint64_t *less,
		  const struct bounds *more)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (less[i] <= more->response[i])
			continue;
		seen.broken++;
		print_error("%s: set of seed %llu, stage %u: %llu, %llu\n", what,
			    (unsigned long long)seed, i, (unsigned long long)less[i],
			    (unsigned long long)more->response[i]);
	}
}

static void play_below(struct chain_rig *rig, uint64_t seed, uint32_t protocol,
		       const struct bounds *bounds)
{
	uint64_t all = hyperperiod(rig), worst[STAGES] = { 0 }, phases[3];
	struct play play;
	uint32_t round, i, k;

	for (round = 0; round < 6; round++) {
		play_begin_all(&play, rig, protocol);
		/* at once, then at random; and not always for as long as may be */
		for (i = 0; i < 3; i++)
			phases[i] =
				round ? chain_between(&seed, 0, rig->chains[i].period / UNIT - 1) :
					0;
		play.seed = round > 3 ? seed : 0;
		play_run(&play, phases, 2 * all + 60);
		for (k = 0; k < play.count; k++)
			worst[k] = play.stages[k].worst * UNIT > worst[k] ?
					   play.stages[k].worst * UNIT :
					   worst[k];
	}
	for (k = 0; k < play.count; k++)
		seen.tight[protocol] += worst[k] == bounds->response[k];
	below(resch_chain_protocol_name(protocol), seed, play.count, worst, bounds);
}

static void check_set(uint64_t seed)
{
	struct bounds bounds[RESCH_CHAIN_WCDO_EXACT + 1];
	uint64_t at = seed;
	struct chain_rig rig;
	uint32_t method, i, count = 0;

	chain_rig_random(&rig, &mould, &at);
	if (chain_rig_is_full(&rig))
		return;
	for (i = 0; i < rig.model.count; i++)
		count += rig.chains[i].count;
	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		take_bounds(&rig, method, &bounds[method]);
		if (!bounds[method].bounded)
			return;
	}
	seen.sets++;
	seen.stages += count;
	for (method = RESCH_CHAIN_TC; method <= RESCH_CHAIN_WCDO_EXACT; method++)
		for (i = 0; i < count; i++)
			seen.sum[method] += bounds[method].response[i];
	below("WCDO exact, approximate", seed, count, bounds[RESCH_CHAIN_WCDO_EXACT].response,
	      &bounds[RESCH_CHAIN_WCDO]);
	below("WCDO, TC-bc", seed, count, bounds[RESCH_CHAIN_WCDO].response,
	      &bounds[RESCH_CHAIN_TC_BC]);
	below("TC-bc, TC", seed, count, bounds[RESCH_CHAIN_TC_BC].response,
	      &bounds[RESCH_CHAIN_TC]);
	below("SA/PM, TC-bc", seed, count, bounds[RESCH_CHAIN_SAPM].response,
	      &bounds[RESCH_CHAIN_TC_BC]);
	play_below(&rig, seed, RESCH_CHAIN_DS, &bounds[RESCH_CHAIN_WCDO_EXACT]);
	/* phases and responses of stages are those of SA/PM */
	analyse(&rig, RESCH_CHAIN_SAPM);
	for (i = RESCH_CHAIN_PM; i <= RESCH_CHAIN_RG; i++)
		play_below(&rig, seed, i, &bounds[RESCH_CHAIN_SAPM]);
}

static void orders(void **state)
{
	const char *wanted = getenv("RESCH_CHAIN_SETS");
	uint32_t sets = wanted ? (uint32_t)atoi(wanted) : 1000, i;
	uint64_t seed = 2002;

	for (i = 0; seen.sets < sets; i++)
		check_set(seed + i);
	print_message(
		"%u sets of %u (%u took too long), %u stages; attained: ds %u, pm %u, mpm %u, rg1 %u, rg %u\n",
		seen.sets, i, seen.endless, seen.stages, seen.tight[0], seen.tight[1],
		seen.tight[2], seen.tight[3], seen.tight[4]);
	for (i = RESCH_CHAIN_TC; i <= RESCH_CHAIN_WCDO_EXACT; i++)
		print_message("mean bound of %s: %.2f\n", resch_chain_method_name(i),
			      (double)seen.sum[i] / seen.stages / UNIT);
	assert_int_equal(seen.broken, 0);
	/* a bound that nothing comes near to would hold for no good reason */
	for (i = 0; i <= RESCH_CHAIN_RG; i++)
		assert_true(seen.tight[i] > seen.stages / 4);
}

/* ---- the tables of the specification, by the same player ------------------------------------- */

/* Half units: everything twice as long, and phases on every one. */
static void sync_start(struct chain_rig *rig, uint32_t protocol, const uint64_t wanted[3])
{
	static const uint64_t phases[3];
	struct play play;
	uint32_t i;

	analyse(rig, RESCH_CHAIN_SAPM);
	play_begin_all(&play, rig, protocol);
	play_run(&play, phases, 28080);
	for (i = 0; i < 3; i++)
		assert_int_equal(play.stages[3 * i + 2].worst, wanted[i]);
}

static void synchronous(void **state)
{
	static const uint64_t rm_ds[] = { 112, 25, 45 }, rm_rg[] = { 112, 25, 51 },
			      rm_mpm[] = { 131, 25, 55 }, pdm_ds[] = { 107, 25, 57 },
			      pdm_mpm[] = { 121, 25, 62 };
	struct chain_rig rig;

	thaker(&rig);
	sync_start(&rig, RESCH_CHAIN_DS, rm_ds);
	sync_start(&rig, RESCH_CHAIN_RG, rm_rg);
	sync_start(&rig, RESCH_CHAIN_MPM, rm_mpm);
	thaker_pdm(&rig);
	sync_start(&rig, RESCH_CHAIN_DS, pdm_ds);
	sync_start(&rig, RESCH_CHAIN_RG, pdm_ds);
	sync_start(&rig, RESCH_CHAIN_MPM, pdm_mpm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronous),
		cmocka_unit_test(orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
