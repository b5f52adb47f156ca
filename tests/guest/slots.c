// SPDX-License-Identifier: GPL-2.0
/* slots.c - plans: three tasks of 55 % each on two CPUs, one of them split */
#include "lib.h"

#include <sys/syscall.h>

#define SLOT (100 * MS)
#define PERIOD (400 * MS)
#define WCET (220 * MS)
#define TASKS 3

/* Inflated for four slots a period: as S-EKG splits, and as NPS-F cuts. */
static const struct resch_reserve sekg_plan[] = {
	{ .group = 1, .cpu = 1, .begin = 0, .end = 63360 * 1000 },
	{ .group = 2, .cpu = 1, .begin = 63360 * 1000, .end = SLOT },
	{ .group = 2, .cpu = 2, .begin = 0, .end = 23940 * 1000 },
	{ .group = 3, .cpu = 2, .begin = 23940 * 1000, .end = SLOT },
};

static const struct resch_reserve npsf_plan[] = {
	{ .group = 1, .cpu = 1, .begin = 0, .end = 60440 * 1000 },
	{ .group = 2, .cpu = 1, .begin = 60440 * 1000, .end = SLOT },
	{ .group = 2, .cpu = 2, .begin = 0, .end = 20880 * 1000 },
	{ .group = 3, .cpu = 2, .begin = 20880 * 1000, .end = 81320 * 1000 },
};

struct split {
	struct task task;
	atomic_uint cpus; /* where it has been seen, a bit each */
};

static struct split splits[TASKS];

static void body_work(struct task *task)
{
	struct split *split = task->arg;

	while (!atomic_load(&task->stop)) {
		uint64_t begin;

		task_wait(task);
		begin = cpu_time();
		while (cpu_time() - begin < WCET * 3 / 4 && !atomic_load(&task->stop)) {
			atomic_fetch_or(&split->cpus, 1U << sched_getcpu());
			relax();
		}
	}
}

/* The same, with a nap now and then: each wakes in the kernel, mostly outside its reserve. */
static void body_nap(struct task *task)
{
	struct split *split = task->arg;

	while (!atomic_load(&task->stop)) {
		uint64_t begin, nap;

		task_wait(task);
		begin = nap = cpu_time();
		while (cpu_time() - begin < WCET / 2 && !atomic_load(&task->stop)) {
			atomic_fetch_or(&split->cpus, 1U << sched_getcpu());
			relax();
			if (cpu_time() - nap < 10 * MS)
				continue;
			sleep_ms(3);
			nap = cpu_time();
		}
	}
}

/* Until its registration ends. */
static void body_until_gone(struct task *task)
{
	task->unregistered_end = true;
	do
		atomic_fetch_add(&task->jobs, 1);
	while (!resch_wait(dev, NULL));
	atomic_store(&task->step, 1);
	while (!atomic_load(&task->stop))
		sleep_ms(5);
}

static struct resch_register in_group(uint32_t group)
{
	struct resch_register reg = periodic(PERIOD, WCET);

	reg.params.flags = 0;
	reg.params.group = group;
	reg.params.cpu = -1;
	return reg;
}

/* Not before @from. A plan whose time has come may still have to wait for a CPU of its domain. */
static uint64_t plan_set_from(uint32_t domain, uint64_t from, const struct resch_reserve *plan,
			      uint32_t count)
{
	int err;

	await((err = resch_plan_set(dev, domain, SLOT, &from, plan, count, NULL)) != -EAGAIN);
	must(err);
	return from;
}

static uint64_t plan_set(uint32_t domain, const struct resch_reserve *plan, uint32_t count)
{
	return plan_set_from(domain, 0, plan, count);
}

static void splits_start(uint32_t domain, void (*body)(struct task *task))
{
	unsigned int i;

	memset(splits, 0, sizeof(splits));
	for (i = 0; i < TASKS; i++) {
		splits[i].task.reg = in_group(i + 1);
		splits[i].task.reg.domain = domain;
		splits[i].task.number = i;
		splits[i].task.arg = &splits[i];
		task_start(&splits[i].task, body);
	}
}

static void splits_stop(void)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		atomic_store(&splits[i].task.stop, 1);
	for (i = 0; i < TASKS; i++)
		task_join(&splits[i].task);
}

