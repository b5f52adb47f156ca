/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * rpc.h - what goes over the socket between a client and a provider; not installed
 *
 * SOCK_SEQPACKET in the Unix domain: a message is a header and up to RESCH_RPC_MAX bytes. The
 * provider greets with a struct rpc_hello; then the client sends requests and gets an answer to
 * each, in turn.
 */
#ifndef _RESCH_RPC_H
#define _RESCH_RPC_H

#include <stdlib.h>

#include "resch.h"

#define RPC_MAGIC 0x52504331U /* "RPC1" */

struct rpc_hello {
	uint32_t magic;
	uint32_t server; /* the passive one; 0: the provider is in none */
};

struct rpc_header {
	uint64_t handle; /* of the call; 0: nobody pays. In an answer: that of the request */
	uint32_t method;
	int32_t result; /* in an answer: 0, or a negative errno; else zero */
};

struct rpc_message {
	struct rpc_header header;
	unsigned char bytes[RESCH_RPC_MAX];
};

/* One whole message, or -errno; -EPIPE: the other side is gone; -EBADMSG: longer than a message. */
ssize_t rpc_receive(int socket, struct rpc_message *message);
int rpc_send(int socket, const struct rpc_header *header, const void *bytes, size_t size);

#endif /* _RESCH_RPC_H */
