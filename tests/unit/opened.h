/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opened.h - open() and open64() of a library that is preloaded, which defines opened()
 *
 * To be included by one of its sources, after _GNU_SOURCE was defined.
 */
#ifndef _RESCH_TEST_OPENED_H
#define _RESCH_TEST_OPENED_H

#include <dlfcn.h>
#include <stdarg.h>

typedef int open_function(const char *path, int flags, ...);

/* What is opened, by @next or otherwise. Return: as open(2). */
static int opened(const char *path, int flags, int mode, open_function *next);

static int open_by(const char *real, const char *path, int flags, va_list list)
{
	int mode = va_arg(list, int);

	return opened(path, flags, mode, dlsym(RTLD_NEXT, real));
}

int open(const char *path, int flags, ...)
{
	va_list list;
	int fd;

	va_start(list, flags);
	fd = open_by("open", path, flags, list);
	va_end(list);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list list;
	int fd;

	va_start(list, flags);
	fd = open_by("open64", path, flags, list);
	va_end(list);
	return fd;
}

#endif /* _RESCH_TEST_OPENED_H */
