// SPDX-License-Identifier: GPL-2.0
/* eject.c - plugins that break the rules are thrown out; see tests/modules */
#include "crowd.h"
#include "still.h"

/* A watchdog that bites soon: the plugins of other tests have to do what they do here. */
static __attribute__((constructor)) void eject_params(void)
{
	test_params = "watchdog_ms=500";
}

/* Six tasks run under edf, then this plugin takes over. */
static void eject(const char *name, const char *reason)
{
	uint64_t restored = info().restored;
	uint32_t domain = use("edf");
	struct resch_domain_stat stat;
	char module[64];

	crowd_start();
	must(domain_swap(domain, name, NULL));
	await(domain_stat(domain).ejections == 1);
	crowd_gone(RESCH_GONE_EJECT);
	stat = domain_stat(domain);
	check(!strcmp(stat.plugin, "fifo"), "the domain is on %s", stat.plugin);
	check(!strcmp(stat.eject_plugin, name), "the plugin thrown out is said to be '%s'",
	      stat.eject_plugin);
	check(strstr(stat.eject_reason, reason), "the reason is '%s'", stat.eject_reason);
	check_is(stat.tasks, 0);
	check_is(stat.ejections, 1);
	check_is(info().restored, restored + 6);
	check_is(plugin_stat(name).users, 0);
	check(plugin_stat(name).ejections >= 1, "the plugin's ejections are not counted");
	crowd_after();
	/* Nothing holds it any more. */
	snprintf(module, sizeof(module), "resch-%s", name);
	must(module_unload(module));
	/* And the domain takes another plugin. */
	must(domain_swap(domain, "edf", NULL));
	crowd_after();
	check_is(domain_stat(domain).ejections, 1);
}

TEST(stall, "a plugin that picks nobody is thrown out")
{
	eject("bad-stall", "nobody");
}

TEST(nonsense, "a plugin that picks a task that is not ready is thrown out")
{
	eject("bad-nonsense", "not ready");
}

TEST(past, "a plugin whose answer has run out already is thrown out")
{
	eject("bad-past", "past");
}

TEST(slow, "a plugin that takes long for each answer is thrown out")
{
	eject("bad-slow", "too long");
}

TEST(seldom, "a plugin that takes long now and then, as if a host had taken the CPU away, stays")
{
	struct task tasks[2] = { { .reg = periodic(10 * MS, MS) },
				 { .reg = periodic(20 * MS, MS) } };
	uint32_t domain = use("edf");
	int i;

	for (i = 0; i < 2; i++)
		task_start(&tasks[i], body_idle);
	must(domain_swap(domain, "bad-seldom", NULL));
	for (i = 0; i < 2; i++) {
		atomic_store(&tasks[i].jobs, 0);
		/* Each is at least one answer. */
		await(atomic_load(&tasks[i].jobs) >= 24);
	}
	for (i = 0; i < 2; i++)
		task_join(&tasks[i]);
	check_is(domain_stat(domain).ejections, 0);
}

static void body_ejected(struct task *task)
{
	int err = resch_wait(dev, &task->job);

	task->unregistered_end = true;
	check(err == -ECANCELED, "resch_wait: %s", errno_name(err));
}

TEST(first, "a plugin that is bad from the start, and bad again after it was thrown out")
{
	struct resch_domain_stat stat;
	struct task task = { .reg = periodic(100 * MS, 5 * MS) };
	uint32_t domain = use("bad-past");
	uint32_t i;

	for (i = 1; i <= 3; i++) {
		task.reg = periodic(100 * MS, 5 * MS);
		task.id = 0;
		task_start(&task, body_ejected);
		await(domain_stat(domain).ejections == i);
		task_join(&task);
		stat = domain_stat(domain);
		check(!strcmp(stat.plugin, "fifo"), "the domain is on %s", stat.plugin);
		crowd_after();
		must(domain_swap(domain, "bad-past", NULL));
	}
}

TEST(others, "another domain does not notice")
{
	struct task other = { .reg = periodic(50 * MS, 5 * MS) },
		    task = { .reg = periodic(100 * MS, 5 * MS) };
	uint32_t good = domain_on("0", "edf", NULL), bad = use("bad-past");

	other.reg.params.cpu = 0;
	task_start(&other, body_idle);
	task_start(&task, body_ejected);
	await(domain_stat(bad).ejections == 1);
	task_join(&task);
	check_is(domain_stat(good).ejections, 0);
	check(!strcmp(domain_stat(good).plugin, "edf"), "the other domain is on %s",
	      domain_stat(good).plugin);
	atomic_store(&other.jobs, 0);
	await(atomic_load(&other.jobs) >= 3);
	task_join(&other);
}

static void body_swaps(struct task *task)
{
	pin(0, "0");
	must(domain_swap(*(uint32_t *)task->arg, "edf", NULL));
}

static bool attempt_replaced(void)
{
	struct task task = { .reg = sporadic(100 * SEC, SEC) };
	uint32_t domain = use("bad-past");
	struct task swaps = { .arg = &domain };
	bool still;
	int err;

	task_start(&task, body_idle);
	await(state_of(task.id) == RESCH_STATE_SLEEPING);
	atomic_store(&task.stop, 1);
	still_next();
	thread_start(&swaps, body_swaps);
	still_await();
	/* It has nobody to pick until now; with somebody it errs, and is to be thrown out. */
	must(resch_release(dev, task.id));
	sleep_ms(100);
	still = still_over();
	await(atomic_load(&swaps.ended));
	/* Until that has been looked into. */
	do
		err = domain_swap(domain, "fp", NULL);
	while (err == -EAGAIN);
	must(err);
	if (still)
		check_is(domain_stat(domain).ejections, 0);
	await(atomic_load(&task.ended));
	if (still)
		check_is(atomic_load(&task.jobs), 1);
	task_join(&swaps);
	task_join(&task);
	must(resch_domain_del(dev, domain));
	return still;
}

TEST(replaced, "who errs as it is being replaced does not take its successor with it")
{
	pin(0, "2");
	still_attempt("resch_takeover", attempt_replaced);
}

TEST(deleted, "a domain is deleted as its plugin is about to be thrown out")
{
	struct resch_register reg;
	uint32_t domain;
	int i, err;

	for (i = 0; i < 100; i++) {
		domain = use("bad-moody");
		reg = periodic(100 * SEC, SEC);
		err = resch_register_self(dev, &reg);
		check(!err || err == -EAGAIN, "resch_register_self: %s", errno_name(err));
		if (!err)
			resch_unregister(dev, 0);
		do
			err = resch_domain_del(dev, domain);
		while (err == -EBUSY);
		must(err);
	}
	check_is(info().tasks, 0);
}
