// SPDX-License-Identifier: GPL-2.0
/* forkexec.c - what becomes of a registration at fork, exec and exit */
#include "lib.h"

#include <spawn.h>

extern char **environ;

struct seen {
	struct attributes attributes;
	int registered;
	int waits;
	atomic_int done;
};

static struct seen *seen;

/* In a child, or a new thread: what am I? */
static void look(struct seen *into)
{
	struct resch_task_stat stat;

	into->attributes = attributes_of(0);
	into->registered = resch_task_stat(dev, 0, &stat) != -ENOENT;
	into->waits = resch_wait(dev, NULL);
	into->done = 1;
}

static void check_seen(const struct seen *child, const struct attributes *wanted, const char *who)
{
	check(!child->registered, "%s is registered", who);
	check_is(child->waits, -ENOENT);
	check(!memcmp(&child->attributes, wanted, sizeof(*wanted)),
	      "%s has policy %u priority %u nice %d flags %llu, CPUs %lx; the parent had %u %u %d %llu, %lx",
	      who, child->attributes.policy, child->attributes.priority, child->attributes.nice,
	      (unsigned long long)child->attributes.flags, child->attributes.cpus.__bits[0],
	      wanted->policy, wanted->priority, wanted->nice, (unsigned long long)wanted->flags,
	      wanted->cpus.__bits[0]);
}

static int child_looks(void *arg)
{
	look(arg);
	return 0;
}

static void *thread_looks(void *arg)
{
	look(arg);
	return NULL;
}

/* Registered, in a job: have children of both sorts, several. */
static void family(struct resch_register reg, const struct attributes *wanted)
{
	pthread_t thread;
	pid_t pid;
	int i;

	seen = shared(8 * sizeof(*seen));
	must(resch_register_self(dev, &reg));
	if (reg.params.kind == RESCH_PERIODIC)
		must(resch_wait(dev, NULL));
	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			_exit(child_looks(&seen[i]));
		child_ok(pid);
	}
	for (i = 3; i < 6; i++) {
		must_libc(pthread_create(&thread, NULL, thread_looks, &seen[i]));
		pthread_join(thread, NULL);
	}
	must(resch_unregister(dev, 0));
	for (i = 0; i < 6; i++)
		check_seen(&seen[i], wanted, i < 3 ? "the child" : "the new thread");
	attributes_check(0, wanted, "the parent");
	check_is(tasks_registered(), 0);
}

TEST(ordinary, "children of a task are what it was before: an ordinary thread")
{
	struct attributes before;

	use("edf");
	pin(0, "0,1");
	attributes_set(0, SCHED_OTHER, 0, 3, 0);
	before = attributes_of(0);
	family(periodic(200 * MS, MS), &before);
}

TEST(real_time, "children of a task are what it was before: a real-time thread")
{
	struct attributes before;

	use("edf");
	pin(0, "0");
	attributes_set(0, SCHED_RR, 7, 0, 0);
	before = attributes_of(0);
	family(periodic(200 * MS, MS), &before);
}

TEST(of_wakeup, "children of a RESCH_WAKEUP task are what it was before, too")
{
	struct attributes before;

	use("edf");
	pin(0, "0,1");
	before = attributes_of(0);
	family(wakeup(200 * MS, 100 * MS), &before);
}

TEST(reset, "children of a task with reset-on-fork are reset")
{
	struct attributes wanted;
	struct resch_register reg = periodic(200 * MS, MS);
	pid_t pid;

	use("edf");
	seen = shared(sizeof(*seen));
	attributes_set(0, SCHED_FIFO, 5, 0, FLAG_RESET_ON_FORK);
	wanted = attributes_of(0);
	wanted.policy = SCHED_OTHER;
	wanted.priority = 0;
	wanted.flags = 0;
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	pid = fork();
	if (!pid)
		_exit(child_looks(seen));
	child_ok(pid);
	check_seen(seen, &wanted, "the child");
	must(resch_unregister(dev, 0));
	check_is(attributes_of(0).policy, SCHED_FIFO);
	check_is(attributes_of(0).flags, FLAG_RESET_ON_FORK);
}

