// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_jobs - applications: servers, tasks, the start, the end, on a device that the test
 * plays
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "resch-server.h"

#define FD 77
#define TASKS 8

/* ---- the device ------------------------------------------------------------------------------ */

struct played {
	pthread_t thread;
	enum resch_state state;
	struct resch_register reg;
	uint64_t job;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct played task[TASKS];
	uint32_t tasks;
	bool server; /* it stands */
	uint32_t started; /* calls */
	uint64_t zero;
	uint64_t wcet_max;
	int hold; /* nobody is given a job from this number on */
} world = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static struct played *find(uint32_t id)
{
	uint32_t i;

	if (id)
		return id <= world.tasks ? &world.task[id - 1] : NULL;
	for (i = world.tasks; i; i--)
		if (pthread_equal(world.task[i - 1].thread, pthread_self()))
			return &world.task[i - 1];
	return NULL;
}

static int play_register(struct resch_register *reg)
{
	struct played *task;

	if (reg->params.wcet > world.wcet_max) {
		reg->verdict.bound = RESCH_BOUND_UTILIZATION;
		return -EBUSY;
	}
	task = &world.task[world.tasks++];
	*task = (struct played){ .thread = pthread_self() };
	reg->id = world.tasks;
	reg->cpu = 3;
	task->reg = *reg;
	return 0;
}

static int play_wait(struct resch_wait *job)
{
	struct played *task = find(0);

	if (!task || task->state == RESCH_STATE_GONE)
		return -ENOENT;
	task->state = RESCH_STATE_SLEEPING;
	while (task->state != RESCH_STATE_GONE &&
	       (!world.zero || (world.hold && task->job + 1 >= (uint64_t)world.hold)))
		pthread_cond_wait(&world.changed, &world.lock);
	if (task->state == RESCH_STATE_GONE)
		return -ECANCELED;
	task->state = RESCH_STATE_SELECTED;
	task->job++;
	job->job = task->job;
	job->release =
		world.zero + task->reg.params.offset + (task->job - 1) * task->reg.params.period;
	job->deadline = job->release + task->reg.params.period;
	return 0;
}

static int play_start(struct resch_start *start)
{
	uint32_t i;

	if (start->time == 1)
		return -ETIME;
	world.started++;
	world.zero = start->time ? start->time : 1000;
	for (i = 0; i < world.tasks; i++)
		start->waiting += world.task[i].state == RESCH_STATE_SLEEPING &&
				  world.task[i].reg.params.group == start->group;
	return 0;
}

static int play_unregister(const struct resch_target *target)
{
	struct played *task = find(target->id);

	if (!task || task->state == RESCH_STATE_GONE)
		return -ENOENT;
	task->state = RESCH_STATE_GONE;
	return 0;
}

static int play_stat(struct resch_task_stat *stat)
{
	struct played *task = find(stat->id);

	if (!task)
		return -ENOENT;
	stat->state = task->state;
	return 0;
}

static int play_server(struct resch_server_set *want)
{
	if (want->params.budget > want->params.period)
		return -EINVAL;
	world.server = true;
	want->id = 9;
	return 0;
}

static int play(unsigned long request, void *argument)
{
	switch (request) {
	case RESCH_IOC_SERVER_SET:
		return play_server(argument);
	case RESCH_IOC_SERVER_DEL:
		if (!world.server)
			return -ENOENT;
		world.server = false;
		return 0;
	case RESCH_IOC_REGISTER:
		return play_register(argument);
	case RESCH_IOC_UNREGISTER:
		return play_unregister(argument);
	case RESCH_IOC_WAIT:
		return play_wait(argument);
	case RESCH_IOC_START:
		return play_start(argument);
	case RESCH_IOC_TASK_STAT:
		return play_stat(argument);
	default:
		return -ENOTTY;
	}
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list arguments;
	int error;

	va_start(arguments, request);
	pthread_mutex_lock(&world.lock);
	error = fd == FD ? -play(request, va_arg(arguments, void *)) : EBADF;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.lock);
	va_end(arguments);
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static struct resch_jobs *jobs;

static int fresh(void **state)
{
	struct resch_server_set want = { .domain = 4, .params = { .budget = 10, .period = 20 } };

	world.tasks = world.started = 0;
	world.zero = 0;
	world.hold = 0;
	world.wcet_max = 100;
	assert_int_equal(resch_jobs_new(FD, &want, &jobs), 0);
	assert_int_equal(want.id, 9);
	return 0;
}

