// SPDX-License-Identifier: GPL-2.0
/* straight.c - the common way of a plain job, in one straight line */
#include <resch/straight.h>

#include "agenda.h"
#include "engine.h"
#include "park.h"
#include "straight.h"

static struct resch_queue *straight_ready(struct resch_cpu *rc)
{
	return (struct resch_queue *)rc->rq.private;
}

/* Has nothing happened here that this way can't go? */
static bool straight_calm(const struct resch_cpu *rc)
{
	return llist_empty(&rc->noted) && !resch_queue_first(&rc->late);
}

/*
 * May the choice fall on @thread without more ado? It sleeps in this module, at its level, on its
 * CPU.
 */
static bool straight_may_take(const struct resch_thread *thread)
{
	return thread->held && thread->pinned == thread->cpu && !thread->moving &&
	       !READ_ONCE(thread->demoted) && !test_bit(0, &thread->adjusting);
}

/* ... or did it have it before, and just goes on? */
static bool straight_goes_on(const struct resch_thread *thread)
{
	return !thread->held && !READ_ONCE(thread->demoted) && !test_bit(0, &thread->adjusting);
}

/* Does @prev, who has the choice, stay below when @thread gets it? */
static bool straight_may_shadow(const struct resch_thread *prev, const struct resch_thread *thread)
{
	return prev->level < thread->level && !prev->moving;
}

/* The choice falls on @thread, from nobody. */
static void straight_select(struct resch_cpu *rc, struct resch_thread *thread, u64 now)
{
	rc->selected = thread;
	trace_resch_select(thread, now, RESCH_NEVER);
	thread->run = true;
	thread->task.busy = true;
}

/* It was decided who has the choice, and nothing but an event will change that. */
static void straight_decided(struct resch_cpu *rc, u64 now)
{
	rc->now = now;
	rc->decisions++;
	rc->until = RESCH_NEVER;
}

/* The choice goes from whoever has it to @thread. See engine_switch(), resch_park_go(). */
static void straight_take(struct resch_cpu *rc, struct resch_thread *thread, u64 now)
{
	struct resch_thread *prev = rc->selected;

	if (prev) {
		prev->run = false;
		trace_resch_deselect(prev, now, RESCH_OFF_PREEMPT);
		prev->stats.preemptions++;
		resch_agenda_shadow(rc, prev);
	}
	straight_select(rc, thread, now);
	resch_job_note(thread);
	/* pairs with the load in resch_park_hold_locked() */
	smp_store_release(&thread->held, false);
	wake_up_process(thread->linux_task);
}

/* The job begins. See resch_job_release(). */
static __always_inline void straight_begin(struct resch_cpu *rc, struct resch_thread *thread,
					   u64 now)
{
	u64 runtime;

	/* It sleeps, so this is all that it has executed. */
	runtime = READ_ONCE(thread->linux_task->se.sum_exec_runtime);
	thread->due = false;
	rc->nr_open++;
	if (likely(thread->owed)) {
		thread->owed = false;
		resch_life_end_execution(&thread->stats,
					 resch_life_executed(&thread->life, runtime));
	}
	resch_life_begin_plain(&thread->life, &thread->task.params, runtime);
	trace_resch_release(thread, now, thread->task.job.skipped);
	thread->state = RESCH_READY;
	thread->task.ready = true;
	rc->nr_ready++;
}

/* It stands in the queue with @key. */
static __always_inline void straight_enqueue(struct resch_cpu *rc, struct resch_thread *thread,
					     enum resch_straight choice, u64 key)
{
	struct resch_queue *ready = straight_ready(rc);
	u64 tie = rc->order.by_id ? thread->task.id : ready->seq++;

	if (likely(choice == RESCH_STRAIGHT_TAKES))
		resch_queue_push(ready, &thread->task.node, key, tie);
	else
		resch_queue_insert_tie(ready, &thread->task.node, key, tie);
}

/* The timer, the first of them, goes behind others. */
static noinline void straight_postpone(struct resch_cpu *rc, struct resch_node *timer, u64 next)
{
	resch_queue_erase(&rc->timers, timer);
	resch_queue_insert(&rc->timers, timer, next);
}

/* The thread's timer, the first of them, goes on to its @next release. See job_foresee(). */
static __always_inline void straight_foresee(struct resch_cpu *rc, struct resch_node *timer,
					     struct resch_node *second, u64 next)
{
	if (unlikely(!resch_queue_rekey(&rc->timers, second, next)))
		straight_postpone(rc, timer, next);
}

/* The plugin has been told of a release or an end: it picks. See resch_engine_update(). */
static void straight_ask(struct resch_cpu *rc, u64 now)
{
	rc->now = now;
	resch_engine_decide(rc, now);
	resch_agenda_heed(rc);
}

/*
 * Whose job is released, where nothing else is to be done, or NULL; and its release after that, and
 * the timer after its own.
 */
static __always_inline struct resch_thread *straight_due(struct resch_cpu *rc, u64 now, u64 *next,
							 struct resch_node **second)
{
	struct resch_node *timer = resch_queue_first(&rc->timers);
	struct resch_thread *thread;

	resch_cpu_assert_locked(rc);
	if (unlikely(!straight_calm(rc) || !timer || timer->key > now))
		return NULL;
	thread = container_of(timer, struct resch_thread, timer);
	if (unlikely(!thread->straight || thread->state != RESCH_SLEEPING ||
		     thread->linux_task == current))
		return NULL;
	*next = thread->task.job.release + thread->life.distance;
	*second = resch_queue_second(&rc->timers);
	if (unlikely(*next <= now || (*second && (*second)->key <= now)))
		return NULL;
	return thread;
}

