// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * sync.c - two tasks that begin at a common time zero, the second half a period after the first
 *
 * usage: sync [CPU]
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD 20000000
#define JOBS 10

static int fd;
static int cpu = 1;
static uint64_t first_release[2];

static void *task(void *argument)
{
	uint64_t *first = argument;
	struct resch_register reg = {
		.params = {
			.kind = RESCH_PERIODIC,
			.period = PERIOD,
			.wcet = 1000000,
			.overrun = RESCH_THROTTLE,
			.offset = first == first_release ? 0 : PERIOD / 2,
			.cpu = cpu,
			.flags = RESCH_F_SYNC,
		},
	};
	struct resch_wait job = {};
	int result;

	result = resch_register_self(fd, &reg);
	if (result) {
		fprintf(stderr, "sync: cannot register: %s\n", strerror(-result));
		return NULL;
	}
	while (job.job < JOBS) {
		result = resch_wait(fd, &job);
		if (result == -EINTR)
			continue;
		if (result)
			break;
		if (job.job == 1)
			*first = job.release;
	}
	resch_unregister(fd, 0);
	return NULL;
}

/* The domain that has the CPU; 0: none. */
static uint32_t domain_of(unsigned int which)
{
	struct resch_domain_stat domain = {};

	while (resch_domain_next(fd, &domain) > 0) {
		if (resch_cpus_has(&domain.cpus, which))
			return domain.domain;
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	uint64_t zero;
	uint32_t domain;
	int i, result;

	if (argc > 1)
		cpu = atoi(argv[1]);
	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "sync: %s\n", resch_open_reason(fd));
		return 1;
	}
	for (i = 0; i < 2; i++) {
		result = pthread_create(&threads[i], NULL, task, &first_release[i]);
		if (result) {
			fprintf(stderr, "sync: no thread: %s\n", strerror(result));
			return 1;
		}
	}

	/*
	 * Time enough for both to wait. A program with more at stake counts them through
	 * resch_task_next().
	 */
	usleep(500000);
	domain = domain_of((unsigned int)cpu);
	zero = resch_now() + 100000000;
	result = resch_start(fd, domain, zero);
	if (result < 0) {
		fprintf(stderr, "sync: no start: %s\n", strerror(-result));
		return 1;
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d tasks started; first releases at zero + %" PRIu64 " ns and zero + %" PRIu64
	       " ns\n",
	       result, first_release[0] - zero, first_release[1] - zero);
	return 0;
}
