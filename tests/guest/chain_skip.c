// SPDX-License-Identifier: GPL-2.0
/* chain_skip.c - chains that drop instances which are late, and jobs that are none */
#include "stages.h"

/*
 * resch-test: timeout=300
 */

static atomic_uint turned;
static atomic_ullong done_first, done_last;

/* Begins with its stage when it is told to, and notes which instances there are. */
static void body_late(struct task *task)
{
	struct resch_chain_job job;

	while (!atomic_load(&turned))
		sleep_ms(1);
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (atomic_load(&task->stop) || resch_chain_current(dev, &job))
			return;
		check(job.instance > atomic_load(&done_last), "instance %llu after %llu",
		      (unsigned long long)job.instance,
		      (unsigned long long)atomic_load(&done_last));
		if (!atomic_load(&done_first))
			atomic_store(&done_first, job.instance);
		atomic_store(&done_last, job.instance);
	}
}

/* How many of them have come to an end. */
static uint64_t ended(uint32_t chain)
{
	struct resch_chain_stat stat = chain_stat(chain);

	return stat.completed + stat.skipped;
}

static uint32_t skipping_chain(struct task *first, struct task *last, uint32_t protocol,
			       uint32_t flags)
{
	struct resch_chain_set want = chain_of(protocol, 10 * MS, 20 * MS);
	uint32_t tasks[2];

	atomic_store(&turned, 0);
	atomic_store(&done_first, 0);
	atomic_store(&done_last, 0);
	last->reg.params.cpu = 2;
	task_start(first, body_idle);
	task_start(last, body_late);
	tasks[0] = first->id;
	tasks[1] = last->id;
	must(resch_chain_offer(dev, tasks[0], stage_key(tasks[0])));
	must(resch_chain_offer(dev, tasks[1], stage_key(tasks[1])));
	want.count = 2;
	want.flags = flags | RESCH_CHAIN_F_SKIP_ADMISSION;
	must(chain_make(dev, &want, tasks, NULL));
	return want.id;
}

/* Five instances wait until they are late; then its stage begins. */
static void five_late(uint32_t chain, const struct task *first)
{
	unsigned int i;

	for (i = 1; i <= 5; i++) {
		must(resch_release(dev, first->id));
		await(chain_stat(chain).instances == i);
	}
	sleep_ms(30);
	atomic_store(&turned, 1);
}

static void skipping_end(uint32_t chain, struct task *first, struct task *last)
{
	must(resch_chain_del(dev, chain));
	atomic_store(&first->stop, 1);
	atomic_store(&last->stop, 1);
	await(!resch_release(dev, last->id) || atomic_load(&last->ended));
	await(!resch_release(dev, first->id) || atomic_load(&first->ended));
	task_join(last);
	task_join(first);
}

static void skipped(uint32_t protocol)
{
	struct task first = { .reg = sporadic(MS, MS / 10) },
		    last = { .reg = sporadic(MS, MS / 10) };
	struct resch_stage_stat stage;
	struct resch_chain_stat stat;
	unsigned int released = 5;
	struct resch_event event;
	uint32_t chain;
	int i;

	chain = skipping_chain(&first, &last, protocol,
			       RESCH_CHAIN_F_SKIP_LATE | RESCH_CHAIN_F_MISS);
	five_late(chain, &first);
	await(chain_stat(chain).skipped == 5);
	for (i = 1; i <= 5; i++) {
		event = event_await(RESCH_EVENT_CHAIN_MISS, chain);
		check_is(event.job, i);
		check(event.time > event.value, "skipped before its deadline");
	}
	/* A machine that stands still makes others late, too; not all. */
	while (!atomic_load(&done_first)) {
		await(!resch_release(dev, first.id));
		released++;
		sleep_ms(2);
	}
	await(ended(chain) == released);
	stat = chain_stat(chain);
	check_is(stat.instances, released);
	stage = stage_stat(chain, 1);
	check(atomic_load(&done_first) > 5, "instance %llu was done",
	      (unsigned long long)atomic_load(&done_first));
	check_is(stat.lost, 0);
	check_is(stage.skipped, stat.skipped);
	check_is(stage.waiting, 0);
	check_is(stage.completed, stat.completed);
	check_is(stage_stat(chain, 0).skipped, 0);
	skipping_end(chain, &first, &last);
	/* What the others, which were late, too, have left would be taken for the next chain's. */
	while (resch_event_wait(dev, 0) > 0) {
		check_is(resch_event_read(dev, &event, 1), 1);
		check_is(event.type, RESCH_EVENT_CHAIN_MISS);
		check_is(event.task, chain);
	}
}

