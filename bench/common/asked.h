/* SPDX-License-Identifier: GPL-2.0 */
/* asked.h - what every program answers: --help and --version */
#ifndef _BENCH_ASKED_H
#define _BENCH_ASKED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "written.h"

/* A first argument of --help or --version is answered on standard output, and ends the program. */
static inline void answer_if_asked(char **argv, const char *program, const char *help)
{
	written_or_failed(program);
	if (!argv[0] || !argv[1])
		return;
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		fputs(help, stdout);
	else if (!strcmp(argv[1], "--version"))
		printf("%s %s\n", program, RESCH_VERSION);
	else
		return;
	exit(0);
}

#endif /* _BENCH_ASKED_H */
