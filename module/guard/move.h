/* SPDX-License-Identifier: GPL-2.0 */
/* move.h - the thread resch-guard, which moves visitors that ask */
#ifndef _RESCH_GUARD_MOVE_H
#define _RESCH_GUARD_MOVE_H

#include <linux/init.h>
#include <linux/ktime.h>
#include <linux/types.h>

/* The thread resch-guard. */
int __init resch_guard_move_init(void);
void resch_guard_move_exit(void);

/*
 * Keeps resch-guard off RT CPUs, and elsewhere where it was put, as a shield does; without a guard
 * it may run there again. Process context, resch_guard_mutex.
 */
void resch_guard_move_away(void);

/* What resch_guard_breathe() is. */
bool resch_guard_move_breathe(void);

/* How often resch-guard looks around, ns. */
#define RESCH_GUARD_TICK (10 * NSEC_PER_MSEC)

#endif /* _RESCH_GUARD_MOVE_H */
