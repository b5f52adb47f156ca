// SPDX-License-Identifier: GPL-2.0
/* hotplug.c - a CPU goes offline under its tasks, and comes back */
#include "lib-crowd.h"

#define ONLINE "/sys/devices/system/cpu/cpu1/online"

static void cpu_1(const char *state)
{
	check(file_write(ONLINE, state), "writing %s to " ONLINE ": %s", state, strerror(errno));
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