static void splits_await(uint64_t jobs)
{
	uint64_t had[TASKS];
	unsigned int i;

	for (i = 0; i < TASKS; i++)
		had[i] = atomic_load(&splits[i].task.jobs);
	for (i = 0; i < TASKS; i++)
		await(atomic_load(&splits[i].task.jobs) >= had[i] + jobs);
}

/* Each has its CPU, but for the second, which has both, and goes from one to the other. */
static void splits_check(void)
{
	await(stat_of(splits[1].task.id).migrations >= 8);
	await(atomic_load(&splits[1].cpus) == 6);
	check_is(atomic_load(&splits[0].cpus), 2);
	check_is(atomic_load(&splits[2].cpus), 4);
}

static void run(const char *plugin, const char *options, const struct resch_reserve *plan,
		uint32_t count, void (*body)(struct task *task))
{
	uint32_t domain;

	pin(0, "0");
	domain = domain_on("1-2", plugin, options);
	plan_set(domain, plan, count);
	splits_start(domain, body);
	splits_await(3);
	splits_check();
	check_is(domain_stat(domain).ejections, 0);
	splits_stop();
	check(!strcmp(domain_stat(domain).plugin, plugin), "the domain is on %s",
	      domain_stat(domain).plugin);
}

TEST(sekg, "sekg runs three tasks of 55 % on two CPUs, one of them split")
{
	run("sekg", "", sekg_plan, 4, body_work);
}

TEST(npsf, "npsf does")
{
	run("npsf", "", npsf_plan, 4, body_work);
}

TEST(retry, "the receiver of a split task may ask again until it comes")
{
	run("sekg", "handover=retry,retry=50us", sekg_plan, 4, body_work);
}

TEST(nap, "split tasks that sleep within their jobs go on when they wake, whosever turn it is")
{
	run("npsf", "", npsf_plan, 4, body_nap);
}

TEST(nap_retry, "the same, under sekg, where the receiver asks again")
{
	run("sekg", "handover=retry,retry=50us", sekg_plan, 4, body_nap);
}

/*
 * Longer than either part of its group's window, so that it needs both wherever in the slot it is
 * released.
 */
static void body_some(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(45 * MS);
	}
}

static void body_long(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin(60 * MS);
	}
}

static void await_jobs(struct task *task, unsigned int more)
{
	unsigned int had = atomic_load(&task->jobs);

	await(atomic_load(&task->jobs) >= had + more);
}

/*
 * The group has windows on CPU 1 that are just long enough for it to pick somebody, and over before
 * the thread has come over: how long that is depends on the machine, so they grow until it happens.
 */
static void brief_windows(uint32_t domain, const struct task *task)
{
	struct resch_reserve plan[4];
	uint64_t length;
	int i;

	for (length = 5000; !stat_of(task->id).migrations; length += length / 4) {
		if (length > 9 * MS)
			length = 9 * MS;
		for (i = 0; i < 3; i++)
			plan[i] = (struct resch_reserve){ .group = 1,
							  .cpu = 1,
							  .begin = (60 + 10 * i) * MS,
							  .end = (60 + 10 * i) * MS + length };
		plan[3] = (struct resch_reserve){ .group = 1, .cpu = 2, .end = 50 * MS };
		plan_set(domain, plan, 4);
		sleep_ms(2 * SLOT / MS);
	}
}

TEST(brief, "a task that is deselected before it has reached its CPU is free for others")
{
	struct task task = { .reg = in_group(1) };
	struct resch_reserve plan = { .group = 1, .cpu = 2, .end = 50 * MS };
	uint32_t domain;

	pin(0, "0");
	domain = domain_on("1-2", "npsf", NULL);
	plan_set(domain, &plan, 1);
	task.reg.domain = domain;
	/* always ready: ends late in one of its windows and begins before the next */
	task.reg.params.period = SLOT;
	task.reg.params.wcet = 45 * MS;
	task_start(&task, body_long);
	await(atomic_load(&task.jobs) >= 2);
	brief_windows(domain, &task);
	await_jobs(&task, 10);
	task_join(&task);
	check_is(domain_stat(domain).ejections, 0);
}

static void body_endless(struct task *task)
{
	task_wait(task);
	spin_until(&task->stop);
}