TEST(before_wait, "children of a task that has not waited yet are what it is")
{
	struct resch_register reg = periodic(200 * MS, MS);
	struct attributes before = attributes_of(0);
	pid_t pid;

	use("edf");
	seen = shared(sizeof(*seen));
	must(resch_register_self(dev, &reg));
	pid = fork();
	if (!pid)
		_exit(child_looks(seen));
	child_ok(pid);
	check_seen(seen, &before, "the child");
	must(resch_unregister(dev, 0));
}

TEST(child_registers, "a child may register itself through the inherited descriptor")
{
	struct resch_register reg = periodic(100 * MS, MS);
	pid_t pid;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	pid = fork();
	if (!pid) {
		struct resch_register mine = periodic(50 * MS, MS);

		must(resch_register_self(dev, &mine));
		must(resch_wait(dev, NULL));
		must(resch_wait(dev, NULL));
		must(resch_unregister(dev, mine.id));
		_exit(0);
	}
	child_ok(pid);
	must(resch_wait(dev, NULL));
	must(resch_unregister(dev, 0));
}

/* ---- exec ------------------------------------------------------------------------------------ */

static struct resch_event gone(uint32_t id, uint64_t why)
{
	struct resch_event event = event_await(RESCH_EVENT_GONE, id);

	check_is(event.value, why);
	return event;
}

struct execs {
	struct resch_register reg;
	struct attributes before;
};

static int exec_sleep(void *arg)
{
	struct execs *execs = arg;

	execs->before = attributes_of(0);
	must(resch_register_self(dev, &execs->reg));
	if (execs->reg.params.kind == RESCH_PERIODIC)
		must(resch_wait(dev, NULL));
	execl("/bin/sleep", "sleep", "100", NULL);
	return 1;
}

