// SPDX-License-Identifier: GPL-2.0
/* balance.c - rounds: which visitor goes to an RT CPU, or home, and why */
#include <linux/sched/prio.h>
#include <linux/slab.h>

#include "affinity.h"
#include "balance.h"
#include "clock.h"
#include "deliver.h"
#include "rules.h"
#include "state.h"
#include "todo.h"
#include "visitor.h"
#include "compat/threads.h"
#include "compat/user_worker.h"
#include "core/trace.h"
#include "domain/domain.h"
#include "domain/table.h"

/* So many visitors take part in a round at most; the others in the next ones. */
#define BALANCE_CROWD 512
/* All visitors each so many rounds; in those between only real-time tasks that are to go home. */
#define BALANCE_SELDOM 4
/*
 * So long without CPU time it waits for its RT CPU in vain, ns: where RT0 has that, and where it is
 * another visitor, whose turn by SCHED_RR may last for 100 ms.
 */
#define BALANCE_STARVED (20 * NSEC_PER_MSEC)
#define BALANCE_OUTPLAYED (120 * NSEC_PER_MSEC)
/* Taken back from a CPU, it is left where it is for so long, ns. */
#define BALANCE_REST (100 * NSEC_PER_MSEC)

struct balance_counts {
	u64 to_load;
	u64 to_home;
	u64 from_load;
	u64 pushed;
	u64 kept;
	u32 ordinary; /* as the last round saw it */
	u32 realtime;
};

static DEFINE_PER_CPU(struct balance_counts, balance_counts); /* resch_guard_mutex; read anywhere */

/* One round's view. resch_guard_mutex; made with the first guard. */
static struct resch_balance_cpu *balance_cpus;
static struct resch_balance_task *balance_tasks;
static struct resch_visitor **balance_visitors;

static u32 balance_policies; /* of all guards; resch_guard_mutex */
static unsigned int balance_rounds; /* in resch-guard */

static_assert(RESCH_BALANCE_WEIGHT == RESCH_POLICY_WEIGHT);
static_assert(RESCH_BALANCE_PUSH == RESCH_POLICY_PUSH);
static_assert(RESCH_BALANCE_ESTIMATE == RESCH_POLICY_ESTIMATE);
static_assert(RESCH_BALANCE_ASSOCIATE == RESCH_POLICY_ASSOCIATE);
static_assert(sizeof(long) == sizeof(u64)); /* masks are handed over as they are */

/* ---- what a round sees ----------------------------------------------------------------------- */

struct balance_round {
	struct resch_balance view;
	u64 now;
	u32 count; /* of balance_tasks */
	u32 later; /* how many to pass over: earlier rounds have seen them */
	bool left_over; /* there are more for the next round */
	bool idle; /* nobody is to be sent: look after those that are there alone */
	bool only_rt; /* of resch_balance_choose() */
};

static u32 balance_first; /* where the next round begins, if there are too many */

static bool balance_runnable(struct task_struct *task)
{
	return READ_ONCE(task->on_rq) && READ_ONCE(task->__state) == TASK_RUNNING;
}

/* Takes back who gets nothing on its RT CPU. It may have no chance to go by itself. */
static void balance_starved(struct resch_visitor *visitor, u64 now)
{
	u64 runtime = resch_balance_executed_by(visitor->task);
	s32 cpu = visitor->cpu;
	u64 patience = resch_balance_is_rt0s(cpu) ? BALANCE_STARVED : BALANCE_OUTPLAYED;

	if (runtime != visitor->runtime || !balance_runnable(visitor->task)) {
		visitor->runtime = runtime;
		visitor->ran = now;
	} else if (now - max(visitor->ran, visitor->since) > patience &&
		   resch_visitor_home(visitor)) {
		per_cpu(resch_guard_cpus, cpu).recalled++;
		visitor->rest = now + BALANCE_REST;
	}
}

