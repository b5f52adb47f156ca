/* SPDX-License-Identifier: GPL-2.0 */
/*
 * resch-bad.h - what the plugins that are wrong on purpose share: they take everybody, and have one
 * queue
 */
#ifndef _RESCH_BAD_H
#define _RESCH_BAD_H

#include <linux/ktime.h>

#include <resch/plugin.h>

/*
 * An answer that takes too long. By the clock: mdelay() is too short on CPUs of emulated machines.
 */
static inline void bad_dawdle(void)
{
	u64 end = ktime_get_ns() + 300 * NSEC_PER_MSEC;

	while (ktime_get_ns() < end)
		cpu_relax();
}

struct bad_rq {
	struct resch_queue ready;
};

RESCH_PLUGIN_PRIVATE(struct bad_rq, RESCH_RQ_PRIVATE);

static int bad_admit(const struct resch_rq *rq, const struct resch_task *task,
		     struct resch_verdict *verdict)
{
	return 0;
}

static void bad_enqueue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_queue_insert(&resch_private(rq, struct bad_rq)->ready, &task->node,
			   task->job.release);
}

static void bad_dequeue(struct resch_rq *rq, struct resch_task *task, enum resch_why why, u64 now)
{
	resch_queue_erase(&resch_private(rq, struct bad_rq)->ready, &task->node);
}

static inline struct resch_task *bad_first(const struct resch_rq *rq)
{
	struct resch_node *first =
		resch_queue_first(&resch_private(rq, const struct bad_rq)->ready);

	return first ? container_of(first, struct resch_task, node) : NULL;
}

#define BAD_PLUGIN(what, words)                  \
	static const struct resch_plugin bad = { \
		.name = what,                    \
		.about = words,                  \
		.abi = RESCH_PLUGIN_ABI,         \
		.admit = bad_admit,              \
		.enqueue = bad_enqueue,          \
		.dequeue = bad_dequeue,          \
		.pick = bad_pick,                \
	};                                       \
	resch_plugin_module(bad);                \
	MODULE_DESCRIPTION("resch plugin for tests: " words)

#endif /* _RESCH_BAD_H */
