/* SPDX-License-Identifier: GPL-2.0 */
/* server.h - the servers of a domain: made, resized, deleted, looked at */
#ifndef _RESCH_SERVER_H
#define _RESCH_SERVER_H

#include <resch/plugin.h>

#include "core/cpu.h"

struct resch_domain;
struct resch_file;
struct resch_thread;
struct resch_entry;

/* The ioctls. Process context, resch_lock. */
int resch_server_set(struct resch_file *file, struct resch_server_set *want);
int resch_server_del(const struct resch_server_del *del);
int resch_server_query(struct resch_server_stat *stat);
int resch_server_open(struct resch_file *file, struct resch_server_open *open);

/* Would the latter be refused? Does not sleep. resch_lock. */
int resch_server_may_open(struct resch_file *file, const struct resch_server_open *open);

/* The servers that @file made and that don't stay without it. Process context, no locks. */
void resch_server_close(struct resch_file *file);

/* Could @domain (or NULL) have servers like that now? 0, or the error of the ioctls. */
int resch_server_ready(struct resch_domain *domain, const struct resch_server_params *params);

/* A new one, admitted; id, CPU or verdict come back in @want. */
int resch_server_make(struct resch_domain *domain, struct resch_file *file,
		      struct resch_server_set *want);

/* Would it, and its tasks, be admitted with @params, whose cpu is filled in? Then give it them. */
int resch_server_try(struct resch_domain *domain, struct resch_entry *entry,
		     struct resch_server_params *params, struct resch_verdict *verdict);
void resch_server_change(struct resch_domain *domain, struct resch_entry *entry,
			 const struct resch_server_params *params);

#endif /* _RESCH_SERVER_H */
