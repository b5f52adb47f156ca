/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - what run, server run and level share: starting a program */
#ifndef _RESCHCTL_PROGRAM_H
#define _RESCHCTL_PROGRAM_H

#include <signal.h>

#include "reschctl.h"

/** struct program - one that we start, and that registers itself before */
struct program {
	char **words; /* itself, and its arguments */
	int device;
	struct resch_register *reg; /* as what; then as the module made it; NULL: it does not */
	/* of a refusal; as refusal_text() */
	const char *(*why)(int error, const struct resch_register *reg);
	pid_t pid;
};

/**
 * program_signals - block SIGCHLD and what is passed on to programs
 * @mask: what was blocked before
 *
 * Return: a signalfd that does not wait, or -1 after a message.
 */
int program_signals(sigset_t *mask);
/**
 * program_start - fork, register there, and execute
 * @mask: signals that it is to have blocked
 *
 * Return: 0: it runs, and may have ended; else an exit status after a message, and it is gone.
 */
int program_start(struct program *program, const sigset_t *mask);
/**
 * program_refused - it was not executed for @error, an errno. Return: an exit status after a
 * message
 */
int program_refused(const char *name, int error);
/** program_status - the exit status for one of waitpid(2) */
int program_status(int status);
/** program_json - its words */
struct json_object *program_json(char **words);

#endif /* _RESCHCTL_PROGRAM_H */
