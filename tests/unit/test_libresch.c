// SPDX-License-Identifier: GPL-2.0
/* test_libresch.c - the library against a fake device */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "fake_device.h"

/* ---- the device ------------------------------------------------------------------------------ */

static void test_open(void **state)
{
	(void)state;
	assert_int_equal(resch_open(), FD);
	assert_int_equal(fake.flags, O_RDWR | O_CLOEXEC);
	assert_int_equal(fake.closes, 0);
	seen(RESCH_IOC_INFO);
}

static void test_open_fails(void **state)
{
	static const int errors[] = { ENOENT, ENODEV, EACCES, EMFILE };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fake.open_error = errors[i];
		errno = 12345;
		assert_int_equal(resch_open(), -errors[i]);
		assert_int_equal(errno, 12345);
	}
	assert_int_equal(fake.calls, 0);
}

static void test_open_other_abi(void **state)
{
	(void)state;
	fake.abi = RESCH_ABI_VERSION - 1;
	assert_int_equal(resch_open(), -EPROTONOSUPPORT);
	assert_int_equal(fake.closes, 1);
	/* A newer module takes older programs. */
	fake.abi = RESCH_ABI_VERSION + 1;
	assert_int_equal(resch_open(), FD);
	fake.error = ENOTTY;
	assert_int_equal(resch_open(), -EPROTONOSUPPORT);
	fake.error = EINTR;
	assert_int_equal(resch_open(), -EINTR);
	assert_int_equal(fake.closes, 3);
}

static void test_open_reason(void **state)
{
	int error;

	(void)state;
	assert_non_null(strstr(resch_open_reason(-ENOENT), "modprobe resch"));
	assert_string_equal(resch_open_reason(-ENOENT), resch_open_reason(ENODEV));
	assert_non_null(strstr(resch_open_reason(-EACCES), "permission"));
	assert_non_null(strstr(resch_open_reason(-EPROTONOSUPPORT), "older"));
	for (error = 0; error < 200; error++)
		assert_true(strlen(resch_open_reason(-error)) > 10);
}

static void answer_info(void *argument)
{
	struct resch_info *info = argument;

	info->level = 80;
}

