// SPDX-License-Identifier: GPL-2.0
/* stages.c - threads that are the stages of a chain, see stages.h */
#include "stages.h"

struct stages stages;
const int three_cpus[STAGES] = { 1, 2, 3 };
const uint64_t one_ms[STAGES] = { MS, MS, MS };

uint64_t stage_key(uint32_t task)
{
	return 0x9e3779b97f4a7c15 * (task + 1);
}

struct resch_chain_set chain_of(uint32_t protocol, uint64_t period, uint64_t deadline)
{
	struct resch_chain_set want = {
		.count = STAGES,
		.protocol = protocol,
		.period = period,
		.deadline = deadline,
		.name = "test",
	};

	return want;
}

int chain_make(int fd, struct resch_chain_set *want, const uint32_t *tasks, const uint64_t *phases)
{
	struct resch_chain_stage stage[RESCH_CHAIN_STAGES_MAX];
	uint32_t i;

	memset(stage, 0, sizeof(stage));
	for (i = 0; i < want->count; i++) {
		stage[i].task = tasks[i];
		stage[i].from_mask = i ? 1U << (i - 1) : 0;
		stage[i].key = stage_key(tasks[i]);
		stage[i].phase = phases ? phases[i] : 0;
	}
	return resch_chain_set(fd, want, stage);
}

struct resch_chain_stat chain_stat(uint32_t chain)
{
	struct resch_chain_stat stat;

	must(resch_chain_stat(dev, chain, &stat, NULL, 0, NULL));
	return stat;
}

struct resch_stage_stat stage_stat(uint32_t chain, uint32_t stage)
{
	struct resch_stage_stat all[RESCH_CHAIN_STAGES_MAX];
	struct resch_chain_stat stat;

	must(resch_chain_stat(dev, chain, &stat, all, RESCH_CHAIN_STAGES_MAX, NULL));
	check(stage < stat.count, "there is no stage %u", stage);
	return all[stage];
}

static void stage_works(struct task *task)
{
	uint32_t stage = task->number, instance;
	struct resch_chain_job job;

	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (atomic_load(&task->stop))
			return;
		must(resch_chain_current(dev, &job));
		instance = atomic_load(&stages.done[stage]) + 1;
		check_is(job.instance, instance);
		check_is(job.stage, stage);
		if (stage)
			check(atomic_load(&stages.done[stage - 1]) >= instance,
			      "instance %u is in stage %u before it has left the one before",
			      instance, stage);
		if (instance <= INSTANCES)
			stages.seen[stage][instance] = (struct stage_seen){
				.origin = job.origin,
				.deadline = job.deadline,
				.release = task->job.release,
			};
		atomic_fetch_add(&stages.done[stage], 1);
	}
}

void stages_start(const int cpus[STAGES], const uint64_t periods[STAGES])
{
	stages_start_as(stage_works, cpus, periods);
}

void stages_start_as(void (*body)(struct task *task), const int cpus[STAGES],
		     const uint64_t periods[STAGES])
{
	int i;

	memset(&stages, 0, sizeof(stages));
	for (i = 0; i < STAGES; i++) {
		struct task *task = &stages.tasks[i];

		task->number = i;
		task->reg = sporadic(periods[i], MS / 10);
		task->reg.params.cpu = cpus[i];
		task_start(task, body);
		must(resch_chain_offer(dev, task->id, stage_key(task->id)));
	}
	for (i = 0; i < STAGES; i++)
		await(state_of(stages.tasks[i].id) == RESCH_STATE_SLEEPING);
}

void stages_chain(uint32_t protocol, uint64_t period, uint64_t deadline, uint32_t flags)
{
	uint32_t tasks[STAGES] = { stages.tasks[0].id, stages.tasks[1].id, stages.tasks[2].id };
	struct resch_chain_set want = chain_of(protocol, period, deadline);

	want.flags = flags | RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(dev, &want, tasks, NULL));
	check(want.id, "the chain has no number");
	stages.chain = want.id;
}

void stages_feed(uint32_t count, void (*each)(void))
{
	for (; count; count--) {
		await(stages.fed - atomic_load(&stages.done[STAGES - 1]) < STAGES_AHEAD);
		must(resch_release(dev, stages.tasks[0].id));
		stages.fed++;
		if (each)
			each();
	}
	await(atomic_load(&stages.done[STAGES - 1]) == stages.fed);
}

void stages_end(void)
{
	int i;

	for (i = 0; i < STAGES; i++)
		atomic_store(&stages.tasks[i].stop, 1);
	if (stages.chain)
		must(resch_chain_del(dev, stages.chain));
	for (i = 0; i < STAGES; i++) {
		if (!atomic_load(&stages.tasks[i].ended))
			resch_release(dev, stages.tasks[i].id);
		task_join(&stages.tasks[i]);
	}
}
