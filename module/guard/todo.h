/* SPDX-License-Identifier: GPL-2.0 */
/* todo.h - what a visitor does itself on its way to user mode */
#ifndef _RESCH_GUARD_TODO_H
#define _RESCH_GUARD_TODO_H

struct callback_head;
struct resch_visitor;

/*
 * Has the thread go on @cpu, an RT CPU, when it is next on its way to user mode; it may have
 * better things to do by then. Any context. -EOPNOTSUPP, -ESRCH: it is dying.
 */
int resch_visitor_lend(struct resch_visitor *visitor, unsigned int cpu);

/* Has the thread go home when it is next on its way to user mode. Any context. */
void resch_visitor_recall(struct resch_visitor *visitor);

/* The task work of a visitor. */
void resch_visitor_errand(struct callback_head *head);

#endif /* _RESCH_GUARD_TODO_H */
