// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lead-measure.c - how long a CPU takes from a release to the job's first instruction, and how long
 * with a lead
 *
 * By a task of our own, whose jobs do nothing but read the clock.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lead.h"
#include "common/owner.h"
#include "common/progress.h"

/* A job of ours, of its period: far more than it takes. */
#define MEASURE_SHARE 20

/** struct measure - a run of it; the thread's until that has ended */
struct measure {
	const struct lead_measure *asked;
	int fd;
	uint32_t domain;
	uint64_t *late[2]; /* ns after the release, of each job; without a lead, and with one */
	uint64_t lead;
	struct resch_task_stat stat; /* at its end */
	struct resch_register reg;
	struct resch_verdict verdict;
	int registered, led; /* 0 or -errno */
	atomic_ullong done;
	atomic_bool ended;
};

static volatile sig_atomic_t measure_stop;

static void measure_interrupted(int signal)
{
	(void)signal;
	measure_stop = 1;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Some more than the longest way: it is to be behind every job. */
static uint64_t measure_lead(const struct measure *measure)
{
	uint64_t jobs = measure->asked->jobs, lead;

	qsort(measure->late[0], jobs, sizeof(uint64_t), ascending);
	lead = measure->late[0][jobs - 1];
	lead = (lead + lead / 8 + 1000) / 1000 * 1000;
	if (lead >= RESCH_LEAD_MAX)
		lead = RESCH_LEAD_MAX - 1;
	return lead < measure->asked->period ? lead : measure->asked->period / 2;
}

/* Return: 0 or -errno. */
static int measure_jobs(struct measure *measure, uint64_t *late)
{
	struct resch_wait job;
	uint64_t i, now;
	int result;

	for (i = 0; i < measure->asked->jobs && !measure_stop; i++) {
		result = resch_wait(measure->fd, &job);
		now = resch_now();
		if (result == -EINTR) {
			i--;
			continue;
		}
		if (result)
			return result;
		late[i] = now > job.release ? now - job.release : 0;
		atomic_fetch_add_explicit(&measure->done, 1, memory_order_relaxed);
	}
	return measure_stop ? -EINTR : 0;
}

static void *measure_thread(void *argument)
{
	struct measure *measure = argument;
	int result;

	measure->registered = resch_register_self(measure->fd, &measure->reg);
	if (!measure->registered) {
		result = measure_jobs(measure, measure->late[0]);
		if (!result) {
			measure->lead = measure_lead(measure);
			result = resch_lead_set(measure->fd, 0, measure->lead, &measure->verdict);
		}
		if (!result)
			result = measure_jobs(measure, measure->late[1]);
		measure->led = result;
		resch_task_stat(measure->fd, 0, &measure->stat);
		resch_unregister(measure->fd, 0);
	}
	atomic_store(&measure->ended, true);
	return NULL;
}

static struct json_object *measure_json(const uint64_t *sorted, uint64_t jobs)
{
	struct json_object *times = json_object_new_object();

	json_add_time(times, "min", sorted[0]);
	json_add_time(times, "median", sorted[jobs / 2]);
	json_add_time(times, "p99_9", sorted[jobs - 1 - jobs / 1000]);
	json_add_time(times, "max", sorted[jobs - 1]);
	return times;
}

static void measure_row(struct table *table, const char *what, const uint64_t *sorted,
			uint64_t jobs)
{
	table_add(table, "%s", what);
	table_add(table, "%s", time_short(sorted[0]));
	table_add(table, "%s", time_short(sorted[jobs / 2]));
	table_add(table, "%s", time_short(sorted[jobs - 1 - jobs / 1000]));
	table_add(table, "%s", time_short(sorted[jobs - 1]));
}

static void measure_show_json(const struct measure *measure)
{
	struct json_object *out = json_object_new_object(), *with;
	uint64_t jobs = measure->asked->jobs;

	json_add(out, "cpu", json_object_new_int(measure->asked->cpu));
	json_add_number(out, "jobs", jobs);
	json_add_time(out, "period", measure->asked->period);
	json_add(out, "without", measure_json(measure->late[0], jobs));
	json_add_time(out, "lead", measure->lead);
	with = measure_json(measure->late[1], jobs);
	json_add_number(with, "late", measure->stat.lead_late);
	json_add_time(with, "way_max", measure->stat.lead_way);
	json_add(out, "with", with);
	json_show(out, stdout);
}

static void measure_show(const struct measure *measure)
{
	static const char *const headings[] = {
		"FROM RELEASE TO JOB", ">MIN", ">MEDIAN", ">99.9%", ">MAX", NULL
	};
	uint64_t jobs = measure->asked->jobs;
	struct table table;
	char what[64];

	qsort(measure->late[1], jobs, sizeof(uint64_t), ascending);
	if (measure->asked->json) {
		measure_show_json(measure);
		return;
	}
	table_begin(&table, headings);
	measure_row(&table, "without a lead", measure->late[0], jobs);
	snprintf(what, sizeof(what), "with a lead of %s", time_text(measure->lead));
	measure_row(&table, what, measure->late[1], jobs);
	table_print(&table, stdout);
	printf("\n%llu of %lu jobs came after their release though they had the lead, and the longest way\n"
	       "was %s. To give it to a task: `reschctl lead set ID %s`, or resch_lead_set().\n",
	       measure->stat.lead_late, (unsigned long)jobs, time_short(measure->stat.lead_way),
	       time_text(measure->lead));
}

/* The thread runs; whoever waits is told how far it is. */
static int measure_run(struct measure *measure)
{
	struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct sigaction action = { .sa_handler = measure_interrupted };
	pthread_t thread;
	int result;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	result = pthread_create(&thread, NULL, measure_thread, measure);
	if (result)
		return fail("a thread: %s", strerror(result));
	progress_begin();
	while (!atomic_load(&measure->ended)) {
		progress("jobs", atomic_load(&measure->done), 2 * measure->asked->jobs);
		nanosleep(&pause, NULL);
	}
	progress_end();
	pthread_join(thread, NULL);
	if (measure->registered)
		return fail("%s", refusal_text(measure->registered, &measure->reg));
	if (measure_stop)
		return fail("interrupted");
	if (measure->led == -ECANCELED)
		return fail("the registration ended meanwhile: see the kernel's log");
	if (measure->led)
		return lead_refused(measure->led, &measure->verdict);
	measure_show(measure);
	return EXIT_DONE;
}

static int measure_in(struct measure *measure)
{
	struct resch_domain_stat stat;
	struct spec spec = { .params = { .cpu = measure->asked->cpu } };
	struct place place = {};
	int result = domain_of_cpu(measure->fd, (unsigned int)measure->asked->cpu, &stat);

	if (result <= 0)
		place.policy = "edf";
	result = place_find(measure->fd, &place, &spec, 1);
	if (result)
		return result;
	measure->reg.domain = place.domain;
	result = measure_run(measure);
	place_leave(measure->fd, &place);
	return result;
}

int lead_measure(const struct lead_measure *asked)
{
	struct measure measure = {
		.asked = asked,
		.reg.params = {
			.period = asked->period,
			.wcet = asked->period / MEASURE_SHARE,
			.miss = RESCH_SKIP,
			.cpu = asked->cpu,
			.name = "reschctl-lead",
		},
	};
	int result;

	measure.late[0] = calloc(2 * asked->jobs, sizeof(uint64_t));
	if (!measure.late[0])
		return fail("out of memory");
	measure.late[1] = measure.late[0] + asked->jobs;
	/* Not in the middle of a job. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	measure.fd = device_open();
	result = measure.fd < 0 ? EXIT_NO_MODULE : measure_in(&measure);
	if (measure.fd >= 0)
		close(measure.fd);
	free(measure.late[0]);
	return result;
}
