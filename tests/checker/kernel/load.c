// SPDX-License-Identifier: GPL-2.0
/*
 * load.c - a random load of real threads: each kind of task, each reaction, blocking in each way,
 * signals within jobs and between them, and plugins that change
 *
 * usage: load SEED CPU TASKS MILLISECONDS [servers]
 *
 * With servers the tasks are spread over a few of them, which the plugins edf and server then run.
 *
 * What they do is random, and so that many jobs overrun and miss; whether the schedule was legal
 * all the same is for resch-check to say. Makes a domain of the CPU and removes it.
 */
#include <signal.h>
#include <time.h>

#include "tasks.h"

static unsigned int nr_servers; /* 0: none are wanted */
static __thread struct task *self;

static void pipe_a_byte(void)
{
	char byte = 'x';
	int ends[2];

	if (pipe(ends))
		return;
	if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
		fprintf(stderr, "load: a pipe lost a byte\n");
	close(ends[0]);
	close(ends[1]);
}

/* One in eight jobs overruns; half of them do something in the middle. */
static void job(struct task *task)
{
	unsigned int wcet = (unsigned int)task->reg.params.wcet;
	uint64_t exec = wcet / 4 + draw(&task->seed, wcet / 2);

	if (!draw(&task->seed, 8))
		exec = wcet + draw(&task->seed, 2 * wcet);
	work(exec / 2);
	switch (draw(&task->seed, 6)) {
	case 0:
		usleep(200 + draw(&task->seed, 3000));
		break;
	case 1:
		resch_delay(fd, resch_now() + MS / 5 + draw(&task->seed, 3 * MS));
		break;
	case 2:
		pipe_a_byte();
		break;
	}
	work(exec / 2);
}

/* One in eight jobs changes how far ahead of its releases its task is woken. */
static void lead(struct task *task)
{
	uint64_t ns = draw(&task->seed, 4) ? draw(&task->seed, 900) * 1000 : 0;

	if (nr_servers || task->reg.params.kind != RESCH_PERIODIC || draw(&task->seed, 8))
		return;
	complain("a lead", resch_lead_set(fd, 0, ns, NULL));
}

/* One in four handlers may execute for more than a job. */
static void handler(int signal)
{
	unsigned int wcet = (unsigned int)self->reg.params.wcet;

	(void)signal;
	work(draw(&self->seed, draw(&self->seed, 4) ? wcet / 4 : 2 * wcet));
}

/* From here on the thread gets signals, every other one often enough for several in a period. */
static int get_signals(struct task *task, timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	uint64_t often = (draw(&task->seed, 2) ? 3 : 40) * MS + draw(&task->seed, MS);
	struct itimerspec every = { { .tv_nsec = (long)often }, { .tv_nsec = (long)often } };

	self = task;
	event._sigev_un._tid = gettid();
	if (sigaction(SIGUSR1, &action, NULL) || timer_create(CLOCK_MONOTONIC, &event, timer) ||
	    timer_settime(*timer, 0, &every, NULL))
		return complain("no timer", -errno);
	return 0;
}

static void *waiting_task(void *argument)
{
	struct task *task = argument;
	timer_t timer;
	int result;

	if (enter(task) || get_signals(task, &timer))
		return NULL;
	while (!stop) {
		lead(task);
		result = resch_wait(fd, NULL);
		if (result && result != -EINTR)
			break;
		if (!result)
			job(task);
	}
	timer_delete(timer);
	return NULL;
}

static void *sleeping_task(void *argument)
{
	struct task *task = argument;

	if (enter(task))
		return NULL;
	while (!stop) {
		usleep(1000 + draw(&task->seed, 9000));
		work(draw(&task->seed, 2 * (unsigned int)task->reg.params.wcet));
	}
	return NULL;
}

/* Asks for jobs of the sporadic tasks, some too early. */
static void *asking_thread(void *unused)
{
	unsigned int seed = 1;
	int i;

	while (!stop) {
		usleep(1000 + draw(&seed, 20000));
		for (i = 0; i < nr_tasks; i++) {
			if (tasks[i].id && tasks[i].reg.params.kind == RESCH_SPORADIC)
				resch_release(fd, tasks[i].id);
		}
	}
	return unused;
}

