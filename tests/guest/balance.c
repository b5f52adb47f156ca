// SPDX-License-Identifier: GPL-2.0
/*
 * balance.c - which threads a guard has sent to its RT CPU, by each of the four policies and
 * without it
 *
 * CPU 1 is the RT CPU, CPU 0 the NRT one. Counters and affinities are judged; what is not to happen
 * is given the time of many rounds to happen in.
 */
#include "lib.h"

#define VISITS 50
#define MOVES 20
#define ROUNDS_MS 500

static void policies(uint32_t domain, uint32_t policies)
{
	struct resch_balance_set want = { .domain = domain, .policies = policies };

	must(call(dev, RESCH_IOC_BALANCE_SET, &want));
}

static struct resch_balance_stat stat_balance(uint32_t domain)
{
	struct resch_balance_stat stat = { .domain = domain, .cpu = CPU };

	must(call(dev, RESCH_IOC_BALANCE_STAT, &stat));
	return stat;
}

/* The domain of CPU 1, guarded; every call sends threads away. */
static uint32_t guarded(uint32_t flags, uint32_t which)
{
	uint32_t domain = guard_on("fifo", flags, &calls_none);

	check_is(stat_balance(domain).policies, RESCH_BALANCE_ALL);
	policies(domain, which);
	check_is(stat_balance(domain).in_force, which);
	return domain;
}

static int computes(void *arg)
{
	(void)arg;
	for (;;)
		compute_a_while();
	return 0;
}

/* A call each fraction of a millisecond, also on a machine that is emulated on a busy one. */
static int calls(void *arg)
{
	(void)arg;
	for (;;) {
		volatile int i;

		for (i = 0; i < 500; i++)
			;
		sched_yield();
	}
	return 0;
}

#define CROWD 3
/* More than the kernel's own threads of CPU 1 that RT0 can keep waiting there: they count, too. */
#define BIG_CROWD 16

static void crowd_start(pid_t *pids, int count, int (*body)(void *arg))
{
	int i;

	for (i = 0; i < count; i++)
		pids[i] = child(body, NULL);
}

/* All have the affinity that they began with: @bits. */
static void crowd_end(const pid_t *pids, int count, int bits)
{
	int i;

	for (i = 0; i < count; i++) {
		check_is(cpus_of(pids[i]), bits);
		must_libc(kill(pids[i], SIGKILL));
		child_wait(pids[i]);
	}
}

/* ---- load ------------------------------------------------------------------------------------ */

TEST(evens, "threads that compute share the RT CPU")
{
	uint32_t domain = guarded(0, RESCH_BALANCE_ALL);
	pid_t pids[CROWD];

	crowd_start(pids, CROWD, computes);
	await(stat_balance(domain).to_load >= 1);
	await(cpus_of(pids[0]) == 2 || cpus_of(pids[1]) == 2 || cpus_of(pids[2]) == 2);
	guard_off(domain);
	crowd_end(pids, CROWD, 3);
}

/* RT0 on CPU 1, which leaves nothing of it. */
static int takes_all(void *arg)
{
	struct sched_param param = { .sched_priority = 99 };

	(void)arg;
	must_libc(sched_setscheduler(0, SCHED_FIFO, &param));
	pin(0, "1");
	for (;;)
		compute_a_while();
	return 0;
}

/*
 * What a real-time thread leaves of its CPU by default, 5 %, would do: with those the CPU is no
 * worse a place than an NRT CPU on which the kernel's own real-time threads have much to do, as on
 * a slow machine. As long as the share grows whoever is there already may be sent, and sent again.
 */
TEST(weight, "a CPU that RT0 needs gets nobody, or, without the weight, its number of heads")
{
	uint32_t domain = guarded(0, RESCH_BALANCE_WEIGHT);
	pid_t pids[BIG_CROWD], rt0 = child(takes_all, NULL);
	struct resch_balance_stat before, after;

	throttle(false);
	await(stat_balance(domain).share >= 999000);
	check(stat_balance(domain).share_rt0 >= 900000, "RT0 is not seen as such");
	crowd_start(pids, BIG_CROWD, computes);
	before = stat_balance(domain);
	sleep_ms(ROUNDS_MS);
	after = stat_balance(domain);
	throttle(true);
	check(after.to_load == before.to_load,
	      "%llu, then %llu were sent; its share is %u, then %u",
	      (unsigned long long)before.to_load, (unsigned long long)after.to_load, before.share,
	      after.share);
	policies(domain, 0);
	await(stat_balance(domain).to_load > after.to_load);
	must_libc(kill(rt0, SIGKILL));
	child_wait(rt0);
	guard_off(domain);
	crowd_end(pids, BIG_CROWD, 3);
}

