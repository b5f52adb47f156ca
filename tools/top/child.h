/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - a command that runs while it is watched */
#ifndef _TOP_CHILD_H
#define _TOP_CHILD_H

#include <sys/types.h>

/** struct child - @gate: it goes on when this is written to */
struct child {
	pid_t pid;
	int gate;
};

/** child_begin - a process that waits. Return: EXIT_DONE, or EXIT_FAILED after a message */
int child_begin(struct child *child, char **command);
/** child_go - let it execute the command. Return: as before */
int child_go(struct child *child);
/** child_wait - until it has ended, whatever its status, or a signal has come. Return: as before */
int child_wait(struct child *child);
/** child_end - is it still there, it is told to end */
void child_end(struct child *child);

#endif
