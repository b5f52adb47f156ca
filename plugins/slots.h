/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slots.h - what the plugins for slot-based task splitting share: time slots, groups, hand-overs
 *
 * Time is cut into slots of one length, the same on all CPUs of the domain; in each slot a CPU has
 * windows, each for one group of tasks (a notional processor), whose ready jobs wait in one queue
 * by deadline. A group with windows on several CPUs is split: its tasks move from window to window.
 * Its windows never overlap, but interrupts come late and threads take their time to leave, so the
 * rule that a group is executed by one CPU at a time is kept by counting, not by the clock: a CPU
 * takes a task only while no other CPU has a busy one of the same group.
 *
 *   group due here, but busy elsewhere:
 *     handover=notify   stopped() kicks the CPU whose turn it is
 *     handover=retry    that CPU asks again every retry=TIME
 *
 * Sousa, Bletsas, Tovar, Andersson, On the implementation of real-time slot-based task-splitting
 * scheduling algorithms for multiprocessor systems, HURRAY-TR-110903, 2011: the ReTAS kernel, which
 * retries every 5 us. LITMUS-RT's NPS-F notifies. Unlike both, a CPU that has to wait kicks the one
 * it waits for, unless that has decided already: its timer may be what is late.
 *
 * A CPU may decide a while late, and then as of a time that is past (as of the instant its timer
 * was set to), so nothing here compares the clocks of two CPUs. Which CPU's turn it is for a group
 * is what the CPUs have said themselves: the one that entered the latest of its windows.
 */
#ifndef _RESCH_SLOTS_H
#define _RESCH_SLOTS_H

#include <resch/option.h>
#include <resch/plugin.h>

#define SLOTS_RETRY_MIN 1000U
#define SLOTS_RETRY_MAX 1000000U
#define SLOTS_RETRY_DEFAULT 5000U

/* A domain. All zero: notify. */
struct slots_domain {
	u32 retry; /* ns; 0: the default */
	bool polls; /* handover=retry */
	bool reclaim; /* npsf */
};

/** struct slots_rq - a CPU
 * @from, @slot: of the plan that the rest is about
 * @start:  begin of the current slot, exactly a multiple of @slot after @from
 * @index:  the current window, or the next one, among those of this CPU; all before are over
 * @own:    the group of the CPU's own, see slots_find_own(); 0: none
 * @window: the group that this CPU has entered a window of, as of its last pick
 * @picked: the answer of its last pick
 */
struct slots_rq {
	u64 from;
	u64 slot;
	u64 start;
	u32 index;
	u32 own;
	struct resch_group *window;
	struct resch_task *picked;
};

/** struct slots_group - a group
 * @ready:  by absolute deadline
 * @here:   the CPU that is in a window of it
 * @since:  when the latest window that a CPU has entered began; 0: none has yet
 * @on:     the CPU that has its busy tasks
 * @busy:   how many
 * @strays: busy ones on other CPUs: they came so from another plugin
 * @tasks:  how many are attached
 */
struct slots_group {
	struct resch_queue ready;
	struct resch_rq *here;
	u64 since;
	struct resch_rq *on;
	u32 busy;
	u32 strays;
	u32 tasks;
};

/* What the count of busy tasks in the group says of this one. */
enum slots_held { SLOTS_FREE, SLOTS_BUSY, SLOTS_STRAY };

struct slots_task {
	struct resch_group *group;
	u32 held; /* enum slots_held */
};

RESCH_PLUGIN_PRIVATE(struct slots_domain, RESCH_DOMAIN_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct slots_rq, RESCH_RQ_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct slots_group, RESCH_GROUP_PRIVATE);
RESCH_PLUGIN_PRIVATE(struct slots_task, RESCH_TASK_PRIVATE);

/** struct slots_view - what the plan says of a CPU at an instant
 * @id:    the group whose window it is
 * @group: the same, or NULL where a later window of it was already entered, elsewhere
 * @until: the end of the window, or the begin of the next one
 */
