// SPDX-License-Identifier: GPL-2.0
/* descriptor.c - the open file description owns the registration */
#include "lib.h"

static struct attributes before;

/* Registers itself through task->number, which is a descriptor; its wait's result. */
static void *waits(void *arg)
{
	struct task *task = arg;
	int err;

	task->tid = gettid();
	must(resch_register_self(task->number, &task->reg));
	must(resch_wait(task->number, NULL));
	task->step = 1;
	do
		err = resch_wait(task->number, NULL);
	while (!err || err == -EINTR);
	task->result = err;
	task->ended = 1;
	while (!task->stop)
		sleep_ms(2);
	return NULL;
}

static void start(struct task *task)
{
	before = attributes_of(0);
	must_libc(pthread_create(&task->thread, NULL, waits, task));
	await(task->step == 1);
}

static void end(struct task *task)
{
	attributes_await(task->tid, &before, "the thread");
	task->stop = 1;
	pthread_join(task->thread, NULL);
}

TEST(closed, "close() by another thread ends the registration when the call under way returns")
{
	struct task task = { .reg = periodic(50 * MS, MS), .number = resch_open() };

	use("edf");
	start(&task);
	check_is(tasks_registered(), 1);
	close(task.number);
	await(task.ended);
	check(task.result == -EBADF || task.result == -ECANCELED || task.result == -ENOENT,
	      "the wait ended with %s", errno_name(task.result));
	await(!tasks_registered());
	end(&task);
}

TEST(duplicate, "the registration lives as long as a duplicate of the descriptor")
{
	struct task task = { .reg = periodic(50 * MS, MS), .number = resch_open() };
	int first = dup(task.number), second = dup(task.number), jobs;

	use("edf");
	start(&task);
	close(first);
	jobs = stat_of(task.reg.id).job;
	await(stat_of(task.reg.id).job > (unsigned int)jobs + 1);
	/* the thread waits through its own number, which is gone now */
	close(task.number);
	await(task.ended);
	check_is(tasks_registered(), 1);
	check_is(attributes_of(task.tid).policy, SCHED_FIFO);
	must(resch_unregister(second, task.reg.id));
	check_is(tasks_registered(), 0);
	end(&task);
	close(second);
}

TEST(last_duplicate, "closing the last duplicate ends the registration")
{
	struct task task = { .reg = periodic(50 * MS, MS), .number = resch_open() };
	int second = dup(task.number);

	use("edf");
	start(&task);
	close(task.number);
	await(task.ended);
	check_is(tasks_registered(), 1);
	close(second);
	await(!tasks_registered());
	end(&task);
}

static int holds(void *arg)
{
	atomic_int *go = arg;

	while (!*go)
		sleep_ms(2);
	return 0;
}

TEST(inherited, "a child that has inherited the descriptor keeps the registration alive")
{
	struct task task = { .reg = periodic(50 * MS, MS), .number = resch_open() };
	atomic_int *go = shared(sizeof(*go));
	pid_t pid;

	use("edf");
	start(&task);
	pid = child(holds, go);
	close(task.number);
	await(task.ended);
	sleep_ms(20);
	check_is(tasks_registered(), 1);
	*go = 1;
	child_ok(pid);
	await(!tasks_registered());
	end(&task);
}

static int ends_it(void *arg)
{
	struct task *task = arg;

	return resch_unregister(task->number, task->reg.id) ? 1 : 0;
}

TEST(inherited_right, "a child may end the registration through the inherited descriptor")
{
	struct task task = { .reg = periodic(50 * MS, MS), .number = resch_open() };

	use("edf");
	start(&task);
	child_ok(child(ends_it, &task));
	await(task.ended);
	check(task.result == -ECANCELED || task.result == -ENOENT, "the wait ended with %s",
	      errno_name(task.result));
	check_is(tasks_registered(), 0);
	end(&task);
	close(task.number);
}

TEST(own_close,
     "a thread that closes its descriptor in a job is an ordinary thread when close() returns")
{
	struct resch_register reg = periodic(50 * MS, MS);
	int other = resch_open();

	use("edf");
	before = attributes_of(0);
	must(resch_register_self(other, &reg));
	must(resch_wait(other, NULL));
	close(other);
	attributes_check(0, &before, "the thread");
	check_is(tasks_registered(), 0);
	refused(resch_wait(dev, NULL), ENOENT);
}

TEST(any_descriptor, "a task may wait through any descriptor of the device")
{
	struct resch_register reg = periodic(50 * MS, MS);
	struct resch_wait job;
	int other = resch_open();

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(other, &job));
	must(resch_wait(dev, &job));
	check_is(job.job, 2);
	close(other);
	must(resch_wait(dev, &job));
	check_is(job.job, 3);
	must(resch_unregister(dev, 0));
}

TEST(many_tasks, "closing ends all tasks of the descriptor, in whatever state, and no others")
{
	struct task tasks[4], other = { .reg = periodic(70 * MS, MS) };
	int fd = resch_open(), i;

	use("edf");
	task_start(&other, body_idle);
	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 4; i++) {
		tasks[i].reg = i == 1 ? sporadic(50 * MS, MS) : periodic((i + 1) * 30 * MS, MS);
		tasks[i].number = fd;
	}
	must(resch_register_self(fd, &tasks[0].reg)); /* new */
	for (i = 2; i < 4; i++)
		start(&tasks[i]);
	must_libc(pthread_create(&tasks[1].thread, NULL, waits, &tasks[1]));
	await(tasks_registered() == 5 && __atomic_load_n(&tasks[1].reg.id, __ATOMIC_ACQUIRE));
	/* the sporadic one holds the descriptor in its call */
	must(resch_release(fd, tasks[1].reg.id));
	await(tasks[1].step == 1);
	must(resch_unregister(fd, tasks[1].reg.id));
	close(fd);
	await(tasks_registered() == 1);
	check_is(state_of(other.id) != RESCH_STATE_GONE, 1);
	for (i = 1; i < 4; i++)
		end(&tasks[i]);
	task_join(&other);
}
