/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view.h - what user space sees of a server without a system call: written by show.c, opened by
 * page.c
 */
#ifndef _RESCH_SERVER_VIEW_H
#define _RESCH_SERVER_VIEW_H

#include <linux/atomic.h>

#include "core/wake.h"

struct resch_cpu;
struct resch_server_page;

/* One for all who look at a server. */
struct resch_view {
	struct resch_server_page *page; /* cpu->lock to write, until it has no server */
	struct resch_view **link; /* resch_lock: the server's; NULL: it has gone */
	struct resch_cpu *rc; /* of the server; constant */
	u32 users; /* resch_lock: open files */
	bool gone; /* for who waits */
	atomic64_t exhausted;
	struct resch_wake wake; /* who waits for used up budgets */
};

#endif /* _RESCH_SERVER_VIEW_H */
