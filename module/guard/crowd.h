/* SPDX-License-Identifier: GPL-2.0 */
/* crowd.h - all threads of the machine: which of them become visitors */
#ifndef _RESCH_GUARD_CROWD_H
#define _RESCH_GUARD_CROWD_H

#include <linux/types.h>

/*
 * All threads of the machine that ought to be visitors become some, in portions. Process context,
 * resch_guard_mutex, of which it lets go in between.
 */
void resch_visitor_gather(void);

/*
 * Likewise workers of io_uring and vhost, which begin without an event and make no calls that one
 * could see. Walks over all threads of the machine.
 */
void resch_visitor_gather_workers(void);

#endif /* _RESCH_GUARD_CROWD_H */
