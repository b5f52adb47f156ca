// SPDX-License-Identifier: GPL-2.0
/* pool.c - descriptors on their way between processes */
#include "torture.h"

#include <sys/socket.h>

static void descriptor_give(struct life *life)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &life->fd, sizeof(int));
	sendmsg(world->pool[0], &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The descriptor that has been on its way for longest, or -1: there is none. */
static int descriptor_take(void)
{
	char byte, control[CMSG_SPACE(sizeof(int))] = "";
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head;
	int fd;

	if (recvmsg(world->pool[1], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(head), sizeof(int));
	return fd;
}

static void descriptor_swap(struct life *life)
{
	int fd = descriptor_take();

	if (fd < 0)
		return;
	close(life->fd);
	life->fd = fd;
	life->task = 0;
}

void descriptors_drop(void)
{
	int fd;

	while ((fd = descriptor_take()) >= 0)
		close(fd);
}

void live_pool(struct life *life)
{
	descriptor_give(life);
	descriptor_swap(life);
}
