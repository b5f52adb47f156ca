// SPDX-License-Identifier: GPL-2.0
/* rights.c - who may do what */
#include "lib.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define NOBODY 65534

/* The calling process becomes nobody, with these capabilities at most. */
static void become_nobody(uint32_t capabilities)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { capabilities, capabilities, 0 }, { 0, 0, 0 } };

	must_libc(setgroups(0, NULL));
	must_libc(setresgid(NOBODY, NOBODY, NOBODY));
	must_libc(prctl(PR_SET_KEEPCAPS, 1));
	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	must_libc(syscall(SYS_capset, &header, data));
}

static int unprivileged(void *arg)
{
	uint32_t other = (long)arg;
	struct resch_register reg = periodic(100 * MS, MS);
	struct resch_server_set server = { .domain = 1 };
	struct resch_delegate delegate = { .domain = 1, .holder = 1, .who = NOBODY, .tasks = 1 };
	struct resch_domain_set want = { .plugin = "fifo" };
	struct resch_plugin_stat plugin;
	struct resch_domain_stat domain = { .domain = 0 };
	struct resch_task_stat task = { .id = 0 };
	struct resch_info now;

	become_nobody(0);
	want.cpus.bits[0] = 1;
	refused(resch_register_self(dev, &reg), EPERM);
	refused(resch_register_thread(dev, getppid(), &reg), EPERM);
	refused(resch_unregister(dev, other), EPERM);
	refused(resch_unregister(dev, 0), EPERM);
	refused(resch_release(dev, other), EPERM);
	refused(resch_lead_set(dev, other, MS / 2, NULL), EPERM);
	refused(resch_pace_set(dev, other, SEC), EPERM);
	refused(resch_affinity_get(dev, other, &want.cpus), EPERM);
	refused(resch_affinity_set(dev, other, &want.cpus), EPERM);
	refused(resch_start(dev, 1, 0), EPERM);
	refused(resch_domain_set(dev, &want), EPERM);
	refused(resch_server_set(dev, &server), EPERM);
	refused(resch_server_del(dev, 1, 1), EPERM);
	refused(resch_server_delegate(dev, &delegate), EPERM);
	refused(resch_domain_del(dev, 1), EPERM);
	refused(resch_plugin_load(dev, "fp"), EPERM);
	refused(resch_guard_set(dev, 1, RESCH_GUARD_ON, NULL), EPERM);
	refused(resch_guard_lend(dev, 0, CPU), EPERM);
	refused(resch_balance_set(dev, 1, 0), EPERM);
	refused(resch_enter_rt0(getppid(), CPU), EPERM);
	refused(resch_enter_rt1plus(getppid(), SCHED_FIFO, 1), EPERM);
	must(resch_info(dev, &now));
	check_is(now.tasks, 1);
	must(resch_plugin_stat(dev, 0, &plugin));
	check_is(resch_task_next(dev, &task), 1);
	check_is(task.id, other);
	check_is(resch_domain_next(dev, &domain), 1);
	refused(resch_open(), EACCES);
	return 0;
}

TEST(unprivileged, "without CAP_SYS_NICE nothing can be changed, and everything be asked")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };
	struct resch_info before;

	use("edf");
	task_start(&task, body_idle);
	before = info();
	child_ok(child(unprivileged, (void *)(long)task.id));
	check_is(info().tasks, before.tasks);
	check_is(info().domains, before.domains);
	check_is(info().plugins, before.plugins);
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
}

static int nice_only(void *arg)
{
	struct resch_register reg = periodic(100 * MS, MS);
	struct resch_cpus cpus = { .bits = { 1 } }, all, now;
	uint32_t other = (long)arg;
	struct resch_wait job;

	pin(0, "0,1");
	become_nobody(1U << CAP_SYS_NICE);
	must(resch_register_self(dev, &reg));
	refused(resch_affinity_set(dev, 0, &cpus), ESRCH);
	must(resch_wait(dev, &job));
	must(resch_affinity_get(dev, 0, &all));
	check_is(all.bits[0], 3);
	must(resch_affinity_set(dev, 0, &all));
	must(resch_affinity_set(dev, 0, &cpus));
	must(resch_affinity_get(dev, 0, &now));
	check_is(now.bits[0], 1);
	refused(resch_affinity_set(dev, 0, &all), EPERM);
	must(resch_affinity_get(dev, 0, &now));
	check_is(now.bits[0], 1);
	cpus.bits[0] = 0;
	refused(resch_affinity_set(dev, 0, &cpus), EINVAL);
	refused(resch_affinity_get(dev, other, &cpus), EPERM);
	refused(resch_lead_set(dev, other, MS / 2, NULL), EPERM);
	must(resch_unregister(dev, 0));
	refused(resch_affinity_get(dev, 0, &cpus), ENOENT);
	reg = wakeup(100 * MS, MS);
	refused(resch_register_thread(dev, getppid(), &reg), EPERM);
	return 0;
}

TEST(nice_only, "CAP_SYS_NICE is enough for oneself, not for threads that one may not signal")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };

	use("edf");
	task_start(&task, body_idle);
	child_ok(child(nice_only, (void *)(long)task.id));
	check_is(tasks_registered(), 1);
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
}

