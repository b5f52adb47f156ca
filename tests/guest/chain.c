// SPDX-License-Identifier: GPL-2.0
/* chain.c - chains: the completion of a job releases the next stage's */
#include "stages.h"

/*
 * resch-test: timeout=300
 */

static const int one_cpu[STAGES] = { 1, 1, 1 };

static uint32_t events_seen;

/* Each complete instance is an event, in its turn. */
static void each_event(void)
{
	struct resch_event event;

	while (resch_event_wait(dev, 0) > 0) {
		check_is(must(resch_event_read(dev, &event, 1)), 1);
		check_is(event.type, RESCH_EVENT_CHAIN_COMPLETE);
		check_is(event.task, stages.chain);
		check_is(event.job, ++events_seen);
		check(event.value && event.value <= event.time, "a response of %llu ns",
		      (unsigned long long)event.value);
	}
}

/* What the stages saw, and what the chain says of it. */
static void check_all_done(uint64_t deadline)
{
	struct resch_stage_stat stage[STAGES];
	uint64_t histogram[RESCH_CHAIN_BUCKETS], sum = 0;
	struct resch_chain_stat stat;
	unsigned int i, j;

	await(chain_stat(stages.chain).completed == INSTANCES);
	must(resch_chain_stat(dev, stages.chain, &stat, stage, STAGES, histogram));
	check_is(stat.instances, INSTANCES);
	check_is(stat.lost, 0);
	check_is(stat.stopped, 0);
	check_is(stat.count, STAGES);
	check(stat.response_min && stat.response_min <= stat.response_max &&
		      stat.response_total >= INSTANCES * stat.response_min &&
		      stat.response_total <= INSTANCES * stat.response_max,
	      "responses that can't be");
	check((stat.response_max > deadline) == !!stat.missed, "misses that can't be");
	for (i = 0; i < RESCH_CHAIN_BUCKETS; i++)
		sum += histogram[i];
	check_is(sum, INSTANCES);
	for (j = 0; j < STAGES; j++) {
		check_is(stage[j].task, stages.tasks[j].id);
		check_is(stage[j].completed, INSTANCES);
		check_is(stage[j].lost, 0);
		check_is(stage[j].waiting, 0);
		if (!j)
			continue;
		check(stage[j].response_min >= stage[j - 1].response_min,
		      "stage %u is not after the one before", j);
		/* The last stage counts its job as done before its wait ends it: one more. */
		check(stage[j].waiting_max && stage[j].waiting_max <= STAGES_AHEAD + 1,
		      "%u instances were with stage %u", stage[j].waiting_max, j);
	}
	for (i = 1; i <= INSTANCES; i++)
		for (j = 0; j < STAGES; j++) {
			const struct stage_seen *seen = &stages.seen[j][i];

			check_is(seen->origin, stages.seen[0][i].release);
			check_is(seen->deadline, seen->origin + deadline);
			check(i == 1 || seen->origin > stages.seen[j][i - 1].origin,
			      "origins that don't grow");
			check(!j || seen->release >= stages.seen[j - 1][i].release,
			      "a stage is released before the one before it");
		}
}

static void thousand(const int *cpus, const char *names, uint32_t protocol)
{
	domain_on(names, "edf", "");
	stages_start(cpus, one_ms);
	stages_chain(protocol, 10 * MS, SEC, RESCH_CHAIN_F_COMPLETE);
	events_seen = 0;
	stages_feed(INSTANCES, each_event);
	check_all_done(SEC);
	each_event();
	check_is(events_seen, INSTANCES);
	stages_end();
	check_is(info().events_lost, 0);
}

TEST(ds, "1,000 instances on three CPUs, directly: none is lost, all in order")
{
	thousand(three_cpus, "1-3", RESCH_CHAIN_DS);
}

