// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * events.c - a task that runs over its execution time now and then, and a thread that is told about
 * it
 *
 * usage: events [CPU]
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define JOBS 20

static int fd;

static void *watch(void *unused)
{
	struct resch_event events[16];
	int i, n;

	for (;;) {
		n = resch_event_read(fd, events, 16);
		if (n == -EINTR)
			continue;
		if (n < 0)
			return unused;
		for (i = 0; i < n; i++) {
			printf("task %" PRIu32 ", job %" PRIu64 ": %s\n", events[i].task,
			       (uint64_t)events[i].job, resch_event_name(events[i].type));
			if (events[i].type == RESCH_EVENT_GONE)
				return unused;
		}
	}
}

/* CPU time, not a number of loops: it is what the module counts. */
static void work(uint64_t ns)
{
	struct timespec now;
	uint64_t begin;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	begin = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - begin < ns);
}

static void *task(void *argument)
{
	const int *cpu = argument;
	struct resch_register reg = RESCH_REGISTER_INIT;
	struct resch_wait job = {};
	int result;

	/* An overrun is an event of a job that is stopped at its wcet, too. */
	reg.params.kind = RESCH_PERIODIC;
	reg.params.period = 50000000;
	reg.params.wcet = 5000000;
	reg.params.miss = RESCH_NOTIFY;
	reg.params.cpu = *cpu;
	strcpy(reg.params.name, "events");
	result = resch_register_self(fd, &reg);
	if (result) {
		fprintf(stderr, "events: cannot register: %s\n", strerror(-result));
		exit(1);
	}
	while (job.job < JOBS) {
		result = resch_wait(fd, &job);
		if (result == -EINTR)
			continue;
		if (result)
			break;
		work(job.job % 5 ? 1000000 : 10000000);
	}
	/*
	 * The end of the thread ends the registration, which is an event too: the watcher stops at
	 * that.
	 */
	return NULL;
}

int main(int argc, char **argv)
{
	int cpu = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t watcher, worker;

	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "events: %s\n", resch_open_reason(fd));
		return 1;
	}
	if (pthread_create(&watcher, NULL, watch, NULL) ||
	    pthread_create(&worker, NULL, task, &cpu)) {
		fprintf(stderr, "events: no thread\n");
		return 1;
	}
	pthread_join(worker, NULL);
	pthread_join(watcher, NULL);
	return 0;
}
