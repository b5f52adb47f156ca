/* SPDX-License-Identifier: GPL-2.0 */
/* lead.h - early and exact: who is let go ahead of a release waits for it */
#ifndef _RESCH_CORE_LEAD_H
#define _RESCH_CORE_LEAD_H

#include "thread.h"

/*
 * The thread, which has waited since @since, has been let go thread->ahead before its job's
 * release, and comes back from here with that. 0; -ECANCELED: its registration has ended; -EINTR:
 * it is being killed. Process context, current is @thread, no locks, preemptible.
 */
int resch_lead_wait(struct resch_thread *thread, u64 since);

#endif /* _RESCH_CORE_LEAD_H */
