/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tasks.h - the task set that an admission test looks at, and its utilization
 *
 * Everything in plugins/analysis is exact integer arithmetic on ns for the kernel and user space
 * alike: no floating point, no recursion, no 128-bit division, and an upper bound on the work.
 *
 * Shares of a CPU are fixed point with 60 fractional bits, rounded down: a sum over n tasks falls
 * short of the truth by less than n / 2^60. That is under 0.04 ns in an hour for 10,000 tasks, and
 * 1/2 + 1/3 + 1/6 does not come out above one.
 */
#ifndef _RESCH_ANALYSIS_SET_H
#define _RESCH_ANALYSIS_SET_H

#include <resch/plugin.h>

#define RESCH_SHARE_BITS 60
#define RESCH_SHARE_ONE (1ULL << RESCH_SHARE_BITS)

/*
 * Times in the parameters are at most an hour: 42 bits with the overhead. Products of one with 20
 * bits and more fit u64.
 */
#define RESCH_TIME_BITS 42
#define RESCH_TIME_MAX 3600000000000ULL
#define RESCH_PPM 1000000U

/* Absolute bound for the points of time that a test looks at; far from overflow. 146 years. */
#define RESCH_HORIZON (1ULL << 62)

/*
 * Steps (a task looked at, one division) that an admission test, and the search for a suggestion,
 * may take: below a second. A test that would need more refuses: what has not been shown to be
 * schedulable is not accepted.
 */
#define RESCH_WORK_TEST (1ULL << 24)
#define RESCH_WORK_SUGGEST (1ULL << 22)

/**
 * struct resch_tasks - the tasks on a CPU and, first, the one that wants to join them
 * @rq:    the CPU
 * @extra: the new one
 * @work:  steps left
 */
struct resch_tasks {
	const struct resch_rq *rq;
	const struct resch_task *extra;
	u64 work;
};

static inline const struct resch_task *resch_tasks_next(const struct resch_tasks *tasks,
							const struct resch_task *task)
{
	return task == tasks->extra ? tasks->rq->tasks : task->next;
}

#define resch_tasks_for_each(tasks, task) \
	for ((task) = (tasks)->extra; (task); (task) = resch_tasks_next(tasks, task))

/*
 * Steps from one breath to the next: far below a millisecond. The bound for how long others wait
 * for the CPU is this, or once through the tasks of a domain, whatever is longer.
 */
#define RESCH_WORK_BREATH (1ULL << 12)

/* Takes one step; false: there are none left. */
static inline bool resch_tasks_step(struct resch_tasks *tasks)
{
	if (!tasks->work)
		return false;
	tasks->work--;
	if (unlikely(!(tasks->work & (RESCH_WORK_BREATH - 1))))
		resch_breathe();
	return true;
}

/* The id that a verdict names @task by. */
static inline u32 resch_tasks_name(const struct resch_tasks *tasks, const struct resch_task *task)
{
	return task == tasks->extra ? 0 : task->id;
}

/** resch_tasks_cost - what a job of @task takes from the CPU at most, ns */
static inline u64 resch_tasks_cost(const struct resch_tasks *tasks, const struct resch_task *task)
{
	return resch_task_cost(tasks->rq, task);
}

/**
 * resch_share - @part / @whole, rounded down; times of at most RESCH_TIME_BITS bits, @whole > 0. At
 * most 8.
 */
static inline u64 resch_share(u64 part, u64 whole)
{
	u64 share = 0;
	int round;

	if (part >> 3 >= whole)
		return 8 * RESCH_SHARE_ONE;
	for (round = 0; round < 3; round++) {
		u64 digits = div64_u64(part << 20, whole);

		part = (part << 20) - digits * whole;
		share = (share << 20) + digits;
	}
	return share;
}

/**
 * resch_share_ppm - @share in parts per million, rounded up so that a share above a limit shows as
 * one
 */
static inline u64 resch_share_ppm(u64 share)
{
	u64 whole = share >> RESCH_SHARE_BITS;
	u64 part = share & (RESCH_SHARE_ONE - 1);
	/* 30 bits at a time: the fraction times a million has 80 bits */
	u64 low = (part & ((1ULL << 30) - 1)) * RESCH_PPM;
	u64 high = (part >> 30) * RESCH_PPM + (low >> 30);
	u64 ppm = high >> 30;

	if ((low & ((1ULL << 30) - 1)) || (high & ((1ULL << 30) - 1)))
		ppm++;
	return whole * RESCH_PPM + ppm;
}

/** resch_share_mul - the product of two shares below 4, rounded down */
static inline u64 resch_share_mul(u64 a, u64 b)
{
	return mul_u64_u64_shr(a, b, RESCH_SHARE_BITS);
}

/** resch_scale - @a * @b / @c, rounded down; times of at most RESCH_TIME_BITS bits, @c > 0 */
static inline u64 resch_scale(u64 a, u64 b, u64 c)
{
	u64 high = a * (b >> 21);
	u64 low = a * (b & ((1U << 21) - 1));
	u64 quotient = div64_u64(high, c);

	return (quotient << 21) + div64_u64(((high - quotient * c) << 21) + low, c);
}

/** resch_tasks_share - the utilization of all: sum of cost / period. Stops at 8. */
static inline u64 resch_tasks_share(const struct resch_tasks *tasks)
{
	const struct resch_task *task;
	u64 sum = 0;

	resch_tasks_for_each(tasks, task) {
		sum += resch_share(resch_tasks_cost(tasks, task), task->params.period);
		if (sum >= 8 * RESCH_SHARE_ONE)
			break;
	}
	return sum;
}

/** resch_tasks_fits - may they have that much of its CPU? 0, or -EBUSY and the verdict */
static inline int resch_tasks_fits(const struct resch_tasks *tasks, u64 share,
				   struct resch_verdict *verdict)
{
	u32 capacity = min(tasks->rq->capacity, RESCH_PPM);

	if (share <= resch_share(capacity, RESCH_PPM))
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_UTILIZATION, 0, resch_share_ppm(share),
				    capacity);
}

#endif /* _RESCH_ANALYSIS_SET_H */
