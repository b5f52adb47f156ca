// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* server.c - servers: groups of tasks with a budget each */
#include "request.h"

int resch_server_set(int fd, struct resch_server_set *want)
{
	want->verdict = (struct resch_verdict){};
	return resch_request(fd, RESCH_IOC_SERVER_SET, want);
}

int resch_server_del(int fd, uint32_t domain, uint32_t id)
{
	struct resch_server_del del = { .domain = domain, .id = id };

	return resch_request(fd, RESCH_IOC_SERVER_DEL, &del);
}

int resch_server_stat(int fd, uint32_t domain, uint32_t id, struct resch_server_stat *stat)
{
	*stat = (struct resch_server_stat){ .domain = domain, .id = id };
	return resch_request(fd, RESCH_IOC_SERVER_STAT, stat);
}

int resch_server_next(int fd, struct resch_server_stat *stat)
{
	int result;

	*stat = (struct resch_server_stat){ .domain = stat->domain, .id = stat->id, .next = 1 };
	result = resch_request(fd, RESCH_IOC_SERVER_STAT, stat);
	if (result == -ENOENT)
		return 0;
	return result < 0 ? result : 1;
}

int resch_servers_set(int fd, struct resch_servers_set *want)
{
	want->verdict = (struct resch_verdict){};
	return resch_request(fd, RESCH_IOC_SERVERS_SET, want);
}

int resch_servers_del(int fd, uint32_t domain, uint32_t id)
{
	struct resch_server_del del = { .domain = domain, .id = id };

	return resch_request(fd, RESCH_IOC_SERVERS_DEL, &del);
}

int resch_server_delegate(int fd, const struct resch_delegate *want)
{
	struct resch_delegate asked = *want;

	return resch_request(fd, RESCH_IOC_DELEGATE, &asked);
}
