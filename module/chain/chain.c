// SPDX-License-Identifier: GPL-2.0
/*
 * chain.c - chains: made of tasks that their owners have offered, ended, asked how they get on
 *
 * A chain is its maker's descriptor's, and holds a reference to each thread that is a stage of it
 * for as long as the threads know of it. They cease to all at once (chain_detach()): with the
 * chain, or as one of them is reaped. From then on no completion hands on anything, and nobody
 * notes a thread because of the chain: so the grace period that a thread's end waits for covers
 * this, too. What is left of a chain that has stopped can be read until it is deleted.
 */
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "chain.h"
#include "page.h"
#include "stage.h"
#include "core/cpu.h"
#include "core/direct.h"
#include "core/event.h"
#include "core/params.h"
#include "core/straight.h"
#include "core/trace.h"

static DEFINE_XARRAY_ALLOC1(chain_ids); /* resch_lock */
static u32 chain_next_id; /* resch_lock */

/* A thread is no stage any more. What was asked for it by its chain alone is forgotten. */
static void chain_detach_stage(struct resch_stage *stage)
{
	struct resch_thread *thread = stage->thread;

	resch_thread_lock_irq(thread);
	if (thread->stage == stage) {
		if (resch_stage_ruled(stage))
			thread->home->guards--;
		resch_cpu_straighten(thread->home);
		list_del_init(&stage->guarded);
		resch_stage_clear(stage);
		thread->stage = NULL;
		resch_thread_straighten(thread);
		thread->rc->nr_open -= resch_thread_open(thread);
		if (stage->index)
			thread->requests.waiting = 0;
		thread->rc->nr_open += resch_thread_open(thread);
	}
	resch_thread_unlock_irq(thread);
}

static void chain_trace(const struct resch_chain *chain, u32 stages)
{
	u32 i;

	trace_resch_chain_set(chain->id, chain->protocol, stages, chain->period, chain->deadline,
			      chain->name);
	for (i = 0; i < stages; i++)
		trace_resch_chain_stage(chain->id, i, chain->stages[i].task, chain->stages[i].phase,
					chain->stages[i].from, chain->stages[i].any);
}

static void chain_detach(struct resch_chain *chain)
{
	u32 i;

	lockdep_assert_held(&resch_lock);
	if (!chain->attached)
		return;
	chain->attached = false;
	/* From the first one on: each is the one that writes to the next. */
	for (i = 0; i < chain->count; i++)
		chain_detach_stage(&chain->stages[i]);
	chain_trace(chain, 0);
	for (i = 0; i < chain->count; i++) {
		resch_thread_put(chain->stages[i].thread);
		chain->stages[i].thread = NULL;
	}
}

/* A thread becomes a stage. resch_lock. */
static int chain_attach_stage(struct resch_stage *stage)
{
	struct resch_thread *thread = stage->thread;
	int err = 0;

	resch_thread_lock_irq(thread);
	if (thread->state == RESCH_GONE)
		err = -ENOENT;
	else if (thread->stage || thread->task.lead)
		err = -EBUSY;
	else if (stage->index && (thread->requests.waiting || thread->due || thread->early ||
				  (thread->state != RESCH_NEW && thread->state != RESCH_SLEEPING)))
		err = -EBUSY; /* its next job would be taken for an instance */
	else
		thread->stage = stage;
	if (!stage->index)
		stage->chain->began = ktime_get();
	resch_thread_straighten(thread);
	if (!err && resch_stage_ruled(stage)) {
		/* who is direct would not be seen to be at work */
		resch_direct_end_all(thread->home);
		thread->home->guards++;
		resch_cpu_straighten(thread->home);
	}
	resch_thread_unlock_irq(thread);
	return err;
}

