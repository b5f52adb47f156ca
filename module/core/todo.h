/* SPDX-License-Identifier: GPL-2.0 */
/* todo.h - what a thread does itself on its way to user mode */
#ifndef _RESCH_CORE_TODO_H
#define _RESCH_CORE_TODO_H

#include "thread.h"

/*
 * Current comes under the plugin's control; with @start its first job begins, or is waited for,
 * from now on. Process context; takes resch_lock. -ECANCELED: it is gone meanwhile.
 */
int __must_check resch_thread_enter(struct resch_thread *thread, bool start);

/* The task work of a registered thread. */
void resch_todo_work(struct callback_head *work);

#endif /* _RESCH_CORE_TODO_H */
