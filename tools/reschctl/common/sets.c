// SPDX-License-Identifier: GPL-2.0-or-later
/* sets.c - files with tasks or chains, as the command line names them */
#include "sets.h"

#include <errno.h>
#include <string.h>

#include "../reschctl.h"

static FILE *sets_open(const char *path)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;

	if (!file)
		fail("%s: %s", path, strerror(errno));
	return file;
}

/* What came of reading it. */
static int sets_close(FILE *file, const char *path, int result, char *error)
{
	if (file != stdin)
		fclose(file);
	if (!result)
		return EXIT_DONE;
	text_clean(error);
	fail("%s: %s", path, error);
	return EXIT_USAGE;
}

int sets_read_tasks(const char *path, struct taskset *set)
{
	FILE *file = sets_open(path);
	char error[TASKSET_ERROR];

	if (!file)
		return EXIT_USAGE;
	return sets_close(file, path, taskset_read(file, set, error, sizeof(error)), error);
}

int sets_read_chains(const char *path, struct chainset *set)
{
	FILE *file = sets_open(path);
	char error[CHAINSET_ERROR];

	if (!file)
		return EXIT_USAGE;
	return sets_close(file, path, chainset_read(file, set, error, sizeof(error)), error);
}
