// SPDX-License-Identifier: GPL-2.0
/* takeover.c - standing tasks and their current jobs go from one plugin to another */
#include <linux/ktime.h>

#include "takeover.h"
#include "core/agenda.h"
#include "core/direct.h"
#include "core/engine.h"
#include "core/park.h"
#include "core/trace.h"

void resch_takeover_begin(struct resch_domain *domain, struct resch_cpu *rc,
			  const struct resch_plugin *plugin)
{
	memset(rc->rq.private, 0, sizeof(rc->rq.private));
	rc->rq.domain = domain->private[domain->side];
	rc->rq.plan = domain->plans.plan;
	rc->rq.groups = domain->plans.groups;
	rc->rq.peers = domain->peers;
	rc->rq.nr_peers = domain->nr_peers;
	rc->whole = plugin->flags & RESCH_PLUGIN_WHOLE;
	rc->ordered = plugin->flags & RESCH_PLUGIN_ORDERED;
	rc->fixed = plugin->flags & RESCH_PLUGIN_FIXED;
	if (rc->ordered)
		rc->order = *plugin->order;
	rc->rq.capacity = domain->capacity;
	rc->rq.overhead = domain->overhead;
	resch_server_reset(rc);
	rc->plugin = plugin;
	rc->domain = domain;
	rc->until = RESCH_NEVER;
	rc->starved = 0;
	rc->slow = 0;
	rc->fault = NULL;
	resch_cpu_thaw(rc);
}

/* The tasks that live on this CPU leave their plugin, wherever they are. The lock of that. */
static void takeover_undress(struct resch_cpu *rc, u64 now)
{
	const struct resch_plugin *from = rc->plugin;
	struct resch_task *task;

	resch_rq_for_each(&rc->rq, task) {
		if (resch_thread_of(task)->state == RESCH_GONE)
			continue;
		resch_direct_end(resch_thread_of(task));
		resch_thread_of(task)->apart = false;
		if (task->ready)
			from->dequeue(task->rq, task, RESCH_WHY_DETACH, now);
		if (from->detach)
			from->detach(task->rq, task);
		memset(task->private, 0, sizeof(task->private));
		task->outer = 0;
		memset(&task->node, 0, sizeof(task->node));
	}
}

/* The tasks that live on this CPU come under another plugin. cpu->lock. */
static void takeover_redress(struct resch_domain *domain, struct resch_cpu *rc,
			     const struct resch_plugin *to, u64 now)
{
	const struct resch_plugin *from = rc->plugin;
	struct resch_task *task;

	resch_takeover_begin(domain, rc, to);
	resch_rq_for_each(&rc->rq, task) {
		if (resch_thread_of(task)->state == RESCH_GONE)
			continue;
		if (to->attach)
			to->attach(&rc->rq, task);
		if (task->ready)
			to->enqueue(&rc->rq, task, RESCH_WHY_TAKEOVER, now);
	}
	trace_resch_swap(domain->id, rc->number, from->name, to->name);
}

/* The thread goes back to where it lives. The domain's lock. */
static void takeover_go_home(struct resch_thread *thread, u64 now)
{
	struct resch_cpu *rc = thread->rc;

	if (rc == thread->home)
		return;
	if (rc->selected == thread) {
		resch_agenda_deselect(rc, RESCH_OFF_PREEMPT, now);
		resch_park_stop(thread, now);
	}
	resch_agenda_move(thread, thread->home);
}

/* All threads at one level, as a plugin for the whole domain needs it. cpu->lock. */
static void takeover_flatten(struct resch_cpu *rc, u64 now)
{
	struct resch_task *task;

	resch_engine_uncover(rc, 0, now);
	resch_rq_for_each(&rc->rq, task) {
		struct resch_thread *thread = resch_thread_of(task);

		if (thread->level == resch_level)
			continue;
		thread->level = resch_level;
		thread->ceiling = thread->entered;
		if (thread->entered)
			resch_cpu_adjust(thread);
	}
}

/* From one plugin that decides for each CPU by itself to another such. */
static void takeover_each(struct resch_domain *domain, const struct resch_plugin *to)
{
	unsigned int cpu;
	u64 now;

	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		resch_cpu_lock_irq(rc);
		now = ktime_get();
		takeover_undress(rc, now);
		takeover_redress(domain, rc, to, now);
		resch_cpu_unlock_irq(rc);
	}
}

/* From or to a plugin that decides for all CPUs: for all at once, under the domain's lock. */
static void takeover_all(struct resch_domain *domain, const struct resch_plugin *to)
{
	bool is = to->flags & RESCH_PLUGIN_WHOLE;
	struct resch_task *task;
	struct resch_cpu *rc;
	unsigned int cpu;
	u64 now;

	raw_spin_lock_irq(&domain->lock);
	now = ktime_get();
	for_each_cpu(cpu, &domain->cpus) {
		if (!domain->whole)
			break;
		rc = resch_cpu_get(cpu);
		takeover_undress(rc, now);
		resch_rq_for_each(&rc->rq, task)
			takeover_go_home(resch_thread_of(task), now);
	}
	for_each_cpu(cpu, &domain->cpus) {
		rc = resch_cpu_get(cpu);
		raw_spin_lock(&rc->own);
		if (!domain->whole) {
			takeover_undress(rc, now);
			takeover_flatten(rc, now);
		}
		WRITE_ONCE(rc->lock, is ? &domain->lock : &rc->own);
		takeover_redress(domain, rc, to, now);
		raw_spin_unlock(&rc->own);
	}
	domain->whole = is;
	raw_spin_unlock_irq(&domain->lock);
}

void resch_takeover(struct resch_domain *domain, const struct resch_plugin *to)
{
	unsigned int cpu;

	if (domain->whole || to->flags & RESCH_PLUGIN_WHOLE)
		takeover_all(domain, to);
	else
		takeover_each(domain, to);
	for_each_cpu(cpu, &domain->cpus) {
		resch_direct_survey(resch_cpu_get(cpu));
		resch_cpu_kick(resch_cpu_get(cpu));
	}
}
