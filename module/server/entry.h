/* SPDX-License-Identifier: GPL-2.0 */
/* entry.h - a server, as the core knows it */
#ifndef _RESCH_SERVER_ENTRY_H
#define _RESCH_SERVER_ENTRY_H

#include <linux/list.h>

#include <resch/plugin.h>

struct resch_inside;
struct resch_cpu;
struct resch_domain;
struct resch_file;
struct resch_grant;
struct resch_view;

/*
 * A server with what the core knows of it. On its CPU's list from its making until nothing of it
 * counts any more: one that was deleted goes on holding its share until the deadline that it had.
 */
struct resch_entry {
	/* what the plugin sees: cpu->lock, and resch_lock to change it */
	struct resch_server server;
	struct resch_domain *domain;
	struct resch_cpu *rc;
	struct list_head in_file; /* where file */
	/* resch_lock; what server.inner is in; NULL: no plugin orders its tasks */
	struct resch_inside *inside;
	struct resch_view *view; /* resch_lock and cpu->lock; NULL: nobody looks */
	struct resch_file *file; /* the one that it goes with; NULL: stays, or is doomed */
	struct resch_grant *grant; /* whose it is, besides root's; changes under resch_lock */
	u64 held_until; /* of server.held_* */
	u32 nr_tasks;
	u32 band; /* id of the band that it is of; 0: none */
	struct list_head in_band; /* a ring of its servers, without a head */
	struct list_head waiting; /* children of its members that find no room, oldest first */
	bool doomed; /* goes with its last task, and takes no more */
};

static inline struct resch_entry *resch_server_of(struct resch_server *server)
{
	return container_of(server, struct resch_entry, server);
}

/* The next one of its band, or NULL where that is @first. resch_lock. */
static inline struct resch_entry *resch_band_next(const struct resch_entry *entry,
						  const struct resch_entry *first)
{
	return entry->in_band.next == &first->in_band ?
		       NULL :
		       list_entry(entry->in_band.next, struct resch_entry, in_band);
}

/* All servers of the band that @first is of, from that one on; or @first alone. resch_lock. */
#define resch_band_for_each(entry, first) \
	for ((entry) = (first); (entry); (entry) = resch_band_next(entry, first))

/* Does the rest of Linux have it? */
static inline bool resch_server_linux(const struct resch_server *server)
{
	return server->params.kind == RESCH_SERVER_LINUX;
}

#endif /* _RESCH_SERVER_ENTRY_H */