struct slots_view {
	u32 id;
	struct resch_group *group;
	u64 until;
};

static inline struct resch_task *slots_task_of(struct resch_node *node)
{
	return container_of(node, struct resch_task, node);
}

static inline struct slots_group *slots_group_of(const struct resch_task *task)
{
	struct resch_group *group = resch_private(task, struct slots_task)->group;

	return group ? resch_private(group, struct slots_group) : NULL;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static inline u32 slots_count(const struct resch_rq *rq)
{
	return rq->plan->start[rq->index + 1] - rq->plan->start[rq->index];
}

static inline const struct resch_window *slots_windows(const struct resch_rq *rq)
{
	return &rq->plan->windows[rq->plan->start[rq->index]];
}

/* Does the group have reserves on more than one CPU? */
static inline bool slots_split(const struct resch_plan *plan, u32 id)
{
	const struct resch_parts *parts = &plan->parts[id];
	u32 i;

	for (i = 1; i < parts->count; i++)
		if (parts->part[i].index != parts->part[0].index)
			return true;
	return false;
}

/* The group of the first window of this CPU that is not split; 0: there is none. */
static inline u32 slots_find_own(const struct resch_rq *rq)
{
	const struct resch_window *window = slots_windows(rq);
	u32 i, count = slots_count(rq);

	for (i = 0; i < count; i++)
		if (!slots_split(rq->plan, window[i].group))
			return window[i].group;
	return 0;
}

/* Does the task name a group of the plan that has reserves? */
static inline bool slots_planned(const struct resch_rq *rq, const struct resch_task *task)
{
	const struct resch_plan *plan = rq->plan;
	u32 group = task->params.group;

	return plan && group && group <= plan->nr_groups && plan->parts[group].count;
}

/* Goes on from the slot of the last time to that of @now, which is not before the plan begins. */
static inline void slots_advance(struct resch_rq *rq, u64 now)
{
	struct slots_rq *slots = resch_private(rq, struct slots_rq);
	u64 slot = rq->plan->slot;

	/* Another plan, or a decision as of an earlier time than the last one. */
	if (slots->from != rq->plan->from || slots->slot != slot || now < slots->start) {
		slots->from = rq->plan->from;
		slots->slot = slot;
		slots->start = slots->from;
		slots->index = 0;
		slots->own = slots_find_own(rq);
	}
	if (now - slots->start < slot)
		return;
	slots->index = 0;
	slots->start += slot;
	if (unlikely(now - slots->start >= slot))
		slots->start += div64_u64(now - slots->start, slot) * slot;
}

/* The first of the windows that ends after @offset in the slot, usually this one or the next. */
static inline u32 slots_seek(const struct resch_rq *rq, u32 index, u64 offset)
{
	const struct resch_window *windows = slots_windows(rq);
	u32 low, high = slots_count(rq);

	if (index > high || (index && windows[index - 1].end > offset))
		index = 0;
	if (index < high && windows[index].end <= offset)
		index++;
	if (index == high || windows[index].end > offset)
		return index;
	for (low = index + 1; low < high;) {
		u32 middle = low + (high - low) / 2;

		if (windows[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* This CPU is in a window of @group that began at @begin. false: one that is past. */
static inline bool slots_enter(struct resch_rq *rq, struct resch_group *group, u64 begin)
{
	struct slots_rq *slots = resch_private(rq, struct slots_rq);
	struct slots_group *shared = resch_private(group, struct slots_group);

	slots->window = group;
	if (shared->since > begin)
		return false;
	/* All of it stays zero while nobody is in it. */
	if (shared->tasks) {
		shared->here = rq;
		shared->since = begin;
	}
	return true;
}

static inline void slots_leave(struct resch_rq *rq)
{
	struct slots_rq *slots = resch_private(rq, struct slots_rq);
	struct slots_group *shared;

	if (!slots->window)
		return;
	shared = resch_private(slots->window, struct slots_group);
	if (shared->here == rq)
		shared->here = NULL;
	slots->window = NULL;
}

/* Whose window is it on this CPU at @now? false: nobody's. */
static inline bool slots_look(struct resch_rq *rq, u64 now, struct slots_view *view)
{
	struct slots_rq *slots = resch_private(rq, struct slots_rq);
	const struct resch_window *window;
	u32 count;

	view->until = RESCH_NEVER;
	slots_leave(rq);
	if (!rq->plan || !rq->groups)
		return false;
	count = slots_count(rq);
	if (!count)
		return false;
	window = slots_windows(rq);
	if (now < rq->plan->from) {
		view->until = rq->plan->from + window->begin;
		return false;
	}
	slots_advance(rq, now);
	slots->index = slots_seek(rq, slots->index, now - slots->start);
	if (slots->index == count) {
		view->until = slots->start + slots->slot + window->begin;
		return false;
	}
	window += slots->index;
	if (window->begin > now - slots->start) {
		view->until = slots->start + window->begin;
		return false;
	}
	view->until = slots->start + window->end;
	view->id = window->group;
	view->group = rq->groups[window->group];
	if (!slots_enter(rq, view->group, slots->start + window->begin))
		view->group = NULL;
	return true;
}

/* ---- who has the group ----------------------------------------------------------------------- */

/* Has @rq last picked a task of @group? */
static inline bool slots_runs(const struct resch_rq *rq, const struct resch_group *group)
{
	const struct resch_task *picked = resch_private(rq, const struct slots_rq)->picked;

	return picked && resch_private(picked, const struct slots_task)->group == group;
}

/* May @rq execute tasks of the group, for all that others do? */
static inline bool slots_free_for(const struct slots_group *shared, const struct resch_rq *rq)
{
	return !shared->strays && (!shared->busy || shared->on == rq);
}

/*
 * The ready job of @group with the earliest deadline. NULL: there is none, or another CPU has the
 * group still (*@waits); that one is to think again, if it hasn't yet.
 */
static inline struct resch_task *slots_claim(struct resch_rq *rq, struct resch_group *group,
					     bool *waits)
{
	struct slots_group *shared;
	struct resch_node *first;

	if (!group)
		return NULL;
	shared = resch_private(group, struct slots_group);
	first = resch_queue_first(&shared->ready);
	if (!first)
		return NULL;
	if (likely(slots_free_for(shared, rq)))
		return slots_task_of(first);
	*waits = true;
	if (shared->busy && shared->on != rq && slots_runs(shared->on, group))
		resch_rq_kick(rq, shared->on);
	return NULL;
}

static inline void slots_hold(struct resch_rq *rq, struct resch_task *task)
{
	struct slots_task *mine = resch_private(task, struct slots_task);
	struct slots_group *shared = slots_group_of(task);

	if (mine->held || !shared)
		return;
	if (!slots_free_for(shared, rq)) {
		mine->held = SLOTS_STRAY;
		shared->strays++;
		return;
	}
	mine->held = SLOTS_BUSY;
	shared->on = rq;
	shared->busy++;
}

static inline void slots_drop(struct resch_task *task)
{
	struct slots_task *mine = resch_private(task, struct slots_task);
	struct slots_group *shared = slots_group_of(task);

	if (mine->held == SLOTS_BUSY)
		shared->busy--;
	else if (mine->held == SLOTS_STRAY)
		shared->strays--;
	mine->held = SLOTS_FREE;
}

/* @task, or nobody, is what this CPU executes; @waits: it would rather have somebody else. */
static inline void slots_answer(struct resch_rq *rq, struct resch_task *task, bool waits, u64 now,
				struct resch_pick *pick)
{
	const struct slots_domain *domain = (const struct slots_domain *)rq->domain;
	u32 retry = domain->retry ? domain->retry : SLOTS_RETRY_DEFAULT;

	resch_private(rq, struct slots_rq)->picked = task;
	if (task)
		slots_hold(rq, task);
	pick->task = task;
	if (waits && domain->polls)
		pick->until = min(pick->until, now + retry);
}

/* The CPU that would execute the group now; NULL: none, as far as is known. */
static inline struct resch_rq *slots_user(const struct resch_rq *rq,
					  const struct resch_group *group)
{
	const struct resch_plan *plan = rq->plan;

	/* Where all windows are on one CPU, that one may have use for it at any time. */
	if (plan && group->id <= plan->nr_groups && plan->parts[group->id].count &&
	    !slots_split(plan, group->id))
		return resch_rq_peer(rq, plan->parts[group->id].part[0].index);
	return resch_private(group, const struct slots_group)->here;
}

/* The group has a new first job: the CPU whose turn it is may want it. */
static inline void slots_tell(struct resch_rq *rq, const struct resch_group *group)
{
	const struct resch_plan *plan = rq->plan;
	struct resch_rq *user;
	u32 i;

	if (likely(resch_private(group, const struct slots_group)->since)) {
		user = slots_user(rq, group);
		if (user && user != rq)
			resch_rq_kick(rq, user);
		return;
	}
	if (!plan || group->id > plan->nr_groups)
		return;
	/* A CPU that was in its window before anybody joined the group has not said so. */
	for (i = 0; i < plan->parts[group->id].count; i++)
		if (plan->parts[group->id].part[i].index != rq->index)
			resch_rq_kick(rq, resch_rq_peer(rq, plan->parts[group->id].part[i].index));
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* handover=notify|retry, retry=TIME. -EINVAL */
static inline int slots_option(u64 *private, const char *key, const char *value)
{
	struct slots_domain *domain = (struct slots_domain *)private;

	if (!strcmp(key, "handover")) {
		if (strcmp(value, "notify") && strcmp(value, "retry"))
			return -EINVAL;
		domain->polls = !strcmp(value, "retry");
		return 0;
	}
	if (strcmp(key, "retry"))
		return -EINVAL;
	return resch_option_time(key, value, SLOTS_RETRY_MIN, SLOTS_RETRY_MAX, &domain->retry);
}

static inline void slots_attach(struct resch_rq *rq, struct resch_task *task)
{
	struct slots_group *shared;

	resch_private(task, struct slots_task)->group = task->group;
	shared = slots_group_of(task);
	if (!shared)
		return;
	shared->tasks++;
	if (task->busy)
		slots_hold(rq, task);
}

static inline void slots_detach(struct resch_rq *rq, struct resch_task *task)
{
	struct slots_group *shared = slots_group_of(task);

	if (!shared)
		return;
	slots_drop(task);
	if (!--shared->tasks)
		memset(shared, 0, sizeof(*shared));
}

static inline void slots_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why,
				 u64 now)
{
	struct resch_group *group = resch_private(task, struct slots_task)->group;
	struct slots_group *shared = slots_group_of(task);

	if (!shared)
		return;
	if (task->busy) /* it woke in the kernel, and is there still */
		slots_hold(rq, task);
	resch_queue_insert(&shared->ready, &task->node, task->job.deadline);
	if (resch_queue_first(&shared->ready) == &task->node)
		slots_tell(rq, group);
}

static inline void slots_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why,
				 u64 now)
{
	struct slots_rq *slots = resch_private(rq, struct slots_rq);

	if (resch_node_queued(&task->node))
		resch_queue_erase(&slots_group_of(task)->ready, &task->node);
	if (slots->picked == task)
		slots->picked = NULL;
}

static inline void slots_stopped(struct resch_rq *rq, struct resch_task *task, u64 now)
{
	struct resch_group *group = resch_private(task, struct slots_task)->group;
	struct slots_group *shared = slots_group_of(task);
	struct resch_rq *user;

	if (!shared)
		return;
	slots_drop(task);
	if (((const struct slots_domain *)rq->domain)->polls)
		return;
	if (shared->busy || shared->strays || !resch_queue_first(&shared->ready))
		return;
	user = slots_user(rq, group);
	if (user && !slots_runs(user, group))
		resch_rq_kick(rq, user);
}

#endif /* _RESCH_SLOTS_H */
