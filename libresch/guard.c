// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* guard.c - RT CPUs that other threads may use in user mode only */
#include "request.h"

int resch_guard_set(int fd, uint32_t domain, uint32_t flags, const struct resch_calls *exempt)
{
	struct resch_guard_set want = { .domain = domain, .flags = flags };

	if (exempt) {
		want.flags |= RESCH_GUARD_EXEMPT;
		want.exempt = *exempt;
	}
	return resch_request(fd, RESCH_IOC_GUARD_SET, &want);
}

int resch_guard_stat(int fd, uint32_t domain, int cpu, struct resch_guard_stat *stat,
		     uint64_t *calls)
{
	*stat = (struct resch_guard_stat){
		.domain = domain,
		.cpu = cpu,
		.calls = (uintptr_t)calls,
	};
	return resch_request(fd, RESCH_IOC_GUARD_STAT, stat);
}

int resch_guard_lend(int fd, pid_t tid, uint32_t cpu)
{
	struct resch_guard_lend lend = { .pid = tid, .cpu = cpu };

	return resch_request(fd, RESCH_IOC_GUARD_LEND, &lend);
}
