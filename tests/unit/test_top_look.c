// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_top_look.c - a task is once in what reschtop has seen, whenever it gets its place
 *
 * Around look.c all is played: the module's list of tasks, and the maps of the programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "top.h"

/* It has a fail() of its own. */
#include <cmocka.h>

#define PLACES 256

static struct top_task places[PLACES];
static struct probe probe = { .tasks = places, .places = PLACES };
static uint32_t module_has[4], asked;
/* The programs see this one just after the module has been asked about it. */
static uint32_t appears;

static void place_give(uint32_t id)
{
	places[top_first(id) & (PLACES - 1)] = (struct top_task){ .id = id, .jobs = 7 };
}

int resch_task_next(int fd, struct resch_task_stat *stat)
{
	(void)fd;
	if (stat->id && stat->id == appears)
		place_give(appears);
	if (!module_has[asked])
		return 0;
	*stat = (struct resch_task_stat){ .id = module_has[asked++] };
	return 1;
}

int resch_domain_stat(int fd, uint32_t id, struct resch_domain_stat *stat)
{
	(void)fd;
	(void)id;
	(void)stat;
	return -1;
}

uint64_t resch_now(void)
{
	return 1000;
}

const char *thread_name(const struct resch_task_stat *stat)
{
	(void)stat;
	return "thread";
}

void text_clean(char *text)
{
	(void)text;
}

void blame_read(struct top_blame *to, const struct top_blame *from)
{
	(void)to;
	(void)from;
}

uint64_t probe_left_out(const struct probe *of)
{
	(void)of;
	return 0;
}

uint64_t probe_groups_left_out(const struct probe *of)
{
	(void)of;
	return 0;
}

int groups_take(struct look *look, const struct look *before, const struct probe *of, int fd)
{
	(void)look;
	(void)before;
	(void)of;
	(void)fd;
	return 0;
}

/* One look; the ids of its tasks, and their jobs. */
static void look_is(const uint32_t *ids, const uint64_t *jobs, size_t count)
{
	struct look look = {};
	size_t i = 0;

	asked = 0;
	assert_int_equal(look_take(&look, NULL, &probe, -1), 0);
	assert_int_equal(look.tasks.count, count);
	for_each_task(task, &look) {
		assert_int_equal(task->id, ids[i]);
		assert_int_equal(task->jobs, jobs[i]);
		assert_ptr_equal(look_find(&look, task->id), task);
		i++;
	}
	look_free(&look);
}

static int begin(void **state)
{
	(void)state;
	memset(places, 0, sizeof(places));
	memset(module_has, 0, sizeof(module_has));
	appears = 0;
	return 0;
}

static void test_all_that_are_known(void **state)
{
	const uint32_t ids[] = { 2, 5, 9 };
	const uint64_t jobs[] = { 7, 0, 7 };

	(void)state;
	place_give(9); /* of a task that the module has no more */
	place_give(2);
	module_has[0] = 5;
	module_has[1] = 2;
	look_is(ids, jobs, 3);
}

static void test_a_place_in_between(void **state)
{
	const uint32_t ids[] = { 3, 4, 8 };
	const uint64_t before[] = { 7, 0, 0 }, after[] = { 7, 7, 0 };

	(void)state;
	place_give(3);
	module_has[0] = 8;
	module_has[1] = appears = 4;
	module_has[2] = 3;
	look_is(ids, before, 3);
	look_is(ids, after, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_all_that_are_known, begin),
		cmocka_unit_test_setup(test_a_place_in_between, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
