// SPDX-License-Identifier: GPL-2.0
/*
 * stopcont.c - SIGSTOP, SIGCONT, SIGKILL and ptrace, at a task that runs, waits, is preempted, or
 * blocks
 */
#include "lib.h"

#include <sys/ptrace.h>

#define PERIOD (30 * MS)

/* A process with one task, whose descriptor the test has, too. */
struct victim {
	struct resch_register reg;
	atomic_int stop;
	atomic_int ready;
	atomic_int job;
	atomic_int spins;
};

static int ends[2];

static int victim_waits(void *arg)
{
	struct victim *victim = arg;
	struct resch_wait job;
	uint64_t first = 0;
	int number;

	must(resch_register_self(dev, &victim->reg));
	for (number = 1; !victim->stop; number++) {
		int err;

		do
			err = resch_wait(dev, &job);
		while (err == -EINTR);
		must(err);
		if (!first)
			first = job.release;
		check_is(job.job, number);
		check_is(job.skipped, 0);
		check_is(job.release - first, (number - 1) * victim->reg.params.period);
		check_is(stat_of(0).completed, number - 1);
		victim->ready = 1;
		atomic_store(&victim->job, number);
	}
	must(resch_unregister(dev, 0));
	return 0;
}

static int victim_spins(void *arg)
{
	struct victim *victim = arg;

	must(resch_register_self(dev, &victim->reg));
	must(resch_wait(dev, NULL));
	victim->ready = 1;
	while (!victim->stop)
		victim->spins++;
	check_is(stat_of(0).job, 1);
	must(resch_wait(dev, NULL));
	check_is(stat_of(0).job, 2);
	must(resch_unregister(dev, 0));
	return 0;
}

static int victim_blocks(void *arg)
{
	struct victim *victim = arg;
	char byte;

	must(resch_register_self(dev, &victim->reg));
	must(resch_wait(dev, NULL));
	victim->ready = 1;
	while (read(ends[0], &byte, 1) != 1)
		;
	check_is(stat_of(0).job, 1);
	must(resch_unregister(dev, 0));
	return 0;
}

static int victim_sleeps(void *arg)
{
	struct victim *mine = arg;

	must(resch_register_self(dev, &mine->reg));
	for (;;)
		sleep_ms(1000);
	return 0;
}

static struct victim *victim;

static pid_t victim_start(int (*body)(void *arg), struct resch_register reg)
{
	pid_t pid;

	if (!victim)
		victim = shared(sizeof(*victim));
	memset(victim, 0, sizeof(*victim));
	victim->reg = reg;
	must_libc(pipe(ends));
	pid = child(body, victim);
	await(victim->reg.id);
	return pid;
}

static struct task lesser = { .number = 9 };

/* A task that runs whenever the victim doesn't. */
static void lesser_start(void)
{
	lesser.reg = periodic(100 * SEC, SEC);
	task_start(&lesser, body_counts);
}

static void lesser_runs(void)
{
	int step = lesser.step;

	await(lesser.step != step);
}

static void stop(pid_t pid)
{
	kill(pid, SIGSTOP);
	await(proc_state(pid) == 'T');
}

TEST(stop_waiting, "a task that waits can be stopped; after SIGCONT it goes on where it was")
{
	pid_t pid;
	int job;

	use("edf");
	lesser_start();
	pid = victim_start(victim_waits, periodic(PERIOD, MS));
	await(victim->job >= 2);
	stop(pid);
	job = victim->job;
	lesser_runs();
	sleep_ms(100);
	check_is(victim->job, job);
	kill(pid, SIGCONT);
	await(victim->job >= job + 3);
	victim->stop = 1;
	child_ok(pid);
	task_join(&lesser);
}

TEST(stop_running, "a task that runs can be stopped, others run meanwhile, and its job goes on")
{
	pid_t pid;
	int spins;

	use("edf");
	lesser_start();
	pid = victim_start(victim_spins, periodic(10 * SEC, SEC));
	await(victim->ready);
	stop(pid);
	await(state_of(victim->reg.id) == RESCH_STATE_BLOCKED);
	lesser_runs();
	spins = victim->spins;
	sleep_ms(50);
	check_is(victim->spins, spins);
	kill(pid, SIGCONT);
	await(victim->spins != spins);
	check_is(state_of(victim->reg.id), RESCH_STATE_SELECTED);
	/* its second job is far away: end it here */
	kill(pid, SIGKILL);
	child_wait(pid);
	task_join(&lesser);
}

TEST(stop_preempted, "a preempted task can be stopped and continued")
{
	struct task high = { .reg = periodic(5 * SEC, SEC) };
	pid_t pid;
	int spins;

	use("edf");
	pid = victim_start(victim_spins, periodic(20 * SEC, SEC));
	await(victim->ready);
	task_start(&high, body_spin);
	await(high.jobs == 1);
	kill(pid, SIGSTOP);
	sleep_ms(20);
	spins = victim->spins;
	sleep_ms(20);
	check_is(victim->spins, spins);
	task_join(&high);
	await(proc_state(pid) == 'T');
	check_is(victim->spins, spins);
	kill(pid, SIGCONT);
	await(victim->spins != spins);
	kill(pid, SIGKILL);
	child_wait(pid);
}

