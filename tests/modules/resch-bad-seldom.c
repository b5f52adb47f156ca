// SPDX-License-Identifier: GPL-2.0
/*
 * bad-seldom - takes long for some answers, as any plugin does whose CPU a host takes away now and
 * then
 */
#include "resch-bad.h"

#define BAD_SELDOM 9

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	/* After the queue. */
	if (!(++rq->private[RESCH_RQ_PRIVATE - 1] % BAD_SELDOM))
		bad_dawdle();
	pick->task = bad_first(rq);
}

BAD_PLUGIN("bad-seldom", "takes long for one answer in nine");
