/* SPDX-License-Identifier: GPL-2.0 */
/* report.h - what the module says about everything, as text that can be compared */
#ifndef _TEST_LIB_REPORT_H
#define _TEST_LIB_REPORT_H

#include "lib.h"

struct report {
	char text[8000];
	size_t length;
};

/* Add to it. */
void report_say(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * All domains, their plans, guards, servers, tasks, chains, and plugins, as they were asked for.
 * Not what goes on by itself: counts, times, states; and not the numbers that the module gives, so
 * that what is made a second time is told as the first was.
 */
void report_all(struct report *report);

#endif /* _TEST_LIB_REPORT_H */
