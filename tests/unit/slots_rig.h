/* SPDX-License-Identifier: GPL-2.0 */
/* slots_rig.h - a domain of CPUs under a plugin with a plan, in the place of the core */
#ifndef _RESCH_SLOTS_RIG_H
#define _RESCH_SLOTS_RIG_H

#include "rig.h"

#define SLOTS_CPUS 4
#define SLOTS_GROUPS 8
#define SLOTS_TASKS 64
#define SLOTS_WINDOWS 64

const struct resch_plugin *resch_npsf(void);
const struct resch_plugin *resch_sekg(void);

/* What a plan is made of. */
struct slots_room {
	struct resch_plan plan;
	struct resch_parts parts[SLOTS_GROUPS + 1];
	struct resch_window windows[SLOTS_WINDOWS];
	u32 start[SLOTS_CPUS + 1];
};

struct slots_rig {
	const struct resch_plugin *plugin;
	u64 domain[RESCH_DOMAIN_PRIVATE];
	struct resch_rq rqs[SLOTS_CPUS];
	struct resch_rq *peers[SLOTS_CPUS];
	struct resch_group groups[SLOTS_GROUPS + 1];
	struct resch_group *by_id[SLOTS_GROUPS + 1];
	struct slots_room room;
	struct resch_task tasks[SLOTS_TASKS];
	struct resch_task *selected[SLOTS_CPUS];
	u64 until[SLOTS_CPUS];
	bool kicked[SLOTS_CPUS];
	u32 count;
	struct resch_verdict verdict;
};

/* The reserves are in the order of CPUs, and there of time. */
static inline void slots_make(struct slots_room *room, u64 slot, u64 from,
			      const struct resch_reserve *reserves, u32 count)
{
	u32 i, filled = 0;

	memset(room, 0, sizeof(*room));
	for (i = 0; i < count; i++) {
		const struct resch_reserve *reserve = &reserves[i];
		struct resch_parts *parts = &room->parts[reserve->group];
		u32 at = parts->count++;

		assert_true(at < RESCH_PARTS_MAX && i < SLOTS_WINDOWS);
		while (filled <= reserve->cpu)
			room->start[filled++] = i;
		room->windows[i] =
			(struct resch_window){ reserve->begin, reserve->end, reserve->group };
		for (; at && parts->part[at - 1].begin > reserve->begin; at--)
			parts->part[at] = parts->part[at - 1];
		parts->part[at] = (struct resch_part){ reserve->begin, reserve->end, reserve->cpu };
	}
	while (filled <= SLOTS_CPUS)
		room->start[filled++] = count;
	room->plan = (struct resch_plan){ .slot = slot,
					  .from = from,
					  .nr_groups = SLOTS_GROUPS,
					  .parts = room->parts,
					  .start = room->start,
					  .windows = room->windows };
}

static inline void slots_show(struct slots_rig *rig, const struct slots_room *room)
{
	u32 i;

	for (i = 0; i < SLOTS_CPUS; i++) {
		rig->rqs[i].plan = room ? &room->plan : NULL;
		rig->rqs[i].groups = rig->by_id;
	}
}

static inline void slots_init(struct slots_rig *rig, const struct resch_plugin *plugin)
{
	u32 i;

	memset(rig, 0, sizeof(*rig));
	rig->plugin = plugin;
	for (i = 0; i < SLOTS_CPUS; i++) {
		rig->peers[i] = &rig->rqs[i];
		rig->rqs[i] = (struct resch_rq){ .domain = rig->domain,
						 .peers = rig->peers,
						 .nr_peers = SLOTS_CPUS,
						 .index = i,
						 .cpu = i,
						 .capacity = 1000000 };
	}
	for (i = 1; i <= SLOTS_GROUPS; i++) {
		rig->groups[i].id = i;
		rig->by_id[i] = &rig->groups[i];
	}
}

static inline void slots_plan(struct slots_rig *rig, u64 slot, u64 from,
			      const struct resch_reserve *reserves, u32 count)
{
	slots_make(&rig->room, slot, from, reserves, count);
	slots_show(rig, &rig->room);
}

/* Takes in the kicks of an op for @rq. */
static inline void slots_kicks(struct slots_rig *rig, struct resch_rq *rq)
{
	struct resch_rq *next;

	for (; rq->kicks; rq->kicks = next) {
		next = rq->kicks->next_kicked;
		rq->kicks->kicked = false;
		rq->kicks->next_kicked = NULL;
		rig->kicked[rq->kicks->index] = true;
	}
}

