// SPDX-License-Identifier: GPL-2.0
/* plan.c - who has which CPU when: the plans of a domain, and their groups */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "domain.h"
#include "plan.h"
#include "readmit.h"
#include "table.h"
#include "core/trace.h"

#define PLAN_SLOT_MIN (10 * NSEC_PER_USEC)
#define PLAN_SLOT_MAX NSEC_PER_SEC

/* A plan comes into force no sooner: time enough to tell all CPUs, ns. */
#define PLAN_DELAY NSEC_PER_MSEC

/* ---- building -------------------------------------------------------------------------------- */

static void plan_destroy(struct resch_plan *plan)
{
	if (!plan)
		return;
	kvfree(plan->parts);
	kvfree(plan->start);
	kvfree(plan->windows);
	kfree(plan);
}

static int plan_order(const void *a, const void *b)
{
	const struct resch_reserve *one = a, *other = b;

	if (one->cpu != other->cpu)
		return one->cpu < other->cpu ? -1 : 1;
	return one->begin < other->begin ? -1 : one->begin > other->begin;
}

static struct resch_plan *plan_alloc(u32 nr_groups, u32 nr_cpus, u32 count)
{
	struct resch_plan *plan = kzalloc(sizeof(*plan), GFP_KERNEL_ACCOUNT);

	if (!plan)
		return NULL;
	plan->nr_groups = nr_groups;
	plan->parts = kvcalloc(nr_groups + 1, sizeof(*plan->parts), GFP_KERNEL_ACCOUNT);
	plan->start = kvcalloc(nr_cpus + 1, sizeof(*plan->start), GFP_KERNEL_ACCOUNT);
	plan->windows = kvcalloc(count, sizeof(*plan->windows), GFP_KERNEL_ACCOUNT);
	if (plan->parts && plan->start && plan->windows)
		return plan;
	plan_destroy(plan);
	return NULL;
}

/* Index of the CPU in the domain, or -EINVAL. */
static int plan_index(const struct resch_domain *domain, u32 cpu)
{
	if (cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, &domain->cpus))
		return -EINVAL;
	return resch_cpu_get(cpu)->rq.index;
}

/* One more reserve of a group: keeps them in order. -EINVAL: it is one too many, or overlaps. */
static int plan_add_part(struct resch_parts *parts, u32 index, u64 begin, u64 end)
{
	struct resch_part *part = parts->part;
	u32 at = parts->count;

	if (at == RESCH_PARTS_MAX)
		return -EINVAL;
	while (at && part[at - 1].begin > begin) {
		part[at] = part[at - 1];
		at--;
	}
	parts->count++;
	part[at].index = index;
	part[at].begin = begin;
	part[at].end = end;
	if ((at && part[at - 1].end > begin) || (at + 1 < parts->count && part[at + 1].begin < end))
		return -EINVAL;
	return 0;
}

/* The reserves are sorted by CPU and begin. */
static int plan_fill(struct resch_plan *plan, const struct resch_domain *domain,
		     const struct resch_reserve *reserves, u32 count)
{
	struct resch_window *windows = (struct resch_window *)plan->windows;
	struct resch_parts *parts = (struct resch_parts *)plan->parts;
	u32 *start = (u32 *)plan->start;
	u32 i, filled = 0;
	int index, err;

	for (i = 0; i < count; i++) {
		const struct resch_reserve *reserve = &reserves[i];

		if (!reserve->group || reserve->begin >= reserve->end || reserve->end > plan->slot)
			return -EINVAL;
		if (i && reserve[-1].cpu == reserve->cpu && reserve[-1].end > reserve->begin)
			return -EINVAL;
		index = plan_index(domain, reserve->cpu);
		if (index < 0)
			return index;
		/* CPUs have their indices in the order of their numbers. */
		while (filled <= index)
			start[filled++] = i;
		windows[i].begin = reserve->begin;
		windows[i].end = reserve->end;
		windows[i].group = reserve->group;
		err = plan_add_part(&parts[reserve->group], index, reserve->begin, reserve->end);
		if (err)
			return err;
	}
	while (filled <= domain->nr_peers)
		start[filled++] = count;
	return 0;
}

