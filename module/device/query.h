/* SPDX-License-Identifier: GPL-2.0 */
/*
 * query.h - what can be read back; process context, no locks; errors as in the uapi
 *
 * Anybody who has the device open may ask, however little of a CPU he gets. So nobody else may ever
 * have to wait for him to get on.
 */
#ifndef _RESCH_QUERY_H
#define _RESCH_QUERY_H

#include <resch/plugin.h>

int resch_query_info(struct resch_info *info);
int resch_query_task(struct resch_task_stat *stat);
int resch_query_domain(struct resch_domain_stat *stat);
int resch_query_plugin(struct resch_plugin_stat *stat);

#endif /* _RESCH_QUERY_H */
