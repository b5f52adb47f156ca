// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * pipes.c - programs that know nothing of resch, as stages of a chain
 *
 * Each program reads a line and writes a line, over and over. A thread for each is the stage: in
 * its job it gives the program the line that the stage before has left, and waits for the answer.
 * The program is a task, too, of kind wakeup: its own wake-ups are its releases. So the module
 * releases one after the other, in numbered instances with an end-to-end deadline, and nobody has
 * to change a program.
 *
 * usage: pipes [PROGRAM...]     each a line for sh(1), on CPUs 1, 2, ... of one domain:
 *                               `reschctl domain set 1-3 --plugin=edf`
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <resch.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD 100000000
#define DEADLINE 90000000
#define INSTANCES 20
#define SLOTS 64 /* more than there are instances under way */
#define LINE 256

/* What they are where none are given. */
static const char *const defaults[] = { "exec sed -u 's/$/ seen/'", "exec sed -u 's/$/, planned/'",
					"exec sed -u 's/$/, done/'" };

/* A program, and the thread that is its stage. */
struct stage {
	const char *program;
	int index, cpu;
	int to, from; /* its standard input and output */
	pid_t pid;
	pthread_t thread;
	struct resch_register reg; /* of the thread */
	int result; /* of registering */
	pthread_barrier_t *ready;
};

static int fd;
static atomic_bool over;
static struct stage stages[RESCH_CHAIN_STAGES_MAX];
static int count;
/* What the stages leave for one another: a place for each instance that may be under way. */
static char lines[SLOTS][LINE];

static int refuse(const char *what, int error)
{
	fprintf(stderr, "pipes: %s: %s\n", what, strerror(-error));
	return -1;
}

/* The program, behind two pipes. */
static int begin(struct stage *stage)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return refuse("pipe", -errno);
	stage->pid = fork();
	if (stage->pid < 0)
		return refuse("fork", -errno);
	if (!stage->pid) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		for (int i = STDERR_FILENO + 1; i < 256; i++)
			close(i);
		execl("/bin/sh", "sh", "-c", stage->program, NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	stage->to = to[1];
	stage->from = from[0];
	return 0;
}

/* A line there and back. 0: the program has ended. */
static int ask(const struct stage *stage, char *line)
{
	size_t have = 0;
	ssize_t got;

	if (write(stage->to, line, strlen(line)) < 0)
		return 0;
	do {
		got = read(stage->from, line + have, LINE - 1 - have);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return 0;
		have += got > 0 ? (size_t)got : 0;
	} while (!memchr(line, '\n', have) && have < LINE - 1);
	line[have] = 0;
	return 1;
}

static struct resch_task_params params(const struct stage *stage)
{
	struct resch_task_params params = {
		.kind = stage->index ? RESCH_SPORADIC : RESCH_PERIODIC,
		.period = PERIOD,
		.deadline = DEADLINE / (uint64_t)count,
		.wcet = 1000000,
		.overrun = RESCH_THROTTLE,
		.cpu = stage->cpu,
	};

	snprintf(params.name, sizeof(params.name), "stage%d", stage->index);
	return params;
}

/* The program itself, so that it has the CPU when its stage's job needs it. */
static int enlist(const struct stage *stage)
{
	struct resch_register reg = { .params = params(stage) };

	reg.params.kind = RESCH_WAKEUP;
	reg.params.wcet = 10000000;
	snprintf(reg.params.name, sizeof(reg.params.name), "program%d", stage->index);
	return resch_register_thread(fd, stage->pid, &reg);
}

