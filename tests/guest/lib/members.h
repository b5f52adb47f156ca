/* SPDX-License-Identifier: GPL-2.0 */
/* members.h - a chain whose stages are processes, each with a descriptor of its own */
#ifndef _TEST_LIB_MEMBERS_H
#define _TEST_LIB_MEMBERS_H

#include "stages.h"

/* How a stage leaves its chain, but for a signal that kills it. */
enum leave { MEMBER_STAYS, MEMBER_UNREGISTERS, MEMBER_CLOSES, MEMBER_EXECUTES };

/* One of them; shared with its process. */
struct member {
	int number;
	atomic_uint id;
	atomic_int leave; /* enum leave */
};

extern struct member *members;
extern pid_t member_pids[STAGES];

/* On CPUs 1 to 3, a domain's, every 5 ms: the chain, which has completed ten instances. */
uint32_t members_chain(void);

/*
 * @who has gone: what the chain says of it, that so many tasks are @left, and nothing once the
 * others have been killed.
 */
void members_end(uint32_t chain, int who, int left);

#endif /* _TEST_LIB_MEMBERS_H */
