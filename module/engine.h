/* SPDX-License-Identifier: GPL-2.0 */
/*
 * engine.h - decisions: who runs on a CPU now, and until when
 *
 * Levels. A job that preempts another under EDF has the shorter relative deadline (Baker's
 * preemption levels, RTSS 1990), and so it is with deadline-monotonic priorities. Registered
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

/* The time of the next event that needs an update. cpu->lock. */
u64 resch_engine_next(const struct resch_cpu *rc);

/*
 * The job of @thread is ready, or no longer is: keeps the plugin's queues and the counters
 * together. cpu->lock.
 */
void resch_engine_enqueue(struct resch_thread *thread, enum resch_why why, u64 now);
void resch_engine_dequeue(struct resch_thread *thread, enum resch_why why, u64 now);

/*
 * The selected thread is no longer the choice. cpu->lock; followed by a decision, or by
 * resch_engine_uncover().
 */
void resch_engine_deselect(struct resch_cpu *rc, enum resch_off why, u64 now);

/*
 * The thread has left the CPU: it waits in this module, blocked, is demoted, or gone. cpu->lock, on
 * any CPU.
 */
void resch_engine_stopped(struct resch_thread *thread);

/*
 * The thread goes over to another CPU of its domain, where it is to run. The domain's lock, which
 * is that of both CPUs; or both locks, in a swap.
 */
void resch_engine_move(struct resch_thread *thread, struct resch_cpu *to);

/* Stops the shadowed threads whose level is not below @level. cpu->lock. */
void resch_engine_uncover(struct resch_cpu *rc, u32 level, u64 now);

/* Ends all registrations on the CPU. cpu->lock; the CPU has to decide again afterwards. */
void resch_engine_clear(struct resch_cpu *rc, u32 gone, u64 now);

/* Nobody is selected any more, until the CPU gets a plugin again. cpu->lock. */
void resch_engine_freeze(struct resch_cpu *rc, u64 now);

/*
 * The plugin of this CPU's domain has to go: freezes the domain's CPUs, the rest is done by a
 * worker. cpu->lock.
 */
void resch_engine_eject(struct resch_cpu *rc, const char *reason, u64 now);

#endif /* _RESCH_ENGINE_H */
