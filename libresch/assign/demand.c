// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * demand.c - demand and supply bound functions; what a group needs at least
 *
 * A window of length r in each slot of length S, always at the same place, supplies in any t
 *
 *   sbf(t) = k r + max(0, t - k S - (S - r)),   k = floor(t / S)
 *
 * at least: the worst t begins where a window ends. Jobs that are released and due in t ask for
 *
 *   dbf(t) = sum of max(0, floor((t - D) / T) + 1) C + what thieves take in t: sum of ceil((t + J)
 *   / T) C
 *
 * EDF meets all deadlines where dbf(t) <= sbf(t) at each t at which a deadline can be. As in Zhang
 * and Burns's processor-demand analysis (IEEE Trans. Computers 58(9), 2009), the search goes
 * backwards from a bound, and from t on to the latest deadline before the time by which dbf(t) is
 * supplied: what is asked for in between is no more, and what is supplied no less.
 */
#include "assign.h"

/* Far from overflow in anything below; 36 years. */
#define HORIZON (1ULL << 60)
/*
 * Looks at a job, for one window: below a ms. Where that is not enough, longer windows are tried.
 */
#define WORK (1U << 15)
#define LONGER_WINDOWS 64
#define FIRST_DEADLINES 8

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static assign_u128 wide_up(assign_u128 a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t demand_until(const struct assign_demand *demand, uint64_t t)
{
	const struct assign_job *job = demand->jobs;
	assign_u128 sum = 0;
	size_t i;

	for (i = 0; i < demand->nr_jobs; i++, job++) {
		if (t >= job->due)
			sum += (assign_u128)((t - job->due) / job->period + 1) * job->cost;
	}
	for (i = 0, job = demand->thieves; i < demand->nr_thieves; i++, job++)
		sum += (assign_u128)divide_up(t + job->due, job->period) * job->cost;
	return sum > HORIZON ? HORIZON : (uint64_t)sum;
}

/* The last time below @t at which a job can be due; 0: there is none. */
static uint64_t deadline_before(const struct assign_demand *demand, uint64_t t)
{
	uint64_t last = 0, at;
	size_t i;

	for (i = 0; i < demand->nr_jobs; i++) {
		const struct assign_job *job = &demand->jobs[i];

		if (t <= job->due)
			continue;
		at = job->due + (t - 1 - job->due) / job->period * job->period;
		if (at > last)
			last = at;
	}
	return last;
}

/* The least window that supplies @demand in @t: each of the two sides of sbf may be what does. */
static uint64_t window_for(uint64_t slot, uint64_t t, uint64_t demand)
{
	uint64_t k = t / slot, rest = t % slot, a = ASSIGN_NEVER, b;

	if (k)
		a = divide_up(demand, k);
	b = divide_up(demand + (slot - rest), k + 1);
	return a < b ? a : b;
}

/* The time by which a window has supplied @demand, which is not 0, at the latest. */
static uint64_t supplied_by(uint64_t slot, uint64_t window, uint64_t demand)
{
	uint64_t k = (demand - 1) / window;

	return k * slot + (slot - window) + (demand - k * window);
}

/* What the demand exceeds t times the utilization by at most, ns, rounded up. */
static uint64_t excess(const struct assign_demand *demand)
{
	const struct assign_job *job = demand->jobs;
	assign_u128 sum = 0;
	size_t i;

	for (i = 0; i < demand->nr_jobs; i++, job++) {
		if (job->due < job->period)
			sum += wide_up((assign_u128)job->cost * (job->period - job->due),
				       job->period);
	}
	for (i = 0, job = demand->thieves; i < demand->nr_thieves; i++, job++)
		sum += job->cost + wide_up((assign_u128)job->cost * job->due, job->period);
	return sum > HORIZON ? HORIZON : (uint64_t)sum;
}

/* Utilization times slot, in 2^-32 ns: from above, or from below */
static assign_u128 rate(const struct assign_demand *demand, uint64_t slot, bool above)
{
	assign_u128 sum = 0, part;
	size_t i;

	for (i = 0; i < demand->nr_jobs + demand->nr_thieves; i++) {
		const struct assign_job *job = i < demand->nr_jobs ?
						       &demand->jobs[i] :
						       &demand->thieves[i - demand->nr_jobs];

		part = ((assign_u128)job->cost * slot) << 32;
		sum += above ? wide_up(part, job->period) : part / job->period;
	}
	return sum;
}

/* The utilization against @window / @slot, exactly: 1, 0, -1. No memory: 1. */
static int rate_compare(const struct assign_demand *demand, uint64_t slot, uint64_t window)
{
	struct assign_sum sum;
	int error = 0;
	size_t i;

	resch_assign_sum_init(&sum);
	for (i = 0; !error && i < demand->nr_jobs + demand->nr_thieves; i++) {
		const struct assign_job *job = i < demand->nr_jobs ?
						       &demand->jobs[i] :
						       &demand->thieves[i - demand->nr_jobs];

		error = resch_assign_sum_add(&sum, job->cost, job->period, false);
	}
	error = error ? 1 : resch_assign_sum_compare(&sum, window, slot);
	resch_assign_sum_free(&sum);
	return error;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b, rest;
	assign_u128 product;

	while (y) {
		rest = x % y;
		x = y;
		y = rest;
	}
	product = (assign_u128)(a / x) * b;
	return product > HORIZON / 4 ? HORIZON : (uint64_t)product;
}

/*
 * From here on demand and supply grow by the same in each common multiple of all periods, which is
 * the only bound there is where the window is just the utilization.
 */
static uint64_t repetition(const struct assign_demand *demand, uint64_t slot)
{
	uint64_t all = slot, last = 0;
	size_t i;

	for (i = 0; i < demand->nr_jobs && all < HORIZON; i++) {
		all = common_multiple(all, demand->jobs[i].period);
		if (demand->jobs[i].due > last)
			last = demand->jobs[i].due;
	}
	for (i = 0; i < demand->nr_thieves && all < HORIZON; i++)
		all = common_multiple(all, demand->thieves[i].period);
	return all < HORIZON ? all + last + 1 : HORIZON;
}

/*
 * No t from here on is critical: sbf(t) >= window / slot (t - (slot - window)), and the demand is
 * at most excess() above utilization times t. HORIZON: not known.
 */
static uint64_t bound(const struct assign_demand *demand, uint64_t slot, uint64_t window)
{
	assign_u128 high = rate(demand, slot, true), ask = (assign_u128)window << 32, top;

	if (ask <= high) {
		if (rate_compare(demand, slot, window))
			return HORIZON;
		return repetition(demand, slot);
	}
	top = (assign_u128)excess(demand) * slot + (assign_u128)window * (slot - window);
	if (top >> 95)
		return HORIZON;
	top = (top << 32) / (ask - high) + 1;
	return top < HORIZON ? (uint64_t)top : HORIZON;
}

/*
 * All of the slot, nobody steals, and deadlines are not before the next release: only the rate
 * counts.
 */
static bool fills_slot(const struct assign_demand *demand, uint64_t slot)
{
	size_t i;

	for (i = 0; i < demand->nr_jobs; i++) {
		if (demand->jobs[i].due < demand->jobs[i].period)
			return false;
	}
	return !demand->nr_thieves && rate_compare(demand, slot, slot) <= 0;
}

/*
 * 0: @window carries the demand. Else a larger one that could, as far as what has been found out
 * goes; ASSIGN_NEVER: no work left.
 */
static uint64_t larger(const struct assign_demand *demand, uint64_t slot, uint64_t window,
		       uint64_t *work)
{
	uint64_t t, asked, least;

	if (window == slot && fills_slot(demand, slot))
		return 0;
	t = bound(demand, slot, window);
	if (t >= HORIZON)
		return window + 1;
	for (t = deadline_before(demand, t + 1); t; t = deadline_before(demand, t)) {
		if (*work < demand->nr_jobs + demand->nr_thieves)
			return ASSIGN_NEVER;
		*work -= demand->nr_jobs + demand->nr_thieves;
		asked = demand_until(demand, t);
		if (asked >= HORIZON)
			return ASSIGN_NEVER;
		least = window_for(slot, t, asked);
		if (least > window)
			return least;
		t = supplied_by(slot, window, asked);
	}
	return 0;
}

/*
 * What the first deadlines ask for, which mostly is what is needed in the end. Windows that are
 * hardly more than the utilization take long to examine: these need not be.
 */
static uint64_t first_guess(const struct assign_demand *demand, uint64_t slot)
{
	uint64_t window, least, t;
	size_t i, k;

	window = (uint64_t)((rate(demand, slot, false) + ((1ULL << 32) - 1)) >> 32);
	if (!window)
		window = 1;
	for (i = 0; i < demand->nr_jobs; i++) {
		for (k = 0; k < FIRST_DEADLINES; k++) {
			t = demand->jobs[i].due + k * demand->jobs[i].period;
			least = window_for(slot, t, demand_until(demand, t));
			window = least > window ? least : window;
		}
	}
	return window;
}

uint64_t resch_assign_exact(const struct assign_demand *demand, uint64_t slot, uint64_t most)
{
	uint64_t window, next, work = WORK, longer = LONGER_WINDOWS, guesses = 4096;

	if (rate(demand, slot, false) >> 32 > most)
		return ASSIGN_NEVER;
	window = first_guess(demand, slot);
	while (window <= most && guesses--) {
		next = larger(demand, slot, window, &work);
		if (!next)
			return window;
		if (next != ASSIGN_NEVER) {
			window = next;
			continue;
		}
		/* the more there is to spare, the sooner it shows */
		if (window == most || !longer--)
			break;
		window += (most - window + 15) / 16;
		work = WORK;
	}
	return ASSIGN_NEVER;
}

bool resch_assign_carries(const struct assign_demand *demand, uint64_t slot, uint64_t window)
{
	uint64_t work = WORK;

	return !larger(demand, slot, window, &work);
}

uint64_t resch_assign_idle(const struct assign_demand *demand, uint64_t slot, uint64_t window,
			   uint64_t backlog, uint64_t most)
{
	uint64_t t = 1, next, work = WORK;
	assign_u128 sum;
	size_t i;

	while (t <= most && work--) {
		sum = backlog;
		for (i = 0; i < demand->nr_jobs; i++)
			sum += (assign_u128)divide_up(t, demand->jobs[i].period) *
			       demand->jobs[i].cost;
		for (i = 0; i < demand->nr_thieves; i++)
			sum += (assign_u128)divide_up(t + demand->thieves[i].due,
						      demand->thieves[i].period) *
			       demand->thieves[i].cost;
		if (sum > HORIZON)
			break;
		next = sum ? supplied_by(slot, window, (uint64_t)sum) : 0;
		if (next <= t)
			return t;
		t = next;
	}
	return ASSIGN_NEVER;
}
