// SPDX-License-Identifier: GPL-2.0
/* abi_refuse.c - every bad parameter has its errno, and a refused call has changed nothing */
#include "lib.h"
#include "thread-attr.h"

#include <limits.h>

#define HOUR (3600 * SEC)

static struct attributes before;
static uint32_t domain;

static void begin(void)
{
	domain = use("edf");
	pin(0, "0,1");
	attributes_set(0, SCHED_OTHER, 0, -3, 0);
	before = attributes_of(0);
}

/* Nobody is registered, and the caller is what it was. */
static void unchanged(const char *what)
{
	struct resch_task_stat stat;

	check(!tasks_registered(), "a refused registration (%s) has left a task", what);
	refused(resch_task_stat(dev, 0, &stat), ENOENT);
	attributes_check(0, &before, what);
	check_is(domain_stat(domain).tasks, 0);
}

#define REFUSED(error, change)                                                                \
	do {                                                                                  \
		struct resch_register reg = periodic(100 * MS, MS);                           \
		int err_;                                                                     \
		change;                                                                       \
		err_ = call(dev, RESCH_IOC_REGISTER, &reg);                                   \
		check(err_ == -(error), "%s: %s, not %s", #change, errno_name(err_), #error); \
		unchanged(#change);                                                           \
	} while (0)

/* The first number that the library has no name for. */
static uint32_t no_reaction(void)
{
	uint32_t reaction = 0;

	while (*resch_react_name(reaction) != '?')
		reaction++;
	return reaction;
}

TEST(parameters, "a parameter out of range is EINVAL")
{
	begin();
	REFUSED(EINVAL, reg.params.period = 0);
	REFUSED(EINVAL, reg.params.period = 999; reg.params.wcet = 100);
	REFUSED(EINVAL, reg.params.period = HOUR + 1);
	REFUSED(EINVAL, reg.params.period = ~0ULL);
	REFUSED(EINVAL, reg.params.deadline = HOUR + 1);
	REFUSED(EINVAL, reg.params.deadline = ~0ULL);
	REFUSED(EINVAL, reg.params.deadline = reg.params.wcet - 1);
	REFUSED(EINVAL, reg.params.wcet = 0);
	REFUSED(EINVAL, reg.params.wcet = reg.params.period + 1);
	REFUSED(EINVAL, reg.params.wcet = ~0ULL; reg.params.deadline = HOUR);
	REFUSED(EINVAL, reg.params.offset = HOUR + 1);
	REFUSED(EINVAL, reg.params.offset = ~0ULL);
	REFUSED(EINVAL, reg.params.kind = RESCH_KINDS);
	REFUSED(EINVAL, reg.params.kind = ~0U);
	REFUSED(EINVAL, reg.params.overrun = no_reaction());
	REFUSED(EINVAL, reg.params.miss = no_reaction());
	REFUSED(EINVAL, reg.params.miss = ~0U);
	REFUSED(EINVAL, reg.params.overrun = RESCH_SIGNAL);
	REFUSED(EINVAL, reg.params.miss = RESCH_SIGNAL; reg.params.signal = 65);
	REFUSED(EINVAL, reg.params.miss = RESCH_SIGNAL; reg.params.signal = ~0U);
	REFUSED(EINVAL, reg.params.signal = SIGUSR1);
	REFUSED(EINVAL, reg.params.priority = 10001);
	REFUSED(EINVAL, reg.params.priority = ~0U);
	REFUSED(EINVAL, reg.params.cpu = -2);
	REFUSED(EINVAL, reg.params.cpu = INT_MIN);
	REFUSED(EINVAL, reg.params.cpu = INT_MAX);
	REFUSED(EINVAL, reg.params.cpu = RESCH_CPUS_MAX);
	REFUSED(EINVAL, reg.params.flags |= 1U << 2);
	REFUSED(EINVAL, reg.params.flags |= 1U << 31);
	REFUSED(EINVAL, reg.params.group = RESCH_GROUPS_MAX + 1);
	REFUSED(EINVAL, reg.reserved = 1);
	REFUSED(EINVAL, reg.reserved2 = 1);
	REFUSED(EINVAL, reg.pid = -1);
	REFUSED(EINVAL, memset(reg.params.name, 'x', sizeof(reg.params.name)));
}

static void accepted(struct resch_register reg, const char *what)
{
	int err = call(dev, RESCH_IOC_REGISTER, &reg);

	check(!err, "%s: %s", what, errno_name(err));
	must(resch_unregister(dev, 0));
	attributes_check(0, &before, what);
}

#define ACCEPTED(change)                                            \
	do {                                                        \
		struct resch_register reg = periodic(100 * MS, MS); \
		change;                                             \
		accepted(reg, #change);                             \
	} while (0)

TEST(limits, "the last values in range are taken")
{
	begin();
	ACCEPTED(reg.params.period = 1000; reg.params.wcet = 1);
	ACCEPTED(reg.params.period = HOUR; reg.params.wcet = HOUR);
	ACCEPTED(reg.params.deadline = HOUR);
	ACCEPTED(reg.params.deadline = reg.params.wcet);
	ACCEPTED(reg.params.wcet = reg.params.period);
	ACCEPTED(reg.params.offset = HOUR);
	ACCEPTED(reg.params.priority = 10000);
	ACCEPTED(reg.params.miss = RESCH_SIGNAL; reg.params.signal = 64);
	ACCEPTED(reg.params.overrun = RESCH_SIGNAL; reg.params.signal = 1);
	ACCEPTED(reg.params.cpu = -1);
	ACCEPTED(reg.domain = domain);
	ACCEPTED(reg.domain = domain; reg.params.cpu = -1);
	ACCEPTED(memset(reg.params.name, 'x', sizeof(reg.params.name) - 1));
}

TEST(places, "no such domain, or a CPU that is in none, is ENODEV")
{
	begin();
	REFUSED(ENODEV, reg.domain = domain + 100);
	REFUSED(ENODEV, reg.domain = ~0U);
	REFUSED(ENODEV, reg.params.cpu = 0);
	REFUSED(ENODEV, reg.domain = domain; reg.params.cpu = 0);
	must(resch_domain_del(dev, domain));
	domain = domain_on("0", "fifo", NULL);
	REFUSED(ENODEV, reg.params.cpu = 1);
	must(resch_domain_del(dev, domain));
	struct resch_register reg = periodic(100 * MS, MS);

	reg.params.cpu = -1;
	refused(resch_register_self(dev, &reg), ENODEV);
}

TEST(threads, "a thread that is not there is ESRCH, a kernel thread EPERM")
{
	uint64_t start;

	begin();
	REFUSED(ESRCH, reg.pid = INT_MAX);
	must(resch_start_time(2, &start));
	REFUSED(EPERM, reg.pid = 2; reg.start_time = start);
	must(resch_start_time(getpid(), &start));
	REFUSED(ESRCH, reg.pid = getpid(); reg.start_time = start + 1);
	REFUSED(ESRCH, reg.pid = getpid(); reg.start_time = start - 1);
	REFUSED(ESRCH, reg.pid = getpid(); reg.start_time = 0);
	REFUSED(ESRCH, reg.pid = getpid(); reg.start_time = start + (1ULL << 32));
}

TEST(twice, "a thread that is registered already is EEXIST, and stays what it is")
{
	struct resch_register reg, again;
	struct resch_task_stat stat;
	int other = resch_open();

	begin();
	reg = periodic(100 * MS, MS);
	again = periodic(50 * MS, 2 * MS);
	must(resch_register_self(dev, &reg));
	refused(resch_register_self(dev, &again), EEXIST);
	refused(resch_register_self(other, &again), EEXIST);
	refused(resch_register_thread(dev, gettid(), &again), EEXIST);
	check_is(tasks_registered(), 1);
	stat = stat_of(0);
	check_is(stat.id, reg.id);
	check_is(stat.params.period, 100 * MS);
	must(resch_unregister(dev, 0));
	unchanged("twice");
}

TEST(admission, "what admission refuses is EBUSY, and what the verdict suggests passes")
{
	struct resch_register reg;
	struct resch_verdict verdict;
	char text[RESCH_VERDICT_TEXT];
	struct task task = { .reg = periodic(100 * MS, 70 * MS) };

	begin();
	task.reg.params.flags = 0;
	task_start(&task, body_idle);
	reg = periodic(100 * MS, 50 * MS);
	reg.params.flags = 0;
	refused(resch_register_self(dev, &reg), EBUSY);
	verdict = reg.verdict;
	check_is(tasks_registered(), 1);
	attributes_check(0, &before, "the refused thread");
	check_is(verdict.bound, RESCH_BOUND_UTILIZATION);
	check_is(verdict.cpu, CPU);
	check(verdict.value > verdict.limit, "verdict: %llu is within %llu", verdict.value,
	      verdict.limit);
	check(resch_verdict_text(&verdict, text, sizeof(text)) > 10, "the verdict says nothing");
	check(verdict.suggest_wcet && verdict.suggest_wcet < 50 * MS, "suggested WCET: %llu",
	      verdict.suggest_wcet);
	check(verdict.suggest_period > 100 * MS, "suggested period: %llu", verdict.suggest_period);

	reg = periodic(100 * MS, verdict.suggest_wcet);
	reg.params.flags = 0;
	must(resch_register_self(dev, &reg));
	must(resch_unregister(dev, 0));
	reg = periodic(verdict.suggest_period, 50 * MS);
	reg.params.flags = 0;
	must(resch_register_self(dev, &reg));
	must(resch_unregister(dev, 0));
	/* nearest means that a little more doesn't */
	reg = periodic(100 * MS, verdict.suggest_wcet + MS);
	reg.params.flags = 0;
	refused(resch_register_self(dev, &reg), EBUSY);
	task_join(&task);
	unchanged("admission");
}

TEST(deadline_class, "a SCHED_DEADLINE thread is EINVAL")
{
	struct thread_attr attr = {
		.policy = SCHED_DEADLINE,
		.runtime = 50 * MS, /* with 1 ms a debug kernel has taken minutes to end it */
		.deadline = 100 * MS,
		.period = 100 * MS,
	};
	struct resch_register reg = periodic(100 * MS, MS);
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	char all[32];

	begin();
	snprintf(all, sizeof(all), "0-%ld", online - 1);
	pin(0, all);
	if (thread_attr_set(0, &attr))
		skip("no SCHED_DEADLINE here: %s", strerror(errno));
	refused(resch_register_self(dev, &reg), EINVAL);
	check_is(sched_getscheduler(0), SCHED_DEADLINE);
	check_is(tasks_registered(), 0);
}

TEST(not_registered, "calls of threads and on tasks that are not registered are ENOENT")
{
	struct resch_wait job;

	begin();
	refused(resch_wait(dev, &job), ENOENT);
	refused(resch_wait(dev, NULL), ENOENT);
	refused(resch_delay(dev, resch_now() + SEC), ENOENT);
	refused(resch_unregister(dev, 0), ENOENT);
	refused(resch_unregister(dev, 4711), ENOENT);
	refused(resch_unregister(dev, ~0U), ENOENT);
	refused(resch_release(dev, 0), ENOENT);
	refused(resch_release(dev, 4711), ENOENT);
	unchanged("calls");
}

TEST(wrong_kind, "releasing a task that is not sporadic is EINVAL")
{
	struct resch_register reg = periodic(100 * MS, MS);

	begin();
	must(resch_register_self(dev, &reg));
	refused(resch_release(dev, 0), EINVAL);
	refused(resch_release(dev, reg.id), EINVAL);
	must(resch_unregister(dev, reg.id));
	unchanged("release");
}

TEST(starts, "a start of no domain is ENODEV, one in the past ETIME")
{
	begin();
	refused(resch_start(dev, 0, 0), ENODEV);
	refused(resch_start(dev, domain + 100, 0), ENODEV);
	refused(resch_start(dev, domain, 1), ETIME);
	refused(resch_start(dev, domain, resch_now() - 1), ETIME);
	check_is(resch_start(dev, domain, 0), 0);
	check_is(resch_start(dev, domain, resch_now() + SEC), 0);
}

/* The plugin demo with this option. 0: it has it; -errno. The domain is gone again. */
static int demo_with(const char *option)
{
	struct resch_domain_set want = { .plugin = "demo" };
	int err;

	snprintf(want.options, sizeof(want.options), "%s", option);
	want.cpus.bits[0] = 1;
	err = call(dev, RESCH_IOC_DOMAIN_SET, &want);
	if (!err)
		must(resch_domain_del(dev, want.domain));
	return err;
}

TEST(times, "an option that is no time, or out of range, is refused")
{
	static const char *const wrong[] = {
		"quantum",
		"quantum=",
		"quantum=ms",
		"quantum=.ms",
		"quantum=1",
		"quantum=0",
		"quantum=-1ms",
		"quantum=1 ms",
		"quantum=1lightyear",
		"quantum=1h",
		"quantum=18446744073709551616ns",
		"quantum=99999999999999999999ms",
		"quantum=0.1ns",
		"quantum=1.00000000000000000000000001ms",
		NULL,
	};
	const char *const *option;

	must(module_load("resch-demo", ""));
	begin();
	for (option = wrong; *option; option++) {
		int err = demo_with(*option);

		check(err == -EINVAL, "%s: %s", *option, errno_name(err));
		check_is(info().domains, 1);
	}
	must(demo_with("quantum=1.00000000000000000000000000ms"));
}

#define SET_REFUSED(error, change)                                                            \
	do {                                                                                  \
		struct resch_domain_set want = { .plugin = "edf" };                           \
		int err_;                                                                     \
		want.cpus.bits[0] = 1;                                                        \
		change;                                                                       \
		err_ = call(dev, RESCH_IOC_DOMAIN_SET, &want);                                \
		check(err_ == -(error), "%s: %s, not %s", #change, errno_name(err_), #error); \
		check_is(info().domains, 1);                                                  \
	} while (0)

TEST(domains, "domains with bad parameters are refused")
{
	struct resch_domain_stat stat;

	begin();
	SET_REFUSED(EINVAL, want.flags = 1);
	SET_REFUSED(EINVAL, want.capacity = 1000001);
	SET_REFUSED(EINVAL, want.overhead = MS);
	SET_REFUSED(EINVAL, want.cpus.bits[0] = 0);
	SET_REFUSED(EINVAL, want.cpus.bits[15] = 1ULL << 63);
	SET_REFUSED(EBUSY, want.cpus.bits[0] = 2);
	SET_REFUSED(EBUSY, want.cpus.bits[0] = 3);
	SET_REFUSED(EINVAL, memset(want.plugin, 'a', sizeof(want.plugin)));
	SET_REFUSED(EINVAL, memset(want.options, 'a', sizeof(want.options)));
	SET_REFUSED(EINVAL, strcpy(want.options, "nonsense=1"));
	SET_REFUSED(EINVAL, strcpy(want.options, "nonsense"));
	SET_REFUSED(ENOENT, strcpy(want.plugin, "no-such-plugin"));
	SET_REFUSED(ENOENT, want.plugin[0] = 0);
	SET_REFUSED(ENOENT, strcpy(want.plugin, "../edf"));
	SET_REFUSED(ENOENT, strcpy(want.plugin, "EDF"));
	SET_REFUSED(ENODEV, want.domain = domain + 100; want.cpus.bits[0] = 0);
	SET_REFUSED(EINVAL, want.domain = domain);
	stat = domain_stat(domain);
	check(!strcmp(stat.plugin, "edf") && !stat.swaps, "the domain has %s after %llu swaps",
	      stat.plugin, stat.swaps);
	refused(resch_domain_del(dev, 0), ENODEV);
	refused(resch_domain_del(dev, domain + 100), ENODEV);
}
