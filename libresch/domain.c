// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* domain.c - CPU sets with a plugin each */
#include "request.h"

int resch_domain_set(int fd, struct resch_domain_set *want)
{
	want->verdict = (struct resch_verdict){};
	return resch_request(fd, RESCH_IOC_DOMAIN_SET, want);
}

int resch_domain_del(int fd, uint32_t domain)
{
	struct resch_domain_del del = { .domain = domain };

	return resch_request(fd, RESCH_IOC_DOMAIN_DEL, &del);
}

int resch_domain_stat(int fd, uint32_t domain, struct resch_domain_stat *stat)
{
	*stat = (struct resch_domain_stat){ .domain = domain };
	return resch_request(fd, RESCH_IOC_DOMAIN_STAT, stat);
}

int resch_domain_next(int fd, struct resch_domain_stat *stat)
{
	int result;

	*stat = (struct resch_domain_stat){ .domain = stat->domain, .next = 1 };
	result = resch_request(fd, RESCH_IOC_DOMAIN_STAT, stat);
	/*
	 * A walk ends with -ENOENT like that of the tasks; an id that is not there is -ENODEV
	 * elsewhere.
	 */
	if (result == -ENOENT || result == -ENODEV)
		return 0;
	return result < 0 ? result : 1;
}