/* The first boundary of the slots that begin at @from which is far enough ahead. */
static u64 plan_boundary(u64 from, u64 slot, u64 now)
{
	u64 soon = now + PLAN_DELAY;

	if (!from)
		return soon;
	if (from < soon)
		from += div64_u64(soon - from + slot - 1, slot) * slot;
	return from;
}

static struct resch_plan *plan_build(const struct resch_domain *domain, struct resch_plan_set *want,
				     struct resch_reserve *reserves)
{
	struct resch_plan *plan;
	u32 i, nr_groups = 0;
	int err;

	for (i = 0; i < want->count; i++)
		nr_groups = max(nr_groups, reserves[i].group);
	if (nr_groups > RESCH_GROUPS_MAX)
		return ERR_PTR(-EINVAL);
	sort(reserves, want->count, sizeof(*reserves), plan_order, NULL);
	plan = plan_alloc(nr_groups, domain->nr_peers, want->count);
	if (!plan)
		return ERR_PTR(-ENOMEM);
	plan->slot = want->slot;
	plan->from = plan_boundary(want->from, want->slot, ktime_get());
	err = plan->from > RESCH_TIME_LAST ? -EINVAL :
					     plan_fill(plan, domain, reserves, want->count);
	if (!err)
		return plan;
	plan_destroy(plan);
	return ERR_PTR(err);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int plan_make_groups(struct resch_plans *plans, u32 count)
{
	u32 id;

	if (!plans->groups)
		plans->groups =
			kvcalloc(RESCH_GROUPS_MAX + 1, sizeof(*plans->groups), GFP_KERNEL_ACCOUNT);
	if (!plans->groups)
		return -ENOMEM;
	for (id = 1; id <= count; id++) {
		if (plans->groups[id])
			continue;
		plans->groups[id] = kzalloc(sizeof(**plans->groups), GFP_KERNEL_ACCOUNT);
		if (!plans->groups[id])
			return -ENOMEM; /* what there is stays, and does no harm */
		plans->groups[id]->id = id;
	}
	return 0;
}

void resch_plan_bind(const struct resch_domain *domain, struct resch_task *task)
{
	struct resch_group **groups = domain->plans.groups;

	lockdep_assert_held(&resch_lock);
	task->group = groups ? groups[task->params.group] : NULL;
}

const struct resch_plan *resch_plan_latest(const struct resch_plans *plans)
{
	lockdep_assert_held(&resch_lock);
	return READ_ONCE(plans->next) ?: READ_ONCE(plans->plan);
}

int resch_plan_home(const struct resch_domain *domain, const struct resch_task_params *params)
{
	const struct resch_plan *plan = resch_plan_latest(&domain->plans);
	const struct resch_parts *parts;

	if (READ_ONCE(domain->plans.next))
		return -EAGAIN; /* it would be admitted by a plan that its CPU doesn't know yet */
	if (!plan || !params->group || params->group > plan->nr_groups)
		return -EINVAL;
	parts = &plan->parts[params->group];
	return parts->count ? domain->peers[parts->part[0].index]->cpu : -EINVAL;
}

/* ---- changing -------------------------------------------------------------------------------- */

static void plan_show(struct resch_plans *plans, struct resch_domain *domain)
{
	u32 i;

	for (i = 0; i < domain->nr_peers; i++) {
		domain->peers[i]->plan = plans->plan;
		domain->peers[i]->groups = plans->groups;
	}
}

u64 resch_plan_update(struct resch_domain *domain, struct resch_cpu *rc, u64 now)
{
	struct resch_plans *plans = &domain->plans;
	u32 i;

	if (likely(!plans->next))
		return RESCH_NEVER;
	if (now < plans->next->from)
		return plans->next->from;
	plans->old = plans->plan;
	plans->plan = plans->next;
	WRITE_ONCE(plans->next, NULL);
	plan_show(plans, domain);
	for (i = 0; i < domain->nr_peers; i++) {
		if (domain->peers[i] != &rc->rq)
			resch_rq_kick(&rc->rq, domain->peers[i]);
	}
	return RESCH_NEVER;
}

static void plan_trace(const struct resch_domain *domain, const struct resch_plan_set *want,
		       const struct resch_reserve *reserves)
{
	u32 i;

	trace_resch_plan(domain->id, want->slot, want->from, want->count);
	for (i = 0; i < want->count; i++)
		trace_resch_reserve(domain->id, &reserves[i]);
}

/* @plan (NULL: none) takes the place of the last one, now or when its time comes. */
static void plan_install(struct resch_domain *domain, struct resch_plan *plan)
{
	struct resch_plans *plans = &domain->plans;
	struct resch_thread *thread;
	u32 i;

	raw_spin_lock_irq(&domain->lock);
	if (domain->whole && plans->plan && plan) {
		WRITE_ONCE(plans->next, plan);
	} else {
		plans->old = plans->plan;
		WRITE_ONCE(plans->plan, plan);
		plan_show(plans, domain);
	}
	raw_spin_unlock_irq(&domain->lock);
	list_for_each_entry(thread, &domain->threads, in_domain) {
		struct resch_cpu *rc = resch_thread_lock_irq(thread);

		resch_plan_bind(domain, &thread->task);
		resch_cpu_unlock_irq(rc);
	}
	for (i = 0; i < domain->nr_peers; i++)
		resch_cpu_kick(resch_cpu_get(domain->peers[i]->cpu));
}

/* Would the standing tasks keep their guarantees? */
static int plan_admit(const struct resch_domain *domain, const struct resch_plan *plan,
		      struct resch_verdict *verdict)
{
	const struct resch_plugin *plugin = domain->algorithm->plugin;
	const u64 *private = domain->private[domain->side];

