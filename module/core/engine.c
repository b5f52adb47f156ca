// SPDX-License-Identifier: GPL-2.0
/* engine.c - decisions: who runs on a CPU now, and until when */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/timex.h>

#include "agenda.h"
#include "direct.h"
#include "engine.h"
#include "jobs.h"
#include "park.h"
#include "react.h"
#include "retire.h"
#include "trace.h"
#include "domain/domain.h"
#include "domain/plan.h"
#include "server/newcomer.h"
#include "server/show.h"

/*
 * A pick that takes this long, ms, is slow. It may be so because a host has taken a virtual CPU
 * away, which can't be told from here; so a slow plugin is asked again soon, after so many ns, and
 * is out when it was slow so often in so many picks: a host that takes the CPU away in the middle
 * of some of them, again and again, has better aim than hosts have.
 */
#define RESCH_PICK_MAX 250
#define RESCH_PICK_AGAIN NSEC_PER_MSEC
#define RESCH_PICK_SLOW 3
#define RESCH_PICK_LOOKS 8

/*
 * The end of a budget is looked for this often at most, ns: by so much an overrun may be seen late.
 */
#define RESCH_BUDGET_GRAIN (5 * NSEC_PER_USEC)

/* A server whose next budget is farther off has an error rather than a debt, ns. */
#define RESCH_WAIT_MAX (3600 * NSEC_PER_SEC)

/* RESCH_PICK_MAX in cycles; where there is no cycle counter no pick takes any */
static cycles_t engine_pick_max;

void __init resch_engine_init(void)
{
	u64 shortest = U64_MAX, begin, ns;
	cycles_t began;
	int i;

	/*
	 * By the clock: mdelay() is off where a virtual CPU was taken away as the kernel tuned it.
	 * The cycles are read outermost, so who takes the CPU away now only makes them too many.
	 */
	for (i = 0; i < 3; i++) {
		began = get_cycles();
		begin = ktime_get_ns();
		do
			ns = ktime_get_ns() - begin;
		while (ns < NSEC_PER_MSEC);
		shortest = min(shortest, mul_u64_u64_div_u64(get_cycles() - began,
							     RESCH_PICK_MAX * NSEC_PER_MSEC, ns));
	}
	engine_pick_max = shortest;
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
	resch_direct_end_all(rc);
	rc->frozen = true;
	resch_cpu_straighten(rc);
	resch_agenda_deselect(rc, RESCH_OFF_DETACH, now);
	if (thread)
		resch_park_stop(thread, now);
	resch_engine_uncover(rc, 0, now);
}

