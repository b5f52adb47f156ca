// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - resch-interval: how long it is from each release of a periodic task to the next, as the
 * task itself sees it
 *
 * The time is read as soon as the task runs; the interval is from one such reading to the next. All
 * ways of being periodic are on absolute times, so that what one release is late by the next
 * interval lacks.
 */
#include <err.h>
#include <errno.h>
#include <json-c/json.h>
#include <resch-text.h>
#include <resch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "clock-ns.h"
#include "command-line.h"
#include "thread-attr.h"
#include "time-option.h"
#include "written.h"

#define NAME "resch-interval"

static const char help[] =
	"usage: resch-interval [OPTION...]\n"
	"How long it is from each release of a periodic task to the next, as it sees it. JSON; times in ns.\n"
	"\n"
	"  -w, --way=WAY      how it is periodic (default: fifo):\n"
	"                     other, fifo  clock_nanosleep() as an ordinary task, by SCHED_FIFO\n"
	"                     timerfd      a timer's descriptor, SCHED_FIFO\n"
	"                     deadline     SCHED_DEADLINE and sched_yield(), on any CPU\n"
	"                     resch        a task of resch's, by the plugin edf\n"
	"  -i, --period=TIME  (default: 20ms)\n"
	"  -n, --count=N      intervals (default: 1000)\n"
	"  -c, --cpu=N        (default: the last)\n"
	"      --help, --version\n";

#define PRIORITY 80
#define WARM_UP 3 /* releases before the first interval */
#define NEAR 1000 /* us around the period that have a bucket each; beyond, powers of two */
#define FAR 64

enum way { OTHER, FIFO, TIMERFD, DEADLINE, RESCH, WAYS };

static const char *const ways[WAYS] = { "other", "fifo", "timerfd", "deadline", "resch" };

struct interval {
	enum way way;
	uint64_t period;
	unsigned int count;
	int cpu;
	int fd; /* of the timer, or of the device */
	uint32_t domain; /* 0: not ours */
	uint64_t next; /* the next release, where the task counts itself */
	/* results */
	uint64_t min, max;
	double mean, squares; /* of the differences to the mean, summed up */
	unsigned int seen;
	unsigned long near[2 * NEAR], before[FAR], after[FAR];
};

/* ---- ways to be periodic --------------------------------------------------------------------- */

static void bind_to(const struct interval *run)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET((unsigned int)run->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "CPU %d", run->cpu);
}

static void become(struct thread_attr attr)
{
	if (thread_attr_set(0, &attr))
		err(1, "the scheduling policy");
}

static void arm(struct interval *run)
{
	struct itimerspec times = {
		.it_interval = { (time_t)(run->period / SECOND), (long)(run->period % SECOND) },
		.it_value = { (time_t)(run->next / SECOND), (long)(run->next % SECOND) },
	};

	run->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (run->fd < 0 || timerfd_settime(run->fd, TFD_TIMER_ABSTIME, &times, NULL))
		err(1, "a timer");
}

/* In the domain that the CPU is in, or one of our own. */
static void register_task(struct interval *run)
{
	struct resch_domain_set want = { .plugin = "edf" };
	struct resch_register reg = {
		.params = { .kind = RESCH_PERIODIC,
			    .period = run->period,
			    .wcet = run->period / 10,
			    .cpu = run->cpu,
			    .name = "interval" },
	};
	struct resch_domain_stat stat = { .domain = 0 };
	int result;

	run->fd = resch_open();
	if (run->fd < 0)
		errx(1, "%s", resch_open_reason(run->fd));
	while (resch_domain_next(run->fd, &stat) > 0)
		if (resch_cpus_has(&stat.cpus, (unsigned int)run->cpu))
			reg.domain = stat.domain;
	if (!reg.domain) {
		resch_cpus_add(&want.cpus, (unsigned int)run->cpu);
		result = resch_domain_set(run->fd, &want);
		if (result)
			errx(1, "a domain of CPU %d: %s", run->cpu, strerror(-result));
		reg.domain = run->domain = want.domain;
	}
	result = resch_register_self(run->fd, &reg);
	if (result)
		errx(1, "the task is not admitted: %s", strerror(-result));
}

static void begin(struct interval *run)
{
	run->next = now_ns() + 2 * run->period;
	if (run->way != DEADLINE)
		bind_to(run);
	switch (run->way) {
	case FIFO:
	case TIMERFD:
		become((struct thread_attr){ .policy = SCHED_FIFO, .priority = PRIORITY });
		if (run->way == TIMERFD)
			arm(run);
		break;
	case DEADLINE:
		become((struct thread_attr){ .policy = 6,
					     .runtime = run->period / 10,
					     .deadline = run->period,
					     .period = run->period });
		break;
	case RESCH:
		register_task(run);
		break;
	default:
		break;
	}
}

/* Until the next release. */
static void wait_next(struct interval *run)
{
	struct timespec until = { (time_t)(run->next / SECOND), (long)(run->next % SECOND) };
	uint64_t expired;

	switch (run->way) {
	case TIMERFD:
		while (read(run->fd, &expired, sizeof(expired)) < 0 && errno == EINTR)
			;
		break;
	case DEADLINE:
		sched_yield();
		break;
	case RESCH:
		while (resch_wait(run->fd, NULL) == -EINTR)
			;
		break;
	default:
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
			;
		break;
	}
	run->next += run->period;
}

