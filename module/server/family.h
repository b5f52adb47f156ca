/* SPDX-License-Identifier: GPL-2.0 */
/* family.h - threads and children of a server's members join the server */
#ifndef _RESCH_FAMILY_H
#define _RESCH_FAMILY_H

#include "core/thread.h"

/*
 * Makes the registration that current's next child will have. Current, process context; resch_lock
 * or not.
 */
void resch_family_expect(struct resch_thread *parent);

/* Current, a member, is on its way out of fork: its child joins. Process context, no locks. */
void resch_family_meet(void);

/*
 * Current is a child on its way to its first instruction. false: it is an ordinary thread, or dies.
 * Process context, no locks.
 */
bool resch_family_born(struct resch_thread *thread);

/* ... and dies on that way. Current, any context. */
void resch_family_lose(struct resch_thread *thread);

void __init resch_family_init(void);
void resch_family_exit(void);

#endif /* _RESCH_FAMILY_H */
