// SPDX-License-Identifier: GPL-2.0
/*
 * npsf - slot-based task splitting, as NPS-F does it: notional processors
 *
 * The domain's plan gives each CPU, in each time slot, windows for notional processors; a notional
 * processor may be split over CPUs, and its tasks share what it has by EDF. See slots.h for how
 * windows are kept. In a window only tasks of its group run; what they leave over goes to ordinary
 * Linux tasks.
 *
 * Bletsas, Andersson, Preemption-light multiprocessor scheduling of sporadic tasks with high
 * utilisation bound, Real-Time Systems 47, 2011; dispatch as in HURRAY-TR-110903, see slots.h. With
 * clusters (C-NPS-F) only the plan differs.
 *
 * Admission is exact, see analysis/supply.h.
 *
 * Options: handover=notify (default), handover=retry, retry=TIME (1us to 1ms, default 5us).
 *   reclaim=1   what a group leaves over of its window goes to the groups with all windows on this
 *               CPU, those with the next windows first (it looks at the next 8 windows); reclaim=0
 *               is the default. Split groups get none: they might be wanted elsewhere at any
 *               instant.
 */
#include <resch/plugin.h>

#include "analysis/suggest.h"
#include "analysis/supply.h"
#include "slots.h"

#define NPSF_RECLAIM_LOOK 8U

static int npsf_option(u64 *private, const char *key, const char *value)
{
	u32 reclaim;

	if (strcmp(key, "reclaim"))
		return slots_option(private, key, value);
	if (kstrtou32(value, 10, &reclaim) || reclaim > 1)
		return -EINVAL;
	((struct slots_domain *)private)->reclaim = reclaim;
	return 0;
}

static int npsf_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	if (resch_supply_fits(tasks, verdict))
		return -EBUSY;
	return resch_test_supply(tasks, verdict);
}

static int npsf_admit(const struct resch_rq *rq, const struct resch_task *task,
		      struct resch_verdict *verdict)
{
	if (!slots_planned(rq, task))
		return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, task->params.group,
					    rq->plan ? rq->plan->nr_groups : 0);
	return resch_admit(rq, task, npsf_test, verdict);
}

/* Somebody for a window that its group leaves idle. */
static struct resch_task *npsf_reclaim(struct resch_rq *rq, bool *waits)
{
	u32 at = resch_private(rq, struct slots_rq)->index, count = slots_count(rq);
	const struct resch_window *windows = slots_windows(rq);
	struct resch_task *task = NULL;
	u32 i;

	for (i = 1; i < count && i <= NPSF_RECLAIM_LOOK && !task; i++) {
		u32 id = windows[(at + i) % count].group;

		if (!slots_split(rq->plan, id))
			task = slots_claim(rq, rq->groups[id], waits);
	}
	return task;
}

static void npsf_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	const struct slots_domain *domain = (const struct slots_domain *)rq->domain;
	struct resch_task *task = NULL;
	struct slots_view view;
	bool waits = false;

	if (slots_look(rq, now, &view)) {
		task = slots_claim(rq, view.group, &waits);
		if (!task && domain->reclaim)
			task = npsf_reclaim(rq, &waits);
	}
	pick->until = view.until;
	slots_answer(rq, task, waits, now, pick);
}

static const struct resch_plugin npsf = {
	.name = "npsf",
	.about =
		"NPS-F: notional processors by a plan (handover=notify|retry, retry=TIME, reclaim=0|1)",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_WHOLE | RESCH_PLUGIN_PLAN,
	.option = npsf_option,
	.admit = npsf_admit,
	.attach = slots_attach,
	.detach = slots_detach,
	.enqueue = slots_enqueue,
	.dequeue = slots_dequeue,
	.pick = npsf_pick,
	.stopped = slots_stopped,
};

resch_plugin_module(npsf);
MODULE_DESCRIPTION("resch plugin: NPS-F, slot-based task splitting");
