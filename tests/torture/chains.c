// SPDX-License-Identifier: GPL-2.0
/* chains.c - stages that offer themselves, and who makes chains of them, see torture.h */
#include "torture.h"

#define KEY 1

/* Register as what can be any stage of a chain, for whoever knows the key. */
static bool stage_begin(struct life *life)
{
	union argument argument;

	if (!life_register(life, one_in(life, 6) ? RESCH_PERIODIC : RESCH_SPORADIC))
		return false;
	memset(&argument, 0, sizeof(argument));
	argument.chain_offer.key = KEY;
	if (request(life, REQUEST_CHAIN_OFFER, &argument))
		return false;
	atomic_store(&world->offered[below(life, OFFERED)], life->task);
	return true;
}

/* A chain of its own task and others that are offered, or were; its id, 0: there is none. */
static uint32_t chain_make(struct life *life)
{
	union argument argument;
	struct resch_chain_set *want = &argument.chain_set;
	uint32_t i;

	request_fill(life, REQUEST_CHAIN_SET, &argument);
	want->flags |= RESCH_CHAIN_F_SKIP_ADMISSION;
	life->stages[0].task = life->task;
	for (i = 1; i < want->count; i++)
		life->stages[i].task = atomic_load(&world->offered[below(life, OFFERED)]);
	return request(life, REQUEST_CHAIN_SET, &argument) ? 0 : want->id;
}

static void chain_look(struct life *life, uint32_t chain)
{
	struct resch_stage_stat stages[3];
	uint64_t histogram[RESCH_CHAIN_BUCKETS];
	union argument argument = { .chain_stat = { .id = chain } };

	argument.chain_stat.stages = (uintptr_t)stages;
	argument.chain_stat.room = below(life, 4);
	if (one_in(life, 2))
		argument.chain_stat.histogram = (uintptr_t)histogram;
	request(life, REQUEST_CHAIN_STAT, &argument);
}

/* Its page, for a while. */
static void chain_watch(struct life *life, uint32_t chain)
{
	union argument argument = { .chain_open = { .id = chain } };
	void *page;

	if (request_counted(life, REQUEST_CHAIN_OPEN, &argument))
		return;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, argument.chain_open.fd, 0);
	close(argument.chain_open.fd);
	if (page != MAP_FAILED && *(volatile uint32_t *)page % 2)
		sched_yield();
	if (page != MAP_FAILED && one_in(life, 2))
		munmap(page, 4096);
}

static void stage_job(struct life *life)
{
	union argument argument = { .release = { .id = 0 } };

	request(life, REQUEST_RELEASE, &argument);
	memset(&argument, 0, sizeof(argument));
	request(life, REQUEST_WAIT, &argument);
	memset(&argument, 0, sizeof(argument));
	request(life, REQUEST_CHAIN_JOB, &argument);
}

void live_chain(struct life *life)
{
	union argument argument;
	uint32_t chain = 0;
	unsigned int jobs;

	if (!stage_begin(life))
		return;
	for (jobs = 5 + below(life, 30); jobs; jobs--) {
		if (!chain && one_in(life, 3))
			chain = chain_make(life);
		stage_job(life);
		life_something(life);
		if (chain && one_in(life, 3))
			chain_look(life, chain);
		if (chain && one_in(life, 4))
			chain_watch(life, chain);
		if (chain && one_in(life, 10)) {
			argument = (union argument){ .chain_del = { .id = chain } };
			request(life, REQUEST_CHAIN_DEL, &argument);
			chain = 0;
		}
	}
	if (!one_in(life, 4))
		life_leave(life);
}