/* All or none. resch_lock. */
static int chain_attach(struct resch_chain *chain)
{
	int err = 0;
	u32 i;

	for (i = 0; i < chain->count; i++)
		refcount_inc(&chain->stages[i].thread->refs);
	chain->attached = true;
	chain_trace(chain, chain->count);
	/* The first one last: then nothing is handed over until everybody is there. */
	for (i = chain->count; i-- && !err;)
		err = chain_attach_stage(&chain->stages[i]);
	if (err)
		chain_detach(chain);
	return err;
}

/* Who releases it: some of those before. */
static bool chain_from_valid(const struct resch_chain_set *want,
			     const struct resch_chain_stage *stage, u32 index)
{
	if (!index)
		return !stage->from_mask && !stage->flags;
	if (!stage->from_mask || stage->from_mask >> index || stage->flags & ~RESCH_STAGE_F_ANY)
		return false;
	/* a time after the release of which one? */
	return want->protocol != RESCH_CHAIN_MPM || is_power_of_2(stage->from_mask);
}

/* Each stage but the last one releases others. */
static bool chain_joins(const struct resch_chain_set *want, const struct resch_chain_stage *stages)
{
	u32 i, released = 0;

	for (i = 0; i < want->count; i++)
		released |= stages[i].from_mask;
	return released == BIT(want->count - 1) - 1;
}

/* Does the stage's task fit what is asked of it? resch_lock. */
static int chain_check_stage(const struct resch_chain_set *want,
			     const struct resch_chain_stage *stage, u32 index)
{
	const struct resch_thread *thread = resch_thread_by_id(stage->task);
	bool phased = want->protocol == RESCH_CHAIN_PM || want->protocol == RESCH_CHAIN_MPM;
	const struct resch_task_params *params;

	if (stage->reserved32 || stage->reserved[0] || stage->reserved[1] ||
	    !chain_from_valid(want, stage, index))
		return -EINVAL;
	if (stage->phase > (phased && index ? RESCH_TIME_MAX : 0))
		return -EINVAL;
	if (!thread || !thread->file)
		return -ENOENT;
	/* Who does not know the key is told nothing of the task. */
	if (!thread->offer || thread->offer != stage->key)
		return -EPERM;
	params = &thread->task.params;
	if (index && params->kind != RESCH_SPORADIC)
		return -EINVAL;
	return params->period > want->period ? -EINVAL : 0;
}

static bool chain_set_valid(const struct resch_chain_set *want)
{
	if (want->id || want->flags & ~RESCH_CHAIN_F_ALL || want->protocol > RESCH_CHAIN_RG)
		return false;
	if (want->period < RESCH_PERIOD_MIN || want->period > RESCH_TIME_MAX)
		return false;
	if (!want->deadline || want->deadline > RESCH_TIME_MAX)
		return false;
	return strnlen(want->name, RESCH_NAME_LEN) < RESCH_NAME_LEN;
}

/* When what releases the stage has happened, by @ends of those before. */
static u64 chain_released(const struct resch_chain_stage *stage, const u64 *ends)
{
	bool any = stage->flags & RESCH_STAGE_F_ANY;
	u32 from = stage->from_mask;
	u64 released = any ? RESCH_NEVER : 0;

	for (; from; from &= from - 1)
		released = any ? min(released, ends[__ffs(from)]) :
				 max(released, ends[__ffs(from)]);
	return released;
}

/*
 * Each stage is the sporadic task that its domain has admitted, with its own deadline; so the last
 * one is complete when these, and the phases, have gone by.
 */
static int chain_admit(struct resch_chain_set *want, const struct resch_chain_stage *stages)
{
	u64 begins[RESCH_CHAIN_STAGES_MAX] = {}, ends[RESCH_CHAIN_STAGES_MAX] = {};
	u32 i, last = want->count - 1;

	if (want->protocol == RESCH_CHAIN_DS || want->flags & RESCH_CHAIN_F_SKIP_ADMISSION)
		return 0;
	for (i = 0; i <= last; i++) {
		u64 phase = stages[i].phase;

		if (i && want->protocol == RESCH_CHAIN_MPM)
			phase += begins[__ffs(stages[i].from_mask)];
		if (i)
			begins[i] = max(chain_released(&stages[i], ends), phase);
		ends[i] = begins[i] + resch_thread_by_id(stages[i].task)->task.params.deadline;
	}
	if (ends[last] <= want->deadline)
		return 0;
	want->verdict.bound = RESCH_BOUND_CHAIN;
	want->verdict.task = stages[last].task;
	want->verdict.cpu = -1;
	want->verdict.value = ends[last];
	want->verdict.limit = want->deadline;
	return -EBUSY;
}

