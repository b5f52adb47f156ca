// SPDX-License-Identifier: GPL-2.0
/* bad-moody - one answer in four has run out when it is given, whether somebody is ready or not */
#include "resch-bad.h"

#define BAD_MOODY 4

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	pick->task = bad_first(rq);
	/*
	 * The low bits of a time in ns are as good as dice; emulated clocks may count in larger
	 * steps.
	 */
	if (!((now ^ now >> 7 ^ now >> 13) % BAD_MOODY))
		pick->until = now - 1;
}

BAD_PLUGIN("bad-moody", "one answer in four has run out when it is given");
