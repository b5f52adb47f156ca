// SPDX-License-Identifier: GPL-2.0
/*
 * steps.c - a random load whose events are far apart, so that their order does not depend on how
 * many instructions the module needs for them
 *
 * usage: steps SEED CPU TASKS MILLISECONDS PLUGIN [OPTIONS]
 *
 * Releases are whole milliseconds after time zero, which is one for all. Jobs execute for so many
 * milliseconds and a little, so they end between two of these. Most tasks are plain periodic ones.
 * Under the plugin server, tasks are in three servers of random kinds, whose budgets end between
 * whole milliseconds, too. Makes a domain of the CPU and removes it.
 */
#include <pthread.h>
#include <resch.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

#define TASKS_MAX 16
#define MS 1000000ULL
#define BIT 60000 /* what each job executes for beyond whole milliseconds, ns */
#define BUDGET_BIT 470000 /* likewise for budgets */
#define SERVERS 3

struct task {
	struct resch_register reg;
	pthread_t pthread;
	unsigned int seed;
	atomic_bool registered;
};

static struct task tasks[TASKS_MAX];
static int nr_tasks, fd;
static atomic_bool stop;

static unsigned int draw(unsigned int *seed, unsigned int below)
{
	return (unsigned int)rand_r(seed) % below;
}

static void *task_thread(void *argument)
{
	struct task *task = argument;
	unsigned int most = (unsigned int)(task->reg.params.wcet / MS) + 1;

	int result = resch_register_self(fd, &task->reg);

	if (result) {
		fprintf(stderr, "steps: cannot register: %s\n", strerror(-result));
		exit(1);
	}
	task->registered = true;
	while (!resch_wait(fd, NULL) && !stop)
		work(draw(&task->seed, most + !draw(&task->seed, 8)) * MS + BIT);
	resch_unregister(fd, 0);
	return NULL;
}

/* One in four has its budget enforced, one in four its deadline looked after. */
static void choose(struct resch_task_params *params, int cpu, unsigned int *seed)
{
	static const unsigned int periods[] = { 4, 5, 8, 10, 16, 20 };
	static const uint32_t reactions[] = { RESCH_NOTIFY, RESCH_SKIP, RESCH_THROTTLE,
					      RESCH_DEMOTE };

	params->kind = RESCH_PERIODIC;
	params->period = periods[draw(seed, 6)] * MS;
	params->deadline = (2 + draw(seed, 2 * (unsigned int)(params->period / MS))) * MS;
	params->wcet = draw(seed, 2) * MS + 2 * BIT;
	params->priority = 1 + draw(seed, 4);
	params->offset = draw(seed, 6) * MS;
	params->cpu = cpu;
	params->flags = RESCH_F_SYNC | RESCH_F_SKIP_ADMISSION;
	if (!draw(seed, 4))
		params->overrun = reactions[draw(seed, 4)];
	if (!draw(seed, 4))
		params->miss = reactions[draw(seed, 4)];
}

static int make_servers(uint32_t domain, int cpu, unsigned int *seed)
{
	static const uint32_t kinds[] = { RESCH_SERVER_CBS_HARD, RESCH_SERVER_CBS, RESCH_SERVER_CUS,
					  RESCH_SERVER_TBS };
	static const uint32_t policies[] = { RESCH_SERVER_EDF, RESCH_SERVER_EDF, RESCH_SERVER_FIFO,
					     RESCH_SERVER_DM };
	unsigned int first = draw(seed, 4);
	int i;

	for (i = 0; i < SERVERS; i++) {
		struct resch_server_set want = { .domain = domain };

		want.params.kind = kinds[(first + (unsigned int)i) % 4];
		want.params.policy = policies[draw(seed, 4)];
		want.params.period = (8 + draw(seed, 12)) * MS;
		want.params.budget = (1 + draw(seed, 2)) * MS + BUDGET_BIT;
		want.params.cpu = cpu;
		/* One that reclaims has its budget's end moved by all others. */
		if (want.params.kind <= RESCH_SERVER_CBS && !draw(seed, 4))
			want.params.flags = RESCH_SERVER_F_RECLAIM;
		if (resch_server_set(fd, &want)) {
			fprintf(stderr, "steps: no server %d\n", i + 1);
			return -1;
		}
		tasks[i].reg.params.group = want.id;
	}
	for (; i < nr_tasks; i++)
		tasks[i].reg.params.group = tasks[i % SERVERS].reg.params.group;
	return 0;
}

int main(int argc, char **argv)
{
	struct resch_domain_set domain = {};
	unsigned int seed, ms;
	int i, cpu;

	if (argc != 6 && argc != 7)
		return 2;
	seed = (unsigned int)atoi(argv[1]);
	cpu = atoi(argv[2]);
	nr_tasks = atoi(argv[3]);
	ms = (unsigned int)atoi(argv[4]);
	fd = resch_open();
	if (fd < 0 || nr_tasks < 1 || nr_tasks > TASKS_MAX)
		return 2;
	resch_cpus_add(&domain.cpus, (unsigned int)cpu);
	strncpy(domain.plugin, argv[5], sizeof(domain.plugin) - 1);
	if (argc == 7)
		strncpy(domain.options, argv[6], sizeof(domain.options) - 1);
	if (resch_domain_set(fd, &domain)) {
		fprintf(stderr, "steps: no domain under %s\n", argv[5]);
		return 1;
	}
	if (!strcmp(argv[5], "server") && make_servers(domain.domain, cpu, &seed))
		return 1;
	for (i = 0; i < nr_tasks; i++) {
		choose(&tasks[i].reg.params, cpu, &seed);
		snprintf(tasks[i].reg.params.name, sizeof(tasks[i].reg.params.name), "s%d", i);
		tasks[i].seed = (unsigned int)rand_r(&seed);
		if (pthread_create(&tasks[i].pthread, NULL, task_thread, &tasks[i]))
			return 1;
		while (!tasks[i].registered) /* ids in the order of numbers */
			usleep(1000);
	}
	usleep(20000); /* all wait for time zero */
	if (resch_start(fd, domain.domain, resch_now() + 20 * MS) != nr_tasks)
		return 1;
	usleep((ms + 20) * 1000 + 500);
	stop = true;
	for (i = 0; i < nr_tasks; i++)
		pthread_join(tasks[i].pthread, NULL);
	return resch_domain_del(fd, domain.domain) ? 1 : 0;
}
