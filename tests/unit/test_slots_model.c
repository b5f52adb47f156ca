// SPDX-License-Identifier: GPL-2.0
/* test_slots_model - sekg and npsf against a naive model, in random slots */
#include "slots_layout.h"

#define EVENTS 60000

/* A plan that nobody would make, but the core would take. */
static void random_plan(struct slots_room *room, u64 *random, u64 from)
{
	u64 slot = rig_between(random, 20, 200), taken[SLOTS_GROUPS + 1] = { 0 };
	struct resch_reserve reserves[SLOTS_WINDOWS];
	u32 cpu, count = 0, parts[SLOTS_GROUPS + 1] = { 0 };

	/* each ns of the slot has a bit by group: slots are cut into 20 pieces */
	for (cpu = 0; cpu < SLOTS_CPUS; cpu++) {
		u64 at = rig_between(random, 0, 4);

		while (at < 20 && count < SLOTS_WINDOWS) {
			u64 wanted = at + rig_between(random, 1, 8);
			u64 end = min(20ULL, wanted), k, mask = 0;
			u32 group = rig_between(random, 1, SLOTS_GROUPS);

			for (k = at; k < end; k++)
				mask |= 1ULL << k;
			if (!(taken[group] & mask) && parts[group] < RESCH_PARTS_MAX) {
				taken[group] |= mask;
				parts[group]++;
				reserves[count++] = (struct resch_reserve){ at * slot / 20,
									    end * slot / 20, group,
									    cpu };
			}
			at = end + rig_between(random, 0, 1) * rig_between(random, 0, 3);
		}
	}
	slots_make(room, slot, from, reserves, count);
}

static const struct resch_window *model_window(u32 cpu, u64 now, u64 *until)
{
	const struct resch_plan *plan = rig.rqs[cpu].plan;
	u64 k = now < plan->from ? 0 : (now - plan->from) / plan->slot, s;
	u32 i;

	*until = RESCH_NEVER;
	for (s = k; s < k + 2; s++) {
		for (i = plan->start[cpu]; i < plan->start[cpu + 1]; i++) {
			u64 begin = plan->from + s * plan->slot + plan->windows[i].begin;
			u64 end = plan->from + s * plan->slot + plan->windows[i].end;

			if (now >= end || begin == end)
				continue;
			*until = now < begin ? begin : end;
			return now < begin ? NULL : &plan->windows[i];
		}
	}
	return NULL;
}

static u64 came[SLOTS_TASKS + 1], arrivals;

static struct resch_task *model_first(u32 group, u32 cpu)
{
	struct resch_task *task, *best = NULL;

	for (task = rig.tasks; task < rig.tasks + rig.count; task++) {
		if (task->params.group != group)
			continue;
		if (task->busy && task->rq != &rig.rqs[cpu])
			return NULL; /* others have the group */
		if (task->ready &&
		    (!best || task->job.deadline < best->job.deadline ||
		     (task->job.deadline == best->job.deadline && came[task->id] < came[best->id])))
			best = task;
	}
	return best;
}

static bool model_alone(u32 group, u32 cpu)
{
	const struct resch_parts *parts = &rig.rqs[cpu].plan->parts[group];
	u32 i;

	for (i = 0; i < parts->count; i++)
		if (parts->part[i].index != cpu)
			return false;
	return true;
}

static struct resch_task *model_reclaim(const struct resch_window *window, u32 cpu, bool reclaim)
{
	const struct resch_plan *plan = rig.rqs[cpu].plan;
	u32 i, at = window - plan->windows, low = plan->start[cpu], high = plan->start[cpu + 1];
	struct resch_task *task = NULL;

	if (rig.plugin == resch_sekg()) {
		for (i = low; i < high && !model_alone(window->group, cpu); i++)
			if (model_alone(plan->windows[i].group, cpu))
				return model_first(plan->windows[i].group, cpu);
		return NULL;
	}
	for (i = 1; reclaim && i < high - low && i <= 8 && !task; i++) {
		u32 group = plan->windows[low + (at - low + i) % (high - low)].group;

		if (model_alone(group, cpu))
			task = model_first(group, cpu);
	}
	return task;
}

static struct resch_task *model_pick(u32 cpu, u64 now, bool reclaim, u64 *until)
{
	const struct resch_window *window = model_window(cpu, now, until);
	struct resch_task *task = window ? model_first(window->group, cpu) : NULL;

	return window && !task ? model_reclaim(window, cpu, reclaim) : task;
}

