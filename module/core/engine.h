/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine.h - decisions: who runs on a CPU now, and until when
 *
 * Levels. Where deadlines decide, a job that preempts another has the shorter relative deadline
 * (Baker's preemption levels, RTSS 1990), and so it is where priorities follow them. Registered
 * threads therefore get their SCHED_FIFO priorities in the order of their relative deadlines:
 * waking the newly selected thread then preempts the old one by itself, and when it is done the old
 * one just goes on. The old one is called shadowed: it may be runnable, as the selected thread's
 * level keeps it off the CPU. Where the plugin's choice and the levels disagree the thread is
 * stopped (park.h). So levels are a matter of cost, never of order.
 */
#ifndef _RESCH_ENGINE_H
#define _RESCH_ENGINE_H

#include "cpu.h"

void __init resch_engine_init(void);

/*
 * Takes in what has happened up to @now, asks the plugin, makes the choice so. cpu->lock, on the
 * CPU.
 */
void resch_engine_update(struct resch_cpu *rc, u64 now);

/*
 * Asks the plugin who has the choice at @now, and makes it so. For who has taken in all that has
 * happened. cpu->lock, on the CPU; the plugin is there, and the CPU not frozen: it may be then.
 */
void resch_engine_decide(struct resch_cpu *rc, u64 now);

/* The time of the next event that needs an update. cpu->lock. */
u64 resch_engine_next(const struct resch_cpu *rc);

/* Stops the shadowed threads whose level is not below @level. cpu->lock. */
void resch_engine_uncover(struct resch_cpu *rc, u32 level, u64 now);

/* Ends all registrations on the CPU. cpu->lock; the CPU has to decide again afterwards. */
void resch_engine_clear(struct resch_cpu *rc, u32 gone, u64 now);

/* Nobody is selected any more, until the CPU gets a plugin again. cpu->lock. */
void resch_engine_freeze(struct resch_cpu *rc, u64 now);

/*
 * The plugin of this CPU's domain has to go, for @reason, a constant: freezes the CPU, the rest is
 * done by a worker, unless the plugin is replaced before. cpu->lock.
 */
void resch_engine_eject(struct resch_cpu *rc, const char *reason, u64 now);

#endif /* _RESCH_ENGINE_H */
