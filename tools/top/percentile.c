// SPDX-License-Identifier: GPL-2.0-or-later
/* percentile.c - what a histogram says */
#include "percentile.h"

uint64_t percentile(const struct histogram *histogram, unsigned int permille)
{
	uint64_t total = 0, wanted, end;
	uint32_t i;

	/* Not histogram->count: a time more may have come meanwhile. */
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		total += histogram->buckets[i];
	if (!total)
		return 0;
	wanted = (total * permille + 999) / 1000;
	total = 0;
	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		total += histogram->buckets[i];
		if (total >= wanted && total)
			break;
	}
	end = histogram_begin(i + 1) - 1;
	if (i == HISTOGRAM_BUCKETS - 1 || end > histogram->most)
		return histogram->most;
	return end;
}

uint64_t histogram_average(const struct histogram *histogram)
{
	return histogram->count ? histogram->sum / histogram->count : 0;
}

uint64_t histogram_least(const struct histogram *histogram)
{
	return histogram->least ? histogram->least - 1 : 0;
}