/* A port for each stage that releases one that several do; NULL: there are no such. */
static int chain_new_ports(struct resch_chain *chain, const struct resch_chain_stage *stages)
{
	struct resch_port *next;
	u32 i, count = 0;

	for (i = 0; i < chain->count; i++)
		count += is_power_of_2(stages[i].from_mask) ? 0 : hweight32(stages[i].from_mask);
	if (!count)
		return 0;
	chain->ports = kvcalloc(count, sizeof(*chain->ports), GFP_KERNEL_ACCOUNT);
	if (!chain->ports)
		return -ENOMEM;
	next = chain->ports;
	for (i = 1; i < chain->count; i++) {
		if (is_power_of_2(stages[i].from_mask))
			continue;
		chain->stages[i].ports = next;
		next += hweight32(stages[i].from_mask);
	}
	return 0;
}

static void chain_new_stage(struct resch_chain *chain, const struct resch_chain_stage *want,
			    u32 index)
{
	struct resch_stage *stage = &chain->stages[index];
	u32 from;

	INIT_LIST_HEAD(&stage->guarded);
	stage->chain = chain;
	stage->from = want->from_mask;
	stage->any = want->flags & RESCH_STAGE_F_ANY;
	stage->thread = resch_thread_by_id(want->task);
	stage->index = index;
	stage->task = want->task;
	stage->phase = want->phase;
	stage->response_min = RESCH_NEVER;
	for (from = want->from_mask; from; from &= from - 1)
		chain->stages[__ffs(from)].to |= BIT(index);
}

static void chain_free(struct resch_chain *chain)
{
	kvfree(chain->ports);
	kvfree(chain);
}

static struct resch_chain *chain_new(struct resch_file *file, const struct resch_chain_set *want,
				     const struct resch_chain_stage *stages)
{
	struct resch_chain *chain;
	u32 i;

	chain = kvzalloc(struct_size(chain, stages, want->count), GFP_KERNEL_ACCOUNT);
	if (!chain)
		return NULL;
	chain->protocol = want->protocol;
	chain->flags = want->flags;
	chain->count = want->count;
	chain->period = want->period;
	chain->deadline = want->deadline;
	chain->file = file;
	chain->response_min = RESCH_NEVER;
	memcpy(chain->name, want->name, sizeof(chain->name));
	INIT_LIST_HEAD(&chain->in_file);
	for (i = 0; i < want->count; i++)
		chain_new_stage(chain, &stages[i], i);
	if (chain_new_ports(chain, stages)) {
		chain_free(chain);
		return NULL;
	}
	return chain;
}

int resch_chain_offer(struct resch_file *file, const struct resch_chain_offer *offer)
{
	struct resch_thread *thread;

	lockdep_assert_held(&resch_lock);
	if (offer->reserved)
		return -EINVAL;
	if (offer->task) {
		thread = resch_thread_by_id(offer->task);
	} else {
		rcu_read_lock();
		thread = resch_thread_find(current);
		rcu_read_unlock();
	}
	if (!thread)
		return -ENOENT;
	if (thread->file != file)
		return -EPERM;
	if (thread->task.params.flags & RESCH_F_FAMILY)
		return -EINVAL;
	thread->offer = offer->key;
	return 0;
}

