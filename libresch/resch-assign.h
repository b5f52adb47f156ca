/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-assign.h - from a task set and CPUs to a layout of time slots, by task splitting
 *
 * Time is cut into slots of equal length, the same on all CPUs; each slot on each CPU into
 * reserves. A group (a notional processor) is a set of tasks that are scheduled by EDF among
 * themselves, and only within the reserves of the group. A group that has reserves on two CPUs is
 * split: one at the end of the slot on a CPU, one at the beginning of the slot on the next one, so
 * that together they are one window around each slot boundary, and no two of them are ever open at
 * once.
 *
 * Methods:
 *
 * - S-EKG: Andersson, Bletsas, Sporadic multiprocessor scheduling with few preemptions, ECRTS 2008.
 *   Single tasks are split; the others of a CPU are one group.
 * - NPS-F: Bletsas, Andersson, Preemption-light multiprocessor scheduling of sporadic tasks with
 *   high utilisation bound, RTSS 2009. Tasks are packed into bins, bins are split. C-NPS-F does
 *   that inside clusters of CPUs.
 *
 * Layouts as in Sousa, Bletsas, Tovar, Andersson, On the implementation of real-time slot-based
 * task-splitting scheduling algorithms for multiprocessor systems, 2011, section 2. Nothing here
 * talks to the kernel. Times are nanoseconds, integers; decisions are made with exact fractions.
 */
#ifndef _RESCH_ASSIGN_H
#define _RESCH_ASSIGN_H

#include <resch.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RESCH_ASSIGN_TASKS_MAX 16384
#define RESCH_ASSIGN_IRQS_MAX 16
#define RESCH_ASSIGN_DELTA_MAX 1024
/* Periods and deadlines: an hour. */
#define RESCH_ASSIGN_TIME_MAX 3600000000000
/* Slots that each step of a switch holds at least. */
#define RESCH_SWITCH_HOLD 3
/* Any text that resch_assign_text() makes. */
#define RESCH_ASSIGN_TEXT 320

/** enum resch_assign_method - how tasks are split */
enum resch_assign_method {
	RESCH_ASSIGN_SEKG = 0,
	RESCH_ASSIGN_NPSF = 1,
	RESCH_ASSIGN_CNPSF = 2, /* NPS-F in clusters of struct resch_assign.cluster CPUs */
};

/** enum resch_assign_sizing - how much of each slot a group gets */
enum resch_assign_sizing {
	/*
	 * The papers' formulas, from utilizations (densities, where deadlines are shorter) and
	 * delta.
	 */
	RESCH_ASSIGN_PAPER = 0,
	/*
	 * The least with which demand never exceeds supply, never more than the formulas give.
	 * Where finding it takes too long, something in between.
	 */
	RESCH_ASSIGN_EXACT = 1,
};

/**
 * struct resch_assign_task - a task that is to be placed
 * @wcet:     longest execution of a job, ns; 1 to the shorter one of @period and @deadline
 * @deadline: relative, ns; 0: the period
 * @period:   least time between two releases, ns; at most RESCH_ASSIGN_TIME_MAX
 */
struct resch_assign_task {
	uint64_t wcet;
	uint64_t deadline;
	uint64_t period;
};

/**
 * struct resch_assign_irq - what takes time from whoever runs
 * @period: least time between two, ns
 * @cost:   of each, ns; less than @period
 * @cpu:    where; -1: on each CPU
 */
struct resch_assign_irq {
	uint64_t period;
	uint64_t cost;
	int32_t cpu;
};

/**
 * struct resch_assign_overheads - what a real kernel takes, ns; all zero: nothing
 * @reserve_jitter: from the nominal beginning of a reserve to the first instruction of a task in
 *   it; each reserve is made longer by it
 * @release_jitter: from a job's arrival until it is ready
 * @switch_cost:    of a context switch; each job is charged two
 * @release_cost:   what the release of a job takes from the tasks of other groups on its CPUs
 * @cache:          reloading caches: charged to each job once, and to each reserve
 * @nr_irqs, @irqs: interrupts
 *
 * Sections 5.1 and 5.2 of the 2011 paper define them. How they enter the sizes:
 *
 * - a job executes for wcet + 2 switch_cost + cache, and is due release_jitter earlier;
 * - to the demand of a group in t come ceil(t / period) cost for each interrupt on each CPU that it
 *   has a reserve on, and ceil((t + release_jitter) / T) release_cost for each task of another
 *   group there;
 * - of each reserve, the first reserve_jitter + cache are lost, except where the reserve is the
 *   whole slot, which is entered once.
 */
