// SPDX-License-Identifier: GPL-2.0
/* test_channel - the queue between two CPUs, against an array and with two threads */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <resch/channel.h>

#include <cmocka.h>

#define TASKS 16
#define ITEMS 20000000ULL

struct item {
	struct resch_parcel parcel;
	struct resch_link link;
	u64 number;
};

/* Each thread reads what the other one writes; a mistake shows as a wrong number. */
struct road {
	struct resch_channel there, back;
	struct resch_link dummies[2];
	struct item items[TASKS];
	u64 wrong;
};

static void road_init(struct road *road)
{
	u32 i;

	memset(road, 0, sizeof(*road));
	resch_channel_init(&road->there, &road->dummies[0]);
	resch_channel_init(&road->back, &road->dummies[1]);
	for (i = 0; i < TASKS; i++)
		road->items[i].parcel.link = &road->items[i].link;
}

static struct item *item_of(struct resch_parcel *parcel)
{
	return parcel ? container_of(parcel, struct item, parcel) : NULL;
}

/* After any traffic every link is at one place: TASKS with the items, one in each channel. */
static void check_links(const struct road *road)
{
	const struct resch_link *links[TASKS + 2];
	u32 i, j;

	for (i = 0; i < TASKS; i++)
		links[i] = road->items[i].parcel.link;
	links[TASKS] = road->there.head;
	links[TASKS + 1] = road->back.head;
	for (i = 0; i < TASKS + 2; i++) {
		bool known = links[i] == &road->dummies[0] || links[i] == &road->dummies[1];

		for (j = 0; j < TASKS; j++)
			known |= links[i] == &road->items[j].link;
		assert_true(known);
		for (j = 0; j < i; j++)
			assert_ptr_not_equal(links[i], links[j]);
	}
}

static void test_order(void **state)
{
	struct road *road = test_malloc(sizeof(*road));
	u32 pushed = 0, pulled = 0, step, seed = 1;
	u32 queue[4096];

	road_init(road);
	assert_null(resch_channel_pull(&road->there));
	/* Never more than TASKS at once, in random bursts; who is in it is what the array says. */
	for (step = 0; step < 4096 && pushed < 4096; step++) {
		seed = seed * 1664525 + 1013904223;
		if (seed >> 31 && pushed - pulled < TASKS) {
			queue[pushed] = pushed % TASKS;
			resch_channel_push(&road->there, &road->items[pushed % TASKS].parcel);
			pushed++;
		} else {
			struct item *item = item_of(resch_channel_pull(&road->there));

			if (pulled == pushed) {
				assert_null(item);
				continue;
			}
			assert_ptr_equal(item, &road->items[queue[pulled]]);
			pulled++;
		}
	}
	assert_true(pulled > 1000);
	check_links(road);
	test_free(road);
}

static void *receiver(void *data)
{
	struct road *road = data;
	u64 expect = 0;

	while (expect < ITEMS) {
		struct item *item = item_of(resch_channel_pull(&road->there));

		if (!item) {
			sched_yield();
			continue;
		}
		if (item->number != expect)
			road->wrong++;
		expect++;
		item->number = ~0ULL;
		resch_channel_push(&road->back, &item->parcel);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct road *road = test_malloc(sizeof(*road));
	u32 idle = TASKS, i;
	struct item *free[TASKS];
	pthread_t thread;
	u64 number = 0, home = 0;

	road_init(road);
	for (i = 0; i < TASKS; i++)
		free[i] = &road->items[i];
	assert_int_equal(pthread_create(&thread, NULL, receiver, road), 0);
	while (home < ITEMS) {
		struct item *item = item_of(resch_channel_pull(&road->back));

		if (item) {
			assert_int_equal(item->number, ~0ULL);
			free[idle++] = item;
			home++;
		} else if (idle && number < ITEMS) {
			item = free[--idle];
			item->number = number++;
			resch_channel_push(&road->there, &item->parcel);
		} else {
			sched_yield();
		}
	}
	pthread_join(thread, NULL);
	assert_int_equal(road->wrong, 0);
	assert_null(resch_channel_pull(&road->there));
	check_links(road);
	test_free(road);
}

int main(void)
{
	/* A broken list may have no end. */
	alarm(1200);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
