// SPDX-License-Identifier: GPL-2.0
/* domains.c - requests that are about domains, plugins and plans, see faults.h */
#include "faults.h"

static void no_domain(void)
{
	struct resch_domain_stat stat = {};

	while (resch_domain_next(dev, &stat) == 1)
		must(resch_domain_del(dev, stat.domain));
}

static void a_domain(void)
{
	struct resch_domain_stat stat = {};

	if (resch_domain_next(dev, &stat) != 1)
		domain = use("fp");
	asked.domain_del.domain = domain;
}

static void is_fp(void)
{
	if (strcmp(domain_stat(domain).plugin, "fp"))
		must(domain_swap(domain, "fp", NULL));
}

TRIALS(domain_set)
{
	struct task standing[2] = { { .reg = periodic(20 * MS, MS) },
				    { .reg = periodic(21 * MS, MS) } };

	must(module_load("resch-fp", ""));
	must(module_load("resch-edf", ""));
	must(resch_cpus_parse("1", &asked.domain_set.cpus));
	strcpy(asked.domain_set.plugin, "fp");
	strcpy(asked.domain_set.options, "order=rm");
	fails(no_domain);
	domain = use("fp");
	task_start(&standing[0], body_idle);
	task_start(&standing[1], body_idle);
	asked.domain_set = (struct resch_domain_set){ .domain = domain, .plugin = "edf" };
	fails(is_fp);
	task_join(&standing[0]);
	task_join(&standing[1]);
}

TRIALS(domain_del)
{
	fails(a_domain);
}

TRIALS(domain_stat)
{
	a_domain();
	asked.domain_stat = (struct resch_domain_stat){ .next = 1 };
	fails(NULL);
}

/* Whether the kernel was asked to look for it can't be told from here. */
static long act_look(void)
{
	long result = act();

	return result == -ENOENT ? 0 : result;
}

TRIALS(plugin_load)
{
	must(module_load("resch-fp", ""));
	strcpy(asked.plugin_load.name, "fp");
	fails(NULL);
	strcpy(asked.plugin_load.name, "none-such");
	each_fails(&(struct trial){ NULL, act_look, report_all });
}

TRIALS(plugin_stat)
{
	fails(NULL);
}

static struct resch_reserve reserves[4] = {
	{ .group = 1, .cpu = CPU, .end = 50 * MS },
	{ .group = 2, .cpu = CPU, .begin = 50 * MS, .end = 80 * MS }
};

/* A plan whose time has come may still have to wait for a CPU of its domain. */
static long act_plan(void)
{
	long result;

	do {
		result = act();
	} while (result == -EAGAIN);
	return result;
}

static void no_plan(void)
{
	uint64_t from = 0;
	int err;

	do {
		err = resch_plan_set(dev, domain, 100 * MS, &from, NULL, 0, NULL);
	} while (err == -EAGAIN);
	must(err);
}

TRIALS(plan_set)
{
	domain = use("sekg");
	asked.plan_set.domain = domain;
	asked.plan_set.count = 2;
	asked.plan_set.slot = 100 * MS;
	asked.plan_set.reserves = (uintptr_t)reserves;
	each_fails(&(struct trial){ no_plan, act_plan, report_all });
}

TRIALS(plan_get)
{
	uint64_t from = 0;

	domain = use("sekg");
	must(resch_plan_set(dev, domain, 100 * MS, &from, reserves, 2, NULL));
	asked.plan_get.domain = domain;
	asked.plan_get.count = 4;
	asked.plan_get.reserves = (uintptr_t)reserves;
	fails(NULL);
}
