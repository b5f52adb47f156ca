// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch.c - the library against a fake device
 *
 * The system calls that the library makes are defined here and go before those of the C library:
 * each call's structure is looked at as the kernel would see it, answers and errors are made up.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>
#include <resch.h>

#define FD 77

/* ---- the fake device ------------------------------------------------------------------------- */

static struct fake {
	int open_error, error; /* errno to fail with; 0: succeed */
	int opens, closes, calls, syncs;
	int flags;
	int fd;
	unsigned long request;
	bool null;
	unsigned char seen[1024] __attribute__((aligned(8))); /* the argument as it came */
	size_t size;
	void (*answer)(void *argument); /* fills it in */
	uint32_t abi;
	struct resch_event events[4];
	size_t nr_events;
	short revents;
} fake;

int open(const char *path, int flags, ...)
{
	if (strcmp(path, RESCH_DEVICE))
		return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
	fake.opens++;
	fake.flags = flags;
	if (fake.open_error) {
		errno = fake.open_error;
		return -1;
	}
	return FD;
}

int close(int fd)
{
	if (fd != FD)
		return (int)syscall(SYS_close, fd);
	fake.closes++;
	return 0;
}

int fdatasync(int fd)
{
	assert_int_equal(fd, FD);
	fake.syncs++;
	if (!fake.error)
		return 0;
	errno = fake.error;
	return -1;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	void *argument;

	va_start(arguments, request);
	argument = va_arg(arguments, void *);
	va_end(arguments);
	fake.calls++;
	fake.fd = fd;
	fake.request = request;
	fake.null = !argument;
	fake.size = _IOC_SIZE(request);
	assert_true(fake.size <= sizeof(fake.seen));
	if (argument)
		memcpy(fake.seen, argument, fake.size);
	if (fake.answer)
		fake.answer(argument);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	if (request == RESCH_IOC_INFO && !fake.answer)
		((struct resch_info *)argument)->abi = fake.abi;
	return 0;
}

ssize_t read(int fd, void *buffer, size_t size)
{
	size_t bytes = fake.nr_events * sizeof(fake.events[0]);

	if (fd != FD)
		return syscall(SYS_read, fd, buffer, size);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	if (bytes > size)
		bytes = size;
	memcpy(buffer, fake.events, bytes);
	return (ssize_t)bytes;
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	assert_int_equal(count, 1);
	assert_int_equal(fds[0].fd, FD);
	assert_int_equal(fds[0].events, POLLIN);
	assert_int_equal(timeout, 123);
	if (fake.error) {
		errno = fake.error;
		return -1;
	}
	fds[0].revents = fake.revents;
	return fake.revents != 0;
}

static int setup(void **state)
{
	(void)state;
	fake = (struct fake){ .abi = RESCH_ABI_VERSION };
	return 0;
}

static void *seen(unsigned long request)
{
	assert_int_equal(fake.calls, 1);
	assert_int_equal(fake.fd, FD);
	assert_int_equal(fake.request, request);
	return fake.seen;
}

/* Each call passes errors on as negative numbers, and errno stays as it was. */
#define assert_fails(call)                        \
	do {                                      \
		fake.error = EBADMSG;             \
		errno = 12345;                    \
		assert_int_equal(call, -EBADMSG); \
		assert_int_equal(errno, 12345);   \
		fake.error = 0;                   \
	} while (0)

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

	setup(state);
	reg.start_time = 0;
	assert_int_equal(resch_start_time(getpid(), &mine), 0);
	assert_int_equal(resch_register_thread(FD, getpid(), &reg), 0);
	in = seen(RESCH_IOC_REGISTER);
	assert_int_equal(in->start_time, mine);
	assert_fails(resch_register_thread(FD, getpid(), &reg));

	setup(state);
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

	setup(state);
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

	setup(state);
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
	assert_fails(resch_start(FD, 3, 1000));
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

/* ---- domains, plugins, events ---------------------------------------------------------------- */

static void answer_domain_set(void *argument)
{
	struct resch_domain_set *set = argument;

	set->domain = 4;
	set->verdict.bound = RESCH_BOUND_DEMAND;
}

