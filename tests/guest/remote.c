// SPDX-License-Identifier: GPL-2.0
/* remote.c - registering other threads, by thread id and start time */
#include <dirent.h>
#include <linux/io_uring.h>

#include "lib.h"

static uint32_t domain;

/* The other program, and what it is registered as. */
static pid_t pid;
static struct resch_register reg;
static struct attributes before;

static void begin(void)
{
	domain = use("edf");
	if (!(info().features & RESCH_FEATURE_REMOTE))
		skip("this kernel has no task_work_add");
}

static atomic_int *turns;
static int ends[2];

/* These are other programs: they have no descriptor of ours. */
static int loops(void *arg)
{
	(void)arg;
	close(dev);
	for (;;) {
		sleep_ms(5);
		(*turns)++;
	}
	return 0;
}

static int computes(void *arg)
{
	(void)arg;
	close(dev);
	for (;;)
		(*turns)++;
	return 0;
}

static int reads(void *arg)
{
	char byte;

	(void)arg;
	close(dev);
	while (read(ends[0], &byte, 1) == 1)
		(*turns)++;
	return 0;
}

static void start(int (*body)(void *arg))
{
	begin();
	turns = shared(sizeof(*turns));
	must_libc(pipe(ends));
	pid = child(body, NULL);
	if (body != reads)
		await(*turns > 0);
	else
		await(proc_state(pid) == 'S');
	before = attributes_of(pid);
	reg = wakeup(50 * MS, 20 * MS);
}

static void end(void)
{
	attributes_await(pid, &before, "the thread");
	kill(pid, SIGKILL);
	child_wait(pid);
}

/* The thread of this process that the kernel runs for an io_uring, or 0. */
static pid_t ring_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	char path[320], name[32];
	struct dirent *entry;
	pid_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		if (file_read(path, name, sizeof(name)) && !strncmp(name, "iou-", 4))
			found = atoi(entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

TEST(ring, "a thread that the kernel runs in a process can't be registered")
{
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL, .sq_thread_idle = 60000 };
	int fd;

	begin();
	fd = syscall(SYS_io_uring_setup, 4, &params);
	if (fd < 0)
		skip("io_uring_setup: %s", strerror(errno));
	await(ring_thread());
	reg = wakeup(50 * MS, 20 * MS);
	refused(resch_register_thread(dev, ring_thread(), &reg), EPERM);
	check_is(tasks_registered(), 0);
	close(fd);
}

TEST(looping, "a thread that sleeps now and then can be registered")
{
	start(loops);
	must(resch_register_thread(dev, pid, &reg));
	check_is(reg.cpu, CPU);
	await(stat_of(reg.id).completed >= 5);
	check_is(stat_of(reg.id).pid, pid);
	must(resch_unregister(dev, reg.id));
	end();
}

TEST(computing, "a thread that only computes can be registered, preempted, and let go")
{
	struct task high = { .reg = periodic(20 * MS, MS) };
	int count;

	start(computes);
	reg = wakeup(10 * SEC, SEC);
	must(resch_register_thread(dev, pid, &reg));
	await(state_of(reg.id) == RESCH_STATE_SELECTED);
	task_start(&high, body_idle);
	await(high.jobs >= 5);
	count = *turns;
	await(*turns != count);
	task_join(&high);
	must(resch_unregister(dev, reg.id));
	end();
}

TEST(asleep, "a thread that sleeps for long comes under control when it wakes up")
{
	start(reads);
	must(resch_register_thread(dev, pid, &reg));
	sleep_ms(50);
	check_is(state_of(reg.id), RESCH_STATE_NEW);
	must_libc(write(ends[1], "x", 1));
	await(*turns == 1);
	await(state_of(reg.id) == RESCH_STATE_SLEEPING);
	check_is(attributes_of(pid).policy, SCHED_FIFO);
	must_libc(write(ends[1], "xx", 2));
	await(*turns == 3);
	check(stat_of(reg.id).completed >= 1, "it has no jobs");
	must(resch_unregister(dev, reg.id));
	end();
}

TEST(asleep_ended,
     "ending the registration of a thread that still sleeps leaves nothing behind in it")
{
	int i, err;

	start(reads);
	for (i = 0; i < 3; i++) {
		must(resch_register_thread(dev, pid, &reg));
		must(resch_unregister(dev, reg.id));
	}
	check_is(tasks_registered(), 0);
	/*
	 * The module may stay until the thread wakes up; if it goes, nothing may be left that calls
	 * it.
	 */
	must(resch_domain_del(dev, domain));
	close(dev);
	must(module_unload("resch-edf"));
	sleep_ms(50);
	err = module_unload("resch");
	check(!err || err == -EAGAIN || err == -EBUSY, "rmmod: %s", errno_name(err));
	must_libc(write(ends[1], "x", 1));
	await(*turns == 1);
	if (err)
		await(!module_unload("resch"));
	must(test_load());
	end();
}

TEST(asleep_killed, "a registered thread that still sleeps can be killed")
{
	start(reads);
	must(resch_register_thread(dev, pid, &reg));
	check_is(state_of(reg.id), RESCH_STATE_NEW);
	kill(pid, SIGKILL);
	child_wait(pid);
	await(state_of(reg.id) == RESCH_STATE_GONE);
}

TEST(descriptor, "closing the descriptor lets another process's thread go")
{
	int fd;

	start(loops);
	fd = must(resch_open());
	must(resch_register_thread(fd, pid, &reg));
	await(stat_of(reg.id).completed >= 3);
	close(fd);
	check_is(tasks_registered(), 0);
	end();
}

static void body_registered_later(struct task *mine)
{
	while (!mine->step)
		sleep_ms(1);
	body_idle(mine);
}

TEST(periodic_thread,
     "a thread of the same process may be registered for another one, which then waits")
{
	struct task task = { .number = 0 };

	begin();
	thread_start(&task, body_registered_later);
	task.reg = periodic(40 * MS, MS);
	must(resch_register_thread(dev, task.tid, &task.reg));
	task.id = task.reg.id;
	atomic_store(&task.step, 1);
	await(task.jobs >= 4);
	check_is(stat_of(task.id).pid, task.tid);
	task_join(&task);
}

TEST(reused, "a thread id that another thread has now is refused")
{
	uint64_t start_time;

	start(loops);
	must(resch_start_time(pid, &start_time));
	reg.pid = pid;
	reg.start_time = start_time + 1;
	refused(call(dev, RESCH_IOC_REGISTER, &reg), ESRCH);
	reg.start_time = start_time - 1;
	refused(call(dev, RESCH_IOC_REGISTER, &reg), ESRCH);
	check_is(tasks_registered(), 0);
	reg.start_time = start_time;
	must(call(dev, RESCH_IOC_REGISTER, &reg));
	must(resch_unregister(dev, reg.id));
	end();
}

TEST(dead, "a process that is dead, or dead and not waited for, is ESRCH")
{
	uint64_t start_time;

	start(loops);
	must(resch_start_time(pid, &start_time));
	kill(pid, SIGKILL);
	await(proc_state(pid) == 'Z');
	reg.pid = pid;
	reg.start_time = start_time;
	refused(call(dev, RESCH_IOC_REGISTER, &reg), ESRCH);
	child_wait(pid);
	refused(call(dev, RESCH_IOC_REGISTER, &reg), ESRCH);
	check_is(tasks_registered(), 0);
}
