/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/*
 * resch-oris.h - the paper's names: the application interface of ORiS Linux
 *
 * C.-S. Shih and others, ORiS: Open Real-Time Linux, section 5.1 and figure 7, as inline functions
 * over the jobs of resch-server.h, so that a program of the paper can be typed in (the example
 * oris.c is figure 7). New programs are better off with resch_jobs_new() and its like: they say why
 * something is refused, and have times in ns.
 *
 * What differs from the paper: a tick is a constant of this header, not the kernel's; a server
 * replenishes once a tick; RT_start_job() waits until all tasks wait for their first release;
 * RT_clone(), which a program never calls, has no counterpart.
 *
 * To be included by one source file of a program, whose servers are kept there; RT_init_server(),
 * RT_add_job() and RT_start_job() by one thread at a time.
 */
#ifndef _RESCH_ORIS_H
#define _RESCH_ORIS_H

#include <errno.h>
#include <resch-server.h>
#include <stdlib.h>
#include <string.h>

#define RESCH_ORIS_TICK 10000000ULL /* ns; period, executionTime and the like count these */
#define RESCH_ORIS_UNIT 10000 /* the size of a whole CPU */
#define RESCH_ORIS_SERVERS 16 /* of a process */

enum resch_oris_type {
	ConstantUtilizationServer = RESCH_SERVER_CUS,
	TotalBandwidthServer = RESCH_SERVER_TBS,
};

enum resch_oris_algorithm {
	EarliestDeadlineFirst = RESCH_SERVER_EDF,
	DeadlineMonotonic = RESCH_SERVER_DM,
	RateMonotonic = RESCH_SERVER_RM,
	FirstComeFirstServed = RESCH_SERVER_FIFO,
};

/**
 * KSERVER - an application that asks to be admitted
 * @type:      enum resch_oris_type
 * @algorithm: enum resch_oris_algorithm
 * @size:      its required capacity, 1 to RESCH_ORIS_UNIT - 1
 */
typedef struct {
	int type;
	int algorithm;
	int size;
} KSERVER;

/**
 * KRRTASK - a periodic task; times are ticks
 * @id:               of RT_init_server()
 * @period:           1 at least
 * @executionTime:    of a job, at most; 1 at least
 * @readyTime:        of the first release, after the start
 * @relativeDeadline: 0: the period; at most the period
 * @totalInstance:    so many jobs; 0: no end
 */
typedef struct {
	int id;
	unsigned int period;
	unsigned int executionTime;
	unsigned int readyTime;
	unsigned int relativeDeadline;
	unsigned int totalInstance;
} KRRTASK, *PKRRTASK;

/* What RT_add_job() hands to the new thread. */
struct resch_oris_call {
	void (*function)(void *data);
	void *data;
};

static struct resch_jobs *resch_oris_servers[RESCH_ORIS_SERVERS];
static __thread struct resch_job *resch_oris_job;

/* Return: as the paper's functions do: 0, or -1 with errno */
static inline int resch_oris_result(int result)
{
	if (result >= 0)
		return 0;
	errno = -result;
	return -1;
}

/* The device, opened once and open as long as the process, or -1. */
static inline int resch_oris_device(void)
{
	static int device = -1;

	if (device < 0)
		device = resch_open();
	return resch_oris_result(device) ? -1 : device;
}

/* The first domain with the plugin `server`, or 0. */
static inline uint32_t resch_oris_domain(int device)
{
	struct resch_domain_stat stat = { 0 };

	while (resch_domain_next(device, &stat) == 1)
		if (!strcmp(stat.plugin, "server"))
			return stat.domain;
	return 0;
}

/**
 * RT_init_server - ask for admission: a server on the first CPU with room for it, in the first
 * domain that has the plugin `server`
 *
 * Return: its id, from 0; -1 and errno: EBUSY: no CPU has room; ENODEV: there is no such domain;
 * ENOSPC: RESCH_ORIS_SERVERS there are; EINVAL; others as resch_open(), resch_server_set().
 */
