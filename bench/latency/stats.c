// SPDX-License-Identifier: GPL-2.0
/* stats.c - percentiles and histograms of times */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

/* The last bin of 32 bits: 7 * 2^29. */
#define BINS (4 * 31)

int stats_init(struct stats *stats, size_t room)
{
	memset(stats, 0, sizeof(*stats));
	stats->sample = malloc((room ? room : 1) * sizeof(*stats->sample));
	if (!stats->sample)
		return -1;
	memset(stats->sample, 0xff, room * sizeof(*stats->sample));
	stats->room = room;
	return 0;
}

void stats_free(struct stats *stats)
{
	free(stats->sample);
	memset(stats, 0, sizeof(*stats));
}

void stats_add(struct stats *stats, int64_t ns)
{
	uint32_t sample = ns < 0 ? 0 : ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;

	if (stats->count == stats->room)
		return;
	stats->sample[stats->count++] = sample;
	stats->sum += sample;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

void stats_sort(struct stats *stats)
{
	qsort(stats->sample, stats->count, sizeof(*stats->sample), compare);
}

uint32_t stats_percentile(const struct stats *stats, uint32_t part, uint32_t whole)
{
	uint64_t rank = ((uint64_t)stats->count * part + whole - 1) / whole;

	if (!stats->count)
		return 0;
	return stats->sample[rank ? rank - 1 : 0];
}

unsigned int stats_bin(uint32_t ns)
{
	unsigned int octave;

	if (ns < 4)
		return ns;
	octave = 31 - (unsigned int)__builtin_clz(ns);
	return 4 * (octave - 1) + ((ns >> (octave - 2)) & 3);
}

uint32_t stats_bin_start(unsigned int bin)
{
	return bin < 4 ? bin : (4 + bin % 4) << (bin / 4 - 1);
}

void stats_print(const struct stats *stats, FILE *to)
{
	size_t at = 0, bins[BINS] = { 0 };
	const char *comma = "";
	unsigned int bin;

	for (at = 0; at < stats->count; at++)
		bins[stats_bin(stats->sample[at])]++;
	fprintf(to, "{\"count\": %zu, \"min\": %" PRIu32 ", \"avg\": %.1f", stats->count,
		stats->count ? stats->sample[0] : 0,
		stats->count ? (double)stats->sum / (double)stats->count : 0.0);
	fprintf(to,
		", \"p50\": %" PRIu32 ", \"p99\": %" PRIu32 ", \"p99.9\": %" PRIu32
		", \"p99.99\": %" PRIu32 ", \"p99.999\": %" PRIu32 ", \"max\": %" PRIu32,
		stats_percentile(stats, 1, 2), stats_percentile(stats, 99, 100),
		stats_percentile(stats, 999, 1000), stats_percentile(stats, 9999, 10000),
		stats_percentile(stats, 99999, 100000),
		stats->count ? stats->sample[stats->count - 1] : 0);
	fputs(", \"histogram\": [", to);
	for (bin = 0; bin < BINS; bin++) {
		if (!bins[bin])
			continue;
		fprintf(to, "%s[%" PRIu32 ", %zu]", comma, stats_bin_start(bin), bins[bin]);
		comma = ", ";
	}
	fputs("]}", to);
}
