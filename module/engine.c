// SPDX-License-Identifier: GPL-2.0
/* engine.c - decisions: who runs on a CPU now, and until when */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/timex.h>

#include "domain.h"
#include "engine.h"
#include "jobs.h"
#include "park.h"
#include "plan.h"
#include "react.h"
#include "trace.h"

/*
 * A pick that takes this long, ms, is a stall. Long enough for a virtual CPU that its host forgets
 * for a while.
 */
#define RESCH_PICK_MAX 250
#define RESCH_PICK_SAMPLE 8

/* The end of a budget is looked for this often at most, ns: by so much an overrun may be seen late. */
#define RESCH_BUDGET_GRAIN (5 * NSEC_PER_USEC)

/* the same in cycles; 0: this machine has no cycle counter, so nobody looks */
static cycles_t engine_pick_max;

void __init resch_engine_init(void)
{
	cycles_t began = get_cycles();

	mdelay(1);
	engine_pick_max = (get_cycles() - began) * RESCH_PICK_MAX;
}

void resch_engine_enqueue(struct resch_thread *thread, enum resch_why why, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	thread->state = RESCH_READY;
	if (thread->task.ready)
		return;
	thread->task.ready = true;
	rc->nr_ready++;
	rc->plugin->enqueue(&rc->rq, &thread->task, why, now);
	resch_server_show(rc, thread->task.server);
}

void resch_engine_dequeue(struct resch_thread *thread, enum resch_why why, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (!thread->task.ready)
		return;
	list_del_init(&thread->shadow);
	thread->task.ready = false;
	rc->nr_ready--;
	rc->plugin->dequeue(&rc->rq, &thread->task, why, now);
	resch_server_show(rc, thread->task.server); /* it may serve nobody now */
}

static void engine_clear_home(struct resch_cpu *home, struct resch_cpu *rc, u32 gone, u64 now)
{
	struct resch_task *task;

	resch_rq_for_each(&home->rq, task) {
		struct resch_thread *thread = resch_thread_of(task);

		if (home == rc || thread->rc == rc)
			resch_thread_retire(thread, gone, now);
	}
}

void resch_engine_clear(struct resch_cpu *rc, u32 gone, u64 now)
{
	u32 i;

	resch_cpu_assert_locked(rc);
	if (!rc->whole) {
		engine_clear_home(rc, rc, gone, now);
		return;
	}
	/* Those that live here, and those that just happen to be here. */
	for (i = 0; i < rc->rq.nr_peers; i++)
		engine_clear_home(resch_cpu_get(rc->rq.peers[i]->cpu), rc, gone, now);
}

void resch_engine_freeze(struct resch_cpu *rc, u64 now)
{
	struct resch_thread *thread = rc->selected;

	resch_cpu_assert_locked(rc);
	if (rc->frozen)
		return;
	rc->frozen = true;
	resch_engine_deselect(rc, RESCH_OFF_DETACH, now);
	if (thread)
		resch_park_stop(thread, now);
	resch_engine_uncover(rc, 0, now);
}

void resch_engine_eject(struct resch_cpu *rc, const char *reason, u64 now)
{
	struct resch_domain *domain = rc->domain;

	resch_cpu_assert_locked(rc);
	resch_engine_freeze(rc, now);
	if (test_and_set_bit(0, &domain->ejecting))
		return;
	strscpy(domain->fault, reason, sizeof(domain->fault));
	domain->fault_cpu = rc->number;
	queue_work(resch_workqueue, &domain->eject);
}

/* Whether the plugin may pick this task of another CPU. */
static bool engine_may_fetch(const struct resch_cpu *rc, const struct resch_task *task)
{
	return rc->whole && task->rq->peers == rc->rq.peers && !task->busy;
}

/* Why the plugin's answer can't be true, or NULL. */
static const char *engine_nonsense(const struct resch_cpu *rc, const struct resch_pick *pick,
				   u64 now)
{
	if (pick->task && pick->task->rq != &rc->rq && !engine_may_fetch(rc, pick->task))
		return rc->whole ? "picked a task that is busy on another CPU" :
				   "picked a task of another CPU";
	if (pick->task && !pick->task->ready)
		return "picked a task that is not ready";
	if (pick->until <= now)
		return "asked to be asked again in the past";
	return NULL;
}

void resch_engine_deselect(struct resch_cpu *rc, enum resch_off why, u64 now)
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

void resch_engine_uncover(struct resch_cpu *rc, u32 level, u64 now)
{
	struct resch_thread *thread, *next;

	resch_cpu_assert_locked(rc);
	/* The last to be shadowed has the highest level. */
	list_for_each_entry_safe(thread, next, &rc->shadows, shadow) {
		if (thread->level < level)
			break;
		list_del_init(&thread->shadow);
		resch_park_stop(thread, now);
	}
}

