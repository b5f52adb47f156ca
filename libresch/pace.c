// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* pace.c - how far away the next release is, by another clock */
#include <errno.h>
#include <time.h>

#include "request.h"

int resch_pace_set(int fd, uint32_t id, uint64_t distance)
{
	struct resch_pace want = { .id = id, .distance = distance };

	return resch_request(fd, RESCH_IOC_PACE, &want);
}

/* The two clocks are read one after the other: the shortest of several such pairs counts. */
static int clock_ahead(clockid_t clock, int64_t *ahead)
{
	uint64_t shortest = UINT64_MAX;
	int i;

	for (i = 0; i < 3; i++) {
		uint64_t before = resch_now(), after;
		struct timespec time;
		int64_t there;

		if (clock_gettime(clock, &time))
			return -errno;
		after = resch_now();
		there = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		*ahead = there - (int64_t)(before + shortest / 2);
	}
	return 0;
}

uint64_t resch_pace_towards(const struct resch_pace_goal *goal, int64_t ahead, uint64_t release)
{
	int64_t cycle = (int64_t)goal->cycle, most = (int64_t)goal->most, error;

	/* How far after its place the next release would be, of the nearest one. */
	error = ((int64_t)release + ahead - goal->phase) % cycle;
	if (error < 0)
		error += cycle;
	if (error > cycle / 2)
		error -= cycle;
	if (error > most)
		error = most;
	if (error < -most)
		error = -most;
	return (uint64_t)(cycle - error);
}

int resch_pace_follow(int fd, uint32_t id, const struct resch_pace_goal *goal, uint64_t release)
{
	int64_t ahead = 0;
	int result;

	if (!goal->cycle || goal->cycle > INT64_MAX / 4 || goal->most >= goal->cycle)
		return -EINVAL;
	result = clock_ahead(goal->clock, &ahead);
	return result ? result : resch_pace_set(fd, id, resch_pace_towards(goal, ahead, release));
}
