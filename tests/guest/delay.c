// SPDX-License-Identifier: GPL-2.0
/* delay.c - a job that suspends itself until a time */
#include "lib.h"

TEST(until, "a delay ends at its time, within the same job")
{
	struct resch_register reg = periodic(400 * MS, 100 * MS);
	struct resch_task_stat before, after;
	struct resch_wait job;
	uint64_t until;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	before = stat_of(0);
	until = resch_now() + 60 * MS;
	must(resch_delay(dev, until));
	check(resch_now() >= until, "it ended too early");
	after = stat_of(0);
	check_is(after.job, before.job);
	check_is(after.release, before.release);
	check_is(after.deadline, before.deadline);
	check_is(after.completed, 0);
	must(resch_wait(dev, &job));
	check_is(job.job, 2);
	check_is(job.release - before.release, 400 * MS);
	check_is(stat_of(0).completed, 1);
	must(resch_unregister(dev, 0));
}

TEST(past, "a delay until a past time returns at once")
{
	struct resch_register reg = periodic(100 * MS, 50 * MS);

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	must(resch_delay(dev, 0));
	must(resch_delay(dev, 1));
	must(resch_delay(dev, resch_now()));
	check_is(stat_of(0).state, RESCH_STATE_SELECTED);
	check_is(stat_of(0).completed, 0);
	must(resch_unregister(dev, 0));
}

static void body_asks(struct task *task)
{
	task_wait(task);
	while (!atomic_load(&task->stop))
		must(resch_delay(dev, 1));
}

TEST(stopped, "a delay lets no job off that was stopped on its way into the kernel")
{
	struct task task = { .reg = periodic(20 * MS, 2 * MS) };

	use("edf");
	task.reg.params.overrun = RESCH_THROTTLE;
	task_start(&task, body_asks);
	await(stat_of(task.id).overruns >= 30);
	check_is(stat_of(task.id).completed, 0);
	task_join(&task);
}

static void body_delays(struct task *task)
{
	task_wait(task);
	note('a');
	task->result = resch_delay(dev, *(uint64_t *)task->arg);
	note('c');
	if (task->result == -ECANCELED)
		task->unregistered_end = true;
}

static void body_notes(struct task *task)
{
	task_wait(task);
	note('b');
	while (!task->stop)
		task_wait(task);
}

TEST(others, "others run meanwhile")
{
	uint64_t until = resch_now() + 2 * SEC;
	struct task high = { .reg = periodic(SEC, MS), .arg = &until };
	struct task low = { .reg = periodic(2 * SEC, MS) };

	use("edf");
	low.reg.params.period = 250 * MS;
	low.reg.params.deadline = 3 * SEC;
	task_start(&high, body_delays);
	await(*notes() == 'a');
	await(state_of(high.id) == RESCH_STATE_BLOCKED);
	task_start(&low, body_notes);
	task_join(&high);
	check_is(high.result, 0);
	task_join(&low);
	check(!strcmp(notes(), "abc"), "order: %s", notes());
}

static void handler(int signal)
{
	(void)signal;
	note('s');
}

TEST(endless, "a delay without an end ends by a signal, and may be taken up again")
{
	uint64_t until = RESCH_NEVER;
	struct task task = { .reg = periodic(SEC, MS), .arg = &until };
	struct sigaction action = { .sa_handler = handler };

	use("edf");
	sigaction(SIGUSR1, &action, NULL);
	task_start(&task, body_delays);
	await(state_of(task.id) == RESCH_STATE_BLOCKED);
	pthread_kill(task.thread, SIGUSR1);
	task_join(&task);
	check_is(task.result, -EINTR);
	check(!strcmp(notes(), "asc"), "order: %s", notes());
}

TEST(cancelled, "ending the registration ends the delay")
{
	uint64_t until = RESCH_NEVER;
	struct task task = { .reg = periodic(SEC, MS), .arg = &until };

	use("edf");
	task_start(&task, body_delays);
	await(state_of(task.id) == RESCH_STATE_BLOCKED);
	must(resch_unregister(dev, task.id));
	task_join(&task);
	check_is(task.result, -ECANCELED);
}

TEST(early, "a delay before the first job is refused")
{
	struct resch_register reg = periodic(100 * MS, 50 * MS);

	use("edf");
	must(resch_register_self(dev, &reg));
	refused(resch_delay(dev, resch_now() + SEC), ENOENT);
	must(resch_unregister(dev, 0));
}
