// SPDX-License-Identifier: GPL-2.0
/*
 * visitor.c - what the users of threads may ask for while a guard stands, and what they have
 * afterwards
 *
 * CPU 1 is the RT CPU, CPU 0 the NRT one.
 */
#include "lib.h"

#include <dirent.h>
#include <linux/io_uring.h>

#define NOBODY 65534

static int sleeps(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return 0;
}

/* ---- affinities ------------------------------------------------------------------------------ */

/* The bits are those of cpus_of(); as the system call is: -1 and errno. */
static int asks(pid_t pid, unsigned long bits)
{
	return (int)syscall(SYS_sched_setaffinity, pid, sizeof(bits), &bits);
}

static int asks_for_another(void *arg)
{
	pid_t victim = *(pid_t *)arg;

	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	check_is(asks(victim, 3), -1);
	check_is(errno, EPERM);
	return 0;
}

TEST(refused, "a refused sched_setaffinity() changes nothing of what a thread gets back")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	pid_t victim, twin;

	/* Born under the guard or before it, that makes no difference. */
	victim = child(sleeps, NULL);
	twin = child(sleeps, NULL);
	await(cpus_of(victim) == 1 && cpus_of(twin) == 1);
	child_ok(child(asks_for_another, &victim));
	guard_off(domain);
	check_is(cpus_of(twin), 3);
	check_is(cpus_of(victim), 3);
}

TEST(nonsense, "nor does one that the thread itself makes with nonsense")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);

	await(cpus_of(0) == 1);
	check_is(syscall(SYS_sched_setaffinity, 0, sizeof(long), NULL), -1);
	check_is(errno, EFAULT);
	check_is(asks(0, 0), -1);
	check_is(errno, EINVAL);
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

TEST(said, "a successful one is what the thread gets back, though it names what it had just then")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	pid_t other = child(sleeps, NULL);

	await(cpus_of(0) == 1 && cpus_of(other) == 1);
	must_libc(asks(0, 1));
	must_libc(asks(other, 1));
	guard_off(domain);
	check_is(cpus_of(0), 1);
	check_is(cpus_of(other), 1);
}

static pid_t thread_named(const char *name)
{
	char command[64];
	FILE *output;
	int pid;

	snprintf(command, sizeof(command), "pgrep -x %s", name);
	output = popen(command, "r");
	check(output && fscanf(output, "%d", &pid) == 1, "no thread %s", name);
	pclose(output);
	return pid;
}

static int yields(void *arg)
{
	(void)arg;
	for (;;)
		sched_yield();
	return 0;
}

/*
 * The thread makes calls all the time, so that it is sent home as soon as it has the RT CPU, by
 * resch-guard, which interrupts the call that has given it that. Who may not have the RT CPU is not
 * lent to it.
 */
TEST(between, "nor does it forget what it took in before the call that asked for it was over")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	struct resch_guard_lend lend = { .cpu = 1 };
	pid_t mover = thread_named("resch-guard");
	int i;

	lend.pid = child(yields, NULL);
	await(cpus_of(lend.pid) == 1);
	must_libc(asks(mover, 4));
	pin(0, "2");
	for (i = 0; i < 2000; i++) {
		must_libc(asks(lend.pid, 3));
		must(call(dev, RESCH_IOC_GUARD_LEND, &lend));
	}
	must_libc(asks(mover, 0xf));
	guard_off(domain);
	check_is(cpus_of(lend.pid), 3);
}

/* Its affinity, all of it. */
static unsigned long has(pid_t pid)
{
	unsigned long bits = 0;

	must_libc((int)syscall(SYS_sched_getaffinity, pid, sizeof(bits), &bits));
	return bits;
}

struct wanders {
	atomic_int wait, waits; /* round: it is to wait at home, it does */
};

/* To the RT CPU and back without end, but where it is to wait. */
static int wanders(void *arg)
{
	struct resch_guard_lend lend = { .cpu = 1 };
	struct wanders *shared = arg;

	for (;;) {
		must(call(dev, RESCH_IOC_GUARD_LEND, &lend));
		if (shared->wait == shared->waits)
			continue;
		shared->waits = shared->wait;
		while (shared->wait == shared->waits && shared->wait % 2)
			sleep_ms(1);
	}
	return 0;
}

