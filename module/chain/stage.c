// SPDX-License-Identifier: GPL-2.0
/* stage.c - a stage of a chain: whose instance a job is, and what goes on to the next stage */
#include <linux/bitops.h>

#include "stage.h"
#include "core/cpu.h"
#include "core/event.h"
#include "core/trace.h"

/* ---- ports ----------------------------------------------------------------------------------- */

/* The one by which stage number @from releases the stage. */
static struct resch_port *stage_port(struct resch_stage *stage, u32 from)
{
	if (likely(!stage->ports))
		return &stage->queue;
	return &stage->ports[hweight16(stage->from & (BIT(from) - 1))];
}

/* false: there is no room. Lock of the writer's CPU. */
static bool port_put(struct resch_port *port, const struct resch_instance *instance)
{
	/* pairs with the store in port_drop(): the place has been read */
	u32 waiting = port->head - smp_load_acquire(&port->tail);

	if (unlikely(waiting == RESCH_INSTANCES)) {
		WRITE_ONCE(port->lost, port->lost + 1);
		return false;
	}
	if (waiting + 1 > port->waiting_max)
		WRITE_ONCE(port->waiting_max, waiting + 1);
	port->instances[port->head % RESCH_INSTANCES] = *instance;
	/* pairs with the loads in port_oldest() and resch_stage_take() */
	smp_store_release(&port->head, port->head + 1);
	return true;
}

/* NULL: there is none. Lock of the reader's CPU. */
static const struct resch_instance *port_oldest(const struct resch_port *port)
{
	/* pairs with the store in port_put() */
	if (port->tail == smp_load_acquire(&port->head))
		return NULL;
	return &port->instances[port->tail % RESCH_INSTANCES];
}

/* The oldest one is done with. Lock of the reader's CPU. */
static void port_drop(struct resch_port *port)
{
	/* pairs with the load in port_put() */
	smp_store_release(&port->tail, port->tail + 1);
}

/* The oldest one of those with the stage; there is one. */
static const struct resch_instance *stage_oldest(const struct resch_stage *stage)
{
	return &stage->queue.instances[stage->queue.tail % RESCH_INSTANCES];
}

/*
 * ---- instances ------------------------------------------------------------------------------
 *
 * An instance on its way through resch_stage_complete() is in registers: what needs its address, or
 * happens now and then only, is no part of that.
 */

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

void resch_stage_renew(const struct resch_thread *thread, u64 before)
{
	struct resch_chain *chain = thread->stage->chain;

	resch_cpu_assert_locked(thread->rc);
	if (!thread->stage->index && before < chain->began)
		chain->began = thread->task.job.release + 1;
	resch_stage_show(thread);
}

/* The instance of the thread's job. false: it has none. cpu->lock. */
static __always_inline bool stage_current(const struct resch_thread *thread,
					  struct resch_instance *instance)
{
	const struct resch_stage *stage = thread->stage;

	if (!stage->index)
		return stage_first(thread, instance);
	if (stage->queue.tail == stage->taken)
		return false;
	*instance = *stage_oldest(stage);
	return true;
}

static __always_inline void stage_trace(const struct resch_stage *stage,
					const struct resch_instance *instance, u32 what, u64 now)
{
	trace_resch_chain(stage->chain->id, instance->number, stage->index, stage->task, what,
			  instance->origin, now);
}

static noinline void stage_tell(const struct resch_chain *chain, u32 type, u64 number, u64 now,
				u64 value)
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
static __always_inline void stage_tell_miss(const struct resch_chain *chain,
					    const struct resch_instance *instance, u64 now)
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

/* The stage's part of an instance is done. */
static void stage_account(struct resch_stage *stage, u64 response)
{
	stage->completed++;
	stage->response_total += response;
	stage->response_min = min(stage->response_min, response);
	stage->response_max = max(stage->response_max, response);
}

/* ---- handing over ---------------------------------------------------------------------------- */

/* It goes on from the thread's stage to those that it releases; as resch_stage_complete(). */
static u32 stage_pass(struct resch_thread *thread, struct resch_instance *instance, u64 now)
{
	struct resch_stage *stage = thread->stage, *stages = stage->chain->stages;
	u32 to, sent = 0, here = 0;

	instance->released = thread->task.job.release;
	instance->at = now;
	for (to = stage->to; to; to &= to - 1)
		if (likely(port_put(stage_port(&stages[__ffs(to)], stage->index), instance)))
			sent |= to & -to;
	stage_trace(stage, instance,
		    (sent ? RESCH_INSTANCE_HANDED : 0) |
			    (sent == stage->to ? 0 : RESCH_INSTANCE_LOST),
		    now);
	if (unlikely(sent != stage->to))
		stage_tell_miss(stage->chain, instance, now);
	for (to = sent; to; to &= to - 1) {
		struct resch_thread *next = stages[__ffs(to)].thread;

		if (READ_ONCE(next->rc) == thread->rc)
			here |= to & -to;
		else
			resch_cpu_note(next);
	}
	return here;
}