static void test_domain_set(void **state)
{
	struct resch_domain_set set = {
		.plugin = "edf", .options = "a=b", .capacity = 900000, .verdict.value = 1
	};
	const struct resch_domain_set *in;

	(void)state;
	resch_cpus_add(&set.cpus, 65);
	fake.answer = answer_domain_set;
	assert_int_equal(resch_domain_set(FD, &set), 0);
	in = seen(RESCH_IOC_DOMAIN_SET);
	assert_string_equal(in->plugin, "edf");
	assert_string_equal(in->options, "a=b");
	assert_int_equal(in->capacity, 900000);
	assert_int_equal(in->cpus.bits[1], 2);
	assert_int_equal(in->verdict.value, 0);
	assert_int_equal(set.domain, 4);
	assert_fails(resch_domain_set(FD, &set));
	assert_int_equal(set.verdict.bound, RESCH_BOUND_DEMAND);
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

	setup(state);
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

	setup(state);
	assert_int_equal(resch_plan_set(FD, 3, 0, NULL, NULL, 0, NULL), 0);
	in = seen(RESCH_IOC_PLAN_SET);
	assert_int_equal(in->from, 0);
	assert_int_equal(in->reserves, 0);
	assert_fails(resch_plan_set(FD, 3, 0, NULL, NULL, 0, NULL));
}

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
	setup(state);
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

/* ---- texts ----------------------------------------------------------------------------------- */

static void test_names(void **state)
{
	int i;

	(void)state;
	for (i = 0; i <= RESCH_WAKEUP; i++)
		assert_int_equal(resch_kind_parse(resch_kind_name((uint32_t)i)), i);
	for (i = 0; i <= RESCH_DEMOTE; i++)
		assert_int_equal(resch_react_parse(resch_react_name((uint32_t)i)), i);
	assert_string_equal(resch_kind_name(RESCH_WAKEUP), "wakeup");
	assert_string_equal(resch_kind_name(3), "?");
	assert_string_equal(resch_react_name(RESCH_THROTTLE), "throttle");
	assert_string_equal(resch_react_name(UINT32_MAX), "?");
	assert_string_equal(resch_state_name(RESCH_STATE_SELECTED), "selected");
	assert_string_equal(resch_state_name(RESCH_STATE_GONE), "gone");
	assert_string_equal(resch_state_name(RESCH_STATE_GONE + 1), "?");
	assert_string_equal(resch_event_name(RESCH_EVENT_MISS), "miss");
	assert_string_equal(resch_event_name(0), "?");
	assert_string_equal(resch_gone_name(RESCH_GONE_SYSRQ), "sysrq");
	assert_string_equal(resch_gone_name(1ULL << 32), "?");
	assert_int_equal(resch_kind_parse("?"), -EINVAL);
	assert_int_equal(resch_react_parse(""), -EINVAL);
}

static void test_time_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t ns;
	} cases[] = {
		{ "0", 0, 0 },
		{ "0.00", 0, 0 },
		{ "0ms", 0, 0 },
		{ "1ns", 0, 1 },
		{ "2ms", 0, 2000000 },
		{ "1.5ms", 0, 1500000 },
		{ ".5us", 0, 500 },
		{ "2.us", 0, 2000 },
		{ "10us", 0, 10000 },
		{ "10µs", 0, 10000 },
		{ "0.1s", 0, 100000000 },
		{ "0.000000001s", 0, 1 },
		{ "0.0000000010000000000000000000000s", 0, 1 },
		{ "1min", 0, 60000000000 },
		{ "0.05min", 0, 3000000000 },
		{ "1h", 0, 3600000000000 },
		{ "0.0000000000025h", 0, 9 },
		{ "18446744073709551614ns", 0, UINT64_MAX - 1 },
		{ "18446744073.709551614s", 0, UINT64_MAX - 1 },
		{ "18446744073709551615ns", -ERANGE, 0 },
		{ "18446744073709551616ns", -ERANGE, 0 },
		{ "99999999999999999999999999s", -ERANGE, 0 },
		{ "18446744074s", -ERANGE, 0 },
		{ "5124096h", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".", -EINVAL, 0 },
		{ ".ms", -EINVAL, 0 },
		{ "ms", -EINVAL, 0 },
		{ "5", -EINVAL, 0 },
		{ "5 ms", -EINVAL, 0 },
		{ " 5ms", -EINVAL, 0 },
		{ "-5ms", -EINVAL, 0 },
		{ "+5ms", -EINVAL, 0 },
		{ "5MS", -EINVAL, 0 },
		{ "5msx", -EINVAL, 0 },
		{ "1e3ns", -EINVAL, 0 },
		{ "1.2.3s", -EINVAL, 0 },
		{ "0.5ns", -EINVAL, 0 },
		{ "0.0000000001s", -EINVAL, 0 },
		{ "0.00000000000000000001h", -EINVAL, 0 },
	};
	uint64_t ns;
	int result;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* A text that is refused leaves it alone. */
		ns = cases[i].ns + 1;
		result = resch_time_parse(cases[i].text, &ns);
		if (result != cases[i].result || (ns == cases[i].ns) != !result)
			fail_msg("'%s' is %llu", cases[i].text, (unsigned long long)ns);
	}
}

