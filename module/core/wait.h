/* SPDX-License-Identifier: GPL-2.0 */
/* wait.h - the calls of a program: wait, delay */
#ifndef _RESCH_CORE_WAIT_H
#define _RESCH_CORE_WAIT_H

#include "thread.h"

/* The calls of a program. Process context, current is @thread, no locks. */
int resch_job_wait(struct resch_thread *thread, struct resch_wait *out);
int resch_job_delay(struct resch_thread *thread, u64 until);

#endif /* _RESCH_CORE_WAIT_H */
