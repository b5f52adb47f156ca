/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inner.h - plugins inside servers: found, kept loaded, given back, and what is said when one errs
 */
#ifndef _RESCH_MODULE_INNER_H
#define _RESCH_MODULE_INNER_H

#include <resch/inner.h>

struct resch_server_stat;
struct resch_entry;

/** struct resch_inside - a plugin inside a server; resch_lock unless said otherwise
 * @inner:     what plugins see. cpu->lock
 * @algorithm: counted
 * @told:      the kernel's log has its fault
 */
struct resch_inside {
	struct resch_inner inner;
	struct resch_algorithm *algorithm;
	char options[RESCH_OPTIONS_LEN];
	bool told;
};

/*
 * A new server, that is on no CPU yet and has its params, gets the plugin that they ask for.
 * -ENOENT: there is no such plugin. -EINVAL: it can't run inside a server, or does not take the
 * options; or none was asked for, and one is named. Process context, resch_lock.
 */
int resch_inner_make(struct resch_entry *entry, const char *plugin, const char *options);

/* The server, which has no tasks, has it no more; or has none. Process context, resch_lock. */
void resch_inner_free(struct resch_entry *entry);

/* May a standing server be said to have that plugin? An empty name leaves it open. resch_lock. */
bool resch_inner_is(const struct resch_entry *entry, const char *plugin, const char *options);

/* Another plugin takes over: what was wrong is forgotten. cpu->lock. */
void resch_inner_renew(struct resch_entry *entry);

/* resch_lock. */
void resch_inner_fill(struct resch_server_stat *stat, const struct resch_entry *entry);

void __init resch_inner_init(void);

#endif /* _RESCH_MODULE_INNER_H */
