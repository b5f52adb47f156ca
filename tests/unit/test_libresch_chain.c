// SPDX-License-Identifier: GPL-2.0
/* test_libresch_chain.c - chains: what the library asks the kernel for */
#include <string.h>

#include "fake_device.h"

static void test_offer(void **state)
{
	const struct resch_chain_offer *in;

	(void)state;
	assert_int_equal(resch_chain_offer(FD, 3, 0x123456789abcdef0), 0);
	in = seen(RESCH_IOC_CHAIN_OFFER);
	assert_int_equal(in->task, 3);
	assert_int_equal(in->reserved, 0);
	assert_int_equal(in->key, 0x123456789abcdef0);
	assert_fails(resch_chain_offer(FD, 3, 1));
}

static void test_set(void **state)
{
	const struct resch_chain_stage stages[2] = { { .task = 4 }, { .task = 5, .from_mask = 1 } };
	struct resch_chain_set want = { .id = 9, .count = 2, .deadline = 7 };
	const struct resch_chain_set *in;

	memset(&want.verdict, 0xff, sizeof(want.verdict));
	assert_int_equal(resch_chain_set(FD, &want, stages), 0);
	in = seen(RESCH_IOC_CHAIN_SET);
	assert_int_equal(in->id, 0);
	assert_int_equal(in->count, 2);
	assert_int_equal(in->deadline, 7);
	assert_int_equal(in->stages, (uintptr_t)stages);
	assert_int_equal(in->verdict.bound, 0);
	assert_fails(resch_chain_set(FD, &want, stages));

	fake_reset(state);
	assert_int_equal(resch_chain_del(FD, 9), 0);
	assert_int_equal(((const struct resch_chain_del *)seen(RESCH_IOC_CHAIN_DEL))->id, 9);
	assert_fails(resch_chain_del(FD, 9));
}

static void test_stat(void **state)
{
	struct resch_stage_stat stages[2];
	uint64_t histogram[RESCH_CHAIN_BUCKETS];
	struct resch_chain_stat stat;
	const struct resch_chain_stat *in;

	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_chain_stat(FD, 4, &stat, stages, 2, histogram), 0);
	in = seen(RESCH_IOC_CHAIN_STAT);
	assert_int_equal(in->id, 4);
	assert_int_equal(in->next, 0);
	assert_int_equal(in->room, 2);
	assert_int_equal(in->stages, (uintptr_t)stages);
	assert_int_equal(in->histogram, (uintptr_t)histogram);
	assert_int_equal(in->completed, 0);
	assert_fails(resch_chain_stat(FD, 4, &stat, stages, 2, histogram));

	fake_reset(state);
	stat = (struct resch_chain_stat){ .id = 4, .completed = 7 };
	assert_int_equal(resch_chain_next(FD, &stat, NULL, 2, NULL), 1);
	in = seen(RESCH_IOC_CHAIN_STAT);
	assert_int_equal(in->id, 4);
	assert_int_equal(in->next, 1);
	assert_int_equal(in->room, 0);
	assert_int_equal(in->completed, 0);
	assert_fails(resch_chain_next(FD, &stat, NULL, 0, NULL));
	fake.error = ENOENT;
	assert_int_equal(resch_chain_next(FD, &stat, NULL, 0, NULL), 0);
}

static void job(void *argument)
{
	*(struct resch_chain_job *)argument = (struct resch_chain_job){ .stage = 2, .instance = 5 };
}

static void test_current(void **state)
{
	struct resch_chain_job current;

	(void)state;
	fake.answer = job;
	assert_int_equal(resch_chain_current(FD, &current), 0);
	seen(RESCH_IOC_CHAIN_JOB);
	assert_int_equal(current.stage, 2);
	assert_int_equal(current.instance, 5);
	assert_fails(resch_chain_current(FD, &current));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_offer, fake_reset),
		cmocka_unit_test_setup(test_set, fake_reset),
		cmocka_unit_test_setup(test_stat, fake_reset),
		cmocka_unit_test_setup(test_current, fake_reset),
	};

	return cmocka_run_group_tests_name("chains", tests, NULL, NULL);
}
