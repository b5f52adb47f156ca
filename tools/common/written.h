/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written.h - what standard output does not take is an error of the program that printed it */
#ifndef _RESCH_WRITTEN_H
#define _RESCH_WRITTEN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit-status.h"

static inline void written_check(int status, void *program)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	/* who reads no more of it is no error of ours, and need not hear of it */
	if (errno == EPIPE)
		_exit(status);
	fprintf(stderr, "%s: standard output: %s\n", (const char *)program, strerror(errno));
	_exit(status == EXIT_DONE ? EXIT_FAILED : status);
}

/* From here on @program ends with EXIT_FAILED where all was well but not all could be written. */
static inline void written_or_failed(const char *program)
{
	on_exit(written_check, (void *)program);
}

#endif /* _RESCH_WRITTEN_H */
