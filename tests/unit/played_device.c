// SPDX-License-Identifier: GPL-2.0
/*
 * played_device.c - a /dev/resch in the process itself, for programs that know no better:
 * preloaded, it registers, releases and counts, in time, without a module
 *
 * Domains have CPU masks; 1, "edf", has CPUs 1 to 3. A CPU takes tasks up to a utilization of 95 %.
 * Jobs are released by the clock, nobody is kept from the CPU, and what executes too long or
 * completes too late is counted, and an event where that was asked for. A lead that is longer than
 * the runtime is refused. With PLAYED_REFUSAL="BOUND VALUE LIMIT" every task is refused so, with
 * PLAYED_ERROR=N with that error number; PLAYED_PLUGIN is the plugin of domain 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/resch.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "opened.h"

#define MAX 64

struct task {
	struct resch_task_stat stat;
	pid_t tid;
	uint64_t zero; /* of its releases; 0: it waits for it */
	uint64_t began; /* execution time when the job began */
	uint32_t pending; /* releases of a sporadic one */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static struct task tasks[MAX];
static uint32_t nr_tasks;
static struct resch_domain_stat domains[MAX] = {
	{ .domain = 1, .cpus.bits[0] = 0xe, .plugin = "edf", .capacity = 950000 },
};
static uint32_t nr_domains = 1;
static struct resch_server_set server;
static int device = -1, events;
static pthread_key_t ends; /* of threads that are registered */

static void thread_ended(void *task);

