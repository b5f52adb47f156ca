// SPDX-License-Identifier: GPL-2.0
/*
 * killstorm.c - processes with registered threads die at any moment, while others list tasks and
 * swap plugins
 */
#include "lib.h"

#define ROUNDS 20
#define ENOUGH 40
#define THREADS 4

static unsigned int seed = 20261121;

struct storm {
	atomic_int registered; /* threads, over all rounds */
	atomic_int stop;
	atomic_ullong jobs;
	atomic_int swaps;
	atomic_int listed;
};

static struct storm *storm;

/* The kinds of lives that a thread may lead: none of them ends by itself. */
static void *victim_thread(void *arg)
{
	int number = (long)arg;
	struct resch_register reg = periodic((4 + 3 * number) * MS, MS);

	if (number == 3) {
		reg.params.kind = RESCH_WAKEUP;
		reg.params.overrun = RESCH_THROTTLE;
	}
	if (number == 2) {
		reg.params.overrun = RESCH_NOTIFY;
		reg.params.miss = RESCH_NOTIFY;
	}
	if (resch_register_self(dev, &reg))
		return NULL;
	atomic_fetch_add(&storm->registered, 1);
	for (;;) {
		if (number == 3)
			sleep_ms(3);
		else
			resch_wait(dev, NULL);
		atomic_fetch_add(&storm->jobs, 1);
		spin(MS / 2);
		if (number == 1)
			usleep(500);
		if (number == 2)
			resch_delay(dev, resch_now() + MS);
	}
	return NULL;
}

static int victim(void *arg)
{
	pthread_t thread;
	long i;

	(void)arg;
	dev = resch_open();
	if (dev < 0)
		return 1;
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, victim_thread, (void *)i);
	for (;;)
		pause();
	return 0;
}

static int swapper(void *arg)
{
	static const char *const plugins[] = { "edf", "fp", "demo", "fifo" };
	uint32_t domain = *(uint32_t *)arg, i;
	struct resch_task_stat stat;
	int err;

	dev = resch_open();
	for (i = 0; !atomic_load(&storm->stop); i++) {
		err = domain_swap(domain, plugins[i % 4], NULL);
		if (err)
			fail("swap to %s: %s", plugins[i % 4], errno_name(err));
		atomic_fetch_add(&storm->swaps, 1);
		memset(&stat, 0, sizeof(stat));
		while ((err = resch_task_next(dev, &stat)) == 1)
			atomic_fetch_add(&storm->listed, 1);
		if (err)
			fail("listing tasks: %s", errno_name(err));
		sleep_ms(2);
	}
	return 0;
}

/*
 * That much has gone on while processes were killed; how many rounds it takes depends on the
 * machine.
 */
static bool stormy(void)
{
	return atomic_load(&storm->registered) > ENOUGH && atomic_load(&storm->jobs) > ENOUGH &&
	       atomic_load(&storm->swaps) > ENOUGH;
}

TEST(kill, "SIGKILL at any moment leaves no task")
{
	uint32_t domain = use("edf"), us = 60000;
	int i, registered;
	pid_t other, pid;

	storm = shared(sizeof(*storm));
	other = child(swapper, &domain);
	for (i = 0; i < ROUNDS || !stormy(); i++) {
		registered = atomic_load(&storm->registered);
		pid = child(victim, NULL);
		usleep((unsigned int)rand_r(&seed) % us);
		kill(pid, SIGKILL);
		child_wait(pid);
		/* Some die before they are registered; on a slow machine it must not be all. */
		if (atomic_load(&storm->registered) == registered)
			us += us / 4;
	}
	atomic_store(&storm->stop, 1);
	child_ok(other);
	await(tasks_registered() == 0);
	await(domain_stat(domain).tasks == 0);
	check_is(domain_stat(domain).ejections, 0);
}

/* Both ends at once: the descriptor closes while threads die. */
static void *victim_closes(void *arg)
{
	(void)arg;
	usleep(20000);
	close(dev);
	_exit(0);
	return NULL;
}

static int victim_of_itself(void *arg)
{
	pthread_t thread;
	long i;

	(void)arg;
	dev = resch_open();
	for (i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, victim_thread, (void *)i);
	pthread_create(&thread, NULL, victim_closes, NULL);
	for (;;)
		pause();
	return 0;
}

TEST(closing, "the descriptor closes under running tasks, and the process ends")
{
	uint32_t domain = use("edf");
	int i;

	storm = shared(sizeof(*storm));
	for (i = 0; i < 10; i++)
		child_wait(child(victim_of_itself, NULL));
	await(tasks_registered() == 0);
	await(domain_stat(domain).tasks == 0);
	check_is(domain_stat(domain).ejections, 0);
}
