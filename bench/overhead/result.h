/* SPDX-License-Identifier: GPL-2.0 */
/* result.h - what was measured, one JSON object a line */
#ifndef _OVERHEAD_RESULT_H
#define _OVERHEAD_RESULT_H

#include <stddef.h>
#include <stdint.h>

/* @what is the inside of a JSON object that says what was measured. Sorts @values. */
void result_print(const char *what, uint64_t *values, size_t count);

/* The same, with all of them: each value and how often it came. */
void result_spread(const char *what, uint64_t *values, size_t count);

/* Sorts @values. */
uint64_t median(uint64_t *values, size_t count);

/*
 * The longest that is the measured thing's own: an interrupt in one batch of @batch is in none of
 * most others, so it is the least of their longest. @values in the order in which they came.
 */
uint64_t longest_own(const uint64_t *values, size_t count, size_t batch);

/* Says so, and ends the program. */
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Fails with @what where @result, an -errno or a -1, is negative; returns it. */
long must(long result, const char *what);

#endif /* _OVERHEAD_RESULT_H */
