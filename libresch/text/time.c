// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* time.c - times as people write them */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "request.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "h", 3600000000000 }, { "min", 60000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
	{ "us", 1000 },		{ "µs", 1000 },		{ "ns", 1 },
};

#define NR_UNITS (sizeof(units) / sizeof(units[0]))

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Decimals are kept as an integer and a power of ten: 0.1ms is 100,000 ns, and no binary fraction
 * says so.
 */
int resch_time_parse(const char *text, uint64_t *ns)
{
	uint64_t whole = 0, fraction = 0, scale = 1, unit = 0, part;
	int digits = 0;
	size_t i;

	for (; is_digit(*text); text++, digits++) {
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole))
			return -ERANGE;
	}
	if (*text == '.') {
		for (text++; is_digit(*text); text++, digits++) {
			/*
			 * 3.6e12 ns in the largest unit: decimals beyond the 13th are no whole
			 * nanosecond.
			 */
			if (scale >= 10000000000000) {
				if (*text != '0')
					return -EINVAL;
				continue;
			}
			scale *= 10;
			fraction = fraction * 10 + (uint64_t)(*text - '0');
		}
	}
	if (!digits)
		return -EINVAL;
	if (!*text && !whole && !fraction) {
		*ns = 0;
		return 0;
	}

	for (i = 0; i < NR_UNITS; i++) {
		if (!strcmp(text, units[i].name))
			unit = units[i].ns;
	}
	if (!unit)
		return -EINVAL;
	/*
	 * fraction * unit / scale without the common tens stays below 2^64: fraction < scale, and
	 * unit is a few tens.
	 */
	for (part = unit; scale > 1 && !(part % 10); scale /= 10)
		part /= 10;
	if (fraction * part % scale)
		return -EINVAL;
	part = fraction * part / scale;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, part, &whole) || whole == RESCH_NEVER)
		return -ERANGE;
	*ns = whole;
	return 0;
}

int resch_time_format(uint64_t ns, char *text, size_t size)
{
	uint64_t rest, unit = 1;
	const char *name = "ns";
	char decimals[16];
	int length;

	if (ns == RESCH_NEVER)
		return snprintf(text, size, "never");
	if (!ns)
		return snprintf(text, size, "0");
	/* Minutes and hours only for whole ones: their fractions are nothing that one reads. */
	if (!(ns % 3600000000000)) {
		unit = 3600000000000;
		name = "h";
	} else if (!(ns % 60000000000)) {
		unit = 60000000000;
		name = "min";
	} else if (ns >= 1000000000) {
		unit = 1000000000;
		name = "s";
	} else if (ns >= 1000000) {
		unit = 1000000;
		name = "ms";
	} else if (ns >= 1000) {
		unit = 1000;
		name = "us";
	}
	rest = ns % unit;
	if (!rest)
		return snprintf(text, size, "%" PRIu64 "%s", ns / unit, name);
	/* unit is a power of ten here: as many decimals as it has zeros. */
	length = snprintf(decimals, sizeof(decimals), "%" PRIu64, unit + rest);
	while (length && decimals[length - 1] == '0')
		decimals[--length] = 0;
	return snprintf(text, size, "%" PRIu64 ".%s%s", ns / unit, decimals + 1, name);
}

uint64_t resch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
