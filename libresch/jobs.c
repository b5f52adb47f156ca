// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * jobs.c - applications: periodic jobs, each a function, in a server or in a domain as it is
 *
 * After Shih, Qian, Jonnalagadda, Liu, Li, Open Real-Time Linux, section 5: the server is made,
 * jobs are added, all start together, and at its end each job asks for the next.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "request.h"
#include "resch-server.h"

/* How often those who should be waiting are looked at, and for how long. */
#define LOOK_US 1000
#define LOOKS_MAX 1000

/*
 * lock protects: list, job->next; job->id, job->result and job->known until job->known is set,
 * after which they stay as they are. Only the task's own thread touches now, done and count.
 */
struct resch_jobs {
	int fd;
	uint32_t domain;
	uint32_t server; /* 0: none, tasks are the domain's own */
	pthread_mutex_t lock;
	pthread_cond_t known;
	struct resch_job *list;
	bool stop; /* atomic */
};

struct resch_job {
	struct resch_jobs *jobs;
	struct resch_job *next;
	struct resch_register *reg; /* the caller's, while it waits for @known */
	resch_job_function function; /* NULL: the thread has entered by itself */
	void *data;
	pthread_t thread;
	bool known; /* registered, or refused */
	int result;
	uint32_t id;
	bool sync; /* waits for the start */
	uint64_t count; /* of jobs; 0: no end */
	uint64_t done;
	struct resch_wait now;
};

static bool stopped(const struct resch_jobs *jobs)
{
	return __atomic_load_n(&jobs->stop, __ATOMIC_ACQUIRE);
}

/* ---- the application ------------------------------------------------------------------------- */

int resch_jobs_new(int fd, struct resch_server_set *want, struct resch_jobs **jobs)
{
	struct resch_jobs *made = calloc(1, sizeof(*made));
	int result = 0;

	if (!made)
		return -ENOMEM;
	want->id = 0;
	if (want->params.budget || want->params.period)
		result = resch_server_set(fd, want);
	else if (!want->domain)
		result = -ENODEV;
	if (result) {
		free(made);
		return result;
	}
	made->fd = fd;
	made->domain = want->domain;
	made->server = want->id;
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->known, NULL);
	*jobs = made;
	return 0;
}

static struct resch_job *job_new(struct resch_jobs *jobs, uint64_t count)
{
	struct resch_job *job = calloc(1, sizeof(*job));

	if (job) {
		job->jobs = jobs;
		job->count = count;
	}
	return job;
}

static void job_link(struct resch_job *job)
{
	struct resch_jobs *jobs = job->jobs;

	pthread_mutex_lock(&jobs->lock);
	job->next = jobs->list;
	jobs->list = job;
	pthread_mutex_unlock(&jobs->lock);
}

static void job_unlink(struct resch_job *job)
{
	struct resch_jobs *jobs = job->jobs;
	struct resch_job **link = &jobs->list;

	pthread_mutex_lock(&jobs->lock);
	while (*link != job)
		link = &(*link)->next;
	*link = job->next;
	pthread_mutex_unlock(&jobs->lock);
}

/* What the application decides about its tasks. */
static void job_fill(const struct resch_jobs *jobs, struct resch_register *reg)
{
	reg->domain = jobs->domain;
	if (jobs->server) {
		reg->params.group = jobs->server;
		reg->params.cpu = -1;
	}
	if (reg->params.kind == RESCH_PERIODIC)
		reg->params.flags |= RESCH_F_SYNC;
}

