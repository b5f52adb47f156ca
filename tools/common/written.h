/* SPDX-License-Identifier: GPL-2.0-or-later */
/* written.h - what standard output does not take is an error of the program that printed it */
#ifndef _RESCH_WRITTEN_H
#define _RESCH_WRITTEN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *written_by;
static int written_status;

static inline void written_check(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	/* who reads no more of it is no error of ours, and need not hear of it */
	if (errno != EPIPE)
		fprintf(stderr, "%s: standard output: %s\n", written_by, strerror(errno));
	_exit(written_status);
}

/* From here on @program ends with @status where not all could be written. */
static inline void written_or(const char *program, int status)
{
	written_by = program;
	written_status = status;
	atexit(written_check);
}

#endif /* _RESCH_WRITTEN_H */
