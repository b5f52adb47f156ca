// SPDX-License-Identifier: GPL-2.0
/*
 * family.c - threads and children of a server's members join the server
 *
 * Fork's probe can neither allocate nor take resch_lock. So the registration of a member's next
 * child (its *heir*) is made beforehand, by the member on its way to user mode. The probe gives it
 * to the child as task work, which the child meets before its first instruction; before that it is
 * an ordinary thread (reset-on-fork), on its parent's CPU, and executes nothing but the kernel's
 * end of fork.
 *
 * Joining is done for it, under resch_lock: by the parent as it leaves the system call, at its own
 * expense; or, where the parent does not (vfork(), death), by a worker. From then on the child is
 * a registered thread that has been demoted: when the server picks it the helper raises it, and it
 * runs on to its task work within the server's budget, installs its hook there and goes on. A child
 * that arrives there before it has joined waits, as does one for which there is no room: it costs
 * nothing and can be killed.
 *
 * Until a child has joined it is neither in the hash nor on a CPU's list: nobody but its task work,
 * the list of calls and its server's queue know it. The first has a reference (work_owns), so has
 * the second; the third lives on the one of the registration, which goes when it is abandoned.
 */
#include <linux/ktime.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "family.h"
#include "grant.h"
#include "members.h"
#include "newcomer.h"
#include "band.h"
#include "core/event.h"
#include "core/jobs.h"
#include "core/life.h"
#include "core/park.h"
#include "core/reap.h"
#include "core/retire.h"
#include "domain/domain.h"
#include "domain/table.h"
#include "linux/hooks.h"
#include "linux/restore.h"

/* ---- the parent ------------------------------------------------------------------------------ */

