/* SPDX-License-Identifier: GPL-2.0 */
/* react.h - what happens on an overrun and on a missed deadline */
#ifndef _RESCH_REACT_H
#define _RESCH_REACT_H

#include "cpu.h"

/*
 * The selected job, or handler between two jobs, has executed for its budget, or the deadline of a
 * job has come. cpu->lock.
 */
void resch_react_overrun(struct resch_thread *thread, u64 now);
void resch_react_miss(struct resch_thread *thread, u64 now);

/*
 * A job that ends has executed for more than its budget, or missed its deadline, and nobody has
 * noticed. cpu->lock.
 */
void resch_react_overran(struct resch_thread *thread, u64 executed, u64 now);
void resch_react_missed(struct resch_thread *thread, u64 tardiness, u64 now);

/* The budget of a throttled job, or of a handler, is due. cpu->lock. */
void resch_react_replenish(struct resch_thread *thread, u64 now);

#endif /* _RESCH_REACT_H */