TEST(skipped,
     "instances that a stage turns to when they are late are dropped, if the chain asks for it")
{
	domain_on("1-3", "fp", "");
	skipped(RESCH_CHAIN_DS);
	skipped(RESCH_CHAIN_RG);
}

TEST(done, "otherwise all are done, late as they are")
{
	struct task first = { .reg = sporadic(MS, MS / 10) },
		    last = { .reg = sporadic(MS, MS / 10) };
	uint32_t chain;

	domain_on("1-3", "fp", "");
	chain = skipping_chain(&first, &last, RESCH_CHAIN_DS, 0);
	five_late(chain, &first);
	await(chain_stat(chain).completed == 5);
	check_is(chain_stat(chain).missed, 5);
	check_is(chain_stat(chain).skipped, 0);
	check_is(atomic_load(&done_first), 1);
	skipping_end(chain, &first, &last);
}

static atomic_int begun, chained;

/* Its first job began before there was a chain, and has been throttled since, more than once. */
static void body_throttled(struct task *task)
{
	struct resch_chain_job job;
	uint64_t overruns;

	task_wait(task);
	atomic_store(&begun, 1);
	while (!atomic_load(&chained))
		relax();
	refused(resch_chain_current(dev, &job), ENOENT);
	/* By what is counted: a machine that stands still takes several budgets at once. */
	overruns = stat_of(task->id).overruns;
	while (stat_of(task->id).overruns < overruns + 2)
		relax();
	refused(resch_chain_current(dev, &job), ENOENT);
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		/* Where the machine stood still its next release, too, may be one of before. */
		if (resch_chain_current(dev, &job))
			continue;
		check_is(job.instance, atomic_load(&done_first) + 1);
		atomic_store(&done_first, job.instance);
	}
}

static void body_follows(struct task *task)
{
	struct resch_chain_job job;

	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (atomic_load(&task->stop) || resch_chain_current(dev, &job))
			return;
		check_is(job.instance, atomic_load(&done_last) + 1);
		check(job.instance <= atomic_load(&done_first), "instance %llu of %llu",
		      (unsigned long long)job.instance, (unsigned long long)done_first);
		atomic_store(&done_last, job.instance);
	}
}

TEST(throttled, "a job that began before the chain is no instance, though it is throttled since")
{
	struct task task[2] = { { .reg = periodic(20 * MS, 4 * MS) },
				{ .number = 1, .reg = sporadic(20 * MS, 4 * MS) } };
	struct resch_chain_set want = chain_of(RESCH_CHAIN_DS, 20 * MS, 40 * MS);
	uint32_t tasks[2], i;

	domain_on("1-2", "edf", "");
	atomic_store(&done_first, 0);
	atomic_store(&done_last, 0);
	want.count = 2;
	want.flags = RESCH_CHAIN_F_SKIP_ADMISSION;
	task[0].reg.params.overrun = RESCH_THROTTLE;
	task[1].reg.params.cpu = 2;
	for (i = 2; i--;) {
		task_start(&task[i], i ? body_follows : body_throttled);
		tasks[i] = task[i].id;
		must(resch_chain_offer(dev, tasks[i], stage_key(tasks[i])));
	}
	await(state_of(tasks[1]) == RESCH_STATE_SLEEPING && atomic_load(&begun));
	must(chain_make(dev, &want, tasks, NULL));
	atomic_store(&chained, 1);
	await(atomic_load(&done_last) >= 5);
	must(resch_chain_del(dev, want.id));
	task_join(&task[0]);
	task_join_sporadic(&task[1]);
}
