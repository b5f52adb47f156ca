// SPDX-License-Identifier: GPL-2.0
/* bad-slow - takes long for each answer */
#include "resch-bad.h"

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	bad_dawdle();
	pick->task = bad_first(rq);
}

BAD_PLUGIN("bad-slow", "takes long for each answer");
