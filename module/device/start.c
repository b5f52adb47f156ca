// SPDX-License-Identifier: GPL-2.0
/* start.c - time zero for the tasks of a domain that wait for it */
#include <linux/ktime.h>

#include "start.h"
#include "core/cpu.h"
#include "core/jobs.h"
#include "domain/domain.h"
#include "domain/table.h"

/* What a time zero that is to come as soon as possible leaves for telling all CPUs. */
#define RESCH_START_DELAY NSEC_PER_MSEC

int resch_start(struct resch_start *start)
{
	struct resch_domain *domain;
	struct resch_thread *thread;
	u64 now;
	int err = 0;

	mutex_lock(&resch_lock);
	domain = resch_domain_find(start->domain);
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

		if (start->group && thread->task.params.group != start->group)
			continue;
		rc = resch_thread_lock_irq(thread);
		if (thread->waiting_start && thread->state != RESCH_GONE) {
			resch_job_start_at(thread, start->time, now);
			start->waiting++;
		}
		resch_cpu_unlock_irq(rc);
		resch_cpu_kick(rc);
	}
out:
	mutex_unlock(&resch_lock);
	return err;
}
