// SPDX-License-Identifier: GPL-2.0
/* handler.c - signal handlers between two jobs have the budget of the next one */
#include "lib.h"

#define PERIOD (100 * MS)
#define BUDGET (20 * MS)

static atomic_int let_go; /* the handler may return */
static atomic_int handled; /* so many have ended */

/* Runs until it is told not to, or for as long as the signal's value says. */
static void handler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_value.sival_int)
		spin(info->si_value.sival_int * MS);
	else
		spin_until(&let_go);
	handled++;
}

static void signal_task(const struct task *task, int ms)
{
	union sigval value = { .sival_int = ms };

	check_is(pthread_sigqueue(task->thread, SIGUSR1, value), 0);
}

static void on_signal(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
}

static struct resch_wait first, second;

/* Its first job is short; of its second one it tells how it was. */
static void body_two_jobs(struct task *task)
{
	task_wait(task);
	first = task->job;
	task_wait(task);
	second = task->job;
	task->step = 2;
	while (!task->stop)
		task_wait(task);
}

static struct task task_of(uint32_t overrun)
{
	struct task task = { .reg = periodic(PERIOD, BUDGET) };

	task.reg.params.overrun = overrun;
	return task;
}

/* A handler that does not end begins before the second job. */
static void start_endless(struct task *task, void (*body)(struct task *task))
{
	use("edf");
	on_signal();
	task_start(task, body);
	await(task->jobs == 1);
	await(state_of(task->id) == RESCH_STATE_SLEEPING);
	signal_task(task, 0);
}

/* It is stopped, and goes on, so many times. */
static void await_stopped(const struct task *task, int times)
{
	for (; times; times--) {
		await(state_of(task->id) == RESCH_STATE_THROTTLED);
		await(state_of(task->id) != RESCH_STATE_THROTTLED);
	}
}

TEST(stopped, "THROTTLE: a handler without an end is stopped, once a period")
{
	struct task task = task_of(RESCH_THROTTLE);

	start_endless(&task, body_two_jobs);
	await_stopped(&task, 3);
	check_is(task.jobs, 1);
	check_is(stat_of(task.id).overruns, 0);
	let_go = 1;
	await(task.step == 2);
	check_is(second.job, 2);
	check((second.release - first.release) % PERIOD == 0, "a release off the grid");
	check_is((second.release - first.release) / PERIOD, second.skipped + 1);
	check(second.skipped >= 3, "%llu skipped", second.skipped);
	check_is(second.deadline - second.release, PERIOD);
	task_join(&task);
}

static void body_cancelled(struct task *task)
{
	task_wait(task);
	do
		task->result = resch_wait(dev, &task->job);
	while (task->result == -EINTR);
	task->unregistered_end = true;
}

TEST(ended_stopped, "THROTTLE: stopped, it goes on when its registration ends")
{
	struct task task = task_of(RESCH_THROTTLE);

	start_endless(&task, body_cancelled);
	await(state_of(task.id) == RESCH_STATE_THROTTLED);
	must(resch_unregister(dev, task.id));
	let_go = 1;
	task_join(&task);
	check_is(handled, 1);
	check_is(task.result, -ENOENT);
}

TEST(demoted, "DEMOTE: a handler without an end goes on below all tasks, until it ends")
{
	struct task task = task_of(RESCH_DEMOTE);

	start_endless(&task, body_two_jobs);
	await(attributes_of(task.tid).policy == SCHED_OTHER);
	check_is(task.jobs, 1);
	check_is(stat_of(task.id).overruns, 0);
	let_go = 1;
	await(task.jobs >= 4);
	await(attributes_of(task.tid).policy == SCHED_FIFO);
	/* The second job found nothing left of its budget. */
	check(stat_of(task.id).overruns >= 1, "the handler cost the job nothing");
	task_join(&task);
}

