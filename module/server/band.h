/* SPDX-License-Identifier: GPL-2.0 */
/* band.h - bands of servers, one on each of several CPUs */
#ifndef _RESCH_SERVER_BAND_H
#define _RESCH_SERVER_BAND_H

#include <linux/resch.h>

struct resch_domain;
struct resch_file;
struct resch_thread;

/* The ioctls. Process context, resch_lock. */
int resch_band_set(struct resch_file *file, struct resch_servers_set *want);
int resch_band_del(const struct resch_server_del *del);

/*
 * A new thread joins the domain, and is registered through @file from then on. Where its
 * task.params.group names a server of a band it is put into the one of them that has the most to
 * spare, of those that take it, and @group says which. Process context, resch_lock. -EEXIST: the
 * Linux thread is registered already; else as resch_domain_join() says.
 */
int __must_check resch_band_enter(struct resch_domain *domain, struct resch_thread *thread,
				  struct resch_file *file, struct resch_verdict *verdict);

#endif /* _RESCH_SERVER_BAND_H */
