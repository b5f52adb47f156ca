// SPDX-License-Identifier: GPL-2.0
/* probe.c - where visitors enter the kernel; attached only while a guard stands */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <asm/syscall.h>
#include <linux/compat.h>
#include <linux/nospec.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>

#include <resch/types.h>

#include "ask.h"
#include "bell.h"
#include "clock.h"
#include "probe.h"
#include "rules.h"
#include "state.h"
#include "todo.h"
#include "visitor.h"
#include "compat/arch.h"
#include "compat/probe_sleep.h"
#include "compat/threads.h"
#include "core/params.h"

/*
 * Clocks that are read without a lock. CPU clocks take that of a run queue, perhaps another CPU's,
 * alarm clocks their device's, clocks of devices what their drivers take.
 */
#define PROBE_CLOCKS                                                                      \
	(BIT(CLOCK_REALTIME) | BIT(CLOCK_MONOTONIC) | BIT(CLOCK_MONOTONIC_RAW) |          \
	 BIT(CLOCK_REALTIME_COARSE) | BIT(CLOCK_MONOTONIC_COARSE) | BIT(CLOCK_BOOTTIME) | \
	 BIT(CLOCK_TAI))

/* Calls that are exempt, if they are, for some arguments only. */
static bool probe_reads_clock(long nr)
{
	return nr == __NR_clock_gettime || nr == __NR_clock_getres;
}

static bool probe_cheap_clock(struct pt_regs *regs, long nr)
{
	unsigned long args[6];
	u32 clock;

	if (!probe_reads_clock(nr))
		return true;
	syscall_get_arguments(current, regs, args);
	/* Of a negative one, too, only this much counts. */
	clock = (u32)args[0];
	return clock < BITS_PER_LONG && PROBE_CLOCKS & BIT(clock);
}

/* The call as an index, which nobody speculates beyond; RESCH_CALLS_MAX: it has none. */
static unsigned long probe_number(long nr)
{
	if (nr < 0 || nr >= RESCH_CALLS_MAX || in_compat_syscall())
		return RESCH_CALLS_MAX;
	return array_index_nospec(nr, RESCH_CALLS_MAX);
}

/* @number: probe_number(@nr) */
static bool probe_exempt(const struct resch_guard *guard, struct pt_regs *regs, long nr,
			 unsigned long number)
{
	return guard && number < RESCH_CALLS_MAX && test_bit(number, guard->exempt) &&
	       probe_cheap_clock(regs, nr);
}

/* Its call, or fault, is one that sends visitors away. Current. */
static void probe_note(struct resch_visitor *visitor)
{
	struct resch_attempts attempts = visitor->attempts;

	resch_attempt_note(&attempts, resch_balance_executed());
	WRITE_ONCE(visitor->attempts.last, attempts.last);
	WRITE_ONCE(visitor->attempts.period, attempts.period);
	WRITE_ONCE(visitor->attempts.count, attempts.count);
}

/* Likewise of current's call, if it is one, and anybody wants to know. */
static void probe_note_call(void)
{
	struct resch_visitor *visitor;

	if (!READ_ONCE(resch_guard_estimates))
		return;
	rcu_read_lock();
	visitor = resch_visitor_find(current);
	if (visitor)
		probe_note(visitor);
	rcu_read_unlock();
}

/* The guard of an RT CPU that is in current's affinity. RCU. */
static const struct resch_guard *probe_guard(void)
{
	unsigned int cpu = raw_smp_processor_id();

	if (!cpumask_test_cpu(cpu, &resch_guard_rt))
		cpu = cpumask_first_and(current->cpus_ptr, &resch_guard_rt);
	return cpu < nr_cpu_ids ? READ_ONCE(per_cpu(resch_guard_cpus, cpu).guard) : NULL;
}

/* Calls that make threads. 32-bit ones have other numbers: any may. */
static bool probe_makes(long nr)
{
	return in_compat_syscall() || nr == __NR_clone || nr == __NR_clone3 || resch_arch_forks(nr);
}

/* Calls after which somebody may be RT0, or want other CPUs. */
static bool probe_changes(long nr)
{
	return nr == __NR_sched_setaffinity || nr == __NR_sched_setscheduler ||
	       nr == __NR_sched_setparam || nr == __NR_sched_setattr;
}

/*
 * Calls that need no look at who makes them: all guards exempt them, whatever their arguments, and
 * nothing changes by them. For them the probe is a test of a bit. resch_guard_mutex; read anywhere.
 */
static DECLARE_BITMAP(probe_plain, RESCH_CALLS_MAX);

void resch_guard_probe_summarize(void)
{
	DECLARE_BITMAP(plain, RESCH_CALLS_MAX);
	unsigned int i;

	bitmap_zero(plain, RESCH_CALLS_MAX);
	if (resch_guard_stands())
		bitmap_copy(plain, resch_guard_common.exempt, RESCH_CALLS_MAX);
	for (i = 0; i < RESCH_CALLS_MAX; i++) {
		if (probe_reads_clock(i) || probe_changes(i))
			__clear_bit(i, plain);
	}
	/* Readers see nothing but what was, and what is. */
	for (i = 0; i < BITS_TO_LONGS(RESCH_CALLS_MAX); i++)
		WRITE_ONCE(probe_plain[i], plain[i]);
}

/* What the call will need that its other probes can't get. */
static void probe_prepare(struct pt_regs *regs, long nr)
{
	bool makes = probe_makes(nr);
	/* of 32-bit ones resch-guard learns as it looks around, now and then */
	bool changes = !in_compat_syscall() && probe_changes(nr);
	int cookie;

	if (likely(!makes && !changes))
		return;
	cookie = resch_probe_sleep_begin();
	if (makes)
		resch_visitor_expect_child();
	if (changes)
		resch_guard_asked(regs, nr);
	resch_probe_sleep_end(cookie);
}

