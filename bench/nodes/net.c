// SPDX-License-Identifier: GPL-2.0
/*
 * net.c - namespaces, and how nodes reach one another
 *
 * Nodes a and b, a below b, have a pair of interfaces: a's is 10.213.N.1 and b's 10.213.N.2, N
 * being a * NODES_MAX + b. Without pairs all nodes are in one namespace, at 127.0.0.1, on a port
 * each.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nodes.h"

#define PORT 7213

int net_leave(void)
{
	return unshare(CLONE_NEWNET) ? -errno : 0;
}

/* Calls ip(8) with these words, not busybox's, which makes no pairs. */
static int __attribute__((format(printf, 1, 2))) ip(const char *format, ...)
{
	static const char *const places[] = { "/usr/bin/ip", "/usr/sbin/ip", "/bin/ip",
					      "/sbin/ip" };
	char words[160], command[256];
	va_list list;
	uint32_t i;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (access(places[i], X_OK))
			continue;
		snprintf(command, sizeof(command), "%s %s 2>/dev/null", places[i], words);
		return system(command) ? -1 : 0;
	}
	return -1;
}

bool net_has_pairs(void)
{
	return !ip("link add rn.try type veth peer name rn.tried") && !ip("link del rn.try");
}

static int pair(uint32_t a, uint32_t b, const pid_t *pids)
{
	if (ip("link add rn%u.%u type veth peer name rn%u.%u", a, b, b, a) ||
	    ip("link set rn%u.%u netns %d", a, b, pids[a]))
		return -1;
	return ip("link set rn%u.%u netns %d", b, a, pids[b]);
}

int net_pairs(uint32_t nodes, const pid_t *pids)
{
	uint32_t a, b;

	for (a = 0; a < nodes; a++)
		for (b = a + 1; b < nodes; b++)
			if (pair(a, b, pids))
				return -1;
	return 0;
}

/*
 * A node is found at any of its addresses, on the pair with it: who asks it where it is gets all of
 * them (DDS does).
 */
static int route(uint32_t node, uint32_t nodes)
{
	uint32_t a, b;

	for (a = 0; a < nodes; a++)
		for (b = a + 1; b < nodes; b++) {
			if (a == node || b == node)
				continue;
			if (ip("route add 10.213.%u.1 dev rn%u.%u", a * NODES_MAX + b, node, a) ||
			    ip("route add 10.213.%u.2 dev rn%u.%u", a * NODES_MAX + b, node, b))
				return -1;
		}
	return 0;
}

int net_up(uint32_t node, uint32_t nodes)
{
	uint32_t other;

	for (other = 0; other < nodes; other++) {
		uint32_t low = node < other ? node : other, high = node < other ? other : node;

		if (other == node)
			continue;
		if (ip("address add 10.213.%u.%u/24 dev rn%u.%u", low * NODES_MAX + high,
		       node < other ? 1 : 2, node, other) ||
		    ip("link set rn%u.%u up", node, other))
			return -1;
	}
	return route(node, nodes) || ip("link set lo up") ? -1 : 0;
}

static struct sockaddr_in address(bool loopback, uint32_t from, uint32_t to)
{
	uint32_t low = from < to ? from : to, high = from < to ? to : from;
	struct sockaddr_in at = { .sin_family = AF_INET };

	at.sin_port = htons(loopback ? (uint16_t)(PORT + to) : PORT);
	at.sin_addr.s_addr = htonl(loopback ?
					   INADDR_LOOPBACK :
					   10u << 24 | 213u << 16 | (low * NODES_MAX + high) << 8 |
						   (to < from ? 1 : 2));
	return at;
}

void net_address(bool loopback, uint32_t from, uint32_t to, char text[NET_ADDRESS])
{
	const struct sockaddr_in at = address(loopback, from, to);

	inet_ntop(AF_INET, &at.sin_addr, text, NET_ADDRESS);
}

int net_listen(bool loopback, uint32_t node)
{
	struct sockaddr_in at = address(loopback, node, node);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!loopback)
		at.sin_addr.s_addr = htonl(INADDR_ANY);
	if (!bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, 128))
		return fd;
	one = -errno;
	close(fd);
	return one;
}

int net_connect(bool loopback, uint32_t from, uint32_t to)
{
	const struct sockaddr_in at = address(loopback, from, to);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!connect(fd, (const struct sockaddr *)&at, sizeof(at)) || errno == EINPROGRESS)
		return fd;
	one = -errno;
	close(fd);
	return one;
}
