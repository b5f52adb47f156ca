// SPDX-License-Identifier: GPL-2.0
/*
 * lane.c - queues and threads of lanes
 *
 * A request goes into the queue of its lane, and one of the lane's threads gets a job for it,
 * resch_release(3): an idle one, or that which has the fewest before it. Each thread takes what has
 * waited longest. A lane that has but one thread and one stage has that stage's guard with it: the
 * thread is a sporadic task of the chain's period.
 */
#include <errno.h>
#include <resch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock-ns.h"
#include "nodes.h"
#include "relax.h"

void count_most(uint64_t *counter, uint64_t value)
{
	uint64_t old = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(counter, &old, value, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void count_least(uint64_t *counter, uint64_t value)
{
	uint64_t old = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while ((!old || old > value) &&
	       !__atomic_compare_exchange_n(counter, &old, value, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

static void remember(struct recent *recent)
{
	uint32_t place = __atomic_fetch_add(&recent->count, 1, __ATOMIC_RELAXED) % REMEMBERED;

	__atomic_store_n(&recent->times[place], now_ns(), __ATOMIC_RELAXED);
}

static uint32_t completed_since(const struct recent *recent, uint64_t since)
{
	uint32_t i, count = 0;

	for (i = 0; i < REMEMBERED; i++)
		count += count_read(recent->times[i]) > since;
	return count;
}

/* What was complete since @since on the CPU of this one's stage, and matters less. */
static uint64_t lesser(const struct request *request, uint64_t since)
{
	const struct resch_chain_model *model = &here.plan->set.model;
	const struct resch_stage_spec *stage = stage_of(here.plan, request->chain, request->stage);
	uint64_t urgency = urgency_of(here.plan, stage), sum = 0;
	uint32_t i, k;

	for (i = 0; i < model->count; i++)
		for (k = 0; k < model->chains[i].count; k++) {
			const struct resch_stage_spec *other = stage_of(here.plan, i, k);

			if (other->cpu == stage->cpu && urgency_of(here.plan, other) > urgency)
				sum += completed_since(&here.recent[i][k], since);
		}
	return sum;
}

void stage_work(const struct resch_stage_spec *stage)
{
	uint64_t work = stage->wcet / 100 * here.plan->load;
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < work)
		relax();
}

static void finish(const struct request *request)
{
	struct chain_count *count = &here.shared->chains[request->chain];
	uint64_t now = now_ns(), response = now > request->origin ? now - request->origin : 0;
	int bucket = response ? 64 - __builtin_clzll(response) : 0;

	count_up(count->histogram[bucket < RESCH_CHAIN_BUCKETS ? bucket : RESCH_CHAIN_BUCKETS - 1],
		 1);
	count_up(count->response_total, response);
	count_least(&count->response_min, response ? response : 1);
	count_most(&count->response_max, response);
	if (now > request->deadline)
		count_up(count->missed, 1);
	count_up(count->completed, 1);
}

void stage_done(const struct request *request)
{
	const struct resch_chain_spec *chain = &here.plan->set.model.chains[request->chain];
	struct request next = *request;
	uint64_t urgency;

	remember(&here.recent[request->chain][request->stage]);
	count_up(here.shared->stages[request->chain][request->stage].completed, 1);
	if (++next.stage == chain->count) {
		finish(request);
		return;
	}
	urgency = urgency_of(here.plan, &chain->stages[next.stage]);
	if (here.plan->node_of[next.chain][next.stage] == here.self)
		pool_put(&next, urgency);
	else if (here.plan->dds)
		dds_send(&next, urgency);
	else
		wire_send(&next, urgency);
}

/* ---- threads --------------------------------------------------------------------------------- */

static bool take(struct pool *pool, struct request *request)
{
	bool found;

	pthread_mutex_lock(&pool->lock);
	found = pool->head != pool->tail;
	if (found)
		*request = pool->queue[pool->tail++ % QUEUE];
	pthread_mutex_unlock(&pool->lock);
	return found;
}

/* A job that was released then: it waits from that time on, or from when its request came. */
static void serve(struct pool *pool, uint64_t release)
{
	struct request request;
	struct stage_count *count;
	uint64_t before;

	if (!take(pool, &request))
		return;
	count = &here.shared->stages[request.chain][request.stage];
	if (release > request.arrived)
		count_up(count->guarded, 1);
	before = lesser(&request, release > request.arrived ? release : request.arrived);
	if (before) {
		count_up(count->behind, 1);
		count_up(count->overtaken, before);
	}
	stage_work(stage_of(here.plan, request.chain, request.stage));
	stage_done(&request);
}

static int worker_register(const struct lane *lane, struct worker *worker)
{
	struct resch_register reg = { .domain = here.plan->domain };
	struct resch_task_params *params = &reg.params;
	bool edf = here.plan->set.model.policy == RESCH_CHAIN_EDF;
	int result;

	params->kind = RESCH_SPORADIC;
	params->period = lane->period;
	params->deadline = edf ? lane->lo : lane->period;
	params->wcet = lane->wcet < params->deadline ? lane->wcet : params->deadline;
	params->priority = edf ? 0 : (uint32_t)lane->lo + PRIORITY_STAGES;
	params->cpu = lane->cpu;
	params->flags = RESCH_F_SKIP_ADMISSION;
	snprintf(params->name, sizeof(params->name), "lane%u", worker->lane);
	result = resch_register_self(here.device, &reg);
	if (!result)
		__atomic_store_n(&worker->id, reg.id, __ATOMIC_RELEASE);
	return result;
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	int result = worker_register(&here.plan->lane[worker->lane], worker);
	struct resch_wait job;

	__atomic_store_n(&worker->result, result ? result : 1, __ATOMIC_RELEASE);
	while (!result || result == -EINTR) {
		result = resch_wait(here.device, &job);
		if (result)
			continue;
		serve(&here.pools[worker->lane], job.release);
		__atomic_fetch_sub(&worker->open, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* It may be given jobs when it waits for one. */
static int worker_await(const struct worker *worker)
{
	struct resch_task_stat stat;
	int result;

	for (;;) {
		result = __atomic_load_n(&worker->result, __ATOMIC_ACQUIRE);
		if (result < 0)
			return result;
		if (result) {
			result = resch_task_stat(here.device, worker->id, &stat);
			if (result || stat.state != RESCH_STATE_NEW)
				return result;
		}
		sleep_for(1000000);
	}
}

static int worker_add(uint32_t lane)
{
	struct pool *pool = &here.pools[lane];
	struct worker *worker = &pool->workers[pool->count];
	int result;

	worker->lane = lane;
	worker->result = 0;
	result = -pthread_create(&worker->thread, NULL, worker_main, worker);
	if (!result)
		result = worker_await(worker);
	if (result)
		return result;
	__atomic_fetch_add(&pool->count, 1, __ATOMIC_RELEASE);
	count_up(here.shared->lanes[lane].threads, 1);
	return 0;
}

int pool_open(uint32_t lane)
{
	int result = 0;
	uint32_t i;

	pthread_mutex_init(&here.pools[lane].lock, NULL);
	for (i = 0; i < here.plan->threads && !result; i++)
		result = worker_add(lane);
	return result;
}

void pool_grow(uint32_t lane)
{
	struct pool *pool = &here.pools[lane];

	if (!__atomic_exchange_n(&pool->wanted, 0, __ATOMIC_RELAXED))
		return;
	if (pool->count < here.plan->threads + here.plan->more && pool->count < POOL_MAX &&
	    worker_add(lane))
		count_up(here.shared->failed[here.self], 1);
}

/* ---- requests -------------------------------------------------------------------------------- */

/* The one that has the least to do. */
static struct worker *choose(struct pool *pool)
{
	uint32_t count = __atomic_load_n(&pool->count, __ATOMIC_ACQUIRE), i, best = 0;

	for (i = 1; i < count; i++)
		if (count_read(pool->workers[i].open) < count_read(pool->workers[best].open))
			best = i;
	if (count_read(pool->workers[best].open))
		__atomic_store_n(&pool->wanted, 1, __ATOMIC_RELAXED);
	return &pool->workers[best];
}

void pool_put(const struct request *request, uint64_t urgency)
{
	uint32_t lane = lane_for(here.plan, request->chain, request->stage, urgency);
	struct stage_count *count = &here.shared->stages[request->chain][request->stage];
	struct pool *pool = &here.pools[lane];
	struct request *place;
	struct worker *worker;
	bool room;

	count_up(count->arrived, 1);
	pthread_mutex_lock(&pool->lock);
	room = pool->head - pool->tail < QUEUE;
	if (room) {
		place = &pool->queue[pool->head % QUEUE];
		*place = *request;
		worker = choose(pool);
		__atomic_fetch_add(&worker->open, 1, __ATOMIC_RELAXED);
		pool->head++;
		room = !resch_release(here.device, worker->id);
		/* What is released later than this was held. */
		place->arrived = now_ns();
		if (!room) {
			pool->head--;
			__atomic_fetch_sub(&worker->open, 1, __ATOMIC_RELAXED);
		}
	}
	count_most(&here.shared->lanes[lane].waiting_max, pool->head - pool->tail);
	pthread_mutex_unlock(&pool->lock);
	count_up(here.shared->lanes[lane].requests, 1);
	if (!room)
		count_up(count->refused, 1);
}
