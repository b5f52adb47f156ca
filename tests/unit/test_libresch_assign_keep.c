// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_assign_keep.c - layouts for tasks that have their groups, and the way from one to
 * the next
 */
#include "assign_keep_rig.h"

static void invalid(const struct resch_assign *request)
{
	struct resch_layout *layout;

	assert_int_equal(resch_assign(request, &layout, NULL), -EINVAL);
	assert_null(layout);
}

/* ---- edges ----------------------------------------------------------------------------------- */

static void same_layout(const struct resch_layout *a, const struct resch_layout *b)
{
	assert_int_equal(a->nr_reserves, b->nr_reserves);
	assert_memory_equal(a->reserves, b->reserves, a->nr_reserves * sizeof(*a->reserves));
}

static void numbers_stay(void **state)
{
	static const uint32_t keep[EXAMPLE] = { 4096, 7, 7, 0, 0, 9, 9 };
	struct resch_assign request = ask_keep(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, keep, NULL);
	struct resch_layout *layout;

	request.delta = 4;
	layout = must_keep(&request);
	assert_int_equal(layout->nr_groups, 4096);
	/* .50 and .40 fit into none, and go into the first number that is free */
	assert_int_equal(layout->task_group[3], 1);
	assert_int_equal(layout->task_group[4], 1);
	assert_int_equal(layout->groups[1].nr_tasks, 0);
	assert_int_equal(layout->groups[1].nr_reserves, 0);
	assert_int_equal(layout->groups[1].size, 0);
	resch_layout_free(layout);
}

static void all_stay(void **state)
{
	uint32_t method;

	for (method = RESCH_ASSIGN_SEKG; method <= RESCH_ASSIGN_CNPSF; method++) {
		struct resch_assign request = ask_keep(method, example, EXAMPLE, 4, NULL, NULL);
		struct resch_layout *layout, *again;
		struct resch_switch *way;

		request.sizing = RESCH_ASSIGN_EXACT;
		request.cluster = 4;
		layout = must_keep(&request);
		request.keep = layout->task_group;
		request.standing = layout;
		again = must_keep(&request);
		if (method != RESCH_ASSIGN_SEKG) {
			same_layout(layout, again);
			way = must_switch(&request, again);
			assert_int_equal(way->nr_steps, 0);
			assert_int_equal(way->settle, 0);
			assert_int_equal(way->rest, 0);
			resch_switch_free(way);
		}
		resch_layout_free(again);
		resch_layout_free(layout);
	}
	resch_switch_free(NULL);
}

/*
 * A task of 30 % is taken in by the last group, which grows where nothing is: nothing else moves.
 */
static void grows_behind(void **state)
{
	struct resch_assign request = ask_keep(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, NULL, NULL);
	struct resch_layout *layout, *with;
	struct resch_assign_task tasks[EXAMPLE + 1];
	uint32_t keep[EXAMPLE + 1] = { 0 }, i;
	struct resch_switch *way;

	request.delta = 4;
	layout = must_keep(&request);
	memcpy(tasks, example, sizeof(example));
	tasks[EXAMPLE] = (struct resch_assign_task){ 2700 * US, 0, 9 * MS };
	memcpy(keep, layout->task_group, EXAMPLE * sizeof(*keep));
	request = ask_keep(RESCH_ASSIGN_NPSF, tasks, EXAMPLE + 1, 4, keep, layout);
	with = must_keep(&request);
	assert_int_equal(with->slot, layout->slot);
	assert_int_equal(with->task_group[EXAMPLE], 4);
	assert_int_equal(with->nr_reserves, layout->nr_reserves);
	for (i = 0; i + 1 < layout->nr_reserves; i++)
		assert_memory_equal(&with->reserves[i], &layout->reserves[i],
				    sizeof(layout->reserves[i]));
	assert_true(with->reserves[i].end > layout->reserves[i].end);
	way = must_switch(&request, with);
	assert_int_equal(way->nr_steps, 1);
	assert_int_equal(way->settle, 0);
	/* the group that it joins has to be idle once */
	assert_true(way->rest > RESCH_SWITCH_HOLD * layout->slot);
	resch_switch_free(way);
	resch_layout_free(with);
	resch_layout_free(layout);
}

/*
 * How many jobs of the tasks that stand are late if the last @nr steps are made at each of ten slot
 * boundaries; they come when a window ends.
 */
