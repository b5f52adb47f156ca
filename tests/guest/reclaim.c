// SPDX-License-Identifier: GPL-2.0
/*
 * reclaim.c - windows of a plan that their group leaves idle: npsf gives them to others where it is
 * told to
 */
#include "lib.h"

#define SLOT (100 * MS)

/* The second group has no task. */
static const struct resch_reserve plan[] = {
	{ .group = 1, .cpu = CPU, .begin = 0, .end = 40 * MS },
	{ .group = 2, .cpu = CPU, .begin = 40 * MS, .end = SLOT },
};

static struct task greedy;

static uint64_t executed(void)
{
	struct timespec time;
	clockid_t clock;

	check(!pthread_getcpuclockid(greedy.thread, &clock), "no clock");
	must_libc(clock_gettime(clock, &time));
	return (uint64_t)time.tv_sec * SEC + (uint64_t)time.tv_nsec;
}

static void begin(const char *options)
{
	uint32_t domain = domain_on("1", "npsf", options);
	uint64_t from = 0;

	pin(0, "0");
	must(resch_plan_set(dev, domain, SLOT, &from, plan, 2, NULL));
	greedy = (struct task){ .reg = periodic(SLOT, 40 * MS) };
	greedy.reg.params.group = 1;
	greedy.reg.params.cpu = -1;
	greedy.reg.domain = domain;
	task_start(&greedy, body_spin);
}

static void end(void)
{
	atomic_store(&greedy.stop, 1);
	task_join(&greedy);
}

/*
 * In half a second or more: has it had more than its reserves, which are 40 %? With those of the
 * other group it is all; a host that takes the CPU away at the end of one makes it longer, too.
 */
static bool has_more(void)
{
	uint64_t since = resch_now(), had = executed(), time;

	sleep_ms(500);
	had = executed() - had;
	time = resch_now() - since;
	return had > time * 7 / 10;
}

TEST(idle, "without reclaim=1 a task has its group's windows and no more")
{
	int i;

	begin("");
	await(executed() > SLOT);
	for (i = 0; i < 4; i++)
		check(!has_more(), "it has had more");
	end();
}

TEST(reclaimed, "with it, also those of a group that has nothing to do")
{
	begin("reclaim=1");
	await(has_more());
	end();
}
