// SPDX-License-Identifier: GPL-2.0
/* swap.c - a domain's plugin is changed under running tasks */
#include "lib.h"

/* Every job comes, in order, where the first one says that it belongs. */
static void body_contiguous(struct task *task)
{
	uint64_t first = 0, period = task->reg.params.period;

	while (!atomic_load(&task->stop)) {
		task_wait(task);
		if (!first)
			first = task->job.release;
		if (task->job.job != atomic_load(&task->jobs))
			fail("task %d: job %llu comes after %llu jobs", task->number,
			     (unsigned long long)task->job.job,
			     (unsigned long long)atomic_load(&task->jobs) - 1);
		if (task->job.release != first + (task->job.job - 1) * period)
			fail("task %d: job %llu is released %lld ns from where it belongs",
			     task->number, (unsigned long long)task->job.job,
			     (long long)(task->job.release - first - (task->job.job - 1) * period));
		check_is(task->job.deadline, task->job.release + task->reg.params.deadline);
		check_is(task->job.skipped, 0);
		spin(2 * MS);
	}
}

TEST(fifty, "50 swaps under running tasks: no job is lost, no release moves")
{
	static const char *const plugins[] = { "edf", "fp",   "demo", "fifo",
					       "fp",  "fifo", "edf",  "demo" };
	static struct task tasks[4];
	uint32_t domain = use("fifo");
	struct resch_task_stat stat;
	int i;

	for (i = 0; i < 4; i++) {
		tasks[i].number = i;
		tasks[i].reg = periodic((30 + 20 * i) * MS, 5 * MS);
		tasks[i].reg.params.deadline = tasks[i].reg.params.period;
		task_start(&tasks[i], body_contiguous);
	}
	for (i = 0; i < 50; i++) {
		sleep_ms(i * 7 % 41);
		must(domain_swap(domain, plugins[i % 8], NULL));
		check(!strcmp(domain_stat(domain).plugin, plugins[i % 8]),
		      "after the swap it is %s", domain_stat(domain).plugin);
	}
	check_is(domain_stat(domain).swaps, 50);
	check_is(domain_stat(domain).ejections, 0);
	for (i = 0; i < 4; i++) {
		uint64_t jobs = atomic_load(&tasks[i].jobs);

		await(atomic_load(&tasks[i].jobs) >= jobs + 2);
		stat = stat_of(tasks[i].id);
		check_is(stat.skipped, 0);
		check(stat.job >= jobs, "task %d is said to be at job %llu, not %llu or later", i,
		      (unsigned long long)stat.job, (unsigned long long)jobs);
		task_join(&tasks[i]);
	}
}

static void body_first_then_count(struct task *task)
{
	task_wait(task);
	note('A' + task->number);
	while (!atomic_load(&task->stop)) {
		atomic_fetch_add(&task->step, 1);
		spin(MS / 10);
	}
	note('a' + task->number);
}

TEST(jobs, "jobs under way go over: the new plugin's order holds for them")
{
	uint32_t domain = use("edf");
	struct task tasks[2] = { { .number = 0 }, { .number = 1 } };

	/* A has the earlier deadline, B the higher priority. */
	tasks[0].reg = periodic(600 * SEC, SEC);
	tasks[0].reg.params.priority = 20;
	tasks[1].reg = periodic(700 * SEC, SEC);
	tasks[1].reg.params.priority = 10;
	task_start(&tasks[0], body_first_then_count);
	await(state_of(tasks[0].id) == RESCH_STATE_SELECTED);
	task_start(&tasks[1], body_first_then_count);
	await(state_of(tasks[1].id) == RESCH_STATE_READY);
	must(domain_swap(domain, "fp", "order=explicit"));
	await(state_of(tasks[1].id) == RESCH_STATE_SELECTED);
	check_is(state_of(tasks[0].id), RESCH_STATE_READY);
	await(atomic_load(&tasks[1].step) > 0);
	must(domain_swap(domain, "edf", NULL));
	await(state_of(tasks[0].id) == RESCH_STATE_SELECTED);
	check_is(state_of(tasks[1].id), RESCH_STATE_READY);
	check_is(stat_of(tasks[0].id).job, 1);
	check_is(stat_of(tasks[1].id).job, 1);
	task_join(&tasks[0]);
	task_join(&tasks[1]);
	check(!strcmp(notes(), "ABab"), "the order is %s", notes());
}

