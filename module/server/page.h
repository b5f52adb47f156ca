/* SPDX-License-Identifier: GPL-2.0 */
/* page.h - a server seen from user space without a system call, and its overruns waited for */
#ifndef _RESCH_PAGE_H
#define _RESCH_PAGE_H

#include <resch/plugin.h>

struct resch_cpu;
struct resch_view;

/*
 * A descriptor for who may look at the server on @rc. @link: where the server keeps its view.
 * Process context, resch_lock. -ENOMEM, -EMFILE, -ENFILE
 */
int resch_page_open(struct resch_view **link, struct resch_cpu *rc,
		    const struct resch_server *server, u32 domain);

#endif /* _RESCH_PAGE_H */
