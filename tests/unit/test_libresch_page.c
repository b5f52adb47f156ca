// SPDX-License-Identifier: GPL-2.0
/* test_libresch_page - what is left of a budget, from the page of a server */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_device.h"

static void answer_descriptor(void *argument)
{
	((struct resch_server_open *)argument)->fd = 41;
}

static void opens(void **state)
{
	const struct resch_server_open *in;

	(void)state;
	fake.answer = answer_descriptor;
	assert_int_equal(resch_server_open(FD, 3, 9), 41);
	in = seen(RESCH_IOC_SERVER_OPEN);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->id, 9);
	assert_fails(resch_server_open(FD, 3, 9));
}

/* Of a file in memory, which has what is written there at once. */
static void maps(void **state)
{
	struct resch_server_page page = { .sequence = 2, .left = 77 };
	const struct resch_server_page *mapped;
	int fd = memfd_create("page", 0);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &page, sizeof(page), 0), sizeof(page));
	mapped = resch_server_map(fd);
	assert_non_null(mapped);
	assert_int_equal(resch_server_left(mapped), 77);
	page.left = 5;
	assert_int_equal(pwrite(fd, &page, sizeof(page), 0), sizeof(page));
	assert_int_equal(resch_server_left(mapped), 5);
	munmap((void *)mapped, sizeof(page));
	close(fd);
	assert_null(resch_server_map(-1));
}

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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(opens, fake_reset),
		cmocka_unit_test(maps),
		cmocka_unit_test(left),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests_name("libresch_page", tests, NULL, NULL);
}