/* These two fit under edf, not under fp: 70 + 2 * 45 is more than 145. */
static void pair_start(struct task *tasks)
{
	tasks[0].reg = periodic(100 * MS, 45 * MS);
	tasks[0].reg.params.flags = 0;
	tasks[1].number = 1;
	tasks[1].reg = periodic(145 * MS, 70 * MS);
	tasks[1].reg.params.flags = 0;
	task_start(&tasks[0], body_idle);
	task_start(&tasks[1], body_idle);
}

static void pair_goes_on(struct task *tasks)
{
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t jobs = atomic_load(&tasks[i].jobs);

		await(atomic_load(&tasks[i].jobs) > jobs);
	}
}

static void refuse(uint32_t domain, const char *plugin, const char *options, uint32_t bound,
		   uint32_t task)
{
	struct resch_domain_set want = { .domain = domain };

	must(resch_plugin_load(dev, "fifo"));
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	snprintf(want.options, sizeof(want.options), "%s", options);
	refused(resch_domain_set(dev, &want), EBUSY);
	check_is(want.verdict.bound, bound);
	check_is(want.verdict.cpu, CPU);
	if (task)
		check_is(want.verdict.task, task);
}

TEST(refused, "a plugin that refuses the standing tasks does not come, the old one stays")
{
	struct task tasks[2] = { { .number = 0 }, { .number = 1 } };
	uint32_t domain = use("edf");
	struct resch_domain_stat stat;

	must(module_load("resch-fp", ""));
	pair_start(tasks);
	pair_goes_on(tasks);
	refuse(domain, "fp", "", RESCH_BOUND_RESPONSE, tasks[1].id);
	refuse(domain, "fp", "test=ll", RESCH_BOUND_LIU_LAYLAND, 0);
	stat = domain_stat(domain);
	check(!strcmp(stat.plugin, "edf"), "the plugin is %s", stat.plugin);
	check(!stat.options[0], "the options are '%s'", stat.options);
	check_is(stat.swaps, 0);
	pair_goes_on(tasks);
	/* Without the second one there is room. */
	task_join(&tasks[1]);
	must(domain_swap(domain, "fp", "test=ll"));
	stat = domain_stat(domain);
	check(!strcmp(stat.plugin, "fp") && !strcmp(stat.options, "test=ll"), "it is %s with '%s'",
	      stat.plugin, stat.options);
	check_is(stat.swaps, 1);
	task_join(&tasks[0]);
}

TEST(skipped, "tasks that skipped admission are not asked again")
{
	uint32_t domain = use("fifo");
	struct task tasks[2] = { { .number = 0 }, { .number = 1 } };
	int i;

	for (i = 0; i < 2; i++) {
		tasks[i].reg = periodic(100 * MS, 90 * MS);
		task_start(&tasks[i], body_idle);
	}
	must(domain_swap(domain, "edf", NULL));
	must(domain_swap(domain, "fp", "test=rta"));
	pair_goes_on(tasks);
	for (i = 0; i < 2; i++)
		task_join(&tasks[i]);
}

