// SPDX-License-Identifier: GPL-2.0
/* hooks.c - where the kernel tells us what threads do */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/binfmts.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "hooks.h"
#include "restore.h"
#include "compat/runnable.h"
#include "core/cpu.h"
#include "core/park.h"
#include "core/retire.h"
#include "server/newcomer.h"

/*
 * How long the hooks stay attached when the last thread has gone, seconds. Attaching and detaching
 * rewrites kernel text on all CPUs; programs that register one after the other should not make the
 * machine do so each time.
 */
#define RESCH_HOOKS_LINGER 2

/*
 * Attaching and detaching may wait for a grace period of the kernel, and for who takes a CPU
 * offline: so nothing but these is done under it, and it is taken outside of resch_lock.
 */
static DEFINE_MUTEX(hooks_mutex);
static bool hooks_attached; /* hooks_mutex */
static atomic_t hooks_users = ATOMIC_INIT(0); /* from 0 to 1 under hooks_mutex, and attached */

/* ---- per thread ------------------------------------------------------------------------------ */

/* rq->lock of this CPU, interrupts off. */
static void hooks_sched_out(struct preempt_notifier *notifier, struct task_struct *next)
{
	struct resch_thread *thread = container_of(notifier, struct resch_thread, notifier);

	if (likely(resch_task_is_runnable(current) || READ_ONCE(thread->held)))
		return; /* preempted, or about to sleep in this module */
	if (unlikely(READ_ONCE(current->__state) == TASK_DEAD))
		WRITE_ONCE(thread->dead, true);
	WRITE_ONCE(thread->kblocked, true);
	resch_cpu_note(thread);
}

/* No lock, interrupts on, preemption off. */
static void hooks_sched_in(struct preempt_notifier *notifier, int cpu)
{
	struct resch_thread *thread = container_of(notifier, struct resch_thread, notifier);

	if (likely(!READ_ONCE(thread->kblocked) && cpu == thread->cpu))
		return;
	/*
	 * sched_wakeup has said so already, unless the thread woke in a way that has no such event.
	 */
	if (READ_ONCE(thread->kblocked)) {
		WRITE_ONCE(thread->kblocked, false);
		resch_cpu_note(thread);
	}
	if (cpu != thread->cpu)
		resch_park_astray(thread);
}

static struct preempt_ops hooks_preempt_ops = {
	.sched_in = hooks_sched_in,
	.sched_out = hooks_sched_out,
};

struct resch_thread *resch_hooks_current(void)
{
	struct preempt_notifier *notifier;

	/* Only current itself changes its list. KVM may have put one there, too. */
	hlist_for_each_entry(notifier, &current->preempt_notifiers, link) {
		if (notifier->ops == &hooks_preempt_ops)
			return container_of(notifier, struct resch_thread, notifier);
	}
	return NULL;
}

void resch_hooks_watch(struct resch_thread *thread)
{
	preempt_notifier_inc();
	preempt_notifier_init(&thread->notifier, &hooks_preempt_ops);
	preempt_notifier_register(&thread->notifier);
}

void resch_hooks_unwatch(struct resch_thread *thread)
{
	preempt_notifier_unregister(&thread->notifier);
	resch_hooks_forget();
}

void resch_hooks_forget(void)
{
	preempt_notifier_dec();
}

/* ---- system-wide ----------------------------------------------------------------------------- */

/* Preemption or interrupts off; mostly under the rq->lock of the CPU on which @task wakes. */
static void hooks_sched_wakeup(void *data, struct task_struct *task)
{
	struct resch_thread *thread;

	/* A word that is at hand here answers for all others. */
	if (hlist_empty(&task->preempt_notifiers))
		return;
	thread = resch_thread_find(task);
	if (!thread || !READ_ONCE(thread->kblocked))
		return;
	WRITE_ONCE(thread->kblocked, false);
	resch_cpu_note(thread);
}

/* Preemption off up to 6.19, not after; no lock. The child has not run yet. */
static void hooks_sched_process_fork(void *data, struct task_struct *parent,
				     struct task_struct *child)
{
	struct resch_thread *thread;

