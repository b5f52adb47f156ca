// SPDX-License-Identifier: GPL-2.0
/* test_libresch_page - what is left of a budget, from a server's page; instances, from a chain's */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_device.h"
#include "resch-chain.h"

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

static void answer_chain(void *argument)
{
	((struct resch_chain_open *)argument)->fd = 43;
}

static void chain_opens(void **state)
{
	(void)state;
	fake.answer = answer_chain;
	assert_int_equal(resch_chain_open(FD, 7), 43);
	assert_int_equal(((const struct resch_chain_open *)seen(RESCH_IOC_CHAIN_OPEN))->id, 7);
	assert_fails(resch_chain_open(FD, 7));
}

static void chain_maps(void **state)
{
	static struct resch_chain_page page = { .id = 5, .count = 2 };
	const struct resch_chain_page *mapped;
	struct resch_stage_page copy;
	int fd = memfd_create("page", 0);

	(void)state;
	page.stages[1] = (struct resch_stage_page){ .sequence = 6, .task = 8, .instance = 3 };
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &page, sizeof(page), 0), sizeof(page));
	mapped = resch_chain_map(fd);
	assert_non_null(mapped);
	assert_int_equal(mapped->id, 5);
	assert_int_equal(resch_chain_read(mapped, 1, &copy), 0);
	assert_memory_equal(&copy, &page.stages[1], sizeof(copy));
	munmap((void *)mapped, sizeof(page));
	close(fd);
	assert_null(resch_chain_map(-1));
}

static void chain_reads(void **state)
{
	static struct resch_chain_page page = { .count = 1 };
	struct resch_stage_page *stage = &page.stages[0], copy;
	int64_t slack;

	(void)state;
	stage->task = 4;
	stage->rest = 100;
	assert_int_equal(resch_chain_read(&page, 1, &copy), -EINVAL);
	assert_int_equal(resch_chain_read(&page, UINT32_MAX, &copy), -EINVAL);
	assert_int_equal(resch_chain_read(&page, 0, &copy), -ENOENT);
	assert_int_equal(copy.task, 4);
	assert_int_equal(copy.rest, 100);
	assert_true(resch_chain_slack(&page, 0) == INT64_MAX);
	assert_true(resch_chain_slack(&page, 1) == INT64_MAX);
	/* A second from now, of which the others take a quarter; and a second ago. */
	stage->instance = 1;
	stage->rest = 250000000;
	stage->deadline = resch_now() + 1000000000;
	slack = resch_chain_slack(&page, 0);
	assert_true(slack <= 750000000);
	assert_true(slack >= (int64_t)(stage->deadline - resch_now()) - 250000000);
	stage->deadline -= 2000000000;
	assert_true(resch_chain_slack(&page, 0) < -1200000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(opens, fake_reset),
		cmocka_unit_test(maps),
		cmocka_unit_test(left),
		cmocka_unit_test(copies),
		cmocka_unit_test_setup(chain_opens, fake_reset),
		cmocka_unit_test(chain_maps),
		cmocka_unit_test(chain_reads),
	};

	return cmocka_run_group_tests_name("libresch_page", tests, NULL, NULL);
}
