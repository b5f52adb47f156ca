// SPDX-License-Identifier: GPL-2.0
/*
 * resch-admission - how long a CPU is kept from a SCHED_FIFO thread while tasks are admitted on it
 *
 * A probe of priority 95 sleeps until absolute times, every 100 us, and notes how late it is on its
 * way. On its CPU an ordinary thread meanwhile has tasks admitted: one by one, then all again by
 * another plugin, which is what a swap does. It closes their descriptor, registers them once more,
 * without a test, and has SysRq-y end that. A line for each phase: the longest delay of the probe,
 * and how long the phase took, ns.
 *
 * usage: resch-admission MODULES [TASKS]		default: 10000 tasks; needs root; loads and
 * unloads the modules
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <resch.h>

#define PROBE_PRIORITY 95
#define PROBE_PERIOD 100000ULL
#define STACK (64 * 1024)
#define SECOND 1000000000ULL

static atomic_ullong worst;
static atomic_int stop;

static void fail(const char *what, int err)
{
	fprintf(stderr, "resch-admission: %s: %s\n", what, strerror(err));
	exit(1);
}

static void must(const char *what, int err)
{
	if (err < 0)
		fail(what, -err);
}

static void *probe_main(void *arg)
{
	struct sched_param param = { .sched_priority = PROBE_PRIORITY };
	uint64_t next, now;

	(void)arg;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("SCHED_FIFO", errno);
	next = resch_now();
	while (!stop) {
		struct timespec time;

		next += PROBE_PERIOD;
		time.tv_sec = (time_t)(next / SECOND);
		time.tv_nsec = (long)(next % SECOND);
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
		now = resch_now();
		if (now - next > worst)
			worst = now - next;
		if (now > next + PROBE_PERIOD)
			next = now;
	}
	return NULL;
}

/* What a phase has brought, from @begin on. */
static void phase(const char *name, uint64_t begin)
{
	uint64_t took = resch_now() - begin;

	printf("%-28s longest delay %9llu ns, took %12llu ns\n", name, (unsigned long long)worst,
	       (unsigned long long)took);
	fflush(stdout);
	worst = 0;
}

static atomic_int tid;

static void *sleeper_main(void *arg)
{
	(void)arg;
	tid = (int)syscall(SYS_gettid);
	for (;;)
		pause();
	return NULL;
}

static int sleeper(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	tid = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	err = pthread_create(&thread, &attr, sleeper_main, NULL);
	if (err)
		fail("a thread", err);
	pthread_attr_destroy(&attr);
	while (!tid)
		sched_yield();
	return tid;
}

static void load(const char *folder, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.ko", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST))
		fail(path, errno);
	close(fd);
}

/* 90 % in all; no two periods are the same. */
static void admit(int fd, const int *tids, int count, uint32_t flags)
{
	int i;

	for (i = 0; i < count; i++) {
		uint64_t period = 100000000ULL + 90001ULL * (uint64_t)i;
		struct resch_register reg = {
			.params = {
				.period = period,
				.wcet = period / 10 * 9 / (uint64_t)count,
				.kind = RESCH_SPORADIC,
				.flags = flags,
				.cpu = 0,
			},
		};

		must("admission", resch_register_thread(fd, tids[i], &reg));
	}
}

static void press_sysrq(int dev)
{
	int fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	struct resch_info info;

	if (fd < 0 || write(fd, "y", 1) != 1)
		fail("/proc/sysrq-trigger", errno);
	close(fd);
	do {
		sched_yield();
		must("info", resch_info(dev, &info));
	} while (info.tasks);
}

static void swap(int fd, uint32_t domain, const char *plugin, const char *name)
{
	struct resch_domain_set want = { .domain = domain, .capacity = 1000000 };
	uint64_t begin = resch_now();

	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	must(name, resch_domain_set(fd, &want));
	phase(name, begin);
}

int main(int argc, char **argv)
{
	struct resch_domain_set want = { .plugin = "edf", .capacity = 1000000 };
	int count = argc > 2 ? atoi(argv[2]) : 10000, fd, i, *tids;
	pthread_t probe;
	uint64_t begin;
	cpu_set_t cpus;

	if (argc < 2 || count < 1) {
		fprintf(stderr, "usage: resch-admission MODULES [TASKS]\n");
		return 2;
	}
	load(argv[1], "resch");
	load(argv[1], "resch-edf");
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	tids = calloc((size_t)count, sizeof(*tids));
	for (i = 0; i < count; i++)
		tids[i] = sleeper();
	fd = resch_open();
	must("/dev/resch", fd);
	want.cpus.bits[0] = 1;
	must("a domain", resch_domain_set(fd, &want));
	if (pthread_create(&probe, NULL, probe_main, NULL))
		fail("the probe", errno);
	sleep(1);
	worst = 0;
	begin = resch_now();
	while (resch_now() < begin + SECOND)
		;
	phase("nothing", begin);
	begin = resch_now();
	admit(fd, tids, count, 0);
	phase("admitted one by one", begin);
	swap(fd, want.domain, "edf", "admitted anew, all at once");
	begin = resch_now();
	close(fd);
	phase("all given up", begin);
	fd = resch_open();
	must("/dev/resch", fd);
	begin = resch_now();
	admit(fd, tids, count, RESCH_F_SKIP_ADMISSION);
	phase("registered without a test", begin);
	begin = resch_now();
	press_sysrq(fd);
	phase("all ended by SysRq", begin);
	close(fd);
	stop = 1;
	pthread_join(probe, NULL);
	return 0;
}