static void test_info(void **state)
{
	struct resch_info info;

	(void)state;
	fake.answer = answer_info;
	memset(&info, 0xff, sizeof(info));
	assert_int_equal(resch_info(FD, &info), 0);
	assert_int_equal(info.level, 80);
	/* Nothing of what was in it is left where an older module fills in less. */
	assert_int_equal(info.tasks, 0);
	assert_fails(resch_info(FD, &info));
	assert_true(strlen(resch_version()) > 0);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void answer_register(void *argument)
{
	struct resch_register *reg = argument;

	reg->id = 5;
	reg->cpu = 2;
	reg->verdict.bound = RESCH_BOUND_UTILIZATION;
}

static void test_register_self(void **state)
{
	struct resch_register reg = {
		.params = { .period = 10, .wcet = 2, .cpu = -1, .name = "a" },
		.pid = 99,
		.start_time = 98,
		.domain = 3,
		.id = 97,
		.verdict.value = 96,
	};
	const struct resch_register *in;

	(void)state;
	fake.answer = answer_register;
	assert_int_equal(resch_register_self(FD, &reg), 0);
	in = seen(RESCH_IOC_REGISTER);
	assert_int_equal(in->pid, 0);
	assert_int_equal(in->start_time, 0);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->params.period, 10);
	assert_int_equal(in->params.cpu, -1);
	assert_int_equal(in->id, 0);
	assert_int_equal(in->verdict.value, 0);
	assert_int_equal(reg.id, 5);
	assert_int_equal(reg.cpu, 2);
	assert_fails(resch_register_self(FD, &reg));
	assert_int_equal(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
}

static void test_register_thread(void **state)
{
	struct resch_register reg = { .start_time = 4242 };
	const struct resch_register *in;
	uint64_t mine;

	(void)state;
	/* The caller's idea of which thread it means goes first. */
	assert_int_equal(resch_register_thread(FD, getpid(), &reg), 0);
	in = seen(RESCH_IOC_REGISTER);
	assert_int_equal(in->pid, getpid());
	assert_int_equal(in->start_time, 4242);

	fake_reset(state);
	reg.start_time = 0;
	assert_int_equal(resch_start_time(getpid(), &mine), 0);
	assert_int_equal(resch_register_thread(FD, getpid(), &reg), 0);
	in = seen(RESCH_IOC_REGISTER);
	assert_int_equal(in->start_time, mine);
	assert_fails(resch_register_thread(FD, getpid(), &reg));

	fake_reset(state);
	reg.start_time = 0;
	assert_int_equal(resch_register_thread(FD, 0, &reg), -EINVAL);
	assert_int_equal(resch_register_thread(FD, -1, &reg), -EINVAL);
	assert_int_equal(resch_register_thread(FD, INT32_MAX, &reg), -ESRCH);
	assert_int_equal(fake.calls, 0);
}

static void test_unregister_release(void **state)
{
	const struct resch_target *in;

	(void)state;
	assert_int_equal(resch_unregister(FD, 7), 0);
	in = seen(RESCH_IOC_UNREGISTER);
	assert_int_equal(in->id, 7);
	assert_int_equal(in->reserved, 0);
	assert_fails(resch_unregister(FD, 7));

	fake_reset(state);
	assert_int_equal(resch_release(FD, 8), 0);
	in = seen(RESCH_IOC_RELEASE);
	assert_int_equal(in->id, 8);
	assert_int_equal(in->reserved, 0);
	assert_fails(resch_release(FD, 8));
}

static void answer_wait(void *argument)
{
	struct resch_wait *job = argument;

	if (job)
		*job = (struct resch_wait){ .release = 1, .deadline = 2, .job = 3, .skipped = 4 };
}

static void test_wait(void **state)
{
	struct resch_wait job = {};

	(void)state;
	fake.answer = answer_wait;
	assert_int_equal(resch_wait(FD, &job), 0);
	seen(RESCH_IOC_WAIT);
	assert_int_equal(job.job, 3);
	assert_int_equal(job.skipped, 4);
	assert_fails(resch_wait(FD, &job));

	fake_reset(state);
	assert_int_equal(resch_wait(FD, NULL), 0);
	assert_int_equal(fake.calls, 0);
	assert_int_equal(fake.syncs, 1);
	fake.error = ECANCELED;
	errno = 0;
	assert_int_equal(resch_wait(FD, NULL), -ECANCELED);
	assert_int_equal(errno, 0);
}

static void test_delay(void **state)
{
	const struct resch_delay *in;

	(void)state;
	assert_int_equal(resch_delay(FD, 1ULL << 40), 0);
	in = seen(RESCH_IOC_DELAY);
	assert_true(in->until == 1ULL << 40);
	assert_fails(resch_delay(FD, 1));
}

static uint32_t waiting;

static void answer_start(void *argument)
{
	((struct resch_start *)argument)->waiting = waiting;
}

static void test_start(void **state)
{
	const struct resch_start *in;

	(void)state;
	fake.answer = answer_start;
	waiting = 12;
	assert_int_equal(resch_start(FD, 3, 1000), 12);
	in = seen(RESCH_IOC_START);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->time, 1000);
	assert_int_equal(in->waiting, 0);
	assert_int_equal(in->group, 0);
	assert_fails(resch_start(FD, 3, 1000));
	fake.calls = 0;
	assert_int_equal(resch_start_group(FD, 3, 7, 1000), 12);
	in = seen(RESCH_IOC_START);
	assert_int_equal(in->domain, 3);
	assert_int_equal(in->group, 7);
	assert_fails(resch_start_group(FD, 3, 7, 1000));
	/* No count looks like an error. */
	waiting = UINT32_MAX;
	assert_int_equal(resch_start(FD, 3, 1000), INT32_MAX);
}

static void answer_task_stat(void *argument)
{
	struct resch_task_stat *stat = argument;

	if (stat->next)
		stat->id++;
	stat->completed = 9;
}

static void test_task_stat(void **state)
{
	struct resch_task_stat stat;
	const struct resch_task_stat *in;

	(void)state;
	memset(&stat, 0xff, sizeof(stat));
	fake.answer = answer_task_stat;
	assert_int_equal(resch_task_stat(FD, 6, &stat), 0);
	in = seen(RESCH_IOC_TASK_STAT);
	assert_int_equal(in->id, 6);
	assert_int_equal(in->next, 0);
	assert_int_equal(in->params.group, 0);
	assert_int_equal(stat.completed, 9);
	assert_int_equal(stat.misses, 0);
	assert_fails(resch_task_stat(FD, 6, &stat));
}

static void test_task_next(void **state)
{
	struct resch_task_stat stat = { .id = 3, .misses = 5 };
	const struct resch_task_stat *in;

	(void)state;
	fake.answer = answer_task_stat;
	assert_int_equal(resch_task_next(FD, &stat), 1);
	in = seen(RESCH_IOC_TASK_STAT);
	assert_int_equal(in->id, 3);
	assert_int_equal(in->next, 1);
	assert_int_equal(in->misses, 0);
	assert_int_equal(stat.id, 4);
	assert_fails(resch_task_next(FD, &stat));
	fake.error = ENOENT;
	assert_int_equal(resch_task_next(FD, &stat), 0);
}

