/* SPDX-License-Identifier: GPL-2.0 */
/* page.h - a server seen from user space without a system call, and its overruns waited for */
#ifndef _RESCH_PAGE_H
#define _RESCH_PAGE_H

#include <resch/plugin.h>

struct resch_cpu;
struct resch_view;

/*
 * A descriptor for who may look at the server on @rc. @link: where the server keeps its view. Process
 * context, resch_lock. -ENOMEM, -EMFILE, -ENFILE
 */
int resch_page_open(struct resch_view **link, struct resch_cpu *rc,
		    const struct resch_server *server, u32 domain);

/* The server's state, or who runs, has changed. cpu->lock. */
void resch_page_write(struct resch_view *view, const struct resch_server *server);

/* It has used up a budget with work left: whoever waits is woken. cpu->lock. */
void resch_page_exhausted(struct resch_view *view);

/* The server goes, and forgets its view. Process context, resch_lock. */
void resch_page_gone(struct resch_view *view);

#endif /* _RESCH_PAGE_H */