TEST(others, "tasks of another descriptor can be seen, not ended or released")
{
	struct task task = { .reg = sporadic(100 * MS, MS) };
	struct resch_task_stat stat;
	int other = resch_open();

	use("edf");
	task_start(&task, body_idle);
	refused(resch_unregister(other, task.id), EPERM);
	refused(resch_release(other, task.id), EPERM);
	must(resch_task_stat(other, task.id, &stat));
	check_is(stat.id, task.id);
	close(other);
	check_is(tasks_registered(), 1);
	task.stop = 1;
	must(resch_release(dev, task.id));
	task_join(&task);
}

static void body_through_another(struct task *task)
{
	int other = resch_open();

	refused(resch_unregister(other, 0), EPERM);
	refused(resch_release(other, 0), EPERM);
	task_wait(task);
	close(other);
}

TEST(own_thread, "a thread can't end its own registration through another descriptor")
{
	struct task task = { .reg = periodic(50 * MS, MS) };

	use("edf");
	task_start(&task, body_through_another);
	task_join(&task);
}

/* ---- a priority of one's own ----------------------------------------------------------------- */

/* What a thread that lowers its priority does, and is. */
struct lowered {
	uint32_t capabilities; /* that it keeps */
	rlim_t limit; /* RLIMIT_RTPRIO */
	bool execs;
	pid_t owner; /* who registers it; 0: itself */
	atomic_int ready, go;
	uint32_t id;
	struct attributes before;
};

/* Below every level that the module gives; its flag that resets on fork nobody can take off. */
#define LOWERED 10

static int lowers_itself(void *arg)
{
	struct lowered *lowered = arg;
	/* What is released by waking up stays registered as it executes a program. */
	struct resch_register reg = lowered->execs ? periodic(100 * MS, 50 * MS) :
						     wakeup(100 * MS, 50 * MS);

	lowered->before = attributes_of(0);
	must_libc(setrlimit(RLIMIT_RTPRIO, &(struct rlimit){ lowered->limit, lowered->limit }));
	if (lowered->owner) {
		lowered->ready = 1;
		while (!lowered->go)
			sleep_ms(2);
	} else {
		must(resch_register_self(dev, &reg));
		lowered->id = reg.id;
	}
	if (lowered->execs)
		must(resch_wait(dev, NULL));
	become_nobody(lowered->capabilities);
	must(attributes_set(0, SCHED_FIFO, LOWERED, 0, FLAG_RESET_ON_FORK));
	lowered->ready = 2;
	if (lowered->execs)
		execl("/bin/sleep", "sleep", "100", NULL);
	for (;;)
		pause();
	return 1;
}

/* Ends the registration of a thread that has lowered its priority; it is what @wanted says then. */
static void lowered_ends(struct lowered *lowered, bool kept, const char *who)
{
	struct attributes wanted;
	pid_t pid = child(lowers_itself, lowered);

	await(lowered->ready == 2);
	if (!lowered->execs)
		must(resch_unregister(dev, lowered->id));
	await(tasks_registered() == 0 || state_of(lowered->id) == RESCH_STATE_GONE);
	wanted = lowered->before;
	if (kept) {
		wanted.policy = SCHED_FIFO;
		wanted.priority = LOWERED;
		wanted.flags = FLAG_RESET_ON_FORK;
	}
	attributes_await(pid, &wanted, who);
	if (lowered->execs)
		must(resch_unregister(dev, lowered->id));
	kill(pid, SIGKILL);
	child_wait(pid);
	memset(lowered, 0, sizeof(*lowered));
}

TEST(lowered, "who lowers its priority and has no right to it does not stay a real-time thread")
{
	struct lowered *lowered = shared(sizeof(*lowered));

	use("edf");
	lowered_ends(lowered, false, "unregistered by another");
	lowered->execs = true;
	lowered_ends(lowered, false, "a program that it executes");
}

TEST(lowered_rightly, "one that had a right to it keeps it")
{
	struct lowered *lowered = shared(sizeof(*lowered));

	use("edf");
	lowered->capabilities = 1U << CAP_SYS_NICE;
	lowered_ends(lowered, true, "with CAP_SYS_NICE");
	lowered->limit = LOWERED;
	lowered_ends(lowered, true, "with RLIMIT_RTPRIO");
}

/* A daemon, which is killed: it has registered the thread. */
static int owns(void *arg)
{
	struct lowered *lowered = arg;
	struct resch_register reg = wakeup(100 * MS, 50 * MS);

	dev = must(resch_open());
	must(resch_register_thread(dev, lowered->owner, &reg));
	lowered->id = reg.id;
	lowered->go = 1;
	for (;;)
		pause();
	return 1;
}

TEST(lowered_orphan, "nor does it when the daemon that registered it is killed")
{
	struct lowered *lowered = shared(sizeof(*lowered));
	pid_t pid, owner;

	use("edf");
	lowered->owner = 1;
	pid = child(lowers_itself, lowered);
	await(lowered->ready == 1);
	lowered->owner = pid;
	owner = child(owns, lowered);
	await(lowered->ready == 2);
	kill(owner, SIGKILL);
	child_wait(owner);
	attributes_await(pid, &lowered->before, "the thread");
	kill(pid, SIGKILL);
	child_wait(pid);
}
