// SPDX-License-Identifier: GPL-2.0
/* agenda.c - what stands on a CPU's agenda: ready jobs, timers, the choice */
#include <linux/ktime.h>

#include "agenda.h"
#include "trace.h"
#include "server/entry.h"
#include "server/show.h"

void resch_agenda_enqueue(struct resch_thread *thread, enum resch_why why, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	thread->state = RESCH_READY;
	if (thread->task.ready)
		return;
	thread->task.ready = true;
	rc->nr_ready++;
	rc->plugin->enqueue(&rc->rq, &thread->task, why, now);
	/* What straight.c goes by. */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && rc->ordered)
		WARN_ON_ONCE(thread->task.node.key != resch_order_key(&rc->order, &thread->task));
	resch_server_show(rc, thread->task.server);
}

void resch_agenda_resume(struct resch_thread *thread, u64 now)
{
	resch_agenda_enqueue(thread, RESCH_WHY_WAKE, now);
	trace_resch_wake(thread, now, resch_thread_executed(thread));
}

void resch_agenda_dequeue(struct resch_thread *thread, enum resch_why why, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (!thread->task.ready)
		return;
	resch_agenda_unshadow(thread);
	thread->task.ready = false;
	rc->nr_ready--;
	rc->plugin->dequeue(&rc->rq, &thread->task, why, now);
	resch_server_show(rc, thread->task.server); /* it may serve nobody now */
}

void resch_agenda_deselect(struct resch_cpu *rc, enum resch_off why, u64 now)
{
	struct resch_thread *thread = rc->selected;

	resch_cpu_assert_locked(rc);
	if (!thread)
		return;
	rc->selected = NULL;
	thread->run = false;
	resch_server_show(rc, thread->task.server);
	trace_resch_deselect(thread, now, why);
}

void resch_agenda_kick_peers(struct resch_cpu *rc)
{
	struct resch_rq *rq = rc->rq.kicks, *next;

	rc->rq.kicks = NULL;
	for (; rq; rq = next) {
		next = rq->next_kicked;
		rq->next_kicked = NULL;
		rq->kicked = false;
		resch_cpu_kick(resch_cpu_get(rq->cpu));
	}
}

void resch_agenda_stopped(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	if (!thread->task.busy)
		return;
	thread->task.busy = false;
	if (likely(!rc->plugin || !rc->plugin->stopped))
		return;
	rc->plugin->stopped(&rc->rq, &thread->task, ktime_get());
	resch_agenda_heed(rc);
}

static void agenda_move_node(struct resch_queue *from, struct resch_queue *to,
			     struct resch_node *node)
{
	u64 key = node->key;

	if (!resch_node_queued(node))
		return;
	resch_queue_erase(from, node);
	resch_queue_insert(to, node, key);
}

void resch_agenda_move(struct resch_thread *thread, struct resch_cpu *to)
{
	struct resch_cpu *from = thread->rc;

	if (from == to)
		return;
	list_del_init(&thread->shadow);
	agenda_move_node(&from->timers, &to->timers, &thread->timer);
	agenda_move_node(&from->late, &to->late, &thread->late);
	if (thread->task.ready) {
		from->nr_ready--;
		to->nr_ready++;
	}
	if (resch_thread_open(thread)) {
		from->nr_open--;
		to->nr_open++;
	}
	thread->cpu = to->number;
	thread->task.rq = &to->rq;
	WRITE_ONCE(thread->rc, to);
	thread->stats.migrations++;
	/*
	 * It is on its way through the kernel: it goes by itself, or is fetched, whatever comes
	 * first.
	 */
	if (!thread->held && thread->entered) {
		thread->todo |= RESCH_TODO_PIN;
		resch_thread_poke(thread);
		resch_cpu_adjust(thread);
	}
}

void resch_agenda_arm(struct resch_thread *thread)
{
	const struct resch_job *job = &thread->task.job;
	u64 at = RESCH_NEVER;

	switch (thread->state) {
	case RESCH_SLEEPING:
		if (thread->due)
			at = resch_agenda_release(thread);
		break;
	case RESCH_DELAYED:
	case RESCH_THROTTLED:
		at = resch_life_next(&thread->life, job, true);
		break;
	case RESCH_READY:
	case RESCH_BLOCKED:
		if (!thread->life.watch)
			return; /* see job_foresee() */
		at = resch_life_next(&thread->life, job, false);
		break;
	}
	resch_agenda_timer(thread, at);
}
