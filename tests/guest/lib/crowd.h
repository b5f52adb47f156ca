/* SPDX-License-Identifier: GPL-2.0 */
/*
 * crowd.h - a task in every state on CPU 1, and what must become of them when something ends
 * all registrations
 */
#ifndef _TEST_LIB_CROWD_H
#define _TEST_LIB_CROWD_H

#include "lib.h"

/*
 * Registers six threads that were SCHED_BATCH with nice 5 on CPUs 0 and 1: one that computes, one
 * that is ready behind it, one between two jobs, one asleep in the kernel, one in RESCH_IOC_DELAY,
 * one that has not waited yet. For plugins that go by release time or deadline.
 */
void crowd_start(void);

/*
 * What ends them has been done: each gets GONE with this reason, its wait ends with -ECANCELED, and
 * it is what it was before. Then the threads end.
 */
void crowd_gone(uint64_t gone);

/* A task on CPU 1 that has a few jobs and goes: the domain there works. */
void crowd_after(void);

#endif /* _TEST_LIB_CROWD_H */
