/* SPDX-License-Identifier: GPL-2.0 */
/* table.h - the servers of a CPU and of a domain: lists, and what is held */
#ifndef _RESCH_SERVER_TABLE_H
#define _RESCH_SERVER_TABLE_H

#include <linux/xarray.h>

#include "entry.h"

struct resch_domain;

/* The servers of a domain. resch_lock. */
struct resch_servers {
	struct xarray ids;
	u32 next_id;
	u32 count; /* of all that are on the lists of its CPUs, deleted ones too */
};

void resch_server_init(struct resch_servers *servers);
/*
 * All of them, with the domain, which has no tasks: first their ids, then each CPU's list.
 * resch_lock.
 */
void resch_server_free(struct resch_servers *servers);
void resch_server_free_list(struct resch_server *list);
/* A plugin takes over: all is as if they were new. cpu->lock. */
void resch_server_reset(struct resch_cpu *rc);

struct resch_entry *resch_server_find(struct resch_domain *domain, u32 id);
struct resch_entry *resch_server_after(struct resch_domain *domain, u32 id);

/* Deletes the server, which has no tasks; it may hold its share for a while. resch_lock. */
void resch_server_end(struct resch_entry *entry);

/* It joins the list of its CPU. resch_lock, cpu->lock */
void resch_server_list(struct resch_entry *entry);

/* Frees the shares that servers of the CPU have held until their deadlines. resch_lock. */
void resch_server_expire(struct resch_cpu *rc);

/*
 * How long somebody may have to wait: kept, since each decision of a CPU that waits asks.
 * cpu->lock.
 */
void resch_server_measure(struct resch_cpu *rc);

/*
 * The size that it has had so far counts until the deadline that it has now. A soft server that has
 * run far ahead of time did so when nobody else wanted to: that is not waited for. cpu->lock.
 */
void resch_server_hold(struct resch_entry *entry, u64 now);

/* Whoever has waited longest for room may look again. false: nobody waits. */
bool resch_server_recall(struct resch_entry *entry);

#endif /* _RESCH_SERVER_TABLE_H */
