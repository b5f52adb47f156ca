// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* size.c - the smallest server for a set of tasks, and the speed that it needs */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define BUDGET_MIN 10000
#define SIZES 10000 /* the smallest size is one of these */
#define TIME_MAX 3600000000000
#define TASK_PERIOD_MIN 1000
#define QUANTUM_MAX 1000000000
/* What is tried where the period is not given. */
#define FRACTIONS 64
#define PERIOD_MIN 100000

static bool tasks_valid(const struct resch_server_task *tasks, uint32_t count)
{
	uint32_t i;

	if (!count || count > RESCH_SERVER_TASKS_MAX)
		return false;
	for (i = 0; i < count; i++) {
		const struct resch_server_task *task = &tasks[i];

		if (!task->wcet || task->wcet > TIME_MAX || task->period < TASK_PERIOD_MIN ||
		    task->period > TIME_MAX || task->deadline > TIME_MAX || task->reserved)
			return false;
	}
	return true;
}

static bool policy_valid(uint32_t policy, uint64_t quantum)
{
	if (policy == RESCH_SERVER_RR)
		return quantum >= BUDGET_MIN && quantum <= QUANTUM_MAX;
	return policy < RESCH_SERVER_POLICIES && !quantum;
}

static bool params_valid(const struct resch_server_params *params)
{
	return resch_served_promises(params) && policy_valid(params->policy, params->quantum);
}

static struct served with(const struct served *question, uint64_t budget, uint64_t period)
{
	struct served served = *question;

	served.budget = budget;
	served.period = period;
	resch_served_init(&served);
	return served;
}

static int test(const struct served *question, uint64_t budget, uint64_t period,
		struct resch_verdict *verdict)
{
	struct served served = with(question, budget, period);

	return resch_served_test(&served, verdict);
}

static bool refused(const struct served *question, uint64_t budget, uint64_t period)
{
	struct served served = with(question, budget, period);

	return resch_served_refused(&served);
}

static uint64_t budget_least(uint64_t period)
{
	uint64_t least = (period + SIZES - 1) / SIZES;

	return least > BUDGET_MIN ? least : BUDGET_MIN;
}

int resch_server_fits(const struct resch_server_params *params,
		      const struct resch_server_task *tasks, uint32_t count, uint64_t overhead,
		      struct resch_verdict *verdict)
{
	struct served question = {
		.params = params, .tasks = tasks, .count = count, .overhead = overhead
	};
	struct resch_verdict why = {};
	struct served_known known;
	int result;

	if (!params_valid(params) || !tasks_valid(tasks, count) || overhead > TIME_MAX ||
	    params->period > TIME_MAX || params->budget > params->period ||
	    params->budget < budget_least(params->period))
		return -EINVAL;
	if (resch_served_know(&question, &known))
		return -ENOMEM;
	result = test(&question, params->budget, params->period, &why);
	resch_served_forget(&known);
	if (verdict)
		*verdict = why;
	return result;
}

/* The most of [@fails, @passes) that is known to be refused for what was refused before; @fails. */
static uint64_t skip(const struct served *question, uint64_t fails, uint64_t passes,
		     uint64_t period)
{
	while (passes - fails > 1) {
		uint64_t middle = fails + (passes - fails) / 2;

		if (refused(question, middle, period))
			fails = middle;
		else
			passes = middle;
	}
	return fails;
}

/*
 * The least budget in [@least, @passes], of which the last one passes: more is never worse. What a
 * test fails for leads to the next budget worth a test; where that fails, too, it is halved. What
 * gives up leads nowhere.
 */
static uint64_t narrow(const struct served *question, uint64_t least, uint64_t passes,
		       uint64_t period)
{
	uint64_t fails = least - 1, middle;
	struct resch_verdict why;
	bool skipped = false, learned = true;

	while (passes - fails > 1) {
		middle = fails + (passes - fails) / 2;
		skipped = !skipped && learned;
		if (skipped) {
			fails = skip(question, fails, passes, period);
			middle = fails + 1;
			if (middle == passes)
				break;
		}
		if (test(question, middle, period, &why)) {
			fails = middle;
			learned = why.bound != RESCH_BOUND_PLUGIN;
		} else {
			passes = middle;
		}
	}
	return passes;
}

/* The least budget in [@least, @period] that passes. 0: none. */
static uint64_t search(const struct served *question, uint64_t least, uint64_t period,
		       struct resch_verdict *verdict)
{
	if (test(question, period, period, verdict))
		return 0;
	return narrow(question, least, period, period);
}

/* The best of the tasks' periods and deadlines, and their whole fractions. */
struct best {
	uint64_t budget;
	uint64_t period;
};

static void try_period(const struct served *question, uint64_t period, struct best *best,
		       struct resch_verdict *verdict)
{
	uint64_t budget, overhead = question->overhead;
	__uint128_t one, two;