/* ---- the next call --------------------------------------------------------------------------- */

TEST(estimate,
     "who calls often is kept on the NRT CPU, or, without the estimate, sent away and back")
{
	uint32_t domain = guarded(0, RESCH_BALANCE_WEIGHT | RESCH_BALANCE_PUSH);
	pid_t pids[CROWD];

	crowd_start(pids, CROWD, calls);
	await(stat_balance(domain).to_load >= MOVES);
	check_is(stat_balance(domain).kept, 0);
	policies(domain, RESCH_BALANCE_ALL);
	await(stat_balance(domain).kept >= MOVES);
	guard_off(domain);
	crowd_end(pids, CROWD, 3);
}

/* ---- who belongs where ----------------------------------------------------------------------- */

/* Soft real-time; leaves the NRT CPU to others now and then. */
static int soft(void *arg)
{
	struct sched_param param = { .sched_priority = 50 };

	(void)arg;
	must_libc(sched_setscheduler(0, SCHED_FIFO, &param));
	for (;;) {
		spin(30 * MS);
		sleep_ms(5);
	}
	return 0;
}

TEST(associate, "a soft real-time thread goes home though nobody else wants its CPU, or does not")
{
	uint32_t domain = guarded(0, RESCH_BALANCE_WEIGHT);
	pid_t pid = child(soft, NULL);

	sleep_ms(ROUNDS_MS);
	check_is(stat_balance(domain).to_home, 0);
	policies(domain, RESCH_BALANCE_WEIGHT | RESCH_BALANCE_ASSOCIATE);
	await(stat_balance(domain).to_home >= 3);
	guard_off(domain);
	check_is(cpus_of(pid), 3);
	must_libc(kill(pid, SIGKILL));
	child_wait(pid);
}

/* ---- the way --------------------------------------------------------------------------------- */

/* How often it has been to the RT CPU so far. */
static uint64_t visit(uint32_t domain)
{
	struct resch_guard_lend lend = { .cpu = CPU };
	struct resch_guard_stat stat = { .domain = domain, .cpu = -1 };
	int i;

	for (i = 0; i < VISITS; i++) {
		must(call(dev, RESCH_IOC_GUARD_LEND, &lend));
		sched_yield();
		check_is(cpus_of(0), 1);
	}
	must(call(dev, RESCH_IOC_GUARD_STAT, &stat));
	return stat.lent;
}

TEST(push, "threads go by way of the RT CPU's queue, or, without the push, are put on it")
{
	uint32_t domain = guarded(RESCH_GUARD_MANUAL, RESCH_BALANCE_ALL);

	check_is(visit(domain), VISITS);
	check_is(stat_balance(domain).pushed, VISITS);
	policies(domain, RESCH_BALANCE_ALL & ~RESCH_BALANCE_PUSH);
	check_is(visit(domain), 2 * VISITS);
	check_is(stat_balance(domain).pushed, VISITS);
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

TEST(refusals, "policies are refused where they make no sense")
{
	struct resch_balance_set want = { .domain = 12345 };
	struct resch_balance_stat stat = { .domain = 12345, .cpu = -1 };
	struct resch_guard_set guard = { .flags = RESCH_GUARD_ON | RESCH_GUARD_MANUAL };

	refused(call(dev, RESCH_IOC_BALANCE_SET, &want), ENODEV);
	refused(call(dev, RESCH_IOC_BALANCE_STAT, &stat), ENODEV);
	want.domain = guarded(RESCH_GUARD_MANUAL, 0);
	stat.domain = want.domain;
	guard_off(want.domain);
	refused(call(dev, RESCH_IOC_BALANCE_SET, &want), ENOENT);
	refused(call(dev, RESCH_IOC_BALANCE_STAT, &stat), ENOENT);
	guard.domain = want.domain;
	must(call(dev, RESCH_IOC_GUARD_SET, &guard));
	want.policies = RESCH_BALANCE_ALL + 1;
	refused(call(dev, RESCH_IOC_BALANCE_SET, &want), EINVAL);
	stat.cpu = 0;
	refused(call(dev, RESCH_IOC_BALANCE_STAT, &stat), ENODEV);
	stat.cpu = -2;
	refused(call(dev, RESCH_IOC_BALANCE_STAT, &stat), EINVAL);
	check_is(setuid(65534), 0);
	want.policies = 0;
	refused(call(dev, RESCH_IOC_BALANCE_SET, &want), EPERM);
}
