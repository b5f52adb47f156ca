// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* balance.c - which threads a guard has sent to its CPUs */
#include "request.h"

int resch_balance_set(int fd, uint32_t domain, uint32_t policies)
{
	struct resch_balance_set want = { .domain = domain, .policies = policies };

	return resch_request(fd, RESCH_IOC_BALANCE_SET, &want);
}

int resch_balance_stat(int fd, uint32_t domain, int cpu, struct resch_balance_stat *stat)
{
	*stat = (struct resch_balance_stat){ .domain = domain, .cpu = cpu };
	return resch_request(fd, RESCH_IOC_BALANCE_STAT, stat);
}
