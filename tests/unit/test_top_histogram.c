// SPDX-License-Identifier: GPL-2.0
/* test_top_histogram.c - reschtop's histograms: buckets, percentiles, against sorted times */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "histogram.h"
#include "percentile.h"

#define TIMES 5000

/* Each bucket begins where the one before ends, and both ends of it belong to it. */
static void buckets(void **state)
{
	uint32_t i;

	for (i = 0; i < HISTOGRAM_BUCKETS - 1; i++) {
		uint64_t begin = histogram_begin(i), end = histogram_begin(i + 1) - 1;

		assert_true(begin <= end);
		assert_int_equal(histogram_bucket(begin), i);
		assert_int_equal(histogram_bucket(end), i);
		/* what is in it differs by no more than 1/16 */
		assert_true((end - begin) * HISTOGRAM_PARTS <= begin);
	}
	assert_int_equal(histogram_begin(i), 1ULL << HISTOGRAM_TOP);
	assert_int_equal(histogram_bucket(1ULL << HISTOGRAM_TOP), i);
	assert_int_equal(histogram_bucket(UINT64_MAX), i);
	assert_int_equal(histogram_bucket(0), 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Of times of many sizes: never less than the time in question, and at most 1/16 more. */
static void percentiles(void **state)
{
	static const unsigned int permilles[] = { 1, 500, 900, 990, 999, 1000 };
	static uint64_t times[TIMES];
	struct histogram histogram;
	size_t i, round, count;

	srand(5);
	for (round = 0; round < 40; round++) {
		memset(&histogram, 0, sizeof(histogram));
		count = 1 + (size_t)rand() % (round < 20 ? 20 : TIMES);
		for (i = 0; i < count; i++) {
			times[i] = ((uint64_t)rand() << 31 | (uint64_t)rand()) >>
				   (26 + rand() % 34);
			histogram_add(&histogram, times[i]);
		}
		qsort(times, count, sizeof(times[0]), compare);
		for (i = 0; i < sizeof(permilles) / sizeof(permilles[0]); i++) {
			uint64_t exact = times[(count * permilles[i] + 999) / 1000 - 1];
			uint64_t got = percentile(&histogram, permilles[i]);

			assert_true(got >= exact);
			assert_true(got - exact <= exact / HISTOGRAM_PARTS);
			assert_true(got <= times[count - 1]);
		}
		assert_int_equal(percentile(&histogram, 1000), times[count - 1]);
		assert_int_equal(histogram_least(&histogram), times[0]);
	}
}

static void ends(void **state)
{
	struct histogram histogram = {};

	assert_int_equal(percentile(&histogram, 500), 0);
	assert_int_equal(histogram_average(&histogram), 0);
	assert_int_equal(histogram_least(&histogram), 0);
	histogram_add(&histogram, 0);
	assert_int_equal(percentile(&histogram, 999), 0);
	assert_int_equal(histogram_least(&histogram), 0);
	histogram_add(&histogram, 3);
	assert_int_equal(percentile(&histogram, 500), 0);
	assert_int_equal(percentile(&histogram, 501), 3);
	assert_int_equal(histogram_average(&histogram), 1);
	/* beyond the last bucket only the greatest is known */
	histogram_add(&histogram, 1ULL << 40);
	histogram_add(&histogram, 1ULL << 41);
	assert_int_equal(percentile(&histogram, 750), 1ULL << 41);
	assert_int_equal(percentile(&histogram, 500), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),
		cmocka_unit_test(percentiles),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