u64 resch_straight_timer(struct resch_cpu *rc, u64 now)
{
	struct resch_thread *thread, *prev = rc->selected;
	enum resch_straight choice;
	struct resch_node *second;
	u64 next, key;

	thread = likely(rc->straight) ? straight_due(rc, now, &next, &second) : NULL;
	if (unlikely(!thread))
		return 0;
	key = resch_order_key(&rc->order, &thread->task);
	choice = resch_straight_release(straight_ready(rc), prev ? &prev->task : NULL, key);
	if (unlikely(choice == RESCH_STRAIGHT_NOT || (prev && prev->life.enforce)))
		return 0;
	if (likely(choice == RESCH_STRAIGHT_TAKES) &&
	    unlikely(!straight_may_take(thread) ||
		     (prev ? !straight_may_shadow(prev, thread) : !list_empty(&rc->shadows))))
		return 0;

	straight_begin(rc, thread, now);
	straight_enqueue(rc, thread, choice, key);
	straight_foresee(rc, &thread->timer, second, next);
	straight_decided(rc, now);
	if (likely(choice == RESCH_STRAIGHT_TAKES))
		straight_take(rc, thread, now);
	return resch_queue_first(&rc->timers)->key;
}

u64 resch_straight_timer_asked(struct resch_cpu *rc, u64 now)
{
	struct resch_thread *thread, *prev = rc->selected;
	struct resch_node *second;
	u64 next;

	thread = rc->asked ? straight_due(rc, now, &next, &second) : NULL;
	if (!thread || unlikely(prev && prev->life.enforce))
		return 0;
	straight_begin(rc, thread, now);
	rc->plugin->enqueue(&rc->rq, &thread->task, RESCH_WHY_RELEASE, now);
	straight_foresee(rc, &thread->timer, second, next);
	straight_ask(rc, now);
	return resch_engine_next(rc);
}

/* Do those who stay shadowed stay below @heir, the next choice, or nobody? */
static bool straight_may_leave(const struct resch_cpu *rc, const struct resch_thread *heir)
{
	const struct list_head *first = rc->shadows.next;

	if (heir && first == &heir->shadow)
		first = first->next;
	if (likely(first == &rc->shadows))
		return true;
	return heir && list_entry(first, struct resch_thread, shadow)->level < heir->level;
}

/* The job ends. See resch_job_complete(). */
static __always_inline void straight_end(struct resch_cpu *rc, struct resch_thread *thread, u64 now)
{
	resch_life_end_in_time(&thread->stats, &thread->task.job, now);
	if (unlikely(!thread->owed))
		trace_resch_complete(thread, now, thread->life.spent);
	thread->task.ready = false;
	rc->nr_ready--;
}

/* The choice is nobody's, and the thread, which had it, sleeps till its next job: job_next(). */
static __always_inline void straight_leave(struct resch_cpu *rc, struct resch_thread *thread,
					   u64 now)
{
	rc->nr_open--;
	thread->state = RESCH_SLEEPING;
	rc->selected = NULL;
	thread->run = false;
	/* It is about to leave the CPU, and such plugins have no stopped(). */
	thread->task.busy = false;
	trace_resch_deselect(thread, now, RESCH_OFF_COMPLETE);
	resch_job_advance(&thread->task.job, thread->life.distance, thread->task.params.deadline);
	thread->due = true;
}

/* Does the job of @thread, which is current, end now, where nothing else is to be done? */
static __always_inline bool straight_ends(const struct resch_cpu *rc,
					  const struct resch_thread *thread, u64 now)
{
	const struct resch_job *job = &thread->task.job;
	u64 next = job->release + thread->life.distance;

	resch_cpu_assert_locked(rc);
	if (unlikely(!straight_calm(rc) || rc->selected != thread ||
		     smp_processor_id() != rc->number || thread->early ||
		     READ_ONCE(thread->kblocked)))
		return false;
	/* Nothing is late, and what is to come next is foreseen. */
	return now <= job->deadline && next > now && resch_node_queued(&thread->timer) &&
	       thread->timer.key == next && resch_queue_first(&rc->timers)->key > now;
}

bool resch_straight_wait(struct resch_thread *thread, u64 now)
{
	struct resch_cpu *rc = thread->rc;
	struct resch_task *task;
	struct resch_thread *heir;

	if (unlikely(!rc->straight || !straight_ends(rc, thread, now) ||
		     resch_queue_first(straight_ready(rc)) != &thread->task.node))
		return false;
	task = resch_straight_heir(straight_ready(rc));
	heir = task ? resch_thread_of(task) : NULL;
	if (unlikely(!straight_may_leave(rc, heir) ||
		     (heir && (heir->life.enforce || heir->moving))))
		return false;
	/* From here on there is no way back. */
	if (unlikely(!resch_straight_account(thread, now)))
		return false;

	straight_end(rc, thread, now);
	resch_queue_shift(straight_ready(rc));
	straight_leave(rc, thread, now);
	straight_decided(rc, now);
	if (likely(heir)) {
		resch_agenda_unshadow(heir);
		straight_select(rc, heir, now);
		if (unlikely(!straight_goes_on(heir)))
			resch_park_go(heir);
	}
	return true;
}

bool resch_straight_wait_asked(struct resch_thread *thread, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	if (!rc->asked || !straight_ends(rc, thread, now) || !resch_straight_account(thread, now))
		return false;
	straight_end(rc, thread, now);
	rc->plugin->dequeue(&rc->rq, &thread->task, RESCH_WHY_COMPLETE, now);
	straight_leave(rc, thread, now);
	straight_ask(rc, now);
	return true;
}
