// SPDX-License-Identifier: GPL-2.0
/* freezer.c - a control group with registered tasks is frozen and thawed */
#include "lib.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define ROOT "/run/resch-cgroup"
#define GROUP ROOT "/tasks"

static struct task *tasks;

static bool frozen(const char *how)
{
	char text[512];

	return file_read(GROUP "/cgroup.events", text, sizeof(text)) && strstr(text, how);
}

/* A process with tasks between jobs, in a job, behind it, in a delay. */
static int process(void *arg)
{
	int i;

	(void)arg;
	dev = resch_open();
	task_start(&tasks[0], body_idle);
	task_start(&tasks[1], body_idle);
	task_start(&tasks[2], body_spin);
	await(state_of(tasks[2].id) == RESCH_STATE_SELECTED ||
	      state_of(tasks[2].id) == RESCH_STATE_READY);
	task_start(&tasks[3], body_spin);
	atomic_store(&tasks[0].step, 1);
	while (!atomic_load(&tasks[0].stop))
		sleep_ms(5);
	for (i = 3; i >= 0; i--)
		atomic_store(&tasks[i].stop, 1);
	for (i = 3; i >= 0; i--)
		task_join(&tasks[i]);
	return 0;
}

TEST(freeze, "frozen tasks have no jobs, thawed ones go on")
{
	struct task outside = { .reg = periodic(50 * MS, 5 * MS) };
	uint32_t domain = use("edf");
	uint64_t jobs;
	char text[32];
	pid_t pid;
	int i;

	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		skip("no cgroup2 file system: %s", strerror(errno));
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		skip("no control group can be made: %s", strerror(errno));
	tasks = shared(4 * sizeof(*tasks));
	for (i = 0; i < 4; i++)
		tasks[i].number = i;
	tasks[0].reg = periodic(40 * MS, 4 * MS);
	tasks[1].reg = periodic(100 * SEC, 4 * MS);
	tasks[1].reg.params.offset = 50 * SEC;
	tasks[2].reg = periodic(200 * SEC, SEC);
	tasks[3].reg = periodic(300 * SEC, SEC);
	pid = child(process, NULL);
	await(atomic_load(&tasks[0].step) == 1);
	await(atomic_load(&tasks[0].jobs) >= 3);
	snprintf(text, sizeof(text), "%d", pid);
	check(file_write(GROUP "/cgroup.procs", text), "cgroup.procs: %s", strerror(errno));
	for (i = 0; i < 3; i++) {
		check(file_write(GROUP "/cgroup.freeze", "1"), "cgroup.freeze: %s",
		      strerror(errno));
		await(frozen("frozen 1"));
		jobs = atomic_load(&tasks[0].jobs);
		check_is(domain_stat(domain).tasks, 4);
		/* The CPU is free for others. */
		memset(&outside, 0, sizeof(outside));
		outside.reg = periodic(50 * MS, 5 * MS);
		task_start(&outside, body_idle);
		await(atomic_load(&outside.jobs) >= 3);
		task_join(&outside);
		check_is(atomic_load(&tasks[0].jobs), jobs);
		check(file_write(GROUP "/cgroup.freeze", "0"), "cgroup.freeze: %s",
		      strerror(errno));
		await(frozen("frozen 0"));
		await(atomic_load(&tasks[0].jobs) >= jobs + 3);
	}
	/* The one that waits still waits. */
	check_is(atomic_load(&tasks[1].jobs), 0);
	check_is(state_of(tasks[1].id), RESCH_STATE_SLEEPING);
	atomic_store(&tasks[0].stop, 1);
	await(atomic_load(&tasks[0].ended));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	await(!rmdir(GROUP));
	umount(ROOT);
}

TEST(kill, "a frozen process can be killed, and leaves no task")
{
	uint32_t domain = use("edf");
	char text[32];
	pid_t pid;
	int i;

	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		skip("no cgroup2 file system: %s", strerror(errno));
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		skip("no control group can be made: %s", strerror(errno));
	tasks = shared(4 * sizeof(*tasks));
	for (i = 0; i < 4; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((100 + i) * MS, MS);
	}
	pid = child(process, NULL);
	await(atomic_load(&tasks[0].step) == 1);
	snprintf(text, sizeof(text), "%d", pid);
	check(file_write(GROUP "/cgroup.procs", text), "cgroup.procs: %s", strerror(errno));
	check(file_write(GROUP "/cgroup.freeze", "1"), "cgroup.freeze: %s", strerror(errno));
	await(frozen("frozen 1"));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	await(domain_stat(domain).tasks == 0);
	await(!rmdir(GROUP));
	umount(ROOT);
}
