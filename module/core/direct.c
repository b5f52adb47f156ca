// SPDX-License-Identifier: GPL-2.0
/* direct.c - out of the engine's way: where the kernel's priorities are the plugin's order */
#include <linux/freezer.h>
#include <linux/ktime.h>

#include "agenda.h"
#include "direct.h"
#include "params.h"
#include "park.h"
#include "straight.h"
#include "trace.h"
#include "compat/hrtimer.h"

/* ---- who may --------------------------------------------------------------------------------- */

/* One SCHED_FIFO priority of a CPU: who has it, and the plugin's keys of those. */
struct direct_level {
	u32 count;
	u64 least, most;
	struct resch_thread *one; /* of these */
	struct resch_thread *apart; /* who was, up to now: at most one of a level */
};

static struct direct_level direct_levels[100]; /* resch_lock */

static void direct_fill(const struct resch_cpu *rc)
{
	struct resch_task *task;

	memset(direct_levels, 0, sizeof(direct_levels));
	for (task = rc->rq.tasks; task; task = task->next) {
		struct resch_thread *thread = resch_thread_of(task);
		struct direct_level *level = &direct_levels[thread->level];
		u64 key = rc->fixed ? resch_order_key(&rc->order, task) : 0;

		level->least = level->count ? min(level->least, key) : key;
		level->most = max(level->most, key);
		level->one = thread;
		if (thread->apart)
			level->apart = thread;
		level->count++;
	}
}

/* Who is alone at the level, if those above and below are more and less urgent: smaller keys. */
static struct resch_thread *direct_alone(const struct direct_level *level)
{
	const struct direct_level *other;

	if (level->count != 1 || !level->one->plain)
		return NULL;
	for (other = direct_levels; other < direct_levels + ARRAY_SIZE(direct_levels); other++) {
		if (!other->count || other == level)
			continue;
		if (other > level ? other->most >= level->least : other->least <= level->most)
			return NULL;
	}
	return level->one;
}

static void direct_set_apart(struct resch_thread *thread, bool apart)
{
	if (!thread || apart == thread->apart)
		return;
	resch_thread_lock_irq(thread);
	thread->apart = apart;
	resch_thread_unlock_irq(thread);
}

void resch_direct_survey(struct resch_cpu *rc)
{
	struct direct_level *level;
	u32 count = 0;

	lockdep_assert_held(&resch_lock);
	if (!resch_direct || (!rc->fixed && !rc->apart))
		return;
	direct_fill(rc);
	for (level = direct_levels; level < direct_levels + ARRAY_SIZE(direct_levels); level++) {
		level->one = rc->fixed ? direct_alone(level) : NULL;
		count += !!level->one;
	}
	/* Not 0 as long as there are any: see resch_direct_end_all(). */
	if (count)
		WRITE_ONCE(rc->apart, count);
	for (level = direct_levels; level < direct_levels + ARRAY_SIZE(direct_levels); level++) {
		if (level->apart != level->one)
			direct_set_apart(level->apart, false);
		direct_set_apart(level->one, true);
	}
	WRITE_ONCE(rc->apart, count);
}

/* ---- the timer ------------------------------------------------------------------------------- */

/* Hard interrupt, without a lock: the thread's word says what is to be done. */
static enum hrtimer_restart direct_fire(struct hrtimer *timer)
{
	struct resch_thread *thread = container_of(timer, struct resch_thread, release);
	struct task_struct *task = thread->linux_task;
	int was = atomic_read(&thread->direct);

	if (unlikely(was == RESCH_DIRECT_OFF))
		return HRTIMER_NORESTART;
	hrtimer_add_expires_ns(timer, READ_ONCE(thread->life.distance));
	/* awake: its job goes on beyond its next release, and its wait will see that */
	if (unlikely(was != RESCH_DIRECT_ASLEEP))
		return HRTIMER_RESTART;
	/* It sleeps, so this is all that it has executed. */
	WRITE_ONCE(thread->base, READ_ONCE(task->se.sum_exec_runtime));
	/* orders the former before; pairs with resch_direct_wait() */
	if (likely(atomic_cmpxchg(&thread->direct, RESCH_DIRECT_ASLEEP, RESCH_DIRECT_AWAKE) ==
		   RESCH_DIRECT_ASLEEP))
		wake_up_process(task);
	return HRTIMER_RESTART;
}

