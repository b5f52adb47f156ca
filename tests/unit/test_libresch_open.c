// SPDX-License-Identifier: GPL-2.0
/* test_libresch_open.c - the door of the open system, and the sizes of its servers */
#include "rig.h"

#include "resch-server.h"

#define SEC 1000000000ULL

static void sizes(void **state)
{
	struct resch_open_app app = { .capacity = 600000000,
				      .shortest = 4 * SEC,
				      .kind = RESCH_OPEN_NONPREDICTABLE };

	assert_int_equal(resch_open_size(&app, SEC / 4), 640000000);
	assert_int_equal(resch_open_size(&app, SEC / 2), 685714286);
	assert_int_equal(resch_open_size(&app, SEC), 800000000);
	assert_int_equal(resch_open_size(&app, 0), 600000000);
	assert_true(resch_open_size(&app, 4 * SEC) == U64_MAX);
	app.kind = RESCH_OPEN_PREDICTABLE;
	assert_true(resch_open_size(&app, SEC) == U64_MAX);
	app.kind = RESCH_OPEN_NONPREEMPTIVE;
	assert_int_equal(resch_open_size(&app, SEC), 600000000);
}

static void door(void **state)
{
	struct resch_open_app apps[] = {
		{ .capacity = 600000000, .shortest = 4 * SEC, .kind = RESCH_OPEN_NONPREEMPTIVE },
		{ .capacity = 400000000, .shortest = 10 * SEC, .kind = RESCH_OPEN_NONPREEMPTIVE },
	};
	struct resch_open_verdict verdict;
	char text[RESCH_OPEN_TEXT];

	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), 0);
	/* 1 s of tick in 4 s is a quarter. */
	assert_int_equal(resch_open_admit(apps, 2, SEC, SEC, &verdict), -EBUSY);
	assert_int_equal(verdict.app, 0);
	assert_int_equal(verdict.blocker, 0);
	assert_int_equal(verdict.blocking, 250000000);
	resch_open_text(&verdict, text, sizeof(text));
	assert_string_equal(
		text, "application 1 could miss a deadline: the sizes of the servers add up "
		      "to 100.000 %, and the tick may take 25.000 % of its shortest deadline, "
		      "125.000 % in all");
	apps[0].capacity = 350000000;
	assert_int_equal(resch_open_admit(apps, 2, SEC, SEC, &verdict), 0);
	/* One's own sections block nobody else of the same application. */
	apps[0].section = 2 * SEC;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), 0);
	apps[1].section = SEC + 1;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), -EBUSY);
	assert_int_equal(verdict.app, 0);
	assert_int_equal(verdict.blocker, 1);
	resch_open_text(&verdict, text, sizeof(text));
	assert_string_equal(
		text, "application 1 could miss a deadline: the sizes of the servers add up "
		      "to 75.000 %, and the longest section of application 2 may take 25.001 % of "
		      "its shortest deadline, 100.001 % in all");
	apps[1].section = SEC;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), 0);
	apps[1].kind = RESCH_OPEN_NONPREDICTABLE;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), -EBUSY);
	apps[1].capacity = 700000000;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, &verdict), -EBUSY);
	resch_open_text(&verdict, text, sizeof(text));
	assert_string_equal(text, "the sizes of the servers add up to 112.778 % of the processor");
	apps[1].kind = RESCH_OPEN_PREDICTABLE;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, NULL), -EOPNOTSUPP);
	apps[1].kind = 3;
	assert_int_equal(resch_open_admit(apps, 2, SEC, 0, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(door),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
