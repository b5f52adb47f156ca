// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * threads.c - a program with threads of its own, which become tasks of one server
 *
 * usage: threads [DOMAIN]     make one with `reschctl domain set 1 --plugin=server`
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch-server.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define JOBS 20

static struct resch_jobs *jobs;
static pthread_barrier_t entered;
static uint64_t first[THREADS];

static void *thread(void *argument)
{
	uint64_t *release = argument;
	struct resch_register reg = RESCH_REGISTER_INIT;
	struct resch_job *job;
	char why[RESCH_VERDICT_TEXT];
	int result;

	reg.params.kind = RESCH_PERIODIC;
	reg.params.period = 50000000;
	reg.params.wcet = 3000000;
	reg.params.offset = (uint64_t)(release - first) * 10000000;
	result = resch_jobs_enter(jobs, &reg, JOBS, &job);
	/* Also where it was refused: the others wait. */
	pthread_barrier_wait(&entered);
	if (result) {
		resch_verdict_text(&reg.verdict, why, sizeof(why));
		fprintf(stderr, "threads: %s\n", result == -EBUSY ? why : strerror(-result));
		return NULL;
	}
	/* The first call waits for the start, each later one ends a job. */
	while (resch_job_next(job) == 1) {
		if (!*release)
			*release = resch_job_current(job)->release;
	}
	/* An ordinary thread again, which may do something else. */
	resch_job_leave(job);
	return NULL;
}

int main(int argc, char **argv)
{
	struct resch_server_set want = {
		.domain = argc > 1 ? (uint32_t)atoi(argv[1]) : 1,
		.params = { .budget = 9000000, .period = 50000000, .cpu = -1, .name = "threads" },
	};
	pthread_t threads[THREADS];
	int fd, result, i;
	uint64_t zero;

	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "threads: %s\n", resch_open_reason(fd));
		return 1;
	}
	result = resch_jobs_new(fd, &want, &jobs);
	if (result) {
		char why[RESCH_VERDICT_TEXT];

		resch_verdict_text(&want.verdict, why, sizeof(why));
		fprintf(stderr, "threads: no server: %s\n",
			result == -EBUSY ? why : strerror(-result));
		return 1;
	}
	pthread_barrier_init(&entered, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++) {
		result = pthread_create(&threads[i], NULL, thread, &first[i]);
		if (result) {
			fprintf(stderr, "threads: no thread: %s\n", strerror(result));
			return 1;
		}
	}
	pthread_barrier_wait(&entered);
	zero = resch_now() + 100000000;
	result = resch_jobs_start(jobs, zero);
	if (result < 0)
		fprintf(stderr, "threads: no start: %s\n", strerror(-result));
	if (result < 0)
		resch_jobs_stop(jobs);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < THREADS && result > 0; i++)
		printf("thread %d: first release at zero + %" PRIu64 " ns\n", i + 1,
		       first[i] - zero);
	return resch_jobs_free(jobs) != 0 || result < 0;
}
