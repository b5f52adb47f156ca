/* SPDX-License-Identifier: GPL-2.0 */
/* server.h - the servers of a domain: made, resized, deleted, looked at */
#ifndef _RESCH_SERVER_H
#define _RESCH_SERVER_H

#include <linux/xarray.h>

#include <resch/plugin.h>

#include "cpu.h"

struct resch_domain;
struct resch_file;
struct resch_thread;

/* The servers of a domain. resch_lock. */
struct resch_servers {
	struct xarray ids;
	u32 next_id;
	u32 count; /* of all that are on the lists of its CPUs, deleted ones too */
};

/* The ioctls. Process context, resch_lock. */
int resch_server_set(struct resch_file *file, struct resch_server_set *set);
int resch_server_del(const struct resch_server_del *del);
int resch_server_query(struct resch_server_stat *stat);
int resch_server_open(struct resch_file *file, struct resch_server_open *open);

/* The servers that @file made and that don't stay without it. Process context, no locks. */
void resch_server_close(struct resch_file *file);

/* The CPU that a task with these parameters lives on. -EINVAL: there is no such server. resch_lock. */
int resch_server_home(struct resch_domain *domain, const struct resch_task_params *params);

/*
 * A thread that is registered by hand is to be a member of the server that @params name: what it does
 * not say itself is filled in. -EINVAL: there is none with that id. -ENOSPC: there is no room in it.
 * resch_lock.
 */
int resch_server_take(struct resch_domain *domain, struct resch_task_params *params);

/*
 * A child of a member is to join. 0, or -EAGAIN: there is no room, it waits, and resch_family_call() is
 * called for it when there is; other errors: there is nothing to join any more. resch_lock.
 */
int resch_server_queue(struct resch_domain *domain, struct resch_thread *thread);

/* One that was let in did not come: there is room for the next. resch_lock. */
void resch_server_pass(struct resch_domain *domain, const struct resch_task_params *params);

/* Sets task->server. resch_lock. */
void resch_server_bind(struct resch_domain *domain, struct resch_task *task);

/* The thread counts among the tasks of task->server, and no longer does. resch_lock. */
void resch_server_join(struct resch_thread *thread);
void resch_server_quit(struct resch_thread *thread);

/* May a task that stands on @rq be there, for its server? resch_lock. */
bool resch_server_fits(const struct resch_task *task, const struct resch_rq *rq);

void resch_server_init(struct resch_servers *servers);
/* All of them, with the domain, which has no tasks: first their ids, then each CPU's list. resch_lock. */
void resch_server_free(struct resch_servers *servers);
void resch_server_free_list(struct resch_server *list);
/* A plugin takes over: all is as if they were new. cpu->lock. */
void resch_server_reset(struct resch_cpu *rc);

void resch_server_show_viewed(struct resch_cpu *rc, struct resch_server *server);

/*
 * The state of the server (or NULL), or whether it serves, may have changed: who looks at it is to see
 * that. cpu->lock of @rc; a server of another CPU, which a task may name under another plugin, is let be.
 */
static inline void resch_server_show(struct resch_cpu *rc, struct resch_server *server)
{
	if (unlikely(rc->viewed) && server)
		resch_server_show_viewed(rc, server);
}

/* Likewise that of the rest of Linux, if it has one: it may have been picked. cpu->lock. */
void resch_server_show_rest(struct resch_cpu *rc);

/* What the plugin has noted goes to the trace, and to who waits for it. cpu->lock. */
void resch_server_flush(struct resch_cpu *rc);

#endif /* _RESCH_SERVER_H */