	if (!(plugin->flags & RESCH_PLUGIN_PLAN))
		return 0;
	return resch_readmit(domain, plugin, private, plan, domain->capacity, domain->overhead,
			     verdict);
}

int resch_plan_set(struct resch_plan_set *want, struct resch_reserve *reserves)
{
	struct resch_domain *domain = resch_domain_find(want->domain);
	struct resch_plan *plan = NULL;
	struct resch_plans *plans;
	int err = 0;

	lockdep_assert_held(&resch_lock);
	memset(&want->verdict, 0, sizeof(want->verdict));
	if (!domain)
		return -ENODEV;
	if (want->count && (want->slot < PLAN_SLOT_MIN || want->slot > PLAN_SLOT_MAX))
		return -EINVAL;
	plans = &domain->plans;
	if (READ_ONCE(plans->next) || test_bit(0, &domain->ejecting))
		return -EAGAIN;
	plan_destroy(plans->old);
	plans->old = NULL;
	if (want->count) {
		plan = plan_build(domain, want, reserves);
		if (IS_ERR(plan))
			return PTR_ERR(plan);
		err = plan_make_groups(plans, plan->nr_groups);
	}
	if (!err)
		err = plan_admit(domain, plan, &want->verdict);
	if (err) {
		plan_destroy(plan);
		return err;
	}
	want->from = plan ? plan->from : 0;
	plan_install(domain, plan);
	plan_trace(domain, want, reserves);
	return 0;
}

int resch_plan_get(struct resch_plan_get *get, struct resch_reserve *reserves)
{
	const struct resch_domain *domain = resch_domain_find(get->domain);
	const struct resch_plan *plan;
	u32 i, room = get->count, index = 0;

	lockdep_assert_held(&resch_lock);
	if (!domain)
		return -ENODEV;
	plan = resch_plan_latest(&domain->plans);
	get->count = plan ? plan->start[domain->nr_peers] : 0;
	get->slot = plan ? plan->slot : 0;
	get->from = plan ? plan->from : 0;
	for (i = 0; i < get->count && i < room; i++) {
		while (plan->start[index + 1] <= i)
			index++;
		reserves[i].begin = plan->windows[i].begin;
		reserves[i].end = plan->windows[i].end;
		reserves[i].group = plan->windows[i].group;
		reserves[i].cpu = domain->peers[index]->cpu;
	}
	return i;
}

void resch_plan_free(struct resch_plans *plans)
{
	u32 id;

	plan_destroy(plans->plan);
	plan_destroy(plans->next);
	plan_destroy(plans->old);
	if (!plans->groups)
		return;
	for (id = 1; id <= RESCH_GROUPS_MAX; id++)
		kfree(plans->groups[id]);
	kvfree(plans->groups);
}
