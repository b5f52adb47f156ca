// SPDX-License-Identifier: GPL-2.0
/*
 * wire.c - messages over TCP: a connection for each node that sends and each lane
 *
 * Whoever sends does not wait: what the connection has no room for is lost, as is what it would
 * carry while it is broken; the chain's next instance is another one. A message is one send(),
 * which the socket's lock keeps in one piece.
 */
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock-ns.h"
#include "nodes.h"

#define PAYLOAD_MAX 65536
/* Readers are more urgent than any stage. */
#define READER_DEADLINE 1000000

static pthread_mutex_t readers_lock = PTHREAD_MUTEX_INITIALIZER;
static int readers[1024]; /* connections that are read; -1: a free place */
static uint32_t readers_most;

void wire_lost(const struct request *request)
{
	count_up(here.shared->stages[request->chain][request->stage].lost, 1);
}

bool wire_loses(void)
{
	static __thread unsigned int seed;

	if (!here.plan->lose)
		return false;
	if (!seed)
		seed = (unsigned int)getpid() * 31 + (unsigned int)(uintptr_t)&seed;
	return (uint64_t)rand_r(&seed) * 1000000 / ((uint64_t)RAND_MAX + 1) < here.plan->lose;
}

/* It ends its reader's or our own use of it; the manager makes another one. */
static void broken(uint32_t lane, int socket)
{
	if (__atomic_compare_exchange_n(&here.out[lane], &socket, -1, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED)) {
		count_up(here.shared->lanes[lane].broken, 1);
		shutdown(socket, SHUT_RDWR);
	}
}

void wire_send(const struct request *request, uint64_t urgency)
{
	uint32_t lane = lane_for(here.plan, request->chain, request->stage, urgency);
	static const char nothing[PAYLOAD_MAX];
	const struct message message = {
		.magic = htobe32(MESSAGE_MAGIC),
		.chain = htobe16((uint16_t)request->chain),
		.stage = htobe16((uint16_t)request->stage),
		.instance = htobe64(request->instance),
		.origin = htobe64(request->origin),
		.deadline = htobe64(request->deadline),
		.urgency = htobe64(urgency),
		.length = htobe32(here.plan->payload),
	};
	struct iovec parts[2] = { { (void *)&message, sizeof(message) },
				  { (void *)nothing, here.plan->payload } };
	const struct msghdr head = { .msg_iov = parts, .msg_iovlen = 2 };
	int socket = __atomic_load_n(&here.out[lane], __ATOMIC_ACQUIRE);
	ssize_t sent;

	if (socket < 0 || here.trying[lane] || wire_loses()) {
		wire_lost(request);
		return;
	}
	sent = sendmsg(socket, &head, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent == (ssize_t)(sizeof(message) + here.plan->payload))
		return;
	wire_lost(request);
	/* No room at all leaves it whole; a part of a message does not. */
	if (sent >= 0 || (errno != EAGAIN && errno != EINTR))
		broken(lane, socket);
}

int wire_begin(int socket, uint32_t lane)
{
	const uint32_t hello[2] = { htobe32(HELLO_MAGIC), htobe32(lane) };

	if (send(socket, hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello))
		return -EPIPE;
	count_up(here.shared->lanes[lane].connected, 1);
	return 0;
}

/* ---- readers --------------------------------------------------------------------------------- */

static bool read_all(int socket, void *to, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = recv(socket, (char *)to + have, size - have, 0);

		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		have += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* What comes from elsewhere is not trusted. */
static bool message_valid(const struct message *message)
{
	const struct resch_chain_model *model = &here.plan->set.model;
	uint32_t chain = be16toh(message->chain), stage = be16toh(message->stage);

	return be32toh(message->magic) == MESSAGE_MAGIC && chain < model->count && stage &&
	       stage < model->chains[chain].count &&
	       here.plan->node_of[chain][stage] == here.self &&
	       be32toh(message->length) <= PAYLOAD_MAX;
}

static void read_messages(int socket)
{
	static __thread char payload[PAYLOAD_MAX];
	struct message message;

	while (read_all(socket, &message, sizeof(message)) && message_valid(&message) &&
	       read_all(socket, payload, be32toh(message.length))) {
		const struct request request = {
			.chain = be16toh(message.chain),
			.stage = be16toh(message.stage),
			.instance = be64toh(message.instance),
			.origin = be64toh(message.origin),
			.deadline = be64toh(message.deadline),
		};

		pool_put(&request, be64toh(message.urgency));
	}
}

/* It is a task as long as it reads: its wake-ups are its releases. */
void reader_params(const struct lane *lane, struct resch_register *reg)
{
	struct resch_task_params *params = &reg->params;

	*reg = (struct resch_register){ .domain = here.plan->domain };
	params->kind = RESCH_WAKEUP;
	params->period = lane->period;
	params->deadline = lane->period < READER_DEADLINE ? lane->period : READER_DEADLINE;
	params->wcet = params->deadline;
	params->priority = 1;
	params->cpu = lane->cpu;
	params->flags = RESCH_F_SKIP_ADMISSION;
	snprintf(params->name, sizeof(params->name), "reader");
}

static void *reader_main(void *arg)
{
	int *place = arg, socket = *place;
	struct resch_register reg;
	uint32_t hello[2], lane;

	if (!read_all(socket, hello, sizeof(hello)))
		goto out;
	lane = be32toh(hello[1]);
	if (be32toh(hello[0]) != HELLO_MAGIC || lane >= here.plan->lanes ||
	    here.plan->lane[lane].node != here.self)
		goto out;
	reader_params(&here.plan->lane[lane], &reg);
	if (resch_register_self(here.device, &reg)) {
		count_up(here.shared->failed[here.self], 1);
		goto out;
	}
	read_messages(socket);
	resch_unregister(here.device, reg.id);
out:
	pthread_mutex_lock(&readers_lock);
	*place = -1;
	pthread_mutex_unlock(&readers_lock);
	close(socket);
	return NULL;
}

int wire_accept(int socket)
{
	pthread_t thread;
	uint32_t i;
	int err;

	pthread_mutex_lock(&readers_lock);
	for (i = 0; i < readers_most && readers[i] >= 0; i++)
		;
	if (i == sizeof(readers) / sizeof(readers[0])) {
		pthread_mutex_unlock(&readers_lock);
		return -ENOSPC;
	}
	readers_most = i == readers_most ? i + 1 : readers_most;
	readers[i] = socket;
	pthread_mutex_unlock(&readers_lock);
	err = pthread_create(&thread, NULL, reader_main, &readers[i]);
	if (err)
		readers[i] = -1;
	else
		pthread_detach(thread);
	return -err;
}

void wire_cut(void)
{
	uint32_t i;

	for (i = 0; i < here.plan->lanes; i++) {
		int socket = __atomic_load_n(&here.out[i], __ATOMIC_ACQUIRE);

		if (socket >= 0)
			broken(i, socket);
	}
	pthread_mutex_lock(&readers_lock);
	for (i = 0; i < readers_most; i++)
		if (readers[i] >= 0)
			shutdown(readers[i], SHUT_RDWR);
	pthread_mutex_unlock(&readers_lock);
}
