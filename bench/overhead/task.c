// SPDX-License-Identifier: GPL-2.0
/* task.c - the two parts that every measurement has */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"
#include "result.h"
#include "task.h"

/* What the spinner calls a gap. Its own loop takes about 10. */
#define GAP_TICKS 300

/*
 * Ticks of the kernel come each 4 ms of CLOCK_MONOTONIC, or each of 1, 10; releases keep away
 * from them.
 */
#define TICK_NS 20000000u
#define PHASE_NS 370000u

uint64_t base_soon(void)
{
	return (now_ns() / TICK_NS + 10) * TICK_NS + PHASE_NS;
}

/* The base once it is known. resch tasks needn't know it: they wait, and are started. */
static uint64_t setting_wait_base(const struct setting *setting, const struct policy *policy)
{
	while (policy->kind != POLICY_RESCH && !setting->base)
		usleep(1000);
	return setting->base;
}

struct setting *setting_create(const struct policy *policy, const struct policy *over,
			       uint64_t period)
{
	struct setting *setting = mmap(NULL, sizeof(*setting), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (setting == MAP_FAILED)
		fail("no memory");
	setting->policy = policy;
	setting->over = over;
	setting->period = period;
	setting->wanted = JOBS;
	return setting;
}

void setting_start(struct setting *setting, uint32_t tasks)
{
	while (setting->ready < tasks)
		usleep(1000);
	usleep(50000);
	setting->base = base_soon();
	policy_start(setting->policy, setting->base);
}

void pin(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	must(sched_setaffinity(0, sizeof(cpus), &cpus), "pinning");
}

void sleep_until(uint64_t ns)
{
	struct timespec until = { .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* ---- the worker ------------------------------------------------------------------------------ */

void setting_job(struct setting *setting, uint64_t begin)
{
	uint32_t job = setting->jobs;

	if (job <= JOBS_WARMUP + setting->wanted)
		setting->begin[job] = begin;
	setting->jobs = job + 1;
}

/*
 * ns that CPU 0 has been idle so far; 0: the kernel doesn't say. The file stays open: opening and
 * closing leave the kernel something to do, later.
 */
static uint64_t idle_ns(void)
{
	static const char key[] = ".idle_sleeptime";
	static char text[16384];
	static int fd = -1;
	size_t size = 0;
	ssize_t more = 1;
	char *found;

	if (fd < 0)
		fd = open("/proc/timer_list", O_RDONLY | O_CLOEXEC);
	while (more > 0 && size < sizeof(text) - 1) {
		more = pread(fd, text + size, sizeof(text) - 1 - size, (off_t)size);
		if (more > 0)
			size += (size_t)more;
		text[size] = '\0';
		found = strstr(text, key);
		found = found ? strchr(found, ':') : NULL;
		if (found && strchr(found, '\n'))
			return strtoull(found + 1, NULL, 10);
	}
	return 0;
}

void task_worker(struct setting *setting)
{
	const struct policy *policy = setting->policy;
	uint64_t out, in, release;
	struct call call;
	uint32_t job;

	if (policy->kind != POLICY_YIELD)
		policy_enter(policy, URGENT, setting->period, &call);
	setting->ready++;
	release = setting_wait_base(setting, policy);
	if (policy->kind == POLICY_YIELD) {
		/* Its periods begin when it comes under the policy. */
		sleep_until(release - setting->period);
		policy_enter(policy, URGENT, setting->period, &call);
	}
	for (job = 0; job <= JOBS_WARMUP + setting->wanted; job++, release += setting->period) {
		call.until.tv_sec = (time_t)(release / 1000000000u);
		call.until.tv_nsec = (long)(release % 1000000000u);
		mark(MARK_END);
		must(policy_wait(&call, &out, &in), "waiting for the next release");
		mark(MARK_BEGIN);
		if (job)
			setting->end[job - 1] = out;
		setting_job(setting, in);
		if (!setting->over)
			setting->idle[job] = idle_ns();
	}
	setting->stop = true;
	if (call.fd >= 0)
		close(call.fd);
}

/* ---- the spinner ----------------------------------------------------------------------------- */

void task_spin(struct setting *setting)
{
	uint64_t least = UINT64_MAX, last = stamp();
	uint32_t gaps = 0;

	while (!setting->stop) {
		uint64_t now = stamp();

		if (now - last > GAP_TICKS) {
			if (gaps < GAPS_MAX) {
				setting->gap[gaps].last = last;
				setting->gap[gaps].first = now;
				gaps++;
			}
			now = stamp();
		} else if (now - last < least) {
			least = now - last;
		}
		last = now;
	}
	setting->gaps = gaps;
	setting->loop = least;
}

void task_spinner(struct setting *setting)
{
	struct call call;
	uint64_t out, in;

	policy_enter(setting->over, LATER, 0, &call);
	setting->ready++;
	if (setting->over->kind == POLICY_RESCH)
		must(policy_wait(&call, &out, &in), "waiting for the spinner's release");
	else
		sleep_until(setting_wait_base(setting, setting->over) - 2000000);
	task_spin(setting);
	if (call.fd >= 0)
		close(call.fd);
}

/* ---- starting and joining -------------------------------------------------------------------- */

static pthread_t threads[4];
static unsigned int thread_count;

struct start {
	struct setting *setting;
	void (*part)(struct setting *setting);
};

static void *start_thread(void *arg)
{
	struct start start = *(struct start *)arg;

	free(arg);
	start.part(start.setting);
	return NULL;
}

void task_start(struct setting *setting, void (*part)(struct setting *setting))
{
	struct start *start;
	pid_t pid;

	if (!setting->threads) {
		fflush(stdout);
		pid = (pid_t)must(fork(), "fork");
		if (!pid) {
			mlockall(MCL_CURRENT | MCL_FUTURE);
			part(setting);
			_exit(0);
		}
		return;
	}
	start = malloc(sizeof(*start));
	if (!start)
		fail("no memory");
	*start = (struct start){ setting, part };
	if (pthread_create(&threads[thread_count++], NULL, start_thread, start))
		fail("no thread");
}

void task_wait(const struct setting *setting)
{
	while (!setting->stop)
		usleep(10000);
}

void task_join(void)
{
	int status;

	while (thread_count)
		pthread_join(threads[--thread_count], NULL);
	while (wait(&status) > 0 || errno == EINTR) {
		if (WIFEXITED(status) && WEXITSTATUS(status))
			fail("a part of the measurement has failed");
	}
}

/* ---- what came of it ------------------------------------------------------------------------- */

static const struct gap *gap_around(const struct setting *setting, uint64_t ticks)
{
	uint32_t i;

	for (i = 0; i < setting->gaps; i++)
		if (setting->gap[i].last < ticks && ticks < setting->gap[i].first)
			return &setting->gap[i];
	return NULL;
}

static void print_values(const struct setting *setting, const char *measure, const char *what,
			 uint64_t *values, uint32_t count)
{
	char text[256];
	uint32_t i;

	for (i = 0; i < count; i++)
		values[i] =
			(uint64_t)(moment_ns(&setting->before, &setting->after, values[i]) + 0.5);
	snprintf(text, sizeof(text), "\"measure\": \"%s\", %s", measure, what);
	if (setting->spread)
		result_spread(text, values, count);
	else
		result_print(text, values, count);
}

void setting_print(struct setting *setting, const char *what)
{
	static uint64_t release[JOBS_MAX], in[JOBS_MAX], out[JOBS_MAX], cycle[JOBS_MAX];
	uint32_t all = JOBS_WARMUP + setting->wanted, job, releases = 0, cycles = 0;

	for (job = JOBS_WARMUP; job < all && job < setting->jobs; job++) {
		uint64_t begin = setting->begin[job], nominal;
		const struct gap *gap = NULL;

		if (setting->over) {
			gap = gap_around(setting, begin);
			/* The spinner was not running, or another job came before it could. */
			if (!gap || gap->first < setting->end[job] ||
			    (job && setting->begin[job - 1] > gap->last) ||
			    setting->begin[job + 1] < gap->first)
				continue;
			in[cycles] = begin - gap->last;
			out[cycles] = gap->first - setting->end[job];
			cycle[cycles] = in[cycles] + out[cycles] - setting->loop;
			cycles++;
		} else if (setting->idle[job]) {
			uint64_t idle = setting->idle[job + 1] - setting->idle[job];

			cycle[cycles++] = setting->begin[job + 1] - setting->end[job] -
					  moment_span(&setting->before, &setting->after, idle);
		}
		if (setting->policy->kind == POLICY_YIELD)
			continue;
		nominal = moment_ticks(&setting->before, &setting->after,
				       setting->base + job * setting->period);
		release[releases++] = begin > nominal ? begin - nominal : 0;
	}
	if (releases)
		print_values(setting, "release", what, release, releases);
	if (!cycles)
		return;
	print_values(setting, "cycle", what, cycle, cycles);
	if (!setting->over)
		return;
	print_values(setting, "in", what, in, cycles);
	print_values(setting, "out", what, out, cycles);
}
