// SPDX-License-Identifier: GPL-2.0
/* guard.c - which CPUs are guarded, by what rules, and what it has cost */
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "affinity.h"
#include "balance.h"
#include "bell.h"
#include "clock.h"
#include "crowd.h"
#include "deliver.h"
#include "guard.h"
#include "move.h"
#include "probe.h"
#include "state.h"
#include "todo.h"
#include "visitor.h"
#include "compat/arch.h"
#include "compat/probe_sleep.h"
#include "compat/task_work.h"
#include "compat/user_worker.h"
#include "domain/domain.h"
#include "domain/table.h"

/*
 * Calls that take no lock that another CPU may hold, and do next to nothing. Most programs make the
 * ones that tell the time without entering the kernel at all. Of the clocks those that are read
 * without a lock (probe.c).
 */
static bool guard_is_cheap(unsigned int nr)
{
	switch (nr) {
	case __NR_getpid:
	case __NR_gettid:
	case __NR_getppid:
	case __NR_getuid:
	case __NR_geteuid:
	case __NR_getgid:
	case __NR_getegid:
	case __NR_umask:
	case __NR_getcpu:
	case __NR_gettimeofday:
	case __NR_clock_gettime:
	case __NR_clock_getres:
	case __NR_set_tid_address:
	case __NR_sched_get_priority_max:
	case __NR_sched_get_priority_min:
		return true;
	default:
		return resch_arch_is_cheap(nr);
	}
}

/* Makers of threads and programs: their children must be born at home. */
static bool guard_makes(unsigned int nr)
{
	return nr == __NR_clone || nr == __NR_clone3 || nr == __NR_execve || nr == __NR_execveat ||
	       resch_arch_forks(nr);
}

/* ---- raising and lowering -------------------------------------------------------------------- */

static int guard_exempt(struct resch_guard *guard, const struct resch_guard *old,
			const struct resch_guard_set *want)
{
	unsigned int i;

	if (want->flags & RESCH_GUARD_EXEMPT) {
		for (i = 0; i < RESCH_CALLS_MAX; i++) {
			if (want->exempt.bits[i / 64] >> (i % 64) & 1)
				__set_bit(i, guard->exempt);
		}
	} else if (old) {
		bitmap_copy(guard->exempt, old->exempt, RESCH_CALLS_MAX);
	} else {
		for (i = 0; i < RESCH_CALLS_MAX; i++) {
			if (guard_is_cheap(i))
				__set_bit(i, guard->exempt);
		}
	}
	for (i = 0; i < RESCH_CALLS_MAX; i++) {
		if (test_bit(i, guard->exempt) && guard_makes(i))
			return -EINVAL;
	}
	return 0;
}

/* Counters for each CPU that can be. */
static int guard_room(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		u64 **calls = &per_cpu(resch_guard_cpus, cpu).calls;

		if (!*calls)
			*calls = kcalloc(RESCH_CALLS_MAX, sizeof(u64), GFP_KERNEL);
		if (!*calls)
			return -ENOMEM;
	}
	return 0;
}

static void guard_reset(unsigned int cpu)
{
	struct resch_guard_cpu *counts = &per_cpu(resch_guard_cpus, cpu);

	counts->moved = 0;
	counts->moved_other = 0;
	counts->faults = 0;
	counts->signals = 0;
	counts->exempted = 0;
	counts->failed = 0;
	counts->lent = 0;
	counts->recalled = 0;
	resch_balance_reset(cpu);
	memset(counts->calls, 0, RESCH_CALLS_MAX * sizeof(u64));
}

/* resch_guard_mutex */
static void guard_summarize(void)
{
	struct resch_guard *common = &resch_guard_common;
	unsigned int cpu;

	common->flags = 0;
	bitmap_fill(common->exempt, RESCH_CALLS_MAX);
	for_each_cpu(cpu, &resch_guard_rt) {
		const struct resch_guard *guard = per_cpu(resch_guard_cpus, cpu).guard;

		common->flags |= guard->flags;
		bitmap_and(common->exempt, common->exempt, guard->exempt, RESCH_CALLS_MAX);
	}
	resch_guard_probe_summarize();
	resch_balance_summarize();
}

