// SPDX-License-Identifier: GPL-2.0
/*
 * task.c - a task that only pretends
 *
 * What it computes is measured in its own CPU time, which it finds without a system call (under a
 * guard that moves whoever calls the kernel, the measurement would change the result): it looks at
 * the clock after each few steps, and a gap that is longer than those take is time in which
 * somebody else was running.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <signal.h>
#include <unistd.h>

#include "clock-ns.h"
#include "relax.h"
#include "task.h"

#define STEPS 500

struct progress {
	uint64_t steps;
	uint64_t cpu_ns;
	uint64_t last;
};

static uint64_t reached(const struct progress *progress, const struct amount *amount)
{
	return amount->steps ? progress->steps : progress->cpu_ns;
}

static void step(struct progress *progress, struct task *task, uint64_t gap_ns)
{
	static volatile unsigned int sink;
	unsigned int value = sink, i;
	uint64_t now;
	int cpu;

	for (i = 0; i < STEPS; i++) {
		value = value * 1664525 + 1013904223;
		if (!(i & 63))
			relax();
	}
	sink = value;
	progress->steps += STEPS;
	now = now_ns();
	cpu = sched_getcpu();
	if (now - progress->last < gap_ns && cpu >= 0) {
		progress->cpu_ns += now - progress->last;
		task->cpu_ns[cpu % CPUS_MAX] += now - progress->last;
	}
	progress->last = now;
}

static void take_lock(int fd, struct task *task)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = task->pid, .l_len = 1
	};

	if (fcntl(fd, F_SETLK, &lock))
		err(1, "lock");
	lock.l_type = F_UNLCK;
	if (fcntl(fd, F_SETLK, &lock))
		err(1, "unlock");
	task->locks++;
}

/* A multiple of @every has been passed: at most once for each look. */
static bool due(uint64_t reached_now, uint64_t *next, uint64_t every)
{
	if (!every || reached_now < *next)
		return false;
	while (*next <= reached_now)
		*next += every;
	return true;
}

static void work(struct board *board, struct task *task, int lock_fd, uint64_t gap_ns)
{
	const struct group *group = task->group;
	uint64_t next_sleep = group->run.value, next_lock = group->lock.value;
	struct progress progress = { .last = now_ns() };

	while (!board->enough) {
		step(&progress, task, gap_ns);
		if (group->work.value && reached(&progress, &group->work) >= group->work.value)
			return;
		if (due(reached(&progress, &group->lock), &next_lock, group->lock.value))
			take_lock(lock_fd, task);
		if (due(reached(&progress, &group->run), &next_sleep, group->run.value)) {
			sleep_for(group->sleep_ns);
			progress.last = now_ns();
		}
	}
}

/* Priority first, then the CPUs: the order that the report asks of a task that becomes RT0. */
static void become(const struct group *group)
{
	struct sched_param param = { .sched_priority = group->priority };
	cpu_set_t cpus;
	unsigned int cpu;

	if (group->policy != SCHED_OTHER && sched_setscheduler(0, group->policy, &param))
		err(1, "sched_setscheduler");
	if (!group->cpu_mask)
		return;
	CPU_ZERO(&cpus);
	for (cpu = 0; cpu < 64; cpu++)
		if (group->cpu_mask >> cpu & 1)
			CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
}

_Noreturn void task_live(struct board *board, struct task *task, int gate, uint64_t gap_ns)
{
	int fd = open("/tmp/resch-balance.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct rusage before, after;
	char nothing;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0)
		err(1, "/tmp/resch-balance.lock");
	task->pid = getpid();
	become(task->group);
	task->ready = true;
	if (read(gate, &nothing, 1) < 0)
		err(1, "gate");
	getrusage(RUSAGE_SELF, &before);
	work(board, task, fd, gap_ns);
	task->end_ns = now_ns();
	getrusage(RUSAGE_SELF, &after);
	task->voluntary = after.ru_nvcsw - before.ru_nvcsw;
	task->involuntary = after.ru_nivcsw - before.ru_nivcsw;
	task->done = true;
	_exit(0);
}
