/* SPDX-License-Identifier: GPL-2.0 */
/* command-line.h - options with a long name each, and what is said of one that there is not */
#ifndef _BENCH_COMMAND_LINE_H
#define _BENCH_COMMAND_LINE_H

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit-status.h"
#include "near.h"

/* The last two rows of every table; programs use neither letter. */
#define ASKED_OPTIONS                                          \
	{ "help", 0, NULL, 'h' }, { "version", 0, NULL, 'V' }, \
	{                                                      \
		NULL, 0, NULL, 0                               \
	}

static inline _Noreturn void wrong_usage(const char *program)
{
	fprintf(stderr, "Try `%s --help`.\n", program);
	exit(EXIT_USAGE);
}

/**
 * next_option - getopt_long() that answers --help and --version, and at an option that there is not
 * ends the program, with what may have been meant. Return: the option's letter; -1: none is left
 */
static inline int next_option(int argc, char **argv, const char *program, const char *help,
			      const char *letters, const struct option *options)
{
	int letter = getopt_long(argc, argv, letters, options, NULL);

	if (letter == 'h') {
		fputs(help, stdout);
		exit(EXIT_DONE);
	}
	if (letter == 'V') {
		printf("%s %s\n", program, RESCH_VERSION);
		exit(EXIT_DONE);
	}
	if (letter != '?')
		return letter;
	words_option(program, argv[optind - 1], options);
	wrong_usage(program);
}

/* Return: the number; one that is none, or not from @least to @most, ends the program. */
static inline unsigned long number_option(const char *program, const char *text,
					  unsigned long least, unsigned long most)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && value >= least && value <= most)
		return value;
	fprintf(stderr, "%s: '%s' is not %lu to %lu\n", program, text, least, most);
	exit(EXIT_USAGE);
}

#endif /* _BENCH_COMMAND_LINE_H */
