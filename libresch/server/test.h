/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* test.h - the test at the door of a server; not installed */
#ifndef _RESCH_SERVER_TEST_H
#define _RESCH_SERVER_TEST_H

#include <stdbool.h>

#include "resch-server.h"

/* Longer than any wait that is looked at: 13 days. */
#define SERVED_HORIZON (1ULL << 50)

#define SERVED_SHORTS 16

/* Tasks that one test looks at; less than the plugin looks at, which is not to give up first. */
#define SERVED_WORK (1ULL << 22)

/**
 * struct served_row - tasks with the same deadline and period, which are counted as one
 * @due, @period, @cost: of them; the sum of their costs
 * @last:    the latest deadline of its jobs at or before a point that goes back in time; 0: none
 * @next:    the first release at or after a point that goes on in time
 */
struct served_row {
	uint64_t due, period, cost;
	uint64_t last, next;
};

/**
 * struct served_known - what tests of the same tasks, policy and overhead have in common
 * @share:   utilization, rounded up as the test has it
 * @sum, @most, @least: of all costs; the largest cost; the shortest deadline or period
 * @due:     as in struct served
 * @order:   the tasks by their fixed priorities; NULL: there are none
 * @rows, @nr_rows: for EDF and FIFO; @last_due: the longest of their deadlines
 * @shorts:  lengths in which a server gave less than the work, when tests failed; @next: the oldest
 * @task:    which was late then, from 1 on; 0: none was
 */
struct served_known {
	uint64_t share;
	uint64_t sum, most, least;
	uint64_t due;
	uint32_t *order;
	struct served_row *rows;
	uint32_t nr_rows;
	uint64_t last_due;
	struct {
		uint64_t length, work;
	} shorts[SERVED_SHORTS];
	uint32_t next;
	uint32_t task;
};

/**
 * struct served - a server as its tasks see it; see plugins/analysis/server.h for the bounds
 * @alone:    a processor of their own, whose speed is @budget / @period: nothing comes late
 * @lag:      what may be missing at the worst, ns; not for the hard CBS
 * @due:      everybody's relative deadline; 0: each has its own
 * @round:    one budget carries one job of each task
 * @work:     how much the search may still take
 * @known:    of resch_served_know()
 */
struct served {
	const struct resch_server_params *params;
	const struct resch_server_task *tasks;
	uint32_t count;
	uint64_t overhead;
	uint64_t budget;
	uint64_t period;
	bool alone;
	uint64_t lag;
	uint64_t due;
	bool round;
	uint64_t work;
	struct served_known *known;
};

/* Do servers with that kind and policy promise anything to their tasks? */
bool resch_served_promises(const struct resch_server_params *params);

/* Once for all tests of @served->tasks. Return: 0 or -ENOMEM */
int resch_served_know(struct served *served, struct served_known *known);
void resch_served_forget(struct served_known *known);

/* Fills in what follows from the rest. */
void resch_served_init(struct served *served);

/* Is it known without much work that resch_served_test() refuses? */
bool resch_served_refused(const struct served *served);

/* Return: 0; -EBUSY, and @verdict. */
int resch_served_test(struct served *served, struct resch_verdict *verdict);

/* ---- what the tests have in common ----------------------------------------------------------- */

bool resch_served_hard(const struct served *served);
/* How long @work takes at most from when the server gets it. */
uint64_t resch_served_wait(const struct served *served, uint64_t work);
/* Return: -EBUSY */
int resch_served_refuse(struct resch_verdict *verdict, uint32_t bound, uint32_t task,
			uint64_t value, uint64_t limit);
/* The search has taken too long: what cannot be shown is not promised. Return: -EBUSY */
int resch_served_give_up(struct resch_verdict *verdict);

/* ---- edf.c ----------------------------------------------------------------------------------- */

/* Return: 0 or -ENOMEM */
int resch_served_rows(const struct served *served, struct served_known *known);
int resch_served_edf(struct served *served, struct resch_verdict *verdict);
/*
 * The latest deadline at or before @limit of jobs released together at 0, or 0: there is none;
 * @work: of all that are due until then. resch_served_back() is for a @limit before the one looked
 * at last, and keeps @work up.
 */
uint64_t resch_served_last(const struct served_known *known, uint64_t limit,
			   unsigned __int128 *work);
uint64_t resch_served_back(const struct served_known *known, uint64_t limit,
			   unsigned __int128 *work);

#endif /* _RESCH_SERVER_TEST_H */