TEST(demoted, "a job that is demoted for its overrun does not keep its group from running")
{
	struct task tasks[2] = {};
	uint64_t moved;
	uint32_t domain;
	int i;

	pin(0, "0");
	domain = domain_on("1-2", "npsf", NULL);
	plan_set(domain, npsf_plan, 4);
	for (i = 0; i < 2; i++) {
		tasks[i].number = i;
		tasks[i].reg = in_group(2);
		tasks[i].reg.domain = domain;
		tasks[i].reg.params.wcet = 60 * MS;
		tasks[i].reg.params.overrun = i ? RESCH_COUNT : RESCH_DEMOTE;
	}
	task_start(&tasks[0], body_endless);
	task_start(&tasks[1], body_some);
	await(stat_of(tasks[0].id).overruns >= 1);
	/* On both CPUs. */
	moved = stat_of(tasks[1].id).migrations;
	await(stat_of(tasks[1].id).migrations >= moved + 4);
	for (i = 0; i < 2; i++)
		atomic_store(&tasks[i].stop, 1);
	for (i = 0; i < 2; i++)
		task_join(&tasks[i]);
	check_is(domain_stat(domain).ejections, 0);
}

TEST(refused, "plans that can't be are refused, and so are tasks without a place in one")
{
	struct resch_reserve plan[4], more[8];
	struct resch_verdict verdict;
	struct resch_register reg;
	uint32_t domain = domain_on("1-2", "npsf", NULL);
	unsigned int i;

#define REFUSED_PLAN(error, change)                                                         \
	do {                                                                                \
		memcpy(plan, npsf_plan, sizeof(plan));                                      \
		change;                                                                     \
		refused(resch_plan_set(dev, domain, SLOT, NULL, plan, 4, &verdict), error); \
	} while (0)
	/* no plan yet */
	reg = in_group(1);
	reg.domain = domain;
	refused(resch_register_self(dev, &reg), EINVAL);
	REFUSED_PLAN(EINVAL, plan[0].group = 0);
	REFUSED_PLAN(EINVAL, plan[0].group = RESCH_GROUPS_MAX + 1);
	REFUSED_PLAN(EINVAL, plan[0].cpu = 0);
	REFUSED_PLAN(EINVAL, plan[0].cpu = 0xffffffff);
	REFUSED_PLAN(EINVAL, plan[0].begin = plan[0].end);
	REFUSED_PLAN(EINVAL, plan[3].end = SLOT + 1);
	REFUSED_PLAN(EINVAL, plan[0].end++); /* two reserves of a CPU */
	REFUSED_PLAN(EINVAL, plan[2].end = plan[1].begin + 1; plan[3].begin = plan[2].end);
	refused(resch_plan_set(dev, domain, 0, NULL, npsf_plan, 4, NULL), EINVAL);
	refused(resch_plan_set(dev, domain, 9999, NULL, npsf_plan, 4, NULL), EINVAL);
	refused(resch_plan_set(dev, domain, SEC + 1, NULL, npsf_plan, 4, NULL), EINVAL);
	refused(resch_plan_set(dev, 77, SLOT, NULL, npsf_plan, 4, NULL), ENODEV);
	refused(resch_plan_set(dev, domain, SLOT, NULL, NULL, 4, NULL), EFAULT);
	refused(resch_plan_set(dev, domain, SLOT, NULL, npsf_plan, RESCH_RESERVES_MAX + 1, NULL),
		EINVAL);
	for (i = 0; i < 5; i++)
		more[i] = (struct resch_reserve){
			.group = 1, .cpu = 1, .begin = i * MS, .end = (i + 1) * MS
		};
	refused(resch_plan_set(dev, domain, SLOT, NULL, more, 5, NULL), EINVAL);

	plan_set(domain, npsf_plan, 4);
	reg = in_group(4);
	reg.domain = domain;
	refused(resch_register_self(dev, &reg), EINVAL);
	reg = in_group(0);
	reg.domain = domain;
	refused(resch_register_self(dev, &reg), EINVAL);
	/* more than its reserves hold */
	reg = in_group(1);
	reg.domain = domain;
	reg.params.wcet = 260 * MS;
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	reg.params.wcet = 200 * MS;
	reg.params.deadline = 270 * MS;
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_RESERVE);
	reg = in_group(1);
	reg.domain = domain;
	must(resch_register_self(dev, &reg));
	/* A plan that takes its reserves away is refused, and the old one stays. */
	refused(resch_plan_set(dev, domain, SLOT, NULL, npsf_plan + 1, 3, &verdict), EBUSY);
	check_is(verdict.task, reg.id);
	refused(resch_plan_set(dev, domain, SLOT, NULL, NULL, 0, &verdict), EBUSY);
	must(resch_unregister(dev, 0));
	must(resch_plan_set(dev, domain, SLOT, NULL, NULL, 0, &verdict));
}

