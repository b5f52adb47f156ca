// SPDX-License-Identifier: GPL-2.0
/*
 * restore.c - a thread gets back what it had: policy, priority, nice value, slice, slack,
 * reset-on-fork, affinity
 */
#include "lib.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "thread-attr.h"

struct initial {
	const char *what;
	uint32_t policy;
	uint32_t priority;
	int32_t nice;
	uint64_t flags;
	const char *cpus;
};

static const struct initial initials[] = {
	{ "an ordinary thread", SCHED_OTHER, 0, 0, 0, "0,1" },
	{ "a nice thread on CPU 0", SCHED_OTHER, 0, 7, 0, "0" },
	{ "an important thread", SCHED_OTHER, 0, -5, 0, "0,1" },
	{ "a batch thread on CPU 1", SCHED_BATCH, 0, 3, 0, "1" },
	{ "an idle thread", SCHED_IDLE, 0, 0, 0, "0,1" },
	{ "a round-robin thread", SCHED_RR, 10, 0, 0, "0,1" },
	{ "a fifo thread on CPU 0", SCHED_FIFO, 50, 0, 0, "0" },
	{ "a fifo thread that resets on fork", SCHED_FIFO, 1, 0, FLAG_RESET_ON_FORK, "0,1" },
	{ "an ordinary thread that resets on fork", SCHED_OTHER, 0, 2, FLAG_RESET_ON_FORK, "1" },
};
#define INITIALS (sizeof(initials) / sizeof(initials[0]))

/* Becomes that, is registered and has a job, and is what it was again after the end. */
static void restored(void (*end)(struct resch_register *reg, int fd))
{
	unsigned int i;

	use("edf");
	for (i = 0; i < INITIALS; i++) {
		const struct initial *initial = &initials[i];
		struct resch_register reg = i & 1 ? wakeup(50 * MS, 40 * MS) :
						    periodic(20 * MS, MS);
		struct attributes before;
		int fd = resch_open();

		must(attributes_set(0, SCHED_OTHER, 0, initial->nice, 0));
		must(attributes_set(0, initial->policy, initial->priority, initial->nice,
				    initial->flags));
		pin(0, initial->cpus);
		before = attributes_of(0);
		must(resch_register_self(fd, &reg));
		if (i & 1) {
			sleep_ms(2);
		} else {
			must(resch_wait(fd, NULL));
			must(resch_wait(fd, NULL));
		}
		check_is(attributes_of(0).policy, SCHED_FIFO);
		check_is(sched_getcpu(), CPU);
		end(&reg, fd);
		close(fd);
		attributes_await(0, &before, initial->what);
		check_is(tasks_registered(), 0);
	}
}

static void end_unregister(struct resch_register *reg, int fd)
{
	must(resch_unregister(fd, reg->id));
}

TEST(unregister, "after RESCH_IOC_UNREGISTER")
{
	restored(end_unregister);
}

static void end_close(struct resch_register *reg, int fd)
{
	(void)reg;
	(void)fd;
}

TEST(closed, "after close()")
{
	restored(end_close);
}

struct other {
	uint32_t id;
	int fd;
};

static void *unregister_other(void *arg)
{
	struct other *other = arg;

	pin(0, "0");
	must(resch_unregister(other->fd, other->id));
	return NULL;
}

static void end_elsewhere(struct resch_register *reg, int fd)
{
	struct other other = { reg->id, fd };
	pthread_t thread;

	must_libc(pthread_create(&thread, NULL, unregister_other, &other));
	pthread_join(thread, NULL);
}

TEST(elsewhere, "after another thread's RESCH_IOC_UNREGISTER")
{
	restored(end_elsewhere);
}

/* What sched_getattr() says of the slice, from 6.12 on; 0: nothing. */
static uint64_t slice_of_self(void)
{
	struct thread_attr attr;

	must_libc(thread_attr_get(0, &attr));
	return attr.runtime;
}

static void slices_check(const char *who, uint64_t slice, uint64_t slack)
{
	check(slice_of_self() == slice, "%s has a slice of %llu ns, not %llu", who,
	      (unsigned long long)slice_of_self(), (unsigned long long)slice);
	check(prctl(PR_GET_TIMERSLACK) == (long)slack, "%s has a slack of %d ns, not %llu", who,
	      prctl(PR_GET_TIMERSLACK), (unsigned long long)slack);
}

static int body_slices(void *arg)
{
	const uint64_t *wanted = arg;

	slices_check("a child", wanted[0], wanted[1]);
	/* And what fork has made of it, which is what PR_SET_TIMERSLACK 0 goes back to. */
	must_libc(prctl(PR_SET_TIMERSLACK, 0));
	slices_check("a child that asks for its first", wanted[0], wanted[1]);
	return 0;
}

