/* SPDX-License-Identifier: GPL-2.0 */
/* agenda.h - what stands on a CPU's agenda: ready jobs, timers, the choice */
#ifndef _RESCH_CORE_AGENDA_H
#define _RESCH_CORE_AGENDA_H

#include "cpu.h"
#include "server/show.h"

/*
 * The job of @thread is ready, or no longer is: keeps the plugin's queues and the counters
 * together. cpu->lock.
 */
void resch_agenda_enqueue(struct resch_thread *thread, enum resch_why why, u64 now);
void resch_agenda_dequeue(struct resch_thread *thread, enum resch_why why, u64 now);

/* Likewise, for a job that goes on after it had to wait. cpu->lock. */
void resch_agenda_resume(struct resch_thread *thread, u64 now);

/*
 * The selected thread is no longer the choice. cpu->lock; followed by a decision, or by
 * resch_engine_uncover().
 */
void resch_agenda_deselect(struct resch_cpu *rc, enum resch_off why, u64 now);

/* The thread gives up its CPU by itself, selected or not. The same context. */
static inline void resch_agenda_leave(struct resch_thread *thread, enum resch_off why, u64 now)
{
	if (thread->rc->selected == thread)
		resch_agenda_deselect(thread->rc, why, now);
	else
		thread->run = false;
}

/*
 * The thread has left the CPU: it waits in this module, blocked, is demoted, or gone. cpu->lock, on
 * any CPU.
 */
void resch_agenda_stopped(struct resch_thread *thread);

/*
 * The thread goes over to another CPU of its domain, where it is to run. The domain's lock, which
 * is that of both CPUs; or both locks, in a swap.
 */
void resch_agenda_move(struct resch_thread *thread, struct resch_cpu *to);

/* thread->timer is to expire @at, or never. cpu->lock. */
static inline void resch_agenda_timer(struct resch_thread *thread, u64 at)
{
	struct resch_queue *timers = &thread->rc->timers;

	if (!resch_node_queued(&thread->timer)) {
		if (at != RESCH_NEVER)
			resch_queue_insert(timers, &thread->timer, at);
	} else if (at == RESCH_NEVER) {
		resch_queue_erase(timers, &thread->timer);
	} else if (thread->timer.key != at) {
		resch_queue_move(timers, &thread->timer, at);
	}
}

/* When the job in task.job, which is the next one, is let go. cpu->lock. */
static inline u64 resch_agenda_release(const struct resch_thread *thread)
{
	return thread->task.job.release - thread->task.lead;
}

/* Puts thread->timer where the state wants it. cpu->lock. */
void resch_agenda_arm(struct resch_thread *thread);

/* Has the CPUs that the plugin wants to decide again do so. cpu->lock, which is the domain's. */
void resch_agenda_kick_peers(struct resch_cpu *rc);

/* Has what the plugin's ops have left for the core: CPUs to kick, news of servers. cpu->lock. */
static inline void resch_agenda_heed(struct resch_cpu *rc)
{
	if (unlikely(rc->rq.kicks))
		resch_agenda_kick_peers(rc);
	if (unlikely(rc->rq.noted))
		resch_server_flush(rc);
}

/*
 * What a wait of the thread is to return, as it is let go: later its job may change at any time,
 * and the thread reads this without the lock. cpu->lock, and not while the thread may read it.
 */
static inline void resch_job_note(struct resch_thread *thread)
{
	thread->noted_job = thread->task.job;
}

/*
 * CONFIG_DEBUG_LIST, which distributions set, makes two calls of each change of a list, on the way
 * of every preemption; so the changes of the list of shadows are made by hand. cpu->lock.
 */
static inline void resch_agenda_unshadow(struct resch_thread *thread)
{
	if (likely(list_empty(&thread->shadow)))
		return;
	__list_del(thread->shadow.prev, thread->shadow.next);
	INIT_LIST_HEAD(&thread->shadow);
}

/* It is the highest of the shadows from now on. cpu->lock. */
static inline void resch_agenda_shadow(struct resch_cpu *rc, struct resch_thread *thread)
{
	struct list_head *first = rc->shadows.next;

	thread->shadow.next = first;
	thread->shadow.prev = &rc->shadows;
	first->prev = &thread->shadow;
	rc->shadows.next = &thread->shadow;
}

#endif /* _RESCH_CORE_AGENDA_H */
