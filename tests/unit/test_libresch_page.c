// SPDX-License-Identifier: GPL-2.0
/* test_libresch_page - what is left of a budget, from the page of a server */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "resch.h"

static void left(void **state)
{
	struct resch_server_page page = { .sequence = 2, .left = 5000000, .rate = RESCH_PAGE_RATE };
	int64_t some;

	(void)state;
	assert_int_equal(resch_server_left(&page), 5000000);
	page.left = -7;
	assert_int_equal(resch_server_left(&page), -7);
	/* It has been running for a second, or a little more, at a quarter of the time. */
	page.flags = RESCH_PAGE_RUNNING;
	page.left = 1000000000;
	page.rate = RESCH_PAGE_RATE / 4;
	page.since = resch_now() - 1000000000;
	some = resch_server_left(&page);
	assert_true(some <= 750000000);
	assert_true(some >= page.left - (int64_t)(resch_now() - page.since) / 4 - 1);
	/* By a clock that has not got there yet. */
	page.since = resch_now() + 3600000000000;
	assert_int_equal(resch_server_left(&page), page.left);
}

static void copies(void **state)
{
	struct resch_server_page page = { .sequence = 4, .domain = 1, .id = 2, .deadline = 3 },
				 copy;

	(void)state;
	memset(&copy, 0xff, sizeof(copy));
	resch_server_read(&page, &copy);
	assert_memory_equal(&copy, &page, sizeof(copy));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(left), cmocka_unit_test(copies) };

	return cmocka_run_group_tests_name("libresch_page", tests, NULL, NULL);
}
