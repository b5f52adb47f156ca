// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* time.c - times as people write them */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <resch/time.h>

#include "request.h"

int resch_time_parse(const char *text, uint64_t *ns)
{
	__u64 time;
	int result = resch_time_read(text, &time);

	if (!result)
		*ns = time;
	return result;
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
