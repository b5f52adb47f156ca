// SPDX-License-Identifier: GPL-2.0
/* provider.c - who has the TCP connections, and those at the other end of them */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exchange.h"

static struct sockaddr_in address_of(const struct options *options)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)atoi(options->port)) };

	if (inet_pton(AF_INET, options->host, &address.sin_addr) != 1)
		die(options->host, -EINVAL);
	return address;
}

/* All of it, or -errno. */
static int receive(int fd, void *bytes, size_t size)
{
	ssize_t got = recv(fd, bytes, size, MSG_WAITALL);

	return got == (ssize_t)size ? 0 : got < 0 ? -errno : -EPIPE;
}

/* A thread for each who connects, for good. */
static void __attribute__((noreturn)) take_clients(int listening, void *(*body)(void *))
{
	pthread_t thread;
	int fd;

	printf("running\n");
	fflush(stdout);
	for (;;) {
		fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			die("accept", -errno);
		if (pthread_create(&thread, NULL, body, (void *)(intptr_t)fd))
			die("a thread", -EAGAIN);
		pthread_detach(thread);
	}
}

/* ---- the provider ---------------------------------------------------------------------------- */

static const struct options *wanted;
static uint32_t server; /* its own */
static struct resch_rpc_service service = { .fd = -1 };

static int connect_to(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		die("the service", -errno);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

/* A connection for each client, before it has asked for anything. */
static int provider_accept(void *data, struct resch_rpc_peer *client)
{
	struct sockaddr_in address = address_of(wanted);

	(void)data;
	client->own = (void *)(intptr_t)connect_to(&address);
	return 1;
}

static void provider_closed(void *data, struct resch_rpc_peer *client)
{
	(void)data;
	close((int)(intptr_t)client->own);
}

static ssize_t provider_serve(void *data, struct resch_rpc_peer *client, uint32_t method,
			      const void *request, size_t size, void *reply, size_t room)
{
	int fd = (int)(intptr_t)client->own, result;

	(void)data;
	if (method == EXCHANGE_SEND)
		return send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size ? 0 : -EPIPE;
	if (method != EXCHANGE_RECEIVE || room < EXCHANGE_SIZE)
		return -EBADMSG;
	result = receive(fd, reply, EXCHANGE_SIZE);
	return result ? result : EXCHANGE_SIZE;
}

static void *provider_thread(void *arg)
{
	int socket = (int)(intptr_t)arg, result;

	way_enter(wanted, service.fd, server, RESCH_WAKEUP, "provider");
	result = resch_rpc_serve(&service, socket);
	if (result)
		die("a client", result);
	if (way_is_resch(wanted))
		resch_unregister(service.fd, 0);
	close(socket);
	return NULL;
}

int provider(const struct options *options)
{
	int listening;

	wanted = options;
	service.accept = provider_accept;
	service.serve = provider_serve;
	service.closed = provider_closed;
	service.fd = way_prepare(options, "provider", &server);
	/* In a server that is not a passive one it works at its own expense. */
	if (options->way == WAY_PASSIVE)
		service.server = server;
	listening = resch_rpc_listen(options->path, 0600);
	if (listening < 0)
		die(options->path, listening);
	take_clients(listening, provider_thread);
}

/* ---- the service ----------------------------------------------------------------------------- */

static void *peer_thread(void *arg)
{
	unsigned char bytes[EXCHANGE_SIZE];
	int fd = (int)(intptr_t)arg, one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (!receive(fd, bytes, sizeof(bytes)) &&
	       send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes))
		;
	close(fd);
	return NULL;
}

int peer(const struct options *options)
{
	struct sockaddr_in address = address_of(options);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	/* Threads are as this one. */
	way_enter(options, -1, 0, 0, "peer");
	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listening, (struct sockaddr *)&address, sizeof(address)) || listen(listening, 16))
		die("the service", -errno);
	take_clients(listening, peer_thread);
}
