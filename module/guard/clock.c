// SPDX-License-Identifier: GPL-2.0
/* clock.c - whom the CPUs belong to, and for how long */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched/prio.h>
#include <linux/seqlock.h>
#include <linux/smp.h>

#include "clock.h"
#include "rules.h"
#include "state.h"
#include "visitor.h"

/* Written by its CPU, interrupts off; read anywhere. */
struct balance_clock {
	seqcount_t seq;
	struct resch_rt_share realtime;
	struct resch_rt_share hard;
	bool is_realtime; /* whom it belongs to now */
	bool is_hard;
	u64 owed; /* until then it belonged to ordinary threads, which is not accounted yet; or 0 */
	u64 since; /* when the thread came that is there now; 0: not known */
	u64 executed; /* its execution time then */
};

static DEFINE_PER_CPU(struct balance_clock, balance_clocks);

/* A real-time thread that is let in waits for nothing that can be done when it has left. */
static void clock_account(struct balance_clock *clock, u64 now, bool hurry)
{
	if (hurry && !clock->is_realtime) {
		clock->owed = now;
		return;
	}
	if (clock->owed) {
		resch_rt_account(&clock->realtime, clock->owed, false);
		resch_rt_account(&clock->hard, clock->owed, false);
		clock->owed = 0;
	}
	resch_rt_account(&clock->realtime, now, clock->is_realtime);
	resch_rt_account(&clock->hard, now, clock->is_hard);
}

void resch_balance_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state)
{
	struct balance_clock *clock = this_cpu_ptr(&balance_clocks);
	u64 now = ktime_get_mono_fast_ns();
	bool realtime = next->prio < MAX_RT_PRIO;

	write_seqcount_begin(&clock->seq);
	clock_account(clock, now, realtime);
	clock->is_realtime = realtime;
	clock->is_hard = clock->is_realtime &&
			 cpumask_test_cpu(smp_processor_id(), &resch_guard_rt) &&
			 resch_guard_exempts(next);
	clock->since = now;
	clock->executed = next->se.sum_exec_runtime;
	write_seqcount_end(&clock->seq);
}

/*
 * Interrupts off; on the clock's CPU, so that no late probe is just writing, or that CPU is
 * offline.
 */
static void clock_reset(void *info)
{
	struct balance_clock *clock = info ?: this_cpu_ptr(&balance_clocks);
	u64 now = ktime_get_mono_fast_ns();

	write_seqcount_begin(&clock->seq);
	clock->realtime = (struct resch_rt_share){ .since = now };
	clock->hard = clock->realtime;
	clock->is_realtime = false;
	clock->is_hard = false;
	clock->owed = 0;
	clock->since = 0;
	write_seqcount_end(&clock->seq);
}

void resch_balance_clock_reset(void)
{
	unsigned int cpu;

	/* Else one that goes offline between the two would keep its past. */
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		local_irq_disable();
		clock_reset(&per_cpu(balance_clocks, cpu));
		local_irq_enable();
	}
	on_each_cpu(clock_reset, NULL, 1);
	cpus_read_unlock();
}

void __init resch_balance_clock_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu(balance_clocks, cpu).seq);
}

u64 resch_balance_executed(void)
{
	const struct balance_clock *clock;
	u64 executed;

	preempt_disable_notrace();
	clock = this_cpu_ptr(&balance_clocks);
	if (likely(clock->since))
		executed = clock->executed + (ktime_get_mono_fast_ns() - clock->since);
	else
		executed = current->se.sum_exec_runtime;
	preempt_enable_notrace();
	return executed;
}

u64 resch_balance_executed_by(struct task_struct *task)
{
	const struct balance_clock *clock = &per_cpu(balance_clocks, task_cpu(task));
	u64 executed, now;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&clock->seq);
		now = ktime_get_mono_fast_ns();
		executed = READ_ONCE(task->se.sum_exec_runtime);
		/* What it has while it is there is entered at ticks only. */
		if (READ_ONCE(task->on_cpu) && clock->since && now > clock->since)
			executed = max(executed, clock->executed + (now - clock->since));
	} while (read_seqcount_retry(&clock->seq, seq));
	return executed;
}

static u64 clock_share(const struct balance_clock *clock, const struct resch_rt_share *share,
		       u64 now, bool busy)
{
	struct resch_rt_share copy = *share;

	if (clock->owed)
		resch_rt_account(&copy, clock->owed, false);
	return resch_rt_read(&copy, now, busy);
}

void resch_balance_shares(unsigned int cpu, u64 *realtime, u64 *hard)
{
	const struct balance_clock *clock = &per_cpu(balance_clocks, cpu);
	unsigned int seq;

	do {
		u64 now;

		seq = read_seqcount_begin(&clock->seq);
		now = ktime_get_mono_fast_ns();
		*realtime = clock_share(clock, &clock->realtime, now, clock->is_realtime);
		*hard = clock_share(clock, &clock->hard, now, clock->is_hard);
	} while (read_seqcount_retry(&clock->seq, seq));
}

bool resch_balance_is_rt0s(unsigned int cpu)
{
	return READ_ONCE(per_cpu(balance_clocks, cpu).is_hard);
}
