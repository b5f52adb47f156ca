// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* tune.c - budgets that follow what is used: resch-server.h says how */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "resch-server.h"

/* A smaller change is not worth a request. */
#define PART 50

static bool tune_valid(const struct resch_tune *tune)
{
	return tune->least && tune->least <= tune->most && tune->spare >= RESCH_TUNE_SPARE_MIN &&
	       tune->spare <= RESCH_TUNE_SPARE_MAX && tune->window &&
	       tune->window <= RESCH_TUNE_WINDOW && tune->ignore < tune->window;
}

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The largest but so many of the samples; there is one. */
static uint64_t predict(const struct resch_tune *tune)
{
	uint32_t count = tune->seen < tune->window ? tune->seen : tune->window;
	uint64_t sorted[RESCH_TUNE_WINDOW];

	memcpy(sorted, tune->used, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), descending);
	/* As long as there are few of them the least one. */
	return sorted[tune->ignore < count ? tune->ignore : count - 1];
}

/* The next sample begins. */
static void begin(struct resch_tune *tune, const struct resch_server_stat *stat, uint64_t now)
{
	tune->since = now;
	tune->consumed = stat->consumed;
}

/* Return: whether there was a sample. */
static bool sample(struct resch_tune *tune, const struct resch_server_stat *stat, uint64_t now)
{
	const uint64_t period = stat->params.period;
	double used;

	/* Of another size: what was seen says nothing of its periods. */
	if (tune->period != period) {
		tune->period = period;
		tune->seen = 0;
		tune->since = 0;
	}
	/* The first look; a plugin has taken over, and counts from 0; nobody is there. */
	if (!tune->since || stat->consumed < tune->consumed || now < tune->since || !stat->tasks) {
		begin(tune, stat, now);
		return false;
	}
	if (now - tune->since < period)
		return false;
	used = (double)(stat->consumed - tune->consumed) * (double)period /
	       (double)(now - tune->since);
	/* Where it may have more than its budget there is an end, too. */
	if (used > (double)period)
		used = (double)period;
	tune->used[tune->seen % tune->window] = (uint64_t)used;
	tune->seen++;
	/* The count may go round: at the same place of the window. */
	if (tune->seen == 2 * tune->window)
		tune->seen = tune->window;
	begin(tune, stat, now);
	return true;
}

/* Within the bounds, and a period. */
static uint64_t bounded(const struct resch_tune *tune, uint64_t budget)
{
	if (budget < tune->least)
		budget = tune->least;
	if (budget > tune->most)
		budget = tune->most;
	return budget > tune->period ? tune->period : budget;
}

uint64_t resch_tune_budget(struct resch_tune *tune, const struct resch_server_stat *stat,
			   uint64_t now)
{
	const uint64_t budget = stat->params.budget;
	uint64_t wanted, change;

	if (!tune_valid(tune))
		return 0;
	if (!sample(tune, stat, now))
		return bounded(tune, budget);
	/* At most an hour's period times 500: far from the end of 64 bits. */
	wanted = predict(tune) * (100 + tune->spare) / 100;
	wanted = bounded(tune, wanted);
	change = wanted > budget ? wanted - budget : budget - wanted;
	/* What is short of time just below the upper bound gets the rest, however little it is. */
	if (change < budget / PART && wanted != bounded(tune, UINT64_MAX))
		wanted = bounded(tune, budget);
	return wanted;
}

/* Whether a budget that admission would take is on the way to the one wanted. */
static bool on_the_way(uint64_t budget, uint64_t now, uint64_t wanted)
{
	return now < wanted ? now < budget && budget < wanted : wanted < budget && budget < now;
}

int resch_server_tune(int fd, struct resch_tune *tune, struct resch_server_set *want)
{
	struct resch_server_stat stat;
	struct resch_verdict why;
	uint64_t budget, wanted;
	int result = resch_server_stat(fd, want->domain, want->id, &stat);

	if (result)
		return result;
	want->params = stat.params;
	want->verdict = (struct resch_verdict){};
	budget = stat.params.budget;
	wanted = stat.band ? 0 : resch_tune_budget(tune, &stat, resch_now());
	if (!wanted)
		return -EINVAL;
	if (wanted == budget)
		return 0;
	want->params.budget = wanted;
	result = resch_server_set(fd, want);
	if (result == -EBUSY && on_the_way(want->verdict.suggest_wcet, budget, wanted)) {
		why = want->verdict;
		want->params.budget = why.suggest_wcet;
		result = resch_server_set(fd, want);
		want->verdict = why;
	}
	if (result)
		want->params.budget = budget;
	return result ?: 1;
}
