// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/*
 * edf.c - does a server carry these tasks in the order of their deadlines, or of their releases?
 *
 * Points of time are looked at from the last one that matters back to the first: the demand until
 * then against the supply. Few tests are made and each looks at many points, so a point must cost
 * little: what each row of tasks demands is kept and taken back, not worked out anew.
 */
#include <errno.h>
#include <stdlib.h>

#include "test.h"

typedef unsigned __int128 wide;

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t due_of(const struct resch_server_task *task, uint64_t all)
{
	if (all)
		return all;
	return task->deadline ? task->deadline : task->period;
}

static int compare_rows(const void *a, const void *b)
{
	const struct served_row *one = a, *two = b;

	if (one->period != two->period)
		return one->period < two->period ? -1 : 1;
	return one->due < two->due ? -1 : one->due > two->due;
}

int resch_served_rows(const struct served *served, struct served_known *known)
{
	struct served_row *rows = calloc(served->count, sizeof(*rows));
	uint32_t i, last = 0;

	if (!rows)
		return -ENOMEM;
	for (i = 0; i < served->count; i++) {
		const struct resch_server_task *task = &served->tasks[i];

		rows[i] = (struct served_row){
			.due = due_of(task, known->due),
			.period = task->period,
			.cost = task->wcet + served->overhead,
		};
		if (rows[i].due > known->last_due)
			known->last_due = rows[i].due;
	}
	qsort(rows, served->count, sizeof(*rows), compare_rows);
	for (i = 1; i < served->count; i++) {
		if (compare_rows(&rows[last], &rows[i]))
			rows[++last] = rows[i];
		else
			rows[last].cost += rows[i].cost;
	}
	known->rows = rows;
	known->nr_rows = last + 1;
	return 0;
}

/* All tasks looked at, as far as what may be spent goes. */
static bool spend(struct served *served)
{
	served->work -= least_of(served->work, served->count);
	return served->work;
}

/* ---- the points ------------------------------------------------------------------------------ */

/*
 * Takes back what the row has due after @limit, a job or many. Return: their work
 */
static wide take_back(struct served_row *row, uint64_t limit)
{
	uint64_t jobs;

	if (row->last <= limit)
		return 0;
	if (limit < row->due) {
		jobs = (row->last - row->due) / row->period + 1;
		row->last = 0;
	} else {
		jobs = (row->last - limit - 1) / row->period + 1;
		row->last -= jobs * row->period;
	}
	return (wide)jobs * row->cost;
}

uint64_t resch_served_last(const struct served_known *known, uint64_t limit, wide *work)
{
	struct served_row *row, *end = known->rows + known->nr_rows;
	uint64_t last = 0, jobs;

	*work = 0;
	for (row = known->rows; row < end; row++) {
		jobs = limit >= row->due ? (limit - row->due) / row->period + 1 : 0;
		row->last = jobs ? row->due + (jobs - 1) * row->period : 0;
		*work += (wide)jobs * row->cost;
		if (row->last > last)
			last = row->last;
	}
	return last;
}

/*
 * One job of each row that has one after @limit, which is not before its first: about every
 * second row has, so a branch would be guessed wrong as often as not.
 */
static uint64_t one_back(const struct served_known *known, uint64_t limit, uint64_t *taken)
{
	struct served_row *row, *end = known->rows + known->nr_rows;
	uint64_t last = 0, after;

	*taken = 0;
	for (row = known->rows; row < end; row++) {
		after = -(uint64_t)(row->last > limit);
		row->last -= row->period & after;
		*taken += row->cost & after;
		last = row->last > last ? row->last : last;
	}
	return last;
}

uint64_t resch_served_back(const struct served_known *known, uint64_t limit, wide *work)
{
	struct served_row *row, *end = known->rows + known->nr_rows;
	uint64_t last, taken;

	if (limit >= known->last_due) {
		last = one_back(known, limit, &taken);
		*work -= taken;
		if (last <= limit)
			return last;
	}
	for (last = 0, row = known->rows; row < end; row++) {
		*work -= take_back(row, limit);
		if (row->last > last)
			last = row->last;
	}
	return last;
}

