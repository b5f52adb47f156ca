/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bars.h - a histogram in as many bars as there is room for */
#ifndef _TOP_BARS_H
#define _TOP_BARS_H

#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/** struct bar - @count times from @from up to @to ns, without that; @to 0: all from there on */
struct bar {
	uint64_t from, to;
	uint64_t count;
};

/**
 * bars_of - from the least time to the greatest
 *
 * Each is as many buckets of the histogram as the others, a power of two. Return: how many, at most
 * @room; 0: there is none, or no time.
 */
size_t bars_of(const struct histogram *histogram, struct bar *bars, size_t room);

/** bar_length - of so many columns, for a bar of @count where the longest has @most */
size_t bar_length(uint64_t count, uint64_t most, size_t columns);

#endif
