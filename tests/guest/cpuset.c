// SPDX-License-Identifier: GPL-2.0
/*
 * cpuset.c - what others make of the affinity of a registered thread, by cpusets or calls, is what
 * it has afterwards
 */
#include "family.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define ROOT "/run/resch-cpuset"
#define GROUP ROOT "/test-cpuset"

static void group_set(const char *path, const char *text)
{
	check(file_write(path, text), "%s: %s", path, strerror(errno));
}

static void group_make(const char *cpus)
{
	mkdir(ROOT, 0755);
	if (mount("cgroup2", ROOT, "cgroup2", 0, NULL) && errno != EBUSY)
		skip("no cgroup2 file system: %s", strerror(errno));
	if (!file_write(ROOT "/cgroup.subtree_control", "+cpuset"))
		skip("no cpusets: %s", strerror(errno));
	must_libc(mkdir(GROUP, 0755));
	group_set(GROUP "/cpuset.cpus", cpus);
}

static void group_enter(pid_t pid)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", pid);
	group_set(GROUP "/cgroup.procs", text);
}

static void group_end(void)
{
	await(!rmdir(GROUP));
	file_write(ROOT "/cgroup.subtree_control", "-cpuset");
	umount2(ROOT, MNT_DETACH);
}

/* What a registered process tells the case, and is told. */
struct tale {
	atomic_int rounds, where, fork, ended, child;
	uint32_t id;
};

static struct tale *tale;

/*
 * Registered on CPU 1, with CPUs 0 and 1 as its own affinity: says where it is, until it is
 * unregistered.
 */
static int body_tells(void *arg)
{
	struct resch_register reg = periodic(20 * MS, 10 * MS);
	pid_t pid;

	(void)arg;
	pin(0, "0,1");
	must(resch_register_self(dev, &reg));
	tale->id = reg.id;
	while (resch_wait(dev, NULL) != -ECANCELED) {
		if (tale->fork == 1) {
			tale->fork = 2;
			pid = fork();
			while (!pid)
				sleep_ms(5);
			tale->child = pid;
		}
		tale->where = sched_getcpu();
		tale->rounds++;
	}
	tale->ended = 1;
	for (;;)
		sleep_ms(5);
	return 0;
}

static pid_t tells(void)
{
	pid_t pid;

	use("edf");
	tale = shared(sizeof(*tale));
	pid = child(body_tells, NULL);
	await(tale->rounds >= 2);
	check_is(tale->where, CPU);
	return pid;
}

static void still_there(void)
{
	int rounds = tale->rounds;

	await(tale->rounds >= rounds + 4);
	check_is(tale->where, CPU);
}

static void tells_end(pid_t pid, int cpus)
{
	must(resch_unregister(dev, tale->id));
	await(tale->ended);
	await(cpus_of(pid) == cpus);
}

TEST(none, "with neither it is the affinity of before")
{
	tells_end(tells(), 3);
}

TEST(affinity,
     "an affinity that an outsider has given it is its own after the end, and that of its children")
{
	pid_t pid = tells();

	pin(pid, "0");
	still_there();
	tale->fork = 1;
	await(tale->child);
	await(cpus_of(tale->child) == 1);
	kill(tale->child, SIGKILL);
	tells_end(pid, 1);
}

TEST(moved, "a cpuset without its CPU that it is moved to holds after the end")
{
	pid_t pid = tells();

	group_make("0");
	group_enter(pid);
	still_there();
	tells_end(pid, 1);
	kill(pid, SIGKILL);
	child_wait(pid);
	group_end();
}

TEST(alone, "so does one of its CPU alone")
{
	pid_t pid = tells();

	group_make("1");
	group_enter(pid);
	still_there();
	tells_end(pid, 2);
	kill(pid, SIGKILL);
	child_wait(pid);
	group_end();
}

TEST(narrowed, "and one that shrinks meanwhile")
{
	pid_t pid = tells();

	group_make("0,1");
	group_enter(pid);
	still_there();
	group_set(GROUP "/cpuset.cpus", "0");
	still_there();
	tells_end(pid, 1);
	kill(pid, SIGKILL);
	child_wait(pid);
	group_end();
}

/* Makes children when told to. */
static int body_parent(void)
{
	int made = 0;

	told->ready = 1;
	for (;;) {
		if (made < told->count) {
			pid_t pid = fork();

			while (!pid)
				sleep_ms(5);
			told->pids[made++] = pid;
			told->alive = made;
		}
		sleep_ms(2);
	}
	return 0;
}

TEST(family, "children of a member are born into the cpuset of their parent")
{
	uint32_t domain = use("server"),
		 id = family_server(domain, 15 * MS, RESCH_SERVER_F_PERSIST, dev);
	pid_t pid;

	pin(0, "0,1");
	told = shared(sizeof(*told));
	pid = family_start(domain, id, body_parent);
	await(told->ready);
	group_make("0");
	group_enter(pid);
	told->count = 2;
	await(told->alive == 2);
	await(server_stat(domain, id).tasks == 3);
	family_unregister(dev);
	await(cpus_of(pid) == 1);
	await(cpus_of(told->pids[0]) == 1 && cpus_of(told->pids[1]) == 1);
	kill(pid, SIGKILL);
	child_wait(pid);
	kill(told->pids[0], SIGKILL);
	kill(told->pids[1], SIGKILL);
	group_end();
}