/*
 * What is written can be read again, and is the same; random times of all sizes, also round ones.
 */
static void test_time_format(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1, "1ns" },
		{ 999, "999ns" },
		{ 1500, "1.5us" },
		{ 1000001, "1.000001ms" },
		{ 2000000, "2ms" },
		{ 1050000000, "1.05s" },
		{ 60000000000, "1min" },
		{ 61000000000, "61s" },
		{ 7200000000000, "2h" },
		{ RESCH_NEVER, "never" },
	};
	char text[RESCH_TIME_TEXT], small[4];
	uint64_t ns, back;
	unsigned int seed = 1;
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		n = resch_time_format(cases[i].ns, text, sizeof(text));
		assert_string_equal(text, cases[i].text);
		assert_int_equal(n, strlen(text));
	}
	for (i = 0; i < 200000; i++) {
		ns = ((uint64_t)rand_r(&seed) << 33 ^ (uint64_t)rand_r(&seed) << 11 ^
		      (uint64_t)rand_r(&seed)) >>
		     (rand_r(&seed) % 64);
		if (i % 2)
			ns -= ns % 1000;
		n = resch_time_format(ns, text, sizeof(text));
		assert_true(n > 0 && n < (int)sizeof(text));
		assert_int_equal(resch_time_parse(text, &back), 0);
		assert_true(back == ns);
	}
	assert_int_equal(resch_time_format(1500000, small, sizeof(small)), 5);
	assert_string_equal(small, "1.5");
}

static void test_now(void **state)
{
	uint64_t before = resch_now();

	(void)state;
	assert_true(before > 0);
	assert_true(resch_now() >= before);
}

static const char *verdict_text(struct resch_verdict verdict)
{
	static char text[RESCH_VERDICT_TEXT];
	int n = resch_verdict_text(&verdict, text, sizeof(text));

	assert_true(n > 0 && n < (int)sizeof(text));
	assert_int_equal(n, strlen(text));
	return text;
}

static void test_verdict(void **state)
{
	struct resch_verdict worst;
	char small[16];
	uint32_t bound;
	int n;

	(void)state;
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_UTILIZATION,
						     .cpu = 1,
						     .value = 1020000,
						     .limit = 950000,
						     .suggest_wcet = 1300000 }),
		"the utilization on CPU 1 would be 102 %, and at most 95 % may be given away; it would pass with "
		"a runtime of 1.3ms");
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_DEMAND,
						     .cpu = -1,
						     .value = 12000000,
						     .limit = 10000000 }),
		"the jobs that must both start and end within some 10ms could need 12ms");
	assert_string_equal(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_RESPONSE,
						     .cpu = 0,
						     .task = 7,
						     .value = 12000000,
						     .limit = 10000000,
						     .suggest_wcet = 1,
						     .suggest_period = 20000000 }),
		"task 7 on CPU 0 could take 12ms from release to completion, past its deadline of 10ms; it would "
		"pass with a runtime of 1ns, or with a period of 20ms");
	assert_non_null(strstr(
		verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_RESPONSE, .cpu = -1 }),
		"the new task could"));
	assert_non_null(strstr(
		verdict_text((struct resch_verdict){
			.bound = RESCH_BOUND_LIU_LAYLAND, .value = 833333, .limit = 779763 }),
		"83.3333 %, above the Liu and Layland bound of 77.9763 %"));
	assert_non_null(strstr(verdict_text((struct resch_verdict){ .bound = RESCH_BOUND_HYPERBOLIC,
								    .value = 2050000,
								    .limit = 2000000 }),
			       "2.050000, above the hyperbolic bound of 2.000000"));
	assert_non_null(strstr(verdict_text((struct resch_verdict){
				       .bound = RESCH_BOUND_PLUGIN, .value = 5, .limit = 4 }),
			       "5, and at most 4"));

	/*
	 * The largest numbers fit, also for tests of later modules; a small buffer is not overrun.
	 */
	memset(&worst, 0xff, sizeof(worst));
	worst.cpu = INT32_MAX;
	worst.suggest_wcet = UINT64_MAX - 1;
	worst.suggest_period = UINT64_MAX - 1;
	for (bound = 0; bound < 10; bound++) {
		worst.bound = bound;
		verdict_text(worst);
		n = resch_verdict_text(&worst, small, sizeof(small));
		assert_int_equal(strlen(small), sizeof(small) - 1);
		assert_int_equal(n, strlen(verdict_text(worst)));
		assert_int_equal(resch_verdict_text(&worst, NULL, 0), n);
	}
}

