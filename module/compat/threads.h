/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads of the machine. In 6.12 and later, for_each_thread() names tasklist_lock where
 * lockdep is built in; no module gets that lock, so what uses it doesn't link there. Stays, for no
 * kernel is in sight whose lockdep kernels are otherwise.
 */
#ifndef _RESCH_COMPAT_THREADS_H
#define _RESCH_COMPAT_THREADS_H

#include <linux/rculist.h>
#include <linux/sched/signal.h>

/* Each @thread of the process to which @task belongs. Under rcu_read_lock(). */
#define resch_for_each_thread(task, thread) \
	list_for_each_entry_rcu(thread, &(task)->signal->thread_head, thread_node)

/* Each @thread of each @process. Two loops: break leaves the inner one only. rcu_read_lock(). */
#define resch_for_each_process_thread(process, thread) \
	for_each_process(process)                      \
		resch_for_each_thread(process, thread)

#endif /* _RESCH_COMPAT_THREADS_H */
