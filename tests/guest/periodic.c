// SPDX-License-Identifier: GPL-2.0
/* periodic.c - releases are where they belong, whatever the jobs do */
#include "lib.h"

#define PERIOD (20 * MS)

struct record {
	struct resch_wait jobs[20];
	unsigned int count;
	unsigned int slow; /* this job takes a while */
	uint64_t called, returned; /* around the first wait */
};

static void body_record(struct task *task)
{
	struct record *record = task->arg;
	unsigned int i;

	for (i = 0; i < record->count; i++) {
		if (!i)
			record->called = resch_now();
		task_wait(task);
		if (!i)
			record->returned = resch_now();
		record->jobs[i] = task->job;
		if (record->slow == i + 1)
			spin(4 * PERIOD - PERIOD / 2);
	}
}

/* Runs record->count jobs and checks that each is one period after the one before. */
static void run(struct record *record, struct resch_register reg)
{
	uint64_t deadline = reg.params.deadline ? reg.params.deadline : reg.params.period;
	struct task task = { .reg = reg, .arg = record };
	unsigned int i;

	use("edf");
	task_start(&task, body_record);
	task_join(&task);
	for (i = 0; i < record->count; i++) {
		const struct resch_wait *job = &record->jobs[i];

		check_is(job->job, i + 1);
		check_is(job->skipped, 0);
		check_is(job->deadline - job->release, deadline);
		check_is(job->release - record->jobs[0].release, i * reg.params.period);
	}
}

TEST(grid, "releases are a period apart, to the nanosecond")
{
	struct record record = { .count = 15 };

	run(&record, periodic(PERIOD + 12345, MS));
	check(record.jobs[0].release >= record.called && record.jobs[0].release <= record.returned,
	      "the first release is not the first wait");
}

TEST(late, "a job that takes several periods moves no release and loses no job")
{
	struct record record = { .count = 12, .slow = 3 };

	run(&record, periodic(PERIOD, MS));
}

TEST(offset, "the offset comes before the first release")
{
	struct record record = { .count = 3 };
	struct resch_register reg = periodic(PERIOD, MS);

	reg.params.offset = 100 * MS;
	run(&record, reg);
	check(record.jobs[0].release >= record.called + 100 * MS, "the first release is too early");
	check(record.jobs[0].release <= record.returned,
	      "the first wait returned before the release");
}

TEST(short_deadline, "a deadline may be shorter than the period")
{
	struct record record = { .count = 5 };
	struct resch_register reg = periodic(PERIOD, MS);

	reg.params.deadline = PERIOD / 4;
	run(&record, reg);
}

TEST(long_deadline, "a deadline may be longer than the period")
{
	struct record record = { .count = 8, .slow = 2 };
	struct resch_register reg = periodic(PERIOD, MS);

	reg.params.deadline = PERIOD * 7 / 2;
	run(&record, reg);
}

TEST(not_early, "no wait returns before the release")
{
	struct task task = { .reg = periodic(PERIOD, MS) };

	use("edf");
	task_start(&task, body_idle);
	while (task.jobs < 10) {
		struct resch_task_stat stat = stat_of(task.id);

		if (stat.state == RESCH_STATE_SELECTED)
			check(resch_now() >= stat.release, "job %llu runs before its release",
			      stat.job);
	}
	task_join(&task);
}

static struct record synchronous[3];

TEST(start, "a synchronous start gives all tasks their time zero")
{
	static const uint64_t offsets[] = { 0, 30 * MS, 70 * MS };
	uint32_t domain = use("edf");
	struct task tasks[3];
	uint64_t zero;
	int i;

	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 3; i++) {
		synchronous[i].count = 4;
		tasks[i].reg = periodic(PERIOD * (i + 1), MS);
		tasks[i].reg.params.flags |= RESCH_F_SYNC;
		tasks[i].reg.params.offset = offsets[i];
		tasks[i].arg = &synchronous[i];
		task_start(&tasks[i], body_record);
	}
	for (i = 0; i < 3; i++)
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
	sleep_ms(60);
	for (i = 0; i < 3; i++)
		check_is(stat_of(tasks[i].id).job, 0);
	zero = resch_now() + 150 * MS;
	check_is(must(resch_start(dev, domain, zero)), 3);
	check_is(must(resch_start(dev, domain, 0)), 0);
	for (i = 0; i < 3; i++) {
		task_join(&tasks[i]);
		check_is(synchronous[i].jobs[0].release - zero, offsets[i]);
		check_is(synchronous[i].jobs[3].release - zero, offsets[i] + 3 * (i + 1) * PERIOD);
	}
}

