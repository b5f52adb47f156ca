/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared.h - what the programs in the kernel leave in maps, and reschtop reads
 *
 * Maps are mapped: nobody makes a system call to read them, for such a call keeps the events of its
 * CPU from being counted meanwhile. So counts may be torn from one another by a job, but each is
 * whole. Times are ns, absolute ones CLOCK_MONOTONIC.
 */
#ifndef _TOP_SHARED_H
#define _TOP_SHARED_H

#include "histogram.h"

#define TOP_NAME 16

/** enum top_measure - the histograms of a task */
enum top_measure {
	TOP_START, /* from a job's nominal release until its thread has the CPU for it */
	TOP_RESPONSE, /* ... until it is complete */
	TOP_EXEC, /* its execution time */
	TOP_TARDINESS, /* of jobs that were late: how late they were complete */
	TOP_MEASURES,
};

/** enum top_kind - who has a CPU */
enum top_kind {
	TOP_UNKNOWN, /* nobody has told yet */
	TOP_THREAD, /* 0: it is idle */
	TOP_IRQ, /* the handler of a device's interrupt */
	TOP_SOFTIRQ,
	TOP_OWN_IRQ, /* an interrupt of the CPU's own, or from another CPU */
};

/*
 * Those of x86, of which the kernel tells by events: EVENT_entry and EVENT_exit; and what they are
 * in a word.
 */
#define TOP_OWN_IRQS(OWN_IRQ)                        \
	OWN_IRQ(local_timer, "timer")                \
	OWN_IRQ(reschedule, "reschedule")            \
	OWN_IRQ(call_function, "call")               \
	OWN_IRQ(call_function_single, "call-single") \
	OWN_IRQ(irq_work, "irq-work")

/** enum top_own_irq - which: the id of such a struct top_who */
enum top_own_irq {
#define TOP_OWN_IRQ_ID(event, word) TOP_OWN_##event,
	TOP_OWN_IRQS(TOP_OWN_IRQ_ID)
};

/**
 * struct top_who - somebody who has a CPU
 * @id:   pid, number of the interrupt, of the softirq, or an enum top_own_irq
 * @name: of threads, and of devices' interrupts
 */
struct top_who {
	__u32 kind;
	__s32 id;
	char name[TOP_NAME];
};

/** enum top_of - the jobs of a task whose time is accounted for */
enum top_of {
	TOP_SLOWEST, /* the one of the longest response */
	TOP_LATE, /* the last one that was late */
	TOP_BLAMES,
};

/* For so many there is room, a power of two: who has had little goes for who has had more. */
#define TOP_BLAMED 16

/* So deep a stack is kept. */
#define TOP_STACK 32

/**
 * struct top_stack - what a job's CPU was doing in the kernel
 * @count: 0: nobody asked, or it was not to be had
 * @late:  when its miss was noted; else when it was released
 */
struct top_stack {
	__u64 job;
	__u32 count;
	__u32 late;
	__u64 at[TOP_STACK];
};

/**
 * struct top_blame - who had a job's CPU from its release until it was complete
 * @turn:     odd: it is being written; another one than before: it has been
 * @ran:      when it had the CPU first; 0: nobody saw
 * @complete: 0: there was none
 * @others:   the time of those for whom there was no room
 * @ns, @who: how long, in all, and who; 0: no more of them
 */
struct top_blame {
	__u32 turn;
	__u32 cpu;
	__u64 job;
	__u64 release;
	__u64 deadline;
	__u64 ran;
	__u64 complete;
	__u64 others;
	__u64 ns[TOP_BLAMED];
	struct top_who who[TOP_BLAMED];
	struct top_stack stack;
};

/**
 * struct top_task - a task that events have told of
 * @id:       0: nobody's
 * @pid:      of the initial namespace
 * @attached: its attachment was seen: the parameters are known
 * @gone:     1 + why it left
 * @ended:    ... and when
 * @job:      the number of its present or last job; 0: none was seen
 * @begun:    the present job has had the CPU, since @ran; 0: not yet, 2: nobody saw its release
 * @unseen:   jobs of which nobody was told, by the gaps in their numbers
 * @stack:    of the present job
 */
struct top_task {
	__u32 id;
	__s32 pid;
	__u32 cpu;
	__u32 attached;
	__u32 gone;
	__u32 begun;
	__u32 kind;
	__u32 group;
	__u64 ended;
	__u64 period;
	__u64 deadline;
	__u64 wcet;
	char name[TOP_NAME];
	char plugin[TOP_NAME];
	__u64 job;
	__u64 release;
	__u64 ran;
	__u64 jobs;
	__u64 misses;
	__u64 overruns;
	__u64 skipped;
	__u64 preemptions;
	__u64 unseen;
	struct histogram measures[TOP_MEASURES];
	struct top_blame blames[TOP_BLAMES];
	struct top_stack stack;
};

