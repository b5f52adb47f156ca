// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_guard.c - guards and levels: what the library asks the kernel for, in which order
 */
#define _GNU_SOURCE /* affinities */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "fake_device.h"

/* ---- system calls that levels are made of ---------------------------------------------------- */

static char asked[200];
static int policy_is, priority_is, refuse_policy, refuse_cpus;

int sched_getscheduler(pid_t tid)
{
	if (tid == 404) {
		errno = ESRCH;
		return -1;
	}
	return policy_is;
}

int sched_getparam(pid_t tid, struct sched_param *param)
{
	(void)tid;
	param->sched_priority = priority_is;
	return 0;
}

int sched_setscheduler(pid_t tid, int policy, const struct sched_param *param)
{
	sprintf(asked + strlen(asked), "%d:policy=%d,%d ", tid, policy, param->sched_priority);
	if (refuse_policy)
		errno = refuse_policy;
	return refuse_policy ? -1 : 0;
}

int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set)
{
	int count = CPU_COUNT_S(size, set), cpu;

	for (cpu = 0; count == 1 && !CPU_ISSET_S(cpu, size, set); cpu++)
		;
	if (count == 1)
		sprintf(asked + strlen(asked), "%d:cpu=%d ", tid, cpu);
	else
		sprintf(asked + strlen(asked), "%d:cpus=%d ", tid, count);
	if (refuse_cpus)
		errno = refuse_cpus;
	return refuse_cpus ? -1 : 0;
}

static int reset(void **state)
{
	asked[0] = '\0';
	policy_is = SCHED_RR;
	priority_is = 7;
	refuse_policy = 0;
	refuse_cpus = 0;
	errno = 55;
	return fake_reset(state);
}

static void test_rt0(void **state)
{
	(void)state;
	assert_int_equal(resch_enter_rt0(12, 3), 0);
	/* Priority first, as the report wants it. */
	assert_string_equal(asked, "12:policy=1,99 12:cpu=3 ");
	asked[0] = '\0';
	assert_int_equal(resch_leave_rt0(12), 0);
	assert_string_equal(asked, "12:policy=0,0 12:cpus=1024 ");
	assert_int_equal(resch_enter_rt0(12, RESCH_CPUS_MAX), -EINVAL);
	assert_int_equal(resch_enter_rt0(404, 3), -ESRCH);
}

static void test_rt0_refused(void **state)
{
	(void)state;
	refuse_cpus = EINVAL;
	assert_int_equal(resch_enter_rt0(12, 3), -EINVAL);
	assert_string_equal(asked, "12:policy=1,99 12:cpu=3 12:policy=2,7 ");
	assert_int_equal(errno, 55);
	refuse_policy = EPERM;
	asked[0] = '\0';
	assert_int_equal(resch_enter_rt0(12, 3), -EPERM);
	assert_string_equal(asked, "12:policy=1,99 ");
	assert_int_equal(resch_leave_rt0(12), -EPERM);
}

static void test_rt1plus(void **state)
{
	(void)state;
	assert_int_equal(resch_enter_rt1plus(0, SCHED_RR, 98), 0);
	assert_int_equal(resch_leave_rt1plus(0), 0);
	assert_string_equal(asked, "0:policy=2,98 0:policy=0,0 ");
	assert_int_equal(resch_enter_rt1plus(0, SCHED_RR, 99), -EINVAL);
	assert_int_equal(resch_enter_rt1plus(0, SCHED_FIFO, 0), -EINVAL);
	assert_int_equal(resch_enter_rt1plus(0, SCHED_OTHER, 5), -EINVAL);
}

static void test_guard(void **state)
{
	struct resch_calls calls = { .bits = { 4 } };
	struct resch_guard_stat stat;
	const struct resch_guard_set *want;
	const struct resch_guard_stat *read;
	uint64_t counts[RESCH_CALLS_MAX];

	assert_int_equal(resch_guard_set(FD, 3, RESCH_GUARD_ON, NULL), 0);
	want = seen(RESCH_IOC_GUARD_SET);
	assert_int_equal(want->domain, 3);
	assert_int_equal(want->flags, RESCH_GUARD_ON);
	assert_int_equal(want->exempt.bits[0], 0);
	fake_reset(state);
	assert_int_equal(resch_guard_set(FD, 3, RESCH_GUARD_ON, &calls), 0);
	want = seen(RESCH_IOC_GUARD_SET);
	assert_int_equal(want->flags, RESCH_GUARD_ON | RESCH_GUARD_EXEMPT);
	assert_int_equal(want->exempt.bits[0], 4);
	assert_fails(resch_guard_set(FD, 3, 0, NULL));

	fake_reset(state);
	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_guard_stat(FD, 3, -1, &stat, counts), 0);
	read = seen(RESCH_IOC_GUARD_STAT);
	assert_int_equal(read->domain, 3);
	assert_int_equal(read->cpu, -1);
	assert_int_equal(read->calls, (uintptr_t)counts);
	assert_int_equal(read->moved, 0);
	assert_fails(resch_guard_stat(FD, 3, -1, &stat, NULL));

	fake_reset(state);
	assert_int_equal(resch_guard_lend(FD, 12, 2), 0);
	assert_int_equal(((const struct resch_guard_lend *)seen(RESCH_IOC_GUARD_LEND))->pid, 12);
	assert_int_equal(((const struct resch_guard_lend *)seen(RESCH_IOC_GUARD_LEND))->cpu, 2);
	assert_fails(resch_guard_lend(FD, 12, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_rt0, reset),
		cmocka_unit_test_setup(test_rt0_refused, reset),
		cmocka_unit_test_setup(test_rt1plus, reset),
		cmocka_unit_test_setup(test_guard, reset),
	};

	return cmocka_run_group_tests_name("guards and levels", tests, NULL, NULL);
}
