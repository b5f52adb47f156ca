// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * rpc-serve.c - remote procedure calls whose work is done on the client's budget: the provider's
 * side
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* credentials of sockets */
#endif
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "request.h"
#include "rpc.h"

int resch_rpc_listen(const char *path, mode_t mode)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int saved = errno, result, fd;
	struct stat old;

	result = resch_name_copy(address.sun_path, sizeof(address.sun_path), path);
	if (result)
		return result;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		goto fail;
	/* What an earlier provider has left; anything but a socket is somebody else's. */
	if (!lstat(path, &old) && S_ISSOCK(old.st_mode))
		unlink(path);
	/* Nobody can connect before it listens: until then the mode may still change. */
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || chmod(path, mode) ||
	    listen(fd, 64))
		goto fail;
	return fd;
fail:
	result = -errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return result;
}

static bool peer_of(int socket, struct resch_rpc_peer *peer)
{
	struct ucred cred;
	socklen_t size = sizeof(cred);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &cred, &size) || size != sizeof(cred))
		return false;
	*peer = (struct resch_rpc_peer){
		.socket = socket, .pid = cred.pid, .uid = cred.uid, .gid = cred.gid
	};
	return true;
}

/*
 * The work of one request. 0 or the error that the client gets; the length of the answer, which
 * takes the request's place, in @size.
 */
static int work(const struct resch_rpc_service *service, struct resch_rpc_peer *peer,
		const struct rpc_message *request, struct rpc_message *reply, size_t *size)
{
	ssize_t result = service->serve(service->data, peer, request->header.method, request->bytes,
					*size, reply->bytes, sizeof(reply->bytes));

	*size = result > 0 ? (size_t)result : 0;
	if (result > (ssize_t)sizeof(reply->bytes)) {
		*size = 0;
		return -EMSGSIZE;
	}
	return result < 0 ? (int)result : 0;
}

/* Takes up the call that the request names. 0; 1: nobody pays, which is all right; an error. */
static int take_up(const struct resch_rpc_service *service, const struct resch_rpc_peer *peer,
		   uint64_t handle)
{
	struct resch_serve serve = { .handle = handle, .pid = peer->pid };

	if (service->server && handle)
		return resch_serve(service->fd, &serve);
	if (handle || (service->server && !(service->flags & RESCH_RPC_F_UNPAID)))
		return -EACCES;
	return 1;
}

static int answer(const struct resch_rpc_service *service, struct resch_rpc_peer *peer,
		  const struct rpc_message *request, struct rpc_message *reply, size_t size)
{
	int unpaid = take_up(service, peer, request->header.handle), sent;

	reply->header = request->header;
	if (unpaid < 0) {
		reply->header.result = unpaid;
		return rpc_send(peer->socket, &reply->header, NULL, 0);
	}
	reply->header.result = work(service, peer, request, reply, &size);
	/* The client wakes while its work is still ours: its server is not idle in between. */
	sent = rpc_send(peer->socket, &reply->header, reply->bytes, size);
	if (!unpaid)
		resch_serve_end(service->fd, request->header.handle, NULL);
	return sent;
}

int resch_rpc_serve(const struct resch_rpc_service *service, int socket)
{
	struct rpc_hello hello = { .magic = RPC_MAGIC, .server = service->server };
	struct rpc_message *request = malloc(sizeof(*request));
	struct rpc_message *reply = malloc(sizeof(*reply));
	struct resch_rpc_peer peer;
	int result = -ENOMEM;
	ssize_t size;

	if (!request || !reply)
		goto out;
	result = -EACCES;
	if (!peer_of(socket, &peer) || (service->accept && !service->accept(service->data, &peer)))
		goto out;
	result = send(socket, &hello, sizeof(hello), MSG_NOSIGNAL) < 0 ? -EPIPE : 0;
	while (!result) {
		size = rpc_receive(socket, request);
		if (size >= 0 && (size_t)size < sizeof(request->header))
			size = -EPROTO;
		if (size >= 0 && request->header.result)
			size = -EPROTO;
		result = size < 0 ? (int)size :
				    answer(service, &peer, request, reply,
					   (size_t)size - sizeof(request->header));
	}
	if (service->closed)
		service->closed(service->data, &peer);
	if (result == -EPIPE || result == -ECONNRESET)
		result = 0;
out:
	free(request);
	free(reply);
	return result;
}
