/* SPDX-License-Identifier: GPL-2.0 */
/* bell.h - a visitor asks, rings and sleeps */
#ifndef _RESCH_GUARD_BELL_H
#define _RESCH_GUARD_BELL_H

#include <linux/llist.h>
#include <linux/sched.h>

enum resch_guard_what {
	RESCH_GUARD_MOVE, /* the thread itself, to `cpu` */
	RESCH_GUARD_LOOK, /* what has become of `whose` */
	RESCH_GUARD_SPAN, /* `whose` is about to become SCHED_DEADLINE */
};

/* What a thread asks of resch-guard while it sleeps; on its stack. */
struct resch_guard_ask {
	struct llist_node node;
	struct task_struct *task;
	enum resch_guard_what what;
	s32 cpu;
	struct task_struct *whose;
	bool done; /* the last that resch-guard writes here */
};

/* Those that have asked; resch-guard takes them off. Lockless. */
extern struct llist_head resch_guard_asking;
extern struct llist_head resch_guard_later; /* ... at the next tick: nobody has been rung */
extern struct task_struct *resch_guard_thread; /* constant after init */
extern unsigned long resch_guard_kicked; /* bit 0; atomic */

/* The bell of a CPU. Hard interrupt, on an NRT CPU. */
void resch_guard_rung(void *info);

/* Have it look around soon. Process context. */
void resch_guard_move_kick(void);

/*
 * Current, a visitor or to become one, has resch-guard do with it what is to be done, asleep: send
 * it to @cpu, or home. Who asks very often waits for resch-guard's next tick. Process context, no
 * locks, may sleep. Where it comes from an RT CPU no lock is shared with NRT CPUs but that CPU's
 * own run queue's and the thread's.
 */
#define RESCH_GUARD_HOME (-1)
void resch_guard_move(s32 cpu);

/*
 * Current has resch-guard look at @whose, if it is a visitor: its policy has changed. The same
 * context.
 */
void resch_guard_look(struct task_struct *whose);

/*
 * Current has resch-guard give @whose what SCHED_DEADLINE needs, if it is a visitor. The same
 * context.
 */
void resch_guard_span(struct task_struct *whose);

#endif /* _RESCH_GUARD_BELL_H */
