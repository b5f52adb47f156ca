// SPDX-License-Identifier: GPL-2.0
/* guards.c - requests that are about guards, see faults.h */
#include "faults.h"

static void unguarded(void)
{
	guard_off(domain);
}

static void guarded(void)
{
	struct resch_guard_set want = { .domain = domain, .flags = RESCH_GUARD_ON };

	must(call(dev, RESCH_IOC_GUARD_SET, &want));
}

TRIALS(guard_set)
{
	domain = use("fifo");
	asked.guard_set.domain = domain;
	asked.guard_set.flags = RESCH_GUARD_ON;
	fails(unguarded);
	asked.guard_set.flags = 0;
	fails(guarded);
}

TRIALS(guard_stat)
{
	uint64_t calls[RESCH_CALLS_MAX];

	domain = guard_on("fifo", 0, NULL);
	asked.guard_stat =
		(struct resch_guard_stat){ .domain = domain, .cpu = -1, .calls = (uintptr_t)calls };
	fails(NULL);
}

TRIALS(guard_lend)
{
	struct attributes before;

	if (!(info().features & RESCH_FEATURE_REMOTE))
		skip("this kernel has no task_work_add");
	pin(0, "0-1");
	before = attributes_of(0);
	domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	asked.guard_lend.cpu = CPU;
	fails(NULL);
	guard_off(domain);
	attributes_await(0, &before, "the case");
}

static void all_policies(void)
{
	must(resch_balance_set(dev, domain, RESCH_BALANCE_ALL));
}

TRIALS(balance_set)
{
	domain = guard_on("fifo", 0, NULL);
	asked.balance_set.domain = domain;
	asked.balance_set.policies = RESCH_BALANCE_PUSH;
	fails(all_policies);
}

TRIALS(balance_stat)
{
	domain = guard_on("fifo", 0, NULL);
	asked.balance_stat = (struct resch_balance_stat){ .domain = domain, .cpu = -1 };
	fails(NULL);
}
