// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* plan.c - who has which CPU when */
#include "request.h"

int resch_plan_set(int fd, uint32_t domain, uint64_t slot, uint64_t *from,
		   const struct resch_reserve *reserves, uint32_t count,
		   struct resch_verdict *verdict)
{
	struct resch_plan_set want = {
		.domain = domain,
		.count = count,
		.slot = slot,
		.from = from ? *from : 0,
		.reserves = (uintptr_t)reserves,
	};
	int result = resch_request(fd, RESCH_IOC_PLAN_SET, &want);

	if (!result && from)
		*from = want.from;
	if (verdict)
		*verdict = want.verdict;
	return result;
}

int resch_plan_get(int fd, uint32_t domain, uint64_t *slot, uint64_t *from,
		   struct resch_reserve *reserves, uint32_t count)
{
	struct resch_plan_get get = {
		.domain = domain,
		.count = count,
		.reserves = (uintptr_t)reserves,
	};
	int result = resch_request(fd, RESCH_IOC_PLAN_GET, &get);

	if (result)
		return result;
	if (slot)
		*slot = get.slot;
	if (from)
		*from = get.from;
	return (int)get.count;
}
