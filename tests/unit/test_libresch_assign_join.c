// SPDX-License-Identifier: GPL-2.0
/* test_libresch_assign_join.c - task splitting: layouts with faults, and tasks that join one */
#include "assign_rig.h"

static void planted_faults(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_refusal refusal;
	struct resch_layout *layout;
	uint64_t begin;
	uint32_t i;

	request.sizing = RESCH_ASSIGN_EXACT;
	layout = must(&request);
	for (i = 0; i < layout->nr_reserves; i++) {
		struct resch_layout_reserve *reserve = &layout->reserves[i];
		struct resch_layout_reserve before = *reserve;

		/* a nanosecond less than is needed */
		if (reserve->end < layout->slot)
			reserve->end--;
		else
			reserve->begin++;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
		assert_int_equal(refusal.reason, RESCH_ASSIGN_SHORT);
		assert_int_equal(refusal.group, reserve->group);
		assert_int_equal(refusal.needed, refusal.available + 1);
		assert_says(&refusal, ", needs ");
		*reserve = before;
		/* outside of the slot, of nobody, of no CPU */
		reserve->end += layout->slot;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
		reserve->group = 0;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		reserve->group = layout->nr_groups + 1;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
		reserve->cpu += 4;
		assert_int_equal(resch_layout_check(&request, layout, &refusal), -EINVAL);
		*reserve = before;
	}
	/* into the next one on this CPU */
	assert_int_equal(layout->reserves[0].cpu, layout->reserves[1].cpu);
	layout->reserves[0].end++;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	assert_says(&refusal, "overlap");
	layout->reserves[0].end--;
	/* a split group in two windows, and in two places at once */
	assert_int_equal(layout->reserves[1].group, layout->reserves[2].group);
	begin = layout->reserves[2].begin;
	layout->reserves[2].begin += 5;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	layout->reserves[2].begin = begin;
	begin = layout->reserves[3].begin;
	layout->reserves[2].end = layout->reserves[1].begin + 1;
	layout->reserves[3].begin = layout->reserves[2].end;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_OVERLAP);
	assert_int_equal(refusal.group, layout->reserves[2].group);
	layout->reserves[2].end = begin;
	layout->reserves[3].begin = begin;
	layout->task_group[0] = 0;
	assert_int_equal(resch_layout_check(&request, layout, NULL), -EINVAL);
	layout->task_group[0] = 2;
	assert_int_equal(resch_layout_check(&request, layout, NULL), -EBUSY);
	layout->task_group[0] = 1;
	assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
	resch_layout_free(layout);
}

static void join(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_task task = { 2700 * US, 0, 9 * MS }, tasks[EXAMPLE + 1];
	struct resch_assign_refusal refusal;
	struct resch_layout_reserve place;
	struct resch_layout *layout = must(&request);

	/* inflate(.3) = 5 .3 / 4.3: room only in what is idle on CPU 3 */
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), 0);
	assert_int_equal(place.group, 5);
	assert_int_equal(place.cpu, 3);
	assert_int_equal(place.begin, 1088472);
	assert_int_equal(place.end - place.begin, 697675);
	/* more than is idle anywhere: the nearest is that very place */
	task.wcet = 4500 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EBUSY);
	assert_int_equal(refusal.reason, RESCH_ASSIGN_FULL);
	assert_int_equal(refusal.task, EXAMPLE);
	assert_int_equal(refusal.available, 911528);
	assert_int_equal(refusal.needed, 1111112);
	assert_says(&refusal, "task 8 needs 1.111112ms of each slot of 2ms, and 911.528us is left");
	task.wcet = 10 * MS;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EINVAL);
	resch_layout_free(layout);

	/* S-EKG: group 6 has 1718447 ns of each slot, and needs 5 .65 / 4.65 of 2 ms */
	request.method = RESCH_ASSIGN_SEKG;
	layout = must(&request);
	task.wcet = 900 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), 0);
	assert_int_equal(place.group, 6);
	/* with it, the layout is still one */
	memcpy(tasks, example, sizeof(example));
	tasks[EXAMPLE] = task;
	request.tasks = tasks;
	request.nr_tasks++;
	layout->nr_tasks++;
	layout->task_group = realloc(layout->task_group, sizeof(uint32_t) * (EXAMPLE + 1));
	assert_non_null(layout->task_group);
	layout->task_group[EXAMPLE] = place.group;
	assert_int_equal(resch_layout_check(&request, layout, &refusal), 0);
	task.wcet = 4500 * US;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EBUSY);
	request.nr_tasks--;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, &refusal), -EINVAL);
	resch_layout_free(layout);
}

