/* SPDX-License-Identifier: GPL-2.0-or-later */
/* levels.h - levels of threads, and classes of Linux, by their words */
#ifndef _RESCHCTL_LEVELS_H
#define _RESCHCTL_LEVELS_H

#include <sched.h>

enum level { LEVEL_RT0, LEVEL_RT1, LEVEL_LINUX, LEVELS };

const char *level_word(enum level level);
/** level_of - Return: enum level, or -EINVAL */
int level_of(const char *word);

/** class_word - of SCHED_FIFO and its like; NULL: there is none */
const char *class_word(int policy);
/** class_of - Return: SCHED_FIFO or its like, or -EINVAL */
int class_of(const char *word);

#endif
