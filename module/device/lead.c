// SPDX-License-Identifier: GPL-2.0
/* lead.c - how far ahead of its releases a task is woken */
#include <linux/ktime.h>

#include "lead.h"
#include "core/agenda.h"
#include "core/straight.h"
#include "core/trace.h"
#include "domain/readmit.h"

/* May it have that lead, by what it is? */
static int lead_check(const struct resch_thread *thread, u64 lead)
{
	const struct resch_task_params *params = &thread->task.params;

	if (!resch_thread_may(thread->linux_task))
		return -EPERM;
	if (thread->reaped || READ_ONCE(thread->state) == RESCH_GONE)
		return -ENOENT;
	if (params->kind != RESCH_PERIODIC || lead >= RESCH_LEAD_MAX || lead >= params->period)
		return -EINVAL;
	if (!resch_plugin_may_lead(thread->domain->algorithm->plugin))
		return -EOPNOTSUPP;
	return thread->stage ? -EBUSY : 0;
}

static void lead_apply(struct resch_thread *thread, u64 lead)
{
	struct resch_cpu *rc = resch_thread_lock_irq(thread);

	thread->task.lead = lead;
	resch_thread_straighten(thread);
	if (thread->state == RESCH_SLEEPING)
		resch_agenda_arm(thread);
	trace_resch_lead(thread, ktime_get(), lead);
	resch_cpu_unlock_irq(rc);
	resch_cpu_kick(rc);
}

int resch_lead_set(struct resch_lead *want)
{
	bool promised;
	struct resch_thread *thread;
	int err;

	lockdep_assert_held(&resch_lock);
	if (want->reserved)
		return -EINVAL;
	thread = resch_thread_get(want->id, false);
	if (!thread)
		return -ENOENT;
	memset(&want->verdict, 0, sizeof(want->verdict));
	promised = !(thread->task.params.flags & RESCH_F_SKIP_ADMISSION);
	err = lead_check(thread, want->lead);
	if (!err && promised && want->lead > thread->task.lead)
		err = resch_readmit_lead(thread->domain, &thread->task, want->lead, &want->verdict);
	if (!err)
		lead_apply(thread, want->lead);
	resch_thread_put(thread);
	return err;
}
