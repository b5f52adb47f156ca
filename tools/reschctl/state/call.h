/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call.h - what apply, diff, save and undo share: a command line, and what has come of it */
#ifndef _RESCHCTL_STATE_CALL_H
#define _RESCHCTL_STATE_CALL_H

#include "state.h"

/** struct call - a command line, and what it has come to */
struct call {
	const char *command, *help;
	bool dry, wait, all, json;
	struct machine machine;
	char **paths; /* of files */
	size_t nr_paths;
	struct items wanted;
	struct json_object *changes;
	size_t count; /* of changes */
};

/* Options that not all of them take. */
enum { TAKES_DRY = 1, TAKES_WAIT = 2, TAKES_ALL = 4, TAKES_JSON = 8 };

/** call_parse - @takes: TAKES_*. Return: -1: go on at optind; else an exit status */
int call_parse(int argc, char **argv, struct call *call, unsigned int takes);
/** call_tell - a step has been taken, or would be */
void call_tell(struct call *call, const struct step *step);
/** call_told - that was all. @text: what to say where there was no step */
void call_told(struct call *call, const char *text);
void call_end(struct call *call);

/* ---- undo.c --------------------------------------------------------------------------------- */

/**
 * take_back - the steps from @first on, newest first
 * @aloud: tell of each. Return: how many could not be taken back
 */
size_t take_back(struct call *call, struct journal *journal, size_t first, bool aloud);
/**
 * take_back_unfinished - what one that was killed has left half done. Return: 0, or an exit
 * status after a message
 */
int take_back_unfinished(struct call *call, struct journal *journal);

#endif /* _RESCHCTL_STATE_CALL_H */
