/* SPDX-License-Identifier: GPL-2.0 */
/*
 * utilization.h - the utilization bounds of fixed-priority scheduling
 *
 * Both take tasks by increasing inter-arrival time at decreasing priority (rate monotonic), each
 * complete before its next release. A task with a deadline shorter than its period counts as one
 * that comes that much more often: then "rate monotonic" is deadline monotonic. The caller sees to
 * the order, see resch_bound_density().
 */
#ifndef _RESCH_ANALYSIS_UTILIZATION_H
#define _RESCH_ANALYSIS_UTILIZATION_H

#include "tasks.h"

/** resch_bound_density - cost / min(deadline, period) of a task */
static inline u64 resch_bound_density(const struct resch_tasks *tasks,
				      const struct resch_task *task)
{
	return resch_share(resch_tasks_cost(tasks, task),
			   min(task->params.deadline, task->params.period));
}

/**
 * resch_bound_product - product of (density + 1) over the set; stops above 2
 *
 * At most 2: schedulable. Hyperbolic bound: Bini, Buttazzo, Buttazzo, Rate monotonic analysis, IEEE
 * Trans. Computers 52(7), 2003, theorem 1.
 */
static inline u64 resch_bound_product(const struct resch_tasks *tasks)
{
	const struct resch_task *task;
	u64 product = RESCH_SHARE_ONE;

	resch_tasks_for_each(tasks, task) {
		u64 density = resch_bound_density(tasks, task);

		/* a density above 1 is beyond the bound on its own */
		product = resch_share_mul(product,
					  RESCH_SHARE_ONE + min(density, RESCH_SHARE_ONE + 1));
		if (product > 2 * RESCH_SHARE_ONE)
			break;
	}
	return product;
}

/*
 * Is (1 + sum / n)^n <= 2? That is sum <= n (2^(1/n) - 1), without a root. By squaring; stops above
 * 2.
 */
static inline bool resch_bound_below_root(u64 sum, u32 n)
{
	u64 power = RESCH_SHARE_ONE + div64_u64(sum, n), result = RESCH_SHARE_ONE;

	for (; n; n >>= 1) {
		if (n & 1)
			result = resch_share_mul(result, power);
		if (result > 2 * RESCH_SHARE_ONE)
			return false;
		/* above 2 here, it is in the result once more: n has a bit above this one */
		if (power > 2 * RESCH_SHARE_ONE && n > 1)
			return false;
		power = resch_share_mul(power, power);
	}
	return true;
}

/**
 * resch_bound_liu_layland - n (2^(1/n) - 1) in parts per million, rounded down. Liu, Layland, JACM
 * 20(1), 1973, theorem 5
 */
static inline u32 resch_bound_liu_layland(u32 n)
{
	u32 low = 693147, high = RESCH_PPM; /* ln 2, the limit for large n, and n = 1 */

	if (resch_bound_below_root(RESCH_SHARE_ONE, n))
		return high;
	while (high - low > 1) {
		u32 middle = (low + high) / 2;

		if (resch_bound_below_root(resch_share(middle, RESCH_PPM), n))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/** resch_test_hyperbolic - 0, or -EBUSY and the verdict */
static inline int resch_test_hyperbolic(const struct resch_tasks *tasks,
					struct resch_verdict *verdict)
{
	u64 product = resch_bound_product(tasks);

	if (product <= 2 * RESCH_SHARE_ONE)
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_HYPERBOLIC, 0, resch_share_ppm(product),
				    2 * RESCH_PPM);
}

/** resch_test_liu_layland - 0, or -EBUSY and the verdict */
static inline int resch_test_liu_layland(const struct resch_tasks *tasks,
					 struct resch_verdict *verdict)
{
	const struct resch_task *task;
	u64 sum = 0;
	u32 n = 0;

	resch_tasks_for_each(tasks, task) {
		n++;
		if (sum <= RESCH_SHARE_ONE)
			sum += min(resch_bound_density(tasks, task), 2 * RESCH_SHARE_ONE);
	}
	if (sum <= RESCH_SHARE_ONE && resch_bound_below_root(sum, n))
		return 0;
	return resch_verdict_refuse(verdict, RESCH_BOUND_LIU_LAYLAND, 0, resch_share_ppm(sum),
				    resch_bound_liu_layland(n));
}

#endif /* _RESCH_ANALYSIS_UTILIZATION_H */
