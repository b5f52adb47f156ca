// SPDX-License-Identifier: GPL-2.0
/* hotplug.c - a CPU goes offline under its tasks, and comes back */
#include "crowd.h"

#include <sys/klog.h>
#include <sys/utsname.h>

static void cpu_is(int cpu, const char *state)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	check(file_write(path, state), "writing %s to %s: %s", state, path, strerror(errno));
}

static void cpu_1(const char *state)
{
	cpu_is(1, state);
}

/* Those that no case needs. */
static void cpus_beyond_1(const char *state)
{
	char path[64];
	int cpu;

	for (cpu = 2; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		check(file_write(path, state), "writing %s to %s: %s", state, path,
		      strerror(errno));
	}
}

static void body_nothing(struct task *task)
{
	(void)task;
}

static void off_and_on(const char *plugin)
{
	struct resch_register reg = periodic(50 * MS, 5 * MS);
	uint64_t restored = info().restored;
	uint32_t domain;

	cpu_1("1"); /* a case before this one may have failed */
	domain = use(plugin);
	crowd_start();
	cpu_1("0");
	crowd_gone(RESCH_GONE_OFFLINE);
	check_is(info().restored, restored + 6);
	check_is(domain_stat(domain).tasks, 0);
	check_is(domain_stat(domain).ejections, 0);
	refused(resch_register_self(dev, &reg), ENODEV);
	cpu_1("1");
	crowd_after();
	check(!strcmp(domain_stat(domain).plugin, plugin), "the domain is on %s",
	      domain_stat(domain).plugin);
}

TEST(edf, "tasks of a CPU that goes offline get back what they had; the CPU returns (edf)")
{
	off_and_on("edf");
}

TEST(fifo, "the same under fifo")
{
	off_and_on("fifo");
}

TEST(fp, "the same under fp, where they go by the engine")
{
	off_and_on("fp");
}

TEST(beside, "the same beside a guard of another CPU")
{
	struct resch_guard_set want = { .flags = RESCH_GUARD_ON };
	int round;

	cpu_1("1");
	want.domain = domain_on("3", "fifo", NULL);
	must(call(dev, RESCH_IOC_GUARD_SET, &want));
	use("edf");
	for (round = 0; round < 5; round++) {
		crowd_start();
		cpu_1("0");
		crowd_gone(RESCH_GONE_OFFLINE);
		cpu_1("1");
	}
	crowd_after();
	guard_off(want.domain);
}

TEST(other, "a domain of two CPUs loses one: the tasks of the other go on")
{
	struct task here = { .reg = periodic(40 * MS, 4 * MS) },
		    there = { .reg = periodic(40 * MS, 4 * MS) };
	uint32_t domain;

	cpu_1("1");
	domain = domain_on("0-1", "edf", NULL);
	here.reg.params.cpu = 0;
	there.unregistered_end = true;
	task_start(&here, body_idle);
	task_start(&there, body_nothing);
	task_join(&there);
	await(atomic_load(&here.jobs) >= 2);
	cpu_1("0");
	await(domain_stat(domain).tasks == 1);
	atomic_store(&here.jobs, 0);
	await(atomic_load(&here.jobs) >= 3);
	/* With no CPU named, the one that is there is taken. */
	memset(&there, 0, sizeof(there));
	there.reg = periodic(40 * MS, 4 * MS);
	there.reg.params.cpu = -1;
	there.reg.domain = domain;
	task_start(&there, body_idle);
	check_is(there.reg.cpu, 0);
	await(atomic_load(&there.jobs) >= 3);
	cpu_1("1");
	crowd_after();
	task_join(&there);
	task_join(&here);
}

TEST(swap, "an offline CPU's domain changes its plugin, is deleted, and made again")
{
	uint32_t domain;

	cpu_1("1");
	domain = use("edf");
	cpu_1("0");
	must(domain_swap(domain, "fp", NULL));
	cpu_1("1");
	crowd_after();
	cpu_1("0");
	must(resch_domain_del(dev, domain));
	cpu_1("1");
	use("edf");
	crowd_after();
}

