/* SPDX-License-Identifier: GPL-2.0 */
/* waiting.h - what is said on a terminal while a measurement takes its time */
#ifndef _BENCH_WAITING_H
#define _BENCH_WAITING_H

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAITING_PATIENCE 2 /* seconds */

/*
 * By a process of its own, which goes when the caller does: who measures does not count. Away from
 * @cpu, where it can be; @seconds: about so many in all; 0: that is not known. Return: for
 * waiting_end().
 */
static inline pid_t waiting_begin(const char *program, int cpu, double seconds)
{
	cpu_set_t cpus;
	pid_t pid;
	int passed;

	if (!isatty(STDERR_FILENO))
		return -1;
	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, 19);
	if (!sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) > 1) {
		CPU_CLR((unsigned int)cpu, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
	}
	for (passed = 0;; passed++, sleep(1)) {
		if (passed < WAITING_PATIENCE)
			continue;
		if (seconds > 0)
			fprintf(stderr, "\r%s: %d of about %.0f s\033[K", program, passed, seconds);
		else
			fprintf(stderr, "\r%s: %d s\033[K", program, passed);
	}
}

static inline void waiting_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	fputs("\r\033[K", stderr);
}

#endif /* _BENCH_WAITING_H */
