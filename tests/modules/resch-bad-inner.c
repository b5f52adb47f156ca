// SPDX-License-Identifier: GPL-2.0
/* bad-inner - may run inside servers, and picks somebody there twenty times, and then nobody */
#include "resch-bad.h"

#define BAD_PICKS 20

/* How often it was asked: after the queue. */
static u64 *bad_asked(struct resch_rq *rq)
{
	return &rq->private[RESCH_RQ_PRIVATE - 1];
}

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	if ((*bad_asked(rq))++ < BAD_PICKS)
		pick->task = bad_first(rq);
}

static const struct resch_plugin bad = {
	.name = "bad-inner",
	.about = "picks nobody after a while",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_INNER,
	.admit = bad_admit,
	.enqueue = bad_enqueue,
	.dequeue = bad_dequeue,
	.pick = bad_pick,
};

resch_plugin_module(bad);
MODULE_DESCRIPTION("resch plugin for tests: picks nobody after a while");