TEST(stop_blocked, "a blocked task can be stopped and continued")
{
	pid_t pid;

	use("edf");
	lesser_start();
	pid = victim_start(victim_blocks, periodic(20 * SEC, SEC));
	await(victim->ready && state_of(victim->reg.id) == RESCH_STATE_BLOCKED);
	stop(pid);
	lesser_runs();
	kill(pid, SIGCONT);
	await(state_of(victim->reg.id) == RESCH_STATE_BLOCKED && proc_state(pid) == 'S');
	must_libc(write(ends[1], "x", 1));
	child_ok(pid);
	task_join(&lesser);
}

/* ---- SIGKILL --------------------------------------------------------------------------------- */

static void killed(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	status = child_wait(pid);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "status %x", status);
	await(state_of(victim->reg.id) == RESCH_STATE_GONE);
}

TEST(kill_waiting, "a task that waits can be killed")
{
	pid_t pid;

	use("edf");
	pid = victim_start(victim_waits, periodic(SEC, MS));
	await(victim->job == 1 && state_of(victim->reg.id) == RESCH_STATE_SLEEPING);
	killed(pid);
	await(!tasks_registered());
}

TEST(kill_running, "a task that runs can be killed; the next one runs")
{
	pid_t pid;

	use("edf");
	lesser_start();
	pid = victim_start(victim_spins, periodic(10 * SEC, MS));
	await(victim->ready);
	killed(pid);
	lesser_runs();
	task_join(&lesser);
	await(!tasks_registered());
}

TEST(kill_preempted, "a preempted task can be killed while the other one runs")
{
	struct task high = { .reg = periodic(5 * SEC, SEC) };
	pid_t pid;

	use("edf");
	pid = victim_start(victim_spins, periodic(20 * SEC, SEC));
	await(victim->ready);
	task_start(&high, body_spin);
	await(high.jobs == 1);
	kill(pid, SIGKILL);
	sleep_ms(30);
	check_is(state_of(high.id), RESCH_STATE_SELECTED);
	task_join(&high);
	child_wait(pid);
	await(!tasks_registered());
}

TEST(kill_blocked, "a blocked task can be killed")
{
	pid_t pid;

	use("edf");
	pid = victim_start(victim_blocks, periodic(20 * SEC, SEC));
	await(victim->ready && state_of(victim->reg.id) == RESCH_STATE_BLOCKED);
	killed(pid);
	await(!tasks_registered());
}

TEST(kill_stopped, "a stopped task can be killed")
{
	pid_t pid;

	use("edf");
	pid = victim_start(victim_spins, periodic(20 * SEC, SEC));
	await(victim->ready);
	stop(pid);
	killed(pid);
}

TEST(kill_new, "a task that has never waited can be killed")
{
	pid_t pid;

	use("edf");
	pid = victim_start(victim_sleeps, periodic(20 * SEC, SEC));
	killed(pid);
}

/* ---- ptrace ---------------------------------------------------------------------------------- */

/* Takes the process, lets it go, a few times, at moments that fall where they fall. */
static void traced(pid_t pid)
{
	int i, status;

	for (i = 0; i < 6; i++) {
		must_libc(ptrace(PTRACE_SEIZE, pid, NULL, NULL));
		sleep_ms(7 * i);
		must_libc(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
		must_libc(waitpid(pid, &status, __WALL));
		check(WIFSTOPPED(status), "status %x of the traced process", status);
		sleep_ms(15);
		must_libc(ptrace(PTRACE_DETACH, pid, NULL, NULL));
		sleep_ms(5);
		must_libc(ptrace(PTRACE_ATTACH, pid, NULL, NULL));
		must_libc(waitpid(pid, &status, __WALL));
		check(WIFSTOPPED(status), "status %x of the traced process", status);
		/* let it do one system call */
		must_libc(ptrace(PTRACE_SYSCALL, pid, NULL, NULL));
		if (i & 1) {
			sleep_ms(10);
			kill(pid, SIGSTOP);
		}
		must_libc(waitpid(pid, &status, __WALL));
		check(WIFSTOPPED(status), "status %x of the traced process", status);
		must_libc(ptrace(PTRACE_DETACH, pid, NULL, NULL));
		kill(pid, SIGCONT);
		sleep_ms(5);
	}
}

TEST(trace_waiting, "a task that waits can be traced and let go; its jobs stay in step")
{
	pid_t pid;
	int job;

	use("edf");
	lesser_start();
	pid = victim_start(victim_waits, periodic(PERIOD, MS));
	await(victim->job >= 2);
	traced(pid);
	job = victim->job;
	await(victim->job >= job + 3);
	lesser_runs();
	victim->stop = 1;
	child_ok(pid);
	task_join(&lesser);
}

TEST(trace_running, "a task that runs can be traced and let go, others run while it is stopped")
{
	int status, spins;
	pid_t pid;

	use("edf");
	lesser_start();
	pid = victim_start(victim_spins, periodic(20 * SEC, SEC));
	await(victim->ready);
	must_libc(ptrace(PTRACE_SEIZE, pid, NULL, NULL));
	must_libc(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL));
	must_libc(waitpid(pid, &status, __WALL));
	lesser_runs();
	spins = victim->spins;
	must_libc(ptrace(PTRACE_DETACH, pid, NULL, NULL));
	await(victim->spins != spins);
	check_is(stat_of(victim->reg.id).job, 1);
	kill(pid, SIGKILL);
	child_wait(pid);
	task_join(&lesser);
}
