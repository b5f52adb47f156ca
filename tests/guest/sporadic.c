// SPDX-License-Identifier: GPL-2.0
/* sporadic.c - jobs that are released by a call */
#include "lib.h"

#define PERIOD (30 * MS)

static struct resch_wait jobs[16];

static void body_jobs(struct task *task)
{
	if (task->arg) {
		must(resch_release(dev, 0));
		must(resch_release(dev, 0));
		must(resch_release(dev, task->id));
	}
	while (!task->stop) {
		task_wait(task);
		jobs[task->jobs - 1] = task->job;
	}
}

/* The task sleeps for its next release, which no one asks for: it takes one more to end. */
static void end(struct task *task)
{
	task->stop = 1;
	must(resch_release(dev, task->id));
	task_join(task);
}

TEST(released, "each call releases a job, and nothing else does")
{
	struct task task = { .reg = sporadic(PERIOD, MS) };
	uint64_t before, after;
	unsigned int i;

	use("edf");
	task_start(&task, body_jobs);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	sleep_ms(60);
	check_is(task.jobs, 0);
	for (i = 0; i < 5; i++) {
		before = resch_now();
		must(resch_release(dev, task.id));
		after = resch_now();
		await(task.jobs == i + 1);
		check(jobs[i].release >= before && jobs[i].release <= after,
		      "the release is not the call");
		check_is(jobs[i].job, i + 1);
		check_is(jobs[i].deadline - jobs[i].release, PERIOD);
		sleep_ms(40);
		check_is(task.jobs, i + 1);
	}
	end(&task);
}

TEST(inter_arrival, "calls that come too early wait for the minimum inter-arrival time")
{
	struct task task = { .reg = sporadic(PERIOD, MS) };
	unsigned int i;

	use("edf");
	task_start(&task, body_jobs);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	for (i = 0; i < 6; i++)
		must(resch_release(dev, task.id));
	await(task.jobs == 6);
	sleep_ms(50);
	check_is(task.jobs, 6);
	for (i = 1; i < 6; i++) {
		check_is(jobs[i].job, i + 1);
		check_is(jobs[i].release - jobs[i - 1].release, PERIOD);
	}
	end(&task);
}

static void body_long(struct task *task)
{
	task_wait(task);
	jobs[0] = task->job;
	while (!task->stop)
		;
	while (task->jobs < 4) {
		task_wait(task);
		jobs[task->jobs - 1] = task->job;
	}
}

TEST(during, "requests during a long job are released while it runs")
{
	struct task task = { .reg = sporadic(PERIOD, MS) };
	uint64_t before[4], after[4], earliest;
	unsigned int i;

	use("edf");
	task_start(&task, body_long);
	must(resch_release(dev, task.id));
	await(task.jobs == 1);
	for (i = 1; i < 4; i++) {
		before[i] = resch_now();
		must(resch_release(dev, task.id));
		after[i] = resch_now();
	}
	sleep_ms(6 * PERIOD / MS);
	task_join(&task);
	for (i = 1; i < 4; i++) {
		check_is(jobs[i].job, i + 1);
		/* a period after the last one; asked for later: when it was asked for */
		earliest = jobs[i - 1].release + PERIOD;
		if (jobs[i].release != earliest)
			check(jobs[i].release > earliest && jobs[i].release >= before[i] &&
				      jobs[i].release <= after[i],
			      "release %u comes %lld ns after its time", i,
			      (long long)(jobs[i].release - earliest));
		check_is(jobs[i].deadline - jobs[i].release, PERIOD);
	}
}

TEST(kept, "releases before the first wait, and during a job, are kept")
{
	struct resch_register reg = sporadic(PERIOD, MS);
	struct resch_wait job, last;
	uint64_t before = resch_now();

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_release(dev, 0));
	must(resch_release(dev, reg.id));
	must(resch_wait(dev, &job));
	check_is(job.job, 1);
	check(job.release >= before, "released before the call");
	must(resch_release(dev, 0));
	last = job;
	must(resch_wait(dev, &job));
	check_is(job.job, 2);
	check(job.release >= last.release + PERIOD, "jobs 1 and 2 are too near");
	last = job;
	must(resch_wait(dev, &job));
	check_is(job.job, 3);
	check(job.release >= last.release + PERIOD, "jobs 2 and 3 are too near");
	must(resch_unregister(dev, 0));
}

TEST(no_hurry, "a release long after the last job is served at once")
{
	struct resch_register reg = sporadic(PERIOD, MS);
	struct resch_wait job;
	uint64_t before;
	int i;

	use("edf");
	must(resch_register_self(dev, &reg));
	for (i = 0; i < 3; i++) {
		if (i)
			sleep_ms(2 * PERIOD / MS);
		before = resch_now();
		must(resch_release(dev, 0));
		must(resch_wait(dev, &job));
		check(job.release >= before, "released before the call");
		check(job.release <= resch_now(), "the wait returned before the release");
	}
	must(resch_unregister(dev, 0));
}

TEST(many, "dozens of releases may wait; too many are refused, not lost")
{
	struct resch_register reg = sporadic(PERIOD, MS);
	struct resch_wait job;
	int count, err = 0;

	use("edf");
	must(resch_register_self(dev, &reg));
	for (count = 0; count < 20000 && !err; count++)
		err = resch_release(dev, 0);
	check(!err || err == -ENOSPC, "release %d: %s", count, errno_name(err));
	check(count > 32, "no more than %d may wait", count);
	must(resch_wait(dev, &job));
	must(resch_wait(dev, &job));
	must(resch_release(dev, 0));
	must(resch_unregister(dev, 0));
}

TEST(exact, "there is no job without a release")
{
	struct task task = { .reg = sporadic(PERIOD, MS) };

	use("edf");
	task.arg = (void *)1;
	task_start(&task, body_jobs);
	await(task.jobs == 3);
	sleep_ms(4 * PERIOD / MS);
	check_is(task.jobs, 3);
	check_is(state_of(task.id), RESCH_STATE_SLEEPING);
	end(&task);
}

static void handler(int signal)
{
	(void)signal;
	note('s');
}

TEST(signalled, "a signal does not change a job that was asked for")
{
	struct task task = { .reg = sporadic(400 * MS, MS) };
	struct sigaction action = { .sa_handler = handler };

	use("edf");
	sigaction(SIGUSR1, &action, NULL);
	task_start(&task, body_jobs);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	must(resch_release(dev, task.id));
	await(task.jobs == 1 && state_of(task.id) == RESCH_STATE_SLEEPING);
	must(resch_release(dev, task.id));
	pthread_kill(task.thread, SIGUSR1);
	await(*notes() == 's');
	await(task.jobs == 2);
	check_is(jobs[1].job, 2);
	check_is(jobs[1].release - jobs[0].release, 400 * MS);
	end(&task);
}

static void body_once(struct task *task)
{
	task->result = resch_wait(dev, NULL);
	task->unregistered_end = true;
}

TEST(cancelled, "ending the registration ends the wait of a task that nobody releases")
{
	struct task task = { .reg = sporadic(PERIOD, MS) };

	use("edf");
	task_start(&task, body_once);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	must(resch_unregister(dev, task.id));
	task_join(&task);
	check_is(task.result, -ECANCELED);
}
