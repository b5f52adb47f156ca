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
		parse("name,cpu,group,kind,wcet,period,deadline\na,-1,7,sporadic,1,10,\nb,,,periodic,2,10,30\n",
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
	strcpy(text + 5000, ",1ms,2ms,3ms,4ms,5ms,6ms,7ms");
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
		{ "1,1,2,x,3,3,0,0\n", "line 1: not a time" },
		{ "1,1,2,3,3,3,0,0,9\n", "line 1: more fields" },
		{ "1,1,2,3,3,3,0,0,,\n", "line 1: more fields" },
		{ "name,colour\n", "line 1: unknown column 'colour'" },
		{ "name,wcet,period\na,2,1\n", "line 2: wcet" },
		{ "name,wcet,period\na,2d,1\n", "line 2: not a time" },
		{ "name,wcet,period\na,1,3601s\n", "line 2: not a time" },
		{ "name,wcet,period,miss\na,1,2,ignore\n",
		  "line 2: reactions are count, notify, signal, skip, throttle, demote, not 'ignore'" },
		{ "name,wcet,period,kind\na,1,2,wakeup\n",
		  "line 2: kinds are periodic, sporadic, not 'wakeup'" },
		{ "name,wcet,period,cpu\na,1,2,1024\n",
		  "line 2: not a number from 0 to 1023: '1024'" },
		{ "name,wcet,period,cpu\na,1,2,-2\n", "line 2: not a number from 0 to 1023: '-2'" },
		{ "name,wcet,period,group\na,1,2,3x\n",
		  "line 2: not a number from 0 to 4096: '3x'" },
		{ "name,wcet,period,priority\na,1,2,10001\n",
		  "line 2: not a number from 0 to 10000" },
		{ "id,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,D,wcet\n",
		  "line 1: too many columns, at 'wcet'" },
		{ "name,wcet\na,1\n", "line 2: no period" },
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
	assert_int_equal(taskset_read(folder, &set, error, sizeof(error)), -EIO);
	assert_string_equal(error, "Input/output error");
	fclose(folder);
}

static void times(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },
		{ "3", 3 },
		{ "3600000000000", 3600000000000 },
		{ "3599999999999ns", 3599999999999 },
		{ "1e6", 1000000 },
		{ "0.1ms", 100000 },
		{ "1.0000000004s", 1000000000 },
		{ "1.0000000006s", 1000000001 },
		{ "2.5us", 2500 },
		{ "2.5µs", 2500 },
		{ "1.5min", 90000000000 },
		{ ".5h", 1800000000000 },
	};
	static const char *const bad[] = { "", ".", "ms", "-1ms", "+1ms", "1 ms", "1msx", "1e30s" };
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(taskset_time_parse(good[i].text, &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(taskset_time_parse(bad[i], &ns), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),     cmocka_unit_test(more_files),
		cmocka_unit_test(bad_files), cmocka_unit_test(unreadable),
		cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("taskset", tests, NULL, NULL);
}