	/* Can it be better at all? The budget is at least what the best one would have here. */
	if (best->budget) {
		one = (__uint128_t)(best->budget + overhead) * period / best->period;
		budget = one > overhead ? (uint64_t)(one - overhead) : 0;
		if (budget > period)
			budget = period;
		if (budget < budget_least(period) || refused(question, budget, period) ||
		    test(question, budget, period, verdict))
			return;
		budget = narrow(question, budget_least(period), budget, period);
	} else {
		budget = search(question, budget_least(period), period, verdict);
		if (!budget)
			return;
	}
	one = (__uint128_t)(budget + overhead) * best->period;
	two = (__uint128_t)(best->budget + overhead) * period;
	if (best->budget && (one > two || (one == two && period <= best->period)))
		return;
	best->budget = budget;
	best->period = period;
}

static uint64_t whole_of(const struct resch_server_task *tasks, uint32_t i)
{
	const struct resch_server_task *task = &tasks[i / 2];

	return i % 2 && task->deadline ? task->deadline : task->period;
}

/* Has it been tried for a task before? What a period is worth does not change. */
static bool tried(const struct resch_server_task *tasks, uint32_t i)
{
	uint64_t whole = whole_of(tasks, i);
	uint32_t before;

	for (before = 0; before < i; before++) {
		if (whole_of(tasks, before) == whole)
			return true;
	}
	return false;
}

/* The periods to try. Return: how many */
static uint32_t periods_to_try(const struct served *question, uint64_t *periods)
{
	uint32_t count = 0, i, k;

	for (i = 0; i < 2 * question->count; i++) {
		uint64_t whole = whole_of(question->tasks, i);

		if (tried(question->tasks, i))
			continue;
		for (k = 1; k <= FRACTIONS && whole / k >= PERIOD_MIN; k++)
			periods[count++] = whole / k;
		if (whole < PERIOD_MIN && whole >= BUDGET_MIN)
			periods[count++] = whole;
	}
	return count;
}

/*
 * Whatever is better than all before is narrowed, which takes long: in the order of their length
 * each may be, in any other order the logarithm of their number is. Always the same order, for the
 * same answer.
 */
static void shuffle(uint64_t *periods, uint32_t count)
{
	uint64_t random = count, swap;
	uint32_t i, other;

	for (i = count; i > 1; i--) {
		random = random * 6364136223846793005 + 1442695040888963407;
		other = (uint32_t)((random >> 32) % i);
		swap = periods[i - 1];
		periods[i - 1] = periods[other];
		periods[other] = swap;
	}
}

static int choose_period(const struct served *question, struct best *best,
			 struct resch_verdict *verdict)
{
	uint64_t *periods = calloc(2 * (size_t)question->count * FRACTIONS, sizeof(*periods));
	uint32_t count, i;

	if (!periods)
		return -ENOMEM;
	count = periods_to_try(question, periods);
	/* Where there is no server the last one's reason is told. */
	for (i = 0; i < count && !best->budget; i++)
		try_period(question, periods[i], best, verdict);
	shuffle(periods + i, count - i);
	for (; i < count; i++)
		try_period(question, periods[i], best, verdict);
	free(periods);
	return best->budget ? 0 : -EBUSY;
}

int resch_server_size(struct resch_server_params *params, const struct resch_server_task *tasks,
		      uint32_t count, uint64_t overhead, struct resch_verdict *verdict)
{
	struct served question = {
		.params = params, .tasks = tasks, .count = count, .overhead = overhead
	};
	struct best best = { .period = params->period };
	struct resch_verdict why = {};
	struct served_known known;
	int result = 0;

	if (!params_valid(params) || !tasks_valid(tasks, count) || overhead > TIME_MAX ||
	    params->period > TIME_MAX || (params->period && params->period < BUDGET_MIN))
		return -EINVAL;
	if (resch_served_know(&question, &known))
		return -ENOMEM;
	if (!params->period) {
		result = choose_period(&question, &best, &why);
	} else {
		best.budget = search(&question, budget_least(best.period), best.period, &why);
		result = best.budget ? 0 : -EBUSY;
	}
	resch_served_forget(&known);
	if (verdict)
		*verdict = result ? why : (struct resch_verdict){};
	if (result)
		return result;
	params->budget = best.budget;
	params->period = best.period;
	return 0;
}

int resch_server_capacity(uint32_t policy, uint64_t quantum, const struct resch_server_task *tasks,
			  uint32_t count, uint64_t *capacity)
{
	struct resch_server_params params = { .policy = policy, .quantum = quantum };
	struct served question = {
		.params = &params, .tasks = tasks, .count = count, .alone = true
	};
	struct served_known known;
	struct resch_verdict unused;

	if (!policy_valid(policy, quantum) || !tasks_valid(tasks, count))
		return -EINVAL;
	if (resch_served_know(&question, &known))
		return -ENOMEM;
	*capacity = search(&question, 1, RESCH_SHARE_UNIT, &unused);
	resch_served_forget(&known);
	return *capacity ? 0 : -EBUSY;
}
