/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.h - what a command is at that takes its time, on a terminal, for who waits for it */
#ifndef _RESCHCTL_PROGRESS_H
#define _RESCHCTL_PROGRESS_H

#include <stdint.h>

/** progress_begin - from now on somebody may be waiting */
void progress_begin(void);
/** progress - of @what @done of @count are done; said from 2 s on, ten times a second at most */
void progress(const char *what, uint64_t done, uint64_t count);
/** progress_by_alarm - said then even where the first step takes longer; of one thread only */
void progress_by_alarm(void);
/** progress_while - it is at @what, all in one, and says for how long; of one thread only */
void progress_while(const char *what);
/** progress_end - the line goes, if there is one */
void progress_end(void);

#endif /* _RESCHCTL_PROGRESS_H */
