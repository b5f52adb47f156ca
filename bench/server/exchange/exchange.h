/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exchange.h - resch-exchange: a periodic client of a request/reply service over TCP, and what is
 * around it
 *
 * The client computes, asks for data by way of a provider (resch_rpc_call(): one request to send,
 * one to receive), waits for the answer, and computes on. Provider, client and a periodic load can
 * each be scheduled in any of the ways that are compared.
 */
#ifndef _EXCHANGE_H
#define _EXCHANGE_H

#include <resch.h>
#include <stddef.h>
#include <stdint.h>

#define EXCHANGE_SIZE 64 /* bytes, of a request and of its answer */

/* What the provider does for a client: TCP. */
enum { EXCHANGE_SEND = 1, EXCHANGE_RECEIVE };

enum way { WAY_OTHER, WAY_FIFO, WAY_DEADLINE, WAY_SERVER, WAY_PASSIVE };

/**
 * struct options - of the command line
 * @way:      how the thread is scheduled
 * @priority: of WAY_FIFO
 * @budget:   of WAY_DEADLINE (runtime), WAY_SERVER, WAY_PASSIVE, ns; @period: theirs
 * @domain:   for servers
 * @cpu:      to run on; -1: any
 * @rate:     loops in a ms, as `resch-exchange rate` says
 * @work:     what a job computes, ns; @cycle: its period and deadline, ns
 * @wcet:     what a job of it takes with everything, for the admission to its server, ns; 0: the
 *            budget
 * @count:    periods; 0: until it is ended
 * @path, @host, @port: of the provider's socket; of the service
 */
struct options {
	enum way way;
	int priority;
	uint64_t budget;
	uint64_t period;
	uint32_t domain;
	int cpu;
	uint64_t rate;
	uint64_t work;
	uint64_t cycle;
	uint64_t wcet;
	uint64_t count;
	const char *path;
	const char *host;
	const char *port;
};

/* Exit statuses. */
#define EXCHANGE_REFUSED 3 /* by an admission test, which is a result */

_Noreturn void die(const char *what, int result);

/* ---- way.c: how a thread is scheduled -------------------------------------------------------- */

/* "other", "fifo=PRIORITY", "deadline|server|passive=BUDGET/PERIOD", in us. 0; -1: nonsense. */
int way_parse(struct options *options, const char *text);

/* Whether it is by servers. */
int way_is_resch(const struct options *options);

/**
 * way_prepare - before any thread enters: the device, and the server for what is to come
 * @server: out: its id; 0 where there is none
 *
 * Ends the program where admission refuses. Return: the device, -1: none is needed.
 */
int way_prepare(const struct options *options, const char *name, uint32_t *server);

/* The calling thread. @kind: enum resch_kind, for servers. Ends the program as above. */
void way_enter(const struct options *options, int fd, uint32_t server, uint32_t kind,
	       const char *name);

/* ---- work.c ---------------------------------------------------------------------------------- */

uint64_t work_rate(void);
void work(uint64_t rate, uint64_t ns);

/* ---- what there is to be run; each returns an exit status ------------------------------------ */

int periodic_client(const struct options *options);
int periodic_load(const struct options *options);
int provider(const struct options *options);
int peer(const struct options *options);

#endif /* _EXCHANGE_H */
