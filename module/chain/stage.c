// SPDX-License-Identifier: GPL-2.0
/* stage.c - a stage of a chain: whose instance a job is, and what goes on to the next stage */
#include <linux/bitops.h>

#include "stage.h"
#include "core/cpu.h"
#include "core/event.h"
#include "core/trace.h"

/* Whether the thread has begun a job that is not complete. */
static bool stage_has_job(const struct resch_thread *thread)
{
	switch (thread->state) {
	case RESCH_NEW:
	case RESCH_SLEEPING:
	case RESCH_GONE:
		return false;
	default:
		return !thread->early;
	}
}

/* The first stage's job is an instance, if it was released since there is a chain. */
static bool stage_first(const struct resch_thread *thread, struct resch_instance *instance)
{
	const struct resch_chain *chain = thread->stage->chain;

	instance->origin = thread->task.job.release;
	instance->number = chain->instances + 1;
	return instance->origin >= chain->began;
}

/* The instance of the thread's job. false: it has none. cpu->lock. */
static bool stage_current(const struct resch_thread *thread, struct resch_instance *instance)
{
	const struct resch_stage *stage = thread->stage;

	if (!stage->index)
		return stage_first(thread, instance);
	if (stage->tail == stage->taken)
		return false;
	*instance = stage->instances[stage->tail % RESCH_INSTANCES];
	return true;
}

static void stage_trace(const struct resch_stage *stage, const struct resch_instance *instance,
			u32 what, u64 now)
{
	trace_resch_chain(stage->chain->id, instance->number, stage->index, stage->task, what,
			  instance->origin, now);
}

static void stage_tell(const struct resch_chain *chain, u32 type, u64 number, u64 now, u64 value)
{
	const struct resch_event event = {
		.type = type,
		.task = chain->id,
		.time = now,
		.job = number,
		.value = value,
	};

	resch_event_add(chain->file, &event);
}

/* It was not in time, or never will be complete. */
static void stage_tell_miss(const struct resch_chain *chain, const struct resch_instance *instance,
			    u64 now)
{
	if (chain->flags & RESCH_CHAIN_F_MISS)
		stage_tell(chain, RESCH_EVENT_CHAIN_MISS, instance->number, now,
			   instance->origin + chain->deadline);
}

/* The last stage has completed it. */
static void stage_finish(struct resch_chain *chain, const struct resch_instance *instance,
			 u64 response, u64 now)
{
	chain->completed++;
	chain->response_total += response;
	chain->response_min = min(chain->response_min, response);
	chain->response_max = max(chain->response_max, response);
	chain->histogram[min(fls64(response), RESCH_CHAIN_BUCKETS - 1)]++;
	if (chain->flags & RESCH_CHAIN_F_COMPLETE)
		stage_tell(chain, RESCH_EVENT_CHAIN_COMPLETE, instance->number, now, response);
	if (response <= chain->deadline)
		return;
	chain->missed++;
	chain->tardiness_max = max(chain->tardiness_max, response - chain->deadline);
	stage_tell_miss(chain, instance, now);
}

/* It goes on to the stage @to. false: there is no room. Lock of the CPU of the stage before. */
static bool stage_send(struct resch_stage *to, const struct resch_instance *instance)
{
	/* pairs with the store in resch_stage_complete(): the place has been read */
	u32 waiting = to->head - smp_load_acquire(&to->tail);

	if (waiting == RESCH_INSTANCES)
		return false;
	to->waiting_max = max(to->waiting_max, waiting + 1);
	to->instances[to->head % RESCH_INSTANCES] = *instance;
	/* pairs with the load in resch_stage_take() */
	smp_store_release(&to->head, to->head + 1);
	return true;
}

/* The stage's part of an instance is done. */
static void stage_account(struct resch_stage *stage, u64 response)
{
	stage->completed++;
	stage->response_total += response;
	stage->response_min = min(stage->response_min, response);
	stage->response_max = max(stage->response_max, response);
}

/* It goes on from the thread's stage, which is not the last one; as resch_stage_complete(). */
static struct resch_thread *stage_pass(struct resch_thread *thread, struct resch_instance *instance,
				       u64 now)
{
	struct resch_stage *stage = thread->stage, *next = stage->next;

	instance->released = thread->task.job.release;
	instance->at = now;
	if (unlikely(!stage_send(next, instance))) {
		stage->unsent++;
		stage_trace(stage, instance, RESCH_INSTANCE_LOST, now);
		stage_tell_miss(stage->chain, instance, now);
		return NULL;
	}
	stage_trace(stage, instance, RESCH_INSTANCE_HANDED, now);
	if (READ_ONCE(next->thread->rc) == thread->rc)
		return next->thread;
	resch_cpu_note(next->thread);
	return NULL;
}

struct resch_thread *resch_stage_complete(struct resch_thread *thread, u64 now)
{
	struct resch_stage *stage = thread->stage;
	struct resch_chain *chain = stage->chain;
	struct resch_instance instance;
	u64 response;

	if (READ_ONCE(chain->stopped) || !stage_current(thread, &instance))
		return NULL;
	if (stage->index)
		/* pairs with the load in stage_send() */
		smp_store_release(&stage->tail, stage->tail + 1);
	else
		chain->instances++;
	resch_stage_show(thread);
	response = now > instance.origin ? now - instance.origin : 0;
	stage_account(stage, response);
	if (stage->next)
		return stage_pass(thread, &instance, now);
	stage_trace(stage, &instance,
		    RESCH_INSTANCE_COMPLETE |
			    (response > chain->deadline ? RESCH_INSTANCE_LATE : 0),
		    now);
	stage_finish(chain, &instance, response, now);
	return NULL;
}

