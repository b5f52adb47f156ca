/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentile.h - what a histogram says */
#ifndef _TOP_PERCENTILE_H
#define _TOP_PERCENTILE_H

#include <stdint.h>

#include "histogram.h"

/**
 * percentile - the time that @permille of 1000 of the times do not exceed
 *
 * It is the greatest time of its bucket, and not above the greatest of all: what is said is never
 * too little, and too much by at most 1 / HISTOGRAM_PARTS. Return: ns; 0: there are none.
 */
uint64_t percentile(const struct histogram *histogram, unsigned int permille);

/** histogram_average - Return: ns, exactly; 0: there are none */
uint64_t histogram_average(const struct histogram *histogram);
/** histogram_least - Return: ns, exactly; 0: there are none */
uint64_t histogram_least(const struct histogram *histogram);

#endif