TEST(rg1, "1,000 instances on three CPUs, with guards: none is lost, all in order")
{
	unsigned int i, j;

	thousand(three_cpus, "1-3", RESCH_CHAIN_RG1);
	for (i = 2; i <= INSTANCES; i++)
		for (j = 0; j < STAGES; j++)
			check(stages.seen[j][i].release - stages.seen[j][i - 1].release >= MS,
			      "stage %u was released too early", j);
}

TEST(together, "1,000 instances on one CPU: each stage in its turn")
{
	unsigned int i, j;

	thousand(one_cpu, "1", RESCH_CHAIN_DS);
	/* One lock, one decision: the hand-over is not seen by any other way. */
	for (i = 1; i <= INSTANCES; i++)
		for (j = 1; j < STAGES; j++)
			check(stages.seen[j][i].release > stages.seen[j - 1][i].release,
			      "stage %u was released with the one before", j);
}

static void second_stage(uint32_t protocol)
{
	const uint64_t periods[STAGES] = { MS, 100 * MS, MS };

	domain_on("1-3", "fp", "");
	stages_start(three_cpus, periods);
	stages_chain(protocol, 100 * MS, SEC, 0);
	stages_feed(12, NULL);
}

TEST(guarded, "a guard keeps the releases of a stage its period apart")
{
	unsigned int i;

	second_stage(RESCH_CHAIN_RG1);
	for (i = 2; i <= 12; i++)
		check(stages.seen[1][i].release - stages.seen[1][i - 1].release >= 100 * MS,
		      "instance %u was released too early", i);
	check(stage_stat(stages.chain, 1).held, "12 instances in a row, and none was held back");
	stages_end();
}

TEST(idle, "an idle point of its CPU ends a stage's guard")
{
	unsigned int i, soon = 0;

	second_stage(RESCH_CHAIN_RG);
	check_is(chain_stat(stages.chain).ruled, 1);
	/* Nobody else is on the CPU of the second one: it is idle after each of its jobs. */
	for (i = 2; i <= 12; i++)
		soon += stages.seen[1][i].release - stages.seen[1][i - 1].release < 100 * MS;
	check(soon, "12 instances in a row on idle CPUs, and all were held back");
	stages_end();
}

static void body_busy(struct task *task)
{
	task_wait(task);
	while (!atomic_load(&task->stop))
		;
}

static void body_asleep(struct task *task)
{
	task_wait(task);
	while (!atomic_load(&task->stop))
		sleep_ms(10);
}

static void held_beside(void (*body)(struct task *task), uint32_t state)
{
	const uint64_t periods[STAGES] = { MS, 100 * MS, MS };
	struct task other = { .reg = periodic(3600 * SEC, SEC) };
	unsigned int i;

	/* The other one has the lower priority, and one job that does not end. */
	domain_on("1-3", "fp", "");
	other.reg.params.cpu = 2;
	task_start(&other, body);
	await(state_of(other.id) == state);
	stages_start(three_cpus, periods);
	stages_chain(RESCH_CHAIN_RG, 100 * MS, SEC, 0);
	stages_feed(12, NULL);
	for (i = 2; i <= 12; i++)
		check(stages.seen[1][i].release - stages.seen[1][i - 1].release >= 100 * MS,
		      "instance %u was released too early", i);
	stages_end();
	task_join(&other);
}

TEST(busy, "where another task's job is under way there is none: the guard holds")
{
	held_beside(body_busy, RESCH_STATE_SELECTED);
}

TEST(asleep, "likewise where that job sleeps, and the CPU has nothing to do")
{
	held_beside(body_asleep, RESCH_STATE_BLOCKED);
}

static atomic_uint turned;

static void body_turn(struct task *task)
{
	task_wait(task);
	while (!atomic_load(&turned))
		;
}

