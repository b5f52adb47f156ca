// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* proc.c - which thread a thread id means */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "request.h"

/*
 * The name, field 2, may hold spaces, parentheses and newlines, so counting starts after its last
 * parenthesis: what follows are a letter and numbers. Field 3 comes right after it; the start time
 * is field 22.
 */
int resch_start_time_parse(const char *stat, uint64_t *start_time)
{
	const char *p = strrchr(stat, ')');
	uint64_t value = 0;
	int field;

	if (!p)
		return -EINVAL;
	p++;
	for (field = 3; field <= 22; field++) {
		if (*p != ' ')
			return -EINVAL;
		p++;
		if (field < 22)
			p += strcspn(p, " \n");
	}
	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return -EINVAL;
	}
	/* A text cut within the number would give a wrong one. */
	if (*p != ' ' && *p != '\n')
		return -EINVAL;
	*start_time = value;
	return 0;
}

int resch_start_time(pid_t tid, uint64_t *start_time)
{
	char path[32], text[1024];
	int saved = errno;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		errno = saved;
		return -ESRCH;
	}
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	errno = saved;
	if (n <= 0)
		return -ESRCH;
	text[n] = 0;
	return resch_start_time_parse(text, start_time);
}
