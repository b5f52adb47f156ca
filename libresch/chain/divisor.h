/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* divisor.h - what periods share; the simulator asks, too */
#ifndef _RESCH_CHAIN_DIVISOR_H
#define _RESCH_CHAIN_DIVISOR_H

#include <stdint.h>

/* The greatest common divisor. */
static inline uint64_t chain_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