/* Who says nothing harms nobody. */
static void test_register_init(void **state)
{
	struct resch_register reg = RESCH_REGISTER_INIT, zero = {};
	char why[RESCH_VERDICT_TEXT];

	(void)state;
	assert_int_equal(reg.params.overrun, RESCH_THROTTLE);
	assert_int_equal(reg.params.cpu, -1);
	reg.params.period = 10;
	reg.params.overrun = 0;
	reg.params.cpu = 0;
	zero.params.period = 10;
	assert_memory_equal(&reg, &zero, sizeof(reg));
	reg = (struct resch_register)RESCH_REGISTER_INIT;
	reg.params.period = 10000000;
	reg.params.wcet = 2000000;
	assert_int_equal(resch_params_check(&reg.params, why, sizeof(why)), 0);
	assert_int_equal(resch_register_self(FD, &reg), 0);
}

static void answer_lead(void *argument)
{
	struct resch_lead *lead = argument;

	lead->verdict.bound = RESCH_BOUND_DEMAND;
}

static void test_lead_set(void **state)
{
	struct resch_verdict verdict = { .bound = 77 };
	const struct resch_lead *in;

	(void)state;
	fake.answer = answer_lead;
	assert_int_equal(resch_lead_set(FD, 8, 40000, &verdict), 0);
	in = seen(RESCH_IOC_LEAD);
	assert_int_equal(in->id, 8);
	assert_int_equal(in->lead, 40000);
	assert_int_equal(in->reserved, 0);
	assert_int_equal(in->verdict.bound, 0);
	assert_int_equal(verdict.bound, RESCH_BOUND_DEMAND);
	assert_int_equal(resch_lead_set(FD, 8, 0, NULL), 0);
	assert_fails(resch_lead_set(FD, 8, 1, &verdict));
}

static void test_pace(void **state)
{
	const struct resch_pace *in;

	(void)state;
	assert_int_equal(resch_pace_set(FD, 8, 40000), 0);
	in = seen(RESCH_IOC_PACE);
	assert_int_equal(in->id, 8);
	assert_int_equal(in->distance, 40000);
	assert_int_equal(in->reserved, 0);
	assert_fails(resch_pace_set(FD, 8, 1));
}

static void test_pace_towards(void **state)
{
	struct resch_pace_goal goal = {
		.clock = CLOCK_TAI, .cycle = 1000, .phase = 300, .most = 50
	};

	(void)state;
	/* There; too late, too early, by less and by more than is allowed at once; half way. */
	assert_int_equal(resch_pace_towards(&goal, 0, 5300), 1000);
	assert_int_equal(resch_pace_towards(&goal, 1000300, 5000), 1000);
	assert_int_equal(resch_pace_towards(&goal, 0, 5320), 980);
	assert_int_equal(resch_pace_towards(&goal, 0, 5280), 1020);
	assert_int_equal(resch_pace_towards(&goal, 0, 5400), 950);
	assert_int_equal(resch_pace_towards(&goal, 0, 5200), 1050);
	assert_int_equal(resch_pace_towards(&goal, 0, 5799), 950);
	assert_int_equal(resch_pace_towards(&goal, 0, 5801), 1050);
	/* A clock that is behind, before its own beginning even. */
	assert_int_equal(resch_pace_towards(&goal, -5000, 5320), 980);
	assert_int_equal(resch_pace_towards(&goal, -9000, 5280), 1020);
	goal.phase = -700;
	assert_int_equal(resch_pace_towards(&goal, 0, 5320), 980);
}

static void test_pace_follow(void **state)
{
	struct resch_pace_goal goal = { .clock = CLOCK_TAI, .cycle = 1000, .most = 1000 };
	const struct resch_pace *in;

	(void)state;
	assert_int_equal(resch_pace_follow(FD, 8, &goal, 0), -EINVAL);
	goal.most = 50;
	goal.clock = 99;
	assert_int_equal(resch_pace_follow(FD, 8, &goal, 0), -EINVAL);
	goal.clock = CLOCK_TAI;
	goal.cycle = 0;
	assert_int_equal(resch_pace_follow(FD, 8, &goal, 0), -EINVAL);
	goal.cycle = 1000;
	assert_int_equal(resch_pace_follow(FD, 8, &goal, resch_now()), 0);
	in = seen(RESCH_IOC_PACE);
	assert_int_equal(in->id, 8);
	assert_true(in->distance >= 950 && in->distance <= 1050);
}

static void answer_affinity(void *argument)
{
	struct resch_affinity *affinity = argument;

	affinity->cpus.bits[1] = 6;
}