bool resch_stage_skip(struct resch_stage *stage, u64 now)
{
	const struct resch_chain *chain = stage->chain;
	struct resch_instance instance;

	if (!(chain->flags & RESCH_CHAIN_F_SKIP_LATE) || !stage->index ||
	    stage->tail == stage->taken || READ_ONCE(chain->stopped))
		return false;
	instance = stage->instances[stage->tail % RESCH_INSTANCES];
	if (now <= instance.origin + chain->deadline)
		return false;
	/* pairs with the load in stage_send() */
	smp_store_release(&stage->tail, stage->tail + 1);
	stage->skipped++;
	stage_trace(stage, &instance, RESCH_INSTANCE_SKIPPED, now);
	stage_tell_miss(chain, &instance, now);
	return true;
}

/* When the protocol has the stage released for this instance, but for guards. */
static u64 stage_time(const struct resch_stage *stage, const struct resch_instance *instance)
{
	switch (stage->chain->protocol) {
	case RESCH_CHAIN_PM:
		return instance->origin + stage->phase;
	case RESCH_CHAIN_MPM:
		return instance->released + stage->phase;
	default:
		return instance->at;
	}
}

bool resch_stage_take(struct resch_stage *stage, u64 *release)
{
	const struct resch_instance *instance;

	/* pairs with the store in stage_send() */
	if (stage->taken == smp_load_acquire(&stage->head))
		return false;
	instance = &stage->instances[stage->taken % RESCH_INSTANCES];
	*release = stage_time(stage, instance);
	if (*release < instance->at) {
		stage->late++;
		*release = instance->at;
	}
	stage->taken++;
	return true;
}

bool resch_stage_rules(const struct resch_cpu *rc)
{
	return rc->plugin && !rc->whole && !rc->frozen && !rc->rq.servers && !rc->rq.plan;
}

u64 resch_stage_distance(const struct resch_thread *thread)
{
	const struct resch_stage *stage = thread->stage;

	/* The first one's requests are kept apart as they are made. */
	if (stage->index && stage->chain->protocol == RESCH_CHAIN_DS)
		return 0;
	if (resch_stage_ruled(stage) && thread->rc->idle > thread->task.job.release)
		return 0;
	return thread->task.params.period;
}

u64 resch_stage_free(struct resch_stage *stage, u64 until, u64 now)
{
	u64 release = max(now, stage->instances[stage->tail % RESCH_INSTANCES].at);

	if (release >= until)
		return until;
	stage->held_total -= until - release;
	return release;
}

void resch_stage_set(struct resch_thread *thread)
{
	struct resch_stage *stage = thread->stage;
	u64 at = stage->instances[stage->tail % RESCH_INSTANCES].at;

	if (!stage->index || stage->tail == stage->taken || thread->task.job.release <= at)
		return;
	stage->held++;
	stage->held_total += thread->task.job.release - at;
	if (resch_stage_ruled(stage) && list_empty(&stage->guarded))
		list_add_tail(&stage->guarded, &thread->home->guarded);
}

int resch_stage_job(const struct resch_thread *thread, struct resch_chain_job *job)
{
	const struct resch_stage *stage = thread->stage;
	struct resch_instance instance;

	if (!stage || !stage_has_job(thread) || READ_ONCE(stage->chain->stopped) ||
	    !stage_current(thread, &instance))
		return -ENOENT;
	job->chain = stage->chain->id;
	job->stage = stage->index;
	job->instance = instance.number;
	job->origin = instance.origin;
	job->deadline = instance.origin + stage->chain->deadline;
	return 0;
}

void resch_stage_page_write(struct resch_stage_page *to, const struct resch_chain_job *job,
			    u64 release)
{
	WRITE_ONCE(to->sequence, to->sequence + 1);
	/* pairs with the fences of the reader, in user space: odd before anything changes */
	smp_wmb();
	WRITE_ONCE(to->instance, job ? job->instance : 0);
	WRITE_ONCE(to->origin, job ? job->origin : 0);
	WRITE_ONCE(to->deadline, job ? job->deadline : 0);
	WRITE_ONCE(to->release, release);
	smp_wmb(); /* likewise: all is there before it is even */
	WRITE_ONCE(to->sequence, to->sequence + 1);
}

void resch_stage_show_viewed(const struct resch_thread *thread)
{
	const struct resch_stage *stage = thread->stage;
	/* pairs with the store in page_publish(): what does not change is there */
	struct resch_chain_page *page = smp_load_acquire(&stage->chain->page);
	struct resch_chain_job job;
	bool has = !resch_stage_job(thread, &job);

	resch_cpu_assert_locked(thread->rc);
	resch_stage_page_write(&page->stages[stage->index], has ? &job : NULL,
			       has ? thread->task.job.release : 0);
}

void resch_stage_gone(struct resch_thread *thread, u64 now)
{
	struct resch_stage *stage = thread->stage;
	struct resch_chain *chain = stage->chain;
	struct resch_instance instance = {};
	struct resch_chain_page *page;

	if (cmpxchg(&chain->stopped, 0, stage->index + 1))
		return;
	/* Of the job that it is in the middle of, too, nothing comes. */
	if (stage_has_job(thread) && stage_current(thread, &instance) && !stage->index)
		chain->instances++;
	page = READ_ONCE(chain->page);
	if (page)
		WRITE_ONCE(page->stopped, stage->index + 1);
	stage_trace(stage, &instance, RESCH_INSTANCE_GONE, now);
	stage_tell(chain, RESCH_EVENT_CHAIN_GONE, instance.number, now, stage->index);
}