TEST(freed, "a stage that is held back goes on as that job ends")
{
	const uint64_t periods[STAGES] = { MS, 3000 * SEC, MS };
	struct task other = { .reg = periodic(3600 * SEC, SEC) };

	atomic_store(&turned, 0);
	domain_on("1-3", "fp", "");
	other.reg.params.cpu = 2;
	task_start(&other, body_turn);
	await(state_of(other.id) == RESCH_STATE_SELECTED);
	stages_start(three_cpus, periods);
	stages_chain(RESCH_CHAIN_RG, 3000 * SEC, 3600 * SEC, 0);
	must(resch_release(dev, stages.tasks[0].id));
	must(resch_release(dev, stages.tasks[0].id));
	await(stage_stat(stages.chain, 1).held == 1);
	check_is(atomic_load(&stages.done[1]), 1);
	/* Its second job is its last one: another would be an hour away. */
	atomic_store(&stages.tasks[1].stop, 1);
	atomic_store(&turned, 1);
	await(atomic_load(&stages.tasks[1].ended));
	stages_end();
	task_join(&other);
}

TEST(no_rule, "in a domain of servers the second rule is off, and that is told")
{
	struct task task[2] = { { .reg = sporadic(5 * MS, MS / 10) },
				{ .reg = sporadic(5 * MS, MS / 10) } };
	struct resch_chain_set want = chain_of(RESCH_CHAIN_RG, 10 * MS, SEC);
	struct resch_server_set server = server_of(use("server"), 5 * MS, 10 * MS);
	uint32_t tasks[2];
	int i;

	must(server_set(&server));
	for (i = 0; i < 2; i++) {
		task[i].reg.params.group = server.id;
		task_start(&task[i], body_idle);
		tasks[i] = task[i].id;
		must(resch_chain_offer(dev, tasks[i], stage_key(tasks[i])));
	}
	want.count = 2;
	must(chain_make(dev, &want, tasks, NULL));
	check_is(chain_stat(want.id).ruled, 0);
	must(resch_release(dev, tasks[0]));
	await(chain_stat(want.id).completed == 1);
	must(resch_chain_del(dev, want.id));
	for (i = 0; i < 2; i++)
		task_join_sporadic(&task[i]);
}

TEST(direct, "without a guard nothing is held back")
{
	second_stage(RESCH_CHAIN_DS);
	check_is(stage_stat(stages.chain, 1).held, 0);
	check_is(stage_stat(stages.chain, 2).held, 0);
	stages_end();
}

static void phases(uint32_t protocol)
{
	const uint64_t phase[STAGES] = { 0, 40 * MS, 60 * MS };
	struct resch_chain_set want = chain_of(protocol, 100 * MS, SEC);
	struct resch_stage_stat stage;
	uint32_t tasks[STAGES];
	unsigned int i, j, late;

	domain_on("1-3", "edf", "");
	stages_start(three_cpus, one_ms);
	for (j = 0; j < STAGES; j++)
		tasks[j] = stages.tasks[j].id;
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(dev, &want, tasks, phase));
	stages.chain = want.id;
	for (i = 0; i < 10; i++)
		stages_feed(1, NULL);
	for (j = 1; j < STAGES; j++) {
		for (i = 1, late = 0; i <= 10; i++) {
			const struct stage_seen *seen = &stages.seen[j][i];
			uint64_t from = protocol == RESCH_CHAIN_PM ? seen->origin :
								     stages.seen[j - 1][i].release;

			check(seen->release >= from + phase[j], "stage %u: released early", j);
			late += seen->release != from + phase[j];
		}
		/* A machine that stands still makes some late, and that is known. */
		stage = stage_stat(stages.chain, j);
		check_is(stage.late, late);
		check(stage.held >= 10 - late && stage.held_total, "stage %u: not held back", j);
	}
	stages_end();
}

TEST(pm, "stages are released a fixed time after the origin")
{
	phases(RESCH_CHAIN_PM);
}

TEST(mpm, "stages are released a fixed time after the release of the stage before")
{
	phases(RESCH_CHAIN_MPM);
}
