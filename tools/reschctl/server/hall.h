/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hall.h - a server, or a band of them, and the processes that are to be in it */
#ifndef _RESCHCTL_SERVER_HALL_H
#define _RESCHCTL_SERVER_HALL_H

#include "server.h"

/* How often we look whether members are left, ms. */
#define HALL_LOOK 50

/** struct hall - a server, or a band of them, whom it is for, and what became of it */
struct hall {
	int fd;
	struct resch_server_stat stat; /* the first, as first read */
	struct resch_server_stat *stats; /* all, as last read */
	size_t count;
	uint64_t began;
	pid_t pid; /* the program */
	int status; /* as from waitpid(2) */
	bool ended; /* it has */
	bool told; /* that others of the family go on */
	bool guest; /* the server was there before, and may have others in it */
	bool quiet, json;
};

/**
 * server_place - is it a server that there is, or a new one for whole processes? Return: false: no,
 * after a message
 */
bool server_place(struct server_given *given);
/** hall_make - a new one, or the one that there is. Return: 0, or an exit status after a message */
int hall_make(struct hall *hall, const struct server_given *given);
/** hall_open - which servers they are. Return: as hall_make() */
int hall_open(struct hall *hall, uint32_t domain, uint32_t id);
/** hall_look - Return: whether there is somebody in the servers, or may be soon */
bool hall_look(struct hall *hall);
/** hall_member - what somebody asks for who is to be in it */
struct resch_register hall_member(const struct hall *hall);
/** hall_explain - why he is not let in */
const char *hall_explain(int error, const struct resch_register *reg);
/**
 * hall_attach - take in all threads of a process
 *
 * Return: how many that were not in it; -1 after a message.
 */
int hall_attach(struct hall *hall, pid_t pid);

/* ---- cgroup.c: control groups ---------------------------------------------------------------- */

#define CGROUP_PATH 1024

/** cgroup_find - the directory of one, or of a slice. Return: 0, or an exit status, after words */
int cgroup_find(const char *cgroup, const char *slice, char *path, size_t size);
/** cgroup_allows - has its cpuset the CPUs of the servers? Return: as cgroup_find() */
int cgroup_allows(const char *path, const struct hall *hall);
/** cgroup_follow - take in all that is there, and comes, until it goes or a signal comes */
int cgroup_follow(const char *path, struct hall *hall);

#endif /* _RESCHCTL_SERVER_HALL_H */
