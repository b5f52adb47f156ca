/* SPDX-License-Identifier: GPL-2.0-or-later */
/* server.h - what the commands about servers share */
#ifndef _RESCHCTL_SERVER_H
#define _RESCHCTL_SERVER_H

#include "reschctl.h"

/* A turn under rr unless given, ns. */
#define SERVER_QUANTUM 1000000

/** struct server_given - the options that describe a server */
struct server_given {
	struct resch_server_params params;
	uint64_t domain;
	struct resch_cpus cpus; /* where `band` */
	char plugin[RESCH_NAME_LEN]; /* with RESCH_SERVER_PLUGIN */
	char options[RESCH_OPTIONS_LEN];
	const char *in; /* run, attach: the server that there is; NULL: a new one */
	const char *cgroup, *slice; /* attach */
	bool kind, policy, cpu, name, band; /* given; band: --cpus */
	bool json, quiet;
};

/**
 * server_parse - @arguments: as in struct option_table; before "program" options end at the first
 * word that is none. Return: -1: go on at optind; an exit status
 */
int server_parse(int argc, char **argv, struct server_given *given, const char *arguments);
/** server_complete - is it a new server? Return: 0, or an exit status after a message */
int server_complete(struct server_given *given);
/** server_make - Return: 0, and *@want as the module made it; or an exit status after a message */
int server_make(int fd, const struct server_given *given, uint32_t flags,
		struct resch_server_set *want);
/**
 * server_fill - what a new server, or a band of them, is to be
 * @params, @plugin, @options, @domain: members of the request
 *
 * Return: 0, or an exit status after a message.
 */
int server_fill(int fd, const struct server_given *given, uint32_t flags,
		struct resch_server_params *params, char *plugin, char *options, uint32_t *domain);
/** server_explain - why a server is refused: one of @domain, @id. Return: an exit status */
int server_explain(int error, uint32_t domain, uint32_t id, const struct resch_verdict *verdict);
/**
 * server_explain_plugin - is it the plugin inside that a new server is refused for? Return: an exit
 * status after a message; 0: no
 */
int server_explain_plugin(int fd, int error, const struct server_given *given);
/** server_plain - for commands without options. Return: as server_parse() */
int server_plain(int argc, char **argv, bool *json);
/** server_parse_id - "1:3". Return: 0 or -EINVAL */
int server_parse_id(const char *text, uint32_t *domain, uint32_t *id);
struct json_object *server_json(const struct resch_server_stat *stat);

/* ---- band.c: bands of servers, one on each of several CPUs ----------------------------------- */

/** server_band_make - as server_make() */
int server_band_make(int fd, const struct server_given *given, uint32_t flags,
		     struct resch_servers_set *want);
/**
 * server_band_stats - those of the band that @stat is of, or itself. Return: room to be freed, or
 * NULL
 */
struct resch_server_stat *server_band_stats(int fd, const struct resch_server_stat *stat,
					    size_t *count);
/* What add and set do with bands. Return: an exit status. */
int server_band_add(int fd, const struct server_given *given);
int server_band_resize(int fd, const struct resch_server_stat *stat,
		       const struct resch_server_params *params, bool json);

/* ---- delegate.c: servers of people without rights -------------------------------------------- */

/* Ceilings unless given: an application with its helpers, and no bomb; the module's. */
#define HOLDER_TASKS "64"
#define HOLDER_RATE "10000"
#define HOLDER_TEXT 48 /* enough for any that holder_format() makes of usual names */

/** holder_parse - "user:alice", "group:1000", or "": nobody. Return: 0 or -EINVAL */
int holder_parse(const char *text, uint32_t *holder, uint32_t *who);
/** holder_format - the reverse, with a name where there is one */
void holder_format(uint32_t holder, uint32_t who, char *text, size_t size);
/** holder_json - whom a delegated server is delegated to, and the ceilings */
struct json_object *holder_json(const struct resch_server_stat *stat);
/** server_give - delegate, or take back. Return: 0, or an exit status after a message */
int server_give(int fd, const struct resch_delegate *want);

/* Actions in files of their own. */
int server_size(int argc, char **argv);
int server_run(int argc, char **argv);
int server_attach(int argc, char **argv);
int server_delegate(int argc, char **argv);
int server_tune(int argc, char **argv);

#endif /* _RESCHCTL_SERVER_H */