TEST(guards, "guards are raised and lowered while a CPU is away")
{
	uint32_t domain;

	cpu_1("1");
	cpu_is(3, "0");
	domain = guard_on("fifo", 0, NULL);
	guard_off(domain);
	cpu_is(3, "1");
	must(resch_domain_del(dev, domain));
	domain = guard_on("fifo", 0, NULL);
	cpu_is(3, "0");
	guard_off(domain);
	cpu_is(3, "1");
	check_is(cpus_of(0), 3);
}

/* How many messages about resch-guard the kernel's log has. */
static int said_of_guard(void)
{
	static char text[1 << 20];
	int got = klogctl(3 /* read all */, text, sizeof(text) - 1), count = 0;
	const char *at = text;

	check(got >= 0, "klogctl: %s", strerror(errno));
	text[got] = '\0';
	while ((at = strstr(at, "resch-guard"))) {
		at++;
		count++;
	}
	return count;
}

TEST(nowhere, "with RT CPUs alone online resch-guard says so once, and once more when that is over")
{
	struct resch_guard_set want = { .flags = RESCH_GUARD_ON };
	int cpu, said;

	cpu_1("1");
	pin(0, "0-3");
	want.domain = domain_on("0", "fifo", NULL);
	must(call(dev, RESCH_IOC_GUARD_SET, &want));
	said = said_of_guard();
	for (cpu = 1; cpu <= 3; cpu++)
		cpu_is(cpu, "0");
	await(said_of_guard() == said + 1);
	sleep_ms(300); /* many rounds */
	check_is(said_of_guard(), said + 1);
	for (cpu = 1; cpu <= 3; cpu++)
		cpu_is(cpu, "1");
	await(said_of_guard() == said + 2);
	guard_off(want.domain);
	check_is(cpus_of(0), 3);
}

TEST(again, "ten times in a row with traffic")
{
	struct task task;
	int i;

	cpu_1("1");
	use("edf");
	for (i = 0; i < 10; i++) {
		memset(&task, 0, sizeof(task));
		task.reg = periodic(10 * MS, MS);
		task.unregistered_end = true;
		task_start(&task, body_nothing);
		task_join(&task);
		crowd_after();
		cpu_1("0");
		cpu_1("1");
	}
	await(tasks_registered() == 0);
}

/* In calls, above its level, most of the time: it is brought down after each. */
static void body_calls(struct task *task)
{
	task->unregistered_end = true;
	task_wait(task);
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		refused(resch_unregister(dev, INT32_MAX), ENOENT);
}

/* Keeps those of CPU 1 waiting for locks, so that the CPU has time to go. */
static void body_contends(struct task *task)
{
	while (!atomic_load(&task->stop))
		refused(resch_unregister(dev, INT32_MAX), ENOENT);
}

TEST(calls,
     "a CPU goes offline while its tasks are in calls: nothing holds the module while it is away")
{
	struct task tasks[3], contender;
	char left[120] = "";
	uint32_t domain;
	int i, round;

	cpu_1("1");
	for (round = 0; round < 5; round++) {
		domain = use("edf");
		memset(&contender, 0, sizeof(contender));
		thread_start(&contender, body_contends);
		for (i = 0; i < 3; i++) {
			memset(&tasks[i], 0, sizeof(tasks[i]));
			tasks[i].reg = periodic((100 - i) * SEC, SEC);
			/* Each before those that are there. */
			task_start(&tasks[i], body_calls);
			await(atomic_load(&tasks[i].step));
		}
		cpu_1("0");
		for (i = 0; i < 3; i++)
			task_join(&tasks[i]);
		task_join(&contender);
		await(!resch_domain_del(dev, domain));
		close(dev);
		check(!modules_unload(left, sizeof(left)), "%s can't be unloaded", left);
		cpu_1("1");
		must(test_load());
		dev = must(resch_open());
	}
}

