/* SPDX-License-Identifier: GPL-2.0 */
/* newcomer.h - children that are told there is room */
#ifndef _RESCH_SERVER_NEWCOMER_H
#define _RESCH_SERVER_NEWCOMER_H

#include "core/thread.h"

/* Current, @parent, has a child that has not run. Fork's probe: preemption may be off. */
void resch_family_child(struct resch_thread *parent, struct task_struct *task);

/* Have a worker look how @thread gets on: it may join, or has died. Any context. */
void resch_family_call(struct resch_thread *thread);

/* A member blocks, maybe in vfork(): whose child must not wait for it to go on. Any context. */
void resch_family_stir(void);

/* Children that somebody has to look after, and the worker that does: family.c. */
extern struct llist_head resch_family_calls;
extern struct work_struct resch_family_worker;

#endif /* _RESCH_SERVER_NEWCOMER_H */
