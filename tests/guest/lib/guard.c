// SPDX-License-Identifier: GPL-2.0
/* guard.c - guarded CPUs, see lib.h */
#include "lib.h"

const struct resch_calls calls_none;

uint32_t guard_on(const char *plugin, uint32_t flags, const struct resch_calls *exempt)
{
	struct resch_guard_set want = { .flags = RESCH_GUARD_ON | flags };

	pin(0, "0-1");
	want.domain = use(plugin);
	if (exempt) {
		want.flags |= RESCH_GUARD_EXEMPT;
		want.exempt = *exempt;
	}
	must(call(dev, RESCH_IOC_GUARD_SET, &want));
	return want.domain;
}

void guard_off(uint32_t domain)
{
	struct resch_guard_set want = { .domain = domain };

	must(call(dev, RESCH_IOC_GUARD_SET, &want));
}

int cpus_of(pid_t tid)
{
	cpu_set_t set;
	int cpu, bits = 0;

	must_libc(sched_getaffinity(tid, sizeof(set), &set));
	for (cpu = 0; cpu < 2; cpu++)
		bits |= !!CPU_ISSET(cpu, &set) << cpu;
	return bits;
}