static void choose(struct resch_task_params *params, int number, int cpu, unsigned int *seed)
{
	static const unsigned int periods[] = { 5, 7, 10, 13, 20, 30, 50 };
	static const uint32_t reactions[] = { RESCH_COUNT, RESCH_NOTIFY, RESCH_SKIP, RESCH_THROTTLE,
					      RESCH_DEMOTE };
	static const uint32_t kinds[] = { RESCH_PERIODIC, RESCH_PERIODIC, RESCH_SPORADIC,
					  RESCH_WAKEUP };

	params->period = periods[draw(seed, 7)] * MS;
	params->wcet = params->period / (unsigned int)nr_tasks * (6 + draw(seed, 4)) / 10;
	params->deadline = params->period;
	if (!draw(seed, 3))
		params->deadline = params->period * (1 + draw(seed, 2)) - params->period / 4;
	if (params->deadline < params->wcet)
		params->deadline = params->wcet;
	params->kind = kinds[draw(seed, 4)];
	params->overrun = reactions[draw(seed, 5)];
	params->miss = reactions[draw(seed, 5)];
	params->priority = 1 + draw(seed, 20);
	params->cpu = cpu;
	if (nr_servers)
		params->group = 1 + (uint32_t)number % nr_servers;
	params->flags = RESCH_F_SKIP_ADMISSION;
	params->offset = draw(seed, 5) * MS;
	snprintf(params->name, sizeof(params->name), "t%d", number);
}

/* As many as fill most of the CPU. */
static int make_servers(uint32_t domain, int cpu, unsigned int *seed)
{
	static const unsigned int periods[] = { 4, 7, 10, 15, 24 };
	unsigned int i;
	int result;

	nr_servers = 2 + draw(seed, 3);
	for (i = 0; i < nr_servers; i++) {
		struct resch_server_set want = { .domain = domain };
		struct resch_server_params *params = &want.params;

		params->kind = draw(seed, 4);
		params->policy = draw(seed, 6);
		if (params->kind <= RESCH_SERVER_CBS && draw(seed, 2))
			params->flags = RESCH_SERVER_F_RECLAIM;
		params->period = periods[draw(seed, 5)] * MS;
		params->budget = params->period * (60 + draw(seed, 34)) / 100 / nr_servers;
		if (params->policy == RESCH_SERVER_RR)
			params->quantum = MS / 5 + draw(seed, MS);
		params->cpu = cpu;
		result = resch_server_set(fd, &want);
		if (result || want.id != i + 1) {
			fprintf(stderr, "load: server %u: %s\n", i + 1, strerror(-result));
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const plain[] = { "edf", "fp", "fifo" };
	static const char *const serving[] = { "server", "server", "edf" };
	const char *const *plugins = plain;
	struct resch_domain_set domain = {};
	unsigned int seed, ms;
	pthread_t asking;
	int i, cpu, result;

	if (argc != 5 && (argc != 6 || strcmp(argv[5], "servers"))) {
		fprintf(stderr, "usage: load SEED CPU TASKS MILLISECONDS [servers]\n");
		return 2;
	}
	seed = (unsigned int)atoi(argv[1]);
	cpu = atoi(argv[2]);
	nr_tasks = atoi(argv[3]);
	ms = (unsigned int)atoi(argv[4]);
	if (nr_tasks < 1 || nr_tasks > TASKS_MAX)
		return 2;
	if (argc == 6)
		plugins = serving;
	if (make_domain(&domain, cpu, plugins[argc == 6 ? 0 : draw(&seed, 3)]))
		return 1;
	if (argc == 6 && make_servers(domain.domain, cpu, &seed))
		return 1;

	for (i = 0; i < nr_tasks; i++) {
		struct resch_task_params *params = &tasks[i].reg.params;

		choose(params, i, cpu, &seed);
		tasks[i].seed = (unsigned int)rand_r(&seed);
		result = pthread_create(&tasks[i].pthread, NULL,
					params->kind == RESCH_WAKEUP ? sleeping_task : waiting_task,
					&tasks[i]);
		if (result)
			return 1;
	}
	if (pthread_create(&asking, NULL, asking_thread, NULL))
		return 1;
	for (i = 0; i < SWAPS; i++) {
		usleep(ms * 1000 / SWAPS);
		if (set_plugin(&domain, plugins[draw(&seed, 3)]))
			return 1;
	}
	end_tasks();
	pthread_join(asking, NULL);
	return complain("cannot remove the domain", resch_domain_del(fd, domain.domain)) ? 1 : 0;
}
