/* SPDX-License-Identifier: GPL-2.0 */
/* takeover.h - standing tasks and their current jobs go from one plugin to another */
#ifndef _RESCH_TAKEOVER_H
#define _RESCH_TAKEOVER_H

#include "domain.h"

/* A CPU comes under @plugin: its private area, and what it reads of the domain. cpu->lock. */
void resch_takeover_begin(struct resch_domain *domain, struct resch_cpu *rc,
			  const struct resch_plugin *plugin);

/*
 * All CPUs of the domain, and the tasks on them, go over to @to: each CPU by itself under its lock,
 * or, where one of the two plugins decides for all CPUs, all at once under the domain's. Interrupts
 * are off for as long as it takes to move the tasks of a CPU, or of the domain. resch_lock.
 */
void resch_takeover(struct resch_domain *domain, const struct resch_plugin *to);

#endif /* _RESCH_TAKEOVER_H */
