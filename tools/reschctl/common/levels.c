// SPDX-License-Identifier: GPL-2.0-or-later
/* levels.c - levels of threads, and classes of Linux, by their words */
#include "levels.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const levels[LEVELS] = {
	[LEVEL_RT0] = "rt0",
	[LEVEL_RT1] = "rt1",
	[LEVEL_LINUX] = "linux",
};

static const struct {
	int policy;
	const char *word;
} classes[] = {
	{ SCHED_OTHER, "ordinary" }, { SCHED_FIFO, "fifo" }, { SCHED_RR, "rr" },
	{ SCHED_BATCH, "batch" },    { SCHED_IDLE, "idle" },
};

#define NR_CLASSES (sizeof(classes) / sizeof(classes[0]))

const char *level_word(enum level level)
{
	return levels[level];
}

int level_of(const char *word)
{
	int level;

	for (level = 0; level < LEVELS; level++) {
		if (!strcmp(levels[level], word))
			return level;
	}
	return -EINVAL;
}

const char *class_word(int policy)
{
	size_t i;

	for (i = 0; i < NR_CLASSES; i++) {
		if (classes[i].policy == policy)
			return classes[i].word;
	}
	return NULL;
}

int class_of(const char *word)
{
	size_t i;

	for (i = 0; i < NR_CLASSES; i++) {
		if (!strcmp(classes[i].word, word))
			return classes[i].policy;
	}
	return -EINVAL;
}
