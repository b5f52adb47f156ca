// SPDX-License-Identifier: GPL-2.0
/*
 * test_libresch_assign_story.c - layouts that follow one another while tasks come and go,
 * simulated: nobody is late
 *
 * The simulator (bench/study/slots.c) shares nothing with the library.
 */
#include "assign_keep_rig.h"

/* struct story - tasks come and go, layouts change */
struct story {
	uint32_t method, sizing, cpus, cluster;
	struct resch_assign_overheads overheads;
	struct resch_assign_task tasks[TASKS]; /* those that are there, as the library sees them */
	uint32_t keep[TASKS];
	uint32_t who[TASKS]; /* in @all */
	uint32_t nr;
	struct slots_task all[TASKS];
	uint32_t nr_all;
	struct slots_change changes[64];
	uint32_t nr_changes;
	struct resch_layout *first, *layout;
	uint64_t now;
	bool hasty; /* the planted fault: to the new layout at once, and nobody waits */
};

struct count {
	uint32_t switches, refused, steps, full, jobs, late;
};

static struct resch_assign_task random_task(void)
{
	struct resch_assign_task task = { .period = between(8, 40) * MS };

	if (between(0, 1))
		task.period += between(0, 999999);
	task.wcet = task.period * between(5, 60) / 100;
	if (!between(0, 3))
		task.deadline = between(task.wcet + (task.period - task.wcet) / 2, task.period);
	if (task.deadline && task.deadline < 8 * MS)
		task.deadline = 0;
	return task;
}

static struct resch_assign story_ask(const struct story *story)
{
	struct resch_assign request = ask_keep(story->method, story->tasks, story->nr, story->cpus,
					       story->keep, story->layout);

	request.sizing = story->sizing;
	request.cluster = story->cluster;
	request.overheads = story->overheads;
	return request;
}

static void add_task(struct story *story, struct resch_assign_task task)
{
	story->tasks[story->nr] = task;
	story->keep[story->nr] = 0;
	story->who[story->nr++] = ASSIGN_NONE;
}

static void add_change(struct story *story, uint64_t from, const struct resch_layout_reserve *it,
		       uint32_t nr)
{
	assert_true(story->nr_changes < 64);
	story->changes[story->nr_changes++] = (struct slots_change){
		.from = from,
		.reserves = reserves_of(it, nr),
		.nr_reserves = nr,
	};
}

static uint64_t boundary(const struct story *story, uint64_t time)
{
	uint64_t slot = story->layout->slot;

	return (time + slot - 1) / slot * slot;
}

/* The way to @layout; those that are new come when they may. */
static void story_go(struct story *story, struct resch_layout *layout, struct resch_switch *way)
{
	uint64_t at = boundary(story, story->now + (story->hasty ? 0 : way->settle) + 1);
	uint32_t i;

	for (i = story->hasty && way->nr_steps ? way->nr_steps - 1 : 0; i < way->nr_steps; i++) {
		add_change(story, at, way->steps[i].reserves, way->steps[i].nr_reserves);
		story->now = at;
		at += (RESCH_SWITCH_HOLD + between(0, 2)) * layout->slot;
	}
	if (!story->hasty)
		story->now += way->rest;
	for (i = 0; i < story->nr; i++) {
		struct resch_assign_task *task = &story->tasks[i];

		if (story->who[i] != ASSIGN_NONE)
			continue;
		story->keep[i] = layout->task_group[i];
		story->who[i] = story->nr_all;
		story->all[story->nr_all++] = (struct slots_task){
			.wcet = task->wcet,
			.deadline = task->deadline ? task->deadline : task->period,
			.period = task->period,
			.group = story->keep[i],
			.joins = story->now,
		};
	}
	if (story->layout != story->first)
		resch_layout_free(story->layout);
	story->layout = layout;
}

static void drop_new(struct story *story)
{
	while (story->nr && story->who[story->nr - 1] == ASSIGN_NONE)
		story->nr--;
}

static void story_leave(struct story *story)
{
	uint32_t i = (uint32_t)between(0, story->nr - 1);

	if (story->nr < 2)
		return;
	story->all[story->who[i]].leaves = story->now + 1;
	story->nr--;
	story->tasks[i] = story->tasks[story->nr];
	story->keep[i] = story->keep[story->nr];
	story->who[i] = story->who[story->nr];
}

static void story_change(struct story *story, struct count *count)
{
	uint32_t joins = (uint32_t)between(0, 3);
	struct resch_assign_refusal refusal;
	struct resch_assign request;
	struct resch_layout *layout;
	struct resch_switch *way;

	while (joins-- && story->nr_all + joins + 1 < TASKS)
		add_task(story, random_task());
	request = story_ask(story);
	if (resch_assign(&request, &layout, &refusal)) {
		count->full++;
		drop_new(story);
		return;
	}
	assert_int_equal(resch_layout_check(&request, layout, &refusal), 0);
	if (resch_layout_switch(&request, layout, &way, &refusal)) {
		count->refused++;
		drop_new(story);
		resch_layout_free(layout);
		return;
	}
	count->switches++;
	count->steps += way->nr_steps;
	story_go(story, layout, way);
	resch_switch_free(way);
}