__attribute__((constructor)) static void prepare(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	pthread_key_create(&ends, thread_ended);
	if (getenv("PLAYED_PLUGIN"))
		strncpy(domains[0].plugin, getenv("PLAYED_PLUGIN"), RESCH_NAME_LEN - 1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Under the lock; sleeps until something changes, or until a time. */
static void sleep_until(uint64_t time)
{
	struct timespec until = { (time_t)(time / 1000000000), (long)(time % 1000000000) };

	if (time == RESCH_NEVER)
		pthread_cond_wait(&changed, &lock);
	else
		pthread_cond_timedwait(&changed, &lock, &until);
}

static struct task *find(uint32_t id)
{
	uint32_t i;

	if (id)
		return id <= nr_tasks ? &tasks[id - 1] : NULL;
	for (i = nr_tasks; i; i--)
		if (tasks[i - 1].tid == gettid() && tasks[i - 1].stat.state != RESCH_STATE_GONE)
			return &tasks[i - 1];
	return NULL;
}

static struct resch_domain_stat *domain_of(uint32_t id, int cpu)
{
	uint32_t i;

	for (i = 0; i < nr_domains; i++)
		if (domains[i].domain &&
		    (id ? domains[i].domain == id : cpu >= 0 && domains[i].cpus.bits[0] >> cpu & 1))
			return &domains[i];
	return NULL;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static double load(int cpu)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < nr_tasks; i++)
		if (tasks[i].stat.cpu == cpu && tasks[i].stat.state != RESCH_STATE_GONE)
			sum += (double)tasks[i].stat.params.wcet /
			       (double)tasks[i].stat.params.period;
	return sum;
}

/* By the ABI alone: programs that this is loaded into need not have the library. */
static int bad(const struct resch_task_params *params)
{
	return !params->wcet || params->wcet > params->period || params->period < 1000 ||
	       params->kind >= RESCH_KINDS || params->overrun >= RESCH_REACTIONS ||
	       params->miss >= RESCH_REACTIONS ||
	       (params->deadline && params->deadline < params->wcet);
}

static int refuse(const char *how, struct resch_register *reg)
{
	unsigned long long value, limit;

	if (sscanf(how, "%u %llu %llu", &reg->verdict.bound, &value, &limit) != 3)
		abort();
	reg->verdict.cpu = 1;
	reg->verdict.value = value;
	reg->verdict.limit = limit;
	return -EBUSY;
}

static int play_register(struct resch_register *reg)
{
	struct resch_domain_stat *domain = domain_of(reg->domain, reg->params.cpu);
	struct resch_task_params *params = &reg->params;
	double share = (double)params->wcet / (double)params->period;
	struct task *task;
	int cpu, found = -1;

	if (bad(params))
		return -EINVAL;
	if (getenv("PLAYED_ERROR"))
		return -atoi(getenv("PLAYED_ERROR"));
	if (getenv("PLAYED_REFUSAL"))
		return refuse(getenv("PLAYED_REFUSAL"), reg);
	if (!domain)
		return -ENODEV;
	if (find(0))
		return -EEXIST;
	for (cpu = 0; cpu < 64; cpu++)
		if ((domain->cpus.bits[0] >> cpu & 1) && (params->cpu < 0 || params->cpu == cpu) &&
		    (found < 0 || load(cpu) < load(found)))
			found = cpu;
	if (found < 0)
		return -ENODEV;
	if (load(found) + share > 0.95 && !(params->flags & RESCH_F_SKIP_ADMISSION)) {
		reg->verdict = (struct resch_verdict){
			.bound = RESCH_BOUND_UTILIZATION,
			.cpu = found,
			.value = (uint64_t)((load(found) + share) * 1000000),
			.limit = 950000,
			.suggest_wcet = (uint64_t)((0.95 - load(found)) * (double)params->period),
		};
		return -EBUSY;
	}
	if (!params->deadline)
		params->deadline = params->period;
	task = &tasks[nr_tasks++];
	*task = (struct task){
		.stat = { .id = nr_tasks,
			  .params = *params,
			  .pid = gettid(),
			  .cpu = found,
			  .domain = domain->domain },
		.tid = gettid(),
	};
	pthread_setspecific(ends, task);
	reg->id = nr_tasks;
	reg->cpu = found;
	return 0;
}

static void put(const struct task *task, uint32_t type, uint64_t value)
{
	struct resch_event event = { .type = type,
				     .task = task->stat.id,
				     .time = clock_ns(CLOCK_MONOTONIC),
				     .job = task->stat.job,
				     .value = value };

	/* One that does not fit is lost. */
	if (write(events, &event, sizeof(event)) < 0)
		return;
}

static void thread_ended(void *argument)
{
	struct task *task = argument;

	pthread_mutex_lock(&lock);
	if (task->stat.state != RESCH_STATE_GONE) {
		task->stat.state = RESCH_STATE_GONE;
		put(task, RESCH_EVENT_GONE, RESCH_GONE_EXIT);
	}
	pthread_mutex_unlock(&lock);
}

static void complete(struct task *task)
{
	struct resch_task_stat *stat = &task->stat;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	uint64_t executed = clock_ns(CLOCK_THREAD_CPUTIME_ID) - task->began;
	uint64_t response = now - stat->release;

	stat->completed++;
	stat->exec_total += executed;
	stat->exec_max = executed > stat->exec_max ? executed : stat->exec_max;
	stat->response_total += response;
	stat->response_max = response > stat->response_max ? response : stat->response_max;
	if (!stat->response_min || response < stat->response_min)
		stat->response_min = response;
	if (executed > stat->params.wcet) {
		stat->overruns++;
		if (stat->params.overrun != RESCH_COUNT)
			put(task, RESCH_EVENT_OVERRUN, executed);
	}
	if (now > stat->deadline) {
		stat->misses++;
		if (stat->params.miss != RESCH_COUNT)
			put(task, RESCH_EVENT_MISS, stat->deadline);
	}
}

/* The next release; RESCH_NEVER: not known yet. */
static uint64_t next_release(const struct task *task)
{
	const struct resch_task_params *params = &task->stat.params;

	if (params->kind == RESCH_SPORADIC)
		return task->pending ? clock_ns(CLOCK_MONOTONIC) : RESCH_NEVER;
	if (!task->zero)
		return RESCH_NEVER;
	return task->zero + params->offset + task->stat.job * params->period;
}

static int play_wait(struct resch_wait *job)
{
	struct task *task = find(0);
	uint64_t release = 0;

	if (!task)
		return -ENOENT;
	if (task->stat.params.kind == RESCH_WAKEUP)
		return -EINVAL;
	if (task->stat.state == RESCH_STATE_SELECTED)
		complete(task);
	else if (!(task->stat.params.flags & RESCH_F_SYNC) && !task->zero)
		task->zero = clock_ns(CLOCK_MONOTONIC);
	task->stat.state = RESCH_STATE_SLEEPING;
	pthread_cond_broadcast(&changed);
	while (task->stat.state == RESCH_STATE_SLEEPING &&
	       (release = next_release(task)) > clock_ns(CLOCK_MONOTONIC))
		sleep_until(release);
	if (task->stat.state == RESCH_STATE_GONE)
		return -ECANCELED;
	if (task->pending)
		task->pending--;
	task->stat.state = RESCH_STATE_SELECTED;
	task->stat.job++;
	task->stat.release = release;
	task->stat.deadline = release + task->stat.params.deadline;
	task->began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (job)
		*job = (struct resch_wait){ .release = release,
					    .deadline = task->stat.deadline,
					    .job = task->stat.job };
	return 0;
}

static int play_target(unsigned long request, const struct resch_target *target)
{
	struct task *task = find(target->id);

	if (!task || task->stat.state == RESCH_STATE_GONE)
		return -ENOENT;
	if (request == RESCH_IOC_UNREGISTER) {
		task->stat.state = RESCH_STATE_GONE;
		return 0;
	}
	if (task->stat.params.kind != RESCH_SPORADIC)
		return -EINVAL;
	task->pending++;
	return 0;
}

static int play_delay(const struct resch_delay *delay)
{
	if (!find(0))
		return -ENOENT;
	while (clock_ns(CLOCK_MONOTONIC) < delay->until)
		sleep_until(delay->until);
	return 0;
}

static int play_start(struct resch_start *start)
{
	uint64_t zero = start->time ? start->time : clock_ns(CLOCK_MONOTONIC) + 1000000;
	uint32_t i;

	if (!domain_of(start->domain, -1))
		return -ENODEV;
	for (i = 0; i < nr_tasks; i++) {
		struct task *task = &tasks[i];

		if ((task->stat.params.flags & RESCH_F_SYNC) && !task->zero &&
		    task->stat.state == RESCH_STATE_SLEEPING &&
		    (!start->group || task->stat.params.group == start->group)) {
			task->zero = zero;
			start->waiting++;
		}
	}
	return 0;
}

static int play_lead(struct resch_lead *want)
{
	struct task *task = find(want->id);

	if (!task)
		return -ENOENT;
	if (want->lead >= RESCH_LEAD_MAX)
		return -EINVAL;
	if (want->lead > task->stat.params.wcet) {
		want->verdict = (struct resch_verdict){
			.bound = RESCH_BOUND_UTILIZATION, .cpu = 1, .value = 960000, .limit = 950000
		};
		return -EBUSY;
	}
	task->stat.lead = want->lead;
	return 0;
}

static int play_stat(struct resch_task_stat *stat)
{
	struct task *task = find(stat->next ? stat->id + 1 : stat->id);

	if (!task)
		return -ENOENT;
	*stat = task->stat;
	return 0;
}

/* ---- domains and the rest -------------------------------------------------------------------- */

static int play_domain(struct resch_domain_set *want)
{
	uint32_t i;

	for (i = 0; i < nr_domains; i++)
		if (domains[i].domain && (domains[i].cpus.bits[0] & want->cpus.bits[0]))
			return -EBUSY;
	if (strcmp(want->plugin, "edf") && strcmp(want->plugin, "fp") &&
	    strcmp(want->plugin, "server"))
		return -ENOENT;
	domains[nr_domains] = (struct resch_domain_stat){ .domain = nr_domains + 1,
							  .cpus = want->cpus,
							  .capacity = 950000 };
	memcpy(domains[nr_domains].plugin, want->plugin, sizeof(want->plugin));
	want->domain = ++nr_domains;
	return 0;
}

static int play_domain_stat(struct resch_domain_stat *stat)
{
	uint32_t i;

	for (i = 0; i < nr_domains; i++)
		if (domains[i].domain && (stat->next ? domains[i].domain > stat->domain :
						       domains[i].domain == stat->domain)) {
			*stat = domains[i];
			return 0;
		}
	return stat->next ? -ENOENT : -ENODEV;
}

static int play_info(struct resch_info *info)
{
	if (!info)
		return -EFAULT;
	*info = (struct resch_info){ .abi = RESCH_ABI_VERSION,
				     .level = 80,
				     .tasks = nr_tasks,
				     .domains = nr_domains,
				     .version = "played" };
	return 0;
}

static int play(unsigned long request, void *argument)
{
	switch (request) {
	case RESCH_IOC_INFO:
		return play_info(argument);
	case RESCH_IOC_REGISTER:
		return play_register(argument);
	case RESCH_IOC_UNREGISTER:
	case RESCH_IOC_RELEASE:
		return play_target(request, argument);
	case RESCH_IOC_WAIT:
		return play_wait(argument);
	case RESCH_IOC_DELAY:
		return play_delay(argument);
	case RESCH_IOC_START:
		return play_start(argument);
	case RESCH_IOC_LEAD:
		return play_lead(argument);
	case RESCH_IOC_TASK_STAT:
		return play_stat(argument);
	case RESCH_IOC_DOMAIN_SET:
		return play_domain(argument);
	case RESCH_IOC_DOMAIN_STAT:
		return play_domain_stat(argument);
	case RESCH_IOC_DOMAIN_DEL:
		domain_of(((struct resch_domain_del *)argument)->domain, -1)->domain = 0;
		return 0;
	case RESCH_IOC_SERVER_SET:
		server = *(struct resch_server_set *)argument;
		((struct resch_server_set *)argument)->id = 9;
		((struct resch_server_set *)argument)->cpu = 1;
		return 0;
	case RESCH_IOC_SERVER_DEL:
		return server.domain ? 0 : -ENOENT;
	default:
		return -ENOTTY;
	}
}

static int played(unsigned long request, void *argument)
{
	int result;

	pthread_mutex_lock(&lock);
	result = play(request, argument);
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	if (!result)
		return 0;
	errno = -result;
	return -1;
}

/* ---- calls of the C library ------------------------------------------------------------------ */

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int file, unsigned long number, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	return fd == device && device >= 0 ? played(request, argument) :
					     next(fd, request, argument);
}

int fdatasync(int fd)
{
	int (*next)(int file) = dlsym(RTLD_NEXT, "fdatasync");

	return fd == device && device >= 0 ? played(RESCH_IOC_WAIT, NULL) : next(fd);
}

/* The read end of a pipe is what read() and poll() take for events. */
static int opened(const char *path, int flags, int mode, open_function *next)
{
	int pair[2];

	if (strcmp(path, RESCH_DEVICE))
		return next(path, flags, mode);
	if (pipe2(pair, O_CLOEXEC | (flags & O_NONBLOCK)))
		return -1;
	device = pair[0];
	events = pair[1];
	return device;
}
