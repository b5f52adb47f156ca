// SPDX-License-Identifier: GPL-2.0
/*
 * chain.c - who releases the stages of simulated chains, and when
 *
 * Sun, Liu, ICDCS 1996: direct synchronisation, phase modification, modified phase modification,
 * and release guards. A guard is the last release plus the period, rule 1; at an idle point of the
 * CPU, when all that was released before it is complete, it becomes now, rule 2.
 */
#include "chain.h"

static bool same_place(const struct resch_stage_spec *a, const struct resch_stage_spec *b)
{
	return a->kind == b->kind && a->cpu == b->cpu &&
	       !strncmp(a->node, b->node, sizeof(a->node));
}

/* The number of the place, or of places before it where it is a new one; *@found: which. */
static u32 find_place(const struct resch_chain_model *model, u32 chain, u32 index, u32 *all)
{
	const struct resch_stage_spec *known[RESCH_CHAINS_MAX * RESCH_CHAIN_STAGES_MAX];
	u32 i, k, n, count = 0, found = 0;

	for (i = 0; i < model->count; i++) {
		for (k = 0; k < model->chains[i].count; k++) {
			const struct resch_stage_spec *stage = &model->chains[i].stages[k];

			if (stage->kind == RESCH_STAGE_DELAY)
				continue;
			for (n = 0; n < count && !same_place(known[n], stage); n++)
				;
			if (n == count)
				known[count++] = stage;
			if (i == chain && k == index)
				found = n;
		}
	}
	*all = count;
	return found;
}

u32 sim_chain_place(const struct resch_chain_model *model, u32 chain, u32 index)
{
	u32 all;

	return find_place(model, chain, index, &all);
}

u32 sim_chain_places(const struct resch_chain_model *model)
{
	u32 all;

	find_place(model, 0, 0, &all);
	return all;
}

/* ---- joining --------------------------------------------------------------------------------- */

static int add_task(struct sim_stage *stage, const struct resch_chain_model *model, u64 phase)
{
	const struct resch_chain_spec *chain = &model->chains[stage->chain];
	const struct resch_stage_spec *spec = stage->spec;
	struct sim *sim = stage->chains->sim;
	struct resch_verdict verdict = { 0 };
	struct taskset_task task = {
		.params = { .wcet = spec->wcet,
			    .period = chain->period,
			    .deadline = spec->local ? spec->local : chain->deadline,
			    .priority = spec->priority,
			    .offset = phase,
			    .kind = stage->index ? RESCH_SPORADIC : RESCH_PERIODIC,
			    .cpu = (s32)sim_chain_place(model, stage->chain, stage->index) },
		.exec_min = spec->bcet ? spec->bcet : spec->wcet,
		.exec_max = spec->wcet,
		.gap_max = chain->period,
		.offset_max = phase,
	};
	int err;

	snprintf(task.params.name, sizeof(task.params.name), "%.6s.%.6s", chain->name, spec->name);
	err = sim_add(sim, &task, &verdict);
	if (err)
		return err;
	stage->task = sim->tasks[sim->nr_tasks - 1];
	stage->task->stage = stage;
	stage->task->cpu->link = spec->kind == RESCH_STAGE_MESSAGE;
	return 0;
}

static int add_chain(struct sim_chains *chains, const struct resch_chain_model *model, u32 number,
		     u64 phase)
{
	struct sim_chain *chain = &chains->chains[number];
	u32 i;
	int err = 0;

	chain->spec = &model->chains[number];
	for (i = 0; i < chain->spec->count && !err; i++) {
		struct sim_stage *stage = &chain->stages[i];

		*stage = (struct sim_stage){ .chains = chains,
					     .chain = number,
					     .index = i,
					     .spec = &chain->spec->stages[i] };
		if (stage->spec->clock || (stage->spec->kind == RESCH_STAGE_DELAY &&
					   (!i || resch_chain_forks(chain->spec))))
			return -EINVAL;
		if (stage->spec->kind != RESCH_STAGE_DELAY)
			err = add_task(stage, model, phase);
	}
	return err;
}

