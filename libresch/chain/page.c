// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* page.c - which instances a chain's stages work on, without a system call */
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "../request.h"
#include "resch-chain.h"

int resch_chain_open(int fd, uint32_t chain)
{
	struct resch_chain_open open = { .id = chain };
	int result = resch_request(fd, RESCH_IOC_CHAIN_OPEN, &open);

	return result < 0 ? result : open.fd;
}

const struct resch_chain_page *resch_chain_map(int chain)
{
	/* At once: a stage has no time for page faults. */
	void *page = mmap(NULL, sizeof(struct resch_chain_page), PROT_READ,
			  MAP_SHARED | MAP_POPULATE, chain, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* As resch_server_read() does. */
int resch_chain_read(const struct resch_chain_page *page, uint32_t stage,
		     struct resch_stage_page *copy)
{
	const volatile struct resch_stage_page *shared;
	uint32_t before;

	if (stage >= page->count)
		return -EINVAL;
	shared = &page->stages[stage];
	do {
		before = shared->sequence;
		atomic_thread_fence(memory_order_acquire);
		*copy = *shared;
		atomic_thread_fence(memory_order_acquire);
	} while (before & 1 || before != shared->sequence);
	return copy->instance ? 0 : -ENOENT;
}

int64_t resch_chain_slack(const struct resch_chain_page *page, uint32_t stage)
{
	struct resch_stage_page copy;

	if (resch_chain_read(page, stage, &copy))
		return INT64_MAX;
	return (int64_t)(copy.deadline - copy.rest - resch_now());
}
