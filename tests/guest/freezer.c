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

static void group_make(void)
{
	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		skip("no cgroup2 file system: %s", strerror(errno));
	if (mkdir(GROUP, 0755) && errno != EEXIST)
		skip("no control group can be made: %s", strerror(errno));
}

static void group_set(const char *file, const char *text)
{
	char path[80];

	snprintf(path, sizeof(path), GROUP "/%s", file);
	check(file_write(path, text), "%s: %s", file, strerror(errno));
}

static void group_enter(pid_t pid)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", pid);
	group_set("cgroup.procs", text);
}

static void group_freeze(bool freeze)
{
	group_set("cgroup.freeze", freeze ? "1" : "0");
	await(frozen(freeze ? "frozen 1" : "frozen 0"));
}

static void group_end(void)
{
	await(!rmdir(GROUP));
	umount(ROOT);
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
	pid_t pid;
	int i;

	group_make();
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
	group_enter(pid);
	for (i = 0; i < 3; i++) {
		group_freeze(true);
		jobs = atomic_load(&tasks[0].jobs);
		check_is(domain_stat(domain).tasks, 4);
		/* The CPU is free for others. */
		memset(&outside, 0, sizeof(outside));
		outside.reg = periodic(50 * MS, 5 * MS);
		task_start(&outside, body_idle);
		await(atomic_load(&outside.jobs) >= 3);
		task_join(&outside);
		check_is(atomic_load(&tasks[0].jobs), jobs);
		group_freeze(false);
		await(atomic_load(&tasks[0].jobs) >= jobs + 3);
	}
	/* The one that waits still waits: again, as it has left its wait to be frozen. */
	await(state_of(tasks[1].id) == RESCH_STATE_SLEEPING);
	check_is(atomic_load(&tasks[1].jobs), 0);
	atomic_store(&tasks[0].stop, 1);
	await(atomic_load(&tasks[0].ended));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	group_end();
}

TEST(kill, "a frozen process can be killed, and leaves no task")
{
	uint32_t domain = use("edf");
	pid_t pid;
	int i;

	group_make();
	tasks = shared(4 * sizeof(*tasks));
	for (i = 0; i < 4; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((100 + i) * MS, MS);
	}
	pid = child(process, NULL);
	await(atomic_load(&tasks[0].step) == 1);
	group_enter(pid);
	group_freeze(true);
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	await(domain_stat(domain).tasks == 0);
	group_end();
}