/* Those that never let a CPU idle while a job of it is ready. */
static bool is_work_conserving(const struct resch_plugin *plugin)
{
	return !strcmp(plugin->name, "fp") || !strcmp(plugin->name, "edf") ||
	       !strcmp(plugin->name, "fifo");
}

int sim_chains_add(struct sim *sim, const struct resch_chain_model *model,
		   const struct resch_chain_bound *bounds, const struct sim_chain_config *config,
		   const u64 *phases)
{
	struct sim_chains *chains = calloc(1, sizeof(*chains));
	u32 i;
	int err = 0;

	if (!chains)
		return -ENOMEM;
	sim->chains = chains;
	*chains = (struct sim_chains){ .sim = sim,
				       .config = *config,
				       .count = model->count,
				       .bounds = bounds,
				       .random = sim->config.seed * 0xd1342543de82ef95ULL + 1,
				       .idle = is_work_conserving(sim->plugin) };
	chains->chains = calloc(model->count, sizeof(*chains->chains));
	if (!chains->chains)
		return -ENOMEM;
	for (i = 0; i < model->count && !err; i++)
		err = add_chain(chains, model, i, phases[i]);
	return err;
}

void sim_chains_free(struct sim *sim)
{
	u32 i;

	if (!sim->chains)
		return;
	for (i = 0; sim->chains->chains && i < sim->chains->count; i++)
		free(sim->chains->chains[i].responses);
	free(sim->chains->chains);
	free(sim->chains);
	sim->chains = NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static struct sim_chain *chain_of(const struct sim_stage *stage)
{
	return &stage->chains->chains[stage->chain];
}

static bool is_guarded(const struct sim_stage *stage)
{
	u32 protocol = chain_of(stage)->spec->protocol;

	return protocol == RESCH_CHAIN_RG1 || protocol == RESCH_CHAIN_RG;
}

static struct sim_parcel *parcel_at(struct sim_stage *stage, u32 at)
{
	return &stage->queue[(stage->first + at) % SIM_CHAIN_QUEUE];
}

/* Releases under a guard, from the first that waits on. */
static void time_guarded(struct sim_stage *stage)
{
	u64 guard = stage->guard, period = chain_of(stage)->spec->period;
	u32 i;

	for (i = 0; i < stage->count; i++) {
		struct sim_parcel *parcel = parcel_at(stage, i);

		parcel->release = max(parcel->ready, guard);
		guard = parcel->release + period;
	}
}

/* By the clock of the stage's node, which is the same for all its CPUs. */
static u64 skew_of(const struct sim_stage *stage)
{
	u64 state = stage->chains->sim->config.seed;
	const char *at;

	for (at = stage->spec->node; *at; at++)
		state = state * 31 + (unsigned char)*at;
	return sim_random(&state, 0, stage->chains->config.clock_skew);
}

/*
 * When the rule of PM or MPM has the stage released; 0 for others. @from: release of the stage
 * before it
 */
static u64 phase_of(const struct sim_stage *stage, const struct sim_parcel *parcel, u64 from)
{
	const struct resch_stage_bound *bounds = stage->chains->bounds[stage->chain].stages;

	switch (chain_of(stage)->spec->protocol) {
	case RESCH_CHAIN_PM:
		return parcel->origin + bounds[stage->index].phase + skew_of(stage);
	case RESCH_CHAIN_MPM:
		/* One stage releases it: see libresch/chain/model.c. */
		return from + bounds[stage->index].phase -
		       bounds[__builtin_ctz(resch_stage_from(stage->spec, stage->index))].phase;
	default:
		return 0;
	}
}

/* ---- hand-overs ------------------------------------------------------------------------------ */

/* What the trace is to say: the last stage has completed the instance; 0: it was another one. */
static u32 finish(struct sim_stage *stage, const struct sim_parcel *parcel, u64 now)
{
	struct sim_chain *chain = chain_of(stage);
	u64 response = now - parcel->origin;
	bool late = response > chain->spec->deadline;

	stage->worst = max(stage->worst, response);
	if (stage->index + 1 < chain->spec->count)
		return 0;
	if (!(chain->complete & (chain->complete - 1)) && chain->complete >= chain->room) {
		u64 room = max(64ULL, 2 * chain->complete);
		u64 *grown = realloc(chain->responses, room * sizeof(*grown));

		if (!grown) {
			sim_fault(stage->chains->sim, "out of memory for responses",
				  &stage->chains->sim->cpus[0]);
			return 0;
		}
		chain->responses = grown;
		chain->room = room;
	}
	chain->responses[chain->complete++] = response;
	chain->missed += late;
	return RESCH_INSTANCE_COMPLETE | (late ? RESCH_INSTANCE_LATE : 0);
}

/* The task sleeps until its next job is released, and by its timer. */
static void wait_for_next(struct sim_stage *stage)
{
	if (stage->task->state == SIM_SLEEPING)
		sim_job_await(stage->task);
}

static u32 queue_parcel(struct sim_stage *stage, const struct sim_parcel *parcel)
{
	if (stage->count == SIM_CHAIN_QUEUE) {
		chain_of(stage)->lost++;
		return RESCH_INSTANCE_LOST;
	}
	*parcel_at(stage, stage->count++) = *parcel;
	stage->queue_max = max(stage->queue_max, stage->count);
	if (is_guarded(stage))
		time_guarded(stage);
	wait_for_next(stage);
	return RESCH_INSTANCE_HANDED;
}

static bool is_lost(struct sim_stage *stage)
{
	struct sim_chains *chains = stage->chains;

	return stage->spec->kind != RESCH_STAGE_CPU && chains->config.lost &&
	       sim_random(&chains->random, 1, 1000000) <= chains->config.lost;
}

/* Stage number @by has completed an instance: has the stage got what it waits for, by that? */
static bool has_joined(struct sim_stage *stage, u64 instance, u32 by)
{
	u32 from = resch_stage_from(stage->spec, stage->index);
	struct sim_join *join = &stage->joins[instance % SIM_CHAIN_QUEUE];

	if (stage->spec->flags & RESCH_STAGE_ANY) {
		if (instance <= stage->joined)
			return false;
		stage->joined = instance;
		return true;
	}
	/* Of the one that was here before, something was lost on its way. */
	if (join->instance != instance)
		*join = (struct sim_join){ .instance = instance };
	join->by |= 1U << by;
	return join->by == from;
}

static u32 hand_over(struct sim_stage *stage, struct sim_parcel parcel, u64 now, u64 from);

/* It goes on from stage @by, to all that this one releases. What the trace is to say of it. */
static u32 hand_on(struct sim_stage *by, const struct sim_parcel *parcel, u64 now)
{
	struct sim_chain *chain = chain_of(by);
	u32 i, what = 0;

	for (i = by->index + 1; i < chain->spec->count; i++) {
		struct sim_stage *stage = &chain->stages[i];

		if (!(resch_stage_from(stage->spec, i) >> by->index & 1))
			continue;
		what |= has_joined(stage, parcel->instance, by->index) ?
				hand_over(stage, *parcel, now, parcel->release) :
				RESCH_INSTANCE_HANDED;
	}
	return what;
}

/*
 * @parcel was complete at @now, and released at @from, in the stage that has @stage released. What
 * the trace is to say of it.
 */
static u32 hand_over(struct sim_stage *stage, struct sim_parcel parcel, u64 now, u64 from)
{
	struct sim_chain *chain = chain_of(stage);
	struct sim_chains *chains = stage->chains;
	u64 phase = phase_of(stage, &parcel, from);

	if (is_lost(stage)) {
		chain->lost++;
		return RESCH_INSTANCE_LOST;
	}
	parcel.ready = now;
	parcel.begun = false;
	if (stage->spec->kind == RESCH_STAGE_CPU)
		parcel.ready += sim_random(&chains->random, chains->config.handover_min,
					   chains->config.handover_max);
	chain->late += phase && phase < parcel.ready;
	parcel.release = max(parcel.ready, phase);
	if (stage->task)
		return queue_parcel(stage, &parcel);
	now = parcel.release + sim_random(&chains->random, stage->spec->bcet, stage->spec->wcet);
	finish(stage, &parcel, now);
	hand_on(stage, &parcel, now);
	return RESCH_INSTANCE_HANDED;
}

void sim_chain_complete(struct sim_task *task)
{
	struct sim_stage *stage = task->stage;
	u64 now = task->sim->now;
	u32 what = finish(stage, &stage->job, now);

	if (stage->index + 1 < chain_of(stage)->spec->count)
		what = hand_on(stage, &stage->job, now);
	sim_chain_trace(stage, &stage->job, what);
}

static void drop_first(struct sim_stage *stage)
{
	stage->first = (stage->first + 1) % SIM_CHAIN_QUEUE;
	stage->count--;
}

/* What the stage would turn to now, but that it is late. */
static void skip_late(struct sim_stage *stage)
{
	struct sim_chain *chain = chain_of(stage);
	u64 now = stage->task->sim->now;

	while (stage->count && !parcel_at(stage, 0)->begun) {
		const struct sim_parcel *parcel = parcel_at(stage, 0);

		if (now <= parcel->origin + chain->spec->deadline)
			return;
		chain->skipped++;
		sim_chain_trace(stage, parcel, RESCH_INSTANCE_SKIPPED);
		drop_first(stage);
	}
}

void sim_chain_next(struct sim_task *task)
{
	struct sim_stage *stage = task->stage;
	struct resch_job *job = &task->task.job;

	if (stage->chains->config.skip_late)
		skip_late(stage);
	if (!stage->count) {
		job->release = RESCH_NEVER;
		job->deadline = RESCH_NEVER;
		return;
	}
	parcel_at(stage, 0)->begun = true;
	job->release = parcel_at(stage, 0)->release;
	job->deadline = task->spec.params.deadline + (stage->spec->flags & RESCH_STAGE_ORIGIN ?
							      parcel_at(stage, 0)->origin :
							      job->release);
}

void sim_chain_released(struct sim_task *task)
{
	struct sim_stage *stage = task->stage;
	struct sim_chain *chain = chain_of(stage);

	if (!stage->index) {
		stage->job = (struct sim_parcel){ .instance = ++chain->begun,
						  .origin = task->task.job.release,
						  .release = task->task.job.release };
		return;
	}
	stage->job = *parcel_at(stage, 0);
	drop_first(stage);
	task->task.job.index++;
	stage->guard = stage->job.release + chain->spec->period;
	if (stage->job.release > stage->job.ready) {
		stage->held++;
		stage->held_total += stage->job.release - stage->job.ready;
	}
}

/* ---- idle points ----------------------------------------------------------------------------- */

static bool is_idle(const struct sim_cpu *cpu)
{
	const struct resch_task *task;

	for (task = cpu->rq.tasks; task; task = task->next) {
		const struct sim_task *owner = container_of(task, struct sim_task, task);

		if (owner->state != SIM_SLEEPING && task->job.release < cpu->sim->now)
			return false;
	}
	return true;
}

/* A stage that is released just now keeps the guard that this has set. */
static void open_guards(struct sim_cpu *cpu)
{
	struct resch_task *task;

	for (task = cpu->rq.tasks; task; task = task->next) {
		struct sim_task *owner = container_of(task, struct sim_task, task);
		struct sim_stage *stage = owner->stage;

		if (!stage || !stage->index || owner->state != SIM_SLEEPING ||
		    chain_of(stage)->spec->protocol != RESCH_CHAIN_RG ||
		    stage->guard <= cpu->sim->now)
			continue;
		stage->guard = cpu->sim->now;
		time_guarded(stage);
		wait_for_next(stage);
	}
}

void sim_chain_idle_points(struct sim *sim)
{
	struct sim_cpu *cpu;

	if (!sim->chains->idle)
		return;
	for (cpu = sim->changed; cpu; cpu = cpu->next_changed) {
		if (is_idle(cpu))
			open_guards(cpu);
	}
}
