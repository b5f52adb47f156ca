/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stats.h - percentiles and histograms of times
 *
 * All samples are kept, so percentiles are exact. Times are ns; what is longer than 4.29 s counts
 * as that.
 */
#ifndef _LATENCY_STATS_H
#define _LATENCY_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct stats {
	uint32_t *sample;
	size_t count;
	size_t room;
	uint64_t sum;
};

/* Room for @room samples, written to once so that no page is missing later. Returns 0 or -1. */
int stats_init(struct stats *stats, size_t room);

void stats_free(struct stats *stats);

/* Adds @ns, 0 for less than 0. What finds no room is dropped. */
void stats_add(struct stats *stats, int64_t ns);

/* Orders the samples; then percentiles and the histogram can be asked for. */
void stats_sort(struct stats *stats);

/*
 * The nearest-rank percentile: the least sample that @part of @whole samples don't exceed, as 999
 * of
 * 1000. 0 without samples. It is the maximum where there are fewer than @whole / (@whole - @part).
 */
uint32_t stats_percentile(const struct stats *stats, uint32_t part, uint32_t whole);

/*
 * Four bins an octave: bin 0 to 3 hold 0 to 3 ns each; the others begin at 4..7 times a power of
 * two. Returns the bin of @ns, and stats_bin_start() where a bin begins.
 */
unsigned int stats_bin(uint32_t ns);
uint32_t stats_bin_start(unsigned int bin);

/* {"count": ..., "min": ..., ..., "histogram": [[start, count], ...]} of sorted samples. */
void stats_print(const struct stats *stats, FILE *to);

#endif /* _LATENCY_STATS_H */
