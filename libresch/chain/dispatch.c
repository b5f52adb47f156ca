// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* dispatch.c - chains that the module runs */
#include "../request.h"

int resch_chain_offer(int fd, uint32_t task, uint64_t key)
{
	struct resch_chain_offer offer = { .task = task, .key = key };

	return resch_request(fd, RESCH_IOC_CHAIN_OFFER, &offer);
}

int resch_chain_set(int fd, struct resch_chain_set *want, const struct resch_chain_stage *stages)
{
	want->id = 0;
	want->stages = (uintptr_t)stages;
	want->verdict = (struct resch_verdict){};
	return resch_request(fd, RESCH_IOC_CHAIN_SET, want);
}

int resch_chain_del(int fd, uint32_t id)
{
	struct resch_chain_del del = { .id = id };

	return resch_request(fd, RESCH_IOC_CHAIN_DEL, &del);
}

int resch_chain_stat(int fd, uint32_t id, struct resch_chain_stat *stat,
		     struct resch_stage_stat *stages, uint32_t room, uint64_t *histogram)
{
	*stat = (struct resch_chain_stat){
		.id = id,
		.room = stages ? room : 0,
		.stages = (uintptr_t)stages,
		.histogram = (uintptr_t)histogram,
	};
	return resch_request(fd, RESCH_IOC_CHAIN_STAT, stat);
}

int resch_chain_next(int fd, struct resch_chain_stat *stat, struct resch_stage_stat *stages,
		     uint32_t room, uint64_t *histogram)
{
	int result;

	*stat = (struct resch_chain_stat){
		.id = stat->id,
		.next = 1,
		.room = stages ? room : 0,
		.stages = (uintptr_t)stages,
		.histogram = (uintptr_t)histogram,
	};
	result = resch_request(fd, RESCH_IOC_CHAIN_STAT, stat);
	if (result == -ENOENT)
		return 0;
	return result < 0 ? result : 1;
}

int resch_chain_current(int fd, struct resch_chain_job *job)
{
	*job = (struct resch_chain_job){};
	return resch_request(fd, RESCH_IOC_CHAIN_JOB, job);
}
