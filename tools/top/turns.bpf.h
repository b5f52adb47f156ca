/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * turns.bpf.h - who had a CPU lately, and in it a job's time from its release on
 *
 * No two turns overlap, but an interrupt may have disturbed their order: so who walks back through
 * them takes each for itself.
 */
#ifndef _TOP_TURNS_BPF_H
#define _TOP_TURNS_BPF_H

#include "turn.bpf.h"

struct irqaction {
	const char *name;
} __attribute__((preserve_access_index));

static __always_inline struct top_cpu *cpu_here(void)
{
	__u32 number = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&cpus, &number);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_irq, int number, struct irqaction *action)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_end(cpu);
	bpf_probe_read_kernel_str(cpu->irq.name, TOP_NAME, action->name);
	cpu->irq.id = number;
	cpu->irq.kind = TOP_IRQ;
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(on_irq_end)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_end(cpu);
	cpu->irq.kind = 0;
	return 0;
}

static __always_inline int own_irq(enum top_own_irq which)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_end(cpu);
	cpu->own_irq.id = (int)which;
	cpu->own_irq.kind = TOP_OWN_IRQ;
	return 0;
}

static __always_inline int own_irq_end(void)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_end(cpu);
	cpu->own_irq.kind = 0;
	return 0;
}

/* Kernels, and processors, may lack any of these: probe.c leaves out what is not there. */
#define OWN_IRQ(event, word)                     \
	SEC("tp_btf/" #event "_entry")           \
	int BPF_PROG(on_##event)                 \
	{                                        \
		return own_irq(TOP_OWN_##event); \
	}                                        \
	SEC("tp_btf/" #event "_exit")            \
	int BPF_PROG(on_##event##_end)           \
	{                                        \
		return own_irq_end();            \
	}

TOP_OWN_IRQS(OWN_IRQ)

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int number)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_alone();
	turn_end(cpu);
	cpu->softirq.id = (int)number;
	cpu->softirq.kind = TOP_SOFTIRQ;
	turn_alone_end();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(on_softirq_end)
{
	struct top_cpu *cpu = cpu_here();

	if (!cpu)
		return 0;
	turn_alone();
	turn_end(cpu);
	cpu->softirq.kind = 0;
	turn_alone_end();
	return 0;
}

/* Another thread has the CPU: under PREEMPT_RT one in a softirq may have had to go. */
static __always_inline void turn_switch(struct top_cpu *cpu, struct task_struct *next)
{
	turn_end(cpu);
	cpu->softirq.kind = 0;
	cpu->own_irq.kind = 0;
	cpu->ours = next->pid && next->pid == cpu->chosen;
	cpu->thread.id = next->pid;
	cpu->thread.kind = TOP_THREAD;
	bpf_probe_read_kernel_str(cpu->thread.name, TOP_NAME, next->comm);
}

/* ---- a job's ----------------------------------------------------------------------------------*/

/* Set before the programs are loaded: stacks are wanted. */
const volatile __u32 stacks;

/* What interrupted the CPU's work is on top of the stack, that work below it. */
static __always_inline void stack_take(void *record, struct top_task *task,
				       const struct event_job *event, __u32 late)
{
	long size = 0;

	if (!stacks)
		return;
	/* A release may come from another CPU, whose stack says nothing. */
	if (event->cpu == bpf_get_smp_processor_id())
		size = bpf_get_stack(record, task->stack.at, sizeof(task->stack.at), 0);
	task->stack.job = event->job;
	task->stack.late = late;
	task->stack.count = size > 0 ? (__u32)size / sizeof(task->stack.at[0]) : 0;
}

/**
 * struct walk - back through the turns of a CPU
 * @task, @which: whose blame, and which of them
 * @from, @until: what of the job is to be accounted for by turns that are over
 * @left:         ... how much of it is not yet
 * @last:         the first turn to look at: the newest
 */
struct walk {
	__u32 task, which;
	__u32 cpu, last;
	__u64 from, until, left;
};

/*
 * The place of one of those who have had the CPU; TOP_BLAMED: he has none yet.
 *
 * This and the next two are not static: so the kernel's verifier goes through each of them once,
 * whatever is known where they are called. As parts of their callers they took it 15 s on an
 * emulated machine.
 */
__noinline __u32 blame_find(const struct top_blame *blame, const struct top_who *who)
{
	__u32 i;

	if (!blame || !who)
		return TOP_BLAMED;
	for (i = 0; i < TOP_BLAMED; i++) {
		if (!blame->ns[i] ||
		    (blame->who[i].kind == who->kind && blame->who[i].id == who->id))
			break;
	}
	return i;
}

/* ... of who has had it least */
__noinline __u32 blame_least(const struct top_blame *blame)
{
	__u32 i, least = 0;

	if (!blame)
		return 0;
	for (i = 1; i < TOP_BLAMED; i++) {
		if (blame->ns[i] < blame->ns[least & (TOP_BLAMED - 1)])
			least = i;
	}
	return least;
}

__noinline int blame_add(struct top_blame *blame, const struct top_who *who, __u64 ns)
{
	__u32 place;

	if (!blame || !who)
		return 0;
	place = blame_find(blame, who);
	if (place < TOP_BLAMED) {
		blame->ns[place] += ns;
		blame->who[place] = *who;
		return 0;
	}
	place = blame_least(blame) & (TOP_BLAMED - 1);
	if (blame->ns[place] >= ns) {
		blame->others += ns;
		return 0;
	}
	/* It may be the many small turns of one that are in its way. */
	blame->others += blame->ns[place];
	blame->ns[place] = ns;
	blame->who[place] = *who;
	return 0;
}

/* Return: 1: that was the last one. */
static int walk_turn(__u32 i, struct walk *walk)
{
	struct top_task *task = bpf_map_lookup_elem(&tasks, &walk->task);
	struct top_cpu *cpu = bpf_map_lookup_elem(&cpus, &walk->cpu);
	__u32 which = walk->which;
	struct top_turn *turn;
	__u64 from, to;

	if (!task || !cpu || which >= TOP_BLAMES)
		return 1;
	turn = &cpu->turns[(walk->last - i) & (TOP_TURNS - 1)];
	if (turn->to <= walk->from)
		return 1;
	from = turn->from > walk->from ? turn->from : walk->from;
	to = turn->to < walk->until ? turn->to : walk->until;
	if (from < to) {
		blame_add(&task->blames[which], &turn->who, to - from);
		walk->left -= to - from;
	}
	return !walk->left;
}

static __always_inline void blame_begin(struct top_blame *blame, const struct top_task *task,
					const struct event_job *event)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < TOP_BLAMED; i++)
		blame->ns[i] = 0;
	blame->others = 0;
	blame->job = event->job;
	blame->cpu = event->cpu;
	blame->release = event->release;
	blame->deadline = event->deadline;
	blame->ran = task->begun == 1 ? task->ran : 0;
	blame->complete = event->now > event->release ? event->now : event->release;
	blame->stack.count = 0;
	if (stacks && task->stack.job == event->job)
		__builtin_memcpy(&blame->stack, &task->stack, sizeof(blame->stack));
}

/* The turn of who has the CPU now, which goes on. */
static __always_inline void blame_now(struct top_blame *blame, struct walk *walk,
				      const struct top_cpu *cpu)
{
	__u64 from = cpu->since > walk->from ? cpu->since : walk->from;
	struct top_who who;

	if (!cpu->since || from >= walk->until)
		return;
	who = *top_who_now(cpu);
	blame_add(blame, &who, walk->until - from);
	walk->until = from;
}

/* Who had the CPU while this job, which is complete, was there. */
static __noinline int blame_take(__u32 which, struct event_job *event)
{
	struct walk walk = {
		.which = which, .cpu = event->cpu, .from = event->release, .until = event->now
	};
	struct top_task *task = task_find_at(event->id, &walk.task);
	struct top_cpu *cpu = bpf_map_lookup_elem(&cpus, &walk.cpu);
	struct top_blame *blame;

	if (!task || !cpu || which >= TOP_BLAMES)
		return 0;
	blame = &task->blames[which];
	__sync_fetch_and_add(&blame->turn, 1);
	blame_begin(blame, task, event);
	walk.last = (__u32)cpu->turn - 1;
	blame_now(blame, &walk, cpu);
	walk.left = walk.until - walk.from;
	if (walk.until > walk.from)
		bpf_loop(TOP_TURNS, walk_turn, &walk, 0);
	__sync_fetch_and_add(&blame->turn, 1);
	return 0;
}

#endif
