/* SPDX-License-Identifier: GPL-2.0 */
/* join.h - a thread finds its CPU, and leaves it */
#ifndef _RESCH_DOMAIN_JOIN_H
#define _RESCH_DOMAIN_JOIN_H

#include "domain.h"

/* Finds a CPU for @thread, by admission, and puts it there. Process context, resch_lock. */
int resch_domain_join(struct resch_domain *domain, struct resch_thread *thread,
		      struct resch_verdict *verdict);
void resch_domain_quit(struct resch_thread *thread);

#endif /* _RESCH_DOMAIN_JOIN_H */
