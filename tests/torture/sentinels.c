// SPDX-License-Identifier: GPL-2.0
/* sentinels.c - ordinary threads that nothing may happen to */
#include "torture.h"

#include <sys/prctl.h>

#include "thread-attr.h"

static void nothing(int signal)
{
	(void)signal;
}

/* A little of everything, for ever; on all CPUs, and always on CPU 0, which never goes offline. */
static void sentinel_main(int number)
{
	static const struct sentinel_has begin[] = {
		{ SCHED_OTHER, 0, 0, ~0U }, { SCHED_OTHER, 0, 5, 3 }, { SCHED_BATCH, 0, -3, ~0U },
		{ SCHED_FIFO, 12, 0, 5 },   { SCHED_RR, 20, 0, ~0U }, { SCHED_IDLE, 0, 0, 7 },
	};
	struct sentinel *me = &world->sentinels[number];
	struct life life = { .seed = (world->options.seed + number) | 1 };
	struct sigaction action = { .sa_handler = nothing };
	struct sentinel_has *has = &me->has[0];
	struct thread_attr attr;
	cpu_set_t cpus;
	unsigned int cpu;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* What threads under control may be sent. */
	sigaction(SIGURG, &action, NULL);
	*has = begin[number % (sizeof(begin) / sizeof(*begin))];
	has->cpus &= (1U << world->cpus) - 1;
	CPU_ZERO(&cpus);
	for (cpu = 0; cpu < world->cpus; cpu++)
		if (has->cpus & 1U << cpu)
			CPU_SET(cpu, &cpus);
	attr = (struct thread_attr){ .policy = has->policy,
				     .priority = has->priority,
				     .nice = has->nice };
	must_libc(sched_setaffinity(0, sizeof(cpus), &cpus));
	must_libc(thread_attr_set(0, &attr));
	atomic_store(&me->given, 1);
	for (;;) {
		usleep(1000 + below(&life, 30000));
		if (one_in(&life, 4))
			spin(below(&life, MS));
		if (one_in(&life, 8))
			life_pipe(&life);
	}
}

void sentinels_start(void)
{
	int i;

	for (i = 0; i < SENTINELS; i++) {
		pid_t pid = fork();

		if (!pid)
			sentinel_main(i);
		world->sentinels[i].pid = pid;
	}
	for (i = 0; i < SENTINELS; i++)
		await(atomic_load(&world->sentinels[i].given) == 1);
}

void sentinels_end(void)
{
	int i;

	for (i = 0; i < SENTINELS; i++) {
		kill(world->sentinels[i].pid, SIGKILL);
		waitpid(world->sentinels[i].pid, NULL, 0);
	}
}