void resch_direct_init(struct resch_thread *thread)
{
	hrtimer_setup(&thread->release, direct_fire, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
}

void resch_direct_exit(struct resch_thread *thread)
{
	hrtimer_cancel(&thread->release);
}

/* ---- back to the engine ---------------------------------------------------------------------- */

/*
 * What a release does for the account, done late. The rest of what it sets is as it was when the
 * thread became direct. See straight_release().
 */
static __always_inline void direct_account_release(struct resch_thread *thread)
{
	struct resch_life *life = &thread->life;

	if (likely(thread->owed))
		resch_life_end_execution(&thread->stats, thread->base - life->exec_base);
	thread->owed = false;
	life->exec_base = thread->base;
	life->spent = 0;
}

/* It accounts for its job in a moment: less than a hundred instructions. cpu->lock. */
static int direct_off(struct resch_thread *thread)
{
	int was;

	do {
		while ((was = atomic_read(&thread->direct)) == RESCH_DIRECT_ENDING)
			cpu_relax();
	} while (atomic_cmpxchg(&thread->direct, was, RESCH_DIRECT_OFF) != was);
	return was;
}

bool resch_direct_back(struct resch_thread *thread, u64 now)
{
	int was = direct_off(thread);
	u64 next;

	resch_cpu_assert_locked(thread->rc);
	if (was == RESCH_DIRECT_OFF)
		return false;
	/* It may be on its way on its CPU: it finds the word OFF, now or the next time. */
	hrtimer_try_to_cancel(&thread->release);
	if (was == RESCH_DIRECT_ASLEEP) {
		thread->held = true;
		thread->due = true;
		resch_agenda_arm(thread);
		return false;
	}
	thread->held = false;
	thread->due = false;
	thread->rc->nr_open++;
	direct_account_release(thread);
	resch_life_begin_plain(&thread->life, &thread->task.params, thread->base);
	resch_agenda_enqueue(thread, RESCH_WHY_RELEASE, now);
	next = thread->task.job.release + thread->life.distance;
	resch_agenda_timer(thread, next > now ? next : RESCH_NEVER);
	return true;
}

void resch_direct_end(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;
	u64 now = ktime_get();

	resch_cpu_assert_locked(rc);
	if (atomic_read(&thread->direct) == RESCH_DIRECT_OFF)
		return;
	if (resch_direct_back(thread, now))
		resch_park_stop(thread, now);
	resch_cpu_kick(rc);
}

void resch_direct_end_all(struct resch_cpu *rc)
{
	struct resch_task *task;

	resch_cpu_assert_locked(rc);
	if (!READ_ONCE(rc->apart))
		return;
	resch_rq_for_each(&rc->rq, task)
		resch_direct_end(resch_thread_of(task));
}

/* ---- the thread's own way -------------------------------------------------------------------- */

/* Who records what the engine does is to see all of it. */
static __always_inline bool direct_is_watched(void)
{
	return trace_resch_release_enabled() || trace_resch_complete_enabled() ||
	       trace_resch_select_enabled() || trace_resch_deselect_enabled();
}

bool resch_direct_begin(struct resch_thread *thread)
{
	struct resch_cpu *rc = thread->rc;

	resch_cpu_assert_locked(rc);
	if (direct_is_watched() || thread->moving || thread->pinned != thread->cpu ||
	    READ_ONCE(thread->demoted) || test_bit(0, &thread->adjusting))
		return false;
	/* from an earlier time, and on its way on the CPU that was this thread's then */
	if (hrtimer_try_to_cancel(&thread->release) < 0)
		return false;
	resch_agenda_timer(thread, RESCH_NEVER);
	resch_job_note(thread);
	thread->due = false;
	thread->switched = current->nivcsw;
	set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
	atomic_set(&thread->direct, RESCH_DIRECT_ASLEEP);
	hrtimer_start(&thread->release, ns_to_ktime(thread->task.job.release),
		      HRTIMER_MODE_ABS_PINNED_HARD);
	return true;
}

/* Nothing is late, and its timer is set to its next release, on this CPU. */
static __always_inline bool direct_is_plain(const struct resch_thread *thread, u64 next, u64 now)
{
	return !direct_is_watched() && now <= thread->task.job.deadline && next > now &&
	       ktime_to_ns(hrtimer_get_expires(&thread->release)) == next &&
	       smp_processor_id() == thread->cpu && !READ_ONCE(thread->kblocked);
}

/* The job ends at @now. false: it has overrun, and nothing is done. */
static __always_inline bool direct_complete(struct resch_thread *thread, u64 now)
{
	struct resch_job *job = &thread->task.job;
	unsigned long switched = current->nivcsw;

	direct_account_release(thread);
	if (unlikely(!resch_straight_account(thread, now)))
		return false;
	resch_life_end_in_time(&thread->stats, job, now);
	thread->stats.preemptions += switched - thread->switched;
	thread->switched = switched;
	resch_job_advance(job, thread->life.distance, thread->task.params.deadline);
	resch_job_note(thread);
	return true;
}

bool resch_direct_wait(struct resch_thread *thread)
{
	u64 next, now;

	lockdep_assert_irqs_disabled();
	/* the former from here on; pairs with direct_fire(), which has set thread->base */
	if (unlikely(atomic_cmpxchg(&thread->direct, RESCH_DIRECT_AWAKE, RESCH_DIRECT_ENDING) !=
		     RESCH_DIRECT_AWAKE))
		return false;
	now = ktime_get();
	next = thread->task.job.release + thread->life.distance;
	if (unlikely(!direct_is_plain(thread, next, now) || !direct_complete(thread, now))) {
		atomic_set_release(&thread->direct, RESCH_DIRECT_AWAKE);
		return false;
	}
	set_current_state(TASK_INTERRUPTIBLE | TASK_FREEZABLE);
	/* The timer is of this CPU, where interrupts are off. */
	atomic_set_release(&thread->direct, RESCH_DIRECT_ASLEEP);
	return true;
}

int resch_direct_sleep(struct resch_thread *thread, unsigned long flags)
{
	local_irq_restore(flags);
	resch_park_sleep(thread);
	if (likely(atomic_read(&thread->direct) == RESCH_DIRECT_AWAKE))
		return 0;
	/* A signal, or the engine has it: with its lock it is the engine's in any case. */
	resch_thread_lock_irqsave(thread, flags);
	return resch_park_hold_locked(thread, true, flags);
}