/* The longest task that may join fits, and one that is a ns longer may not. */
static void join_to_the_end(void **state)
{
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, example, EXAMPLE, 4, 4);
	struct resch_assign_task task = { 0, 0, 9 * MS }, tasks[EXAMPLE + 1];
	struct resch_layout *layout = must(&request);
	struct resch_layout_reserve place;
	uint64_t low = 1, high = 9 * MS;

	while (high - low > 1) {
		task.wcet = low + (high - low) / 2;
		if (resch_layout_join(&request, layout, &task, &place, NULL))
			high = task.wcet;
		else
			low = task.wcet;
	}
	task.wcet = low;
	assert_int_equal(resch_layout_join(&request, layout, &task, &place, NULL), 0);
	assert_int_equal(resch_layout_group(layout, 1), place.group);
	assert_int_equal(
		resch_layout_reserve(layout, place.cpu, place.group, place.begin, place.end), 0);
	memcpy(tasks, example, sizeof(example));
	tasks[EXAMPLE] = task;
	request.tasks = tasks;
	request.nr_tasks++;
	layout->task_group = realloc(layout->task_group, sizeof(uint32_t) * (EXAMPLE + 1));
	assert_non_null(layout->task_group);
	layout->task_group[layout->nr_tasks++] = place.group;
	resch_layout_sort(layout);
	assert_true(layout->groups[place.group - 1].size <= 911528);
	/* U = delta r / (S (delta + 1) - r) of all that is idle: there is no more in it */
	assert_int_equal(low, 4 * 911528ULL * task.period / (5 * 2 * MS - 911528));
	assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
	resch_layout_free(layout);
}

/* Releases cost both of two groups that share a CPU, and nobody else. */
static void releases_cost_neighbours(void **state)
{
	static const struct resch_assign_task tasks[] = { { 6 * MS, 0, 10 * MS },
							  { 9 * MS, 0, 15 * MS },
							  { 7 * MS, 0, 20 * MS } };
	struct resch_assign request = ask(RESCH_ASSIGN_NPSF, tasks, 3, 2, 4);
	struct resch_layout *before, *after;

	request.sizing = RESCH_ASSIGN_EXACT;
	before = must(&request);
	assert_int_equal(before->nr_groups, 2);
	request.overheads.release_cost = 10 * US;
	after = must(&request);
	assert_int_equal(after->nr_groups, 2);
	assert_true(after->groups[0].need > before->groups[0].need);
	assert_true(after->groups[1].need > before->groups[1].need);
	resch_layout_free(before);
	resch_layout_free(after);
	/* one task on its own CPU */
	request.nr_tasks = 1;
	after = must(&request);
	assert_int_equal(after->groups[0].need, 1500 * US);
	resch_layout_free(after);
}

/* Tasks join until none does any more; what stands is right all the time. */
static void join_random(void **state)
{
	uint32_t round, joined = 0, refused = 0;

	for (round = 0; round < 12; round++) {
		uint32_t nr = random_set(2000000, 50), added;
		struct resch_assign request = ask(round % 2, random_tasks, nr, 4, 2);
		struct resch_layout *layout;

		request.sizing = round / 2 % 2;
		if (round % 3 == 0)
			request.overheads = some_overheads;
		layout = must(&request);
		for (added = 0; added < 8; added++) {
			uint64_t period = between(5000, 50000) * US;
			struct resch_assign_task task = { period * between(5, 40) / 100, 0,
							  period };
			struct resch_layout_reserve place;
			int error = resch_layout_join(&request, layout, &task, &place, NULL);

			if (error) {
				assert_int_equal(error, -EBUSY);
				refused++;
				continue;
			}
			joined++;
			if (place.group > layout->nr_groups) {
				assert_int_equal(resch_layout_group(layout, 1), place.group);
				assert_int_equal(resch_layout_reserve(layout, place.cpu,
								      place.group, place.begin,
								      place.end),
						 0);
			}
			random_tasks[request.nr_tasks++] = task;
			layout->task_group =
				realloc(layout->task_group, request.nr_tasks * sizeof(uint32_t));
			assert_non_null(layout->task_group);
			layout->task_group[layout->nr_tasks++] = place.group;
			resch_layout_sort(layout);
			assert_int_equal(resch_layout_check(&request, layout, NULL), 0);
		}
		if (round % 3)
			assert_no_miss(&request, layout);
		resch_layout_free(layout);
	}
	print_message("%u joined, %u were refused\n", joined, refused);
	assert_true(joined > 20 && refused > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_faults),  cmocka_unit_test(join),
		cmocka_unit_test(join_to_the_end), cmocka_unit_test(releases_cost_neighbours),
		cmocka_unit_test(join_random),
	};

	return cmocka_run_group_tests_name("libresch_assign_join", tests, NULL, NULL);
}