static void test_affinity_get(void **state)
{
	struct resch_cpus cpus = { .bits = { 9 } };
	const struct resch_affinity *in;

	(void)state;
	fake.answer = answer_affinity;
	assert_int_equal(resch_affinity_get(FD, 6, &cpus), 0);
	in = seen(RESCH_IOC_AFFINITY);
	assert_int_equal(in->id, 6);
	assert_int_equal(in->flags, 0);
	assert_int_equal(in->cpus.bits[0], 0);
	assert_int_equal(cpus.bits[0], 0);
	assert_int_equal(cpus.bits[1], 6);
	assert_fails(resch_affinity_get(FD, 6, &cpus));
}

static void test_affinity_set(void **state)
{
	const struct resch_cpus cpus = { .bits = { 0, 6 } };
	const struct resch_affinity *in;

	(void)state;
	assert_int_equal(resch_affinity_set(FD, 7, &cpus), 0);
	in = seen(RESCH_IOC_AFFINITY);
	assert_int_equal(in->id, 7);
	assert_int_equal(in->flags, RESCH_AFFINITY_F_SET);
	assert_int_equal(in->cpus.bits[1], 6);
	assert_fails(resch_affinity_set(FD, 7, &cpus));
}

/* ---- plugins, events ------------------------------------------------------------------------- */

static void test_plugin(void **state)
{
	struct resch_plugin_stat stat;
	const struct resch_plugin_load *load;
	const struct resch_plugin_stat *in;

	(void)state;
	assert_int_equal(resch_plugin_load(FD, "fifteen-letters"), 0);
	load = seen(RESCH_IOC_PLUGIN_LOAD);
	assert_string_equal(load->name, "fifteen-letters");
	assert_fails(resch_plugin_load(FD, "edf"));

	/* Cut to the field it would be another name. */
	fake_reset(state);
	assert_int_equal(resch_plugin_load(FD, "sixteen-letters-"), -EINVAL);
	assert_int_equal(resch_plugin_load(FD, ""), -EINVAL);
	assert_int_equal(fake.calls, 0);

	memset(&stat, 0xff, sizeof(stat));
	assert_int_equal(resch_plugin_stat(FD, 1, &stat), 0);
	in = seen(RESCH_IOC_PLUGIN_STAT);
	assert_int_equal(in->index, 1);
	assert_int_equal(in->reserved, 0);
	assert_int_equal(stat.users, 0);
	assert_fails(resch_plugin_stat(FD, 1, &stat));
}

static void test_events(void **state)
{
	struct resch_event events[4];

	(void)state;
	fake.nr_events = 3;
	fake.events[2].task = 8;
	assert_int_equal(resch_event_read(FD, events, 4), 3);
	assert_int_equal(events[2].task, 8);
	assert_int_equal(resch_event_read(FD, events, 2), 2);
	assert_int_equal(resch_event_read(FD, events, 0), -EINVAL);
	assert_int_equal(resch_event_read(FD, events, SIZE_MAX / 2), -EINVAL);
	assert_fails(resch_event_read(FD, events, 4));

	fake.revents = POLLIN;
	assert_int_equal(resch_event_wait(FD, 123), 1);
	fake.revents = 0;
	assert_int_equal(resch_event_wait(FD, 123), 0);
	fake.revents = POLLNVAL;
	assert_int_equal(resch_event_wait(FD, 123), -EBADF);
	fake.revents = POLLERR;
	assert_int_equal(resch_event_wait(FD, 123), -EIO);
	assert_fails(resch_event_wait(FD, 123));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open, fake_reset),
		cmocka_unit_test_setup(test_open_fails, fake_reset),
		cmocka_unit_test_setup(test_open_other_abi, fake_reset),
		cmocka_unit_test_setup(test_open_reason, fake_reset),
		cmocka_unit_test_setup(test_info, fake_reset),
		cmocka_unit_test_setup(test_register_self, fake_reset),
		cmocka_unit_test_setup(test_register_thread, fake_reset),
		cmocka_unit_test_setup(test_unregister_release, fake_reset),
		cmocka_unit_test_setup(test_wait, fake_reset),
		cmocka_unit_test_setup(test_delay, fake_reset),
		cmocka_unit_test_setup(test_start, fake_reset),
		cmocka_unit_test_setup(test_task_stat, fake_reset),
		cmocka_unit_test_setup(test_task_next, fake_reset),
		cmocka_unit_test_setup(test_register_init, fake_reset),
		cmocka_unit_test_setup(test_lead_set, fake_reset),
		cmocka_unit_test_setup(test_pace, fake_reset),
		cmocka_unit_test(test_pace_towards),
		cmocka_unit_test_setup(test_pace_follow, fake_reset),
		cmocka_unit_test_setup(test_affinity_get, fake_reset),
		cmocka_unit_test_setup(test_affinity_set, fake_reset),
		cmocka_unit_test_setup(test_plugin, fake_reset),
		cmocka_unit_test_setup(test_events, fake_reset),
	};

	return cmocka_run_group_tests_name("libresch", tests, NULL, NULL);
}
