// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* rpc.c - remote procedure calls whose work is done on the client's budget: the client's side */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "request.h"
#include "rpc.h"

/* ---- messages -------------------------------------------------------------------------------- */

ssize_t rpc_receive(int socket, struct rpc_message *message)
{
	struct iovec vector = { message, sizeof(*message) };
	struct msghdr header = { .msg_iov = &vector, .msg_iovlen = 1 };
	int saved = errno;
	ssize_t size;

	do
		size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
	while (size < 0 && errno == EINTR);
	if (size < 0)
		size = -errno;
	else if (!size)
		size = -EPIPE;
	else if (header.msg_flags & MSG_TRUNC)
		size = -EBADMSG;
	errno = saved;
	return size;
}

int rpc_send(int socket, const struct rpc_header *header, const void *bytes, size_t size)
{
	struct iovec vector[2] = { { (void *)header, sizeof(*header) }, { (void *)bytes, size } };
	struct msghdr message = { .msg_iov = vector, .msg_iovlen = size ? 2 : 1 };
	int saved = errno, result = 0;
	ssize_t sent;

	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	if (sent < 0)
		result = -errno;
	errno = saved;
	return result;
}

/* ---- the client ------------------------------------------------------------------------------ */

static int address_of(const char *path, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	return resch_name_copy(address->sun_path, sizeof(address->sun_path), path);
}

static int greet(struct resch_rpc *rpc)
{
	struct rpc_message *message = rpc->room;
	ssize_t size = rpc_receive(rpc->socket, message);
	struct rpc_hello hello;

	if (size < 0)
		return (int)size;
	if (size != sizeof(hello))
		return -EPROTO;
	memcpy(&hello, message, sizeof(hello));
	if (hello.magic != RPC_MAGIC)
		return -EPROTO;
	rpc->server = hello.server;
	return 0;
}

int resch_rpc_open(struct resch_rpc *rpc, int fd, const char *path)
{
	struct sockaddr_un address;
	int saved = errno, result;

	*rpc = (struct resch_rpc){ .fd = fd, .socket = -1 };
	result = address_of(path, &address);
	if (result)
		return result;
	rpc->room = malloc(sizeof(struct rpc_message));
	if (!rpc->room)
		return -ENOMEM;
	rpc->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (rpc->socket < 0 || connect(rpc->socket, (struct sockaddr *)&address, sizeof(address))) {
		result = -errno;
		errno = saved;
	} else {
		result = greet(rpc);
	}
	if (result)
		resch_rpc_close(rpc);
	return result;
}

void resch_rpc_close(struct resch_rpc *rpc)
{
	int saved = errno;

	if (rpc->socket >= 0)
		close(rpc->socket);
	free(rpc->room);
	rpc->socket = -1;
	rpc->room = NULL;
	errno = saved;
}

/* The answer to the last request: its length. What does not fit is an error, not cut. */
static ssize_t answer(struct resch_rpc *rpc, uint64_t handle, void *reply, size_t room)
{
	struct rpc_message *message = rpc->room;
	ssize_t size = rpc_receive(rpc->socket, message);

	if (size < 0)
		return size;
	if ((size_t)size < sizeof(message->header) || message->header.handle != handle ||
	    message->header.result > 0)
		return -EPROTO;
	if (message->header.result)
		return message->header.result;
	size -= (ssize_t)sizeof(message->header);
	if ((size_t)size > room)
		return -EMSGSIZE;
	if (size)
		memcpy(reply, message->bytes, (size_t)size);
	return size;
}

ssize_t resch_rpc_call(struct resch_rpc *rpc, uint32_t method, const void *request, size_t size,
		       void *reply, size_t room)
{
	struct resch_call call = { .server = rpc->server, .flags = rpc->flags };
	struct rpc_header header = { .method = method };
	ssize_t result;

	if (size > RESCH_RPC_MAX || rpc->flags & ~RESCH_CALL_F_DISCARD)
		return -EINVAL;
	if (rpc->socket < 0)
		return -ENOTCONN;
	if (rpc->fd >= 0 && rpc->server) {
		result = resch_call(rpc->fd, &call);
		if (result)
			return result;
		header.handle = call.handle;
	}
	result = rpc_send(rpc->socket, &header, request, size);
	if (!result)
		result = answer(rpc, header.handle, reply, room);
	/* It has ended, or nobody is to go on with it. */
	if (header.handle)
		resch_call_end(rpc->fd, header.handle, 0, &rpc->consumed);
	/* After half a conversation no answer can be told from another. */
	if (result == -EPIPE || result == -EPROTO || result == -EBADMSG)
		resch_rpc_close(rpc);
	return result;
}
