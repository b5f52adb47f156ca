/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* resch-pace.h - periodic tasks whose releases keep to another clock; part of resch.h */
#ifndef _RESCH_PACE_H
#define _RESCH_PACE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * resch_pace_set - have the releases of task @id (0: the calling thread), a periodic one, @distance
 * ns apart, from the present or next one on: its period or more
 *
 * Return: 0 or as struct resch_pace says; -ENOTTY: the module is older than this call.
 */
int resch_pace_set(int fd, uint32_t id, uint64_t distance);

/**
 * struct resch_pace_goal - where releases are to be, by a clock
 * @clock: CLOCK_TAI, CLOCK_REALTIME, a PTP clock's: FD_TO_CLOCKID() of its device
 * @cycle: from one to the next, ns; the task's period and @most, at least
 * @phase: one of them is at this time of the clock, ns
 * @most:  a release is brought so much nearer to its place than the one before, ns; less than
 *         @cycle
 */
struct resch_pace_goal {
	clockid_t clock;
	uint64_t cycle;
	int64_t phase;
	uint64_t most;
};

/**
 * resch_pace_towards - the distance that brings releases nearer to their places; pure
 * @ahead:   what the clock has more than CLOCK_MONOTONIC, ns
 * @release: of the present job, by CLOCK_MONOTONIC, ns
 *
 * Return: @goal->cycle, and up to @goal->most less or more.
 */
uint64_t resch_pace_towards(const struct resch_pace_goal *goal, int64_t ahead, uint64_t release);

/**
 * resch_pace_follow - keep the releases of a periodic task where a clock has them
 * @release: of the present job, as resch_wait() has told
 *
 * To be called in each job. Return: 0; -EINVAL: @goal makes no sense, or its distances can be
 * shorter than the task's period; else as resch_pace_set(), or errno of clock_gettime().
 */
int resch_pace_follow(int fd, uint32_t id, const struct resch_pace_goal *goal, uint64_t release);

#ifdef __cplusplus
}
#endif

#endif /* _RESCH_PACE_H */
