// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * robot.c - sense, plan, act: three processes, a chain
 *
 * Each process registers a thread of its own through a descriptor of its own, and offers it with a
 * key that it tells the parent. The parent makes the chain. From then on the end of each job of
 * `sense` releases one of `plan`, and that one's end one of `act`; no process calls another. What
 * they hand on is in memory that they share: each reads what the stage before has left there, for
 * the number of its own instance.
 *
 * usage: robot [CPU CPU CPU]     of one domain: `reschctl domain set 1-3 --plugin=edf`
 */
#include <errno.h>
#include <inttypes.h>
#include <resch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD 20000000
#define DEADLINE 45000000
#define INSTANCES 50
#define SLOTS 64 /* more than there are instances under way */

enum { SENSE, PLAN, ACT, STAGES };
static const char *const names[STAGES] = { "sense", "plan", "act" };

/* One place for each instance that may be under way. */
static struct reading {
	int distance, speed;
} * readings;

/* What a process tells the parent. */
struct offer {
	uint32_t task;
	uint32_t reserved;
	uint64_t key;
};

static int refuse(const char *what, int error)
{
	fprintf(stderr, "robot: %s: %s\n", what, strerror(-error));
	return 1;
}

static void work(int stage, const struct resch_chain_job *job)
{
	struct reading *reading = &readings[job->instance % SLOTS];

	switch (stage) {
	case SENSE:
		reading->distance = 100 - (int)(job->instance % 100);
		break;
	case PLAN:
		reading->speed = reading->distance / 2;
		break;
	case ACT:
		if (job->instance % 10 == 0)
			printf("instance %" PRIu64 ": distance %d, speed %d, %s\n",
			       (uint64_t)job->instance, reading->distance, reading->speed,
			       resch_now() <= job->deadline ? "in time" : "late");
		fflush(stdout);
		break;
	}
}

/* A process. It ends when it is killed, or its registration ends. */
static int stage_main(int stage, int cpu, int tell)
{
	struct resch_register reg = {
		.params = {
			.kind = stage == SENSE ? RESCH_PERIODIC : RESCH_SPORADIC,
			.period = PERIOD,
			.deadline = DEADLINE / STAGES,
			.wcet = 2000000,
			.overrun = RESCH_THROTTLE,
			.cpu = cpu,
		},
	};
	struct offer offer = {};
	struct resch_chain_job job;
	int fd = resch_open(), result;

	if (fd < 0)
		return refuse("resch", fd);
	snprintf(reg.params.name, sizeof(reg.params.name), "%s", names[stage]);
	result = resch_register_self(fd, &reg);
	if (result)
		return refuse(names[stage], result);
	offer.task = reg.id;
	if (getrandom(&offer.key, sizeof(offer.key), 0) != sizeof(offer.key))
		return 1;
	result = resch_chain_offer(fd, 0, offer.key);
	if (result)
		return refuse("offer", result);
	if (write(tell, &offer, sizeof(offer)) != sizeof(offer))
		return 1;
	for (;;) {
		result = resch_wait(fd, NULL);
		if (result == -EINTR)
			continue;
		if (result)
			return 0;
		/* Before there is a chain a job of sense is nobody's. */
		if (!resch_chain_current(fd, &job))
			work(stage, &job);
	}
}

static int make_chain(int fd, const struct offer *offers, uint32_t *id)
{
	struct resch_chain_stage stages[STAGES] = {};
	struct resch_chain_set want = {
		.count = STAGES,
		.protocol = RESCH_CHAIN_RG,
		.period = PERIOD,
		.deadline = DEADLINE,
		.name = "robot",
	};
	char why[RESCH_VERDICT_TEXT];
	int i, result;

	for (i = 0; i < STAGES; i++) {
		stages[i].task = offers[i].task;
		stages[i].key = offers[i].key;
		stages[i].from_mask = i ? 1U << (i - 1) : 0;
	}
	result = resch_chain_set(fd, &want, stages);
	*id = want.id;
	if (!result)
		return 0;
	resch_verdict_text(&want.verdict, why, sizeof(why));
	fprintf(stderr, "robot: no chain: %s%s%s\n", strerror(-result),
		want.verdict.bound ? ": " : "", want.verdict.bound ? why : "");
	return 1;
}

static int watch(int fd, uint32_t id)
{
	struct resch_chain_stat stat;
	int result;

	do {
		usleep(PERIOD / 1000);
		result = resch_chain_stat(fd, id, &stat, NULL, 0, NULL);
		if (result)
			return refuse("chain", result);
	} while (stat.completed < INSTANCES && !stat.stopped);
	if (stat.stopped) {
		fprintf(stderr, "robot: %s has ended\n", names[stat.stopped - 1]);
		return 1;
	}
	printf("%" PRIu64 " instances, %" PRIu64 " missed, %" PRIu64 " lost; from %" PRIu64
	       " to %" PRIu64 " us\n",
	       (uint64_t)stat.completed, (uint64_t)stat.missed, (uint64_t)stat.lost,
	       (uint64_t)stat.response_min / 1000, (uint64_t)stat.response_max / 1000);
	return 0;
}

/* The processes, and what they have told: 0, or -1. */
static int begin(char **cpus, pid_t *pids, struct offer *offers)
{
	int i, tell[2];

	for (i = 0; i < STAGES; i++) {
		if (pipe(tell))
			return -1;
		pids[i] = fork();
		if (!pids[i])
			exit(stage_main(i, cpus ? atoi(cpus[i]) : 1 + i, tell[1]));
		close(tell[1]);
		if (pids[i] < 0 || read(tell[0], &offers[i], sizeof(*offers)) != sizeof(*offers))
			return -1;
		close(tell[0]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct offer offers[STAGES];
	pid_t pids[STAGES] = {};
	uint32_t id;
	int fd, i, result = 1;

	readings = mmap(NULL, SLOTS * sizeof(*readings), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fd = resch_open();
	if (fd < 0 || readings == MAP_FAILED) {
		fprintf(stderr, "robot: %s\n", fd < 0 ? resch_open_reason(fd) : strerror(errno));
		return 1;
	}
	if (!begin(argc > STAGES ? argv + 1 : NULL, pids, offers))
		result = make_chain(fd, offers, &id) || watch(fd, id);
	for (i = 0; i < STAGES; i++) {
		if (pids[i] <= 0)
			continue;
		kill(pids[i], SIGTERM);
		waitpid(pids[i], NULL, 0);
	}
	return result;
}
