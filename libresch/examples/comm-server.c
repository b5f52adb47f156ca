// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * comm-server.c - a communication server: TCP for other programs, at the expense of those programs
 *
 * A passive server and a thread for each client in it. What a thread does for its client is charged
 * to the client's own server, and goes by that one's deadline; sockets belong to the client that
 * opened them. Shih et al., Open Real-Time Linux, section 4.5. Without a domain: the same, and
 * nobody pays.
 *
 * BUDGET, 1 ms if it is not said, is what the server itself has every 20 ms: reading a request,
 * until it is known whose it is, is paid from that. Where it is used up clients wait for the next.
 *
 * usage: comm-server PATH [DOMAIN [CPU [BUDGET]]]
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <resch.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comm.h"

#define CLIENTS 64
#define PERIOD 20000000

static struct resch_rpc_service service = { .fd = -1 };
static uint64_t budget = 1000000;
static uint32_t domain;
static atomic_int clients;

/* ---- what is done for clients ---------------------------------------------------------------- */

static int comm_free(const int *sockets)
{
	int i;

	for (i = 0; i < COMM_CONNECTIONS; i++)
		if (sockets[i] < 0)
			return i;
	return -ENOSPC;
}

/* A connected socket, or -errno. */
static int comm_dial(const struct comm_connect *wanted)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
				  .ai_socktype = SOCK_STREAM };
	struct timeval patience = { .tv_sec = COMM_PATIENCE };
	struct addrinfo *found;
	int fd, one = 1;

	if (memchr(wanted->host, 0, sizeof(wanted->host)) == NULL ||
	    memchr(wanted->port, 0, sizeof(wanted->port)) == NULL)
		return -EBADMSG;
	if (getaddrinfo(wanted->host, wanted->port, &hints, &found))
		return -EADDRNOTAVAIL;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen)) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		fd = -error;
	}
	freeaddrinfo(found);
	return fd;
}

static ssize_t comm_connect(int *sockets, const void *request, size_t size, void *reply)
{
	struct comm_connect wanted;
	uint32_t answer;
	int place = comm_free(sockets), fd;

	if (size != sizeof(wanted))
		return -EBADMSG;
	if (place < 0)
		return place;
	memcpy(&wanted, request, sizeof(wanted));
	fd = comm_dial(&wanted);
	if (fd < 0)
		return fd;
	sockets[place] = fd;
	answer = (uint32_t)place;
	memcpy(reply, &answer, sizeof(answer));
	return sizeof(answer);
}

/* The place of the connection that the request begins with, or -errno. */
static int comm_which(const int *sockets, const void *request, size_t size)
{
	uint32_t connection;

	if (size < sizeof(connection))
		return -EBADMSG;
	memcpy(&connection, request, sizeof(connection));
	return connection < COMM_CONNECTIONS && sockets[connection] >= 0 ? (int)connection : -EBADF;
}

static ssize_t comm_send(int fd, const unsigned char *request, size_t size, void *reply)
{
	ssize_t sent = send(fd, request + sizeof(uint32_t), size - sizeof(uint32_t), MSG_NOSIGNAL);
	uint32_t answer = (uint32_t)sent;

	if (sent < 0)
		return -errno;
	memcpy(reply, &answer, sizeof(answer));
	return sizeof(answer);
}

static ssize_t comm_receive(int fd, const void *request, size_t size, void *reply, size_t room)
{
	struct comm_receive wanted;
	ssize_t got;

	if (size != sizeof(wanted))
		return -EBADMSG;
	memcpy(&wanted, request, sizeof(wanted));
	got = recv(fd, reply, wanted.room < room ? wanted.room : room, 0);
	return got < 0 ? -errno : got;
}

static ssize_t comm_serve(void *data, struct resch_rpc_peer *peer, uint32_t method,
			  const void *request, size_t size, void *reply, size_t room)
{
	int *sockets = peer->own, which;

	(void)data;
	if (method == COMM_CONNECT)
		return comm_connect(sockets, request, size, reply);
	if (method < COMM_SEND || method > COMM_CLOSE)
		return -EBADMSG;
	which = comm_which(sockets, request, size);
	if (which < 0)
		return which;
	if (method == COMM_SEND)
		return comm_send(sockets[which], request, size, reply);
	if (method == COMM_RECEIVE)
		return comm_receive(sockets[which], request, size, reply, room);
	close(sockets[which]);
	sockets[which] = -1;
	return 0;
}

