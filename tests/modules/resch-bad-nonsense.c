// SPDX-License-Identifier: GPL-2.0
/* bad-nonsense - lets those run who have nothing to do */
#include "resch-bad.h"

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct resch_task *task;

	pick->task = bad_first(rq);
	resch_rq_for_each(rq, task)
		if (!task->ready && pick->task)
			pick->task = task;
}

BAD_PLUGIN("bad-nonsense", "picks a task that is not ready, where it has the choice");