static bool story_begin(struct story *story, bool hasty)
{
	struct resch_assign request;
	uint64_t share = 0, most;
	uint32_t i;

	*story = (struct story){
		.method = (uint32_t)between(0, 2),
		.sizing = (uint32_t)between(0, 1),
		.cpus = (uint32_t)between(1, 4),
		.cluster = (uint32_t)between(1, 3),
		.hasty = hasty,
	};
	if (!between(0, 2))
		story->overheads = (struct resch_assign_overheads){
			.reserve_jitter = between(0, 30 * US),
			.release_jitter = between(0, 30 * US),
			.switch_cost = between(0, 5 * US),
		};
	most = story->cpus * between(30, 85);
	while (story->nr < 20) {
		struct resch_assign_task task = random_task();

		share += task.wcet * 100 / task.period;
		if (share > most && story->nr)
			break;
		add_task(story, task);
	}
	request = story_ask(story);
	/* the first one, too, by the usual way now and then */
	if (between(0, 1))
		request.keep = NULL;
	request.delta = (uint32_t)between(1, 4);
	if (resch_assign(&request, &story->layout, NULL))
		return false;
	story->first = story->layout;
	for (i = 0; i < story->nr; i++) {
		const struct resch_assign_task *task = &story->tasks[i];

		story->who[i] = i;
		story->keep[i] = story->layout->task_group[i];
		story->all[i] = (struct slots_task){
			.wcet = task->wcet,
			.deadline = task->deadline ? task->deadline : task->period,
			.period = task->period,
			.group = story->keep[i],
		};
	}
	story->nr_all = story->nr;
	return true;
}

static void story_run(const struct story *story, struct count *count)
{
	struct slots_reserve *first =
		reserves_of(story->first->reserves, story->first->nr_reserves);
	struct slots slots = {
		.slot = story->first->slot,
		.nr_cpus = story->cpus,
		.tasks = story->all,
		.nr_tasks = story->nr_all,
		.reserves = first,
		.nr_reserves = story->first->nr_reserves,
		.changes = story->changes,
		.nr_changes = story->nr_changes,
		.end = story->now + 400 * MS,
		.reserve_jitter = story->overheads.reserve_jitter,
		.release_jitter = story->overheads.release_jitter,
		.job_cost = 2 * story->overheads.switch_cost,
	};
	struct slots_result result;
	uint32_t pattern;

	for (pattern = 0; pattern < SLOTS_PATTERNS; pattern++) {
		slots.pattern = pattern;
		slots.seed = random_state;
		assert_int_equal(slots_run(&slots, &result), 0);
		count->jobs += (uint32_t)result.jobs;
		count->late += (uint32_t)result.misses;
		assert_int_equal(result.parallel, 0);
	}
	free(first);
}

static void story_end(struct story *story)
{
	uint32_t i;

	for (i = 0; i < story->nr_changes; i++)
		free((void *)story->changes[i].reserves);
	if (story->layout != story->first)
		resch_layout_free(story->layout);
	resch_layout_free(story->first);
}

static struct count stories(uint32_t nr, bool hasty)
{
	static struct story story;
	struct count count = { 0 };
	uint32_t rounds, leaves;

	while (nr--) {
		if (!story_begin(&story, hasty))
			continue;
		for (rounds = (uint32_t)between(1, 5); rounds--;) {
			story.now += between(1, 60 * MS);
			for (leaves = (uint32_t)between(0, 2); leaves--;)
				story_leave(&story);
			story_change(&story, &count);
		}
		story_run(&story, &count);
		story_end(&story);
	}
	return count;
}

static void nobody_is_late(void **state)
{
	struct count count =
		stories(getenv("STORIES") ? (uint32_t)atoi(getenv("STORIES")) : 400, false);

	print_message("%u switches of %u steps, %u refused, %u without room; %u jobs\n",
		      count.switches, count.steps, count.refused, count.full, count.jobs);
	assert_true(count.switches > 400);
	assert_true(count.steps > count.switches / 2);
	assert_int_equal(count.late, 0);
}

/* The same, at once: so the simulation sees it. */
static void the_hasty_are_late(void **state)
{
	struct count count = stories(400, true);

	print_message("%u of %u jobs late\n", count.late, count.jobs);
	assert_true(count.late > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_is_late),
		cmocka_unit_test(the_hasty_are_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
