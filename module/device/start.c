// SPDX-License-Identifier: GPL-2.0
/* start.c - time zero for the tasks of a domain that wait for it */
#include <linux/ktime.h>
#include <linux/sched.h>

#include "start.h"
#include "core/cpu.h"
#include "core/jobs.h"
#include "domain/domain.h"
#include "domain/table.h"
#include "server/grant.h"

/* What a time zero that is to come as soon as possible leaves for telling all CPUs. */
#define RESCH_START_DELAY NSEC_PER_MSEC

/* Whose start the caller may tell: of a group's tasks, or of those of a grant. resch_lock. */
static bool start_is_for(const struct resch_start *start, const struct resch_grant *grant,
			 const struct resch_thread *thread)
{
	if (grant)
		return thread->grant == grant;
	return !start->group || thread->task.params.group == start->group;
}

int resch_start(struct resch_start *start, bool holder)
{
	struct resch_grant *grant = NULL;
	struct resch_domain *domain;
	struct resch_thread *thread;
	int err = 0;
	u64 now;

	mutex_lock(&resch_lock);
	domain = resch_domain_find(start->domain);
	if (holder) {
		grant = domain ? resch_grant_of(domain, start->group) : ERR_PTR(-EPERM);
		err = PTR_ERR_OR_ZERO(grant);
		if (err)
			goto out;
	}
	now = ktime_get();
	if (!start->time)
		start->time = now + RESCH_START_DELAY;
	if (start->reserved)
		err = -EINVAL;
	else if (!domain)
		err = -ENODEV;
	else if (start->time <= now || start->time > RESCH_TIME_LAST)
		err = -ETIME;
	if (err)
		goto out;
	start->waiting = 0;
	list_for_each_entry(thread, &domain->threads, in_domain) {
		struct resch_cpu *rc;

		if (!start_is_for(start, grant, thread))
			continue;
		rc = resch_thread_lock_irq(thread);
		if (thread->waiting_start && thread->state != RESCH_GONE) {
			resch_job_start_at(thread, start->time, now);
			start->waiting++;
		}
		resch_cpu_unlock_irq(rc);
		resch_cpu_kick(rc);
		/* No breath: who sleeps here at the ceiling tells the last ones after time zero. */
		cond_resched();
	}
out:
	mutex_unlock(&resch_lock);
	return err;
}