TEST(capacity, "less capacity than the standing tasks need is refused")
{
	struct resch_domain_set want = { .plugin = "edf", .capacity = 500000 };
	struct task tasks[2] = { { .number = 0 }, { .number = 1 } };
	uint32_t domain = use("edf");

	pair_start(tasks);
	want.domain = domain;
	refused(resch_domain_set(dev, &want), EBUSY);
	check_is(want.verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(domain_stat(domain).capacity, 950000);
	want.capacity = 1000000;
	must(resch_domain_set(dev, &want));
	check_is(domain_stat(domain).capacity, 1000000);
	pair_goes_on(tasks);
	task_join(&tasks[0]);
	task_join(&tasks[1]);
}

TEST(wrong, "an unknown plugin, domain or option changes nothing")
{
	struct task task = { .reg = periodic(50 * MS, 5 * MS) };
	uint32_t domain = use("fp");
	struct resch_domain_stat stat;

	must(module_load("resch-edf", ""));
	must(module_load("resch-demo", ""));
	task_start(&task, body_idle);
	refused(domain_swap(domain, "nobody", NULL), ENOENT);
	refused(domain_swap(domain, "No such", NULL), ENOENT);
	refused(domain_swap(domain + 1, "edf", NULL), ENODEV);
	refused(domain_swap(domain, "edf", "order=rm"), EINVAL);
	refused(domain_swap(domain, "fifo", "a=b"), EINVAL);
	refused(domain_swap(domain, "fp", "order=wrong"), EINVAL);
	refused(domain_swap(domain, "fp", "order"), EINVAL);
	refused(domain_swap(domain, "fp", "order=rm,colour=red"), EINVAL);
	refused(domain_swap(domain, "fp", "order=explicit,test=ll"), EINVAL);
	refused(domain_swap(domain, "demo", "quantum=1us"), EINVAL);
	refused(domain_swap(domain, "demo", "quantum=1000000"), EINVAL);
	stat = domain_stat(domain);
	check(!strcmp(stat.plugin, "fp"), "the plugin is %s", stat.plugin);
	check(!stat.options[0], "the options are '%s'", stat.options);
	check_is(stat.swaps, 0);
	atomic_store(&task.jobs, 0);
	await(atomic_load(&task.jobs) >= 2);
	task_join(&task);
}

static void body_unbound(struct task *task)
{
	while (!atomic_load(&task->stop))
		sleep_ms(10);
}

struct contained {
	const char *cpus;
	void (*body)(struct task *task);
};

/* A process in a container, as the module knows one: its control groups are its own. */
static int contained(void *arg)
{
	struct task task = { .reg = periodic(50 * MS, 5 * MS) };
	const struct contained *own = arg;

	must(unshare(CLONE_NEWCGROUP) ? -errno : 0);
	dev = resch_open();
	pin(0, own->cpus);
	task.reg.params.cpu = 1;
	task.reg.params.group = 1;
	task_start(&task, own->body);
	for (;;)
		pause();
	return 0;
}

/* The domain has the plugin edf, or fp; whether the task makes its first wait or none yet. */
static void roams(uint32_t domain, void (*body)(struct task *task))
{
	struct contained one = { "1", body }, all = { "1-2", body };
	pid_t pid = child(contained, &one);

	await(tasks_registered() == 1);
	refused(domain_swap(domain, "sekg", NULL), EBUSY);
	must(domain_swap(domain, "fp", NULL));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
	pid = child(contained, &all);
	await(tasks_registered() == 1);
	must(domain_swap(domain, "sekg", NULL));
	must(domain_swap(domain, "edf", NULL));
	kill(pid, SIGKILL);
	child_wait(pid);
	await(tasks_registered() == 0);
}

TEST(roam, "a container's task is not taken by a plugin that would move it from its affinity")
{
	static const struct resch_reserve plan[] = {
		{ .group = 1, .cpu = 1, .begin = 0, .end = 100 * MS },
	};
	uint32_t domain = domain_on("1-2", "edf", NULL);

	must(module_load("resch-sekg", ""));
	must(resch_plan_set(dev, domain, 100 * MS, NULL, plan, 1, NULL));
	roams(domain, body_idle);
	roams(domain, body_unbound);
}

TEST(held, "a plugin in use can't be unloaded, one that no domain uses can")
{
	uint32_t domain = use("edf");

	refused(module_unload("resch-edf"), EAGAIN);
	refused(module_unload("resch"), EAGAIN);
	must(domain_swap(domain, "fifo", NULL));
	must(module_unload("resch-edf"));
	refused(module_unload("resch"), EAGAIN);
	must(domain_swap(domain, "edf", NULL));
	refused(module_unload("resch-edf"), EAGAIN);
	must(resch_domain_del(dev, domain));
	must(module_unload("resch-edf"));
}