struct resch_assign_overheads {
	uint64_t reserve_jitter;
	uint64_t release_jitter;
	uint64_t switch_cost;
	uint64_t release_cost;
	uint64_t cache;
	uint32_t nr_irqs;
	struct resch_assign_irq irqs[RESCH_ASSIGN_IRQS_MAX];
};

struct resch_layout;

/**
 * struct resch_assign - the question
 * @method, @sizing: enum resch_assign_method, enum resch_assign_sizing
 * @cpus:      the CPUs, filled in ascending order; those that have interrupts of their own
 *   (struct resch_assign_irq) last, of all or, with RESCH_ASSIGN_CNPSF, of their cluster
 * @tasks, @nr_tasks: 1 to RESCH_ASSIGN_TASKS_MAX of them, assigned in this order
 * @delta:     the slot is 1 / delta of the shortest period or deadline (less release_jitter),
 *   rounded down: more means less lost capacity and more switches. 1 to RESCH_ASSIGN_DELTA_MAX; 0:
 *   the smallest one up to @delta_max with which everything fits
 * @delta_max: limit of that search; 0: 64
 * @cluster:   CPUs in a cluster, for RESCH_ASSIGN_CNPSF; the last one may be smaller
 * @slot_min:  shorter slots are refused, ns; 0: 100 us
 * @overheads: what to leave room for
 * @keep:      @nr_tasks group numbers: the group that a task has already, and keeps; 0: it may go
 *   into any. NULL: all are free
 * @standing:  where the groups of @keep have their reserves now; NULL: nowhere. Of it count the
 *   slot, the reserves and nr_groups
 *
 * With @keep, tasks of one number stay together; numbers go up to RESCH_GROUPS_MAX and need not be
 * dense. Free tasks go, First-Fit, into the groups by their numbers, those of @keep among them,
 * else into a new one with the smallest number that is free. S-EKG does not put them into groups
 * that are split in @standing, and each that fits into none is a group of its own, so that what is
 * split anew is a single task as far as there is room for that.
 *
 * With @standing, the slot stays as long as it is, unless @delta says otherwise, and groups stay
 * where they are, as far as they can. A group that grows does so towards the end of the slot where
 * nothing is, else towards the beginning; groups in its way move towards the beginning, too, and at
 * the beginning of the slot to the end of that of the CPU before, the first CPU (of a cluster)
 * having the last one before it. So a group may be split from the last CPU to the first. No group
 * becomes smaller, unless there is no room otherwise or no task is free. resch_layout_switch() is
 * the way from there to the new layout.
 *
 * Start from a zeroed one.
 */
struct resch_assign {
	uint32_t method;
	uint32_t sizing;
	struct resch_cpus cpus;
	const struct resch_assign_task *tasks;
	uint32_t nr_tasks;
	uint32_t delta;
	uint32_t delta_max;
	uint32_t cluster;
	uint64_t slot_min;
	struct resch_assign_overheads overheads;
	const uint32_t *keep;
	const struct resch_layout *standing;
};

/**
 * struct resch_layout_reserve - in each slot, [@begin, @end) on @cpu belongs to @group
 * @cpu:        the CPU
 * @group:      1 to nr_groups
 * @begin, @end: ns since the beginning of the slot
 */
struct resch_layout_reserve {
	uint32_t cpu;
	uint32_t group;
	uint64_t begin;
	uint64_t end;
};

