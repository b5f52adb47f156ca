/* SPDX-License-Identifier: GPL-2.0 */
/* ask.h - calls that change policies and affinities while a guard stands */
#ifndef _RESCH_GUARD_ASK_H
#define _RESCH_GUARD_ASK_H

/*
 * Current is in the call @nr, one of those that set a thread's policy or affinity: what follows
 * from that is done when it is over. Process context, may sleep.
 */
void resch_guard_asked(struct pt_regs *regs, long nr);

#endif /* _RESCH_GUARD_ASK_H */