void resch_engine_eject(struct resch_cpu *rc, const char *reason, u64 now)
{
	struct resch_domain *domain = rc->domain;

	resch_cpu_assert_locked(rc);
	resch_engine_freeze(rc, now);
	/*
	 * Goes with the plugin: who comes in its place, before the worker does, is none the worse
	 * for it.
	 */
	rc->fault = reason;
	if (!test_and_set_bit(0, &domain->ejecting))
		queue_work(resch_workqueue, &domain->eject);
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
	u32 level = next && likely(!next->moving) ? next->level : 0;

	if (next)
		resch_agenda_unshadow(next);
	if (prev) {
		resch_agenda_deselect(rc, RESCH_OFF_PREEMPT, now);
		prev->stats.preemptions++;
	}
	if (prev && prev->level < level && !prev->moving && !rc->whole) {
		/* It is below, and so are all that were below it. */
		resch_agenda_shadow(rc, prev);
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
 * When the budget of the selected job will be used up if nothing stops it before; not so soon that
 * looking leaves it no time to.
 */
static u64 engine_budget_end(const struct resch_thread *thread, u64 now)
{
	u64 left = resch_life_left(&thread->life, resch_thread_runtime(thread));

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
 * When the first of the servers that have used up their budgets gets the next one, or RESCH_NEVER.
 * One that overdrew, as the CPU was away in its turn, waits for many periods at once.
 */
static u64 engine_payday(const struct resch_cpu *rc, u64 now)
{
	const struct resch_server *server;
	u64 first = RESCH_NEVER;

	resch_rq_for_each_server(&rc->rq, server)
		if (server->state.left <= 0 && server->state.deadline > now)
			first = min(first, server->state.deadline);
	return first <= now + RESCH_WAIT_MAX ? first : RESCH_NEVER;
}

/*
 * Nobody was picked although somebody is ready: a plugin may do so for a while (reserves), not for
 * ever; one with servers until there is a budget.
 */
static void engine_starve(struct resch_cpu *rc, const struct resch_pick *pick, u64 now)
{
	u64 payday;

	if (pick->task || !rc->nr_ready || (rc->rq.plan && now < rc->rq.plan->from)) {
		rc->starved = 0;
		return;
	}
	if (!rc->starved) {
		rc->starved = now;
		return;
	}
	if (now < rc->starved + engine_patience(rc))
		return;
	payday = engine_payday(rc, now);
	if (rc->whole && rc->domain->served > rc->starved)
		rc->starved = rc->domain->served; /* another CPU may be the one to run them */
	else if (payday != RESCH_NEVER)
		rc->starved = payday;
	else
		resch_engine_eject(rc, "picked nobody for too long while tasks were ready", now);
}

/* The plugin took long to answer. true: too often. */
static bool engine_slow(struct resch_cpu *rc, struct resch_pick *pick, u64 now)
{
	if (rc->decisions - rc->slow_from >= RESCH_PICK_LOOKS) {
		rc->slow_from = rc->decisions;
		rc->slow = 0;
	}
	pick->until = min(pick->until, now + RESCH_PICK_AGAIN);
	return ++rc->slow == RESCH_PICK_SLOW;
}

/* The plugin picks; or what is wrong with how it does. */
static const char *engine_pick(struct resch_cpu *rc, struct resch_pick *pick, u64 now)
{
	cycles_t began;

	rc->decisions++;
	if (likely(rc->ordered)) {
		resch_pick_first(&rc->rq, now, pick);
		return NULL;
	}
	began = get_cycles();
	rc->plugin->pick(&rc->rq, now, pick);
	if (unlikely(get_cycles() - began > engine_pick_max) && engine_slow(rc, pick, now))
		return "took too long to pick";
	return NULL;
}

/* Asks the plugin. false: the answer is worthless, and the plugin on its way out. */
static bool engine_ask(struct resch_cpu *rc, struct resch_pick *pick, u64 now)
{
	const char *nonsense = engine_pick(rc, pick, now);

	if (likely(pick->task && pick->task->rq == &rc->rq && pick->task->ready &&
		   pick->until > now && !nonsense)) {
		rc->starved = 0;
		return true;
	}
	if (!nonsense)
		nonsense = resch_pick_nonsense(&rc->rq, rc->whole, pick, now);
	if (unlikely(nonsense)) {
		resch_engine_eject(rc, nonsense, now);
	} else if (pick->task) {
		resch_agenda_move(resch_thread_of(pick->task), rc);
		rc->starved = 0;
	} else {
		engine_starve(rc, pick, now);
	}
	return !rc->frozen;
}

void resch_engine_decide(struct resch_cpu *rc, u64 now)
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
	if (next && unlikely(next->life.enforce))
		pick.until = min(pick.until, engine_budget_end(next, now));
	rc->until = pick.until;
	if (next != rc->selected || (!next && unlikely(!list_empty(&rc->shadows))))
		engine_switch(rc, next, now);
	if (next)
		resch_server_show(rc, next->task.server); /* its rate may be another one now */
	if (unlikely(rc->viewed))
		resch_server_show_rest(rc);
}

/*
 * Who waits for a PI futex lends its priority to the owner, whom no budget bounds. Who is here by
 * right of a grant has none to lend: it waits as an ordinary thread. cpu->lock.
 */
static void engine_lend_nothing(struct resch_thread *thread)
{
#ifdef CONFIG_RT_MUTEXES
	if (READ_ONCE(thread->kblocked) && READ_ONCE(thread->linux_task->pi_blocked_on))
		resch_cpu_adjust(thread);
#endif
}

/* The thread blocked, woke or died since the last time. */
static void engine_sync(struct resch_thread *thread, u64 now)
{
	resch_direct_end(thread);
	if (likely(!READ_ONCE(thread->dead))) {
		resch_job_sync(thread, now);
		if (unlikely(thread->grant))
			engine_lend_nothing(thread);
		if (unlikely(thread->stage))
			resch_job_take(thread, now);
		return;
	}
	if (READ_ONCE(thread->kblocked)) {
		resch_agenda_stopped(thread);
		if (unlikely(thread->task.params.flags & RESCH_F_FAMILY))
			resch_family_stir();
	}
	resch_thread_retire(thread, RESCH_GONE_EXIT, now);
	/* also where it was retired before: the notifier's reference */
	resch_thread_reap_later(thread);
}

/* Threads that blocked or woke since the last time. */
static void engine_drain(struct resch_cpu *rc, u64 now)
{
	struct llist_node *noted = llist_del_all(&rc->noted);
	struct resch_thread *thread, *next;
	struct resch_cpu *there;

	llist_for_each_entry_safe(thread, next, noted, note) {
		there = READ_ONCE(thread->rc);
		if (unlikely(there != rc && there->lock != rc->lock)) {
			resch_cpu_pass(thread, there);
			continue;
		}
		/* From here on a new change notes the thread again. */
		clear_bit(0, &thread->noted);
		smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in resch_cpu_note() */
		engine_sync(thread, now);
		if (unlikely(there != rc))
			resch_cpu_kick(there);
	}
}

static void engine_expire(struct resch_cpu *rc, u64 now)
{
	struct resch_thread *thread;
	struct resch_node *node;

	while ((node = resch_queue_first(&rc->timers)) && node->key <= now)
		resch_job_expire(container_of(node, struct resch_thread, timer), now);
	while (unlikely((node = resch_queue_first(&rc->late)) && node->key <= now)) {
		resch_queue_erase(&rc->late, node);
		resch_park_escalate(container_of(node, struct resch_thread, late), now);
	}
	thread = rc->selected;
	if (thread && unlikely(thread->life.enforce) &&
	    !resch_life_left(&thread->life, resch_thread_runtime(thread)))
		resch_react_overrun(thread, now);
}

void resch_engine_update(struct resch_cpu *rc, u64 now)
{
	resch_cpu_assert_locked(rc);
	rc->now = now;
	if (unlikely(!llist_empty(&rc->noted)))
		engine_drain(rc, now);
	engine_expire(rc, now);
	if (unlikely(rc->guards) && !rc->nr_ready)
		resch_job_idle(rc, now);
	if (likely(rc->plugin && !rc->frozen))
		resch_engine_decide(rc, now);
	resch_agenda_heed(rc);
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
