/* SPDX-License-Identifier: GPL-2.0 */
/* tasks.h - what random loads have in common: threads that are tasks of one domain */
#ifndef _RESCH_CHECKER_TASKS_H
#define _RESCH_CHECKER_TASKS_H

#include <errno.h>
#include <pthread.h>
#include <resch.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define TASKS_MAX 64
#define MS 1000000ULL
#define SWAPS 6

struct task {
	struct resch_register reg;
	pthread_t pthread;
	unsigned int seed;
	atomic_uint id; /* 0: not registered yet */
};

static struct task tasks[TASKS_MAX];
static int nr_tasks, fd;
static atomic_bool stop;

static inline unsigned int draw(unsigned int *seed, unsigned int below)
{
	return (unsigned int)rand_r(seed) % below;
}

static inline int complain(const char *what, int result)
{
	if (result)
		fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
			strerror(-result));
	return result;
}

static inline int enter(struct task *task)
{
	int result = complain("cannot register", resch_register_self(fd, &task->reg));

	if (!result)
		task->id = task->reg.id;
	return result;
}

static inline int set_plugin(struct resch_domain_set *domain, const char *name)
{
	memset(domain->plugin, 0, sizeof(domain->plugin));
	strncpy(domain->plugin, name, sizeof(domain->plugin) - 1);
	return complain(name, resch_domain_set(fd, domain));
}

/* The domain of a CPU. */
static inline int make_domain(struct resch_domain_set *domain, int cpu, const char *plugin)
{
	int result;

	fd = resch_open();
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", program_invocation_short_name, resch_open_reason(fd));
		return fd;
	}
	resch_cpus_add(&domain->cpus, (unsigned int)cpu);
	result = set_plugin(domain, plugin);
	memset(&domain->cpus, 0, sizeof(domain->cpus));
	return result;
}

/* Those that wait for what nobody does any more are let go. */
static inline void end_tasks(void)
{
	int i;

	stop = true;
	usleep(100000);
	for (i = 0; i < nr_tasks; i++) {
		if (tasks[i].id)
			resch_unregister(fd, tasks[i].id);
	}
	for (i = 0; i < nr_tasks; i++)
		pthread_join(tasks[i].pthread, NULL);
}

#endif /* _RESCH_CHECKER_TASKS_H */