TEST(start_now, "a synchronous start as soon as possible tells when that is")
{
	struct resch_start start = { .domain = use("edf") };
	struct task tasks[2];
	uint64_t now;
	int i;

	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 2; i++) {
		memset(&synchronous[i], 0, sizeof(synchronous[i]));
		synchronous[i].count = 2;
		tasks[i].reg = periodic(PERIOD, MS);
		tasks[i].reg.params.flags |= RESCH_F_SYNC;
		tasks[i].arg = &synchronous[i];
		task_start(&tasks[i], body_record);
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
	}
	now = resch_now();
	must(call(dev, RESCH_IOC_START, &start));
	check_is(start.waiting, 2);
	check(start.time > now, "time zero is past");
	for (i = 0; i < 2; i++) {
		task_join(&tasks[i]);
		check_is(synchronous[i].jobs[0].release, start.time);
	}
}

TEST(states, "a task is new, sleeping, selected, and ready behind another one")
{
	struct task first = { .reg = periodic(SEC, MS) };
	struct task second = { .reg = sporadic(3 * SEC, MS) };
	struct resch_register reg = periodic(PERIOD, MS);

	use("edf");
	must(resch_register_self(dev, &reg));
	check_is(state_of(reg.id), RESCH_STATE_NEW);
	check_is(stat_of(0).job, 0);
	must(resch_unregister(dev, 0));

	task_start(&second, body_idle);
	await(state_of(second.id) == RESCH_STATE_SLEEPING);
	task_start(&first, body_spin);
	await(first.jobs == 1);
	check_is(state_of(first.id), RESCH_STATE_SELECTED);
	must(resch_release(dev, second.id));
	await(state_of(second.id) == RESCH_STATE_READY);
	check_is(second.jobs, 0);
	task_join(&first);
	await(second.jobs == 1 && state_of(second.id) == RESCH_STATE_SLEEPING);
	/* the case ends with a task that sleeps */
}

TEST(behind, "the first job of a task is released though one of a higher level computes")
{
	struct task first = { .reg = periodic(SEC, MS) };
	struct task second = { .reg = periodic(300 * SEC, MS) };

	pin(0, "0");
	use("edf");
	task_start(&first, body_spin);
	await(first.jobs == 1);
	task_start(&second, body_idle);
	await(state_of(second.id) == RESCH_STATE_READY);
	check_is(state_of(first.id), RESCH_STATE_SELECTED);
	check_is(stat_of(second.id).job, 1);
	task_join(&first);
	await(second.jobs == 1);
}

static void body_five_jobs(struct task *task)
{
	int i;

	for (i = 0; i < 5; i++)
		task_wait(task);
	must(resch_unregister(dev, 0));
	task->unregistered_end = true;
	/* Now it is an ordinary thread, and may go where it may go. */
	atomic_store(&task->step, 1);
}

TEST(meanwhile, "tasks come and go while another one computes on their CPU")
{
	struct task computing = { .reg = periodic(300 * SEC, SEC) }, brief;
	int i;

	pin(0, "0");
	use("edf");
	task_start(&computing, body_spin);
	await(computing.jobs == 1);
	for (i = 0; i < 5; i++) {
		memset(&brief, 0, sizeof(brief));
		brief.reg = periodic(5 * MS, MS);
		task_start(&brief, body_five_jobs);
		await(atomic_load(&brief.step) == 1);
		await(tasks_registered() == 1);
		task_join(&brief);
	}
	check_is(computing.jobs, 1);
	check_is(atomic_load(&computing.ended), 0);
	task_join(&computing);
}

