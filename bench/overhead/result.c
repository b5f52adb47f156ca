// SPDX-License-Identifier: GPL-2.0
/* result.c - what was measured, one JSON object a line */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t median(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

uint64_t longest_own(const uint64_t *values, size_t count, size_t batch)
{
	uint64_t least = UINT64_MAX, most;
	size_t i, j;

	for (i = 0; i + batch <= count; i += batch) {
		most = 0;
		for (j = i; j < i + batch; j++)
			most = values[j] > most ? values[j] : most;
		least = most < least ? most : least;
	}
	return least;
}

static void print_summary(const char *what, uint64_t *values, size_t count)
{
	uint64_t middle;

	if (!count)
		fail("nothing was measured for {%s}", what);
	middle = median(values, count);
	printf("{%s, \"n\": %zu, \"median\": %llu, \"min\": %llu, \"max\": %llu", what, count,
	       (unsigned long long)middle, (unsigned long long)values[0],
	       (unsigned long long)values[count - 1]);
}

void result_print(const char *what, uint64_t *values, size_t count)
{
	print_summary(what, values, count);
	puts("}");
	fflush(stdout);
}

void result_spread(const char *what, uint64_t *values, size_t count)
{
	size_t i, first;

	print_summary(what, values, count);
	fputs(", \"values\": [", stdout);
	for (first = 0; first < count; first = i) {
		for (i = first; i < count && values[i] == values[first];)
			i++;
		printf("%s[%llu, %zu]", first ? ", " : "", (unsigned long long)values[first],
		       i - first);
	}
	puts("]}");
	fflush(stdout);
}

void fail(const char *format, ...)
{
	va_list args;

	fputs("resch-overhead: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

long must(long result, const char *what)
{
	if (result < 0)
		fail("%s: %s", what, strerror(result == -1 ? errno : (int)-result));
	return result;
}
