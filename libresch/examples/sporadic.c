// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * sporadic.c - one thread releases the jobs of another, which come at least 5 ms apart
 *
 * usage: sporadic [CPU]
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS 50

static int fd;
static int cpu = 1;
static uint32_t task_id;
static int task_error;
static pthread_barrier_t registered;

static void *handler(void *unused)
{
	struct resch_register reg = {
		.params = {
			.kind = RESCH_SPORADIC,
			.period = 5000000,
			.deadline = 3000000,
			.wcet = 500000,
			/* one that takes longer is stopped, and harms no other task */
			.overrun = RESCH_THROTTLE,
			.cpu = cpu,
			.name = "handler",
		},
	};
	struct resch_wait job = {};
	int result;

	task_error = resch_register_self(fd, &reg);
	task_id = reg.id;
	pthread_barrier_wait(&registered);
	if (task_error)
		return unused;

	while (job.job < JOBS) {
		result = resch_wait(fd, &job);
		if (result && result != -EINTR)
			break;
		/* Handle what the release told of. */
	}
	printf("%" PRIu64 " jobs handled\n", (uint64_t)job.job);
	resch_unregister(fd, 0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i, result;

	if (argc > 1)
		cpu = atoi(argv[1]);
	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "sporadic: %s\n", resch_open_reason(fd));
		return 1;
	}
	pthread_barrier_init(&registered, NULL, 2);
	result = pthread_create(&thread, NULL, handler, NULL);
	if (result) {
		fprintf(stderr, "sporadic: no thread: %s\n", strerror(result));
		return 1;
	}
	pthread_barrier_wait(&registered);

	/* Faster than the task allows now and then: the module holds such releases back. */
	for (i = 0; i < JOBS && !task_error; i++) {
		usleep(i % 5 ? 8000 : 1000);
		if (resch_release(fd, task_id))
			break;
	}
	pthread_join(thread, NULL);
	if (task_error)
		fprintf(stderr, "sporadic: cannot register: %s\n", strerror(-task_error));
	return task_error != 0;
}