#define ELSEWHERE 5

static void body_deadline(struct task *task)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { sizeof(attr), 6, 0, 0, 0, 77 * MS, 100 * MS, 100 * MS };

	atomic_store(&task->step, syscall(SYS_sched_setattr, 0, &attr, 0) ? errno : -1);
	while (!atomic_load(&task->stop))
		sleep_ms(5);
}

/*
 * The set that tests/checker/on-kernel runs on four CPUs. The bound of Goossens, Funk and Baruah
 * for global EDF, m (1 - umax) + umax, is 1.69 of its 3.85.
 */
TEST(elsewhere,
     "five tasks of 77 % on four CPUs: partitioned EDF and SCHED_DEADLINE refuse the fifth")
{
	struct task tasks[ELSEWHERE] = {};
	struct resch_register reg = periodic(100 * MS, 77 * MS);
	int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) != ELSEWHERE - 1)
		skip("it takes %d CPUs", ELSEWHERE - 1);
	pin(0, "0-3");
	domain_on("0-3", "edf", NULL);
	reg.params.flags = 0;
	reg.params.cpu = -1;
	for (i = 0; i < ELSEWHERE - 1; i++) {
		tasks[i].reg = reg;
		task_start(&tasks[i], body_idle);
	}
	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	for (i = 0; i < ELSEWHERE - 1; i++)
		task_join(&tasks[i]);

	for (i = 0; i < ELSEWHERE; i++) {
		tasks[i] = (struct task){};
		thread_start(&tasks[i], body_deadline);
		await(atomic_load(&tasks[i].step));
		check_is(atomic_load(&tasks[i].step), i < ELSEWHERE - 1 ? -1 : EBUSY);
	}
	for (i = 0; i < ELSEWHERE; i++)
		task_join(&tasks[i]);
}

/* What the module says the plan is. */
static void plan_is(uint32_t domain, const struct resch_reserve *plan, int count, uint64_t from)
{
	struct resch_reserve reserves[8];
	uint64_t slot = 0, began = 0;

	memset(reserves, 0xff, sizeof(reserves));
	check_is(must(resch_plan_get(dev, domain, &slot, &began, reserves, 8)), count);
	check_is(slot, count ? SLOT : 0);
	check_is(began, from);
	check(!memcmp(reserves, plan, (unsigned int)count * sizeof(*plan)), "other reserves");
}

TEST(get, "the plan can be asked for, in force or not yet")
{
	struct resch_reserve other[4], some[2] = {};
	uint32_t domain = domain_on("1-2", "npsf", NULL);
	uint64_t from, next;

	plan_is(domain, npsf_plan, 0, 0);
	from = plan_set(domain, npsf_plan, 4);
	plan_is(domain, npsf_plan, 4, from);
	/* less room than there are */
	check_is(must(resch_plan_get(dev, domain, NULL, NULL, some, 1)), 4);
	check(!memcmp(&some[0], &npsf_plan[0], sizeof(some[0])), "not the first one");
	check_is(some[1].end, 0);
	check_is(must(resch_plan_get(dev, domain, NULL, NULL, NULL, 0)), 4);
	refused(resch_plan_get(dev, domain, NULL, NULL, NULL, 4), EFAULT);
	refused(resch_plan_get(dev, 77, NULL, NULL, some, 2), ENODEV);
	/* sorted by CPU, whatever the order was */
	memcpy(other, npsf_plan + 2, 2 * sizeof(*other));
	memcpy(other + 2, npsf_plan, 2 * sizeof(*other));
	other[0].end -= MS;
	next = plan_set_from(domain, from, other, 4);
	memcpy(other, npsf_plan, sizeof(other));
	other[2].end -= MS;
	plan_is(domain, other, 4, next);
	await(resch_now() > next);
	plan_is(domain, other, 4, next);
	plan_set(domain, NULL, 0);
	plan_is(domain, npsf_plan, 0, 0);
}

