// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * acquire.c - acquisition, data-parallel computation and a log: RT0, RT1+ and Linux threads
 *
 * The application that asymmetric shielding is for (Piel, Marquet, Soula, Osuna, Dekeyser: ARTiS,
 * INRIA RR-5781, 2005, section 2.4, figures 5 and 6): one RT0 thread takes a block of samples each
 * millisecond and may never be late; RT1+ threads compute on them wherever there is time, on its
 * CPU, too; the rest is ordinary. From one to the next blocks go through FIFOs that neither side
 * ever waits in.
 *
 * usage: acquire [CPU [WORKERS [BLOCKS]]]     of a guarded CPU: `reschctl domain set 1
 *        --plugin=artis`
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch-fifo.h>
#include <resch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SAMPLES 64
#define WORKERS_MAX 16
#define MS 1000000

struct block {
	uint64_t number;
	float samples[SAMPLES];
};

struct result {
	uint64_t number;
	float power;
};

struct worker {
	pthread_t thread;
	struct resch_fifo *blocks, *results;
};

static uint32_t cpu = 1, workers = 2;
static uint64_t count = 1000, lost, latest;
static struct worker worker[WORKERS_MAX];
static int finished; /* atomic: no block follows */

static void rest(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

static _Noreturn void give_up(const char *what, int result)
{
	fprintf(stderr, "acquire: %s: %s\n", what, strerror(-result));
	exit(1);
}

/* What a device would have: a triangle. */
static void take_samples(struct block *block)
{
	int i;

	for (i = 0; i < SAMPLES; i++)
		block->samples[i] = (float)((block->number * SAMPLES + (uint64_t)i) % 100) / 100;
}

/* RT0: its CPU is its own whenever it wakes up. */
static void *acquire(void *argument)
{
	uint64_t next = resch_now(), late;
	struct block block = {};
	struct timespec time;
	int result = resch_enter_rt0(0, cpu);

	(void)argument;
	if (result)
		give_up("level RT0", result);
	for (; block.number < count; block.number++) {
		next += MS;
		time.tv_sec = (time_t)(next / 1000000000);
		time.tv_nsec = (long)(next % 1000000000);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
		late = resch_now() - next;
		if (late > latest)
			latest = late;
		take_samples(&block);
		/* Who computes has fallen behind: this one goes on. */
		if (resch_fifo_put(worker[block.number % workers].blocks, &block))
			lost++;
	}
	__atomic_store_n(&finished, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* RT1+: a call sends it home from the guarded CPU, computing brings it back. */
static void *compute(void *argument)
{
	struct worker *self = argument;
	struct result done;
	struct block block;
	int i, last, result = resch_enter_rt1plus(0, SCHED_FIFO, 50);

	if (result)
		give_up("level RT1+", result);
	for (;;) {
		/* Whether it has finished comes first: what it has put before is there then. */
		last = __atomic_load_n(&finished, __ATOMIC_ACQUIRE);
		if (resch_fifo_get(self->blocks, &block)) {
			if (last)
				return NULL;
			rest(MS / 4);
			continue;
		}
		done.number = block.number;
		done.power = 0;
		for (i = 0; i < SAMPLES; i++)
			done.power += block.samples[i] * block.samples[i];
		while (resch_fifo_put(self->results, &done))
			rest(MS / 4);
	}
}

/* Linux: the log. Return: how many results there were */
static uint64_t take_results(float *highest)
{
	uint64_t results = 0;
	struct result done;
	uint32_t i;

	for (i = 0; i < workers; i++) {
		while (!resch_fifo_get(worker[i].results, &done)) {
			results++;
			if (done.power > *highest)
				*highest = done.power;
		}
	}
	return results;
}

int main(int argc, char **argv)
{
	uint64_t results = 0;
	float highest = 0;
	pthread_t rt0;
	uint32_t i;
	int result;

	if (argc > 1)
		cpu = (uint32_t)atoi(argv[1]);
	if (argc > 2)
		workers = (uint32_t)atoi(argv[2]);
	if (argc > 3)
		count = strtoull(argv[3], NULL, 10);
	if (!workers || workers > WORKERS_MAX) {
		fprintf(stderr, "acquire: 1 to %d workers\n", WORKERS_MAX);
		return 2;
	}
	for (i = 0; i < workers; i++) {
		result = resch_fifo_new(1024, sizeof(struct block), &worker[i].blocks);
		if (!result)
			result = resch_fifo_new(1024, sizeof(struct result), &worker[i].results);
		if (!result)
			result = -pthread_create(&worker[i].thread, NULL, compute, &worker[i]);
		if (result)
			give_up("a worker", result);
	}
	result = -pthread_create(&rt0, NULL, acquire, NULL);
	if (result)
		give_up("the acquisition", result);
	while (!__atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {
		results += take_results(&highest);
		rest(5 * MS);
	}
	pthread_join(rt0, NULL);
	for (i = 0; i < workers; i++)
		pthread_join(worker[i].thread, NULL);
	results += take_results(&highest);
	printf("%" PRIu64 " blocks, %" PRIu64 " results, %" PRIu64
	       " lost; acquired at most %" PRIu64 " ns late; power at most %.1f\n",
	       count, results, lost, latest, (double)highest);
	for (i = 0; i < workers; i++) {
		resch_fifo_free(worker[i].blocks);
		resch_fifo_free(worker[i].results);
	}
	return results + lost != count;
}