/*
 * No interval from here on can break the test: wait(w) <= w / U + delay, and dbf(t) is at most the
 * sum of U_i (t + T_i - D_i), from max (D_i - T_i) on. Rounded up generously.
 */
static uint64_t slack_bound(const struct served *served)
{
	long double rate = (long double)served->budget / (long double)served->period;
	long double delay = (long double)(resch_served_hard(served) ?
						  2 * (served->period - served->budget) :
						  served->lag);
	long double share = 0, sum = rate * delay, bound = 0;
	uint32_t i;

	for (i = 0; i < served->count; i++) {
		long double period = (long double)served->tasks[i].period;
		long double due = (long double)due_of(&served->tasks[i], served->due);
		long double cost = (long double)(served->tasks[i].wcet + served->overhead);
		long double part = cost / period, early = period - due;

		share += part;
		if (early > 0)
			sum += part * early;
		else if (-early > bound)
			bound = -early;
	}
	if (rate - share <= 1e-12L)
		return SERVED_HORIZON;
	sum = sum / (rate - share) * (1 + 1e-6L) + 1;
	sum = sum > bound ? sum : bound;
	return sum < (long double)SERVED_HORIZON ? (uint64_t)sum + 1 : SERVED_HORIZON;
}

static uint64_t cut(wide work)
{
	return work < SERVED_HORIZON ? (uint64_t)work : SERVED_HORIZON;
}

/* One job of each row whose next is released before @window. Return: the earliest next release. */
static uint64_t one_on(const struct served_known *known, uint64_t window, uint64_t *more)
{
	struct served_row *row, *end = known->rows + known->nr_rows;
	uint64_t first = UINT64_MAX, before;

	*more = 0;
	for (row = known->rows; row < end; row++) {
		before = -(uint64_t)(row->next < window);
		row->next += row->period & before;
		*more += row->cost & before;
		first = row->next < first ? row->next : first;
	}
	return first;
}

/* Adds what is released before @window to what was released before an earlier one. */
static void count_on(const struct served_known *known, uint64_t window, wide *sum)
{
	struct served_row *row, *end = known->rows + known->nr_rows;
	uint64_t first, more, jobs;

	first = one_on(known, window, &more);
	*sum += more;
	if (first >= window)
		return;
	for (row = known->rows; row < end; row++) {
		if (row->next >= window)
			continue;
		jobs = (window - row->next - 1) / row->period + 1;
		row->next += jobs * row->period;
		*sum += (wide)jobs * row->cost;
	}
}

/* The longest time without an idle instant; @limit: it is longer, or takes long to find. */
static uint64_t busy_period(const struct served *served, uint64_t limit)
{
	const struct served_known *known = served->known;
	uint64_t window = 1, next, rounds = 0;
	wide sum = 0;
	uint32_t i;

	for (i = 0; i < known->nr_rows; i++)
		known->rows[i].next = 0;
	while (window < limit && rounds++ < 10000) {
		count_on(known, window, &sum);
		next = resch_served_wait(served, cut(sum));
		if (next <= window)
			return window;
		window = next;
	}
	return limit;
}

static void remember(struct served_known *known, uint64_t length, uint64_t work)
{
	known->shorts[known->next].length = length;
	known->shorts[known->next].work = work;
	known->next = (known->next + 1) % SERVED_SHORTS;
}

int resch_served_edf(struct served *served, struct resch_verdict *verdict)
{
	uint64_t limit = busy_period(served, slack_bound(served)), t, need;
	wide work;

	/* Two looks at each task for each point: at its last deadline, and at its demand. */
	t = spend(served) ? resch_served_last(served->known, limit, &work) : 0;
	while (t) {
		if (!spend(served))
			break;
		need = resch_served_wait(served, cut(work));
		if (need > t) {
			remember(served->known, t, cut(work));
			return resch_served_refuse(verdict, RESCH_BOUND_SERVER, 0, need, t);
		}
		if (!spend(served))
			break;
		t = resch_served_back(served->known, least_of(t, need) - 1, &work);
	}
	return served->work ? 0 : resch_served_give_up(verdict);
}
