// SPDX-License-Identifier: GPL-2.0
/* query.c - what can be read back */
#include <linux/delay.h>
#include <linux/pid.h>

#include <resch/inner.h>

#include "query.h"
#include "compat/task_work.h"
#include "core/event.h"
#include "domain/domain.h"
#include "domain/table.h"

int resch_query_info(struct resch_info *info)
{
	memset(info, 0, sizeof(*info));
	info->abi = RESCH_ABI_VERSION;
	info->level = resch_level;
	info->features = resch_stop_by_parking ? RESCH_FEATURE_PARK : RESCH_FEATURE_DEMOTE;
	info->features |= RESCH_FEATURE_SERVERS | RESCH_FEATURE_GUARDS | RESCH_FEATURE_PASSIVE;
	info->features |= RESCH_FEATURE_CHAINS | RESCH_FEATURE_LEAD | RESCH_FEATURE_DELEGATE |
			  RESCH_FEATURE_FORKS | RESCH_FEATURE_PACE;
	if (RESCH_CAN_TASK_WORK)
		info->features |= RESCH_FEATURE_REMOTE;
	info->escalate = (u64)resch_escalate_us * NSEC_PER_USEC;
	info->restored = atomic64_read(&resch_restored);
	info->events_lost = atomic64_read(&resch_events_lost);
	strscpy(info->version, RESCH_VERSION, sizeof(info->version));
	info->tasks = resch_thread_count();
	info->domains = resch_domain_count();
	info->plugins = resch_registry_count();
	return 0;
}

static u32 query_state(const struct resch_thread *thread)
{
	if (thread->rc->selected == thread)
		return RESCH_STATE_SELECTED;
	switch (thread->state) {
	case RESCH_NEW:
		return RESCH_STATE_NEW;
	case RESCH_SLEEPING:
		return RESCH_STATE_SLEEPING;
	case RESCH_READY:
		return RESCH_STATE_READY;
	case RESCH_THROTTLED:
		return RESCH_STATE_THROTTLED;
	case RESCH_GONE:
		return RESCH_STATE_GONE;
	default:
		return RESCH_STATE_BLOCKED;
	}
}

/* cpu->lock: one consistent picture. */
static void query_fill(struct resch_task_stat *stat, const struct resch_thread *thread)
{
	const struct resch_stats *from = &thread->stats;
	const struct resch_job *job = &thread->task.job;

	stat->id = thread->task.id;
	stat->params = thread->task.params;
	stat->cpu = thread->cpu;
	stat->state = query_state(thread);
	stat->job = job->index;
	stat->release = job->release;
	stat->deadline = job->deadline;
	stat->completed = from->completed;
	stat->misses = from->misses;
	stat->overruns = from->overruns;
	stat->skipped = from->skipped;
	stat->preemptions = from->preemptions;
	stat->migrations = from->migrations;
	stat->exec_total = from->exec_total;
	stat->exec_max = from->exec_max;
	stat->response_min = from->completed ? from->response_min : 0;
	stat->response_max = from->response_max;
	stat->response_total = from->response_total;
	stat->tardiness_max = from->tardiness_max;
	stat->escalations = from->escalations;
	stat->lead = thread->task.lead;
	stat->lead_late = thread->lead_late;
	stat->lead_way = thread->lead_way;
	stat->distance = thread->life.distance;
}

int resch_query_task(struct resch_task_stat *stat)
{
	struct resch_thread *thread;
	u32 id = stat->id, next = stat->next;

	if (next > 1)
		return -EINVAL;
	memset(stat, 0, sizeof(*stat));
	thread = resch_thread_get(id, next);
	if (!thread)
		return -ENOENT;
	resch_thread_lock_irq(thread);
	resch_thread_pay(thread);
	query_fill(stat, thread);
	resch_thread_unlock_irq(thread);
	stat->domain = READ_ONCE(thread->reaped) ? 0 : thread->domain_id;
	stat->pid = task_pid_vnr(thread->linux_task);
	resch_thread_put(thread);
	return 0;
}

static void query_fill_domain(struct resch_domain_stat *stat, const struct resch_domain *domain)
{
	unsigned int cpu;

	stat->domain = domain->id;
	stat->capacity = domain->capacity;
	stat->overhead = domain->overhead;
	stat->tasks = domain->nr_threads;
	stat->ejections = domain->ejections;
	stat->swaps = domain->swaps;
	strscpy(stat->plugin, domain->algorithm->plugin->name, sizeof(stat->plugin));
	strscpy(stat->options, domain->options, sizeof(stat->options));
	strscpy(stat->eject_plugin, domain->eject_plugin, sizeof(stat->eject_plugin));
	strscpy(stat->eject_reason, domain->eject_reason, sizeof(stat->eject_reason));
	for_each_cpu(cpu, &domain->cpus) {
		stat->cpus.bits[cpu / 64] |= 1ULL << (cpu % 64);
		stat->decisions += READ_ONCE(resch_cpu_get(cpu)->decisions);
	}
}

int resch_query_domain(struct resch_domain_stat *stat)
{
	struct resch_domain *domain;
	u32 id = stat->domain, next = stat->next;

	if (next > 1)
		return -EINVAL;
	memset(stat, 0, sizeof(*stat));
	resch_query_lock();
	domain = next ? resch_domain_after(id) : resch_domain_find(id);
	if (domain)
		query_fill_domain(stat, domain);
	resch_query_unlock();
	return domain ? 0 : -ENOENT;
}

int resch_query_plugin(struct resch_plugin_stat *stat)
{
	struct resch_algorithm *algorithm;
	u32 index = stat->index;

	if (stat->reserved)
		return -EINVAL;
	memset(stat, 0, sizeof(*stat));
	stat->index = index;
	resch_query_lock();
	algorithm = resch_registry_nth(index);
	if (algorithm) {
		stat->users = algorithm->users - algorithm->servers;
		stat->servers = algorithm->servers;
		stat->inner = resch_plugin_fits_inside(algorithm->plugin);
		stat->ejections = algorithm->ejections;
		strscpy(stat->name, algorithm->plugin->name, sizeof(stat->name));
		if (algorithm->plugin->about)
			strscpy(stat->about, algorithm->plugin->about, sizeof(stat->about));
	}
	resch_query_unlock();
	return algorithm ? 0 : -ENOENT;
}
