/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit-status.h - what all programs of resch end with; those in Python keep to it, too
 *
 * 0 is yes and 1 is no, whatever the question was: so that `reschctl run ... && ...` and
 * `resch-sim ... || ...` mean what they say.
 */
#ifndef _RESCH_EXIT_STATUS_H
#define _RESCH_EXIT_STATUS_H

enum exit_status {
	EXIT_DONE = 0, /* done; no deadline missed; the schedule is legal */
	EXIT_FAILED = 1, /* no: refused, a deadline missed, not legal; or something went wrong */
	EXIT_USAGE = 2, /* the command line or the input makes no sense, or can't be read */
	EXIT_NO_MODULE = 3, /* the device does not open */
	EXIT_PLUGIN = 4, /* a plugin misbehaved */
	/* `run`, which returns its program's status, has these for whatever else there is: */
	EXIT_RUN = 125, /* reschctl itself failed, or was refused */
	EXIT_NOT_EXEC = 126, /* the program is there and cannot be executed */
	EXIT_NOT_FOUND = 127, /* there is no such program */
};

#endif /* _RESCH_EXIT_STATUS_H */
