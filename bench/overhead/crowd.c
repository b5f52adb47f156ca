// SPDX-License-Identifier: GPL-2.0
/*
 * crowd.c - what a job costs among many tasks on the same CPU
 *
 * sleeping: the others sleep, each with a timer of its own, far away. ready:    the others have a
 * job each, all in the ready queue; the first of them is the spinner. cycling:  there is no
 * others: every job is another task's, and goes to the far end of the queue of timers.
 */
#include <limits.h>
#include <pthread.h>
#include <resch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "result.h"
#include "task.h"

#define PERIOD 1000000u
#define FAR 3000000000000u /* 50 min */

enum mode { SLEEPING, READY, CYCLING, MODES };

static const char *const mode_names[] = { "sleeping", "ready", "cycling" };

struct crowd {
	struct setting *setting;
	enum mode mode;
	unsigned int count;
	unsigned int servers; /* 0: there are none */
	int fd;
};

struct member {
	struct crowd *crowd;
	unsigned int number; /* from 0 */
};

static void member_register(const struct member *member)
{
	const struct crowd *crowd = member->crowd;
	unsigned int number = member->number, server = 0;

	/* The first server is the worker's, where there is a worker. */
	if (crowd->servers)
		server = crowd->mode == CYCLING ? 1 + number % crowd->servers :
						  2 + number % (crowd->servers - 1);
	/* Explicit priorities end at 10000, and 1 is the worker's. */
	switch (crowd->mode) {
	case SLEEPING:
		policy_register(crowd->fd, FAR, FAR, FAR / 10 + number * 10000000ul, number + 2,
				server);
		break;
	case READY:
		policy_register(crowd->fd, FAR + FAR / 10, FAR + number * 10000000ul, 0, number + 2,
				server);
		break;
	default:
		policy_register(crowd->fd, crowd->count * (uint64_t)PERIOD, 0,
				number * (uint64_t)PERIOD, number + 1, server);
		break;
	}
}

static void *member_run(void *arg)
{
	struct member *member = arg;
	struct crowd *crowd = member->crowd;
	struct setting *setting = crowd->setting;
	struct call call = { .number = 0 };
	uint64_t out, in;
	uint32_t job;

	policy_call(&call, crowd->fd);
	member_register(member);
	setting->ready++;
	while (!policy_wait(&call, &out, &in)) {
		if (crowd->mode == READY) {
			if (!setting->stop)
				task_spin(setting);
			pause();
		}
		/* Jobs follow each other: it is the only one that runs. */
		job = setting->jobs;
		setting_job(setting, in);
		if (job >= JOBS_ALL) {
			setting->stop = true;
			pause();
		}
		setting->end[job] = stamp();
	}
	return NULL;
}

static pid_t crowd_start(struct crowd *crowd)
{
	struct member *members;
	pthread_attr_t attr;
	unsigned int i;
	pid_t pid;

	pid = (pid_t)must(fork(), "fork");
	if (pid)
		return pid;
	members = calloc(crowd->count, sizeof(*members));
	crowd->fd = (int)must(resch_open(), "opening /dev/resch");
	pthread_attr_init(&attr);
	pthread_attr_setguardsize(&attr, 0);
	if (!members || pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN))
		fail("no memory");
	for (i = 0; i < crowd->count; i++) {
		pthread_t thread;
		int err;

		members[i] = (struct member){ crowd, i };
		err = pthread_create(&thread, &attr, member_run, &members[i]);
		if (err)
			fail("thread %u of %u: %s", i, crowd->count, strerror(err));
	}
	for (;;)
		pause();
}

static void crowd_wait(const struct crowd *crowd)
{
	while (crowd->setting->ready < crowd->count)
		usleep(10000);
	usleep(100000);
	crowd->setting->ready = 0;
}

static void crowd_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void measure_crowd(const char *name, const char *mode_name, unsigned int count,
		   unsigned int servers)
{
	const struct policy *policy = policy_find(name);
	struct crowd crowd = { .mode = MODES, .servers = servers };
	struct setting *setting;
	unsigned int i;
	char what[200];
	pid_t pid;
	int size;

	for (i = 0; i < MODES; i++)
		if (!strcmp(mode_names[i], mode_name))
			crowd.mode = i;
	if (!policy || policy->kind != POLICY_RESCH || crowd.mode == MODES || count < 2)
		fail("no such crowd: %s %s %u", name, mode_name, count);
	if (policy->serves ? servers < 2 || servers > count : servers)
		fail("no such servers: %s, %u for %u tasks", name, servers, count);
	policy_prepare(policy);
	if (crowd.mode == CYCLING)
		policy_serve_alike(policy, servers, PERIOD);
	else
		policy_serve(policy, servers, PERIOD);
	setting =
		setting_create(policy, crowd.mode == READY ? policy : policy_find("other"), PERIOD);
	crowd.setting = setting;
	crowd.count = crowd.mode == CYCLING ? count : count - 1;
	pid = crowd_start(&crowd);
	crowd_wait(&crowd);

	setting->before = moment_now();
	if (crowd.mode != CYCLING)
		task_start(setting, task_worker);
	if (crowd.mode != READY)
		task_start(setting, task_spinner);
	setting_start(setting, crowd.mode == SLEEPING ? 2 : 1);
	task_wait(setting);
	setting->after = moment_now();
	crowd_end(pid);
	task_join();

	size = snprintf(what, sizeof(what), "\"policy\": \"%s\", \"crowd\": \"%s\", \"tasks\": %u",
			name, mode_name, count);
	if (servers)
		snprintf(what + size, sizeof(what) - (size_t)size, ", \"servers\": %u", servers);
	setting_print(setting, what);
	policy_finish(policy);
}

struct holder {
	int fd;
	unsigned int server;
};

static void *hold_one(void *arg)
{
	struct holder *holder = arg;
	struct call call;
	uint64_t out, in;

	policy_call(&call, holder->fd);
	policy_register(call.fd, FAR, FAR, 0, 1, holder->server);
	return (void *)policy_wait(&call, &out, &in);
}

static _Noreturn void hold(const struct policy *policy, unsigned int count)
{
	struct holder *holders = calloc(count, sizeof(*holders));
	int fd = (int)must(resch_open(), "opening /dev/resch");

	if (!holders)
		fail("no memory");
	while (count--) {
		pthread_t thread;

		holders[count] = (struct holder){ fd, policy->serves ? count + 1 : 0 };
		if (pthread_create(&thread, NULL, hold_one, &holders[count]))
			fail("no thread");
	}
	usleep(100000);
	puts("holding");
	fflush(stdout);
	for (;;)
		pause();
}

void measure_hold(const char *name, unsigned int count)
{
	const struct policy *policy = policy_find(name);
	sigset_t end;
	int signal;
	pid_t pid;

	if (!policy || policy->kind != POLICY_RESCH)
		fail("no such policy: %s", name);
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	sigprocmask(SIG_BLOCK, &end, NULL);
	policy_prepare(policy);
	policy_serve_alike(policy, count, PERIOD);
	pid = (pid_t)must(fork(), "fork");
	if (!pid)
		hold(policy, count);
	sigwait(&end, &signal);
	crowd_end(pid);
	policy_finish(policy);
}