static bool is_sleep(pid_t pid)
{
	char path[64], name[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return file_read(path, name, sizeof(name)) && !strcmp(name, "sleep\n");
}

TEST(exec_ends, "execve() ends the registration: the program is what the thread was before")
{
	struct execs *execs = shared(sizeof(*execs));
	pid_t pid;

	use("edf");
	execs->reg = periodic(200 * MS, MS);
	pid = child(exec_sleep, execs);
	await(is_sleep(pid));
	await(state_of(execs->reg.id) == RESCH_STATE_GONE);
	attributes_await(pid, &execs->before, "the program");
	gone(execs->reg.id, RESCH_GONE_EXEC);
	await(!tasks_registered());
	kill(pid, SIGKILL);
	child_wait(pid);
}

TEST(exec_wakeup, "a RESCH_WAKEUP task survives execve() while its descriptor is open elsewhere")
{
	struct execs *execs = shared(sizeof(*execs));
	pid_t pid;

	use("edf");
	execs->reg = wakeup(200 * MS, 100 * MS);
	pid = child(exec_sleep, execs);
	await(is_sleep(pid) && state_of(execs->reg.id) == RESCH_STATE_SLEEPING);
	check_is(stat_of(execs->reg.id).pid, pid);
	check_is(attributes_of(pid).policy, SCHED_FIFO);
	must(resch_unregister(dev, execs->reg.id));
	attributes_await(pid, &execs->before, "the program");
	kill(pid, SIGKILL);
	child_wait(pid);
}

static int exec_alone(void *arg)
{
	struct execs *execs = arg;

	/* its own descriptor, which execve() closes */
	close(dev);
	dev = must(resch_open());
	return exec_sleep(execs);
}

TEST(exec_alone,
     "a RESCH_WAKEUP task whose last descriptor execve() closes is an ordinary thread again")
{
	struct execs *execs = shared(sizeof(*execs));
	pid_t pid;

	use("edf");
	execs->reg = wakeup(200 * MS, 100 * MS);
	pid = child(exec_alone, execs);
	await(is_sleep(pid) && state_of(execs->reg.id) == RESCH_STATE_GONE);
	attributes_await(pid, &execs->before, "the program");
	kill(pid, SIGKILL);
	child_wait(pid);
}

static struct execs *others;

static void body_execs(struct task *task)
{
	others->before = attributes_of(0);
	task_wait(task);
	execl("/bin/sleep", "sleep", "100", NULL);
}

static int exec_from_thread(void *arg)
{
	static struct task tasks[3];
	int i;

	(void)arg;
	for (i = 0; i < 2; i++) {
		tasks[i].reg = periodic((i + 2) * 20 * MS, MS);
		task_start(&tasks[i], body_idle);
		await(tasks[i].jobs >= 1);
	}
	tasks[2].reg = periodic(200 * MS, MS);
	task_start(&tasks[2], body_execs);
	for (;;)
		sleep_ms(1000);
	return 0;
}

TEST(exec_threads, "execve() by one of many tasks of a process ends them all")
{
	pid_t pid;

	use("edf");
	others = shared(sizeof(*others));
	pid = child(exec_from_thread, NULL);
	await(is_sleep(pid));
	await(!tasks_registered());
	attributes_await(pid, &others->before, "the program");
	kill(pid, SIGKILL);
	child_wait(pid);
}

TEST(exec_fails, "an execve() that fails ends nothing")
{
	struct resch_register reg = periodic(100 * MS, MS);

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	check_is(execl("/no/such/program", "x", NULL), -1);
	check_is(stat_of(0).id, reg.id);
	must(resch_wait(dev, NULL));
	must(resch_unregister(dev, 0));
}

TEST(spawn, "a task may spawn programs, which are what it was before")
{
	struct resch_register reg = periodic(200 * MS, MS);
	struct attributes before = attributes_of(0);
	char *argv[] = { "sleep", "100", NULL };
	pid_t pid;

	use("edf");
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	check_is(posix_spawn(&pid, "/bin/sleep", NULL, NULL, argv, environ), 0);
	must(resch_unregister(dev, 0));
	await(is_sleep(pid));
	attributes_check(pid, &before, "the program");
	kill(pid, SIGKILL);
	child_wait(pid);
}

/* ---- exit ------------------------------------------------------------------------------------ */

static void body_leaves(struct task *task)
{
	task_wait(task);
	task->unregistered_end = true; /* without a word */
}

TEST(exit_thread, "a thread that exits is no task any more")
{
	struct task task = { .reg = periodic(50 * MS, MS) };

	use("edf");
	task_start(&task, body_leaves);
	task_join(&task);
	gone(task.id, RESCH_GONE_EXIT);
	await(!tasks_registered());
}

static int leaves(void *arg)
{
	struct execs *execs = arg;

	must(resch_register_self(dev, &execs->reg));
	must(resch_wait(dev, NULL));
	return 0;
}

TEST(exit_process, "a process that exits without unregistering leaves nothing")
{
	struct execs *execs = shared(sizeof(*execs));

	use("edf");
	execs->reg = periodic(50 * MS, MS);
	child_ok(child(leaves, execs));
	gone(execs->reg.id, RESCH_GONE_EXIT);
	await(!tasks_registered());
}

static int leaves_threads(void *arg)
{
	static struct task tasks[4];
	int i;

	(void)arg;
	for (i = 0; i < 4; i++) {
		/* The endless job is due after all others: they go on. */
		tasks[i].reg = periodic(i == 3 ? 600 * SEC : (i + 1) * 20 * MS, MS);
		task_start(&tasks[i], i == 3 ? body_spin : body_idle);
	}
	await(tasks[0].jobs >= 2);
	return 0;
}

TEST(exit_threads, "a process with many tasks may exit in the middle of it")
{
	use("edf");
	child_ok(child(leaves_threads, NULL));
	await(!tasks_registered());
}
