// SPDX-License-Identifier: GPL-2.0
/* demote.c - tasks are stopped by demoting them, as on kernels that export no task_work_add */
#include "crowd.h"

static __attribute__((constructor)) void demote_params(void)
{
	test_params = "stop=demote";
}

/* Notes its letter as a job begins and the small letter as it ends. */
static void body_letters(struct task *task)
{
	task_wait(task);
	note('A' + task->number);
	spin(200 * MS);
	note('a' + task->number);
}

/* Three tasks that start together but for their offsets; the order in which they ran. */
static void run(uint32_t domain, const uint64_t *deadlines, const uint64_t *offsets,
		const char *wanted)
{
	struct attributes were = attributes_of(0);
	static struct task tasks[3];
	int i;

	for (i = 0; i < 3; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic(20 * SEC, SEC);
		tasks[i].reg.params.deadline = deadlines[i];
		tasks[i].reg.params.offset = offsets[i];
		tasks[i].reg.params.priority = 9 - i;
		tasks[i].reg.params.flags |= RESCH_F_SYNC;
	}
	tasks_in_order(tasks, 3, body_letters, domain, wanted);
	attributes_check(0, &were, "the main thread");
}

TEST(feature, "the module says so")
{
	check(info().features & RESCH_FEATURE_DEMOTE, "the features are %llx",
	      (unsigned long long)info().features);
	check(!(info().features & RESCH_FEATURE_PARK), "it parks, too");
}

TEST(order, "edf: the earliest deadline first")
{
	run(use("edf"), (uint64_t[]){ 9 * SEC, 3 * SEC, 6 * SEC }, (uint64_t[]){ 0, 0, 0 },
	    "BbCcAa");
}

TEST(preempts, "edf: an earlier deadline preempts")
{
	run(use("edf"), (uint64_t[]){ 9 * SEC, 6 * SEC, 3 * SEC },
	    (uint64_t[]){ 0, 60 * MS, 120 * MS }, "ABCcba");
}

TEST(against, "fp: a later deadline of higher priority preempts, so the other has to be demoted")
{
	run(domain_on("1", "fp", "order=explicit"), (uint64_t[]){ 3 * SEC, 6 * SEC, 9 * SEC },
	    (uint64_t[]){ 0, 60 * MS, 120 * MS }, "ABCcba");
}

TEST(demoted, "who is not selected is an ordinary thread, and real-time again when its turn comes")
{
	struct task tasks[2] = { { .number = 0 }, { .number = 1 } };
	struct attributes were = attributes_of(0);
	int i;

	domain_on("1", "fp", "order=explicit");
	for (i = 0; i < 2; i++) {
		/* One deadline, one level: none may hold up the other's last call. */
		tasks[i].reg = periodic(300 * SEC, SEC);
		tasks[i].reg.params.priority = 2 - i;
		task_start(&tasks[i], body_spin);
	}
	await(state_of(tasks[1].id) == RESCH_STATE_SELECTED);
	await(attributes_of(tasks[0].tid).policy == SCHED_OTHER);
	check_is(attributes_of(tasks[1].tid).policy, SCHED_FIFO);
	check_is(state_of(tasks[0].id), RESCH_STATE_READY);
	task_join(&tasks[1]);
	await(attributes_of(tasks[0].tid).policy == SCHED_FIFO);
	check_is(state_of(tasks[0].id), RESCH_STATE_SELECTED);
	must(resch_unregister(dev, tasks[0].id));
	tasks[0].unregistered_end = true;
	attributes_await(tasks[0].tid, &were, "the task");
	task_join(&tasks[0]);
}

static int ends[2];

static void body_blocks(struct task *task)
{
	char byte;

	task_wait(task);
	while (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK)
		spin(MS / 10);
	must_libc(read(ends[0], &byte, 1));
	spin_until(&task->stop);
}

TEST(blocks, "who is not selected, and blocks beside an ordinary thread, is seen to")
{
	uint32_t domain = use("server");
	struct resch_server_set want = server_of(domain, 20 * MS, 20 * SEC);
	struct task task = { .reg = periodic(100 * SEC, SEC) };
	struct task load = { .number = 1 };

	must_libc(pipe(ends));
	must(server_set(&want));
	task.reg.params.group = want.id;
	thread_start(&load, body_load);
	/* Of low weight: that is who stays on its run queue when it blocks (6.12 and later). */
	must(attributes_set(0, SCHED_OTHER, 0, 19, 0));
	task_start(&task, body_blocks);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
	await(state_of(task.id) == RESCH_STATE_BLOCKED);
	must_libc(write(ends[1], "", 1));
	await(state_of(task.id) != RESCH_STATE_BLOCKED);
}

TEST(ejected, "an ejection gives everything back")
{
	uint32_t domain = use("edf");

	crowd_start();
	must(domain_swap(domain, "bad-past", NULL));
	await(domain_stat(domain).ejections == 1);
	crowd_gone(RESCH_GONE_EJECT);
	crowd_after();
}

TEST(jobs, "jobs of three tasks, one after the other")
{
	static struct task tasks[3];
	int i;

	use("edf");
	for (i = 0; i < 3; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((20 + 10 * i) * MS, 2 * MS);
		task_start(&tasks[i], body_idle);
	}
	for (i = 0; i < 3; i++)
		await(atomic_load(&tasks[i].jobs) >= 10);
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
}