/* By the thread itself. */
static int job_register(struct resch_job *job, struct resch_register *reg)
{
	struct resch_jobs *jobs = job->jobs;
	int result;

	job_fill(jobs, reg);
	result = resch_register_self(jobs->fd, reg);
	pthread_mutex_lock(&jobs->lock);
	job->id = reg->id;
	job->sync = reg->params.flags & RESCH_F_SYNC;
	job->result = result;
	job->known = true;
	pthread_cond_broadcast(&jobs->known);
	pthread_mutex_unlock(&jobs->lock);
	return result;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void *job_main(void *argument)
{
	struct resch_job *job = argument;

	/* After this @job->reg is the caller's again. */
	if (job_register(job, job->reg))
		return NULL;
	if (resch_job_next(job) == 1)
		job->function(job, job->data);
	resch_unregister(job->jobs->fd, 0);
	return NULL;
}

int resch_jobs_add(struct resch_jobs *jobs, struct resch_register *reg, uint64_t count,
		   resch_job_function function, void *data)
{
	struct resch_job *job = job_new(jobs, count);
	int result;

	if (!job)
		return -ENOMEM;
	reg->params.kind = RESCH_PERIODIC;
	job->reg = reg;
	job->function = function;
	job->data = data;
	result = pthread_create(&job->thread, NULL, job_main, job);
	if (result) {
		free(job);
		return -result;
	}
	pthread_mutex_lock(&jobs->lock);
	while (!job->known)
		pthread_cond_wait(&jobs->known, &jobs->lock);
	result = job->result;
	pthread_mutex_unlock(&jobs->lock);
	if (result) {
		pthread_join(job->thread, NULL);
		free(job);
		return result;
	}
	job_link(job);
	return 0;
}

int resch_jobs_enter(struct resch_jobs *jobs, struct resch_register *reg, uint64_t count,
		     struct resch_job **job)
{
	struct resch_job *own;
	int result;

	if (reg->params.kind == RESCH_WAKEUP)
		return -EINVAL;
	own = job_new(jobs, count);
	if (!own)
		return -ENOMEM;
	result = job_register(own, reg);
	if (result) {
		free(own);
		return result;
	}
	job_link(own);
	*job = own;
	return 0;
}

void resch_job_leave(struct resch_job *job)
{
	resch_unregister(job->jobs->fd, 0);
	job_unlink(job);
	free(job);
}

int resch_job_next(struct resch_job *job)
{
	struct resch_jobs *jobs = job->jobs;
	int result;

	if (stopped(jobs) || (job->count && job->done >= job->count))
		return 0;
	do
		result = resch_wait(jobs->fd, &job->now);
	while (result == -EINTR && !stopped(jobs));
	if (stopped(jobs))
		return 0;
	if (result)
		return result;
	job->done++;
	return 1;
}

const struct resch_wait *resch_job_current(const struct resch_job *job)
{
	return &job->now;
}

/* ---- together -------------------------------------------------------------------------------- */

/* Has it not come to wait for the start yet? */
static bool on_its_way(const struct resch_jobs *jobs, const struct resch_job *job)
{
	struct resch_task_stat stat;

	return job->sync && !resch_task_stat(jobs->fd, job->id, &stat) &&
	       stat.state == RESCH_STATE_NEW;
}

static bool all_wait(struct resch_jobs *jobs)
{
	struct resch_job *job;
	bool all = true;

	pthread_mutex_lock(&jobs->lock);
	for (job = jobs->list; job && all; job = job->next)
		all = !on_its_way(jobs, job);
	pthread_mutex_unlock(&jobs->lock);
	return all;
}

int resch_jobs_start(struct resch_jobs *jobs, uint64_t time)
{
	int looks;

	for (looks = 0; !all_wait(jobs); looks++) {
		if (looks == LOOKS_MAX)
			return -EAGAIN;
		usleep(LOOK_US);
	}
	return resch_start_group(jobs->fd, jobs->domain, jobs->server, time);
}

void resch_jobs_stop(struct resch_jobs *jobs)
{
	struct resch_job *job;

	__atomic_store_n(&jobs->stop, true, __ATOMIC_RELEASE);
	pthread_mutex_lock(&jobs->lock);
	for (job = jobs->list; job; job = job->next) {
		struct resch_task_stat stat;

		/*
		 * Those that wait are woken by losing their registration; should a release come
		 * just before, the others find the mark when they return.
		 */
		if (!resch_task_stat(jobs->fd, job->id, &stat) &&
		    (stat.state == RESCH_STATE_SLEEPING || stat.state == RESCH_STATE_NEW))
			resch_unregister(jobs->fd, job->id);
	}
	pthread_mutex_unlock(&jobs->lock);
}

/* The first task with a thread of ours, taken off the list. */
static struct resch_job *take_added(struct resch_jobs *jobs)
{
	struct resch_job **link, *job = NULL;

	pthread_mutex_lock(&jobs->lock);
	for (link = &jobs->list; *link; link = &(*link)->next)
		if ((*link)->function)
			break;
	if (*link) {
		job = *link;
		pthread_mutex_unlock(&jobs->lock);
		/* It stays on the list meanwhile: resch_jobs_stop() has to find it. */
		pthread_join(job->thread, NULL);
		job_unlink(job);
		return job;
	}
	pthread_mutex_unlock(&jobs->lock);
	return NULL;
}

void resch_jobs_join(struct resch_jobs *jobs)
{
	struct resch_job *job;

	while ((job = take_added(jobs)))
		free(job);
}

int resch_jobs_free(struct resch_jobs *jobs)
{
	bool entered;
	int result;

	resch_jobs_stop(jobs);
	resch_jobs_join(jobs);
	pthread_mutex_lock(&jobs->lock);
	entered = jobs->list;
	pthread_mutex_unlock(&jobs->lock);
	if (entered)
		return -EBUSY;
	result = jobs->server ? resch_server_del(jobs->fd, jobs->domain, jobs->server) : 0;
	pthread_cond_destroy(&jobs->known);
	pthread_mutex_destroy(&jobs->lock);
	free(jobs);
	return result;
}
