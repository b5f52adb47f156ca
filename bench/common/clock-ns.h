/* SPDX-License-Identifier: GPL-2.0 */
/* clock-ns.h - clocks and pauses in ns */
#ifndef _BENCH_CLOCK_NS_H
#define _BENCH_CLOCK_NS_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define SECOND 1000000000ull

/* What a clock shows; 0: there is no such clock (any more). */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* CLOCK_MONOTONIC. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* A signal may end it before. */
static inline void sleep_for(uint64_t ns)
{
	struct timespec time = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };

	nanosleep(&time, NULL);
}

/* Until this time of CLOCK_MONOTONIC. */
static inline void sleep_until(uint64_t at)
{
	struct timespec time = { .tv_sec = (time_t)(at / SECOND), .tv_nsec = (long)(at % SECOND) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

#endif /* _BENCH_CLOCK_NS_H */
