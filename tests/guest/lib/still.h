/* SPDX-License-Identifier: GPL-2.0 */
/* still.h - a CPU that stands still as it enters a function: see tests/modules/resch-still.c */
#ifndef _TEST_LIB_STILL_H
#define _TEST_LIB_STILL_H

/*
 * Attempt something for which a CPU stands still in the function, which the compiler has not
 * inlined: still_next(), still_await(), still_over(). Once more where it has gone on before
 * still_over(): the attempt is false then, and has found nothing.
 */
void still_attempt(const char *function, bool (*attempt)(void));

/* The next CPU that comes there stands still. */
void still_next(void);

/* Until one does, or has. */
void still_await(void);

/* It goes on. False: it has before, as something that had all CPUs do something waited for it. */
bool still_over(void);

#endif /* _TEST_LIB_STILL_H */