/* Who ought to be a visitor becomes one, and all are where they may be. Process context. */
static void guard_settle(void)
{
	mutex_lock(&resch_guard_mutex);
	if (resch_guard_stands()) {
		resch_visitor_update();
		resch_visitor_gather();
	}
	mutex_unlock(&resch_guard_mutex);
	resch_guard_move_kick();
}

/*
 * The guard of @domain is @guard from now on, and guard_settle() is to follow; NULL: none.
 * resch_lock.
 */
static void guard_change(struct resch_domain *domain, struct resch_guard *guard)
{
	struct resch_guard *old = domain->guard;
	unsigned int cpu;

	mutex_lock(&resch_guard_mutex);
	if (!guard)
		cpumask_andnot(&resch_guard_rt, &resch_guard_rt, &domain->cpus);
	for_each_cpu(cpu, &domain->cpus) {
		if (guard && !old)
			guard_reset(cpu);
		/* Pairs with the READ_ONCE() in probe_guard(). */
		smp_store_release(&per_cpu(resch_guard_cpus, cpu).guard, guard);
	}
	domain->guard = guard;
	if (guard)
		cpumask_or(&resch_guard_rt, &resch_guard_rt, &domain->cpus);
	resch_guard_changes++;
	guard_summarize();
	resch_guard_move_away();
	if (!resch_guard_stands())
		resch_visitor_release();
	mutex_unlock(&resch_guard_mutex);
	if (old)
		kfree_rcu(old, rcu);
}

static int guard_raise(struct resch_domain *domain, const struct resch_guard_set *want)
{
	bool first = !resch_guard_stands();
	struct resch_guard *guard;
	cpumask_t nrt;
	int err;

	cpumask_andnot(&nrt, cpu_active_mask, &resch_guard_rt);
	if (cpumask_subset(&nrt, &domain->cpus) && !domain->guard)
		return -EINVAL;
	guard = kzalloc(sizeof(*guard), GFP_KERNEL_ACCOUNT);
	if (!guard)
		return -ENOMEM;
	guard->flags = want->flags & ~RESCH_GUARD_EXEMPT;
	guard->policies = domain->guard ? domain->guard->policies : RESCH_BALANCE_ALL;
	err = guard_exempt(guard, domain->guard, want);
	if (!err)
		err = guard_room();
	if (!err)
		err = resch_balance_room();
	if (!err && first)
		err = resch_guard_attach();
	if (err) {
		kfree(guard);
		return err;
	}
	guard_change(domain, guard);
	return 0;
}

int resch_guard_default(struct resch_domain *domain)
{
	const struct resch_guard_set want = { .flags = RESCH_GUARD_ON | RESCH_GUARD_ALL };
	int err;

	lockdep_assert_held(&resch_lock);
	err = guard_raise(domain, &want);
	if (!err)
		guard_settle();
	return err;
}

void resch_guard_drop(struct resch_domain *domain)
{
	lockdep_assert_held(&resch_lock);
	if (!domain->guard)
		return;
	guard_change(domain, NULL);
	guard_settle();
	if (!resch_guard_stands())
		resch_guard_detach();
}

void resch_guard_online(void)
{
	mutex_lock(&resch_guard_mutex);
	resch_visitor_look_all();
	mutex_unlock(&resch_guard_mutex);
}

