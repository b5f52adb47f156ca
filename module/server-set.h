/* SPDX-License-Identifier: GPL-2.0 */
/* server-set.h - sets of servers, one on each of several CPUs; and what server.c knows of a server */
#ifndef _RESCH_SERVER_SET_H
#define _RESCH_SERVER_SET_H

#include "thread.h"

struct inside;
struct resch_view;

/*
 * A server. On its CPU's list from its making until nothing of it counts any more: one that was
 * deleted goes on holding its share until the deadline that it had.
 */
struct server {
	struct resch_server server; /* what the plugin sees: cpu->lock, and resch_lock to change it */
	struct resch_domain *domain;
	struct resch_cpu *rc;
	struct list_head in_file; /* where file */
	struct inside
		*inside; /* resch_lock; what server.inner is in; NULL: no plugin orders its tasks */
	struct resch_view *view; /* resch_lock and cpu->lock; NULL: nobody looks */
	struct resch_file *file; /* the one that it goes with; NULL: stays, or is doomed */
	u64 held_until; /* of server.held_* */
	u32 nr_tasks;
	u32 set; /* id of its set; 0: none */
	struct list_head in_set; /* a ring of its servers, without a head */
	struct list_head waiting; /* children of its members that find no room, oldest first */
	bool doomed; /* goes with its last task, and takes no more */
};

/* ---- server.c, for sets; process context, resch_lock ------------------------------------------------- */

struct server *resch_server_find(struct resch_domain *domain, u32 id);

/* Could @domain (or NULL) have servers like that now? 0, or the error of the ioctls. */
int resch_server_ready(struct resch_domain *domain, const struct resch_server_params *params);

/* A new one, admitted; id, CPU or verdict come back in @set. */
int resch_server_make(struct resch_domain *domain, struct resch_file *file,
		      struct resch_server_set *set);

/* Would it, and its tasks, be admitted with @params, whose cpu is filled in? Then give it them. */
int resch_server_try(struct resch_domain *domain, struct server *server,
		     struct resch_server_params *params, struct resch_verdict *verdict);
void resch_server_change(struct resch_domain *domain, struct server *server,
			 const struct resch_server_params *params);

/* It has no tasks, and goes. */
void resch_server_end(struct server *server);

/* ---- sets; process context, resch_lock ------------------------------------------------------------ */

/* The ioctls. */
int resch_set_set(struct resch_file *file, struct resch_servers_set *set);
int resch_set_del(const struct resch_server_del *del);

/* Is there room for one more in the server, or another one of its set? */
bool resch_set_has_room(const struct server *server);

/*
 * resch_domain_join() for a thread whose task.params.group may name a server of a set: it is put into
 * the one of them that has the most to spare, of those that take it, and @group says which.
 */
int resch_set_join(struct resch_domain *domain, struct resch_thread *thread,
		   struct resch_verdict *verdict);

#endif /* _RESCH_SERVER_SET_H */
