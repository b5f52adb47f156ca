// SPDX-License-Identifier: GPL-2.0
/* family.c - programs that are in a server with all that they make, see family.h */
#include "family.h"

struct told *told;

/* ---- the first one --------------------------------------------------------------------------- */

uint32_t family_server(uint32_t domain, uint64_t budget, uint32_t flags, int fd)
{
	struct resch_server_set want = server_of(domain, budget, FAMILY_PERIOD);

	want.params.quantum = MS;
	want.params.policy = RESCH_SERVER_RR;
	want.params.flags = flags;
	must(resch_server_set(fd, &want));
	return want.id;
}

struct resch_register member(uint32_t domain, uint32_t id)
{
	struct resch_register reg = {
		.domain = domain,
		.params = { .kind = RESCH_WAKEUP, .cpu = -1, .flags = RESCH_F_FAMILY, .group = id },
	};

	return reg;
}

int family_main(void *arg)
{
	const struct family *family = arg;
	struct resch_register reg = member(family->domain, family->id);
	const struct initial *initial = family->initial;

	if (family->fd)
		dev = family->fd;
	if (initial)
		must(attributes_set(0, initial->policy, initial->priority, initial->nice,
				    initial->flags));
	told->before = attributes_of(0);
	must(resch_register_self(dev, &reg));
	return family->body();
}

pid_t family_start(uint32_t domain, uint32_t id, int (*body)(void))
{
	struct family family = { .domain = domain, .id = id, .body = body };

	if (!told)
		told = shared(sizeof(*told));
	return child(family_main, &family);
}

void family_unregister(int fd)
{
	struct resch_task_stat stat = { .id = 0 };
	uint64_t until = resch_now() + PATIENCE * SEC;

	/* Again and again: children come as long as their first one is there. */
	while (tasks_registered() && resch_now() < until) {
		stat.id = 0;
		while (resch_task_next(dev, &stat) > 0)
			resch_unregister(fd, stat.id);
	}
}

/* ---- what members do ------------------------------------------------------------------------- */

bool told_bad(const char *what)
{
	if (!atomic_exchange(&told->bad, 1))
		snprintf(told->what, sizeof(told->what), "%s", what);
	return true;
}

bool look(const char *who)
{
	struct resch_task_stat stat;

	memset(&stat, 0, sizeof(stat));
	if (resch_task_stat(dev, 0, &stat))
		return told_bad(who);
	/* READY: the budget ran out in this very call. */
	if (!(stat.params.flags & RESCH_F_FAMILY) || !stat.params.group ||
	    (stat.state != RESCH_STATE_SELECTED && stat.state != RESCH_STATE_READY) ||
	    stat.pid != gettid() || sched_getcpu() != CPU)
		return told_bad(who);
	atomic_fetch_add(&told->count, 1);
	return false;
}

void burn(uint64_t ns)
{
	uint64_t began = cpu_time();

	spin(ns);
	atomic_fetch_add(&told->used, cpu_time() - began);
}

/*
 * Who has been given back as a real-time thread leaves something of the CPU to others, the case
 * among them: with PREEMPT_RT what ends their sleep is a thread of a lower priority. Members are
 * SCHED_FIFO.
 */
static void spare(void)
{
	if (sched_getscheduler(0) == SCHED_RR)
		sleep_ms(5);
}

int body_household(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		pid_t child = fork();

		if (child) {
			told->pids[i] = child;
			continue;
		}
		while (i == 0 && !told->stop) {
			burn(MS);
			spare();
		}
		while (i == 1) {
			pid_t pid = fork();

			if (!pid)
				_exit(look("a child of the household"));
			waitpid(pid, NULL, 0);
			spare();
		}
		if (i == 2)
			execl("/bin/sleep", "sleep", "100", NULL);
		for (;;)
			sleep_ms(1);
	}
	atomic_store(&told->ready, 1);
	for (;;)
		pause();
	return 0;
}
