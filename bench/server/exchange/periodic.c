// SPDX-License-Identifier: GPL-2.0
/* periodic.c - the client and the load: jobs, each of which is complete in time or not */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "exchange.h"

struct periodic {
	const struct options *options;
	int fd;
	uint32_t server;
	struct resch_wait job;
	/* Response times, and the most that was executed for a job. */
	uint64_t jobs, complete, longest, total, costliest;
};

static volatile sig_atomic_t ended;

static void on_term(int number)
{
	(void)number;
	ended = 1;
}

/*
 * What the thread has executed; in a server, what was charged to that, also for the work of others.
 */
static uint64_t executed(const struct periodic *task)
{
	struct resch_server_stat stat;
	struct timespec now;

	if (task->server &&
	    !resch_server_stat(task->fd, task->options->domain, task->server, &stat))
		return stat.consumed;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Sleeps until the next release. 0: the program is to end. */
static int next(struct periodic *task)
{
	uint64_t at = task->job.deadline;
	struct timespec until = { (time_t)(at / 1000000000), (long)(at % 1000000000) };
	int result;

	if (task->fd < 0) {
		while ((result = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)))
			if (ended || result != EINTR)
				return 0;
		task->job.release = at;
		task->job.deadline = at + task->options->cycle;
		return 1;
	}
	while ((result = resch_wait(task->fd, &task->job)))
		if (ended || result != -EINTR)
			return 0;
	return 1;
}

static void run(struct periodic *task, int (*body)(struct periodic *task))
{
	struct sigaction end = { .sa_handler = on_term }; /* what waits is interrupted */
	uint64_t now, took, before;
	int result;

	mlockall(MCL_CURRENT);
	sigaction(SIGTERM, &end, NULL);
	task->job.deadline = resch_now() + task->options->cycle;
	while (!ended && (!task->options->count || task->jobs < task->options->count) &&
	       next(task)) {
		task->jobs++;
		/* What is too late already is left out, as anybody would. */
		if (resch_now() >= task->job.deadline)
			continue;
		before = executed(task);
		result = body(task);
		now = resch_now();
		before = executed(task) - before;
		if (ended) {
			task->jobs--;
			break;
		}
		if (result)
			die("a request", result);
		took = now - task->job.release;
		task->total += took;
		if (took > task->longest)
			task->longest = took;
		if (before > task->costliest)
			task->costliest = before;
		task->complete += now <= task->job.deadline;
	}
	printf("jobs=%llu complete=%llu longest=%llu total=%llu costliest=%llu\n",
	       (unsigned long long)task->jobs, (unsigned long long)task->complete,
	       (unsigned long long)task->longest, (unsigned long long)task->total,
	       (unsigned long long)task->costliest);
}

/* ---- the client ------------------------------------------------------------------------------ */

static struct resch_rpc rpc;

static int client_job(struct periodic *task)
{
	const struct options *options = task->options;
	unsigned char bytes[EXCHANGE_SIZE] = { 0 };
	ssize_t result;

	work(options->rate, options->work / 2);
	result = resch_rpc_call(&rpc, EXCHANGE_SEND, bytes, sizeof(bytes), NULL, 0);
	if (result < 0)
		return (int)result;
	result = resch_rpc_call(&rpc, EXCHANGE_RECEIVE, NULL, 0, bytes, sizeof(bytes));
	if (result < 0)
		return (int)result;
	work(options->rate, options->work / 2);
	return 0;
}

int periodic_client(const struct options *options)
{
	struct periodic task = { .options = options };
	int result;

	task.fd = way_prepare(options, "client", &task.server);
	way_enter(options, task.fd, task.server, RESCH_PERIODIC, "client");
	result = resch_rpc_open(&rpc, task.fd, options->path);
	if (result)
		die(options->path, result);
	run(&task, client_job);
	resch_rpc_close(&rpc);
	return 0;
}

/* ---- the load -------------------------------------------------------------------------------- */

static int load_job(struct periodic *task)
{
	work(task->options->rate, task->options->work);
	return 0;
}

int periodic_load(const struct options *options)
{
	struct periodic task = { .options = options };

	task.fd = way_prepare(options, "load", &task.server);
	way_enter(options, task.fd, task.server, RESCH_PERIODIC, "load");
	printf("running\n");
	fflush(stdout);
	run(&task, load_job);
	return 0;
}
