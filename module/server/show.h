/* SPDX-License-Identifier: GPL-2.0 */
/* show.h - what who looks at a server sees */
#ifndef _RESCH_SERVER_SHOW_H
#define _RESCH_SERVER_SHOW_H

#include "core/cpu.h"

struct resch_view;

void resch_server_show_viewed(struct resch_cpu *rc, struct resch_server *server);

/*
 * The state of the server (or NULL), or whether it serves, may have changed: who looks at it is to
 * see that. cpu->lock of @rc; a server of another CPU, which a task may name under another plugin,
 * is passed over.
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

/* A plugin inside a server has erred: a worker says so. Any context. */
void resch_inner_faulted(void);

/* Says which plugins inside have erred: inner.c. */
extern struct work_struct resch_fault_work;

/* The server that the rest of Linux has there, or NULL: it is the first. */
struct resch_server *resch_server_rest(const struct resch_cpu *rc);

/* The server's state, or who runs, has changed. cpu->lock. */
void resch_page_write(struct resch_view *view, const struct resch_server *server);

/* It has used up a budget with work left: whoever waits is woken. cpu->lock. */
void resch_page_exhausted(struct resch_view *view);

/* The server goes, and forgets its view. Process context, resch_lock. */
void resch_page_gone(struct resch_view *view);

/* The server knows it no longer. resch_lock, cpu->lock */
void resch_view_unlink(struct resch_view *view);

#endif /* _RESCH_SERVER_SHOW_H */