/* Current has an RT CPU in its affinity. */
static void probe_visit(struct pt_regs *regs, long nr, unsigned long number)
{
	unsigned int cpu = raw_smp_processor_id();
	bool here = cpumask_test_cpu(cpu, &resch_guard_rt), exempt;
	int cookie;

	rcu_read_lock();
	if (probe_exempt(probe_guard(), regs, nr, number)) {
		rcu_read_unlock();
		if (here)
			this_cpu_inc(resch_guard_cpus.exempted);
		return;
	}
	exempt = resch_guard_exempts(current);
	rcu_read_unlock();
	if (exempt)
		return;
	probe_note_call();
	if (here) {
		this_cpu_inc(resch_guard_cpus.moved);
		if (number < RESCH_CALLS_MAX)
			per_cpu(resch_guard_cpus, cpu).calls[number]++;
		else
			this_cpu_inc(resch_guard_cpus.moved_other);
	}
	cookie = resch_probe_sleep_begin();
	resch_guard_move(RESCH_GUARD_HOME);
	resch_probe_sleep_end(cookie);
}

/* Process context, interrupts on; preemption off up to 6.12. */
static void probe_sys_enter(void *data, struct pt_regs *regs, long nr)
{
	unsigned long number = probe_number(nr);

	if (likely(number < RESCH_CALLS_MAX && test_bit(number, probe_plain))) {
		if (unlikely(cpumask_test_cpu(raw_smp_processor_id(), &resch_guard_rt)))
			this_cpu_inc(resch_guard_cpus.exempted);
		return;
	}
	if (unlikely(cpumask_intersects(current->cpus_ptr, &resch_guard_rt)))
		probe_visit(regs, nr, number);
	else if (!probe_exempt(&resch_guard_common, regs, nr, number))
		probe_note_call();
	probe_prepare(regs, nr);
}

/* Interrupts off; the fault has not been looked at. */
static void probe_page_fault(void *data, unsigned long address, struct pt_regs *regs,
			     unsigned long error)
{
	struct resch_visitor *visitor;

	if (!cpumask_test_cpu(raw_smp_processor_id(), &resch_guard_rt))
		return;
	rcu_read_lock();
	visitor = resch_visitor_find(current);
	if (visitor && READ_ONCE(visitor->cpu) >= 0) {
		probe_note(visitor);
		this_cpu_inc(resch_guard_cpus.faults);
		resch_visitor_recall(visitor);
	}
	rcu_read_unlock();
}

/* RCU; the receiver's signals are locked, interrupts off. */
static void probe_signal_one(struct task_struct *task)
{
	struct resch_visitor *visitor = resch_visitor_find(task);
	s32 cpu = visitor ? READ_ONCE(visitor->cpu) : -1;

	if (cpu < 0)
		return;
	/* It takes its signals on its way to user mode, after this. */
	per_cpu(resch_guard_cpus, cpu).signals++;
	resch_visitor_recall(visitor);
}

static void probe_signal(void *data, int sig, struct kernel_siginfo *info, struct task_struct *task,
			 int group, int result)
{
	struct task_struct *thread;

	rcu_read_lock();
	if (!group)
		probe_signal_one(task);
	else
		resch_for_each_thread(task, thread)
			probe_signal_one(thread);
	rcu_read_unlock();
}

/* Preemption off up to 6.19, not after; no lock. The child has not run yet. */
static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	resch_visitor_fork(parent, child);
}

/* The same, by the thread itself. Newer kernels have one more argument, which we don't need. */
static void probe_exit(void *data, struct task_struct *task)
{
	resch_visitor_exit(task);
}

static struct probe {
	const char *name;
	void *function;
	bool missable; /* on this processor: guards do without */
	struct tracepoint *tracepoint; /* constant after init */
} probes[] = {
	/* In the order in which they are attached. */
	{ "sched_process_exit", probe_exit },
	{ "sched_process_fork", probe_fork },
	{ "signal_generate", probe_signal },
	{ "page_fault_user", probe_page_fault, .missable = !RESCH_ARCH_SEES_FAULTS },
	{ "sched_switch", resch_balance_switch },
	{ "sys_enter", probe_sys_enter },
};

static void probe_find(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
	}
}

static void probe_detach(unsigned int count)
{
	while (count--) {
		if (probes[count].tracepoint)
			tracepoint_probe_unregister(probes[count].tracepoint,
						    probes[count].function, NULL);
	}
}

int resch_guard_attach(void)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&resch_lock);
	resch_balance_clock_reset();
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].tracepoint && probes[i].missable)
			continue;
		if (!probes[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s: no guards\n", probes[i].name);
			err = -EOPNOTSUPP;
		} else {
			err = tracepoint_probe_register(probes[i].tracepoint, probes[i].function,
							NULL);
		}
		if (err) {
			probe_detach(i);
			return err;
		}
	}
	return 0;
}

void resch_guard_detach(void)
{
	lockdep_assert_held(&resch_lock);
	probe_detach(ARRAY_SIZE(probes));
}

void __init resch_guard_probe_init(void)
{
	unsigned int i;

	check_trace_callback_type_sys_enter(probe_sys_enter);
	check_trace_callback_type_sched_switch(resch_balance_switch);
	check_trace_callback_type_signal_generate(probe_signal);
	check_trace_callback_type_sched_process_fork(probe_fork);
	for_each_kernel_tracepoint(probe_find, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].tracepoint && probes[i].missable)
			pr_notice(
				"this processor has no tracepoint %s: guards do not see that of their visitors\n",
				probes[i].name);
	}
}