/* The CPUs that a visitor may be sent to: those of its user's mask, or all. */
static const cpumask_t *balance_allowed(const struct resch_visitor *visitor)
{
	unsigned int cpu;

	for_each_cpu(cpu, &resch_guard_rt) {
		if (!resch_visitor_may(visitor, cpu))
			return &visitor->user;
	}
	return cpu_possible_mask;
}

/* The visitor may be writing them: then one call may be there in part, and is the next time. */
static struct resch_attempts balance_attempts(const struct resch_visitor *visitor)
{
	return (struct resch_attempts){
		.last = READ_ONCE(visitor->attempts.last),
		.period = READ_ONCE(visitor->attempts.period),
		.count = READ_ONCE(visitor->attempts.count),
	};
}

static void balance_take(struct balance_round *round, struct resch_visitor *visitor)
{
	struct resch_balance_task *seen = &balance_tasks[round->count];
	struct task_struct *task = visitor->task;

	memset(seen, 0, sizeof(*seen));
	seen->class = task->prio < MAX_RT_PRIO ? RESCH_CLASS_RT1 : RESCH_CLASS_LINUX;
	seen->from = visitor->cpu >= 0 ? visitor->cpu : task_cpu(task);
	seen->allowed = (const u64 *)cpumask_bits(balance_allowed(visitor));
	seen->attempts = balance_attempts(visitor);
	seen->executed = resch_balance_executed_by(task);
	balance_visitors[round->count++] = visitor;
}

static void balance_each(struct resch_visitor *visitor, void *data)
{
	struct balance_round *round = data;

	resch_visitor_look(visitor);
	if (visitor->cpu >= 0)
		balance_starved(visitor, round->now);
	if (round->idle || visitor->restored || visitor->whole || round->now < visitor->rest ||
	    !balance_runnable(visitor->task) || resch_guard_exempts(visitor->task) ||
	    resch_is_worker(visitor->task))
		return;
	if (round->only_rt && (visitor->cpu >= 0 || visitor->task->prio >= MAX_RT_PRIO))
		return;
	if (round->later) {
		round->later--;
		return;
	}
	if (round->count < BALANCE_CROWD)
		balance_take(round, visitor);
	else
		round->left_over = true;
}

/* All threads that want to run, visitors or not, where they are. */
static void balance_heads(struct balance_round *round)
{
	struct resch_balance_cpu *cpus = round->view.cpus;
	struct task_struct *process, *task;
	unsigned int cpu;

	memset(cpus, 0, nr_cpu_ids * sizeof(*cpus));
	for_each_possible_cpu(cpu) {
		cpus[cpu].cpu = cpu;
		cpus[cpu].rt = cpumask_test_cpu(cpu, &resch_guard_rt);
		resch_balance_shares(cpu, &cpus[cpu].share, &cpus[cpu].hard);
	}
	rcu_read_lock();
	resch_for_each_process_thread(process, task) {
		/* This thread runs because it looks. */
		if (!balance_runnable(task) || task == current)
			continue;
		cpu = task_cpu(task);
		if (task->prio < MAX_RT_PRIO)
			cpus[cpu].realtime++;
		else
			cpus[cpu].ordinary++;
	}
	rcu_read_unlock();
	for_each_cpu(cpu, &resch_guard_rt) {
		per_cpu(balance_counts, cpu).ordinary = cpus[cpu].ordinary;
		per_cpu(balance_counts, cpu).realtime = cpus[cpu].realtime;
	}
}

/* It has been lent, or has gone home, since the round saw it. */
static bool balance_moved(const struct resch_balance_task *seen,
			  const struct resch_visitor *visitor)
{
	return visitor->cpu >= 0 ? seen->from != (u32)visitor->cpu :
				   cpumask_test_cpu(seen->from, &resch_guard_rt);
}