/* Whether the CPU was kicked since the last time that somebody asked. */
static inline bool slots_kicked(struct slots_rig *rig, u32 cpu)
{
	bool kicked = rig->kicked[cpu];

	rig->kicked[cpu] = false;
	return kicked;
}

/* A task of a group, at home where that has its first reserve, or on CPU 0. */
static inline struct resch_task *slots_task(struct slots_rig *rig, u32 group, u64 wcet,
					    u64 deadline, u64 period)
{
	struct resch_task *task = &rig->tasks[rig->count++];
	const struct resch_plan *plan = rig->rqs[0].plan;

	assert_true(rig->count <= SLOTS_TASKS);
	memset(task, 0, sizeof(*task));
	task->id = rig->count;
	task->params.group = group;
	task->params.wcet = wcet;
	task->params.deadline = deadline;
	task->params.period = period;
	task->group = group <= SLOTS_GROUPS ? rig->by_id[group] : NULL;
	task->rq = &rig->rqs[0];
	if (plan && group <= SLOTS_GROUPS && plan->parts[group].count)
		task->rq = &rig->rqs[plan->parts[group].part[0].index];
	return task;
}

static inline int slots_try(struct slots_rig *rig, struct resch_task *task)
{
	memset(&rig->verdict, 0, sizeof(rig->verdict));
	return rig->plugin->admit(task->rq, task, &rig->verdict);
}

static inline void slots_list(struct slots_rig *rig, struct resch_task *task)
{
	task->next = task->rq->tasks;
	task->rq->tasks = task;
	task->rq->nr_tasks++;
}

static inline struct resch_task *slots_join(struct slots_rig *rig, u32 group)
{
	struct resch_task *task = slots_task(rig, group, 1, 1000, 1000);

	slots_list(rig, task);
	rig->plugin->attach(task->rq, task);
	slots_kicks(rig, task->rq);
	return task;
}

static inline void slots_ready(struct slots_rig *rig, struct resch_task *task, u64 deadline,
			       u64 now)
{
	task->job.deadline = deadline;
	task->ready = true;
	rig->plugin->enqueue(task->rq, task, RESCH_WHY_RELEASE, now);
	slots_kicks(rig, task->rq);
}

static inline void slots_stop(struct slots_rig *rig, struct resch_task *task, u64 now)
{
	assert_true(task->busy);
	task->busy = false;
	rig->plugin->stopped(task->rq, task, now);
	slots_kicks(rig, task->rq);
}

/* The job ends; the thread is still on its way out. */
static inline void slots_done(struct slots_rig *rig, struct resch_task *task, u64 now)
{
	task->ready = false;
	rig->plugin->dequeue(task->rq, task, RESCH_WHY_COMPLETE, now);
	slots_kicks(rig, task->rq);
	if (rig->selected[task->rq->index] == task)
		rig->selected[task->rq->index] = NULL;
}

/* No two CPUs have busy tasks of one group. */
static inline void slots_check_alone(const struct slots_rig *rig)
{
	const struct resch_task *one, *other;

	for (one = rig->tasks; one < rig->tasks + rig->count; one++)
		for (other = rig->tasks; one->busy && other < one; other++)
			if (other->busy && other->group == one->group && other->rq != one->rq)
				fail_msg("group %u is on CPUs %u and %u", one->group->id,
					 one->rq->cpu, other->rq->cpu);
}

/* A decision, and what the core makes of it. Whom it deselects stays busy until slots_stop(). */
static inline struct resch_task *slots_pick(struct slots_rig *rig, u32 cpu, u64 now)
{
	struct resch_pick pick = { .until = RESCH_NEVER };
	struct resch_rq *rq = &rig->rqs[cpu];

	rig->plugin->pick(rq, now, &pick);
	slots_kicks(rig, rq);
	assert_true(pick.until > now);
	rig->until[cpu] = pick.until;
	rig->selected[cpu] = pick.task;
	if (!pick.task)
		return NULL;
	assert_true(pick.task->ready);
	assert_true(pick.task->rq == rq || !pick.task->busy);
	pick.task->rq = rq;
	pick.task->busy = true;
	slots_check_alone(rig);
	return pick.task;
}

#endif /* _RESCH_SLOTS_RIG_H */