/* The first job of which no handler has used up the budget before it is long. */
static void body_charged(struct task *task)
{
	task_wait(task);
	do
		task_wait(task);
	while (task->job.skipped);
	spin(15 * MS);
	task->step = 2;
	while (!task->stop)
		task_wait(task);
}

TEST(charged, "what a handler has executed is taken from the budget of the next job")
{
	struct task task = task_of(RESCH_THROTTLE);
	unsigned int i;

	use("edf");
	on_signal();
	task_start(&task, body_charged);
	await(task.jobs == 1);
	for (i = 1; task.step != 2; i++) {
		await(state_of(task.id) == RESCH_STATE_SLEEPING || task.step == 2);
		if (task.step != 2)
			signal_task(&task, 15);
		await(task.jobs > i || task.step == 2);
	}
	check(stat_of(task.id).overruns >= 1, "two times 15 ms are no more than 20");
	task_join(&task);
}

TEST(many, "handlers and jobs have one budget a period, however many they are")
{
	struct task task = task_of(RESCH_THROTTLE);
	uint64_t begin;
	int i;

	use("edf");
	on_signal();
	task_start(&task, body_charged);
	await(task.jobs == 1);
	begin = resch_now();
	for (i = 0; i < 8; i++) {
		signal_task(&task, 19);
		await(handled == i + 1);
	}
	/* 152 ms of them; in n periods, wherever they begin, there are n + 1 budgets at most */
	check(resch_now() - begin >= 6 * PERIOD, "8 handlers took %llu ns",
	      (unsigned long long)(resch_now() - begin));
	await(task.step == 2);
	await(task.jobs >= 4);
	task_join(&task);
}

static void body_sporadic(struct task *task)
{
	task_wait(task);
	first = task->job;
	task_wait(task);
	second = task->job;
	task->step = 2;
}

TEST(sporadic, "between jobs that nobody has asked for, too: a budget a period")
{
	struct task task = { .reg = sporadic(PERIOD, BUDGET) };

	task.reg.params.overrun = RESCH_THROTTLE;
	use("edf");
	on_signal();
	task_start(&task, body_sporadic);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	signal_task(&task, 0);
	await_stopped(&task, 2);
	let_go = 1;
	await(handled == 1);
	let_go = 0;
	must(resch_release(dev, task.id));
	await(task.jobs == 1);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	signal_task(&task, 0);
	await_stopped(&task, 2);
	check_is(task.jobs, 1);
	must(resch_release(dev, task.id));
	let_go = 1;
	await(task.step == 2);
	check_is(second.job, 2);
	check(second.release >= first.release + 2 * PERIOD, "%llu ns after the first job",
	      (unsigned long long)(second.release - first.release));
	task_join(&task);
}

TEST(before_start, "before a start in common, too")
{
	struct task task = task_of(RESCH_THROTTLE);
	uint32_t domain = use("edf");

	task.reg.params.flags |= RESCH_F_SYNC;
	on_signal();
	task_start(&task, body_two_jobs);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	signal_task(&task, 0);
	await_stopped(&task, 2);
	let_go = 1;
	await(handled == 1);
	check_is(must(resch_start(dev, domain, 0)), 1);
	await(task.step == 2);
	check_is(first.job, 1);
	check_is(second.job, 2);
	task_join(&task);
}

static void sleepy_handler(int signal)
{
	(void)signal;
	while (!let_go) {
		spin(MS);
		usleep(1000);
	}
	handled++;
}

TEST(sleeps, "a handler that sleeps now and then has no more than that")
{
	struct task task = task_of(RESCH_THROTTLE);

	use("edf");
	signal(SIGUSR1, sleepy_handler);
	task.reg.params.wcet = 5 * MS;
	task_start(&task, body_two_jobs);
	await(task.jobs == 1);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	signal_task(&task, 0);
	await_stopped(&task, 2);
	let_go = 1;
	await(task.step == 2);
	task_join(&task);
}