/* Somebody else's call and resch-guard change the same affinity at the same time. */
TEST(crossed, "nor is what is asked for lost while the thread is being sent from CPU to CPU")
{
	static const unsigned long masks[] = { 3, 6, 7, 0xa, 0xf };
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	struct wanders *shared_by = shared(sizeof(*shared_by));
	pid_t pid = child(wanders, shared_by);
	unsigned long mask = 0;
	int i;

	pin(0, "2-3");
	for (i = 0; i < 150; i++) {
		mask = masks[i % 5];
		must_libc(asks(pid, mask));
		shared_by->wait++;
		await(shared_by->waits == shared_by->wait);
		await(has(pid) == (mask & ~2UL));
		shared_by->wait++;
		await(shared_by->waits == shared_by->wait);
	}
	guard_off(domain);
	check_is(has(pid), mask);
}

/* ---- who asks all the time ------------------------------------------------------------------- */

/* How often the thread with this name has come to run. */
static unsigned long runs_of(const char *name)
{
	char path[64], text[128];
	unsigned long runs;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", thread_named(name));
	check(file_read(path, text, sizeof(text)), "%s: %s", path, strerror(errno));
	check(sscanf(text, "%*u %*u %lu", &runs) == 1, "%s: %s", path, text);
	return runs;
}

#define STORM 500

static int storms(void *arg)
{
	struct sched_param param = { 0 };
	int i;

	(void)arg;
	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	for (i = 0; i < STORM; i++) {
		must_libc(sched_setparam(0, &param));
		must_libc(asks(0, 1));
		check_is(asks(1, 1), -1);
	}
	return 0;
}

TEST(storm, "calls without number that change nothing do not keep resch-guard busy")
{
	unsigned long runs;
	uint64_t begin;

	guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	await(cpus_of(0) == 1);
	runs = runs_of("resch-guard");
	begin = resch_now();
	child_ok(child(storms, NULL));
	runs = runs_of("resch-guard") - runs;
	/* It looks around each 8 or 10 ms. */
	check(runs < STORM / 4 + (resch_now() - begin) / (8 * MS), "it has run %lu times", runs);
}

#define ASKS 300

static int asks_for_all(void *arg)
{
	int i;

	(void)arg;
	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	for (i = 0; i < ASKS; i++)
		must_libc(asks(0, 3)); /* the next one goes home first */
	return 0;
}

TEST(often, "who has himself moved all the time waits for ticks")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	uint64_t begin = resch_now();

	child_ok(child(asks_for_all, NULL));
	/*
	 * At most 16 and the ticks in each 100 ms. However slow a machine is, it is not faster than
	 * that.
	 */
	check(resch_now() - begin > ASKS * 100 * MS / 40, "%d moves in %llu ms", ASKS,
	      (unsigned long long)((resch_now() - begin) / MS));
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

#define CROWD 200

static int computes(void *arg)
{
	(void)arg;
	for (;;)
		compute_a_while();
	return 0;
}

TEST(crowd, "in a crowd that sleeps who computes is lent, and all get back what they had")
{
	uint32_t domain = guard_on("fifo", 0, NULL);
	pid_t crowd[CROWD], busy[2];
	int i;

	for (i = 0; i < CROWD; i++)
		crowd[i] = child(sleeps, NULL);
	for (i = 0; i < 2; i++)
		busy[i] = child(computes, NULL);
	await(cpus_of(busy[0]) == 2 || cpus_of(busy[1]) == 2);
	for (i = 0; i < CROWD; i++)
		check_is(cpus_of(crowd[i]), 1);
	guard_off(domain);
	for (i = 0; i < CROWD; i++)
		check_is(cpus_of(crowd[i]), 3);
	check_is(cpus_of(busy[0]), 3);
	check_is(cpus_of(busy[1]), 3);
}

/* ---- SCHED_DEADLINE -------------------------------------------------------------------------- */

struct attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* The system call: -1 and errno. */
static int becomes_deadline(pid_t tid)
{
	struct attr attr = {
		.size = sizeof(attr),
		.policy = SCHED_DEADLINE,
		.runtime = 5 * MS,
		.deadline = 100 * MS,
		.period = 100 * MS,
	};

	return (int)syscall(SYS_sched_setattr, tid, &attr, 0);
}

static int becomes_ordinary(pid_t tid)
{
	struct attr attr = { .size = sizeof(attr), .policy = SCHED_OTHER };

	return (int)syscall(SYS_sched_setattr, tid, &attr, 0);
}

