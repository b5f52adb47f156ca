/* SPDX-License-Identifier: GPL-2.0 */
/* levels.h - the SCHED_FIFO priorities of a CPU's threads, in the order of their deadlines */
#ifndef _RESCH_CPU_LEVELS_H
#define _RESCH_CPU_LEVELS_H

#include "cpu.h"

/*
 * The level of @thread, which is about to join @rc. Others may have to move: their helper does
 * that, and until it has, they are stopped rather than shadowed. Process context, resch_lock.
 */
u32 resch_levels_join(struct resch_cpu *rc, const struct resch_thread *thread);

#endif /* _RESCH_CPU_LEVELS_H */
