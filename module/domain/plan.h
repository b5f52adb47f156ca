/* SPDX-License-Identifier: GPL-2.0 */
/* plan.h - who has which CPU when: the plans of a domain, and their groups */
#ifndef _RESCH_PLAN_H
#define _RESCH_PLAN_H

#include <resch/plugin.h>

struct resch_cpu;
struct resch_domain;

/*
 * A plan is built and admitted in a request, comes into force in the first decision after its time,
 * and is freed by the next request. The pointers belong to the domain's lock (resch_lock alone,
 * where the plugin is not RESCH_PLUGIN_WHOLE: then nobody looks at them while they run).
 */
struct resch_plans {
	struct resch_plan *plan; /* in force, or about to be; what the CPUs see */
	struct resch_plan *next; /* that comes after it */
	struct resch_plan *old; /* to be freed */
	struct resch_group **groups; /* by id; resch_lock; they stay as long as the domain */
};

/*
 * RESCH_IOC_PLAN_SET, with the @want->count reserves in kernel memory, which are sorted. Process
 * context, resch_lock.
 */
int resch_plan_set(struct resch_plan_set *want, struct resch_reserve *reserves);

/*
 * RESCH_IOC_PLAN_GET, with room for @get->count reserves in kernel memory. Returns how many of them
 * there are now, or -ENODEV. Process context, resch_lock.
 */
int resch_plan_get(struct resch_plan_get *get, struct resch_reserve *reserves);

/* The plan that new tasks are admitted by, or NULL. resch_lock. */
const struct resch_plan *resch_plan_latest(const struct resch_plans *plans);

/* The CPU that a task of this group lives on. -EINVAL: there is no such group. resch_lock. */
int resch_plan_home(const struct resch_domain *domain, const struct resch_task_params *params);

/* Sets task->group. resch_lock, and the CPU's lock where the plugin knows the task. */
void resch_plan_bind(const struct resch_domain *domain, struct resch_task *task);

/*
 * Puts the next plan in force if its time has come. Returns when that will be, or RESCH_NEVER. The
 * domain's lock; the domain's plugin is RESCH_PLUGIN_WHOLE.
 */
u64 resch_plan_update(struct resch_domain *domain, struct resch_cpu *rc, u64 now);

void resch_plan_free(struct resch_plans *plans);

#endif /* _RESCH_PLAN_H */