/* A slice and a slack of its own, registered and given back; and what its child has. */
static void slices(uint64_t slice, uint64_t slack)
{
	struct thread_attr attr = { .policy = SCHED_OTHER, .runtime = slice };
	struct resch_register reg = periodic(20 * MS, MS);
	uint64_t wanted[2];

	must_libc(thread_attr_set(0, &attr));
	must_libc(prctl(PR_SET_TIMERSLACK, slack));
	wanted[0] = slice_of_self();
	wanted[1] = prctl(PR_GET_TIMERSLACK);
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	child_ok(child(body_slices, wanted));
	must(resch_unregister(dev, 0));
	slices_check("the thread", wanted[0], wanted[1]);
	child_ok(child(body_slices, wanted));
}

TEST(slices, "the length of its slices, and the slack of its timers")
{
	use("edf");
	slices(0, 0);
	slices(3 * MS, 1000);
	slices(0, 1);
}

TEST(never_waited, "a task that never waited has lost nothing meanwhile")
{
	struct resch_register reg = periodic(20 * MS, MS);
	struct attributes before;

	use("edf");
	must(attributes_set(0, SCHED_RR, 10, 0, 0));
	before = attributes_of(0);
	must(resch_register_self(dev, &reg));
	attributes_check(0, &before, "the new task");
	must(resch_unregister(dev, 0));
	attributes_check(0, &before, "the thread");
}

/* ---- outsiders ------------------------------------------------------------------------------- */

static atomic_int where;

static void body_tells_where(struct task *task)
{
	while (!task->stop) {
		task_wait(task);
		where = sched_getcpu();
		spin(MS);
		where = sched_getcpu();
	}
}

TEST(moved, "an outsider who moves a task to another CPU does not get far")
{
	struct task task = { .reg = periodic(20 * MS, MS) };
	uint64_t jobs;

	use("edf");
	task_start(&task, body_tells_where);
	await(task.jobs >= 2);
	pin(task.tid, "0");
	jobs = task.jobs;
	await(task.jobs >= jobs + 4);
	check_is(where, CPU);
	jobs = task.jobs;
	await(task.jobs >= jobs + 3);
	check_is(where, CPU);
	task_join(&task);
}

TEST(moved_running, "nor one who moves it while it runs")
{
	struct task task = { .reg = periodic(20 * SEC, MS) };
	cpu_set_t set;

	use("edf");
	task_start(&task, body_spin);
	await(task.jobs == 1);
	pin(task.tid, "0");
	/* it shares CPU 0 with the test now, which gets little of it before it is moved back */
	await(!sched_getaffinity(task.tid, sizeof(set), &set) && CPU_COUNT(&set) == 1 &&
	      CPU_ISSET(CPU, &set));
	check(stat_of(task.id).migrations >= 1, "the move is not counted");
	task_join(&task);
}

static void body_until_cancelled(struct task *task)
{
	do
		task->result = resch_wait(dev, &task->job);
	while (!task->result && ++task->jobs);
	task->unregistered_end = true;
	task->step = 1;
	spin_until(&task->stop);
}

TEST(changed, "a policy that an outsider has set meanwhile stands after the end")
{
	struct task task = { .reg = periodic(20 * MS, MS) };

	use("edf");
	task_start(&task, body_until_cancelled);
	await(task.jobs >= 2);
	must(attributes_set(task.tid, SCHED_OTHER, 0, 11, 0));
	await(task.jobs >= 4);
	must(resch_unregister(dev, task.id));
	await(task.step);
	check_is(attributes_of(task.tid).policy, SCHED_OTHER);
	check_is(attributes_of(task.tid).nice, 11);
	task_join(&task);
}

TEST(nice_of_fifo, "a real-time thread keeps the nice value that it will have later")
{
	struct resch_register reg = periodic(300 * MS, 10 * MS);
	struct resch_event event;

	use("edf");
	must(attributes_set(0, SCHED_OTHER, 0, 9, 0));
	must(attributes_set(0, SCHED_RR, 10, 0, 0));
	check_is(getpriority(PRIO_PROCESS, 0), 9);
	reg.params.overrun = RESCH_DEMOTE;
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	/* demoted to an ordinary thread for a while */
	spin(40 * MS);
	check_is(resch_event_read(dev, &event, 1), 1);
	await(attributes_of(0).policy == SCHED_OTHER);
	must(resch_wait(dev, NULL));
	must(resch_unregister(dev, 0));
	check_is(attributes_of(0).policy, SCHED_RR);
	check_is(getpriority(PRIO_PROCESS, 0), 9);
}

TEST(again, "the same thread, twenty times")
{
	struct attributes before;
	int i;

	use("edf");
	must(attributes_set(0, SCHED_RR, 5, 0, FLAG_RESET_ON_FORK));
	pin(0, "0,1");
	before = attributes_of(0);
	for (i = 0; i < 20; i++) {
		struct resch_register reg = wakeup(50 * MS, 40 * MS);

		must(resch_register_self(dev, &reg));
		must(resch_unregister(dev, 0));
		attributes_check(0, &before, "the thread");
	}
}