static void end(struct interval *run)
{
	become((struct thread_attr){ .policy = SCHED_OTHER });
	if (run->way == RESCH) {
		resch_unregister(run->fd, 0);
		if (run->domain)
			resch_domain_del(run->fd, run->domain);
	}
}

/* ---- what was seen --------------------------------------------------------------------------- */

static void put_away(struct interval *run, uint64_t time)
{
	int64_t off = (int64_t)(time - run->period);
	int64_t us = (off >= 0 ? off : off - 999) / 1000; /* rounded down */
	uint64_t far = (uint64_t)(off < 0 ? -off : off);

	if (us >= -NEAR && us < NEAR)
		run->near[us + NEAR]++;
	else
		(off < 0 ? run->before : run->after)[63 - __builtin_clzll(far)]++;
}

/* Welford, Technometrics 4(3), 1962: a mean and variance that sums of squares do not drown. */
static void note(struct interval *run, uint64_t time)
{
	double off = (double)time - run->mean;

	run->min = !run->seen || time < run->min ? time : run->min;
	run->max = time > run->max ? time : run->max;
	run->mean += off / ++run->seen;
	run->squares += off * ((double)time - run->mean);
	put_away(run, time);
}

static void add_bucket(struct json_object *list, int64_t from, int64_t to, unsigned long count)
{
	struct json_object *bucket = json_object_new_array();

	if (!count)
		return;
	json_object_array_add(bucket, json_object_new_int64(from));
	json_object_array_add(bucket, json_object_new_int64(to));
	json_object_array_add(bucket, json_object_new_int64((int64_t)count));
	json_object_array_add(list, bucket);
}

/* [from, to, how many], by the difference to the period, in ns; in order. */
static struct json_object *histogram(const struct interval *run)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = FAR - 2; i >= 0; i--)
		add_bucket(list, -(2LL << i), -(1LL << i), run->before[i]);
	for (i = -NEAR; i < NEAR; i++)
		add_bucket(list, i * 1000LL, (i + 1) * 1000LL, run->near[i + NEAR]);
	for (i = 0; i < FAR - 1; i++)
		add_bucket(list, 1LL << i, 2LL << i, run->after[i]);
	return list;
}

static void tell(const struct interval *run)
{
	struct json_object *out = json_object_new_object();

	json_object_object_add(out, "way", json_object_new_string(ways[run->way]));
	json_object_object_add(out, "period", json_object_new_int64((int64_t)run->period));
	json_object_object_add(out, "count", json_object_new_int64(run->seen));
	json_object_object_add(out, "min", json_object_new_int64((int64_t)run->min));
	json_object_object_add(out, "max", json_object_new_int64((int64_t)run->max));
	json_object_object_add(out, "mean", json_object_new_double(run->mean));
	json_object_object_add(out, "variance",
			       json_object_new_double(run->squares / (run->seen ?: 1)));
	json_object_object_add(out, "histogram", histogram(run));
	printf("%s\n", json_object_to_json_string(out));
	json_object_put(out);
}

/* ---- the command line ------------------------------------------------------------------------ */

static enum way way_of(const char *text)
{
	int way;

	for (way = 0; way < WAYS; way++)
		if (!strcmp(text, ways[way]))
			return (enum way)way;
	fprintf(stderr, NAME ": there is no way '%s'\n", text);
	wrong_usage(NAME);
}

static void parse(struct interval *run, int argc, char **argv)
{
	static const struct option options[] = {
		{ "way", 1, NULL, 'w' },
		{ "period", 1, NULL, 'i' },
		{ "count", 1, NULL, 'n' },
		{ "cpu", 1, NULL, 'c' },
		ASKED_OPTIONS,
	};
	int option;

	while ((option = next_option(argc, argv, NAME, help, "w:i:n:c:", options)) >= 0) {
		switch (option) {
		case 'w':
			run->way = way_of(optarg);
			break;
		case 'i':
			run->period = time_option(NAME, optarg, SECOND / 10000, 100 * SECOND);
			break;
		case 'n':
			run->count = (unsigned int)number_option(NAME, optarg, 1, 1000000000);
			break;
		case 'c':
			run->cpu = (int)number_option(NAME, optarg, 0, CPU_SETSIZE - 1);
			break;
		}
	}
	if (optind != argc)
		wrong_usage(NAME);
}

int main(int argc, char **argv)
{
	static struct interval run = { .way = FIFO, .period = SECOND / 50, .count = 1000 };
	uint64_t last = 0, now;
	unsigned int i;

	written_or_failed(NAME);
	run.cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	parse(&run, argc, argv);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		warn("memory is not locked");
	begin(&run);
	for (i = 0; i <= run.count + WARM_UP; i++) {
		wait_next(&run);
		now = now_ns();
		if (i > WARM_UP)
			note(&run, now - last);
		last = now;
	}
	end(&run);
	tell(&run);
	return 0;
}
