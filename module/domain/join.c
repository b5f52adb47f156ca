// SPDX-License-Identifier: GPL-2.0
/* join.c - a thread finds its CPU, and leaves it */

#include "join.h"
#include "core/direct.h"
#include "core/levels.h"
#include "linux/restore.h"
#include "server/members.h"

static int domain_admit(struct resch_cpu *rc, struct resch_thread *thread,
			struct resch_verdict *verdict)
{
	int err = 0;

	if (!READ_ONCE(rc->online))
		return -ENODEV;
	thread->task.rq = &rc->rq;
	if (!(thread->task.params.flags & RESCH_F_SKIP_ADMISSION))
		err = rc->plugin->admit(&rc->rq, &thread->task, verdict);
	if (err)
		verdict->cpu = rc->number;
	return err;
}

/*
 * -ENODEV: it has gone offline since it admitted the thread; nobody would retire who joins it now.
 */
static int domain_attach(struct resch_cpu *rc, struct resch_thread *thread)
{
	u32 level = resch_levels_join(rc, thread);
	struct resch_cpu *old;

	/*
	 * The child of a member may be on its way, and at work under the lock of its parent's CPU.
	 */
	if (thread->rc && thread->rc != rc) {
		old = resch_thread_lock_irq(thread);
		WRITE_ONCE(thread->rc, rc);
		resch_cpu_unlock_irq(old);
	}
	thread->rc = rc;
	resch_cpu_lock_irq(rc);
	if (unlikely(!rc->online)) {
		resch_cpu_unlock_irq(rc);
		return -ENODEV;
	}
	thread->home = rc;
	thread->cpu = rc->number;
	thread->pinned = rc->number;
	thread->level = level;
	if (!rc->rq.tasks)
		rc->last = &rc->rq.tasks;
	thread->link = rc->last;
	*rc->last = &thread->task;
	rc->last = &thread->task.next;
	rc->rq.nr_tasks++;
	if (rc->plugin->attach)
		rc->plugin->attach(&rc->rq, &thread->task);
	resch_cpu_unlock_irq(rc);
	resch_direct_survey(rc);
	return 0;
}

/*
 * On which CPUs of the domain the thread may be. Modules can't ask a cpuset, but the affinity of a
 * thread is always within its cpuset; so CAP_SYS_NICE in a container, which is not meant to reach
 * what is outside of it, is for these. -EPERM: none of them, or not @wanted.
 */
static int domain_within(const struct resch_domain *domain, struct resch_thread *thread, s32 wanted,
			 cpumask_t *within)
{
	cpumask_copy(within, &domain->cpus);
	if (!thread->contained)
		return 0;
	resch_restore_allowed(thread, within);
	/* A plugin that decides for all of them moves it over all of them. */
	if (domain->algorithm->plugin->flags & RESCH_PLUGIN_WHOLE &&
	    !cpumask_subset(&domain->cpus, within))
		return -EPERM;
	if (!cpumask_and(within, within, &domain->cpus))
		return -EPERM;
	return wanted < 0 || cpumask_test_cpu(wanted, within) ? 0 : -EPERM;
}

int resch_domain_join(struct resch_domain *domain, struct resch_thread *thread,
		      struct resch_verdict *verdict)
{
	s32 wanted = thread->task.params.cpu;
	static cpumask_t within; /* resch_lock */
	unsigned int cpu;
	int err;

	lockdep_assert_held(&resch_lock);
	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	if (domain->algorithm->plugin->flags & RESCH_PLUGIN_PLAN) {
		wanted = resch_plan_home(domain, &thread->task.params);
		if (wanted < 0)
			return wanted;
	}
	if (domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) {
		int home = resch_server_home(domain, &thread->task.params);

		if (home < 0 || (wanted >= 0 && wanted != home))
			return -EINVAL;
		wanted = home;
	}
	err = domain_within(domain, thread, wanted, &within);
	if (err)
		return err;
	err = -ENODEV;
	resch_plan_bind(domain, &thread->task);
	resch_server_bind(domain, &thread->task);
	for_each_cpu(cpu, &within) {
		if (wanted >= 0 && wanted != cpu)
			continue;
		err = domain_admit(resch_cpu_get(cpu), thread, verdict);
		if (!err)
			err = domain_attach(resch_cpu_get(cpu), thread);
		if (!err)
			break;
	}
	if (err)
		return err;
	resch_server_join(thread);
	thread->domain = domain;
	thread->domain_id = domain->id;
	domain->nr_threads++;
	list_add_tail(&thread->in_domain, &domain->threads);
	return 0;
}

void resch_domain_quit(struct resch_thread *thread)
{
	struct resch_task *next = thread->task.next;
	struct resch_cpu *rc = thread->home;

	lockdep_assert_held(&resch_lock);
	resch_cpu_lock_irq(rc);
	*thread->link = next;
	if (next)
		resch_thread_of(next)->link = thread->link;
	else
		rc->last = thread->link;
	rc->rq.nr_tasks--;
	resch_cpu_unlock_irq(rc);
	resch_server_quit(thread);
	list_del_init(&thread->in_domain);
	thread->domain->nr_threads--;
	thread->domain = NULL;
	resch_cpu_kick(rc);
}
