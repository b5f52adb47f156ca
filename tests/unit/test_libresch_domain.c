// SPDX-License-Identifier: GPL-2.0
/* test_libresch_domain.c - domains, and what is of one: plans, balancing, servers */
#include <string.h>

#include "fake_device.h"

static void answer_domain_set(void *argument)
{
	struct resch_domain_set *want = argument;

	want->domain = 4;
	want->verdict.bound = RESCH_BOUND_DEMAND;
}

static void test_domain_set(void **state)
{
	struct resch_domain_set want = {
		.plugin = "edf", .options = "a=b", .capacity = 900000, .verdict.value = 1
	};
	const struct resch_domain_set *in;

	(void)state;
	resch_cpus_add(&want.cpus, 65);
	fake.answer = answer_domain_set;
	assert_int_equal(resch_domain_set(FD, &want), 0);
	in = seen(RESCH_IOC_DOMAIN_SET);
	assert_string_equal(in->plugin, "edf");
	assert_string_equal(in->options, "a=b");
	assert_int_equal(in->capacity, 900000);
	assert_int_equal(in->cpus.bits[1], 2);
	assert_int_equal(in->verdict.value, 0);
	assert_int_equal(want.domain, 4);
	assert_fails(resch_domain_set(FD, &want));
	assert_int_equal(want.verdict.bound, RESCH_BOUND_DEMAND);
}

static void test_domain_del(void **state)
{
	const struct resch_domain_del *in;

	(void)state;
	assert_int_equal(resch_domain_del(FD, 4), 0);
	in = seen(RESCH_IOC_DOMAIN_DEL);
	assert_int_equal(in->domain, 4);
	assert_int_equal(in->reserved, 0);
	assert_fails(resch_domain_del(FD, 4));
}

static void test_domain_stat(void **state)
{
	struct resch_domain_stat stat;
	const struct resch_domain_stat *in;

	(void)state;
	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_domain_stat(FD, 2, &stat), 0);
	in = seen(RESCH_IOC_DOMAIN_STAT);
	assert_int_equal(in->domain, 2);
	assert_int_equal(in->next, 0);
	assert_int_equal(stat.tasks, 0);
	assert_fails(resch_domain_stat(FD, 2, &stat));

	fake_reset(state);
	stat.domain = 2;
	stat.tasks = 7;
	assert_int_equal(resch_domain_next(FD, &stat), 1);
	in = seen(RESCH_IOC_DOMAIN_STAT);
	assert_int_equal(in->domain, 2);
	assert_int_equal(in->next, 1);
	assert_int_equal(in->tasks, 0);
	assert_fails(resch_domain_next(FD, &stat));
	fake.error = ENOENT;
	assert_int_equal(resch_domain_next(FD, &stat), 0);
}

static void test_plan_set(void **state)
{
	struct resch_reserve reserves[2] = { { .group = 1, .end = 5 }, { .group = 2, .end = 7 } };
	struct resch_verdict verdict;
	const struct resch_plan_set *in;
	uint64_t from = 77;

	(void)state;
	memset(&verdict, 0xff, sizeof(verdict));
	assert_int_equal(resch_plan_set(FD, 3, 100000, &from, reserves, 2, &verdict), 0);
	in = seen(RESCH_IOC_PLAN_SET);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->count, 2);
	assert_int_equal(in->slot, 100000);
	assert_int_equal(in->from, 77);
	assert_int_equal(in->reserves, (uintptr_t)reserves);
	assert_int_equal(verdict.bound, 0);
	assert_int_equal(from, 77);

	fake_reset(state);
	assert_int_equal(resch_plan_set(FD, 3, 0, NULL, NULL, 0, NULL), 0);
	in = seen(RESCH_IOC_PLAN_SET);
	assert_int_equal(in->from, 0);
	assert_int_equal(in->reserves, 0);
	assert_fails(resch_plan_set(FD, 3, 0, NULL, NULL, 0, NULL));
}

static void test_plan_get(void **state)
{
	struct resch_reserve reserves[2];
	const struct resch_plan_get *in;
	uint64_t slot = 1, from = 1;

	(void)state;
	assert_int_equal(resch_plan_get(FD, 3, &slot, &from, reserves, 2), 2);
	in = seen(RESCH_IOC_PLAN_GET);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->count, 2);
	assert_int_equal(in->reserves, (uintptr_t)reserves);
	assert_int_equal(slot, 0);
	assert_int_equal(from, 0);
	assert_fails(resch_plan_get(FD, 3, &slot, &from, reserves, 2));

	fake_reset(state);
	assert_int_equal(resch_plan_get(FD, 3, NULL, NULL, NULL, 0), 0);
}