/* ---- threads and CPUs ------------------------------------------------------------------------ */

#define STAT_REST " S 1 2 3 4 -1 6 7 8 9 10 11 12 13 14 15 16 17 18 "

static void test_start_time_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t value;
	} cases[] = {
		{ "1 (a)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a)" STAT_REST "18446744073709551615 22\n", 0, UINT64_MAX },
		{ "1 (a b c)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a) S 1 2 3)" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (()))" STAT_REST "4711 22 23\n", 0, 4711 },
		{ "1 (a\nb)" STAT_REST "4711\n", 0, 4711 },
		{ "1 ()" STAT_REST "0 22\n", 0, 0 },
		{ "", -EINVAL, 0 },
		{ "1", -EINVAL, 0 },
		{ "1 (a", -EINVAL, 0 },
		{ "1 (a)", -EINVAL, 0 },
		{ "1 (a)\n", -EINVAL, 0 },
		{ "1 (a) S 1 2 3\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST, -EINVAL, 0 },
		{ "1 (a)" STAT_REST "\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "47", -EINVAL, 0 }, /* cut */
		{ "1 (a)" STAT_REST "-1 22\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "x 22\n", -EINVAL, 0 },
		{ "1 (a)" STAT_REST "18446744073709551616 22\n", -EINVAL, 0 },
	};
	uint64_t value;
	int result;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = cases[i].value + 1;
		result = resch_start_time_parse(cases[i].text, &value);
		if (result != cases[i].result || (value == cases[i].value) != !result)
			fail_msg("'%s'", cases[i].text);
	}
}

static void test_start_time(void **state)
{
	uint64_t mine, again;

	(void)state;
	assert_int_equal(resch_start_time(getpid(), &mine), 0);
	assert_int_equal(resch_start_time((pid_t)syscall(SYS_gettid), &again), 0);
	assert_true(mine == again);
	assert_int_equal(resch_start_time(INT32_MAX, &mine), -ESRCH);
	assert_int_equal(resch_start_time(-1, &mine), -ESRCH);
}

static void test_cpus_parse(void **state)
{
	static const struct {
		const char *text;
		int result;
		uint64_t first;
	} cases[] = {
		{ "", 0, 0 },
		{ "\n", 0, 0 },
		{ "0", 1, 1 },
		{ "0\n", 1, 1 },
		{ "2-3,5", 3, 0x2c },
		{ "5,2-3", 3, 0x2c },
		{ "0-63", 64, UINT64_MAX },
		{ "1,1,1-1", 1, 2 },
		{ "007", 1, 0x80 },
		{ "0,1023", 2, 1 },
		{ "0-1023", 1024, UINT64_MAX },
		{ "1024", -ERANGE, 0 },
		{ "0-1024", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ ",", -EINVAL, 0 },
		{ "1,", -EINVAL, 0 },
		{ ",1", -EINVAL, 0 },
		{ "1,,2", -EINVAL, 0 },
		{ "3-2", -EINVAL, 0 },
		{ "1-", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1-2-3", -EINVAL, 0 },
		{ "1 2", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "a", -EINVAL, 0 },
		{ "1\n2", -EINVAL, 0 },
		{ "1,\n", -EINVAL, 0 },
		{ "0x1", -EINVAL, 0 },
	};
	struct resch_cpus cpus;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&cpus, 0x55, sizeof(cpus));
		if (resch_cpus_parse(cases[i].text, &cpus) != cases[i].result)
			fail_msg("'%s'", cases[i].text);
		if (cases[i].result >= 0) {
			assert_true(cpus.bits[0] == cases[i].first);
			assert_int_equal(resch_cpus_count(&cpus), cases[i].result);
		} else {
			assert_true(cpus.bits[0] == 0x5555555555555555);
		}
	}
}

