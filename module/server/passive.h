/* SPDX-License-Identifier: GPL-2.0 */
/*
 * passive.h - work for others: calls of clients, and threads of passive servers that take them up
 */
#ifndef _RESCH_PASSIVE_H
#define _RESCH_PASSIVE_H

#include <linux/list.h>
#include <linux/resch.h>

struct resch_cpu;
struct resch_server;
struct resch_thread;

/*
 *          CALL              SERVE              SERVE_END, or the provider is gone
 *   (none) ------> OPEN ------------> SERVED ----------------------------------> ENDED
 *      ^             |                  |                                          |
 *      +-------------+------------------+------------------------------------------+
 *        CALL_END, or the client is gone
 */
enum resch_call_state {
	RESCH_CALL_NONE,
	RESCH_CALL_OPEN,
	RESCH_CALL_SERVED,
	RESCH_CALL_ENDED,
};

/*
 * Who works for a client may call others in turn, at the same client's expense. An end takes what
 * was called for it along, one after the other, with the CPU's lock held: so many at most.
 */
#define RESCH_CALL_DEPTH 8

/**
 * struct resch_ask - a thread's call, as a client. cpu->lock
 * @place:    on cpu->calls, while OPEN
 * @state:    enum resch_call_state
 * @discards: RESCH_CALL_F_DISCARD
 * @result:   ENDED: how
 * @handle, @data, @consumed: see struct resch_call
 * @to:       the passive server that it called
 * @provider: SERVED: who works on it
 */
struct resch_ask {
	struct list_head place;
	u8 state;
	bool discards;
	int result;
	u64 handle;
	u64 data;
	u64 consumed;
	struct resch_server *to;
	struct resch_thread *provider;
};

/**
 * struct resch_help - a thread's work for a client, as a provider. cpu->lock
 * @place:  on cpu->servants, while it sleeps for a call
 * @client: whose call it works on, or NULL
 * @handle: of that, or of the one that it lost
 * @lost:   the call ended without it
 * @own:    its server
 * @began:  its CPU time when it took the call up
 * @others: what those have executed that it has called meanwhile
 */
struct resch_help {
	struct list_head place;
	struct resch_thread *client;
	u64 handle;
	bool lost;
	struct resch_server *own;
	u64 began;
	u64 others;
};

/**
 * struct resch_passive - what a thread has to do with others. cpu->lock
 * @sleeps: here, and is to be woken when something changes
 */
struct resch_passive {
	bool sleeps;
	struct resch_ask ask;
	struct resch_help help;
};

void resch_passive_init(struct resch_thread *thread);

/* The registration ends: so does what it had to do with others. cpu->lock; before its dequeue. */
void resch_passive_leave(struct resch_thread *thread, u64 now);

/*
 * Another plugin takes over: providers go back to their servers. cpu->lock; no task is in a queue
 * of the plugin's.
 */
void resch_passive_reset(struct resch_cpu *rc);

/* The server, which has no tasks, is about to be freed: nobody calls it any more. cpu->lock. */
void resch_passive_forget(struct resch_cpu *rc, const struct resch_server *server);

/*
 * Wakes it if it sleeps here. It is seen to be awake at once: who hands over to it must not leave
 * their server idle in between. cpu->lock.
 */
void resch_passive_rouse(struct resch_thread *thread, u64 now);

/* The provider, of the server that was called, takes the call up. cpu->lock. */
void resch_passive_begin(struct resch_thread *provider, struct resch_thread *client, u64 now);

/*
 * The provider's work for its client ends, and a call of its own with it; @result: 0 or -errno, for
 * the client. cpu->lock.
 */
void resch_passive_end(struct resch_thread *provider, int result, u64 now);

/* The client's call ends before its provider, if any, ends it. cpu->lock. */
void resch_passive_withdraw(struct resch_thread *client, u64 now);

#endif /* _RESCH_PASSIVE_H */