int resch_chain_set(struct resch_file *file, struct resch_chain_set *want,
		    const struct resch_chain_stage *stages)
{
	struct resch_chain *chain;
	int err = 0;
	u32 i;

	lockdep_assert_held(&resch_lock);
	memset(&want->verdict, 0, sizeof(want->verdict));
	if (!chain_set_valid(want) || !chain_joins(want, stages))
		return -EINVAL;
	for (i = 0; i < want->count && !err; i++)
		err = chain_check_stage(want, &stages[i], i);
	if (!err)
		err = chain_admit(want, stages);
	if (err)
		return err;
	chain = chain_new(file, want, stages);
	if (!chain)
		return -ENOMEM;
	err = xa_alloc_cyclic(&chain_ids, &chain->id, chain, XA_LIMIT(1, INT_MAX), &chain_next_id,
			      GFP_KERNEL);
	if (err < 0)
		goto err_chain;
	err = chain_attach(chain);
	if (err)
		goto err_id;
	list_add_tail(&chain->in_file, &file->chains);
	want->id = chain->id;
	return 0;

err_id:
	xa_erase(&chain_ids, chain->id);
err_chain:
	chain_free(chain);
	return err;
}

static void chain_end(struct resch_chain *chain)
{
	chain_detach(chain);
	resch_chain_page_end(chain);
	list_del(&chain->in_file);
	xa_erase(&chain_ids, chain->id);
	chain_free(chain);
}

int resch_chain_del(struct resch_file *file, u32 id)
{
	struct resch_chain *chain = xa_load(&chain_ids, id);

	lockdep_assert_held(&resch_lock);
	if (!chain)
		return -ENOENT;
	if (chain->file != file)
		return -EPERM;
	chain_end(chain);
	return 0;
}

/* Who made it, who is a stage of it, and who might end it anyway. resch_lock. */
static bool chain_may_open(const struct resch_chain *chain, const struct resch_file *file)
{
	u32 i;

	if (chain->file == file || capable(CAP_SYS_NICE))
		return true;
	for (i = 0; chain->attached && i < chain->count; i++)
		if (chain->stages[i].thread->linux_task->signal == current->signal)
			return true;
	return false;
}

int resch_chain_may_open(struct resch_file *file, const struct resch_chain_open *open)
{
	const struct resch_chain *chain = xa_load(&chain_ids, open->id);

	lockdep_assert_held(&resch_lock);
	if (open->flags || open->reserved)
		return -EINVAL;
	if (!chain)
		return -ENOENT;
	return chain_may_open(chain, file) ? 0 : -EPERM;
}

int resch_chain_open(struct resch_file *file, struct resch_chain_open *open)
{
	int err = resch_chain_may_open(file, open);

	if (err)
		return err;
	open->fd = resch_chain_page_open(xa_load(&chain_ids, open->id));
	return min(open->fd, 0);
}

void resch_chain_close(struct resch_file *file)
{
	struct resch_chain *chain, *next;

	/* Nobody makes chains through a descriptor that closes. */
	if (list_empty_careful(&file->chains))
		return;
	mutex_lock(&resch_lock);
	list_for_each_entry_safe(chain, next, &file->chains, in_file)
		chain_end(chain);
	mutex_unlock(&resch_lock);
}

void resch_chain_quit(struct resch_thread *thread)
{
	lockdep_assert_held(&resch_lock);
	/* It is GONE, so nobody but we takes that from it. */
	if (thread->stage)
		chain_detach(thread->stage->chain);
}

int resch_chain_current(struct resch_thread *thread, struct resch_chain_job *job)
{
	int err;

	resch_thread_lock_irq(thread);
	err = thread->stage ? resch_stage_job(thread, job) : -ENOENT;
	resch_thread_unlock_irq(thread);
	return err;
}

static u64 chain_least(u64 least)
{
	return least == RESCH_NEVER ? 0 : least;
}

/* What others write: as it is just now. */
static void chain_read_port(struct resch_stage_stat *to, const struct resch_port *port)
{
	to->lost += READ_ONCE(port->lost);
	to->waiting_max = max(to->waiting_max, READ_ONCE(port->waiting_max));
}

