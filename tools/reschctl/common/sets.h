/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.h - files with tasks or chains, as the command line names them: "-" is standard input */
#ifndef _RESCHCTL_SETS_H
#define _RESCHCTL_SETS_H

#include "chainset.h"
#include "taskset.h"

/* Return: EXIT_DONE, or EXIT_USAGE after a message, and nothing to free. */
int sets_read_tasks(const char *path, struct taskset *set);
int sets_read_chains(const char *path, struct chainset *set);

#endif
