// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run.c - runs a task set: a thread a task, which computes in each job for a time between the
 * least and the largest that the file gives, and is released after a time between the least and the
 * largest
 *
 * The task of Sousa, Bletsas, Tovar, Andersson, On the implementation of real-time slot-based
 * task-splitting scheduling algorithms for multiprocessor systems, 2011, section 5: execution
 * times, inter-arrival times and offsets are uniform in their ranges, from a seed.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/progress.h"
#include "assign.h"
#include "random.h"
#include "relax.h"

#define SECOND 1000000000ULL
/* What a common time zero leaves for all threads to have waited. */
#define START_DELAY (20 * SECOND / 1000)
/* How often to look whether all jobs are done. */
#define LOOK (20 * SECOND / 1000)

struct player {
	const struct taskset_task *task;
	struct resch_register reg;
	pthread_t thread;
	uint64_t seed;
	uint64_t arrival; /* the next one, of a task with random gaps */
	int fd;
	int error;
	bool started;
	bool random; /* is released by us */
	uint64_t jobs; /* how many; 0: as many as there are */
	atomic_int registered;
	atomic_int ended;
	atomic_int *stop;
};

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

/* Uniform in [@least, @most], good enough for any range of times. */
static uint64_t uniform(uint64_t *seed, uint64_t least, uint64_t most)
{
	uint64_t z = random_mix(*seed += RANDOM_STEP);

	return most > least ? least + z % (most - least + 1) : least;
}

static void compute(uint64_t time)
{
	uint64_t begin = cpu_time();

	while (cpu_time() - begin < time)
		relax();
}

static void *play(void *arg)
{
	struct player *player = arg;
	uint64_t seed = player->seed, done = 0;
	int error;

	player->error = resch_register_self(player->fd, &player->reg);
	atomic_store(&player->registered, 1);
	if (player->error)
		return NULL;
	while (!atomic_load(player->stop)) {
		error = resch_wait(player->fd, NULL);
		if (error == -EINTR)
			continue;
		if (error)
			break; /* its registration has ended */
		if (player->jobs && done++ == player->jobs)
			break; /* this wait has completed the last one */
		compute(uniform(&seed, player->task->exec_min, player->task->exec_max));
	}
	atomic_store(&player->ended, 1);
	return NULL;
}

static bool all_ended(struct player *players, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (!atomic_load(&players[i].ended))
			return false;
	}
	return true;
}

static int player_start(struct player *player, const struct assignment *assignment, uint32_t i,
			const struct applied *applied, uint64_t seed)
{
	const struct taskset_task *task = &assignment->set.tasks[i];
	struct resch_task_params *params = &player->reg.params;

	player->task = task;
	player->seed = seed + i * 1000003;
	player->random = task->gap_max > task->params.period;
	player->reg.domain = applied->domain;
	*params = task->params;
	params->cpu = -1;
	params->group = assignment->layout->task_group[i];
	params->kind = player->random ? RESCH_SPORADIC : RESCH_PERIODIC;
	params->offset =
		player->random ? 0 : uniform(&player->seed, task->params.offset, task->offset_max);
	params->flags = player->random ? 0 : RESCH_F_SYNC;
	if (pthread_create(&player->thread, NULL, play, player))
		return fail("assign: a thread could not be made");
	player->started = true;
	while (!atomic_load(&player->registered))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	if (player->error)
		return fail("%s: %s", params->name, refusal_text(player->error, &player->reg));
	return EXIT_DONE;
}

/* The player whose arrival is next, or NULL. */
static struct player *next_arrival(struct player *players, uint32_t count)
{
	struct player *next = NULL;
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (players[i].random && (!next || players[i].arrival < next->arrival))
			next = &players[i];
	}
	return next;
}

static void sleep_until(uint64_t time)
{
	struct timespec at = { .tv_sec = (time_t)(time / SECOND),
			       .tv_nsec = (long)(time % SECOND) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* Releases the tasks with random gaps until @end, or until all have had their jobs. */
static void conduct(struct player *players, uint32_t count, uint64_t zero, uint64_t end)
{
	/* Whether all have ended; or how far it is, where somebody looks. */
	uint64_t look = players[0].jobs ? LOOK : isatty(STDERR_FILENO) ? 10 * LOOK : UINT64_MAX;
	struct player *player;
	uint64_t next;
	uint32_t i;

	for (i = 0; i < count; i++)
		players[i].arrival = zero + uniform(&players[i].seed,
						    players[i].task->params.offset,
						    players[i].task->offset_max);
	progress_begin();
	while (!interrupted && resch_now() < end && !all_ended(players, count)) {
		progress("seconds played", resch_now() < zero ? 0 : (resch_now() - zero) / SECOND,
			 (end - zero) / SECOND);
		player = next_arrival(players, count);
		next = player && player->arrival < end ? player->arrival : end;
		if (next > resch_now() && next - resch_now() > look)
			next = resch_now() + look;
		sleep_until(next);
		if (interrupted || !player || next == end || resch_now() < player->arrival)
			continue;
		resch_release(player->fd, player->reg.id);
		player->arrival +=
			uniform(&player->seed, player->task->params.period, player->task->gap_max);
	}
	progress_end();
}

static void report(const struct player *players, uint32_t count, int fd, struct json_object *out)
{
	struct json_object *list = out ? json_object_new_array() : NULL;
	struct resch_task_stat stat;
	struct table table;
	uint64_t jobs = 0, misses = 0;
	uint32_t i;

	task_table_begin(&table);
	for (i = 0; i < count; i++) {
		if (resch_task_stat(fd, players[i].reg.id, &stat))
			continue;
		jobs += stat.completed;
		misses += stat.misses;
		if (out)
			json_object_array_add(list, task_json(&stat));
		task_table_add(&table, &stat);
	}
	if (out) {
		json_add(out, "run", list);
		return;
	}
	putchar('\n');
	table_print(&table, stdout);
	printf("%llu jobs, %llu missed their deadlines\n", (unsigned long long)jobs,
	       (unsigned long long)misses);
}

static void players_end(struct player *players, uint32_t count, atomic_int *stop)
{
	uint32_t i;

	atomic_store(stop, 1);
	for (i = 0; i < count; i++) {
		if (players[i].started && !players[i].error)
			resch_unregister(players[i].fd, players[i].reg.id);
	}
	for (i = 0; i < count; i++) {
		if (players[i].started)
			pthread_join(players[i].thread, NULL);
	}
}

int layout_run(const struct assignment *assignment, int fd, const struct applied *applied,
	       const struct run *run, struct json_object *out)
{
	struct sigaction action = { .sa_handler = interrupt };
	/* those that run already go on by themselves */
	uint32_t i, count = assignment->set.count - assignment->standing.nr_tasks;
	struct player *players = calloc(count, sizeof(*players));
	atomic_int stop = 0;
	int result = EXIT_DONE;
	uint64_t zero;

	if (!players)
		return fail("out of memory");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; !result && i < count; i++) {
		players[i].fd = fd;
		players[i].stop = &stop;
		players[i].jobs = run->jobs;
		result = player_start(&players[i], assignment, i, applied, run->seed);
	}
	if (!result) {
		zero = resch_now() + START_DELAY;
		result = resch_start(fd, applied->domain, zero);
		if (result < 0)
			result = fail("assign: the common start: %s", error_text(result));
		else
			result = EXIT_DONE;
	}
	if (!result) {
		conduct(players, count, zero, zero + run->time);
		report(players, count, fd, out);
	}
	players_end(players, count, &stop);
	free(players);
	return result;
}