#define AWAY "/sys/module/resch_away/parameters/"

static int body_goes(void *arg)
{
	(void)arg;
	cpu_is(2, "0");
	return 0;
}

static int body_comes(void *arg)
{
	struct resch_register reg = periodic(100 * MS, MS);

	must(resch_register_self(dev, &reg));
	*(int *)arg = 1;
	return 0;
}

static bool away_holds(void)
{
	char text[8] = "";

	return file_read(AWAY "held", text, sizeof(text)) && text[0] == 'Y';
}

TEST(attach,
     "who registers first waits for a CPU that is long in going offline, and nobody with him")
{
	int *registered = shared(sizeof(*registered));
	char left[120] = "";
	pid_t goes, comes;
	int i;

	/* Anew: the hooks of those before this case linger. */
	close(dev);
	check(!modules_unload(left, sizeof(left)), "%s can't be unloaded", left);
	must(test_load());
	dev = must(resch_open());
	must(module_load("resch-away", ""));
	use("edf");
	check(file_write(AWAY "hold", "1\n"), "hold: %s", strerror(errno));
	goes = child(body_goes, NULL);
	await(away_holds());
	comes = child(body_comes, registered);
	await(proc_state(comes) == 'D');
	for (i = 0; i < 20; i++) {
		refused(resch_unregister(dev, INT32_MAX), ENOENT);
		sleep_ms(5);
	}
	check(!*registered, "it has registered: there was nothing to wait for");
	check(file_write(AWAY "hold", "0\n"), "hold: %s", strerror(errno));
	child_ok(goes);
	child_ok(comes);
	check_is(*registered, 1);
	cpu_is(2, "1");
	must(module_unload("resch-away"));
}

/* Above all registered tasks, and above the helper. */
#define HOG 85

static void body_hogs(struct task *task)
{
	pin(0, task->number ? "1" : "0");
	must(attributes_set(0, SCHED_FIFO, HOG, 0, 0));
	atomic_store(&task->step, 1);
	spin_until(&task->stop);
}

static void body_first_wait(struct task *task)
{
	task->unregistered_end = true;
	pin(0, "0"); /* where it will wake */
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(1);
	pin(0, "0,1");
	task->result = resch_wait(dev, NULL);
	atomic_store(&task->step, 2);
}

TEST(first_wait, "a CPU goes offline while a thread is on its way there, to its first job")
{
	struct task task = { .reg = periodic(100 * SEC, SEC) };
	struct task hogs[2] = { { .number = 0 }, { .number = 1 } };
	struct utsname kernel;

	must_libc(uname(&kernel));
	/*
	 * There the threads that keep time would get none: RCU stands still, and no CPU goes
	 * offline.
	 */
	if (strstr(kernel.version, "PREEMPT_RT"))
		skip("all CPUs are kept busy, which PREEMPT_RT's own threads don't survive");
	cpu_1("1");
	cpus_beyond_1("0");
	use("edf");
	task_start(&task, body_first_wait);
	await(atomic_load(&task.step) == 1);
	/* It gets to CPU 1, and there no further; nor on CPU 0, when it is thrown off. */
	must(attributes_set(0, SCHED_FIFO, HOG + 1, 0, 0));
	thread_start(&hogs[1], body_hogs);
	await(atomic_load(&hogs[1].step) == 1);
	atomic_store(&task.stop, 1);
	await(cpus_of(task.tid) == 1 << CPU);
	thread_start(&hogs[0], body_hogs);
	await(atomic_load(&hogs[0].step) == 1);
	cpu_1("0");
	task_join(&hogs[0]);
	task_join(&hogs[1]);
	must(attributes_set(0, SCHED_OTHER, 0, 0, 0));
	await(atomic_load(&task.step) == 2);
	check(task.result == -ECANCELED, "resch_wait: %s", errno_name(task.result));
	await(tasks_registered() == 0);
	task_join(&task);
	cpu_1("1");
	cpus_beyond_1("1");
	crowd_after();
}