/* Those that are on their way count where they go, and are not asked again. */
static void balance_under_way(struct balance_round *round)
{
	u32 i, kept = 0;

	for (i = 0; i < round->count; i++) {
		struct resch_balance_task *seen = &balance_tasks[i];
		int todo = atomic_read(&balance_visitors[i]->todo);

		if (todo > 0 && balance_visitors[i]->cpu < 0)
			resch_balance_move(&round->view, seen, todo - 1);
		if (todo || balance_moved(seen, balance_visitors[i]))
			continue;
		balance_tasks[kept] = *seen;
		balance_visitors[kept++] = balance_visitors[i];
	}
	round->count = kept;
}

static void balance_look(struct balance_round *round)
{
	round->later = round->only_rt ? 0 : balance_first;
	if (!resch_visitor_walk(balance_each, round)) {
		round->count = 0;
		return;
	}
	if (!round->only_rt)
		balance_first = round->left_over ? balance_first + BALANCE_CROWD : 0;
	if (!round->count)
		return;
	balance_heads(round);
	balance_under_way(round);
}

/* ---- what it does ---------------------------------------------------------------------------- */

/* Asks the visitor to go to @to, or home from where it is. */
static bool balance_go(struct balance_round *round, u32 index, u32 to)
{
	struct resch_visitor *visitor = balance_visitors[index];
	struct resch_balance_task *seen = &balance_tasks[index];
	u32 from = seen->from;
	bool home = seen->class == RESCH_CLASS_RT1 && round->view.policies & RESCH_POLICY_ASSOCIATE;

	if (visitor->cpu < 0) {
		if (resch_visitor_lend(visitor, to))
			return false;
		if (home)
			per_cpu(balance_counts, to).to_home++;
		else
			per_cpu(balance_counts, to).to_load++;
	} else {
		/*
		 * Pushed, it goes by itself and so without another CPU's lock; else it is pulled.
		 */
		if (round->view.policies & RESCH_POLICY_PUSH)
			resch_visitor_recall(visitor);
		else if (!resch_visitor_home(visitor))
			return false;
		per_cpu(balance_counts, from).from_load++;
	}
	trace_resch_move(visitor->task->pid, from, to, seen->class == RESCH_CLASS_RT1, home);
	return true;
}

static void balance_count_kept(struct balance_round *round)
{
	u32 i;

	for (i = 0; i < round->count; i++) {
		if (balance_tasks[i].kept_from)
			per_cpu(balance_counts, balance_tasks[i].kept_from - 1).kept++;
	}
}

void resch_balance_round(u64 now)
{
	struct balance_round round = {
		.view = {
			.cpus = balance_cpus,
			.count = nr_cpu_ids,
			.policies = balance_policies,
			.gap = RESCH_ATTEMPT_GAP,
		},
		.now = now,
		.idle = resch_guard_common.flags & RESCH_GUARD_MANUAL,
		.only_rt = balance_rounds++ % BALANCE_SELDOM,
	};
	struct resch_balance_choice choice;
	u32 left;

	lockdep_assert_held(&resch_guard_mutex);
	balance_look(&round);
	for (left = round.count; left; left--) {
		if (!resch_balance_choose(&round.view, balance_tasks, round.count, round.only_rt,
					  &choice))
			break;
		if (!balance_go(&round, choice.task, choice.to))
			break;
		resch_balance_move(&round.view, &balance_tasks[choice.task], choice.to);
	}
	balance_count_kept(&round);
}

