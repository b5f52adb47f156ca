// SPDX-License-Identifier: GPL-2.0
/* signals.c - handlers run when their thread may, and no job ends twice */
#include "lib.h"

#define PERIOD (40 * MS)

static atomic_int handled;
static atomic_int handler_job; /* what stat said the state was within the handler */

static void handler(int signal)
{
	(void)signal;
	handled++;
	note('s');
}

static void on(int signal, int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	must_libc(sigaction(signal, &action, NULL));
}

static void body_spin_then_count(struct task *task)
{
	task_wait(task);
	spin_until(&handled);
	task->step = stat_of(0).job;
	task_wait(task);
	check_is(task->job.job, 2);
	handler_job = stat_of(0).completed;
	task->step = 100;
}

TEST(within, "a handler within a job is part of it")
{
	struct task task = { .reg = periodic(PERIOD, MS) };

	use("edf");
	on(SIGUSR1, 0);
	task_start(&task, body_spin_then_count);
	await(task.jobs == 1);
	pthread_kill(task.thread, SIGUSR1);
	await(task.step == 100);
	check_is(handler_job, 1);
	task_join(&task);
}

static void body_waits(struct task *task)
{
	uint64_t first;
	int job;

	task_wait(task);
	first = task->job.release;
	task->step = 1;
	for (job = 2; !task->stop; job++) {
		int err, interrupted = 0;

		while ((err = resch_wait(dev, &task->job)) == -EINTR)
			interrupted++;
		must(err);
		task->result += interrupted;
		check_is(task->job.job, job);
		check_is(task->job.release - first, (job - 1) * task->reg.params.period);
		check_is(task->job.deadline - task->job.release, task->reg.params.period);
		check_is(stat_of(0).completed, job - 1);
		atomic_store(&task->step, job);
	}
}

/*
 * Signals a task that waits, so often that some of them come while it sleeps, as most do; where
 * they have to end a wait, until one has: on a slow machine the release may be faster than each of
 * eight.
 */
static void interrupted(int flags, bool ends)
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	int i;

	use("edf");
	on(SIGUSR1, flags);
	task_start(&task, body_waits);
	await(task.step >= 1);
	for (i = 1; i <= 8 || (ends && !task.result); i++) {
		await(state_of(task.id) == RESCH_STATE_SLEEPING);
		pthread_kill(task.thread, SIGUSR1);
		await(handled == i);
	}
	await(task.step >= 3);
	task_join(&task);
	if (!ends)
		check_is(task.result, 0);
}

TEST(ends, "a handled signal ends a wait with EINTR; the next call goes on with it")
{
	interrupted(0, true);
}

TEST(restarts, "with SA_RESTART the wait goes on by itself")
{
	interrupted(SA_RESTART, false);
}

TEST(ignored, "an ignored signal does not end a wait")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	int i;

	use("edf");
	signal(SIGUSR1, SIG_IGN);
	task_start(&task, body_waits);
	await(task.step >= 1);
	for (i = 0; i < 20; i++) {
		pthread_kill(task.thread, SIGUSR1);
		pthread_kill(task.thread, SIGCHLD);
		pthread_kill(task.thread, SIGWINCH);
		sleep_ms(5);
	}
	await(task.step >= 3);
	task_join(&task);
	check_is(task.result, 0);
}

TEST(before_start, "a signal before the synchronous start does not start anything")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	uint32_t domain = use("edf");

	task.reg.params.flags |= RESCH_F_SYNC;
	on(SIGUSR1, 0);
	task_start(&task, body_waits);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	pthread_kill(task.thread, SIGUSR1);
	await(handled);
	sleep_ms(100);
	check_is(task.step, 0);
	check_is(must(resch_start(dev, domain, 0)), 1);
	await(task.step >= 3);
	task_join(&task);
}

/* ---- a storm --------------------------------------------------------------------------------- */

static atomic_int selfish;

static void body_urgent(struct task *task)
{
	int i;

	task_wait(task);
	for (i = 0; i < 4; i++) {
		int before = handled;

		spin(60 * MS);
		if (handled != before)
			selfish++;
	}
	task->step = 1;
}

/* Leaves some time to ordinary threads: those of the kernel are among them. */
static void body_mostly_spins(struct task *task)
{
	task_wait(task);
	while (!task->stop) {
		spin(2 * MS);
		usleep(2000);
	}
}

static void *storms(void *arg)
{
	struct task *task = arg;

	while (!task->number) {
		pthread_kill(task->thread, SIGALRM);
		sleep_ms(1);
	}
	return NULL;
}

TEST(storm, "signals don't let a preempted task run; it gets them when it may")
{
	struct task low = { .reg = periodic(400 * MS, MS) };
	struct task high = { .reg = periodic(10 * SEC, MS) };
	pthread_t storm;
	int before;

	use("fp");
	low.reg.params.deadline = 3000 * MS;
	high.reg.params.deadline = 1000 * MS;
	on(SIGALRM, SA_RESTART);
	task_start(&low, body_mostly_spins);
	await(low.jobs == 1);
	check_is(pthread_create(&storm, NULL, storms, &low), 0);
	await(handled >= 3);
	task_start(&high, body_urgent);
	await(high.step);
	check_is(selfish, 0);
	before = handled;
	await(handled > before);
	low.number = 1; /* the storm is over */
	pthread_join(storm, NULL);
	check_is(stat_of(low.id).job, 1);
	task_join(&high);
	task_join(&low);
}

TEST(storm_waits, "a storm of signals on a task that waits moves no release")
{
	struct task task = { .reg = periodic(100 * MS, MS) };
	uint64_t end;

	use("edf");
	on(SIGUSR1, 0);
	task_start(&task, body_waits);
	end = resch_now() + 600 * MS;
	while (resch_now() < end)
		pthread_kill(task.thread, SIGUSR1);
	await(task.step >= 4);
	task_join(&task);
}

TEST(blocked, "a signal that is blocked waits; one that comes in a read ends that, not the job")
{
	struct task task = { .reg = periodic(PERIOD, MS) };
	sigset_t set;

	use("edf");
	on(SIGUSR1, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	task_start(&task, body_waits); /* has the mask of its starter */
	await(task.step >= 1);
	pthread_kill(task.thread, SIGUSR1);
	await(task.step >= 5);
	check_is(handled, 0);
	task_join(&task);
	check_is(task.result, 0);
}