/* The choice goes from whoever has it to @next, or to nobody. */
static void engine_switch(struct resch_cpu *rc, struct resch_thread *next, u64 now)
{
	struct resch_thread *prev = rc->selected;
	u32 level = next ? next->level : 0;

	if (next)
		list_del_init(&next->shadow);
	if (prev) {
		resch_engine_deselect(rc, RESCH_OFF_PREEMPT, now);
		prev->stats.preemptions++;
	}
	if (prev && prev->level < level && !rc->whole) {
		/* It is below, and so are all that were below it. */
		list_add(&prev->shadow, &rc->shadows);
	} else {
		if (prev)
			resch_park_stop(prev, now);
		if (!list_empty(&rc->shadows))
			resch_engine_uncover(rc, level, now);
	}
	if (!next)
		return;
	rc->selected = next;
	trace_resch_select(next, now, rc->until);
	next->run = true;
	next->task.busy = true;
	resch_park_go(next);
}

/*
 * The CPUs that the plugin wants to decide again, the domain's lock; or this one, whose servers have
 * something to tell.
 */
static void engine_kick_peers(struct resch_cpu *rc)
{
	struct resch_rq *rq = rc->rq.kicks, *next;

	rc->rq.kicks = NULL;
	for (; rq; rq = next) {
		next = rq->next_kicked;
		rq->next_kicked = NULL;
		rq->kicked = false;
		if (rq->noted)
			resch_server_flush(rc);
		else
			resch_cpu_kick(resch_cpu_get(rq->cpu));
	}
}

void resch_engine_stopped(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	if (!thread->task.busy)
		return;
	thread->task.busy = false;
	if (likely(!rc->plugin || !rc->plugin->stopped))
		return;
	rc->plugin->stopped(&rc->rq, &thread->task, ktime_get());
	engine_kick_peers(rc);
}

static void engine_move_node(struct resch_queue *from, struct resch_queue *to,
			     struct resch_node *node)
{
	u64 key = node->key;

	if (!resch_node_queued(node))
		return;
	resch_queue_erase(from, node);
	resch_queue_insert(to, node, key);
}

void resch_engine_move(struct resch_thread *thread, struct resch_cpu *to)
{
	struct resch_cpu *from = thread->rc;

	if (from == to)
		return;
	list_del_init(&thread->shadow);
	engine_move_node(&from->timers, &to->timers, &thread->timer);
	engine_move_node(&from->late, &to->late, &thread->late);
	if (thread->task.ready) {
		from->nr_ready--;
		to->nr_ready++;
	}
	thread->cpu = to->number;
	thread->task.rq = &to->rq;
	WRITE_ONCE(thread->rc, to);
	thread->stats.migrations++;
	/* It is on its way through the kernel: it goes by itself, or is fetched, whatever comes first. */
	if (!thread->held && thread->entered) {
		thread->todo |= RESCH_TODO_PIN;
		resch_thread_poke(thread);
		resch_cpu_adjust(thread);
	}
}

/*
 * When the budget of the selected job will be used up if nothing stops it before; not so soon that
 * looking leaves it no time to.
 */
static u64 engine_budget_end(const struct resch_thread *thread, u64 now)
{
	u64 executed = resch_thread_runtime(thread) - thread->exec_base;
	u64 left = executed < thread->budget ? thread->budget - executed : 0;

	return now + max_t(u64, left, RESCH_BUDGET_GRAIN);
}

/*
 * How long a plugin may pick nobody though somebody is ready, ns. A reserve comes once a slot, a
 * budget once a period.
 */
static u64 engine_patience(const struct resch_cpu *rc)
{
	u64 patience = (u64)resch_watchdog_ms * NSEC_PER_MSEC;

	if (unlikely(rc->rq.plan))
		patience += 2 * rc->rq.plan->slot;
	else if (unlikely(rc->plugin->flags & RESCH_PLUGIN_PLAN))
		patience = KTIME_MAX / 2; /* it has nothing to go by yet */
	if (unlikely(rc->rq.servers))
		patience += 2 * rc->longest_period;
	return patience;
}

/*
 * Nobody was picked although somebody is ready: a plugin may do so for a while (reserves), not for
 * ever.
 */
static void engine_starve(struct resch_cpu *rc, const struct resch_pick *pick, u64 now)
{
	if (pick->task || !rc->nr_ready || (rc->rq.plan && now < rc->rq.plan->from)) {
		rc->starved = 0;
		return;
	}
	if (!rc->starved)
		rc->starved = now;
	else if (now - rc->starved < engine_patience(rc))
		return;
	else if (rc->whole && rc->domain->served > rc->starved)
		rc->starved = rc->domain->served; /* another CPU may be the one to run them */
	else
		resch_engine_eject(rc, "picked nobody for too long while tasks were ready", now);
}

