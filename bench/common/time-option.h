/* SPDX-License-Identifier: GPL-2.0 */
/* time-option.h - an option that is a time, with its unit */
#ifndef _BENCH_TIME_OPTION_H
#define _BENCH_TIME_OPTION_H

#include <errno.h>
#include <resch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit-status.h"

/* Return: ns; one that is no time, or not from @least to @most, is told, and ends the program. */
static inline uint64_t time_option(const char *program, const char *text, uint64_t least,
				   uint64_t most)
{
	char low[RESCH_TIME_TEXT], high[RESCH_TIME_TEXT];
	int result;
	uint64_t ns;

	result = resch_time_parse(text, &ns);
	if (!result && ns >= least && ns <= most)
		return ns;
	resch_time_format(least, low, sizeof(low));
	resch_time_format(most, high, sizeof(high));
	if (result == -EINVAL && *text && !text[strspn(text, "0123456789.")])
		fprintf(stderr, "%s: '%s' has no unit: %sms?\n", program, text, text);
	else
		fprintf(stderr, "%s: '%s' is no time from %s to %s, such as 500us\n", program, text,
			low, high);
	exit(EXIT_USAGE);
}

#endif /* _BENCH_TIME_OPTION_H */