	rcu_read_lock();
	thread = resch_thread_find(parent);
	if (!thread || !READ_ONCE(thread->entered)) {
		rcu_read_unlock();
		return;
	}
	if (thread->task.params.flags & RESCH_F_FAMILY)
		resch_family_child(thread, child);
	else if (READ_ONCE(thread->state) != RESCH_GONE)
		resch_restore_child(thread, child);
	rcu_read_unlock();
}

/* Preemption off up to 6.19, not after; no lock; @task is current. */
static void hooks_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	struct resch_thread *thread;
	unsigned long flags;

	rcu_read_lock();
	thread = resch_thread_find(task);
	if (thread && thread->task.params.kind != RESCH_WAKEUP) {
		struct resch_cpu *rc = resch_thread_lock_irqsave(thread, flags);

		resch_thread_retire(thread, RESCH_GONE_EXEC, ktime_get());
		resch_cpu_unlock_irqrestore(rc, flags);
		resch_cpu_kick(rc);
	}
	rcu_read_unlock();
}

static struct hooks_probe {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint; /* constant after init */
} hooks_probes[] = {
	{ "sched_wakeup", hooks_sched_wakeup },
	{ "sched_process_fork", hooks_sched_process_fork },
	{ "sched_process_exec", hooks_sched_process_exec },
};

static void hooks_find(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!strcmp(tracepoint->name, hooks_probes[i].name))
			hooks_probes[i].tracepoint = tracepoint;
	}
}

static void hooks_detach(unsigned int count)
{
	while (count--)
		tracepoint_probe_unregister(hooks_probes[count].tracepoint,
					    hooks_probes[count].probe, NULL);
}

static int hooks_attach(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		err = tracepoint_probe_register(hooks_probes[i].tracepoint, hooks_probes[i].probe,
						NULL);
		if (err) {
			pr_err("could not attach to the tracepoint %s: error %d\n",
			       hooks_probes[i].name, err);
			hooks_detach(i);
			return err;
		}
	}
	return 0;
}

static void hooks_idle_work(struct work_struct *work)
{
	mutex_lock(&hooks_mutex);
	if (hooks_attached && !atomic_read(&hooks_users)) {
		hooks_detach(ARRAY_SIZE(hooks_probes));
		preempt_notifier_dec();
		hooks_attached = false;
	}
	mutex_unlock(&hooks_mutex);
}

static DECLARE_DELAYED_WORK(hooks_idle, hooks_idle_work);

int resch_hooks_get(void)
{
	int err = 0;

	if (resch_hooks_hold())
		return 0;
	mutex_lock(&hooks_mutex);
	if (!hooks_attached) {
		err = hooks_attach();
		if (!err)
			preempt_notifier_inc();
		hooks_attached = !err;
	}
	if (!err)
		atomic_inc(&hooks_users);
	mutex_unlock(&hooks_mutex);
	return err;
}

bool resch_hooks_hold(void)
{
	return atomic_inc_not_zero(&hooks_users);
}

void resch_hooks_put(void)
{
	if (atomic_dec_and_test(&hooks_users))
		mod_delayed_work(resch_workqueue, &hooks_idle, RESCH_HOOKS_LINGER * HZ);
}

int __init resch_hooks_init(void)
{
	unsigned int i;

	check_trace_callback_type_sched_wakeup(hooks_sched_wakeup);
	check_trace_callback_type_sched_process_fork(hooks_sched_process_fork);
	check_trace_callback_type_sched_process_exec(hooks_sched_process_exec);
	for_each_kernel_tracepoint(hooks_find, NULL);
	for (i = 0; i < ARRAY_SIZE(hooks_probes); i++) {
		if (!hooks_probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s (CONFIG_TRACEPOINTS): cannot load\n",
			       hooks_probes[i].name);
			return -ENOENT;
		}
	}
	return 0;
}

void resch_hooks_exit(void)
{
	cancel_delayed_work_sync(&hooks_idle);
	hooks_idle_work(NULL);
	tracepoint_synchronize_unregister();
	/*
	 * Task work that has just dropped the last reference may still be on its way out of our
	 * text.
	 */
	synchronize_rcu_tasks();
}
