/* SPDX-License-Identifier: GPL-2.0 */
/* passive.h - a server of clients, a passive one of providers, and what both do */
#ifndef _TEST_LIB_PASSIVE_H
#define _TEST_LIB_PASSIVE_H

#include "lib.h"

#define PASSIVE_PERIOD (20 * MS)
#define PASSIVE_BUDGET (8 * MS)

/* The domain of CPU 1, and in it the server of clients, and that of providers. */
extern uint32_t domain, ours, theirs;

/* Make them. */
void servers(void);

/* Make a server of this kind in the domain: its number. */
uint32_t server_of_kind(uint32_t kind, uint64_t budget, uint64_t period);

/* Start a client or a provider. */
void start(struct task *task, uint32_t server, void (*body)(struct task *task));

/*
 * A client with a period and a deadline, for whom who works for it comes second: task_wait() first.
 */
void start_first(struct task *task, void (*body)(struct task *task));

/* A process that has one such thread, until it is killed. */
pid_t start_process(uint32_t server, void (*body)(struct task *task));

/* The calls, as they are: 0 or -errno. A client's data is 4711. */
int client_call(uint32_t server, uint32_t flags, struct resch_call *out);
int client_end(uint64_t handle, uint32_t flags);
int serve(uint64_t handle, uint32_t flags, struct resch_serve *out);
int serve_end(uint64_t handle);

/* A client that calls once, waits for the end (task->result), says so (task->step), and stays. */
void body_calls(struct task *task);

/*
 * A provider that takes up one call (task->step), and works until task->stop; the end's
 * task->result.
 */
void body_works(struct task *task);

/*
 * That provider works at the expense of its own server from here on, and no more at the clients'.
 * Ends it.
 */
void pays_itself(struct task *provider, uint32_t own);

/*
 * A provider that answers calls until stop_provider(), which is by SIGUSR1: signals_end_waiting().
 */
void body_answers(struct task *task);
void stop_provider(struct task *task);
void signals_end_waiting(void);

#endif /* _TEST_LIB_PASSIVE_H */
