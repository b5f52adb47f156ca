// SPDX-License-Identifier: GPL-2.0
/*
 * held.c - who waits for a thread that can't be moved, as it holds a spinlock of PREEMPT_RT, and
 * nobody lets it run; see tests/modules/resch-held.c
 */
#include "lib.h"

#include <sys/utsname.h>

#define HELD "/proc/resch-held"
#define HOGGED (20 * SEC) /* longer than all that a case asks for takes */

struct scene {
	atomic_int hogs, end;
	uint32_t domain;
};

static void on_signal(int signal)
{
	(void)signal;
}

static int holds(void *arg)
{
	(void)arg;
	signal(SIGUSR1, on_signal);
	pin(0, "1");
	must(attributes_set(0, SCHED_FIFO, 1, 0, 0));
	file_write(HELD, "1");
	for (;;)
		pause();
	return 0;
}

static bool is_held(void)
{
	char text[8];

	return file_read(HELD, text, sizeof(text)) && text[0] == '1';
}

/* RT0, so a guard leaves it on its CPU. */
static int hogs(void *arg)
{
	struct scene *scene = arg;
	uint64_t until = resch_now() + HOGGED;

	must(attributes_set(0, SCHED_FIFO, 99, 0, 0));
	pin(0, "1");
	atomic_store(&scene->hogs, 1);
	while (!atomic_load(&scene->end) && resch_now() < until)
		;
	atomic_store(&scene->hogs, 0);
	return 0;
}

static int raises(void *arg)
{
	struct scene *scene = arg;
	struct resch_guard_set want = { .flags = RESCH_GUARD_ON, .domain = scene->domain };

	return call(dev, RESCH_IOC_GUARD_SET, &want) ? 1 : 0;
}

TEST(raised, "a guard that has to wait for such a thread does so without the lock of all requests")
{
	struct scene *scene = shared(sizeof(*scene));
	struct utsname kernel;
	pid_t holder, hog, raiser;
	uint32_t other;
	int i;

	must_libc(uname(&kernel));
	if (!strstr(kernel.version, "PREEMPT_RT"))
		skip("who holds a spinlock is preempted under PREEMPT_RT alone");
	throttle(false);
	must(module_load("resch-held", ""));
	pin(0, "0");
	scene->domain = use("fifo");
	holder = child(holds, NULL);
	await(is_held());
	hog = child(hogs, scene);
	await(atomic_load(&scene->hogs));
	raiser = child(raises, scene);
	await(proc_state(raiser) == 'D');
	for (i = 0; i < 20; i++) {
		other = domain_on("2", "fifo", NULL);
		check_is(domain_stat(other).domain, other);
		must(resch_domain_del(dev, other));
	}
	check(atomic_load(&scene->hogs) && is_held(), "it was not for long");
	check(proc_state(raiser) == 'D', "who raises the guard has not waited");
	atomic_store(&scene->end, 1);
	kill(holder, SIGUSR1);
	child_ok(raiser);
	check_is(cpus_of(holder), 1 << 0);
	kill(holder, SIGKILL);
	child_wait(holder);
	child_ok(hog);
	guard_off(scene->domain);
	must(module_unload("resch-held"));
}