static uint64_t late_through(const struct resch_assign *request,
			     const struct resch_switch_step *steps, uint32_t nr)
{
	const struct resch_layout *standing = request->standing;
	struct slots_task tasks[8];
	struct slots_change changes[2];
	struct slots_result result;
	struct slots slots = {
		.slot = standing->slot,
		.nr_cpus = 2,
		.tasks = tasks,
		.changes = changes,
		.nr_changes = nr,
		.nr_reserves = standing->nr_reserves,
		.pattern = SLOTS_WINDOW,
		.seed = 1,
		.end = 200 * standing->slot,
	};
	uint64_t late = 0;
	uint32_t i, k;

	slots.reserves = reserves_of(standing->reserves, standing->nr_reserves);
	for (i = 0; i < request->nr_tasks; i++) {
		const struct resch_assign_task *task = &request->tasks[i];

		if (request->keep[i])
			tasks[slots.nr_tasks++] = (struct slots_task){
				task->wcet, task->period, task->period, request->keep[i], 0, 0
			};
	}
	for (i = 0; i < nr; i++) {
		changes[i].reserves = reserves_of(steps[i].reserves, steps[i].nr_reserves);
		changes[i].nr_reserves = steps[i].nr_reserves;
	}
	for (k = 20; k < 30; k++) {
		for (i = 0; i < nr; i++)
			changes[i].from = (k + i * RESCH_SWITCH_HOLD) * standing->slot;
		assert_int_equal(slots_run(&slots, &result), 0);
		assert_int_equal(result.parallel, 0);
		late += result.misses;
	}
	for (i = 0; i < nr; i++)
		free((void *)changes[i].reserves);
	free((void *)slots.reserves);
	return late;
}

/*
 * Two groups of half a CPU each on CPU 0, another one on CPU 1; group 1, the second, has to grow.
 * It cannot go later, where nothing is; the first one goes to the end of CPU 1's slot.
 */
static void moves_forward(void **state)
{
	static const struct resch_assign_task tasks[] = {
		{ 5 * MS, 0, 10 * MS },
		{ 5 * MS, 0, 10 * MS },
		{ 5 * MS, 0, 10 * MS },
		{ 2 * MS, 0, 10 * MS },
	};
	static struct resch_layout_reserve reserves[] = { { 0, 2, 0, MS },
							  { 0, 1, MS, 2 * MS },
							  { 1, 3, 0, MS } };
	const struct resch_layout standing = {
		.slot = 2 * MS, .delta = 5, .nr_groups = 3, .nr_reserves = 3, .reserves = reserves
	};
	static const uint32_t keep[] = { 2, 1, 3, 0 };
	struct resch_assign request = ask_keep(RESCH_ASSIGN_NPSF, tasks, 4, 2, keep, &standing);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;
	struct resch_switch_step later;
	struct resch_switch *way;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must_keep(&request);
	assert_int_equal(layout->nr_reserves, 4);
	assert_int_equal(layout->reserves[0].group, 2);
	assert_int_equal(layout->reserves[0].end, 600 * US);
	assert_int_equal(layout->reserves[1].group, 1);
	assert_int_equal(layout->reserves[1].begin, 600 * US);
	assert_int_equal(layout->reserves[3].group, 2);
	assert_int_equal(layout->reserves[3].begin, 1600 * US);
	assert_int_equal(layout->reserves[3].end, 2 * MS);
	/* CPU 1 first: the first group must not be without its beginning */
	way = must_switch(&request, layout);
	assert_int_equal(way->nr_steps, 2);
	assert_int_equal(way->steps[0].nr_reserves, 4);
	assert_int_equal(way->steps[0].reserves[0].end, MS);
	assert_int_equal(way->steps[0].reserves[3].begin, 1600 * US);
	assert_int_equal(way->steps[1].nr_reserves, 4);
	assert_memory_equal(way->steps[1].reserves, layout->reserves, sizeof(reserves) / 3 * 4);
	assert_int_equal(late_through(&request, way->steps, 2), 0);
	assert_true(late_through(&request, way->steps + 1, 1) > 0);
	resch_switch_free(way);
	/* the way that is none: group 1 later, where it would be late once */
	reserves[1] = (struct resch_layout_reserve){ 0, 1, 600 * US, 1600 * US };
	reserves[0].end = 600 * US;
	reserves[2].end = 600 * US;
	layout->reserves[0].end = 600 * US;
	layout->reserves[1] = (struct resch_layout_reserve){ 0, 1, MS, 2 * MS };
	layout->reserves[2].end = 600 * US;
	layout->nr_reserves = 3;
	request.keep = (const uint32_t[]){ 0, 1, 0, 0 };
	memcpy(layout->task_group, (const uint32_t[]){ 2, 1, 3, 3 }, 4 * sizeof(uint32_t));
	assert_int_equal(resch_layout_switch(&request, layout, &way, &refusal), -EBUSY);
	assert_null(way);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_SWITCH);
	assert_int_equal(refusal.group, 1);
	assert_says(&refusal, "group 1 would fall behind by 400us, 600us after the switch");
	assert_int_equal(refusal.available, 400 * US);
	assert_int_equal(refusal.needed, 600 * US);
	later = (struct resch_switch_step){ 3, layout->reserves };
	assert_true(late_through(&request, &later, 1) > 0);
	resch_layout_free(layout);
}

