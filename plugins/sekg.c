// SPDX-License-Identifier: GPL-2.0
/*
 * sekg - slot-based task splitting, as sporadic EKG does it
 *
 * The domain's plan gives each CPU, in each time slot, a window x for the task that it shares with
 * the CPU before, a window N for its own tasks, and a window y for the task that it shares with the
 * next one (each of the three may be missing). See slots.h for how windows are kept.
 *
 *   N      the CPU's own tasks, by EDF
 *   x, y   the split task, as soon as it is ready; while it is not, the CPU's own tasks, by EDF
 *
 * In words of plans: a group whose windows are all on one CPU is that CPU's own; with several of
 * those, the one with the first window in the slot is who may use what split tasks leave over, and
 * each has its windows to itself. A group may have more than one task, split ones, too.
 *
 * Andersson, Bletsas, Sporadic multiprocessor scheduling with few preemptions, ECRTS 2008; dispatch
 * as in HURRAY-TR-110903, see slots.h.
 *
 * Admission is exact for the windows alone, see analysis/supply.h. The reclaimed time is not
 * counted on, for it is not there when it is needed.
 *
 * Options: handover=notify (default), handover=retry, retry=TIME (1us to 1ms, default 5us).
 */
#include <resch/plugin.h>

#include "analysis/suggest.h"
#include "analysis/supply.h"
#include "slots.h"

static int sekg_test(struct resch_tasks *tasks, struct resch_verdict *verdict)
{
	if (resch_supply_fits(tasks, verdict))
		return -EBUSY;
	return resch_test_supply(tasks, verdict);
}

static int sekg_admit(const struct resch_rq *rq, const struct resch_task *task,
		      struct resch_verdict *verdict)
{
	if (!slots_planned(rq, task))
		return resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0, task->params.group,
					    rq->plan ? rq->plan->nr_groups : 0);
	return resch_admit(rq, task, sekg_test, verdict);
}

static void sekg_pick(struct resch_rq *rq, u64 now, struct resch_pick *pick)
{
	struct resch_task *task = NULL;
	struct slots_view view;
	bool waits = false;

	if (slots_look(rq, now, &view)) {
		u32 own = resch_private(rq, struct slots_rq)->own;

		task = slots_claim(rq, view.group, &waits);
		if (!task && own && slots_split(rq->plan, view.id))
			task = slots_claim(rq, rq->groups[own], &waits);
	}
	pick->until = view.until;
	slots_answer(rq, task, waits, now, pick);
}

static const struct resch_plugin sekg = {
	.name = "sekg",
	.about =
		"sporadic EKG: slot-based task splitting by a plan (handover=notify|retry, retry=TIME)",
	.abi = RESCH_PLUGIN_ABI,
	.flags = RESCH_PLUGIN_WHOLE | RESCH_PLUGIN_PLAN,
	.option = slots_option,
	.admit = sekg_admit,
	.attach = slots_attach,
	.detach = slots_detach,
	.enqueue = slots_enqueue,
	.dequeue = slots_dequeue,
	.pick = sekg_pick,
	.stopped = slots_stopped,
};

resch_plugin_module(sekg);
MODULE_DESCRIPTION("resch plugin: sporadic EKG, slot-based task splitting");
