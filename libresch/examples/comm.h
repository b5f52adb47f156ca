/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * comm.h - what the communication server does for its clients: TCP
 *
 *   method          request                              answer
 *   COMM_CONNECT    struct comm_connect                  uint32_t: the connection
 *   COMM_SEND       uint32_t, bytes                      uint32_t: how many were sent
 *   COMM_RECEIVE    struct comm_receive                  bytes; none: the other side has ended
 *   COMM_CLOSE      uint32_t                             nothing
 *
 * Connections are numbers of the client's own, 0 to COMM_CONNECTIONS - 1. Errors are those of
 * connect(2), send(2) and recv(2), and -EBADF: no such connection; -EBADMSG: no such request;
 * -ENOSPC: too many connections; -EAGAIN: nothing happened for COMM_PATIENCE seconds.
 */
#ifndef _COMM_H
#define _COMM_H

#include <stdint.h>

#define COMM_CONNECTIONS 16
#define COMM_PATIENCE 5

enum { COMM_CONNECT = 1, COMM_SEND, COMM_RECEIVE, COMM_CLOSE };

/* Numeric: no name is looked up at the client's expense. Zero-terminated. */
struct comm_connect {
	char host[64];
	char port[8];
};

struct comm_receive {
	uint32_t connection;
	uint32_t room;
};

#endif /* _COMM_H */
