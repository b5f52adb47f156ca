// SPDX-License-Identifier: GPL-2.0
/*
 * test_balance_scenario.c - what a scenario says is what resch-balance reads, and what makes no
 * sense is refused
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../bench/balance/scenario.h"

static char why[200];

static int parse(struct scenario *scenario, const char *text)
{
	FILE *from = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int result;

	why[0] = '\0';
	result = scenario_read(scenario, from, why, sizeof(why));
	fclose(from);
	return result;
}

/* Figure 9 of INRIA RR-5781, as it is printed. */
static void figure_of_the_report(void **state)
{
	struct scenario scenario;

	(void)state;
	assert_int_equal(parse(&scenario, "# a normal task\n"
					  "{\n"
					  "    cpu_mask = 0xffff\n"
					  "    loop = 10000000\n"
					  "}\n"
					  "# a RT task\n"
					  "{\n"
					  "    cpu_mask = 0x2\n"
					  "    sched = FIFO\n"
					  "    priority = 99\n"
					  "    loop = 110000000\n"
					  "    sloop = 4000\n"
					  "    sleep = 1000000\n"
					  "}\n"),
			 0);
	assert_int_equal(scenario.groups, 2);
	assert_int_equal(scenario.tasks, 2);
	assert_int_equal(scenario.group[0].policy, SCHED_OTHER);
	assert_int_equal(scenario.group[0].cpu_mask, 0xffff);
	assert_int_equal(scenario.group[0].work.value, 10000000);
	assert_true(scenario.group[0].work.steps);
	assert_int_equal(scenario.group[0].run.value, 0);
	assert_string_equal(scenario.group[0].name, "1");
	assert_int_equal(scenario.group[1].policy, SCHED_FIFO);
	assert_int_equal(scenario.group[1].priority, 99);
	assert_int_equal(scenario.group[1].cpu_mask, 2);
	assert_int_equal(scenario.group[1].run.value, 4000);
	assert_true(scenario.group[1].run.steps);
	assert_int_equal(scenario.group[1].sleep_ns, 1000000000);
}

static void times_are_us(void **state)
{
	struct scenario scenario;

	(void)state;
	assert_int_equal(parse(&scenario, "{\nname = a b # two words\ncount=8\ncpu = 300\n"
					  "lock=200\nrun=9000\n sleep = 1000\n}"),
			 0);
	assert_int_equal(scenario.tasks, 8);
	assert_string_equal(scenario.group[0].name, "a b");
	assert_int_equal(scenario.group[0].work.value, 300000);
	assert_false(scenario.group[0].work.steps);
	assert_int_equal(scenario.group[0].lock.value, 200000);
	assert_int_equal(scenario.group[0].run.value, 9000000);
	assert_int_equal(scenario.group[0].sleep_ns, 1000000);
}

static void refused(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "line 0: no task ever ends: cpu or loop is missing" },
		{ "{\n}\n", "line 2: no task ever ends: cpu or loop is missing" },
		{ "{\ncpu = 1\n", "line 2: a task has no }" },
		{ "{\n{\n", "line 2: a task within a task" },
		{ "}\n", "line 1: no task ends here" },
		{ "cpu = 1\n", "line 1: 'cpu = 1' is neither {, } nor KEY = VALUE within them" },
		{ "{\ncpu = 1\nloop = 1\n}\n",
		  "line 3: an amount is given in steps or in time, once" },
		{ "{\ncpu = -1\n}\n", "line 2: '-1' is not 1 to 1000000000000" },
		{ "{\ncpu = 5x\n}\n", "line 2: '5x' is not 1 to 1000000000000" },
		{ "{\ncpu = 0\n}\n", "line 2: '0' is not 1 to 1000000000000" },
		{ "{\nsched = IDLE\n}\n", "line 2: sched is OTHER, FIFO or RR, not 'IDLE'" },
		{ "{\ncpu = 1\nsched = RR\n}\n",
		  "line 4: FIFO and RR need a priority, OTHER has none" },
		{ "{\ncpu = 1\npriority = 5\n}\n",
		  "line 4: FIFO and RR need a priority, OTHER has none" },
		{ "{\ncpu = 1\nsleep = 5\n}\n",
		  "line 4: sleep needs run or sloop, and the other way round" },
		{ "{\ncpu = 1\nsloop = 5\n}\n",
		  "line 4: sleep needs run or sloop, and the other way round" },
		{ "{\ncpu = 1\npriority = 100\n}\n", "line 3: '100' is not 1 to 99" },
		{ "{\ncpu = 1\ncount = 200\n}\n{\ncpu = 1\ncount = 57\n}\n",
		  "line 8: more than 256 tasks" },
		{ "{\nnice = 5\n}\n", "line 2: nothing is called 'nice'" },
		{ "{\nname = \"\n}\n", "line 2: '\"' is no name" },
	};
	struct scenario scenario;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&scenario, *cases[i].text ? cases[i].text : "\n"), -1);
		if (*cases[i].text)
			assert_string_equal(why, cases[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figure_of_the_report),
		cmocka_unit_test(times_are_us),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
