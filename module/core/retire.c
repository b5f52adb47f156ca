// SPDX-License-Identifier: GPL-2.0
/* retire.c - a registration ends for the engine */
#include <linux/ktime.h>

#include "agenda.h"
#include "cpu.h"
#include "direct.h"
#include "event.h"
#include "params.h"
#include "park.h"
#include "retire.h"
#include "trace.h"
#include "chain/stage.h"

LLIST_HEAD(resch_reap);
struct work_struct resch_reaper;

void resch_thread_retire(struct resch_thread *thread, u32 gone, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (thread->state == RESCH_GONE)
		return;
	resch_direct_end(thread);
	resch_thread_pay(thread);
	if (unlikely(thread->stage))
		resch_stage_gone(thread, now);
	resch_passive_leave(thread, now);
	resch_agenda_dequeue(thread, RESCH_WHY_DETACH, now);
	if (rc->selected == thread) {
		rc->selected = NULL;
		trace_resch_deselect(thread, now, RESCH_OFF_DETACH);
	}
	resch_agenda_stopped(thread);
	if (rc->plugin && rc->plugin->detach)
		rc->plugin->detach(&rc->rq, &thread->task);
	if (resch_node_queued(&thread->timer))
		resch_queue_erase(&rc->timers, &thread->timer);
	rc->nr_open -= resch_thread_open(thread);
	thread->state = RESCH_GONE;
	thread->gone = gone;
	thread->background = false;
	thread->run = true;
	resch_park_go(thread);
	trace_resch_detach(thread, gone);
	if (gone >= RESCH_GONE_EJECT)
		atomic64_inc(&resch_restored);
	/* The children of a member come and go by themselves. */
	if (gone && !(thread->root && gone == RESCH_GONE_EXIT))
		resch_event_put(thread, RESCH_EVENT_GONE, now, gone);
	thread->todo |= RESCH_TODO_LEAVE;
	resch_thread_poke(thread);
	resch_thread_reap_later(thread);
}

void resch_thread_reap_later(struct resch_thread *thread)
{
	if (test_and_set_bit(0, &thread->reaping))
		return;
	refcount_inc(&thread->refs);
	llist_add(&thread->reap, &resch_reap);
	queue_work(resch_workqueue, &resch_reaper);
}