/* Asks the plugin. false: the answer is worthless, and the plugin on its way out. */
static bool engine_ask(struct resch_cpu *rc, struct resch_pick *pick, u64 now)
{
	const char *nonsense = NULL;
	cycles_t began;

	/*
	 * One in so many is timed: a plugin that is slow for long is found soon, and the others
	 * don't pay.
	 */
	if (unlikely(!(rc->decisions++ % RESCH_PICK_SAMPLE)) && engine_pick_max) {
		began = get_cycles();
		rc->plugin->pick(&rc->rq, now, pick);
		if (unlikely(get_cycles() - began > engine_pick_max))
			nonsense = "took too long to pick";
	} else {
		rc->plugin->pick(&rc->rq, now, pick);
	}
	if (likely(pick->task && pick->task->rq == &rc->rq && pick->task->ready &&
		   pick->until > now && !nonsense)) {
		rc->starved = 0;
		return true;
	}
	if (!nonsense)
		nonsense = engine_nonsense(rc, pick, now);
	if (unlikely(nonsense)) {
		resch_engine_eject(rc, nonsense, now);
	} else if (pick->task) {
		resch_engine_move(resch_thread_of(pick->task), rc);
		rc->starved = 0;
	} else {
		engine_starve(rc, pick, now);
	}
	return !rc->frozen;
}

static void engine_decide(struct resch_cpu *rc, u64 now)
{
	struct resch_pick pick = { .task = NULL, .until = RESCH_NEVER };
	struct resch_thread *next;
	u64 change = RESCH_NEVER;

	if (unlikely(rc->whole))
		change = resch_plan_update(rc->domain, rc, now);
	if (unlikely(!engine_ask(rc, &pick, now)))
		return;
	pick.until = min(pick.until, change);
	next = pick.task ? resch_thread_of(pick.task) : NULL;
	if (unlikely(rc->whole) && next)
		rc->domain->served = now;
	if (next && unlikely(next->enforce))
		pick.until = min(pick.until, engine_budget_end(next, now));
	rc->until = pick.until;
	if (next != rc->selected || (!next && unlikely(!list_empty(&rc->shadows))))
		engine_switch(rc, next, now);
	if (next)
		resch_server_show(rc, next->task.server); /* its rate may be another one now */
	if (unlikely(rc->viewed))
		resch_server_show_rest(rc);
}

/* Threads that blocked or woke since the last time. */
static void engine_drain(struct resch_cpu *rc, u64 now)
{
	struct llist_node *noted = llist_del_all(&rc->noted);
	struct resch_thread *thread, *next;

	llist_for_each_entry_safe(thread, next, noted, note) {
		/* From here on a new change notes the thread again. */
		clear_bit(0, &thread->noted);
		smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in resch_cpu_note() */
		if (likely(thread->rc == rc)) {
			resch_job_sync(thread, now);
		} else if (thread->rc->lock == rc->lock) {
			resch_job_sync(thread, now);
			resch_cpu_kick(thread->rc);
		} else {
			resch_cpu_note(thread); /* it has left for a CPU with another lock */
		}
	}
}

static void engine_expire(struct resch_cpu *rc, u64 now)
{
	struct resch_thread *thread;
	struct resch_node *node;

	while ((node = resch_queue_first(&rc->timers)) && node->key <= now) {
		resch_queue_erase(&rc->timers, node);
		resch_job_expire(container_of(node, struct resch_thread, timer), now);
	}
	while (unlikely((node = resch_queue_first(&rc->late)) && node->key <= now)) {
		resch_queue_erase(&rc->late, node);
		resch_park_escalate(container_of(node, struct resch_thread, late), now);
	}
	thread = rc->selected;
	if (thread && unlikely(thread->enforce) &&
	    resch_thread_runtime(thread) - thread->exec_base >= thread->budget)
		resch_react_overrun(thread, now);
}

void resch_engine_update(struct resch_cpu *rc, u64 now)
{
	resch_cpu_assert_locked(rc);
	rc->now = now;
	if (unlikely(!llist_empty(&rc->noted)))
		engine_drain(rc, now);
	engine_expire(rc, now);
	if (likely(rc->plugin && !rc->frozen))
		engine_decide(rc, now);
	if (unlikely(rc->rq.kicks))
		engine_kick_peers(rc);
}

u64 resch_engine_next(const struct resch_cpu *rc)
{
	const struct resch_node *timer = resch_queue_first(&rc->timers);
	const struct resch_node *late = resch_queue_first(&rc->late);
	u64 next = timer ? timer->key : RESCH_NEVER;

	if (unlikely(late))
		next = min(next, late->key);
	if (unlikely(rc->frozen))
		return next;
	if (rc->starved)
		next = min(next, rc->starved + engine_patience(rc));
	next = min(next, rc->until);
	/* A plugin's `until` may be any time. */
	return likely(next <= KTIME_MAX) ? next : RESCH_NEVER;
}
