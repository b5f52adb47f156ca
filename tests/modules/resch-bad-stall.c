// SPDX-License-Identifier: GPL-2.0
/* bad-stall - lets nobody run */
#include "resch-bad.h"

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
}

BAD_PLUGIN("bad-stall", "picks nobody, whoever is ready");
