/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nodes.h - chains whose stages are on several nodes: what the parts of resch-nodes share
 *
 * A node is a process, in a network namespace of its own where the kernel has pairs of interfaces.
 * A stage that is on another node than the one before it is released by a message, over TCP or DDS.
 * All nodes read the same file, so a chain and a stage have the same numbers everywhere.
 *
 * The CPUs of a node are served by *lanes*: a lane has the connections and the threads for a band
 * of urgencies. With one lane for each urgency a request that matters less is never in front of one
 * that matters more, neither in a socket nor in a queue; with one lane for all it is.
 */
#ifndef _BENCH_NODES_H
#define _BENCH_NODES_H

#include <pthread.h>
#include <resch-chain.h>
#include <stdbool.h>
#include <stdint.h>

#include "chainset.h"

#define NODES_MAX 8
#define LANES_MAX 256
#define CHAINS_MAX 32
#define POOL_MAX 16 /* threads of a lane */
#define QUEUE 256 /* requests that wait for a lane, a power of two */
#define PRIORITY_STAGES 1000 /* of the plugin, below readers */

/** struct lane - who serves a band of urgencies on a CPU; a number of its own, the same everywhere
 * @lo, @hi: urgencies, the smaller the more urgent; both included
 * @stages:  that it serves; with one alone requests are kept its chain's period apart
 */
struct lane {
	uint32_t node;
	int cpu;
	uint64_t lo, hi;
	uint32_t stages;
	uint64_t period;
	uint64_t wcet;
};

/** struct receive - servers for the threads that receive, on a CPU of their own
 * @budget: of @period; 0: there are none, and these threads are tasks above a CPU's stages
 * @cpu, @domain, @server: from receive_open() on; a node's server
 */
struct receive {
	uint64_t budget, period;
	int cpu;
	uint32_t domain;
	uint32_t server[NODES_MAX];
};

/** struct plan - the file, and how its nodes are laid out. The same in all processes. */
struct plan {
	struct chainset set;
	uint32_t nodes;
	char names[NODES_MAX][RESCH_CHAIN_NAME];
	uint8_t node_of[CHAINS_MAX][RESCH_CHAIN_STAGES_MAX];
	uint32_t lanes;
	struct lane lane[LANES_MAX];
	/* options */
	uint32_t most; /* lanes of a CPU; 0: one for each urgency */
	uint32_t threads, more; /* of a lane: from the start, and when all are busy */
	uint32_t load; /* of wcet, percent */
	uint32_t lose; /* messages, of a million */
	uint32_t payload; /* bytes of a message, beside its head */
	bool loopback;
	bool dds; /* messages go over DDS, not over TCP */
	struct receive receive;
	uint32_t domain;
};

/** struct message - a request on its way, all in network byte order; then @length bytes */
struct message {
	uint32_t magic;
	uint16_t chain;
	uint16_t stage; /* that it releases */
	uint64_t instance;
	uint64_t origin; /* CLOCK_MONOTONIC, which the nodes share */
	uint64_t deadline; /* of the chain, absolute */
	uint64_t urgency; /* of the stage: by it the receiver chooses the lane */
	uint32_t length;
	uint32_t reserved;
};

#define MESSAGE_MAGIC 0x72736368
#define HELLO_MAGIC 0x72736369

/** struct request - a message that has arrived, or the like on this node */
struct request {
	uint32_t chain, stage;
	uint64_t instance, origin, deadline;
	uint64_t arrived;
};

/* What nodes count, in memory that they share with their parent; with __atomic. */

struct stage_count {
	uint64_t arrived, completed;
	uint64_t lost; /* not sent: no connection, no room, or at random */
	uint64_t refused; /* came, and found no room in its lane's queue */
	uint64_t behind; /* had to wait until something was complete that mattered less */
	uint64_t overtaken; /* how much there was of that, in all */
	uint64_t guarded; /* came sooner than a period after the one before, and was held */
};

struct chain_count {
	uint64_t instances, completed, missed;
	uint64_t response_min, response_max, response_total;
	uint64_t histogram[RESCH_CHAIN_BUCKETS];
};

struct lane_count {
	uint64_t threads, requests, waiting_max, connected, broken;
};

/** enum phase - what the parent has the nodes do */
enum phase { PHASE_WAIT, PHASE_RUN, PHASE_DRAIN, PHASE_END };

struct shared {
	uint32_t phase;
	uint32_t ready[NODES_MAX]; /* 1: it serves; 2: its connections are there, too */
	uint32_t cut[NODES_MAX]; /* 1: its connections are to be broken */
	uint32_t failed[NODES_MAX];
	struct chain_count chains[CHAINS_MAX];
	struct stage_count stages[CHAINS_MAX][RESCH_CHAIN_STAGES_MAX];
	struct lane_count lanes[LANES_MAX];
};

#define count_up(counter, by) __atomic_fetch_add(&(counter), by, __ATOMIC_RELAXED)
#define count_read(counter) __atomic_load_n(&(counter), __ATOMIC_RELAXED)
void count_most(uint64_t *counter, uint64_t value);
void count_least(uint64_t *counter, uint64_t value);

/* ---- plan.c ---------------------------------------------------------------------------------- */

/** plan_read - Return: 0, or -1 after a message */
int plan_read(struct plan *plan, const char *path, uint32_t policy);
/** plan_lanes - by @plan->most. Return: 0, or -1 after a message */
int plan_lanes(struct plan *plan);
/** stage_of - the stage that comes after none, or after another one */
const struct resch_stage_spec *stage_of(const struct plan *plan, uint32_t chain, uint32_t stage);
/** urgency_of - by priority, or by local deadline */
uint64_t urgency_of(const struct plan *plan, const struct resch_stage_spec *stage);
/** lane_for - the lane for that urgency on the CPU of a stage */
uint32_t lane_for(const struct plan *plan, uint32_t chain, uint32_t stage, uint64_t urgency);
/** speaks - has node @from anything to send to @lane? */
bool speaks(const struct plan *plan, uint32_t from, uint32_t lane);

