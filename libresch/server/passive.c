// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* passive.c - work for others: calls of clients, and providers that take them up */
#include "request.h"

int resch_call(int fd, struct resch_call *call)
{
	return resch_request(fd, RESCH_IOC_CALL, call);
}

static int end(int fd, unsigned long request, uint64_t handle, uint32_t flags, uint64_t *consumed)
{
	struct resch_call_end call = { .handle = handle, .flags = flags };
	int result = resch_request(fd, request, &call);

	if (consumed)
		*consumed = call.consumed;
	return result;
}

int resch_call_end(int fd, uint64_t handle, uint32_t flags, uint64_t *consumed)
{
	return end(fd, RESCH_IOC_CALL_END, handle, flags, consumed);
}

int resch_serve(int fd, struct resch_serve *serve)
{
	return resch_request(fd, RESCH_IOC_SERVE, serve);
}

int resch_serve_end(int fd, uint64_t handle, uint64_t *consumed)
{
	return end(fd, RESCH_IOC_SERVE_END, handle, 0, consumed);
}
