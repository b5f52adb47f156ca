/* SPDX-License-Identifier: GPL-2.0 */
/*
 * family.h - programs that are in a server of CPU 1 with all that they make, and what they tell the
 * case
 */
#ifndef _TEST_LIB_FAMILY_H
#define _TEST_LIB_FAMILY_H

#include "lib.h"

#define FAMILY_PERIOD (20 * MS)
#define KIDS 64

/* What the members of a case tell it, and are told. */
struct told {
	atomic_ullong used; /* by members that compute, ns */
	atomic_int alive, ready, stop, count;
	atomic_int bad;
	char what[80];
	struct attributes before; /* what the first one was */
	pid_t pids[KIDS];
};

/* Shared with them; family_start() makes it where there is none. */
extern struct told *told;

/* What the first one is at first. */
struct initial {
	const char *what;
	uint32_t policy, priority;
	int32_t nice;
	uint64_t flags;
};

struct family {
	uint32_t domain, id;
	int (*body)(void);
	int fd; /* 0: the case's */
	const struct initial *initial; /* NULL: as the case */
};

/* Make a server whose members take turns, through @fd: its number. */
uint32_t family_server(uint32_t domain, uint64_t budget, uint32_t flags, int fd);

/* What a member asks for. */
struct resch_register member(uint32_t domain, uint32_t id);

/* In a process: be what it is to be at first, register, and run its body; @arg: struct family. */
int family_main(void *arg);

/* The same in a child of the case. */
pid_t family_start(uint32_t domain, uint32_t id, int (*body)(void));

/* Unregister every task there is through @fd, children that come meanwhile, too. */
void family_unregister(int fd);

/* Something is not as it should be. The first to say so is heard. Returns true. */
bool told_bad(const char *what);

/* Whoever runs this is in the server, and was so from its first instruction on; true: it is not. */
bool look(const char *who);

/* Computes for a while, and says how long it did. */
void burn(uint64_t ns);

/*
 * A body: children of several sorts, of which told->pids are: one that computes, one that makes
 * more of them, one that has executed a program, one that sleeps again and again.
 */
int body_household(void);

#endif /* _TEST_LIB_FAMILY_H */