/* What the lock of the stage's CPU guards, if there is one. */
static void chain_read_stage(const struct resch_chain *chain, u32 index,
			     struct resch_chain_stat *stat, u64 *histogram,
			     struct resch_stage_stat *stages)
{
	const struct resch_stage *stage = &chain->stages[index];
	struct resch_stage_stat *to = &stages[index];
	u32 i;

	to->completed = stage->completed;
	to->held = stage->held;
	to->held_total = stage->held_total;
	to->late = stage->late;
	to->skipped = stage->skipped;
	stat->skipped += stage->skipped;
	to->response_min = chain_least(stage->response_min);
	to->response_max = stage->response_max;
	to->response_total = stage->response_total;
	chain_read_port(to, &stage->queue);
	for (i = 0; stage->ports && i < hweight16(stage->from); i++)
		chain_read_port(to, &stage->ports[i]);
	stat->lost += to->lost;
	if (index)
		to->waiting = resch_stage_waiting(stage);
	else
		stat->instances = chain->instances;
	if (stage->to)
		return;
	stat->completed = chain->completed;
	stat->missed = chain->missed;
	stat->response_min = chain_least(chain->response_min);
	stat->response_max = chain->response_max;
	stat->response_total = chain->response_total;
	stat->tardiness_max = chain->tardiness_max;
	memcpy(histogram, chain->histogram, sizeof(chain->histogram));
}

/* Likewise, of a stage that still has its thread. resch_lock. */
static void chain_read_attached(const struct resch_chain *chain, u32 index,
				struct resch_chain_stat *stat, u64 *histogram,
				struct resch_stage_stat *stages)
{
	struct resch_thread *thread = chain->stages[index].thread;

	resch_thread_lock_irq(thread);
	stages[index].cpu = thread->cpu;
	chain_read_stage(chain, index, stat, histogram, stages);
	if (index && !resch_stage_rules(thread->rc))
		stat->ruled = 0;
	resch_thread_unlock_irq(thread);
}

static void chain_read(struct resch_chain *chain, struct resch_chain_stat *stat, u64 *histogram,
		       struct resch_stage_stat *stages)
{
	u32 i;

	stat->id = chain->id;
	stat->count = chain->count;
	stat->protocol = chain->protocol;
	stat->flags = chain->flags;
	stat->period = chain->period;
	stat->deadline = chain->deadline;
	stat->ruled = chain->attached && chain->protocol == RESCH_CHAIN_RG;
	memcpy(stat->name, chain->name, sizeof(stat->name));
	/* The last one first: so what is complete has begun. */
	for (i = chain->count; i--;) {
		stages[i].task = chain->stages[i].task;
		stages[i].cpu = -1;
		if (chain->stages[i].thread)
			chain_read_attached(chain, i, stat, histogram, stages);
		else
			chain_read_stage(chain, i, stat, histogram, stages);
	}
	stat->stopped = READ_ONCE(chain->stopped);
	if (stat->stopped) {
		/* Ways of one instance may have been skipped more than once. */
		u64 open = stat->instances - stat->completed;

		stat->lost = open - min(open, stat->skipped);
	}
}

int resch_chain_stat(struct resch_chain_stat *stat, u64 *histogram, struct resch_stage_stat *stages)
{
	const struct resch_chain_stat asked = *stat;
	struct resch_chain *chain;
	unsigned long index = asked.id;

	if (asked.next > 1)
		return -EINVAL;
	chain = asked.next ? xa_find_after(&chain_ids, &index, INT_MAX, XA_PRESENT) :
			     xa_load(&chain_ids, index);
	memset(stat, 0, sizeof(*stat));
	if (!chain)
		return -ENOENT;
	stat->room = asked.room;
	stat->stages = asked.stages;
	stat->histogram = asked.histogram;
	chain_read(chain, stat, histogram, stages);
	return 0;
}

void resch_chain_exit(void)
{
	xa_destroy(&chain_ids);
}