static inline int RT_init_server(KSERVER *server)
{
	int device = resch_oris_device(), id = 0, result;
	struct resch_server_set want = RESCH_SERVER_INIT;

	if (device < 0)
		return -1;
	while (id < RESCH_ORIS_SERVERS && resch_oris_servers[id])
		id++;
	want.domain = resch_oris_domain(device);
	if (id == RESCH_ORIS_SERVERS || !want.domain)
		return resch_oris_result(want.domain ? -ENOSPC : -ENODEV);
	if (server->size < 1 || server->size >= RESCH_ORIS_UNIT)
		return resch_oris_result(-EINVAL);
	want.params.kind = (uint32_t)server->type;
	want.params.policy = (uint32_t)server->algorithm;
	want.params.budget = RESCH_ORIS_TICK / RESCH_ORIS_UNIT * (unsigned int)server->size;
	want.params.period = RESCH_ORIS_TICK;
	result = resch_jobs_new(device, &want, &resch_oris_servers[id]);
	return resch_oris_result(result) ? -1 : id;
}

static inline struct resch_jobs *resch_oris_server(int id)
{
	return id < 0 || id >= RESCH_ORIS_SERVERS ? NULL : resch_oris_servers[id];
}

static inline void resch_oris_thread(struct resch_job *job, void *data)
{
	struct resch_oris_call call = *(struct resch_oris_call *)data;

	free(data);
	resch_oris_job = job;
	call.function(call.data);
}

/**
 * RT_add_job - add a task to a server, with a thread of its own
 * @function: is called at the first release; at the end of each job it calls RT_rewind()
 * @data:     for @function
 *
 * Return: 0; -1 and errno: EBUSY: the server is too small for it; EINVAL; others as
 * resch_jobs_add().
 */
static inline int RT_add_job(void (*function)(void *data), void *data, PKRRTASK task)
{
	struct resch_jobs *jobs = resch_oris_server(task->id);
	struct resch_register reg = RESCH_REGISTER_INIT;
	struct resch_oris_call *call;
	int result;

	if (!jobs)
		return resch_oris_result(-EINVAL);
	call = (struct resch_oris_call *)malloc(sizeof(*call));
	if (!call)
		return -1;
	call->function = function;
	call->data = data;
	reg.params.wcet = task->executionTime * RESCH_ORIS_TICK;
	reg.params.period = task->period * RESCH_ORIS_TICK;
	reg.params.deadline = task->relativeDeadline * RESCH_ORIS_TICK;
	reg.params.offset = task->readyTime * RESCH_ORIS_TICK;
	result = resch_jobs_add(jobs, &reg, task->totalInstance, resch_oris_thread, call);
	if (result)
		free(call);
	return resch_oris_result(result);
}

/**
 * RT_start_job - start the tasks of a server: their common time zero is now
 *
 * Return: 0; -1 and errno: EINVAL: there is no such server; others as resch_jobs_start().
 */
static inline int RT_start_job(int id)
{
	struct resch_jobs *jobs = resch_oris_server(id);

	return resch_oris_result(jobs ? resch_jobs_start(jobs, 0) : -EINVAL);
}

/**
 * RT_rewind - at the end of a job: wait for the next one, in the function of RT_add_job()
 *
 * Return: 1: it is released; 0: there is none, return.
 */
static inline int RT_rewind(void)
{
	return resch_oris_job && resch_job_next(resch_oris_job) == 1;
}

/**
 * resch_oris_end - wait until a server's tasks have ended, and give it back; what the end of the
 * process does otherwise
 *
 * Return: 0; -1 and errno: EINVAL: there is no such server; others as resch_jobs_free().
 */
static inline int resch_oris_end(int id)
{
	struct resch_jobs *jobs = resch_oris_server(id);
	int result = -EINVAL;

	if (jobs) {
		resch_jobs_join(jobs);
		result = resch_jobs_free(jobs);
		resch_oris_servers[id] = NULL;
	}
	return resch_oris_result(result);
}

#endif /* _RESCH_ORIS_H */
