/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - instructions, or as near to them as a program gets
 *
 * All stamps are raw time stamp counter values: reading it is one instruction. In the
 * deterministic guest the counter counts instructions; elsewhere it counts cycles of a constant
 * clock. clock_line() says which of its values a CLOCK_MONOTONIC time stands for.
 */
#ifndef _OVERHEAD_CLOCK_H
#define _OVERHEAD_CLOCK_H

#include <stdint.h>

static inline uint64_t stamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* CLOCK_MONOTONIC, ns. */
uint64_t now_ns(void);

/* One moment on both clocks. */
struct moment {
	uint64_t ticks;
	uint64_t ns;
};

struct moment moment_now(void);

/* Both directions, along the line through two moments. */
uint64_t moment_ticks(const struct moment *from, const struct moment *to, uint64_t ns);
uint64_t moment_span(const struct moment *from, const struct moment *to, uint64_t ns);
double moment_ns(const struct moment *from, const struct moment *to, uint64_t ticks);

#endif /* _OVERHEAD_CLOCK_H */
