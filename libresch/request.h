/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* request.h - an ioctl as this library returns it; not installed */
#ifndef _RESCH_REQUEST_H
#define _RESCH_REQUEST_H

#include <errno.h>
#include <sys/ioctl.h>

#include "resch.h"

/*
 * errno is put back: a library that says it returns -errno should not leave traces of its own
 * attempts.
 */
static inline int resch_request(int fd, unsigned long request, void *argument)
{
	int saved = errno;
	int result = ioctl(fd, request, argument);

	if (result < 0) {
		result = -errno;
		errno = saved;
	}
	return result;
}

/* A name that does not fit would name something else once it is cut. */
static inline int resch_name_copy(char *to, size_t size, const char *name)
{
	size_t i;

	for (i = 0; name[i]; i++) {
		if (i + 1 >= size)
			return -EINVAL;
		to[i] = name[i];
	}
	if (!i)
		return -EINVAL;
	for (; i < size; i++)
		to[i] = 0;
	return 0;
}

#endif /* _RESCH_REQUEST_H */
