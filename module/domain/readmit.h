/* SPDX-License-Identifier: GPL-2.0 */
/* readmit.h - would this plugin, or this plan, take the tasks that stand? */
#ifndef _RESCH_READMIT_H
#define _RESCH_READMIT_H

#include "domain.h"

/*
 * The standing tasks of the domain join copies of its CPUs, one by one, as the plugin interface
 * promises, under @plugin with its private area @private and @plan (NULL: none). 0, -ENOMEM, or
 * -EBUSY with @verdict filled in (RESCH_BOUND_PLUGIN: the task names no group of the plan, or no
 * server of its CPU). Before them the servers of each CPU are admitted, if the plugin has servers.
 * Process context, resch_lock.
 */
int resch_readmit(const struct resch_domain *domain, const struct resch_plugin *plugin,
		  const u64 *private, const struct resch_plan *plan, u32 capacity, u32 overhead,
		  struct resch_verdict *verdict);

/*
 * The same for the plugin in charge, with @wanted in the place of the server that has its id. The
 * verdict's suggestions are about the server. Process context, resch_lock.
 */
int resch_readmit_server(const struct resch_domain *domain, const struct resch_server *wanted,
			 struct resch_verdict *verdict);

/*
 * The same for the plugin in charge, if @task, one of the domain's, had that lead. The verdict has
 * no suggestions. Process context, resch_lock.
 */
int resch_readmit_lead(const struct resch_domain *domain, const struct resch_task *task, u64 lead,
		       struct resch_verdict *verdict);

/* May a task that stands on @rq be there, for its server? resch_lock. */
bool resch_readmit_fits(const struct resch_task *task, const struct resch_rq *rq);

#endif /* _RESCH_READMIT_H */