u32 resch_stage_complete(struct resch_thread *thread, u64 now)
{
	struct resch_stage *stage = thread->stage;
	struct resch_chain *chain = stage->chain;
	struct resch_instance instance;
	u64 response;

	if (READ_ONCE(chain->stopped) || !stage_current(thread, &instance))
		return 0;
	if (stage->index)
		port_drop(&stage->queue);
	else
		chain->instances++;
	resch_stage_show(thread);
	response = now > instance.origin ? now - instance.origin : 0;
	stage_account(stage, response);
	if (stage->to)
		return stage_pass(thread, &instance, now);
	stage_trace(stage, &instance,
		    RESCH_INSTANCE_COMPLETE |
			    (response > chain->deadline ? RESCH_INSTANCE_LATE : 0),
		    now);
	stage_finish(chain, &instance, response, now);
	return 0;
}

bool resch_stage_skip(struct resch_stage *stage, u64 now)
{
	const struct resch_chain *chain = stage->chain;
	struct resch_instance instance;

	if (!stage->index || stage->queue.tail == stage->taken || READ_ONCE(chain->stopped))
		return false;
	instance = *stage_oldest(stage);
	if (now <= instance.origin + chain->deadline)
		return false;
	port_drop(&stage->queue);
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

/* ---- joining --------------------------------------------------------------------------------- */

/*
 * The next instance that all of the stages before have completed. What one of them has lost or
 * dropped, the others have done for nothing. false: there is none yet. cpu->lock.
 */
static bool stage_join_all(struct resch_stage *stage, struct resch_instance *joined)
{
	u32 ports = hweight16(stage->from), agree = 0, i = 0;

	*joined = (struct resch_instance){};
	while (agree < ports) {
		const struct resch_instance *oldest = port_oldest(&stage->ports[i]);

		if (!oldest)
			return false;
		if (oldest->number < joined->number) {
			port_drop(&stage->ports[i]);
			continue;
		}
		if (oldest->number > joined->number) {
			*joined = *oldest;
			agree = 0;
		}
		joined->at = max(joined->at, oldest->at);
		agree++;
		i = (i + 1) % ports;
	}
	for (i = 0; i < ports; i++)
		port_drop(&stage->ports[i]);
	return true;
}

/* The next instance that one of the stages before has completed first; likewise. */
static bool stage_join_any(struct resch_stage *stage, struct resch_instance *joined)
{
	const struct resch_instance *oldest, *first = NULL;
	struct resch_port *port, *from = NULL;
	u32 i, ports = hweight16(stage->from);

	for (i = 0; i < ports; i++) {
		port = &stage->ports[i];
		while ((oldest = port_oldest(port)) && oldest->number <= stage->joined)
			port_drop(port);
		if (oldest && (!first || oldest->at < first->at)) {
			first = oldest;
			from = port;
		}
	}
	if (!first)
		return false;
	*joined = *first;
	port_drop(from);
	return true;
}

/* What has joined goes to the queue of a stage that several release. cpu->lock. */
static noinline void stage_join(struct resch_stage *stage, u64 now)
{
	struct resch_instance joined;

	while (stage->any ? stage_join_any(stage, &joined) : stage_join_all(stage, &joined)) {
		stage->joined = joined.number;
		if (likely(port_put(&stage->queue, &joined)))
			continue;
		stage_trace(stage, &joined, RESCH_INSTANCE_SKIPPED | RESCH_INSTANCE_LOST, now);
		stage_tell_miss(stage->chain, &joined, now);
	}
}

bool resch_stage_take(struct resch_stage *stage, u64 *release, u64 now)
{
	const struct resch_instance *instance;

	if (unlikely(stage->ports))
		stage_join(stage, now);
	/* pairs with the store in port_put() */
	if (stage->taken == smp_load_acquire(&stage->queue.head))
		return false;
	instance = &stage->queue.instances[stage->taken % RESCH_INSTANCES];
	*release = stage_time(stage, instance);
	if (*release < instance->at) {
		stage->late++;
		*release = instance->at;
	}
	stage->taken++;
	return true;
}

/* ---- guards ---------------------------------------------------------------------------------- */

bool resch_stage_rules(const struct resch_cpu *rc)
{
	return rc->plugin && !rc->whole && !rc->frozen && !rc->rq.servers && !rc->rq.plan;
}

u64 resch_stage_distance(const struct resch_thread *thread)
{
	const struct resch_stage *stage = thread->stage;
	u64 release = thread->task.job.release, idle = thread->rc->idle;

	/* The first one's requests are kept apart as they are made. */
	if (stage->index && stage->chain->protocol == RESCH_CHAIN_DS)
		return 0;
	/*
	 * An idle point before the CPU got to know of the last job is none after that job. An
	 * instance that was complete elsewhere before the idle point was held up to then.
	 */
	if (resch_stage_ruled(stage) && idle > max(stage->came, release))
		return min(thread->task.params.period, idle - release);
	return thread->task.params.period;
}

u64 resch_stage_free(struct resch_stage *stage, u64 until, u64 now)
{
	u64 release = max(now, stage_oldest(stage)->at);

	if (release >= until)
		return until;
	stage->held_total -= until - release;
	return release;
}

void resch_stage_set(struct resch_thread *thread)
{
	struct resch_stage *stage = thread->stage;
	u64 at = stage_oldest(stage)->at;

	if (!stage->index || stage->queue.tail == stage->taken || thread->task.job.release <= at)
		return;
	stage->held++;
	stage->held_total += thread->task.job.release - at;
	if (resch_stage_ruled(stage) && list_empty(&stage->guarded))
		list_add_tail(&stage->guarded, &thread->home->guarded);
}

/* ---- what is seen ---------------------------------------------------------------------------- */

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
