// SPDX-License-Identifier: GPL-2.0
/* test_taskset - the simulator's task-set files: what they may say, and what is said of bad ones */
#include "rig.h"
#include "sim.h"

static int parse(const char *text, struct sim_set *set, char *error, size_t size)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int err = sim_set_read(file, set, error, size);

	fclose(file);
	return err;
}

static void files(void **state)
{
	char error[200];
	struct sim_set set;

	assert_int_equal(
		parse("# generated\n\n7,500,1000,20000,30000,15000,10,20\n8,1,2,3,3,3,0,0,\n", &set,
		      error, sizeof(error)),
		0);
	assert_int_equal(set.count, 2);
	assert_string_equal(set.specs[0].params.name, "7");
	assert_int_equal(set.specs[0].exec_min, 500);
	assert_int_equal(set.specs[0].exec_max, 1000);
	assert_int_equal(set.specs[0].params.wcet, 1000);
	assert_int_equal(set.specs[0].params.period, 20000);
	assert_int_equal(set.specs[0].gap_max, 30000);
	assert_int_equal(set.specs[0].params.deadline, 15000);
	assert_int_equal(set.specs[0].params.offset, 10);
	assert_int_equal(set.specs[0].offset_max, 20);
	assert_int_equal(set.specs[0].params.kind, RESCH_SPORADIC);
	assert_int_equal(set.specs[1].params.kind, RESCH_PERIODIC);
	free(set.specs);

	assert_int_equal(parse("name, cpu, priority, wcet, period, overrun, miss, max_exec\n"
			       "control, 1, 3, 1.5ms, 10ms, throttle, skip, 2ms\n",
			       &set, error, sizeof(error)),
			 0);
	assert_string_equal(set.specs[0].params.name, "control");
	assert_int_equal(set.specs[0].params.cpu, 1);
	assert_int_equal(set.specs[0].params.priority, 3);
	assert_int_equal(set.specs[0].params.wcet, 1500000);
	assert_int_equal(set.specs[0].params.deadline, 10000000);
	assert_int_equal(set.specs[0].params.overrun, RESCH_THROTTLE);
	assert_int_equal(set.specs[0].params.miss, RESCH_SKIP);
	assert_int_equal(set.specs[0].exec_max, 2000000);
	free(set.specs);
}

static void bad_files(void **state)
{
	static const char *const bad[][2] = {
		{ "# nothing\n", "no tasks" },
		{ "1,1,2,3\n", "line 1: fewer fields" },
		{ "1,1,2,x,3,3,0,0\n", "line 1: not a time" },
		{ "1,1,2,3,3,3,0,0,9\n", "line 1: more fields" },
		{ "1,1,2,3,3,3,0,0,,\n", "line 1: more fields" },
		{ "name,colour\n", "line 1: unknown column 'colour'" },
		{ "name,wcet,period\na,2,1\n", "line 2: wcet" },
		{ "name,wcet,period\na,2h,1\n", "line 2: not a time" },
		{ "name,wcet,period\na,1,3601s\n", "line 2: not a time" },
		{ "name,wcet,period,miss\na,1,2,ignore\n", "line 2: unknown word 'ignore'" },
		{ "name,wcet\na,1\n", "line 2: no period" },
	};
	char error[200];
	struct sim_set set;
	u32 i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i][0], &set, error, sizeof(error)), -EINVAL);
		if (!strstr(error, bad[i][1]))
			fail_msg("'%s' does not say '%s'", error, bad[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(bad_files),
	};

	return cmocka_run_group_tests_name("taskset", tests, NULL, NULL);
}