bool resch_balance_push(struct task_struct *task, bool *done, unsigned int cpu)
{
	lockdep_assert_held(&resch_guard_mutex);
	if (!(balance_policies & RESCH_POLICY_PUSH) || !resch_balance_deliver(task, done, cpu))
		return false;
	per_cpu(balance_counts, cpu).pushed++;
	return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

int resch_balance_set(const struct resch_balance_set *want)
{
	struct resch_domain *domain;
	int err = 0;

	if (want->policies & ~RESCH_BALANCE_ALL)
		return -EINVAL;
	mutex_lock(&resch_lock);
	domain = resch_domain_find(want->domain);
	if (!domain) {
		err = -ENODEV;
	} else if (!domain->guard) {
		err = -ENOENT;
	} else {
		mutex_lock(&resch_guard_mutex);
		domain->guard->policies = want->policies;
		resch_balance_summarize();
		mutex_unlock(&resch_guard_mutex);
	}
	mutex_unlock(&resch_lock);
	return err;
}

static void balance_sum(struct resch_balance_stat *stat, unsigned int cpu)
{
	const struct balance_counts *counts = &per_cpu(balance_counts, cpu);
	u64 share, hard;

	stat->to_load += READ_ONCE(counts->to_load);
	stat->to_home += READ_ONCE(counts->to_home);
	stat->from_load += READ_ONCE(counts->from_load);
	stat->pushed += READ_ONCE(counts->pushed);
	stat->kept += READ_ONCE(counts->kept);
	stat->ordinary += READ_ONCE(counts->ordinary);
	stat->realtime += READ_ONCE(counts->realtime);
	resch_balance_shares(cpu, &share, &hard);
	stat->share = max_t(u32, stat->share, (share * 1000000) >> RESCH_RT_BITS);
	stat->share_rt0 = max_t(u32, stat->share_rt0, (hard * 1000000) >> RESCH_RT_BITS);
}

int resch_balance_stat(struct resch_balance_stat *stat)
{
	struct resch_domain *domain;
	s32 wanted = stat->cpu;
	u32 id = stat->domain;
	unsigned int cpu;
	int err = 0;

	memset(stat, 0, sizeof(*stat));
	stat->domain = id;
	stat->cpu = wanted;
	resch_query_lock();
	domain = resch_domain_with_cpu(id, wanted);
	if (IS_ERR(domain)) {
		err = PTR_ERR(domain);
	} else if (!domain->guard) {
		err = -ENOENT;
	} else {
		stat->policies = domain->guard->policies;
		stat->in_force = balance_policies;
		for_each_cpu(cpu, &domain->cpus) {
			if (wanted < 0 || wanted == cpu)
				balance_sum(stat, cpu);
		}
	}
	resch_query_unlock();
	return err;
}

void resch_balance_summarize(void)
{
	u32 policies = RESCH_BALANCE_ALL;
	unsigned int cpu;

	lockdep_assert_held(&resch_guard_mutex);
	for_each_cpu(cpu, &resch_guard_rt)
		policies &= per_cpu(resch_guard_cpus, cpu).guard->policies;
	balance_policies = policies;
	WRITE_ONCE(resch_guard_estimates, resch_guard_stands() &&
						  policies & RESCH_POLICY_ESTIMATE &&
						  !(resch_guard_common.flags & RESCH_GUARD_MANUAL));
}

void resch_balance_reset(unsigned int cpu)
{
	memset(&per_cpu(balance_counts, cpu), 0, sizeof(struct balance_counts));
}

int resch_balance_room(void)
{
	lockdep_assert_held(&resch_lock);
	if (balance_cpus)
		return 0;
	balance_tasks = kvcalloc(BALANCE_CROWD, sizeof(*balance_tasks), GFP_KERNEL);
	balance_visitors = kvcalloc(BALANCE_CROWD, sizeof(*balance_visitors), GFP_KERNEL);
	balance_cpus = kvcalloc(nr_cpu_ids, sizeof(*balance_cpus), GFP_KERNEL);
	if (balance_cpus && balance_tasks && balance_visitors)
		return 0;
	resch_balance_exit();
	return -ENOMEM;
}

/* No guard stands. */
void resch_balance_exit(void)
{
	kvfree(balance_cpus);
	kvfree(balance_tasks);
	kvfree(balance_visitors);
	balance_cpus = NULL;
	balance_tasks = NULL;
	balance_visitors = NULL;
}
