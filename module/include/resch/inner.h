/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inner.h - a plugin inside a server: the virtual CPU that it decides for
 *
 * A plugin with servers lets other plugins order the tasks of single servers. Such a plugin is
 * given a struct resch_rq for each server that it is inside of, with a private area of its own, and
 * that of a domain, which its option() has written for that server. It is told of the tasks of that
 * server alone, and asked to pick only while the server has a budget and its turn: time goes on
 * between two picks, and from the first answer on it may be asked again at any time. Of that struct
 * resch_rq no tasks are listed, nor are there peers, servers or a plan; task->rq is the real CPU.
 * admit(), admit_server() and stopped() are not asked: admission is by a bound that holds for
 * whoever picks a task whenever one is ready.
 *
 * The outer plugin judges each answer: nobody while tasks are ready, somebody who is not ready or
 * not in this server, or an `until` that is not in the future, and the server goes on without the
 * plugin, by an order of the outer one's (resch_plugin.stand_in). No other server notices.
 */
#ifndef _RESCH_INNER_H
#define _RESCH_INNER_H

#include "plugin.h"

/**
 * struct resch_inner - a plugin inside a server
 * @plugin: it
 * @fault:  why it is not asked any more; NULL: it is. Of the outer plugin, CPU lock
 * @domain: its private area of a domain: constant
 * @rq:     the virtual CPU
 */
struct resch_inner {
	const struct resch_plugin *plugin;
	const char *fault;
	u64 domain[RESCH_DOMAIN_PRIVATE];
	struct resch_rq rq;
};

/** resch_plugin_fits_inside - may the plugin run inside a server? */
static inline bool resch_plugin_fits_inside(const struct resch_plugin *plugin)
{
	return plugin->flags & RESCH_PLUGIN_INNER;
}

/**
 * resch_inner_reset - all is as if it were new, but for its options; no task is in it
 * @cpu: the real one
 */
static inline void resch_inner_reset(struct resch_inner *inner, const struct resch_rq *cpu)
{
	memset(&inner->rq, 0, sizeof(inner->rq));
	inner->rq.domain = inner->domain;
	inner->rq.cpu = cpu->cpu;
	inner->rq.capacity = 1000000;
	inner->fault = NULL;
}

#endif /* _RESCH_INNER_H */