/* Who has left makes room once those that remain have been idle. */
static void becomes_smaller(void **state)
{
	struct resch_assign request = ask_keep(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, NULL, NULL);
	struct resch_assign_task tasks[EXAMPLE];
	struct resch_layout *layout, *with;
	uint32_t keep[EXAMPLE] = { 0 };
	struct resch_switch *way;

	request.delta = 4;
	layout = must_keep(&request);
	/* the second one of bin 2 */
	memcpy(tasks, example, sizeof(tasks));
	memcpy(keep, layout->task_group, sizeof(keep));
	tasks[2] = tasks[6];
	keep[2] = keep[6];
	request = ask_keep(RESCH_ASSIGN_NPSF, tasks, EXAMPLE - 1, 4, keep, layout);
	with = must_keep(&request);
	assert_true(with->groups[1].size < layout->groups[1].size);
	assert_int_equal(with->groups[0].size, layout->groups[0].size);
	way = must_switch(&request, with);
	assert_int_equal(way->nr_steps, 1);
	assert_true(way->settle > 8 * MS / 2);
	assert_true(way->settle < 100 * MS);
	resch_switch_free(way);
	resch_layout_free(with);
	resch_layout_free(layout);
}

static void refused(void **state)
{
	static const uint32_t keep[] = { 1, 1, 0 }, beyond[] = { 1, RESCH_GROUPS_MAX + 1, 0 };
	static const struct resch_assign_task tasks[] = {
		{ 6 * MS, 0, 10 * MS },
		{ 5 * MS, 0, 10 * MS },
		{ 9500 * US, 0, 10 * MS },
		{ 9 * MS, 0, 10 * MS },
	};
	struct resch_layout_reserve reserves[] = { { 0, 1, 0, MS }, { 0, 2, MS, 2 * MS } };
	struct resch_layout standing = {
		.slot = 2 * MS, .delta = 5, .nr_groups = 2, .nr_reserves = 2, .reserves = reserves
	};
	struct resch_assign request = ask_keep(RESCH_ASSIGN_NPSF, tasks, 3, 2, keep, NULL);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;
	struct resch_switch *way;

	/* more than a CPU in one group */
	request.delta = 5;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_KEPT);
	assert_int_equal(refusal.group, 1);
	assert_int_equal(refusal.task, 0);
	assert_says(&refusal, "group 1, which task 1 keeps, needs more than a slot");
	request.keep = beyond;
	invalid(&request);
	/* more than there is: the one that is new is named */
	request = ask_keep(RESCH_ASSIGN_NPSF, tasks + 1, 3, 2, (const uint32_t[]){ 1, 2, 0 }, NULL);
	request.delta = 5;
	refusal = must_not(&request);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_BIN);
	assert_int_equal(refusal.task, 2);
	assert_true(refusal.available < refusal.needed);
	/* standing layouts that are none */
	request = ask_keep(RESCH_ASSIGN_NPSF, tasks, 2, 2, (const uint32_t[]){ 1, 2 }, &standing);
	standing.slot = 0;
	invalid(&request);
	standing.slot = 2 * MS;
	reserves[1].begin--;
	invalid(&request);
	reserves[1].begin++;
	reserves[1].end++;
	invalid(&request);
	reserves[1].end--;
	reserves[1].group = RESCH_GROUPS_MAX + 1;
	invalid(&request);
	reserves[1].group = 2;
	/* another slot is no way */
	request.delta = 4;
	layout = must_keep(&request);
	assert_int_equal(resch_layout_switch(&request, layout, &way, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_SWITCH);
	assert_int_equal(refusal.group, 0);
	resch_layout_free(layout);
	/* what stands is not carried by where it stands */
	request.delta = 0;
	reserves[0].end = MS / 2;
	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must_keep(&request);
	assert_int_equal(resch_layout_switch(&request, layout, &way, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_SHORT);
	/* and the request has to have both */
	request.keep = NULL;
	assert_int_equal(resch_layout_switch(&request, layout, &way, NULL), -EINVAL);
	resch_layout_free(layout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_stay),	   cmocka_unit_test(all_stay),
		cmocka_unit_test(grows_behind),	   cmocka_unit_test(moves_forward),
		cmocka_unit_test(becomes_smaller), cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