TEST(swap, "tasks that name their groups go from plugin to plugin, and jobs go on")
{
	uint32_t domain;
	int i;

	pin(0, "0");
	domain = domain_on("1-2", "sekg", NULL);
	plan_set(domain, sekg_plan, 4);
	splits_start(domain, body_work);
	for (i = 0; i < 2; i++) {
		splits_await(1);
		/* Partitioned, the three do not fit. */
		refused(domain_swap(domain, "edf", ""), EBUSY);
		/* NPS-F's windows are a little shorter, and still enough. */
		must(domain_swap(domain, "npsf", ""));
		splits_await(1);
		must(domain_swap(domain, "sekg", ""));
	}
	atomic_store(&splits[1].task.stop, 1);
	task_join(&splits[1].task);
	for (i = 0; i < 4; i++) {
		uint64_t had =
			atomic_load(&splits[0].task.jobs) + atomic_load(&splits[2].task.jobs);

		must(domain_swap(domain, i & 1 ? "edf" : "fifo", ""));
		await(atomic_load(&splits[0].task.jobs) + atomic_load(&splits[2].task.jobs) >=
		      had + 3);
		must(domain_swap(domain, i & 1 ? "sekg" : "npsf", ""));
		await(atomic_load(&splits[0].task.jobs) + atomic_load(&splits[2].task.jobs) >=
		      had + 6);
	}
	for (i = 0; i < TASKS; i += 2)
		atomic_store(&splits[i].task.stop, 1);
	for (i = 0; i < TASKS; i += 2)
		task_join(&splits[i].task);
	check_is(domain_stat(domain).ejections, 0);
}

TEST(change, "another plan comes into force at a slot boundary, while tasks run")
{
	struct resch_reserve other[4];
	uint32_t domain;
	uint64_t from, last = 0;
	int i;

	pin(0, "0");
	/* The same with the CPUs the other way round. */
	memcpy(other, npsf_plan, sizeof(other));
	for (i = 0; i < 4; i++)
		other[i].cpu = 3 - other[i].cpu;
	domain = domain_on("1-2", "npsf", NULL);
	last = plan_set(domain, npsf_plan, 4);
	splits_start(domain, body_work);
	for (i = 0; i < 4; i++) {
		splits_await(1);
		from = plan_set_from(domain, last, i & 1 ? npsf_plan : other, 4);
		check_is((from - last) % SLOT, 0);
		await(resch_now() > from + SLOT);
		last = from;
	}
	splits_await(1);
	check_is(atomic_load(&splits[0].cpus), 6);
	splits_stop();
	check_is(domain_stat(domain).ejections, 0);
}

static int process(void *arg)
{
	uint32_t domain = *(uint32_t *)arg;

	dev = resch_open();
	splits_start(domain, body_work);
	splits_await(1);
	for (;;)
		pause();
	return 0;
}

TEST(kill, "a program with split tasks is killed at any time, and nothing is left")
{
	uint32_t domain;
	int i;

	pin(0, "0");
	domain = domain_on("1-2", "sekg", NULL);
	plan_set(domain, sekg_plan, 4);
	for (i = 0; i < 4; i++) {
		pid_t pid = child(process, &domain);

		await(tasks_registered() == TASKS);
		sleep_ms(50 + 97 * i);
		kill(pid, SIGKILL);
		child_wait(pid);
		await(tasks_registered() == 0);
	}
	check_is(domain_stat(domain).tasks, 0);
	check_is(domain_stat(domain).ejections, 0);
}

TEST(offline, "a CPU goes offline under split tasks, and comes back")
{
	uint32_t domain;
	unsigned int i;

	pin(0, "0");
	domain = domain_on("1-2", "sekg", NULL);
	plan_set(domain, sekg_plan, 4);
	splits_start(domain, body_until_gone);
	splits_await(1);
	check(file_write("/sys/devices/system/cpu/cpu2/online", "0"), "offline: %s",
	      strerror(errno));
	/* The first one lives on the other CPU, and stays. */
	await(domain_stat(domain).tasks == 1);
	for (i = 1; i < TASKS; i++)
		await(atomic_load(&splits[i].task.step) == 1);
	check_is(atomic_load(&splits[0].task.step), 0);
	check(file_write("/sys/devices/system/cpu/cpu2/online", "1"), "online: %s",
	      strerror(errno));
	await(atomic_load(&splits[0].task.jobs) >= 4);
	must(resch_unregister(dev, splits[0].task.id));
	splits_stop();
	/* The plan has outlived it. */
	splits_start(domain, body_work);
	splits_await(2);
	splits_stop();
}