static void test_balance(void **state)
{
	struct resch_balance_stat stat;
	const struct resch_balance_set *in;
	const struct resch_balance_stat *asked;

	(void)state;
	assert_int_equal(resch_balance_set(FD, 3, 5), 0);
	in = seen(RESCH_IOC_BALANCE_SET);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->policies, 5);
	assert_fails(resch_balance_set(FD, 3, 5));

	fake_reset(state);
	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_balance_stat(FD, 3, -1, &stat), 0);
	asked = seen(RESCH_IOC_BALANCE_STAT);
	assert_int_equal(asked->domain, 3);
	assert_int_equal(asked->cpu, -1);
	assert_int_equal(asked->kept, 0);
	assert_fails(resch_balance_stat(FD, 3, -1, &stat));
}

static void test_server_set(void **state)
{
	struct resch_servers_set want = {
		.domain = 3, .id = 7, .cpus = { .bits = { 6 } }, .params = { .budget = 5 }
	};
	const struct resch_servers_set *in;

	memset(&want.verdict, 0xff, sizeof(want.verdict));
	assert_int_equal(resch_servers_set(FD, &want), 0);
	in = seen(RESCH_IOC_SERVERS_SET);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->id, 7);
	assert_int_equal(in->cpus.bits[0], 6);
	assert_int_equal(in->params.budget, 5);
	assert_int_equal(in->verdict.bound, 0);
	assert_fails(resch_servers_set(FD, &want));

	fake_reset(state);
	assert_int_equal(resch_servers_del(FD, 3, 7), 0);
	assert_int_equal(((const struct resch_server_del *)seen(RESCH_IOC_SERVERS_DEL))->domain, 3);
	assert_int_equal(((const struct resch_server_del *)seen(RESCH_IOC_SERVERS_DEL))->id, 7);
	assert_fails(resch_servers_del(FD, 3, 7));
}

static void test_server(void **state)
{
	struct resch_server_set want = { .domain = 3, .params = { .budget = 5 } };
	const struct resch_delegate given = { 3, 9, RESCH_HOLDER_GROUP, 29, 16, 2, 400, 0 };
	struct resch_server_stat stat;
	const struct resch_server_set *in;
	const struct resch_server_stat *asked;

	memset(&want.verdict, 0xff, sizeof(want.verdict));
	assert_int_equal(resch_server_set(FD, &want), 0);
	in = seen(RESCH_IOC_SERVER_SET);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->params.budget, 5);
	assert_int_equal(in->verdict.bound, 0);
	assert_fails(resch_server_set(FD, &want));

	fake_reset(state);
	assert_int_equal(resch_server_del(FD, 3, 9), 0);
	assert_int_equal(((const struct resch_server_del *)seen(RESCH_IOC_SERVER_DEL))->domain, 3);
	assert_int_equal(((const struct resch_server_del *)seen(RESCH_IOC_SERVER_DEL))->id, 9);
	assert_fails(resch_server_del(FD, 3, 9));

	fake_reset(state);
	assert_int_equal(resch_server_delegate(FD, &given), 0);
	assert_memory_equal(seen(RESCH_IOC_DELEGATE), &given, sizeof(given));
	assert_fails(resch_server_delegate(FD, &given));

	fake_reset(state);
	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_server_stat(FD, 2, 4, &stat), 0);
	asked = seen(RESCH_IOC_SERVER_STAT);
	assert_int_equal(asked->domain, 2);
	assert_int_equal(asked->id, 4);
	assert_int_equal(asked->next, 0);
	assert_int_equal(asked->consumed, 0);
	assert_fails(resch_server_stat(FD, 2, 4, &stat));

	fake_reset(state);
	stat = (struct resch_server_stat){ .domain = 2, .id = 4, .tasks = 7 };
	assert_int_equal(resch_server_next(FD, &stat), 1);
	asked = seen(RESCH_IOC_SERVER_STAT);
	assert_int_equal(asked->domain, 2);
	assert_int_equal(asked->id, 4);
	assert_int_equal(asked->next, 1);
	assert_int_equal(asked->tasks, 0);
	assert_fails(resch_server_next(FD, &stat));
	fake.error = ENOENT;
	assert_int_equal(resch_server_next(FD, &stat), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_domain_set, fake_reset),
		cmocka_unit_test_setup(test_domain_del, fake_reset),
		cmocka_unit_test_setup(test_domain_stat, fake_reset),
		cmocka_unit_test_setup(test_plan_set, fake_reset),
		cmocka_unit_test_setup(test_plan_get, fake_reset),
		cmocka_unit_test_setup(test_balance, fake_reset),
		cmocka_unit_test_setup(test_server, fake_reset),
		cmocka_unit_test_setup(test_server_set, fake_reset),
	};

	return cmocka_run_group_tests_name("libresch: domains", tests, NULL, NULL);
}
