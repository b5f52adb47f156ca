// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* event.c - overruns, misses and ends of registrations, as they happen */
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "request.h"

int resch_event_read(int fd, struct resch_event *events, size_t count)
{
	int saved = errno;
	int result;
	ssize_t bytes;

	if (!count || count > INT_MAX / sizeof(*events))
		return -EINVAL;
	bytes = read(fd, events, count * sizeof(*events));
	if (bytes < 0) {
		result = -errno;
		errno = saved;
		return result;
	}
	return (int)((size_t)bytes / sizeof(*events));
}

int resch_event_wait(int fd, int timeout)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int saved = errno;
	int result = poll(&pollfd, 1, timeout);

	if (result < 0) {
		result = -errno;
		errno = saved;
		return result;
	}
	if (!result)
		return 0;
	if (pollfd.revents & POLLNVAL)
		return -EBADF;
	return pollfd.revents & POLLIN ? 1 : -EIO;
}