TEST(deadline,
     "a thread becomes SCHED_DEADLINE beside a guard, with its whole affinity, and a visitor again")
{
	pid_t other = child(sleeps, NULL);
	uint32_t domain;

	pin(other, "0-3"); /* under a guard it would take effect at its next call */
	domain = guard_on("fifo", 0, NULL);
	pin(0, "0-3");
	await(cpus_of(0) == 1 && cpus_of(other) == 1);
	must_libc(becomes_deadline(0));
	check_is(cpus_of(0), 3);
	sleep_ms(50); /* some rounds of resch-guard */
	check_is(cpus_of(0), 3);
	must_libc(becomes_ordinary(0));
	await(cpus_of(0) == 1);
	must_libc(becomes_deadline(other));
	check_is(cpus_of(other), 3);
	must_libc(becomes_ordinary(other));
	await(cpus_of(other) == 1);
	must_libc(becomes_deadline(other));
	guard_off(domain);
	check_is(cpus_of(other), 3);
	check_is(cpus_of(0), 3);
}

TEST(deadline_narrow,
     "who has asked for less is refused, as without a guard, and stays what it was")
{
	uint32_t domain = guard_on("fifo", RESCH_GUARD_MANUAL, NULL);

	await(cpus_of(0) == 1); /* of 0 and 1; the machine has more */
	check_is(becomes_deadline(0), -1);
	check_is(errno, EPERM);
	await(cpus_of(0) == 1);
	guard_off(domain);
	check_is(cpus_of(0), 3);
}

static int asks_for_deadline(void *arg)
{
	pid_t victim = *(pid_t *)arg;
	int i;

	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	for (i = 0; i < 100; i++) {
		check_is(becomes_deadline(victim), -1);
		check_is(errno, EPERM);
		check_is(cpus_of(victim), 1);
	}
	return 0;
}

TEST(deadline_refused,
     "who may not make others SCHED_DEADLINE does not get their affinity widened either")
{
	pid_t victim;

	guard_on("fifo", RESCH_GUARD_MANUAL, NULL);
	victim = child(sleeps, NULL);
	await(cpus_of(victim) == 1);
	child_ok(child(asks_for_deadline, &victim));
}

TEST(cyclicdeadline, "a program of that class runs beside a guard")
{
	unsigned int cycles, least = ~0U;
	char line[128], all[400] = "";
	FILE *output;

	guard_on("fifo", 0, NULL);
	pin(0, "0-3");
	output = popen("cyclicdeadline -D 2 -t 2 -i 10000 -s 1000 -q 2>&1", "r");
	check(output, "popen: %s", strerror(errno));
	while (fgets(line, sizeof(line), output)) {
		const char *found = strstr(line, " C:");

		strncat(all, line, sizeof(all) - strlen(all) - 1);
		/* What -q leaves is a line for each thread, at the end. */
		if (found && sscanf(found, " C: %u", &cycles) == 1 && cycles < least)
			least = cycles;
	}
	pclose(output);
	/*
	 * It gives up where a cycle comes too late, as one may on a machine that is emulated on a
	 * busy one.
	 */
	if (!strstr(all, "Failed to perform task within runtime"))
		check(least != ~0U && least > 1, "%u cycles: %s", least, all);
}

/* ---- io_uring -------------------------------------------------------------------------------- */

/* The kernel's thread for this process's ring, or 0. */
static pid_t ring_thread(void)
{
	char path[300], name[32];
	struct dirent *entry;
	pid_t found = 0;
	DIR *tasks = opendir("/proc/self/task");

	check(tasks, "/proc/self/task: %s", strerror(errno));
	while ((entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		if (file_read(path, name, sizeof(name)) && !strncmp(name, "iou-sqp", 7))
			found = atoi(entry->d_name);
	}
	closedir(tasks);
	return found;
}

/* A ring whose submissions a thread of the kernel looks for on the RT CPU. */
static int rings(void *arg)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF,
		.sq_thread_cpu = CPU,
		.sq_thread_idle = 200,
	};
	atomic_int *thread = arg;

	must_libc(setresuid(NOBODY, NOBODY, NOBODY));
	if (syscall(SYS_io_uring_setup, 4, &params) < 0) {
		*thread = -errno;
		return 0;
	}
	await(ring_thread());
	*thread = ring_thread();
	for (;;)
		pause();
	return 0;
}

TEST(ring, "the thread of an io_uring that is bound to the RT CPU leaves it, and goes back")
{
	uint32_t domain = guard_on("fifo", 0, NULL);
	atomic_int *thread = shared(sizeof(*thread));

	child(rings, thread);
	await(*thread);
	if (*thread < 0)
		skip("io_uring_setup: %s", strerror(-*thread));
	sleep_ms(200); /* it begins where its maker was, and then binds itself */
	await(cpus_of(*thread) == 1);
	guard_off(domain);
	await(cpus_of(*thread) == 1 << CPU);
}
