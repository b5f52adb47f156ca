// SPDX-License-Identifier: GPL-2.0
/* domains.c - sets of CPUs: which may be made, which may go, and two at once */
#include "lib.h"

static int make(const char *cpus, const char *plugin)
{
	struct resch_domain_set want = { .domain = 0 };
	int err;

	if (*cpus)
		must(resch_cpus_parse(cpus, &want.cpus));
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	err = resch_domain_set(dev, &want);
	return err ? err : (int)want.domain;
}

TEST(overlap, "a CPU is in one domain at most")
{
	uint32_t first = must(make("1", "fifo")), second;

	refused(make("1", "fifo"), EBUSY);
	refused(make("0-1", "fifo"), EBUSY);
	check_is(info().domains, 1);
	second = must(make("0", "fifo"));
	check(second != first, "both have the number %u", first);
	check_is(info().domains, 2);
	must(resch_domain_del(dev, first));
	must(resch_domain_del(dev, second));
	check_is(info().domains, 0);
	must(make("0-1", "fifo"));
}

TEST(numbers, "numbers of domains are not used again at once")
{
	uint32_t first = must(make("1", "fifo")), second;

	must(resch_domain_del(dev, first));
	refused(resch_domain_del(dev, first), ENODEV);
	second = must(make("1", "fifo"));
	check(second != first, "the new domain has the old one's number %u", first);
}

TEST(wrong, "CPUs that aren't there, and no CPUs")
{
	refused(make("", "fifo"), EINVAL);
	refused(make("1000", "fifo"), EINVAL);
	refused(make("1,1023", "fifo"), EINVAL);
	refused(make("1", "nobody"), ENOENT);
	check_is(info().domains, 0);
}

TEST(offline, "a CPU that is offline")
{
	check(file_write("/sys/devices/system/cpu/cpu1/online", "0"),
	      "CPU 1 can't be put offline: %s", strerror(errno));
	refused(make("1", "fifo"), EINVAL);
	refused(make("0-1", "fifo"), EINVAL);
	check(file_write("/sys/devices/system/cpu/cpu1/online", "1"),
	      "CPU 1 does not come back: %s", strerror(errno));
	must(make("0-1", "fifo"));
}

TEST(busy, "a domain with tasks can't be deleted, without them it can")
{
	struct task task = { .reg = periodic(50 * MS, 5 * MS) };
	uint32_t domain = use("edf");

	task_start(&task, body_idle);
	refused(resch_domain_del(dev, domain), EBUSY);
	check_is(domain_stat(domain).tasks, 1);
	await(atomic_load(&task.jobs) >= 2);
	refused(resch_domain_del(dev, domain), EBUSY);
	task_join(&task);
	await(domain_stat(domain).tasks == 0);
	must(resch_domain_del(dev, domain));
	task.id = 0;
	refused(resch_register_self(dev, &task.reg), ENODEV);
}

/* Note the letter, be busy for a while. */
static void body_one(struct task *task)
{
	task_wait(task);
	note('A' + task->number);
	spin(30 * MS);
	note('a' + task->number);
	check_is(sched_getcpu(), task->reg.cpu);
}

TEST(two, "two domains with different plugins at once")
{
	uint32_t on_0 = domain_on("0", "fp", "order=explicit"), on_1 = use("edf"), domain;
	static struct task tasks[4];
	char first[3] = "", second[3] = "";
	const char *at;
	int i;

	/*
	 * A and B on CPU 0, where B has the higher priority; C and D on CPU 1, where C has the
	 * earlier deadline.
	 */
	for (i = 0; i < 4; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((4 + i) * SEC, 100 * MS);
		tasks[i].reg.params.cpu = i / 2;
		tasks[i].reg.params.priority = 50 - i;
		tasks[i].reg.params.flags |= RESCH_F_SYNC;
		task_start(&tasks[i], body_one);
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
		domain = stat_of(tasks[i].id).domain;
		check_is(domain, i < 2 ? on_0 : on_1);
	}
	check_is(must(resch_start(dev, on_0, resch_now() + SEC)), 2);
	check_is(must(resch_start(dev, on_1, resch_now() + SEC)), 2);
	for (i = 0; i < 4; i++)
		task_join(&tasks[i]);
	for (at = notes(); *at; at++)
		if (strchr("AB", *at))
			strncat(first, at, 1);
		else if (strchr("CD", *at))
			strncat(second, at, 1);
	check(!strcmp(first, "BA"), "on CPU 0 the order is %s", first);
	check(!strcmp(second, "CD"), "on CPU 1 the order is %s", second);
	/* Changing one leaves the other alone. */
	must(domain_swap(on_0, "demo", NULL));
	check(!strcmp(domain_stat(on_1).plugin, "edf"), "CPU 1 has %s now",
	      domain_stat(on_1).plugin);
	check_is(domain_stat(on_1).swaps, 0);
}

TEST(placed, "a task that names no CPU gets one where there is room")
{
	uint32_t domain = domain_on("0-1", "edf", NULL);
	struct resch_register reg[3];
	static struct task tasks[2];
	int i;

	for (i = 0; i < 3; i++) {
		reg[i] = periodic(200 * MS, 120 * MS);
		reg[i].params.cpu = -1;
		reg[i].params.flags = 0;
		reg[i].domain = domain;
	}
	for (i = 0; i < 2; i++) {
		tasks[i].number = i;
		tasks[i].reg = reg[i];
		task_start(&tasks[i], body_idle);
	}
	check(tasks[0].reg.cpu != tasks[1].reg.cpu, "both are on CPU %d", tasks[0].reg.cpu);
	check_is(domain_stat(domain).tasks, 2);
	refused(resch_register_self(dev, &reg[2]), EBUSY);
	check_is(reg[2].verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(domain_stat(domain).tasks, 2);
	for (i = 0; i < 2; i++) {
		await(atomic_load(&tasks[i].jobs) >= 2);
		task_join(&tasks[i]);
	}
}

TEST(listed, "domains are listed in the order of their numbers")
{
	struct resch_domain_stat stat;
	uint32_t ids[2];

	ids[0] = must(make("1", "fifo"));
	ids[1] = must(make("0", "fifo"));
	memset(&stat, 0, sizeof(stat));
	check_is(must(resch_domain_next(dev, &stat)), 1);
	check_is(stat.domain, ids[0]);
	check(resch_cpus_has(&stat.cpus, 1) && resch_cpus_count(&stat.cpus) == 1,
	      "its CPUs are others");
	check_is(must(resch_domain_next(dev, &stat)), 1);
	check_is(stat.domain, ids[1]);
	check_is(must(resch_domain_next(dev, &stat)), 0);
}