/**
 * struct top_server - a server that events have told of
 * @id:       domain << 32 | its id there; 0: nobody's
 * @known:    it was seen to be made, or resized: the parameters are known
 * @gone:     it is there no more, since @ended
 * @left, @deadline, @time: what the last event told, and when
 */
struct top_server {
	__u64 id;
	__u32 cpu;
	__u32 known;
	__u32 gone;
	__u32 kind;
	__u64 ended;
	__u64 budget;
	__u64 period;
	char name[TOP_NAME];
	__s64 left;
	__u64 deadline;
	__u64 time;
	__u64 exhausted;
	__u64 replenished;
	__u64 postponed;
};

/**
 * struct top_chain - a chain that events have told of
 * @id:      0: nobody's
 * @known:   it was seen to be made, or is known otherwise
 * @whole:   it was seen to be made
 * @gone:    it is there no more, since @ended
 * @stopped: the number, from 1, of the stage whose registration has ended
 * @instances, @completed, @missed, @skipped, @lost: as in struct resch_chain_stat
 */
struct top_chain {
	__u32 id;
	__u32 known;
	__u32 whole;
	__u32 gone;
	__u32 stopped;
	__u32 stages;
	__u32 protocol;
	__u32 reserved;
	__u64 ended;
	__u64 period;
	__u64 deadline;
	char name[TOP_NAME];
	__u64 instances;
	__u64 completed;
	__u64 missed;
	__u64 skipped;
	__u64 lost;
	struct histogram response; /* end to end */
};

/* Whoever has an id is looked for in that many places from the first one on. */
#define TOP_PROBES 8
/* Places for servers and chains, powers of two. Those of tasks are as many as are wanted. */
#define TOP_SERVERS 1024
#define TOP_CHAINS 128

/** top_first - where the search for an id begins; of a server: domain and id there count */
static inline __u32 top_first(__u64 id)
{
	return (__u32)id ^ (__u32)(id >> 29);
}

/** struct top_turn - @who had the CPU from @from to @to */
struct top_turn {
	__u64 from, to;
	struct top_who who;
};

/* A job is accounted for as far back as these reach. */
#define TOP_TURNS 512

/** enum top_share - whom the time of a CPU goes to */
enum top_share {
	TOP_SHARE_IDLE,
	TOP_SHARE_TASKS, /* threads that resch had chosen when they got the CPU */
	TOP_SHARE_THREADS, /* others */
	TOP_SHARE_IRQS,
	TOP_SHARE_SOFTIRQS,
	TOP_SHARES,
};

/**
 * struct top_cpu - what happens on a CPU
 * @running: the thread that has it; -1: nobody has told yet
 * @chosen:  the thread of the task that resch has chosen, 0: none
 * @task:    ... its id
 * @ours:    the running thread was the chosen one when it got the CPU
 * @thread, @softirq, @own_irq, @irq: who has it: the last one whose kind is set. In what comes as
 *           an interrupt of the CPU's own a device's may be handled: that of a module, or of a hub
 * @since:   ... since then
 * @shares:  ns, of turns that are over
 * @turn:    turns that are over: the last ones of them are in @turns
 */
struct top_cpu {
	__s32 running;
	__s32 chosen;
	__u32 task;
	__u32 ours;
	struct top_who thread, softirq, own_irq, irq;
	__u64 since;
	__u64 shares[TOP_SHARES];
	__u64 turn;
	struct top_turn turns[TOP_TURNS];
};

/** top_who_now - who has the CPU */
static inline const struct top_who *top_who_now(const struct top_cpu *cpu)
{
	if (cpu->irq.kind)
		return &cpu->irq;
	if (cpu->own_irq.kind)
		return &cpu->own_irq;
	return cpu->softirq.kind ? &cpu->softirq : &cpu->thread;
}

/** top_share_of - whom the time of @who on that CPU counts for; TOP_SHARES: nobody knows */
static inline __u32 top_share_of(const struct top_cpu *cpu, const struct top_who *who)
{
	if (who->kind == TOP_IRQ || who->kind == TOP_OWN_IRQ)
		return TOP_SHARE_IRQS;
	if (who->kind == TOP_SOFTIRQ)
		return TOP_SHARE_SOFTIRQS;
	if (who->kind != TOP_THREAD)
		return TOP_SHARES;
	if (!who->id)
		return TOP_SHARE_IDLE;
	return cpu->ours ? TOP_SHARE_TASKS : TOP_SHARE_THREADS;
}

#endif