TEST(names, "a task has its own name, or its thread's")
{
	struct resch_register reg = periodic(PERIOD, MS);

	use("edf");
	pthread_setname_np(pthread_self(), "some-thread");
	must(resch_register_self(dev, &reg));
	check(!strcmp(stat_of(0).params.name, "some-thread"), "its name is %s",
	      stat_of(0).params.name);
	must(resch_unregister(dev, 0));
	strcpy(reg.params.name, "a task (1) %s");
	must(resch_register_self(dev, &reg));
	check(!strcmp(stat_of(0).params.name, "a task (1) %s"), "its name is %s",
	      stat_of(0).params.name);
	must(resch_unregister(dev, 0));
}

TEST(again, "a thread may register, work and unregister again and again; ids are not used twice")
{
	struct attributes before = attributes_of(0);
	uint32_t last = 0;
	int i;

	use("edf");
	for (i = 0; i < 4; i++) {
		struct resch_register reg = periodic(PERIOD, MS);
		struct resch_wait job;
		int k;

		must(resch_register_self(dev, &reg));
		check(reg.id > last, "id %u after %u", reg.id, last);
		last = reg.id;
		for (k = 1; k <= 2; k++) {
			must(resch_wait(dev, &job));
			check_is(job.job, k);
			check_is(sched_getcpu(), CPU);
			check_is(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
		}
		must(resch_unregister(dev, i % 2 ? 0 : reg.id));
		refused(resch_wait(dev, &job), ENOENT);
		attributes_check(0, &before, "the thread");
	}
}

TEST(list, "the tasks can be listed, in the order of their ids")
{
	struct task tasks[5];
	struct resch_task_stat stat;
	int i;

	use("edf");
	memset(tasks, 0, sizeof(tasks));
	memset(&stat, 0, sizeof(stat));
	for (i = 0; i < 5; i++) {
		tasks[i].reg = periodic((i + 5) * PERIOD, (i + 1) * MS);
		tasks[i].reg.params.priority = i + 10;
		task_start(&tasks[i], body_idle);
	}
	for (i = 0; i < 5; i++) {
		check_is(resch_task_next(dev, &stat), 1);
		check_is(stat.id, tasks[i].id);
		check_is(stat.pid, tasks[i].tid);
		check_is(stat.cpu, CPU);
		check_is(stat.domain, domain_stat(stat.domain).domain);
		check_is(stat.params.period, (i + 5) * PERIOD);
		check_is(stat.params.deadline, (i + 5) * PERIOD);
		check_is(stat.params.wcet, (i + 1) * MS);
		check_is(stat.params.priority, i + 10);
	}
	check_is(resch_task_next(dev, &stat), 0);
	check_is(tasks_registered(), 5);
	for (i = 0; i < 5; i++)
		task_join(&tasks[i]);
	check_is(tasks_registered(), 0);
}

TEST(places, "a task without a CPU of its own goes where there is room")
{
	struct task tasks[3];
	uint32_t domain = domain_on("0,1", "edf", NULL);
	struct resch_register reg;
	int i;

	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 2; i++) {
		tasks[i].reg = periodic(200 * MS, 120 * MS);
		tasks[i].reg.params.cpu = -1;
		tasks[i].reg.params.flags = 0;
		tasks[i].reg.domain = domain;
		task_start(&tasks[i], body_idle);
	}
	check_is(tasks[0].reg.cpu, 0);
	check_is(tasks[1].reg.cpu, 1);
	reg = tasks[0].reg;
	refused(resch_register_self(dev, &reg), EBUSY);
	check(reg.verdict.cpu == 0 || reg.verdict.cpu == 1, "the verdict is about CPU %d",
	      reg.verdict.cpu);
	for (i = 0; i < 2; i++) {
		await(tasks[i].jobs >= 2);
		check_is(stat_of(tasks[i].id).cpu, i);
		task_join(&tasks[i]);
	}
}
