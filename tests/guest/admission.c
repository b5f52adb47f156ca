// SPDX-License-Identifier: GPL-2.0
/*
 * admission.c - the kernel's own answers: what each plugin takes and refuses, and why
 *
 * The tests themselves are held against oracles on the host (tests/unit); here is that the modules
 * ask them, each by each of its ways, and answer what can be worked out by hand.
 */
#include "lib.h"

#define TASKS 4 /* of a case, at most */

static struct task tasks[TASKS];
static int taken;

static struct resch_register asking(uint64_t period, uint64_t deadline, uint64_t wcet)
{
	struct resch_register reg = periodic(period, wcet);

	reg.params.flags = 0;
	reg.params.deadline = deadline;
	return reg;
}

static void takes(struct resch_register reg)
{
	struct task *task = &tasks[taken++];

	memset(task, 0, sizeof(*task));
	task->reg = reg;
	task_start(task, body_idle);
}

static void gives_back(void)
{
	while (taken)
		task_join(&tasks[--taken]);
}

/* What it would be refused for. */
static struct resch_verdict refuses(struct resch_register reg, uint32_t bound)
{
	uint32_t before = tasks_registered();

	refused(resch_register_self(dev, &reg), EBUSY);
	check_is(reg.verdict.bound, bound);
	check_is(tasks_registered(), before);
	return reg.verdict;
}

static uint32_t use_with(const char *plugin, const char *options)
{
	return domain_on("1", plugin, options);
}

TEST(edf, "edf with deadlines before the periods goes by processor demand")
{
	struct resch_verdict verdict;
	struct resch_register reg;

	use("edf");
	/* 3/4 and 4/12 are more than 1 in sum, and yet: 3 by 4, 7 by 12, 10 by 14 */
	takes(asking(10 * MS, 4 * MS, 3 * MS));
	takes(asking(20 * MS, 12 * MS, 4 * MS));
	/* 3 + 3 + 4 + 6 by 14 */
	verdict = refuses(asking(20 * MS, 6 * MS, 6 * MS), RESCH_BOUND_DEMAND);
	check_is(verdict.value, 16 * MS);
	check_is(verdict.limit, 14 * MS);
	check(verdict.suggest_wcet > 0 && verdict.suggest_wcet <= 3 * MS, "suggested: %llu",
	      verdict.suggest_wcet);
	reg = asking(20 * MS, 6 * MS, verdict.suggest_wcet);
	takes(reg);
	refuses(asking(200 * MS, 6 * MS, MS), RESCH_BOUND_DEMAND);
	gives_back();
}

TEST(fp, "fp by response times, and by the two linear bounds")
{
	uint32_t domain = use_with("fp", NULL);

	/* 90 %, harmonic, 1.45 * 1.45 is more than 2: the exact test alone takes them */
	takes(asking(20 * MS, 20 * MS, 9 * MS));
	takes(asking(40 * MS, 40 * MS, 18 * MS));
	gives_back();
	must(resch_domain_del(dev, domain));

	/* (1 + 0.5) (1 + 0.3) is 1.95; (1 + 0.5) (1 + 0.4) is 2.1 */
	domain = use_with("fp", "test=hyperbolic");
	takes(asking(10 * MS, 10 * MS, 5 * MS));
	refuses(asking(20 * MS, 20 * MS, 8 * MS), RESCH_BOUND_HYPERBOLIC);
	takes(asking(20 * MS, 20 * MS, 6 * MS));
	refuses(asking(20 * MS, 40 * MS, MS), RESCH_BOUND_PLUGIN);
	gives_back();
	must(resch_domain_del(dev, domain));

	/* two: at most 82.8 % */
	use_with("fp", "test=ll");
	takes(asking(10 * MS, 10 * MS, 5 * MS));
	refuses(asking(20 * MS, 20 * MS, 7 * MS), RESCH_BOUND_LIU_LAYLAND);
	takes(asking(20 * MS, 20 * MS, 6 * MS));
	gives_back();
}

TEST(demo, "demo by its turns")
{
	struct resch_verdict verdict;

	use_with("demo", "quantum=1ms");
	takes(asking(10 * MS, 10 * MS, 4 * MS));
	/* 3 ms in three turns, each after one of a millisecond of the other one's */
	verdict = refuses(asking(20 * MS, 5 * MS, 3 * MS), RESCH_BOUND_RESPONSE);
	check_is(verdict.value, 6 * MS);
	check_is(verdict.limit, 5 * MS);
	takes(asking(20 * MS, 6 * MS, 3 * MS));
	gives_back();
}

/* In a server of that policy, 4 ms of 10: the second of two tasks, 2 ms of 40 and this of 80. */
static void second(uint32_t policy, uint64_t quantum, uint64_t wcet)
{
	uint32_t domain = use("server");
	struct resch_server_set want = server_of(domain, 4 * MS, 10 * MS);
	struct resch_register reg;

	want.params.policy = policy;
	want.params.quantum = quantum;
	must(server_set(&want));
	reg = in_server(want.id, 40 * MS, 2 * MS);
	reg.params.priority = 1; /* the more urgent */
	takes(reg);
	reg = in_server(want.id, 80 * MS, wcet);
	reg.params.priority = 2;
	reg.params.deadline = 40 * MS;
	refuses(reg, RESCH_BOUND_RESPONSE);
	reg.params.deadline = 80 * MS;
	takes(reg);
	gives_back();
	must(resch_domain_del(dev, domain));
}

TEST(members, "members of servers by fixed priorities, and by turns")
{
	/* 22 ms take six budgets: more than 40 ms, and less than 80. */
	second(RESCH_SERVER_RM, 0, 20 * MS);
	second(RESCH_SERVER_DM, 0, 20 * MS);
	second(RESCH_SERVER_PRIORITY, 0, 20 * MS);
	/* 10 ms, and a millisecond of the other one's before each: five budgets. */
	second(RESCH_SERVER_RR, MS, 10 * MS);
}

TEST(parameters, "parameters of the module that can't be: it is not loaded, and then it is")
{
	static const char *const wrong[] = { "level=0",	  "level=98",	"levels=0",
					     "levels=98", "stop=never", "nonsense=1" };
	char left[120];
	unsigned int i;

	close(dev);
	must(modules_unload(left, sizeof(left)));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]) - 1; i++)
		refused(module_load("resch", wrong[i]), EINVAL);
	/* the kernel only warns of what it does not know */
	must(module_load("resch", wrong[i]));
	must(modules_unload(left, sizeof(left)));
	must(test_load());
	dev = must(resch_open());
}

TEST(shapes, "what can't be a plugin is none")
{
	static const char *const wrong[] = { "wrong=name",    "wrong=pick",  "wrong=valid",
					     "wrong=stopped", "wrong=order", "wrong=fixed",
					     "wrong=abi" };
	uint32_t before = info().plugins;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		refused(module_load("resch-bad-shape", wrong[i]), EINVAL);
		check_is(info().plugins, before);
	}
	must(module_load("resch-bad-shape", ""));
	check_is(info().plugins, before + 1);
	must(module_unload("resch-bad-shape"));
	check_is(info().plugins, before);
}