void resch_family_expect(struct resch_thread *parent)
{
	struct resch_thread *heir;

	if (parent->heir)
		return;
	heir = resch_thread_create(NULL, &parent->task.params);
	memset(heir->task.params.name, 0, sizeof(heir->task.params.name));
	heir->task.params.flags |= RESCH_F_SKIP_ADMISSION;
	heir->saved_attr = parent->saved_attr;
	resch_restore_inherit(&heir->saved_attr);
	heir->saved_slack = parent->saved_slack;
	heir->domain_id = parent->domain_id;
	heir->contained = parent->contained;
	heir->grant = resch_grant_get(parent->grant);
	heir->home = parent->home;
	heir->rc = parent->home;
	heir->cpu = parent->home->number;
	heir->run = false;
	parent->heir = heir;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* 0, -EAGAIN: it waits for room; or it can't. resch_lock. */
static int family_join(struct resch_thread *thread)
{
	struct resch_domain *domain = resch_domain_find(thread->domain_id);
	const struct resch_thread *parent = thread->parent;
	struct resch_file *file = thread->root->file;
	struct resch_verdict verdict;
	int err;

	/* What has taken its parent out of the server, death aside, is for it, too. */
	if (READ_ONCE(parent->state) == RESCH_GONE && parent->gone != RESCH_GONE_EXIT)
		return -ECANCELED;
	if (!domain || !file)
		return -ECANCELED;
	err = resch_server_queue(domain, thread);
	if (err)
		return err;
	return resch_band_enter(domain, thread, file, &verdict);
}

/*
 * It has joined: from here on the engine has it run, and it is given back what it had. resch_lock.
 */
static void family_start(struct resch_thread *thread)
{
	/* It is where its parent was; its server may be elsewhere. */
	if (!cpumask_test_cpu(thread->cpu, &thread->linux_task->cpus_mask))
		set_cpus_allowed_ptr(thread->linux_task, cpumask_of(thread->cpu));
	mutex_lock(&thread->home->adjust_lock);
	resch_restore_level(thread, false);
	mutex_unlock(&thread->home->adjust_lock);
	resch_thread_lock_irq(thread);
	WRITE_ONCE(thread->entered, true);
	if (thread->state != RESCH_GONE)
		resch_job_start(thread, ktime_get());
	resch_thread_unlock_irq(thread);
	resch_cpu_kick(thread->home);
}

/*
 * There is nothing to join: it becomes what it would have been without us. Unless it is registered
 * already, by hand and faster than we were. resch_lock.
 */
static void family_abandon(struct resch_thread *thread, bool registered)
{
	struct resch_domain *domain = resch_domain_find(thread->domain_id);
	struct task_struct *task = thread->linux_task;

	if (!READ_ONCE(thread->dead) && !registered) {
		resch_restore_cpus(task, &thread->saved_cpus);
		sched_setattr_nocheck(task, &thread->saved_attr);
		resch_restore_slack(task, thread->saved_slack);
	}
	resch_thread_lock_irq(thread);
	thread->state = RESCH_GONE;
	thread->run = true;
	resch_park_go(thread);
	resch_thread_unlock_irq(thread);
	if (domain)
		resch_server_pass(domain, &thread->task.params);
	resch_thread_put(thread);
}

static void family_look(struct resch_thread *thread)
{
	bool dead = READ_ONCE(thread->dead);
	int err = 0;

	if (READ_ONCE(thread->state) == RESCH_GONE)
		return;
	if (thread->entered) {
		if (!dead)
			return;
		resch_thread_lock_irq(thread);
		resch_thread_retire(thread, RESCH_GONE_EXIT, ktime_get());
		resch_thread_unlock_irq(thread);
		resch_cpu_kick(thread->home);
		return;
	}
	list_del_init(&thread->waiting);
	if (!dead) {
		resch_restore_look(thread);
		err = family_join(thread);
	}
	if (dead || (err && err != -EAGAIN))
		family_abandon(thread, err == -EEXIST);
	else if (!err)
		family_start(thread);
	if (err != -EAGAIN) {
		resch_thread_put(thread->parent);
		thread->parent = NULL;
	}
}

/* Process context, no locks: it may have to attach the hooks. */
static void family_settle(void)
{
	struct resch_thread *thread, *next;
	struct llist_node *list;
	/* If not, nobody joins. */
	bool hooks = !resch_hooks_get();

	mutex_lock(&resch_lock);
	list = llist_reverse_order(llist_del_all(&resch_family_calls));
	llist_for_each_entry_safe(thread, next, list, call) {
		/* From here on a new call adds it again. */
		clear_bit(0, &thread->calling);
		smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in family_note() */
		family_look(thread);
		resch_thread_put(thread);
	}
	mutex_unlock(&resch_lock);
	if (hooks)
		resch_hooks_put();
}

static void family_work(struct work_struct *work)
{
	family_settle();
}

void resch_family_meet(void)
{
	struct resch_thread *raised = resch_thread_raise();

	family_settle();
	resch_thread_lower(raised);
}

/* ---- the child ------------------------------------------------------------------------------- */

/* Under no lock: who dies can't be raised for resch_lock. A worker does the rest. */
void resch_family_lose(struct resch_thread *thread)
{
	WRITE_ONCE(thread->dead, true);
	resch_family_call(thread);
}

bool resch_family_born(struct resch_thread *thread)
{
	if (!READ_ONCE(thread->entered) && READ_ONCE(thread->state) != RESCH_GONE) {
		resch_family_call(thread);
		resch_park_hold(thread, false);
		if (!READ_ONCE(thread->entered) && READ_ONCE(thread->state) != RESCH_GONE) {
			resch_family_lose(thread); /* a fatal signal */
			return false;
		}
	}
	if (!READ_ONCE(thread->entered))
		return false;
	/*
	 * It has joined: its next child needs an heir, even if it comes just after the
	 * registration's end.
	 */
	resch_family_expect(thread);
	if (READ_ONCE(thread->state) == RESCH_GONE)
		return false;
	resch_thread_hook(thread);
	/*
	 * Who ended the registration meanwhile may have done so before there was a hook to take
	 * off.
	 */
	if (READ_ONCE(thread->state) == RESCH_GONE) {
		resch_thread_leave(thread);
		return false;
	}
	if (raw_smp_processor_id() != thread->cpu)
		resch_restore_pin(thread);
	return true;
}

void __init resch_family_init(void)
{
	INIT_WORK(&resch_family_worker, family_work);
}

void resch_family_exit(void)
{
	flush_work(&resch_family_worker);
}
