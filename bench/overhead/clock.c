// SPDX-License-Identifier: GPL-2.0
/* clock.c - instructions, or as near to them as a program gets */
#include <time.h>

#include "clock.h"

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The reading with the least between its two stamps, of a few. */
struct moment moment_now(void)
{
	struct moment best = { 0 };
	uint64_t least = UINT64_MAX;
	int i;

	for (i = 0; i < 50; i++) {
		uint64_t before = stamp();
		uint64_t ns = now_ns();
		uint64_t after = stamp();

		if (after - before >= least)
			continue;
		least = after - before;
		best.ticks = before + least / 2;
		best.ns = ns;
	}
	return best;
}

uint64_t moment_ticks(const struct moment *from, const struct moment *to, uint64_t ns)
{
	double slope = (double)(to->ticks - from->ticks) / (double)(to->ns - from->ns);

	return from->ticks + (uint64_t)(int64_t)((double)(int64_t)(ns - from->ns) * slope + 0.5);
}

uint64_t moment_span(const struct moment *from, const struct moment *to, uint64_t ns)
{
	return moment_ticks(from, to, from->ns + ns) - from->ticks;
}

double moment_ns(const struct moment *from, const struct moment *to, uint64_t ticks)
{
	return (double)ticks * (double)(to->ns - from->ns) / (double)(to->ticks - from->ticks);
}
