// SPDX-License-Identifier: GPL-2.0-or-later
/* bars.c - a histogram in as many bars as there is room for */
#include "bars.h"

size_t bars_of(const struct histogram *histogram, struct bar *bars, size_t room)
{
	uint32_t first = 0, last = HISTOGRAM_BUCKETS, step = 1, i;
	size_t count, bar;

	while (first < HISTOGRAM_BUCKETS && !histogram->buckets[first])
		first++;
	if (first == HISTOGRAM_BUCKETS || !room)
		return 0;
	while (!histogram->buckets[last - 1])
		last--;
	/* A step begins where powers of two do. */
	while ((last - 1) / step - first / step + 1 > room)
		step *= 2;
	count = (last - 1) / step - first / step + 1;
	for (bar = 0; bar < count; bar++) {
		uint32_t begin = (first / step + (uint32_t)bar) * step, end = begin + step;

		bars[bar] = (struct bar){ .from = histogram_begin(begin) };
		if (end < HISTOGRAM_BUCKETS)
			bars[bar].to = histogram_begin(end);
		for (i = begin; i < end && i < HISTOGRAM_BUCKETS; i++)
			bars[bar].count += histogram->buckets[i];
	}
	return count;
}

size_t bar_length(uint64_t count, uint64_t most, size_t columns)
{
	size_t length;

	if (!count || !most)
		return 0;
	length = (size_t)((double)count * (double)columns / (double)most);
	/* What is there is seen. */
	return length ? length : 1;
}
