/* SPDX-License-Identifier: GPL-2.0 */
/* call.h - the calls of clients and providers */
#ifndef _RESCH_SERVER_CALL_H
#define _RESCH_SERVER_CALL_H

#include "passive.h"

/* The ioctls, by current, whose registration @thread is. Process context, no locks; WAIT sleeps. */
int resch_passive_call(struct resch_thread *thread, struct resch_call *call);
int resch_passive_call_end(struct resch_thread *thread, struct resch_call_end *end);
int resch_passive_serve(struct resch_thread *thread, struct resch_serve *serve);
int resch_passive_serve_end(struct resch_thread *thread, struct resch_call_end *end);

#endif /* _RESCH_SERVER_CALL_H */