static void let(int hold)
{
	pthread_mutex_lock(&world.lock);
	world.hold = hold;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.lock);
}

struct seen {
	uint64_t jobs, first, last;
	int end;
};

static void body(struct resch_job *job, void *data)
{
	struct seen *seen = data;

	seen->first = resch_job_current(job)->release;
	do {
		__atomic_fetch_add(&seen->jobs, 1, __ATOMIC_RELAXED);
		seen->last = resch_job_current(job)->job;
		seen->end = resch_job_next(job);
	} while (seen->end == 1);
}

static struct resch_register reg_of(uint64_t wcet, uint64_t offset)
{
	struct resch_register reg = {
		.params = { .period = 50, .wcet = wcet, .offset = offset, .kind = RESCH_WAKEUP }
	};

	return reg;
}

/* So many jobs, from one time zero on. */
static void counts(void **state)
{
	struct resch_register one = reg_of(1, 0), two = reg_of(2, 7);
	struct seen seen[2] = { 0 };

	fresh(state);
	assert_int_equal(resch_jobs_add(jobs, &one, 3, body, &seen[0]), 0);
	assert_int_equal(resch_jobs_add(jobs, &two, 5, body, &seen[1]), 0);
	assert_int_equal(world.task[0].reg.params.group, 9);
	assert_int_equal(world.task[0].reg.params.cpu, -1);
	assert_int_equal(world.task[0].reg.params.kind, RESCH_PERIODIC);
	assert_int_equal(world.task[0].reg.params.flags, RESCH_F_SYNC);
	assert_int_equal(world.task[0].reg.domain, 4);
	assert_int_equal(one.id, 1);
	assert_int_equal(two.cpu, 3);
	assert_int_equal(resch_jobs_start(jobs, 1), -ETIME);
	assert_int_equal(resch_jobs_start(jobs, 500), 2);
	resch_jobs_join(jobs);
	assert_int_equal(seen[0].jobs, 3);
	assert_int_equal(seen[0].first, 500);
	assert_int_equal(seen[0].end, 0);
	assert_int_equal(seen[1].jobs, 5);
	assert_int_equal(seen[1].first, 507);
	assert_int_equal(seen[1].last, 5);
	assert_int_equal(world.task[1].state, RESCH_STATE_GONE);
	assert_int_equal(resch_jobs_free(jobs), 0);
	assert_false(world.server);
}

/* What is refused leaves nothing behind; the server that was asked for may be refused, too. */
static void refused(void **state)
{
	struct resch_server_set want = { .params = { .budget = 3, .period = 2 } };
	struct resch_register reg = reg_of(101, 0);
	struct resch_jobs *none = NULL;
	struct seen seen = { 0 };

	assert_int_equal(resch_jobs_new(FD, &want, &none), -EINVAL);
	assert_null(none);
	fresh(state);
	assert_int_equal(resch_jobs_add(jobs, &reg, 0, body, &seen), -EBUSY);
	assert_int_equal(reg.verdict.bound, RESCH_BOUND_UTILIZATION);
	assert_int_equal(resch_jobs_start(jobs, 500), 0);
	assert_int_equal(resch_jobs_free(jobs), 0);
	assert_int_equal(seen.jobs, 0);
}

/* Tasks without an end are stopped where they wait, before the start and after it. */
static void stops(void **state)
{
	struct resch_register reg = reg_of(1, 0);
	struct seen seen[3] = { 0 };

	fresh(state);
	assert_int_equal(resch_jobs_add(jobs, &reg, 0, body, &seen[0]), 0);
	assert_int_equal(resch_jobs_free(jobs), 0);
	assert_int_equal(seen[0].jobs, 0);
	fresh(state);
	let(4);
	assert_int_equal(resch_jobs_add(jobs, &reg, 0, body, &seen[1]), 0);
	assert_int_equal(resch_jobs_add(jobs, &reg, 0, body, &seen[2]), 0);
	assert_int_equal(resch_jobs_start(jobs, 0), 2);
	while (__atomic_load_n(&seen[1].jobs, __ATOMIC_RELAXED) < 3)
		usleep(100);
	resch_jobs_stop(jobs);
	resch_jobs_join(jobs);
	assert_int_equal(seen[1].jobs, 3);
	assert_int_equal(seen[1].end, 0);
	assert_int_equal(seen[2].end, 0);
	assert_int_equal(resch_jobs_free(jobs), 0);
}

