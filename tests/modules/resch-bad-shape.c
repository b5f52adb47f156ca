// SPDX-License-Identifier: GPL-2.0
/* bad-shape - a plugin that can't be one, in the way that the parameter says: it is not taken */
#include "resch-bad.h"

static char *wrong = "";
module_param(wrong, charp, 0);
MODULE_PARM_DESC(wrong,
		 "name, pick, valid (of its servers), stopped, order, abi; nothing: it is good");

static void bad_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	pick->task = bad_first(rq);
}

static void bad_stopped(struct resch_rq *rq, struct resch_task *task, u64 now)
{
}

static struct resch_plugin bad = {
	.name = "bad-shape",
	.about = "in the shape that a test gives it",
	.abi = RESCH_PLUGIN_ABI,
	.admit = bad_admit,
	.enqueue = bad_enqueue,
	.dequeue = bad_dequeue,
	.pick = bad_pick,
};

static int __init bad_init(void)
{
	if (!strcmp(wrong, "name"))
		bad.name[0] = 0;
	if (!strcmp(wrong, "pick"))
		bad.pick = NULL;
	if (!strcmp(wrong, "valid"))
		bad.flags = RESCH_PLUGIN_SERVERS;
	if (!strcmp(wrong, "stopped")) {
		bad.flags = RESCH_PLUGIN_INNER;
		bad.stopped = bad_stopped;
	}
	if (!strcmp(wrong, "order"))
		bad.flags = RESCH_PLUGIN_ORDERED;
	if (!strcmp(wrong, "fixed"))
		bad.flags = RESCH_PLUGIN_FIXED;
	if (!strcmp(wrong, "abi"))
		bad.abi++;
	return resch_plugin_register(&bad, THIS_MODULE);
}

static void __exit bad_exit(void)
{
	resch_plugin_unregister(&bad);
}

module_init(bad_init);
module_exit(bad_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("resch plugin for tests: in the shape that a test gives it");
