// SPDX-License-Identifier: GPL-2.0
/* progress.c - how far a long simulation is */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"

#define PATIENCE 2000000000ULL
#define EVERY 100000000ULL
/* The clock is not asked at each event. */
#define CALLS 4096

static u64 clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec;
}

/* Is it time to say something? */
static bool progress_due(struct sim_progress *progress)
{
	u64 clock = clock_ns();

	if (!progress->begun) {
		progress->begun = clock;
		progress->silent = !isatty(STDERR_FILENO);
	}
	if (progress->silent || clock - progress->begun < PATIENCE ||
	    clock - progress->told < EVERY)
		return false;
	progress->told = clock;
	return true;
}

/* What is still to come: @times what it has taken until now. */
static void say_left(const struct sim_progress *progress, double times)
{
	double seconds = (double)(progress->told - progress->begun) / 1e9 * times;

	if (seconds < 120)
		fprintf(stderr, "; %.0f s to go\033[K", seconds);
	else if (seconds < 7200)
		fprintf(stderr, "; %.0f min to go\033[K", seconds / 60);
	else
		fprintf(stderr, "; %.0f h to go\033[K", seconds / 3600);
}

void sim_progress_tell(struct sim_progress *progress, u64 now, u64 end)
{
	if (progress->silent || progress->calls++ % CALLS || !progress_due(progress))
		return;
	fprintf(stderr, "\rresch-sim: %.1f of %.1f s simulated, %.1f %%", (double)now / 1e9,
		(double)end / 1e9, end ? 100.0 * (double)now / (double)end : 0.0);
	say_left(progress, now ? (double)end / (double)now - 1 : 0);
}

/* To admit one takes as long as there are others: all of them, as the square. */
void sim_progress_admit(struct sim_progress *progress, u32 done, u32 count)
{
	double of = done ? (double)count / done : 1;

	if (progress->silent || !progress_due(progress))
		return;
	fprintf(stderr, "\rresch-sim: %u of %u tasks admitted", done, count);
	say_left(progress, of * of - 1);
}

void sim_progress_done(struct sim_progress *progress)
{
	if (progress->told)
		fputs("\r\033[K", stderr);
	progress->told = 0;
}
