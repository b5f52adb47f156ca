// SPDX-License-Identifier: GPL-2.0
/* bad-past - wants to be asked again a moment ago */
#include "resch-bad.h"

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	pick->task = bad_first(rq);
	if (pick->task)
		pick->until = now - 1;
}

BAD_PLUGIN("bad-past", "its answers have run out when it gives them");