/* ---- net.c: namespaces, and how nodes reach one another -------------------------------------- */

/** net_leave - a node goes into a namespace of its own. Return: 0 or -errno */
int net_leave(void);
/** net_has_pairs - can the kernel make pairs of interfaces? */
bool net_has_pairs(void);
/** net_pairs - interfaces between all nodes. Return: 0, or -1: the kernel has none */
int net_pairs(uint32_t nodes, const pid_t *pids);
/** net_up - a node's own interfaces. Return: 0 or -1 */
int net_up(uint32_t node, uint32_t nodes);
/** net_listen, net_connect - Return: a socket, or -errno. Connecting does not wait. */
int net_listen(bool loopback, uint32_t node);
#define NET_ADDRESS 16
/** net_address - in words, where @from finds @to */
void net_address(bool loopback, uint32_t from, uint32_t to, char text[NET_ADDRESS]);
int net_connect(bool loopback, uint32_t from, uint32_t to);

/* ---- lane.c: queues, threads, connections ---------------------------------------------------- */

/** struct worker - a thread of a lane */
struct worker {
	pthread_t thread;
	uint32_t lane;
	uint32_t id; /* of its task; 0: it is not there yet */
	uint32_t open; /* jobs that it was given and has not completed; atomic */
	int result;
};

/** struct pool - a lane on its own node */
struct pool {
	pthread_mutex_t lock; /* of the queue */
	struct request queue[QUEUE];
	uint32_t head, tail;
	struct worker workers[POOL_MAX];
	uint32_t count; /* workers that may be given jobs; atomic */
	uint32_t wanted; /* more of them; atomic */
};

#define REMEMBERED 16

/** struct recent - when a stage completed its last jobs; atomic */
struct recent {
	uint32_t count;
	uint64_t times[REMEMBERED];
};

/** struct node - this process */
struct node {
	const struct plan *plan;
	struct shared *shared;
	uint32_t self;
	int device;
	int out[LANES_MAX]; /* connections to lanes; -1: none; atomic */
	bool trying[LANES_MAX]; /* it is not known yet whether the connection comes about */
	struct pool *pools; /* of all lanes; those elsewhere are not used */
	struct recent recent[CHAINS_MAX][RESCH_CHAIN_STAGES_MAX];
};
extern struct node here;

/** pool_open - threads of a lane. Return: 0 or -errno */
int pool_open(uint32_t lane);
/** pool_grow - another thread, if one was wanted and may be */
void pool_grow(uint32_t lane);
/** pool_put - a request has come for a stage of this node */
void pool_put(const struct request *request, uint64_t urgency);
/** stage_work - what a stage does in a job */
void stage_work(const struct resch_stage_spec *stage);
/** stage_done - a stage is complete: on to the next one, or the instance is */
void stage_done(const struct request *request);

/* ---- wire.c ---------------------------------------------------------------------------------- */

/** wire_send - release a stage on another node */
void wire_send(const struct request *request, uint64_t urgency);
/** wire_begin - the connection is there: say for which lane it is. Return: 0 or -errno */
int wire_begin(int socket, uint32_t lane);
/** wire_accept - a thread that reads what comes through a new connection. Return: 0 or -errno */
int wire_accept(int socket);
/** wire_loses - is this message thrown away, by chance? */
bool wire_loses(void);
/** wire_lost - the request goes nowhere */
void wire_lost(const struct request *request);
struct resch_register;
/** reader_params - of a task that puts requests into the lanes of that one's CPU */
void reader_params(const struct lane *lane, struct resch_register *reg);
/** wire_cut - break all connections of this node */
void wire_cut(void);

/* ---- dds.c ----------------------------------------------------------------------------------- */

/** dds_there - was resch-nodes compiled with Cyclone DDS? */
bool dds_there(void);
/** dds_open - readers and writers of this node. Return: 0 or -errno */
int dds_open(void);
/** dds_found - have all that it writes to been found? */
bool dds_found(void);
/** dds_send - as wire_send() */
void dds_send(const struct request *request, uint64_t urgency);

/* ---- receive.c ------------------------------------------------------------------------------- */

/** receive_open - make the servers, if there are to be some. Return: 0, or -1 after a message */
int receive_open(int device, struct plan *plan);
void receive_close(int device, struct plan *plan);
/** receive_params - of a node's thread that receives for all lanes */
void receive_params(const struct lane *lane, struct resch_register *reg);

/* ---- main.c ---------------------------------------------------------------------------------- */

/** say_failed - Return: -1 */
int say_failed(const char *what, int error);
/** domain_drop - once the threads are gone that are still on their way out */
void domain_drop(int device, uint32_t domain);

/* ---- node.c ---------------------------------------------------------------------------------- */

/** node_main - a node's life. @late: the others run already. Return: an exit status */
int node_main(const struct plan *plan, struct shared *shared, uint32_t self, int listener,
	      bool late);

/* ---- report.c -------------------------------------------------------------------------------- */

void report_text(const struct plan *plan, const struct shared *shared,
		 const struct resch_chain_result *bounds);
struct json_object;
struct json_object *report_json(const struct plan *plan, const struct shared *shared,
				const struct resch_chain_result *bounds);

#endif /* _BENCH_NODES_H */
