/* SPDX-License-Identifier: GPL-2.0 */
/* servers.h - requests about servers, with the lock that they need */
#ifndef _RESCH_DEVICE_SERVERS_H
#define _RESCH_DEVICE_SERVERS_H

#include <linux/resch.h>

struct resch_file;

/* The ioctls for one server, for a band, and for both. Process context, no locks. */
int resch_servers_one(struct resch_file *file, struct resch_server_set *want);
int resch_servers_band(struct resch_file *file, struct resch_servers_set *want);
int resch_servers_stat(struct resch_server_stat *stat);
int resch_servers_open(struct resch_file *file, struct resch_server_open *open);
int resch_servers_delegate(const struct resch_delegate *want);

#endif /* _RESCH_DEVICE_SERVERS_H */
