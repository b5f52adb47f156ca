/* SPDX-License-Identifier: GPL-2.0 */
/* still.h - a CPU that stands still as it enters a function: see tests/modules/resch-still.c */
#ifndef _TEST_LIB_STILL_H
#define _TEST_LIB_STILL_H

/* Of the function, which the compiler has not inlined. */
void still_begin(const char *function);

/* The next CPU that comes there stands still. */
void still_next(void);

/* Until one does. */
void still_await(void);

/* It goes on. */
void still_over(void);

void still_end(void);

#endif /* _TEST_LIB_STILL_H */