static void *stage_main(void *arg)
{
	struct stage *stage = arg;
	struct resch_chain_job job;
	int result;

	stage->reg.params = params(stage);
	stage->result = resch_register_self(fd, &stage->reg);
	pthread_barrier_wait(stage->ready);
	while (!stage->result) {
		char *line;

		result = resch_wait(fd, NULL);
		if (result == -EINTR)
			continue;
		if (result)
			break;
		/* Before there is a chain a job of the first stage is nobody's. */
		if (resch_chain_current(fd, &job))
			continue;
		line = lines[job.instance % SLOTS];
		if (!stage->index)
			snprintf(line, LINE, "instance %" PRIu64 ":\n", (uint64_t)job.instance);
		if (!ask(stage, line)) {
			if (!over)
				fprintf(stderr, "pipes: '%s' has ended\n", stage->program);
			break;
		}
		if (stage->index == count - 1)
			printf("%.*s, %s\n", (int)strcspn(line, "\n"), line,
			       resch_now() <= job.deadline ? "in time" : "late");
	}
	return NULL; /* which ends the registration, and so the chain */
}

static int make_chain(uint32_t *id)
{
	struct resch_chain_stage wanted[RESCH_CHAIN_STAGES_MAX] = {};
	struct resch_chain_set want = {
		.count = (uint32_t)count,
		.protocol = RESCH_CHAIN_RG,
		.period = PERIOD,
		.deadline = DEADLINE,
		.name = "pipes",
	};
	int i, result;

	for (i = 0; i < count; i++) {
		if (getrandom(&wanted[i].key, sizeof(wanted[i].key), 0) < 0)
			return -errno;
		wanted[i].task = stages[i].reg.id;
		wanted[i].from_mask = i ? 1U << (i - 1) : 0;
		result = resch_chain_offer(fd, wanted[i].task, wanted[i].key);
		if (result)
			return result;
	}
	/* A later stage has to have come to its first wait. */
	for (i = 0; i < 1000; i++) {
		result = resch_chain_set(fd, &want, wanted);
		if (result != -EBUSY || want.verdict.bound)
			break;
		usleep(1000);
	}
	*id = want.id;
	return result;
}

static int watch(uint32_t id)
{
	struct resch_chain_stat stat;
	int result;

	do {
		usleep(PERIOD / 1000);
		result = resch_chain_stat(fd, id, &stat, NULL, 0, NULL);
		if (result)
			return refuse("chain", result);
	} while (stat.completed < INSTANCES && !stat.stopped);
	fflush(stdout);
	if (stat.stopped)
		return -1;
	printf("%" PRIu64 " instances, %" PRIu64 " missed, %" PRIu64 " lost; from %" PRIu64
	       " to %" PRIu64 " us\n",
	       (uint64_t)stat.completed, (uint64_t)stat.missed, (uint64_t)stat.lost,
	       (uint64_t)stat.response_min / 1000, (uint64_t)stat.response_max / 1000);
	return 0;
}

static int run(void)
{
	pthread_barrier_t ready;
	uint32_t id;
	int i, result;

	pthread_barrier_init(&ready, NULL, 2);
	for (i = 0; i < count; i++) {
		stages[i].ready = &ready;
		if (begin(&stages[i]))
			return -1;
		result = enlist(&stages[i]);
		if (result)
			return refuse(stages[i].program, result);
		result = pthread_create(&stages[i].thread, NULL, stage_main, &stages[i]);
		if (result)
			return refuse("thread", -result);
		pthread_barrier_wait(&ready);
		if (stages[i].result)
			return refuse("stage", stages[i].result);
	}
	result = make_chain(&id);
	return result ? refuse("no chain", result) : watch(id);
}

int main(int argc, char **argv)
{
	int i, result;

	count = argc > 1 ? argc - 1 : 3;
	if (count > RESCH_CHAIN_STAGES_MAX) {
		fprintf(stderr, "pipes: %d programs at most\n", RESCH_CHAIN_STAGES_MAX);
		return 2;
	}
	for (i = 0; i < count; i++)
		stages[i] = (struct stage){ .program = argc > 1 ? argv[1 + i] : defaults[i],
					    .index = i,
					    .cpu = 1 + i };
	signal(SIGPIPE, SIG_IGN);
	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "pipes: %s\n", resch_open_reason(fd));
		return 1;
	}
	result = run();
	over = true;
	for (i = 0; i < count && stages[i].pid > 0; i++) {
		kill(stages[i].pid, SIGTERM);
		waitpid(stages[i].pid, NULL, 0);
	}
	return result ? 1 : 0;
}