/* ---- clients come and go --------------------------------------------------------------------- */

/* The socket's mode says who may connect; each gets sockets of its own. */
static int comm_accept(void *data, struct resch_rpc_peer *peer)
{
	int *sockets = malloc(COMM_CONNECTIONS * sizeof(*sockets)), i;

	(void)data;
	for (i = 0; sockets && i < COMM_CONNECTIONS; i++)
		sockets[i] = -1;
	peer->own = sockets;
	return sockets != NULL;
}

static void comm_closed(void *data, struct resch_rpc_peer *peer)
{
	int *sockets = peer->own, i;

	(void)data;
	for (i = 0; i < COMM_CONNECTIONS; i++)
		if (sockets[i] >= 0)
			close(sockets[i]);
	free(sockets);
}

static void *comm_client(void *arg)
{
	struct resch_register reg = {
		.domain = domain,
		.params = {
			.kind = RESCH_WAKEUP,
			.period = PERIOD,
			.wcet = budget,
			/* its server contains it, or its client's does */
			.overrun = RESCH_COUNT,
			.cpu = -1,
			.group = service.server,
			/* What it does for others is admitted with them. */
			.flags = RESCH_F_SKIP_ADMISSION,
			.name = "comm",
		},
	};
	int socket = (int)(intptr_t)arg, result = 0;

	if (service.server)
		result = resch_register_self(service.fd, &reg);
	if (!result)
		result = resch_rpc_serve(&service, socket);
	if (result)
		fprintf(stderr, "comm-server: a client: %s\n", strerror(-result));
	if (service.server)
		resch_unregister(service.fd, 0);
	close(socket);
	atomic_fetch_sub(&clients, 1);
	return NULL;
}

static void comm_start(int socket)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (atomic_fetch_add(&clients, 1) >= CLIENTS)
		goto refuse;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (!pthread_create(&thread, &attr, comm_client, (void *)(intptr_t)socket))
		return;
refuse:
	atomic_fetch_sub(&clients, 1);
	close(socket);
}

static int comm_server(int cpu)
{
	struct resch_server_set want = {
		.domain = domain,
		.params = { .kind = RESCH_SERVER_PASSIVE,
			    .budget = budget,
			    .period = PERIOD,
			    .cpu = cpu,
			    .name = "comm" },
	};
	char text[RESCH_VERDICT_TEXT];
	int result;

	service.fd = resch_open();
	if (service.fd < 0) {
		fprintf(stderr, "comm-server: %s\n", resch_open_reason(service.fd));
		return service.fd;
	}
	result = resch_server_set(service.fd, &want);
	resch_verdict_text(&want.verdict, text, sizeof(text));
	if (result)
		fprintf(stderr, "comm-server: no passive server: %s\n",
			result == -EBUSY ? text : strerror(-result));
	service.server = want.id;
	return result;
}

int main(int argc, char **argv)
{
	int listening, socket;

	if (argc < 2 || argc > 5 || (argc > 4 && resch_time_parse(argv[4], &budget))) {
		fprintf(stderr, "usage: comm-server PATH [DOMAIN [CPU [BUDGET]]]; BUDGET: 1ms\n");
		return 2;
	}
	service.accept = comm_accept;
	service.serve = comm_serve;
	service.closed = comm_closed;
	domain = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
	if (domain && comm_server(argc > 3 ? atoi(argv[3]) : -1))
		return 1;
	listening = resch_rpc_listen(argv[1], 0600);
	if (listening < 0) {
		fprintf(stderr, "comm-server: %s: %s\n", argv[1], strerror(-listening));
		return 1;
	}
	for (;;) {
		socket = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (socket >= 0)
			comm_start(socket);
		else if (errno != EINTR && errno != ECONNABORTED)
			sleep(1); /* no descriptors left, say */
	}
}