static void test_cpus_format(void **state)
{
	char text[RESCH_CPUS_MAX * 5], small[5];
	struct resch_cpus cpus = {}, back;
	unsigned int seed = 1;
	int i, cpu, n;

	(void)state;
	assert_int_equal(resch_cpus_format(&cpus, text, sizeof(text)), 0);
	assert_string_equal(text, "");
	resch_cpus_add(&cpus, 1023);
	resch_cpus_add(&cpus, 1024);
	resch_cpus_add(&cpus, 0);
	resch_cpus_add(&cpus, 63);
	resch_cpus_add(&cpus, 64);
	assert_true(resch_cpus_has(&cpus, 64));
	assert_false(resch_cpus_has(&cpus, 65));
	assert_false(resch_cpus_has(&cpus, 1024));
	n = resch_cpus_format(&cpus, text, sizeof(text));
	assert_string_equal(text, "0,63-64,1023");
	assert_int_equal(n, strlen(text));
	assert_int_equal(resch_cpus_format(&cpus, small, sizeof(small)), n);
	assert_int_equal(resch_cpus_format(&cpus, NULL, 0), n);

	for (i = 0; i < 2000; i++) {
		cpus = (struct resch_cpus){};
		for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
			if (rand_r(&seed) % (1 + i % 7) == 0)
				resch_cpus_add(&cpus, (unsigned int)cpu);
		}
		n = resch_cpus_format(&cpus, text, sizeof(text));
		assert_true(n < (int)sizeof(text));
		assert_int_equal(resch_cpus_parse(text, &back), resch_cpus_count(&cpus));
		assert_memory_equal(&cpus, &back, sizeof(cpus));
	}
}

/*
 * Texts made of what the parsers look at: they must end, touch nothing beyond, and accept nothing
 * half.
 */
static void test_parsers_fuzz(void **state)
{
	static const char letters[] = "0123456789.,-()SRnusmhi \n\xc2\xb5x";
	struct resch_cpus cpus;
	unsigned int seed = 7;
	uint64_t value;
	char *text;
	int i, j, n;

	(void)state;
	for (i = 0; i < 200000; i++) {
		n = rand_r(&seed) % 40;
		/* On the heap, so that the sanitizer sees the first byte too many. */
		text = malloc((size_t)n + 1);
		assert_non_null(text);
		for (j = 0; j < n; j++)
			text[j] = letters[(size_t)rand_r(&seed) % (sizeof(letters) - 1)];
		text[n] = 0;
		resch_time_parse(text, &value);
		resch_cpus_parse(text, &cpus);
		resch_start_time_parse(text, &value);
		resch_kind_parse(text);
		resch_react_parse(text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_open, setup),
		cmocka_unit_test_setup(test_open_fails, setup),
		cmocka_unit_test_setup(test_open_other_abi, setup),
		cmocka_unit_test_setup(test_open_reason, setup),
		cmocka_unit_test_setup(test_info, setup),
		cmocka_unit_test_setup(test_register_self, setup),
		cmocka_unit_test_setup(test_register_thread, setup),
		cmocka_unit_test_setup(test_unregister_release, setup),
		cmocka_unit_test_setup(test_wait, setup),
		cmocka_unit_test_setup(test_delay, setup),
		cmocka_unit_test_setup(test_start, setup),
		cmocka_unit_test_setup(test_task_stat, setup),
		cmocka_unit_test_setup(test_task_next, setup),
		cmocka_unit_test_setup(test_domain_set, setup),
		cmocka_unit_test_setup(test_domain_del, setup),
		cmocka_unit_test_setup(test_domain_stat, setup),
		cmocka_unit_test_setup(test_plan_set, setup),
		cmocka_unit_test_setup(test_plugin, setup),
		cmocka_unit_test_setup(test_events, setup),
		cmocka_unit_test_setup(test_names, setup),
		cmocka_unit_test_setup(test_time_parse, setup),
		cmocka_unit_test_setup(test_time_format, setup),
		cmocka_unit_test_setup(test_now, setup),
		cmocka_unit_test_setup(test_verdict, setup),
		cmocka_unit_test_setup(test_start_time_parse, setup),
		cmocka_unit_test_setup(test_start_time, setup),
		cmocka_unit_test_setup(test_cpus_parse, setup),
		cmocka_unit_test_setup(test_cpus_format, setup),
		cmocka_unit_test_setup(test_parsers_fuzz, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
