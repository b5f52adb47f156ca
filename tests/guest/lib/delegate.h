/* SPDX-License-Identifier: GPL-2.0 */
/* delegate.h - a server that is given to somebody, and whom the tests know */
#ifndef _TEST_LIB_DELEGATE_H
#define _TEST_LIB_DELEGATE_H

#include "family.h"

/* Users, and a group. */
#define ALICE 1000
#define BOB 1001
#define CREW 2000

/* So many there may be of hers. */
#define TASKS 6

/* The domain of CPU 1, and the server in it. */
extern uint32_t her_domain, her_server;

/* The calling process becomes somebody without privileges, who is in the group CREW, or in none. */
void become(uid_t uid, bool crew);

/* Make them; tasks go by deadlines, and some have promises. */
void server_with(uint64_t budget);

/* The request that gives it to somebody, and the request made; and it is nobody's again. */
struct resch_delegate to(uint32_t holder, uint32_t who);
void give(uint32_t holder, uint32_t who);
void take_back(void);

/* A sporadic task in it, with an admission test. */
struct resch_register task_in_server(void);

#endif /* _TEST_LIB_DELEGATE_H */
