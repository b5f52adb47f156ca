/* SPDX-License-Identifier: LGPL-2.1-or-later OR MIT */
/* test.h - the test at the door of a server; not installed */
#ifndef _RESCH_SERVER_TEST_H
#define _RESCH_SERVER_TEST_H

#include <stdbool.h>

#include "resch-server.h"

/* Longer than any wait that is looked at: 13 days. */
#define SERVED_HORIZON (1ULL << 50)

/**
 * struct served - a server as its tasks see it; see plugins/analysis/server.h for the bounds
 * @alone:    a processor of their own, whose speed is @budget / @period: nothing comes late
 * @lag:      what may be missing at the worst, ns; not for the hard CBS
 * @due:      everybody's relative deadline; 0: each has its own
 * @round:    one budget carries one job of each task
 * @work:     how much the search may still take
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
};

/* Do servers with that kind and policy promise anything to their tasks? */
bool resch_served_promises(const struct resch_server_params *params);

/* Fills in what follows from the rest. */
void resch_served_init(struct served *served);

/* Return: 0; -EBUSY, and @verdict. */
int resch_served_test(struct served *served, struct resch_verdict *verdict);

#endif /* _RESCH_SERVER_TEST_H */
