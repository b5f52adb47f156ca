// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* page.c - what a server has left, without a system call */
#include <stdatomic.h>
#include <sys/mman.h>

#include "request.h"

int resch_server_open(int fd, uint32_t domain, uint32_t id)
{
	struct resch_server_open open = { .domain = domain, .id = id };
	int result = resch_request(fd, RESCH_IOC_SERVER_OPEN, &open);

	return result < 0 ? result : open.fd;
}

const struct resch_server_page *resch_server_map(int server)
{
	/* At once: a task in its server has no time for page faults. */
	void *page = mmap(NULL, sizeof(struct resch_server_page), PROT_READ,
			  MAP_SHARED | MAP_POPULATE, server, 0);

	return page == MAP_FAILED ? NULL : page;
}

/*
 * The kernel makes the counter odd, changes the rest, makes it even. What was read between two
 * looks that found the same even number belongs together. A writer is done soon: it does not sleep.
 */
void resch_server_read(const struct resch_server_page *page, struct resch_server_page *copy)
{
	const volatile struct resch_server_page *shared = page;
	uint32_t before;

	do {
		before = shared->sequence;
		atomic_thread_fence(memory_order_acquire);
		*copy = *shared;
		atomic_thread_fence(memory_order_acquire);
	} while (before & 1 || before != shared->sequence);
}

int64_t resch_server_left(const struct resch_server_page *page)
{
	struct resch_server_page copy;
	uint64_t now, time;

	resch_server_read(page, &copy);
	if (!(copy.flags & RESCH_PAGE_RUNNING))
		return copy.left;
	now = resch_now();
	time = now > copy.since ? now - copy.since : 0;
	/* in two parts, lest it overflow */
	time = time / RESCH_PAGE_RATE * copy.rate +
	       time % RESCH_PAGE_RATE * copy.rate / RESCH_PAGE_RATE;
	return copy.left - (int64_t)time;
}