int resch_guard_set(const struct resch_guard_set *want)
{
	bool on = want->flags & RESCH_GUARD_ON;
	struct resch_domain *domain;
	int err = 0;

	if (want->flags & ~RESCH_GUARD_FLAGS || (want->flags && !on))
		return -EINVAL;
	if (!(want->flags & RESCH_GUARD_EXEMPT) &&
	    memchr_inv(&want->exempt, 0, sizeof(want->exempt)))
		return -EINVAL;
	mutex_lock(&resch_lock);
	domain = resch_domain_find(want->domain);
	if (!domain)
		err = -ENODEV;
	else if (on)
		err = guard_raise(domain, want);
	else
		resch_guard_drop(domain);
	mutex_unlock(&resch_lock);
	/*
	 * Without resch_lock: on PREEMPT_RT a thread that holds a spinlock can't be moved, and may
	 * be waiting for a CPU that others keep busy.
	 */
	if (!err && on)
		guard_settle();
	return err;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void guard_sum(struct resch_guard_stat *stat, u64 *calls, unsigned int cpu)
{
	const struct resch_guard_cpu *from = &per_cpu(resch_guard_cpus, cpu);
	unsigned int i;

	stat->moved += READ_ONCE(from->moved);
	stat->moved_other += READ_ONCE(from->moved_other);
	stat->faults += READ_ONCE(from->faults);
	stat->signals += READ_ONCE(from->signals);
	stat->exempted += READ_ONCE(from->exempted);
	stat->lent += READ_ONCE(from->lent);
	stat->recalled += READ_ONCE(from->recalled);
	stat->failed += READ_ONCE(from->failed);
	for (i = 0; calls && i < RESCH_CALLS_MAX; i++)
		calls[i] += READ_ONCE(from->calls[i]);
}

int resch_guard_stat(struct resch_guard_stat *stat, u64 *calls)
{
	struct resch_domain *domain;
	s32 wanted = stat->cpu;
	u32 id = stat->domain;
	u64 room = stat->calls;
	unsigned int cpu, i;
	int err = 0;

	memset(stat, 0, sizeof(*stat));
	stat->domain = id;
	stat->cpu = wanted;
	stat->calls = room;
	resch_query_lock();
	domain = resch_domain_with_cpu(id, wanted);
	if (IS_ERR(domain)) {
		err = PTR_ERR(domain);
	} else if (domain->guard) {
		stat->flags = domain->guard->flags;
		stat->threads = resch_visitor_count();
		for (i = 0; i < RESCH_CALLS_MAX; i++) {
			if (test_bit(i, domain->guard->exempt))
				stat->exempt.bits[i / 64] |= 1ULL << (i % 64);
		}
		for_each_cpu(cpu, &domain->cpus) {
			if (wanted < 0 || wanted == cpu)
				guard_sum(stat, calls, cpu);
		}
	}
	resch_query_unlock();
	return err;
}

/* ---- lending by hand ------------------------------------------------------------------------- */

static int guard_lend(struct task_struct *task, unsigned int cpu)
{
	struct resch_visitor *visitor;
	int err = -EINVAL;

	if (task->flags & PF_KTHREAD || resch_is_worker(task) || !resch_thread_may(task))
		return -EPERM;
	mutex_lock(&resch_guard_mutex);
	if (cpumask_test_cpu(cpu, &resch_guard_rt) && !resch_guard_exempts(task)) {
		visitor = resch_visitor_make(task);
		if (visitor)
			resch_visitor_look(visitor);
		if (!visitor)
			err = -ESRCH;
		else if (resch_visitor_may(visitor, cpu))
			err = resch_visitor_lend(visitor, cpu);
	}
	mutex_unlock(&resch_guard_mutex);
	return err;
}

int resch_guard_lend(const struct resch_guard_lend *lend)
{
	struct task_struct *task;
	struct pid *pid;
	int err;

	if (!RESCH_CAN_TASK_WORK)
		return -EOPNOTSUPP;
	if (lend->cpu >= nr_cpu_ids)
		return -EINVAL;
	if (!lend->pid)
		return guard_lend(current, lend->cpu);
	pid = find_get_pid(lend->pid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	err = guard_lend(task, lend->cpu);
	put_task_struct(task);
	return err;
}

int __init resch_guard_init(void)
{
	resch_guard_probe_init();
	resch_balance_clock_init();
	resch_balance_deliver_init();
	return resch_guard_move_init();
}

/* No guard stands. */
void resch_guard_exit(void)
{
	unsigned int cpu;

	/* Who is in a probe may be waiting for resch-guard. */
	resch_probe_sleep_synchronize();
	resch_guard_move_exit();
	mutex_lock(&resch_guard_mutex);
	resch_visitor_bury();
	mutex_unlock(&resch_guard_mutex);
	resch_balance_exit();
	for_each_possible_cpu(cpu)
		kfree(per_cpu(resch_guard_cpus, cpu).calls);
}