static void *enters(void *argument)
{
	struct resch_register reg = reg_of(1, 3);
	struct seen *seen = argument;
	struct resch_job *job;

	reg.params.kind = RESCH_PERIODIC;
	assert_int_equal(resch_jobs_enter(jobs, &reg, 2, &job), 0);
	__atomic_store_n(&seen->end, 1, __ATOMIC_RELEASE);
	while (resch_job_next(job) == 1)
		seen->jobs++;
	seen->last = resch_job_current(job)->release;
	resch_job_leave(job);
	return NULL;
}

/* A thread of the program's own is a task like the others. */
static void entered(void **state)
{
	struct resch_register reg = reg_of(1, 0);
	struct resch_job *none = NULL, *stays;
	struct seen seen = { 0 };
	pthread_t thread;

	fresh(state);
	assert_int_equal(resch_jobs_enter(jobs, &reg, 0, &none), -EINVAL);
	assert_int_equal(pthread_create(&thread, NULL, enters, &seen), 0);
	while (!__atomic_load_n(&seen.end, __ATOMIC_ACQUIRE))
		usleep(100);
	assert_int_equal(resch_jobs_start(jobs, 600), 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(seen.jobs, 2);
	assert_int_equal(seen.last, 653);
	/* It is in until it leaves. A sporadic one does not wait for the start. */
	reg.params.kind = RESCH_SPORADIC;
	assert_int_equal(resch_jobs_enter(jobs, &reg, 0, &stays), 0);
	assert_int_equal(world.task[1].reg.params.flags, 0);
	assert_int_equal(resch_jobs_start(jobs, 600), 0);
	assert_int_equal(resch_jobs_free(jobs), -EBUSY);
	resch_job_leave(stays);
	assert_int_equal(resch_jobs_free(jobs), 0);
}

/* A thread that has entered and never waits keeps the start waiting, but not for ever. */
static void late(void **state)
{
	struct resch_register reg = reg_of(1, 0);
	struct resch_job *job;

	fresh(state);
	reg.params.kind = RESCH_PERIODIC;
	assert_int_equal(resch_jobs_enter(jobs, &reg, 0, &job), 0);
	assert_int_equal(resch_jobs_start(jobs, 600), -EAGAIN);
	assert_int_equal(world.started, 0);
	/* Somebody ends the registration. */
	assert_int_equal(resch_unregister(FD, reg.id), 0);
	assert_int_equal(resch_job_next(job), -ENOENT);
	resch_job_leave(job);
	assert_int_equal(resch_jobs_free(jobs), 0);
}

/*
 * Without a server: the tasks are the domain's own, with the CPU and the group that they ask for.
 */
static void plain(void **state)
{
	struct resch_server_set want = { .domain = 4 };
	struct resch_register reg = reg_of(1, 7);
	struct resch_jobs *none = NULL;
	struct seen seen = { 0 };

	fresh(state);
	assert_int_equal(resch_jobs_free(jobs), 0);
	assert_int_equal(resch_jobs_new(FD, &want, &jobs), 0);
	assert_int_equal(want.id, 0);
	assert_false(world.server);
	reg.params.cpu = 2;
	reg.params.group = 0;
	assert_int_equal(resch_jobs_add(jobs, &reg, 4, body, &seen), 0);
	assert_int_equal(world.task[0].reg.domain, 4);
	assert_int_equal(world.task[0].reg.params.cpu, 2);
	assert_int_equal(world.task[0].reg.params.kind, RESCH_PERIODIC);
	assert_int_equal(world.task[0].reg.params.flags, RESCH_F_SYNC);
	assert_int_equal(resch_jobs_start(jobs, 500), 1);
	resch_jobs_join(jobs);
	assert_int_equal(seen.jobs, 4);
	assert_int_equal(seen.first, 507);
	/* There is no server to remove: the device would say so. */
	assert_int_equal(resch_jobs_free(jobs), 0);
	want.domain = 0;
	assert_int_equal(resch_jobs_new(FD, &want, &none), -ENODEV);
	assert_null(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),  cmocka_unit_test(refused), cmocka_unit_test(stops),
		cmocka_unit_test(entered), cmocka_unit_test(late),    cmocka_unit_test(plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
