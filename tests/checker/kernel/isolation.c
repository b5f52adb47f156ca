// SPDX-License-Identifier: GPL-2.0
/*
 * isolation.c - three programs in servers of one CPU, of which one must not miss a deadline
 *
 * usage: isolation
 *
 * One never stops, one crashes in its third job and is started again, as long as the third, which
 * keeps to what it said, does its jobs. Makes a domain of CPU 0 and removes it. Prints the
 * statistics; exit status 0: no deadline of the third was missed.
 */
#include <errno.h>
#include <inttypes.h>
#include <resch.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

#define MS 1000000ULL
#define PERIOD (10 * MS)
#define JOBS 150

static uint32_t domain;

static long must(long result, const char *what)
{
	if (result < 0) {
		fprintf(stderr, "isolation: %s: %s\n", what, strerror((int)-result));
		exit(2);
	}
	return result;
}

/* A server of @budget, and the calling thread in it. */
static int enter(uint64_t budget, struct resch_register *reg)
{
	struct resch_server_set want = {
		.domain = domain,
		.params = { .budget = budget, .period = PERIOD, .cpu = -1 },
	};
	int fd = (int)must(resch_open(), "opening the device"), result;

	*reg = (struct resch_register){
		.params = { .period = PERIOD, .wcet = budget, .cpu = 0 },
	};
	/* What one that has just gone had is free again at its deadline. */
	while ((result = resch_server_set(fd, &want)) == -EBUSY)
		usleep(1000);
	must(result, "making a server");
	reg->params.group = want.id;
	must(resch_register_self(fd, reg), "registering");
	return fd;
}

static void greedy(void)
{
	struct resch_register reg;
	int fd = enter(3 * MS, &reg);

	must(resch_wait(fd, NULL), "waiting");
	for (;;)
		;
}

/* In the middle of its third job, which takes longer than it may. */
static void crashing(void)
{
	volatile int *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rlimit none = { 0, 0 };
	struct resch_register reg;
	int fd, i;

	setrlimit(RLIMIT_CORE, &none);
	fd = enter(2 * MS, &reg);
	for (i = 0; i < 3; i++) {
		must(resch_wait(fd, NULL), "waiting");
		work(i < 2 ? MS : 3 * MS);
	}
	*nowhere = 1;
}

/* @group: in a process group of its own, with all that it starts. */
static pid_t start(void (*program)(void), bool group)
{
	pid_t pid = fork();

	if (pid < 0)
		must(-errno, "fork");
	if (!pid) {
		if (group)
			setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		program();
		exit(0);
	}
	return pid;
}

/* Starts the crashing one again and again. */
static void keep_starting(void)
{
	uint32_t crashes = 0;
	int status;

	for (;;) {
		pid_t pid = start(crashing, false);

		if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			exit(2);
		printf("crashed %u times\n", ++crashes);
		fflush(stdout);
	}
}

static void good(struct resch_task_stat *stat)
{
	struct resch_register reg;
	int fd = enter(3 * MS, &reg), i;

	for (i = 0; i < JOBS; i++) {
		must(resch_wait(fd, NULL), "waiting");
		work(5 * MS / 2);
	}
	must(resch_task_stat(fd, 0, stat), "statistics");
	must(resch_unregister(fd, 0), "unregistering");
	close(fd);
}

int main(void)
{
	struct resch_domain_set want = { .plugin = "server" };
	struct resch_task_stat stat;
	int fd = (int)must(resch_open(), "opening the device"), err;
	pid_t others[2];

	resch_cpus_add(&want.cpus, 0);
	must(resch_domain_set(fd, &want), "making a domain");
	domain = want.domain;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	others[0] = start(greedy, true);
	others[1] = start(keep_starting, true);
	good(&stat);
	kill(-others[0], SIGKILL);
	kill(-others[1], SIGKILL);
	/* Those, and what the second had started: with its parent gone it is a child of ours. */
	while (wait(NULL) > 0)
		;
	while ((err = resch_domain_del(fd, domain)) == -EBUSY)
		usleep(10000);
	must(err, "removing the domain");
	printf("%" PRIu64 " jobs, %" PRIu64 " missed, response at most %" PRIu64 " ns\n",
	       (uint64_t)stat.completed, (uint64_t)stat.misses, (uint64_t)stat.response_max);
	return stat.misses || stat.completed < JOBS - 1;
}
