// SPDX-License-Identifier: GPL-2.0
/* security.c - what privileges in a namespace, and privileges that were given up, are worth */
#include "lib.h"

#include <sys/prctl.h>

#define NOBODY 65534

/* Every request that changes something is refused; queries are answered. */
static int powerless(uint32_t other)
{
	struct resch_register reg = periodic(100 * MS, MS);
	struct resch_domain_set want = { .plugin = "fifo" };
	struct resch_server_set server = { .domain = 1 };
	struct resch_task_stat task;
	struct resch_info now;

	want.cpus.bits[0] = 1;
	refused(resch_register_self(dev, &reg), EPERM);
	refused(resch_unregister(dev, other), EPERM);
	refused(resch_release(dev, other), EPERM);
	refused(resch_start(dev, 1, 0), EPERM);
	refused(resch_domain_set(dev, &want), EPERM);
	refused(resch_domain_del(dev, 1), EPERM);
	refused(resch_server_set(dev, &server), EPERM);
	refused(resch_server_del(dev, 1, 1), EPERM);
	refused(resch_plugin_load(dev, "edf"), EPERM);
	refused(resch_guard_set(dev, 1, RESCH_GUARD_ON, NULL), EPERM);
	refused(resch_balance_set(dev, 1, 0), EPERM);
	must(resch_info(dev, &now));
	must(resch_task_stat(dev, other, &task));
	return task.pid;
}

static int in_user_namespace(void *arg)
{
	if (unshare(CLONE_NEWUSER)) {
		check(errno == EPERM || errno == ENOSPC || errno == EINVAL, "unshare: %s",
		      strerror(errno));
		return 77;
	}
	powerless((uint32_t)(long)arg);
	return 0;
}

TEST(user_namespace, "all capabilities of a user namespace are none here")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };
	int status;

	use("edf");
	task_start(&task, body_idle);
	status = child_wait(child(in_user_namespace, (void *)(long)task.id));
	check(WIFEXITED(status), "it died");
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
	if (WEXITSTATUS(status) == 77)
		skip("no user namespace can be made");
	check_is(WEXITSTATUS(status), 0);
}

struct pids {
	uint32_t other;
	pid_t other_pid;
	atomic_int id;
};

static int in_pid_namespace(void *arg)
{
	struct pids *pids = arg;
	struct resch_register reg = wakeup(100 * MS, MS);
	struct resch_task_stat stat;

	check_is(getpid(), 1);
	must(resch_task_stat(dev, pids->other, &stat));
	check_is(stat.pid, 0);
	/* A number of the world outside means nobody, or somebody else. */
	refused(resch_register_thread(dev, pids->other_pid, &reg), ESRCH);
	must(resch_register_self(dev, &reg));
	must(resch_task_stat(dev, reg.id, &stat));
	check_is(stat.pid, 1);
	must(resch_unregister(dev, reg.id));
	return 0;
}

static int makes_pid_namespace(void *arg)
{
	if (unshare(CLONE_NEWPID))
		return 77;
	child_ok(child(in_pid_namespace, arg));
	return 0;
}

TEST(pid_namespace, "in a pid namespace threads outside have no number, and can't be named")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };
	struct pids *pids = shared(sizeof(*pids));
	int status;

	use("edf");
	task_start(&task, body_idle);
	pids->other = task.id;
	pids->other_pid = task.tid;
	status = child_wait(child(makes_pid_namespace, pids));
	check(WIFEXITED(status), "it died");
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
	if (WEXITSTATUS(status) == 77)
		skip("no pid namespace can be made");
	check_is(WEXITSTATUS(status), 0);
}

struct process {
	pid_t pid;
	uint64_t start_time; /* as seen outside */
};

#define LATER "1000" /* seconds that the clock of a time namespace is ahead */

static int in_time_namespace(void *arg)
{
	struct process *outside = arg;
	struct resch_register reg = wakeup(100 * MS, MS);
	uint64_t start_time;

	must(resch_start_time(outside->pid, &start_time));
	check_is(start_time, outside->start_time + atoi(LATER) * sysconf(_SC_CLK_TCK));
	reg.pid = outside->pid;
	reg.start_time = outside->start_time;
	refused(call(dev, RESCH_IOC_REGISTER, &reg), ESRCH);
	reg.start_time = start_time;
	must(call(dev, RESCH_IOC_REGISTER, &reg));
	must(resch_unregister(dev, reg.id));
	return 0;
}

static int makes_time_namespace(void *arg)
{
	if (unshare(CLONE_NEWTIME))
		return 77;
	check(file_write("/proc/self/timens_offsets", "boottime " LATER " 0"), "timens_offsets: %s",
	      strerror(errno));
	child_ok(child(in_time_namespace, arg));
	return 0;
}

TEST(time_namespace, "in a time namespace a process is known by the start time that is seen there")
{
	struct process *outside = shared(sizeof(*outside));
	int status;

	use("edf");
	outside->pid = getpid();
	must(resch_start_time(outside->pid, &outside->start_time));
	status = child_wait(child(makes_time_namespace, outside));
	check(WIFEXITED(status), "it died");
	if (WEXITSTATUS(status) == 77)
		skip("no time namespace can be made");
	check_is(WEXITSTATUS(status), 0);
}

static int gives_up(void *arg)
{
	struct resch_register reg = periodic(20 * MS, MS);
	struct resch_task_stat stat;

	(void)arg;
	must(resch_register_self(dev, &reg));
	must(resch_wait(dev, NULL));
	must_libc(setresgid(NOBODY, NOBODY, NOBODY));
	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	/* Its jobs are its own. */
	must(resch_wait(dev, NULL));
	must(resch_delay(dev, resch_now() + 2 * MS));
	must(resch_wait(dev, NULL));
	must(resch_task_stat(dev, 0, &stat));
	check_is(stat.id, reg.id);
	check_is(powerless(reg.id), getpid());
	return 0;
}

TEST(given_up,
     "who gives up privileges goes on with its jobs, and changes nothing, its own task neither")
{
	use("edf");
	child_ok(child(gives_up, NULL));
	await(tasks_registered() == 0);
}