/**
 * struct resch_layout_group - tasks that share reserves
 * @need:     what it has to get of each slot, ns; its reserves add up to this or, where S-EKG gives
 *   it all that is left of a CPU, more
 * @size:     what its reserves add up to, ns
 * @nr_tasks, @nr_reserves: how many; two reserves: it is split
 * @cpu:      of its first reserve: the lower CPU of a split group
 */
struct resch_layout_group {
	uint64_t need;
	uint64_t size;
	uint32_t nr_tasks;
	uint32_t nr_reserves;
	uint32_t cpu;
};

/**
 * struct resch_layout - the answer
 * @slot:     length of the slot, ns
 * @delta:    with which it came out
 * @nr_groups, @groups:     group number N is groups[N - 1]; with struct resch_assign.keep some may
 *   have no tasks, and then have no reserves
 * @nr_reserves, @reserves: by CPU, then by time; what lies between them is idle
 * @nr_tasks, @task_group:  the group of each task, in the order of the request
 */
struct resch_layout {
	uint64_t slot;
	uint32_t delta;
	uint32_t nr_groups;
	uint32_t nr_reserves;
	uint32_t nr_tasks;
	struct resch_layout_group *groups;
	struct resch_layout_reserve *reserves;
	uint32_t *task_group;
};

/** enum resch_assign_reason - why there is no layout */
enum resch_assign_reason {
	RESCH_ASSIGN_FITS = 0,
	/* Task @task breaks a rule of struct resch_assign_task. */
	RESCH_ASSIGN_TASK,
	/* The slot would be @available ns long, and has to have @needed. */
	RESCH_ASSIGN_SLOT,
	/* Task @task alone needs @needed ns of each slot of @available. */
	RESCH_ASSIGN_ALONE,
	/* @needed tasks need a CPU each, and there are @available; @task is the first without. */
	RESCH_ASSIGN_HEAVY,
	/* Task @task needs @needed ns of each slot where @available are left. */
	RESCH_ASSIGN_FULL,
	/* The same of bin @group, whose first task is @task. */
	RESCH_ASSIGN_BIN,
	/* A layout that was to be checked: group @group needs @needed and has @available. */
	RESCH_ASSIGN_SHORT,
	/* Likewise: a reserve of @group overlaps another, or a group has no single window. */
	RESCH_ASSIGN_OVERLAP,
	/*
	 * @task keeps a group, @group, that is none, or more than one CPU can carry: needs @needed.
	 */
	RESCH_ASSIGN_KEPT,
	/*
	 * On the way to another layout: group @group, @needed ns after a slot boundary, would have
	 * had less than where it is now, by @available ns. Both 0: the slot is another one.
	 */
	RESCH_ASSIGN_SWITCH,
	/*
	 * Likewise: group @group may have no idle instant in @needed ns, so it cannot become
	 * smaller.
	 */
	RESCH_ASSIGN_BUSY,
};

/**
 * struct resch_assign_refusal - which does not fit, and by how much
 * @reason: enum resch_assign_reason
 * @task:   index in the request
 * @group:  number
 * @delta:  with which it was tried; in a search, the last one
 * @slot:   length of the slot then, ns
 * @needed, @available: ns of each slot, or what the reason says
 */
struct resch_assign_refusal {
	uint32_t reason;
	uint32_t task;
	uint32_t group;
	uint32_t delta;
	uint64_t slot;
	uint64_t needed;
	uint64_t available;
};

/**
 * resch_assign - find a layout
 * @layout:  gets it; the caller's, for resch_layout_free()
 * @refusal: out: why not; may be NULL
 *
 * The same request gives the same layout everywhere. Every layout has passed
 * resch_layout_check().
 *
 * Return: 0; -EBUSY: something does not fit, see @refusal; -EINVAL: the request is outside the
 * ranges given above, and where @refusal->reason is RESCH_ASSIGN_TASK, its task is; -ENOMEM.
 */
int resch_assign(const struct resch_assign *request, struct resch_layout **layout,
		 struct resch_assign_refusal *refusal);

/** resch_layout_free - give back what resch_assign() made; NULL is fine */
void resch_layout_free(struct resch_layout *layout);