/* Which CPUs have not heard yet of what has happened. */
static bool pending[SLOTS_CPUS];
static u64 asked[SLOTS_CPUS];

static void hear(void)
{
	u32 i;

	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] |= slots_kicked(&rig, i);
}

/* A decision as the core makes it: as of the time of the timer, then as of now, if that is over. */
static void decide(u32 cpu, u64 now)
{
	u64 as_of = max(min(now, rig.until[cpu]), asked[cpu]);

	pending[cpu] = false;
	asked[cpu] = as_of;
	slots_pick(&rig, cpu, as_of);
	if (rig.until[cpu] <= now || rig.until[cpu] == RESCH_NEVER) {
		asked[cpu] = now;
		slots_pick(&rig, cpu, now);
	}
	hear();
}

/* Those decide who have to, some of them late; and when none has to, all are as the model says. */
static void settle(u64 *random, u64 now, bool reclaim, u32 late)
{
	u64 until;
	u32 i;

	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] |= rig.until[i] <= now;
	for (i = 0; i < SLOTS_CPUS;) {
		if (pending[i] && !(late && !rig_between(random, 0, late))) {
			decide(i, now);
			i = 0;
		} else {
			i++;
		}
	}
	for (i = 0; i < SLOTS_CPUS; i++)
		if (pending[i])
			return;
	for (i = 0; i < SLOTS_CPUS; i++) {
		assert_ptr_equal(rig.selected[i], model_pick(i, now, reclaim, &until));
		assert_true(rig.until[i] == until);
	}
}

static void random_event(u64 *random, u64 now)
{
	struct resch_task *task = &rig.tasks[rig_between(random, 0, rig.count - 1)];

	pending[task->rq->index] = true;
	if (task->ready && rig_between(random, 0, 2)) {
		slots_done(&rig, task, now);
	} else if (!task->ready) {
		came[task->id] = ++arrivals;
		slots_ready(&rig, task, now + rig_between(random, 1, 300), now);
	}
	if (task->busy && rig.selected[task->rq->index] != task)
		slots_stop(&rig, task, now);
	hear();
}

/* The next plan, at a slot boundary of the last one. */
static u64 switch_plan(struct slots_room *room, u64 *random, u64 now)
{
	const struct resch_plan *old = rig.rqs[0].plan;
	u64 gone = now < old->from ? 0 : (now - old->from) / old->slot + 1;
	u32 i;

	now = old->from + gone * old->slot;
	random_plan(room, random, now);
	slots_show(&rig, room);
	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] = true;
	return now;
}

/*
 * Random jobs, threads that leave when they like, plans that change; a CPU decides when it was told
 * to and not otherwise, one time in @late + 1 (0: never) later than that.
 */
static void against_the_model(const struct resch_plugin *plugin, bool reclaim, u32 late, u64 seed)
{
	static struct slots_room rooms[2];
	u64 random = seed, now = 0, picked = 0;
	u32 event, i, side = 0;

	slots_init(&rig, plugin);
	memset(asked, 0, sizeof(asked));
	if (reclaim)
		option("reclaim", "1");
	random_plan(&rooms[0], &random, 500);
	slots_show(&rig, &rooms[0]);
	for (i = 0; i < 24; i++)
		slots_join(&rig, 1 + i % SLOTS_GROUPS);
	for (i = 0; i < SLOTS_CPUS; i++)
		pending[i] = true;
	for (event = 0; event < EVENTS; event++) {
		now += rig_between(&random, 0, event % 1000 ? 15 : 100000);
		if (event % 500 == 499) {
			side = !side;
			now = switch_plan(&rooms[side], &random, now);
		} else {
			random_event(&random, now);
		}
		settle(&random, now, reclaim, late);
		for (i = 0; i < SLOTS_CPUS; i++)
			picked += !!rig.selected[i];
	}
	assert_true(picked > EVENTS / 4);
}

static void sekg_against_the_model(void **state)
{
	against_the_model(resch_sekg(), false, 0, 1);
	against_the_model(resch_sekg(), false, 1, 4);
	against_the_model(resch_sekg(), false, 5, 5);
}

static void npsf_against_the_model(void **state)
{
	against_the_model(resch_npsf(), false, 0, 2);
	against_the_model(resch_npsf(), true, 0, 3);
	against_the_model(resch_npsf(), false, 1, 6);
	against_the_model(resch_npsf(), true, 1, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sekg_against_the_model),
		cmocka_unit_test(npsf_against_the_model),
	};

	return cmocka_run_group_tests_name("slots_model", tests, NULL, NULL);
}
