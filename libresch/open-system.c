// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * open-system.c - the door of the open system
 *
 * Deng, Liu, Scheduling real-time applications in an open environment, RTSS 1997; Deng, Liu, Zhang,
 * Mouna, Frei, An open environment for real-time applications, Real-Time Systems 16, 1999.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "resch-server.h"

#define TIME_MAX 3600000000000

typedef unsigned __int128 wide;

static bool app_valid(const struct resch_open_app *app)
{
	return app->capacity && app->capacity <= RESCH_SHARE_UNIT && app->shortest &&
	       app->shortest <= TIME_MAX && app->section <= TIME_MAX &&
	       app->kind <= RESCH_OPEN_NONPREDICTABLE && !app->reserved;
}

uint64_t resch_open_size(const struct resch_open_app *app, uint64_t quantum)
{
	uint64_t rest;

	if (app->kind == RESCH_OPEN_PREDICTABLE)
		return UINT64_MAX;
	if (app->kind == RESCH_OPEN_NONPREEMPTIVE)
		return app->capacity;
	if (quantum >= app->shortest)
		return UINT64_MAX;
	rest = app->shortest - quantum;
	return (uint64_t)(((wide)app->capacity * app->shortest + rest - 1) / rest);
}

/* @time as a share of @whole, rounded up, at most twice all. */
static uint64_t share_of(uint64_t time, uint64_t whole)
{
	if (time >= 2 * whole)
		return 2 * RESCH_SHARE_UNIT;
	return (uint64_t)(((wide)time * RESCH_SHARE_UNIT + whole - 1) / whole);
}

static uint32_t longest_other(const struct resch_open_app *apps, uint32_t count, uint32_t app)
{
	uint32_t longest = app, i;

	for (i = 0; i < count; i++)
		if (i != app && apps[i].section &&
		    (longest == app || apps[i].section > apps[longest].section))
			longest = i;
	return longest;
}

int resch_open_admit(const struct resch_open_app *apps, uint32_t count, uint64_t quantum,
		     uint64_t tick, struct resch_open_verdict *verdict)
{
	uint64_t sizes = 0;
	uint32_t i;

	if (quantum > TIME_MAX || tick > TIME_MAX || count > RESCH_SERVERS_MAX)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		uint64_t size;

		if (!app_valid(&apps[i]))
			return -EINVAL;
		if (apps[i].kind == RESCH_OPEN_PREDICTABLE)
			return -EOPNOTSUPP;
		size = resch_open_size(&apps[i], quantum);
		/* One whose deadline is within a quantum has no size: more than all there is. */
		sizes += size < 2 * RESCH_SHARE_UNIT ? size : 2 * RESCH_SHARE_UNIT;
	}
	for (i = 0; i < count; i++) {
		uint32_t blocker = longest_other(apps, count, i);
		uint64_t section = blocker == i ? 0 : apps[blocker].section, blocking;

		blocking = share_of(section + tick, apps[i].shortest);
		if (sizes + blocking <= RESCH_SHARE_UNIT)
			continue;
		if (verdict)
			*verdict = (struct resch_open_verdict){
				.app = i, .blocker = blocker, .sizes = sizes, .blocking = blocking
			};
		return -EBUSY;
	}
	return 0;
}

static void add_share(char *text, size_t size, uint64_t share)
{
	/* Upwards, as what has been refused should not look as if it fitted. */
	uint64_t shown = (share + 9999) / 10000;

	snprintf(text, size, "%" PRIu64 ".%03" PRIu64 " %%", shown / 1000, shown % 1000);
}

int resch_open_text(const struct resch_open_verdict *verdict, char *text, size_t size)
{
	char sizes[32], blocking[32], sum[32], whose[48] = "the tick";

	add_share(sizes, sizeof(sizes), verdict->sizes);
	add_share(blocking, sizeof(blocking), verdict->blocking);
	add_share(sum, sizeof(sum), verdict->sizes + verdict->blocking);
	if (verdict->sizes > RESCH_SHARE_UNIT)
		return snprintf(text, size,
				"the sizes of the servers add up to %s of the processor", sizes);
	if (verdict->blocker != verdict->app)
		snprintf(whose, sizeof(whose), "the longest section of application %" PRIu32,
			 verdict->blocker + 1);
	return snprintf(text, size,
			"application %" PRIu32
			" could miss a deadline: the sizes of the servers add up to %s, and %s may "
			"take %s of its shortest deadline, %s in all",
			verdict->app + 1, sizes, whose, blocking, sum);
}