/**
 * resch_layout_check - is @layout, whoever made it, one for @request?
 * @request: of it count tasks, CPUs, and overheads
 * @refusal: out: what is wrong; may be NULL
 *
 * Reserves lie in the slot, none overlaps another on its CPU or of its group, each group has one
 * window (which may go around the slot boundary to another CPU), each task a group, and no group's
 * demand ever exceeds the supply of its reserves.
 *
 * Return: 0; -EBUSY: no, see @refusal; -EINVAL: as resch_assign(), or numbers out of range;
 * -ENOMEM.
 */
int resch_layout_check(const struct resch_assign *request, const struct resch_layout *layout,
		       struct resch_assign_refusal *refusal);

/**
 * resch_layout_join - which group has room for one more task?
 * @request: the question that @layout answers
 * @task:    the one that wants to join
 * @place:   out: group that takes the task, in the reserve that is its first; a group number of
 *   nr_groups + 1 means a new group, whose only reserve this is, where nothing is now
 * @refusal: out, with -EBUSY: the group that came nearest; may be NULL
 *
 * Nothing that stands is moved. Split groups of S-EKG keep their one task. What is found is the
 * group that is left with the least room, so that larger tasks may still join the others.
 *
 * Return: 0; -EBUSY: none has, a new layout may; -EINVAL: as resch_assign(); -ENOMEM.
 */
int resch_layout_join(const struct resch_assign *request, const struct resch_layout *layout,
		      const struct resch_assign_task *task, struct resch_layout_reserve *place,
		      struct resch_assign_refusal *refusal);

/**
 * struct resch_switch_step - reserves that hold from one slot boundary to that of the next step
 * @nr_reserves, @reserves: by CPU, then by time
 */
struct resch_switch_step {
	uint32_t nr_reserves;
	struct resch_layout_reserve *reserves;
};

/**
 * struct resch_switch - from the standing layout to another one
 * @settle:   ns that have to pass before the first step, from when the tasks were as the request
 *            says
 * @rest:     ns that have to pass after the last step began, before tasks join; without steps, from
 *   when the tasks were as the request says
 * @nr_steps, @steps: the last one is the new layout; none: they are the same
 */
struct resch_switch {
	uint64_t settle;
	uint64_t rest;
	uint32_t nr_steps;
	struct resch_switch_step *steps;
};

/**
 * resch_layout_switch - how to get from @request->standing to @layout without a missed deadline
 * @request: the question that @layout answers, with keep and standing
 * @way:     gets it; the caller's, for resch_switch_free()
 * @refusal: out, with -EBUSY: what is in the way; may be NULL
 *
 * Each step begins at a slot boundary of the one before, at which all slots of all of them begin,
 * and holds for RESCH_SWITCH_HOLD slots or more. Between the first step and the end of @rest no
 * task may join. What has left before @settle began is as if it had never been.
 *
 * That no deadline is missed rests on this: a group with tasks has, through all steps, windows of
 * one length that carries them, whose beginnings are never more than a slot apart.
 * docs/task-splitting.md has the argument.
 *
 * Return: 0; -EBUSY: there is no such way, or none is found; -EINVAL: as resch_assign(), or there
 * is no standing layout, or it cannot be one; -ENOMEM.
 */
int resch_layout_switch(const struct resch_assign *request, const struct resch_layout *layout,
			struct resch_switch **way, struct resch_assign_refusal *refusal);

/** resch_switch_free - give back what resch_layout_switch() made; NULL is fine */
void resch_switch_free(struct resch_switch *way);

/**
 * resch_assign_text - a refusal as a sentence without its full stop; tasks are counted from 1
 * @text: gets it, cut to @size bytes with the terminating zero
 *
 * Return: as snprintf(3); RESCH_ASSIGN_TEXT bytes always suffice.
 */
int resch_assign_text(const struct resch_assign_refusal *refusal, char *text, size_t size);

/** resch_assign_name - a word for a method, or "?"; all: resch_names("assign-methods") */
const char *resch_assign_name(uint32_t method);

/** resch_assign_parse - the way back. Return: enum resch_assign_method; -EINVAL: none of them */
int resch_assign_parse(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_ASSIGN_H */
