/* SPDX-License-Identifier: GPL-2.0 */
/*
 * types.h - what plugin sources need from their surroundings, in the kernel and in user space
 *
 * Plugins, the ready queue and the job arithmetic compile unchanged into the module, the simulator
 * and the unit tests. This header is the whole difference between those places.
 */
#ifndef _RESCH_TYPES_H
#define _RESCH_TYPES_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * For long computations of admit(), admit_server() and option(), every few thousand steps: lets
 * others have the CPU. Process context; sleeps.
 */
void resch_breathe(void);
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int64_t s64;
typedef int32_t s32;

#define U64_MAX UINT64_MAX
#define U32_MAX UINT32_MAX
#define __must_check __attribute__((warn_unused_result))
/* Here nothing has to be fast, and what is inline may be unused. */
#define __maybe_unused
#define noinline inline
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define resch_breathe() ((void)0)
#define max(a, b) ((a) > (b) ? (a) : (b))

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

/* The quotient must fit: x86 traps where it does not, in the kernel. */
static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (u64)((__uint128_t)a * b / c);
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)(((__uint128_t)a * b) >> shift);
}

/* As in the kernel: the whole string is a number that fits, or -EINVAL / -ERANGE. */
static inline int kstrtou32(const char *s, unsigned int base, u32 *res)
{
	char *end;
	unsigned long long value;

	if (*s < '0' || *s > '9')
		return -EINVAL;
	errno = 0;
	value = strtoull(s, &end, (int)base);
	if (*end)
		return -EINVAL;
	if (errno || value > U32_MAX)
		return -ERANGE;
	*res = (u32)value;
	return 0;
}
#endif

#endif /* _RESCH_TYPES_H */
