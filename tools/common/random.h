/* SPDX-License-Identifier: GPL-2.0-or-later */
/* random.h - a generator of our own, so that a seed means the same everywhere */
#ifndef _RESCH_RANDOM_H
#define _RESCH_RANDOM_H

#include <stdint.h>

/* What a state goes on by. */
#define RANDOM_STEP 0x9e3779b97f4a7c15ULL

/** random_mix - the number of a state; splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

#endif
