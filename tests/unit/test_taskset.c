// SPDX-License-Identifier: GPL-2.0
/* test_taskset - task-set files: what they may say, and what is said of bad ones */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "taskset.h"

static int parse(const char *text, struct taskset *set, char *error, size_t size)
{
	FILE *file = fmemopen((void *)text, strlen(text), "r");
	int err = taskset_read(file, set, error, size);

	fclose(file);
	return err;
}

static void files(void **state)
{
	char error[TASKSET_ERROR];
	struct taskset set;

	assert_int_equal(
		parse("# generated\n\n7,500,1000,20000,30000,15000,10,20\n8,1,2,3,3,3,0,0,\n", &set,
		      error, sizeof(error)),
		0);
	assert_int_equal(set.count, 2);
	assert_string_equal(set.tasks[0].params.name, "7");
	assert_int_equal(set.tasks[0].exec_min, 500);
	assert_int_equal(set.tasks[0].exec_max, 1000);
	assert_int_equal(set.tasks[0].params.wcet, 1000);
	assert_int_equal(set.tasks[0].params.period, 20000);
	assert_int_equal(set.tasks[0].gap_max, 30000);
	assert_int_equal(set.tasks[0].params.deadline, 15000);
	assert_int_equal(set.tasks[0].params.offset, 10);
	assert_int_equal(set.tasks[0].offset_max, 20);
	assert_int_equal(set.tasks[0].params.kind, RESCH_SPORADIC);
	assert_int_equal(set.tasks[1].params.kind, RESCH_PERIODIC);
	taskset_free(&set);

	assert_int_equal(parse("name, cpu, priority, wcet, period, overrun, miss, max_exec\n"
			       "control, 1, 3, 1.5ms, 10ms, throttle, skip, 2ms\n",
			       &set, error, sizeof(error)),
			 0);
	assert_string_equal(set.tasks[0].params.name, "control");
	assert_int_equal(set.tasks[0].params.cpu, 1);
	assert_int_equal(set.tasks[0].params.priority, 3);
	assert_int_equal(set.tasks[0].params.wcet, 1500000);
	assert_int_equal(set.tasks[0].params.deadline, 10000000);
	assert_int_equal(set.tasks[0].params.overrun, RESCH_THROTTLE);
	assert_int_equal(set.tasks[0].params.miss, RESCH_SKIP);
	assert_int_equal(set.tasks[0].exec_max, 2000000);
	taskset_free(&set);
}

static void more_files(void **state)
{
	char error[TASKSET_ERROR], text[6000];
	struct taskset set;

	assert_int_equal(
		parse("name,cpu,group,kind,wcet,period,deadline\na,-1,7,sporadic,1ns,10ns,\nb,,,periodic,2ns,10ns,30ns\n",
		      &set, error, sizeof(error)),
		0);
	assert_int_equal(set.tasks[0].params.cpu, -1);
	assert_int_equal(set.tasks[0].params.group, 7);
	assert_int_equal(set.tasks[0].params.kind, RESCH_SPORADIC);
	assert_int_equal(set.tasks[0].params.deadline, 10);
	assert_int_equal(set.tasks[0].exec_min, 1);
	assert_int_equal(set.tasks[0].gap_max, 10);
	assert_int_equal(set.tasks[1].params.cpu, -1);
	assert_int_equal(set.tasks[1].params.group, 0);
	assert_int_equal(set.tasks[1].params.deadline, 30);
	taskset_free(&set);

	/* a line of any length, of which 15 bytes are the name */
	memset(text, 'n', 5000);
	strcpy(text + 5000, ",1000000,2000000,3000000,4000000,5000000,6000000,7000000");
	memcpy(text, "1", 1);
	assert_int_equal(parse(text, &set, error, sizeof(error)), 0);
	assert_int_equal(set.count, 1);
	assert_string_equal(set.tasks[0].params.name, "1nnnnnnnnnnnnnn");
	assert_int_equal(set.tasks[0].offset_max, 7000000);
	taskset_free(&set);
}

static void bad_files(void **state)
{
	static const char *const bad[][2] = {
		{ "# nothing\n", "no tasks" },
		{ "1,1,2,3\n", "line 1: fewer fields" },
		{ "1,1,2,x,3,3,0,0\n", "line 1: in a file without a heading" },
		{ "1,1,2,3ms,3,3,0,0\n", "whole ns without a unit, at most an hour, not '3ms'" },
		{ "1,2,1,3,3,3,0,0\n",
		  "line 1: the least execution time is above the greatest, for '1'" },
		{ "1,1,2,3,2,3,0,0\n", "the longest distance of releases is below the period" },
		{ "1,1,2,3,3,3,2,1\n", "the least offset is above the greatest" },
		{ "name,wcet,period\na,2ms,10\n", "line 2: period '10' has no unit: 10ms?" },
		{ "name,wcet,period,min_exec,max_exec\na,2ms,10ms,3ms,2ms\n",
		  "line 2: the least execution time is above" },
		{ "1,1,2,3,3,3,0,0,9\n", "line 1: more fields" },
		{ "1,1,2,3,3,3,0,0,,\n", "line 1: more fields" },
		{ "name,colour\n", "line 1: unknown column 'colour'; columns are name cpu group" },
		{ "name,wcet,period\na,2ms,1ms\n", "line 2: wcet" },
		{ "name,wcet,period\na,2d,1ms\n", "line 2: not a time" },
		{ "name,wcet,period\na,1ms,3601s\n", "line 2: not a time" },
		{ "name,wcet,period,miss\na,1ms,2ms,ignore\n",
		  "line 2: reactions are count, notify" },
		{ "name,wcet,period,miss\na,1ms,2ms,ignore\n", ", not 'ignore'" },
		{ "name,wcet,period,kind\na,1ms,2ms,wakeup\n",
		  "line 2: kinds are periodic, sporadic, not 'wakeup'" },
		{ "name,wcet,period,cpu\na,1ms,2ms,1024\n",
		  "line 2: not a number from 0 to 1023: '1024'" },
		{ "name,wcet,period,cpu\na,1ms,2ms,-2\n",
		  "line 2: not a number from 0 to 1023: '-2'" },
		{ "name,wcet,period,group\na,1ms,2ms,3x\n",
		  "line 2: not a number from 0 to 4096: '3x'" },
		{ "name,wcet,period,priority\na,1ms,2ms,10001\n",
		  "line 2: not a number from 0 to 10000" },
		{ "id,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,wcet\n",
		  "line 1: too many columns, at 'wcet'" },
		{ "name,wcet\na,1ms\n", "line 2: no period" },
	};
	char error[TASKSET_ERROR];
	struct taskset set;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(bad[i][0], &set, error, sizeof(error)), -EINVAL);
		if (!strstr(error, bad[i][1]))
			fail_msg("'%s' does not say '%s'", error, bad[i][1]);
	}
}

static void unreadable(void **state)
{
	FILE *folder = fopen("/", "r");
	char error[TASKSET_ERROR];
	struct taskset set;

	assert_non_null(folder);
	assert_int_equal(taskset_read(folder, &set, error, sizeof(error)), -EISDIR);
	assert_string_equal(error, "is a directory");
	fclose(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(more_files),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(unreadable),
	};

	return cmocka_run_group_tests_name("taskset", tests, NULL, NULL);
}
