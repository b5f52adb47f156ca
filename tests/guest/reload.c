// SPDX-License-Identifier: GPL-2.0
/* reload.c - the modules are loaded and unloaded again and again */
#include "lib.h"

static void unload(void)
{
	must(module_unload("resch-edf"));
	/* The last references may be on their way out. */
	await(!module_unload("resch"));
	check(!module_loaded("resch"), "resch is still loaded");
	refused(resch_open(), ENOENT);
}

static void load(void)
{
	must(test_load());
	must(module_load("resch-edf", ""));
	dev = must(resch_open());
}

static void traffic(int number)
{
	struct task tasks[3];
	uint32_t domain = use("edf");
	int i;

	memset(tasks, 0, sizeof(tasks));
	for (i = 0; i < 3; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((20 + 10 * i) * MS, 2 * MS);
		task_start(&tasks[i], i == number % 3 ? body_spin : body_idle);
	}
	for (i = 0; i < 3; i++)
		await(atomic_load(&tasks[i].jobs) >= 1 ||
		      stat_of(tasks[i].id).state == RESCH_STATE_READY);
	refused(module_unload("resch"), EAGAIN);
	refused(module_unload("resch-edf"), EAGAIN);
	for (i = 0; i < 3; i++)
		atomic_store(&tasks[i].stop, 1);
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
	/* Every other time the domain is there still when the module goes. */
	if (number % 2) {
		must(resch_domain_del(dev, domain));
	} else {
		must(domain_swap(domain, "fifo", NULL));
	}
}

TEST(again, "load, run tasks, unload, four times")
{
	int i;

	for (i = 0; i < 4; i++) {
		must(module_load("resch-edf", ""));
		traffic(i);
		close(dev);
		unload();
		load();
	}
}

TEST(descriptor, "an open descriptor holds the module")
{
	int other = must(resch_open());

	close(dev);
	refused(module_unload("resch"), EAGAIN);
	close(other);
	must(module_unload("resch-edf"));
	await(!module_unload("resch"));
	load();
}

static int dying(void *arg)
{
	struct task *task = arg;

	dev = resch_open();
	task_start(task, body_spin);
	atomic_store(&task->step, 1);
	for (;;)
		pause();
	return 0;
}

TEST(killed, "unloaded the moment that a process with running tasks is gone")
{
	struct task *task = shared(sizeof(*task));
	int i;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		uint32_t domain = use("edf");

		memset(task, 0, sizeof(*task));
		task->reg = periodic(10 * MS, MS);
		pid = child(dying, task);
		await(atomic_load(&task->jobs) >= 1);
		kill(pid, SIGKILL);
		child_wait(pid);
		await(tasks_registered() == 0);
		must(resch_domain_del(dev, domain));
		close(dev);
		unload();
		load();
	}
}

/* System calls, now and then one before which it is moved. */
static int calls(void *arg)
{
	cpu_set_t both;
	int i;

	(void)arg;
	close(dev); /* it would hold the module */
	CPU_ZERO(&both);
	CPU_SET(0, &both);
	CPU_SET(CPU, &both);
	for (;;) {
		must_libc(sched_setaffinity(0, sizeof(both), &both));
		for (i = 0; i < 200; i++)
			syscall(SYS_getsid, 0);
	}
	return 0;
}

TEST(guarded,
     "unloaded under system calls, with a guard standing until the last moment, four times")
{
	pid_t callers[3];
	int i, j;

	for (i = 0; i < 3; i++)
		callers[i] = child(calls, NULL);
	for (i = 0; i < 4; i++) {
		guard_on("fifo", 0, &calls_none);
		sleep_ms(50);
		close(dev);
		module_unload("resch-edf"); /* of the case before; it need not be there */
		await(!module_unload("resch"));
		/* Nobody has been left asleep. */
		for (j = 0; j < 3; j++)
			await(proc_state(callers[j]) == 'R');
		load();
	}
}
