// SPDX-License-Identifier: GPL-2.0
/* wakeup.c - programs that know nothing of resch: their own wake-ups release their jobs */
#include "lib.h"

static void body_sleeps(struct task *task)
{
	while (!task->stop) {
		spin(MS);
		sleep_ms(5);
		task->step++;
	}
}

TEST(loop, "a loop that sleeps has a job each time it wakes up")
{
	struct task task = { .reg = wakeup(100 * MS, 50 * MS) };
	struct resch_task_stat stat;
	int steps;

	use("edf");
	task_start(&task, body_sleeps);
	await(task.step >= 20);
	steps = task.step;
	stat = stat_of(task.id);
	check(stat.completed >= 20, "%llu jobs after %d turns", stat.completed, steps);
	check(stat.completed <= (unsigned int)task.step + 20, "%llu jobs after %d turns",
	      stat.completed, task.step);
	check(stat.job >= stat.completed, "job %llu, %llu complete", stat.job, stat.completed);
	check(stat.exec_total >= 15 * MS, "only %llu ns executed", stat.exec_total);
	check_is(sched_getscheduler(task.tid) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
	task_join(&task);
}

TEST(at_once, "it is under control at once, on its CPU")
{
	struct resch_register reg = wakeup(100 * MS, 50 * MS);
	struct attributes before = attributes_of(0);
	struct resch_task_stat stat;

	use("edf");
	must(resch_register_self(dev, &reg));
	check_is(sched_getcpu(), CPU);
	stat = stat_of(0);
	check_is(stat.state, RESCH_STATE_SELECTED);
	check(stat.job >= 1, "it has no job");
	check_is(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
	must(resch_unregister(dev, 0));
	attributes_check(0, &before, "the thread");
}

TEST(refusals, "waits, delays and releases are for other kinds")
{
	struct resch_register reg = wakeup(100 * MS, 50 * MS);

	use("edf");
	must(resch_register_self(dev, &reg));
	refused(resch_wait(dev, NULL), EINVAL);
	refused(resch_delay(dev, resch_now() + SEC), EINVAL);
	refused(resch_release(dev, 0), EINVAL);
	must(resch_unregister(dev, 0));
}

static void body_sleep_once(struct task *task)
{
	sleep_ms(300);
	task->step = 1;
	spin_until(&task->stop);
}

TEST(deadlines, "a wake-up after long sleep has a full deadline")
{
	struct task task = { .reg = wakeup(500 * MS, 50 * MS) };
	struct resch_task_stat stat;

	use("edf");
	task.reg.params.deadline = 200 * MS;
	task_start(&task, body_sleep_once);
	await(task.step);
	stat = stat_of(task.id);
	check_is(stat.deadline - stat.release, 200 * MS);
	check_is(stat.state, RESCH_STATE_SELECTED);
	task_join(&task);
}

static void body_cheats(struct task *task)
{
	/* Uses nearly all of its budget, blocks for a moment to get a new one. */
	task->result = 0;
	spin(190 * MS);
	task->step = 1;
	sleep_ms(1);
	task->step = 2;
	spin_until(&task->stop);
}

TEST(bandwidth, "a nap gives no new deadline to a task that has used its budget up")
{
	struct task task = { .reg = wakeup(3 * SEC, 200 * MS) };
	uint64_t first;

	use("edf");
	task_start(&task, body_cheats);
	first = stat_of(task.id).deadline;
	await(task.step == 2);
	check_is(stat_of(task.id).deadline, first);
	task_join(&task);
}

TEST(preempted, "it is preempted by more urgent jobs, and preempts less urgent ones")
{
	struct task other = { .reg = periodic(20 * MS, MS) };
	struct task task = { .reg = wakeup(5 * SEC, SEC) };
	uint64_t jobs;

	use("edf");
	task_start(&task, body_sleep_once);
	task_start(&other, body_idle);
	await(task.step);
	jobs = other.jobs;
	await(other.jobs >= jobs + 5);
	check(stat_of(task.id).preemptions >= 1, "%llu preemptions", stat_of(task.id).preemptions);
	task_join(&task);
	task_join(&other);
}

static int sleeps_forever(void *arg)
{
	atomic_int *turns = arg;

	for (;;) {
		sleep_ms(10);
		(*turns)++;
	}
	return 0;
}

TEST(unmodified, "another process's sleep loop can be registered, and does not notice")
{
	struct resch_register reg = wakeup(50 * MS, 10 * MS);
	atomic_int *turns = shared(sizeof(*turns));
	pid_t pid = child(sleeps_forever, turns);
	struct attributes before;
	uint64_t completed;

	use("edf");
	await(*turns);
	before = attributes_of(pid);
	if (!(info().features & RESCH_FEATURE_REMOTE))
		skip("this kernel has no task_work_add");
	must(resch_register_thread(dev, pid, &reg));
	await(stat_of(reg.id).completed >= 10);
	check_is(stat_of(reg.id).pid, pid);
	check_is(sched_getscheduler(pid) & ~SCHED_RESET_ON_FORK, SCHED_FIFO);
	completed = *turns;
	must(resch_unregister(dev, reg.id));
	attributes_await(pid, &before, "the process");
	await((unsigned int)*turns > completed + 3);
	kill(pid, SIGKILL);
	child_wait(pid);
}
