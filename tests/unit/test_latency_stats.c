// SPDX-License-Identifier: GPL-2.0
/*
 * test_latency_stats.c - percentiles and histograms of resch-latency, beside values found by hand
 * and by counting
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../bench/latency/stats.h"

static void fill(struct stats *stats, size_t count, const uint32_t *values)
{
	size_t i;

	assert_int_equal(stats_init(stats, count), 0);
	for (i = 0; i < count; i++)
		stats_add(stats, values[i]);
	stats_sort(stats);
}

/* The five-value example of the nearest-rank method in textbooks. */
static void percentiles_by_hand(void **state)
{
	static const uint32_t values[] = { 35, 20, 15, 50, 40 };
	struct stats stats;

	(void)state;
	fill(&stats, 5, values);
	assert_int_equal(stats_percentile(&stats, 5, 100), 15);
	assert_int_equal(stats_percentile(&stats, 30, 100), 20);
	assert_int_equal(stats_percentile(&stats, 40, 100), 20);
	assert_int_equal(stats_percentile(&stats, 41, 100), 35);
	assert_int_equal(stats_percentile(&stats, 50, 100), 35);
	assert_int_equal(stats_percentile(&stats, 1, 1), 50);
	assert_int_equal(stats_percentile(&stats, 0, 1), 15);
	assert_int_equal(stats.sum, 160);
	stats_free(&stats);
}

/* The definition itself: the least sample that so many don't exceed. */
static uint32_t by_counting(const uint32_t *values, size_t count, uint32_t part, uint32_t whole)
{
	uint32_t best = UINT32_MAX;
	size_t i, j, below;

	for (i = 0; i < count; i++) {
		for (j = 0, below = 0; j < count; j++)
			below += values[j] <= values[i];
		if ((double)below / (double)count >= (double)part / whole && values[i] < best)
			best = values[i];
	}
	return best;
}

static void percentiles_by_counting(void **state)
{
	static const uint32_t of[][2] = { { 1, 2 }, { 99, 100 }, { 999, 1000 }, { 9999, 10000 } };
	uint32_t values[1500], seed = 1;
	size_t sizes[] = { 1, 2, 99, 100, 101, 1000, 1001, 1500 }, i, j;
	struct stats stats;

	(void)state;
	for (i = 0; i < 1500; i++) {
		seed = seed * 1664525 + 1013904223;
		values[i] = (seed >> 8) % 5000;
	}
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fill(&stats, sizes[i], values);
		for (j = 0; j < 4; j++)
			assert_int_equal(stats_percentile(&stats, of[j][0], of[j][1]),
					 by_counting(values, sizes[i], of[j][0], of[j][1]));
		stats_free(&stats);
	}
}

static void nothing_measured(void **state)
{
	struct stats stats;

	(void)state;
	fill(&stats, 0, NULL);
	assert_int_equal(stats_percentile(&stats, 999, 1000), 0);
	stats_add(&stats, 5);
	assert_int_equal(stats.count, 0);
	stats_free(&stats);
}

static void beyond_the_ends(void **state)
{
	struct stats stats;

	(void)state;
	assert_int_equal(stats_init(&stats, 2), 0);
	stats_add(&stats, -7);
	stats_add(&stats, 5000000000);
	stats_add(&stats, 1);
	assert_int_equal(stats.count, 2);
	assert_int_equal(stats.sample[0], 0);
	assert_int_equal(stats.sample[1], UINT32_MAX);
	stats_free(&stats);
}

/* A bin's width is at most a quarter of where it begins; none overlap, and none are left out. */
static void bins_cover_all(void **state)
{
	static const uint32_t last[] = { 4095, 5119, 6143, 7167 };
	unsigned int bin, i;

	(void)state;
	for (bin = 0; bin < 124; bin++) {
		uint32_t start = stats_bin_start(bin);

		assert_int_equal(stats_bin(start), bin);
		if (bin)
			assert_int_equal(stats_bin(start - 1), bin - 1);
		if (bin >= 4 && bin < 123)
			assert_true((stats_bin_start(bin + 1) - start) * 4 <= start);
	}
	assert_int_equal(stats_bin(UINT32_MAX), 123);
	for (i = 0; i < 4; i++)
		assert_int_equal(stats_bin_start(stats_bin(last[i]) + 1), last[i] + 1);
}

static void printed(void **state)
{
	static const uint32_t values[] = { 5000, 4100, 4096, 2 };
	struct stats stats;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	fill(&stats, 4, values);
	stats_print(&stats, to);
	fclose(to);
	assert_string_equal(
		text, "{\"count\": 4, \"min\": 2, \"avg\": 3299.5, \"p50\": 4096, \"p99\": 5000, "
		      "\"p99.9\": 5000, \"p99.99\": 5000, \"p99.999\": 5000, \"max\": 5000, "
		      "\"histogram\": [[2, 1], [4096, 3]]}");
	free(text);
	stats_free(&stats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_by_hand), cmocka_unit_test(percentiles_by_counting),
		cmocka_unit_test(nothing_measured),    cmocka_unit_test(beyond_the_ends),
		cmocka_unit_test(bins_cover_all),      cmocka_unit_test(printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
