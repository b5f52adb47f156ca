// SPDX-License-Identifier: GPL-2.0
/*
 * levels.c - the SCHED_FIFO priorities of tasks: in the order of their deadlines, one each while
 * there are any
 */
#include "lib.h"

#define LEVEL 80 /* the module's defaults */
#define LEVELS 30
#define TASKS 36

static struct task tasks[TASKS];

static __attribute__((constructor)) void levels_limit(void)
{
	test_limit = 150;
}

static int priority_of(const struct task *task)
{
	struct sched_param param;

	must_libc(sched_getparam(task->tid, &param));
	return param.sched_priority;
}

/* Sleeps until somebody ends its registration. */
static void body_sleeps(struct task *task)
{
	task->result = resch_wait(dev, &task->job);
	task->unregistered_end = true;
}

static void start(int number, uint64_t deadline)
{
	struct task *task = &tasks[number];

	*task = (struct task){ .number = number, .reg = periodic(100 * SEC, MS) };
	task->reg.params.deadline = deadline;
	task->reg.params.offset = 90 * SEC;
	task->reg.params.flags |= RESCH_F_SYNC;
	task_start(task, body_sleeps);
	await(state_of(task->id) == RESCH_STATE_SLEEPING);
}

static void end(struct task *task)
{
	must(resch_unregister(dev, task->id));
	task_join(task);
}

static bool in_place(int count)
{
	int i, j, wrong = 0;

	for (i = 0; i < count; i++) {
		int priority = priority_of(&tasks[i]);

		if (priority > LEVEL || priority <= LEVEL - LEVELS)
			return false;
		for (j = 0; j < count; j++) {
			int other = priority_of(&tasks[j]);

			if (tasks[i].reg.params.deadline >= tasks[j].reg.params.deadline)
				continue;
			wrong += priority < other || (count <= LEVELS && priority == other);
		}
	}
	return !wrong;
}

/* Starts @count tasks; the helper moves those that stand in the way a moment after. */
static void fill(int count, uint64_t (*deadline)(int number))
{
	int i;

	use("edf");
	for (i = 0; i < count; i++) {
		start(i, deadline(i));
		if (i % 6 == 5)
			await(in_place(i + 1));
	}
	await(in_place(count));
}

static uint64_t rising(int number)
{
	return (10 + number) * SEC;
}

static uint64_t falling(int number)
{
	return (90 - number) * SEC;
}

static uint64_t mixed(int number)
{
	return (10 + number * 7 % 31) * SEC;
}

TEST(rises, "joining by rising deadline: a level of its own for each of thirty tasks")
{
	fill(LEVELS, rising);
}

TEST(falls, "joining by falling deadline: the same")
{
	fill(LEVELS, falling);
}

TEST(mixes, "joining in any order: the same")
{
	fill(LEVELS, mixed);
}

TEST(shares, "more deadlines than levels: some share, all are in order")
{
	fill(TASKS, rising);
}

/* ---- while they run -------------------------------------------------------------------------- */

/* Short jobs without end; the periods of the three are such that each preempts the next. */
static void body_busy(struct task *task)
{
	while (!atomic_load(&task->stop)) {
		task_wait(task);
		spin((1 + task->number) * MS);
	}
}

static struct task busy[3];

static void busy_start(int number)
{
	busy[number] = (struct task){ .number = number };
	busy[number].reg = periodic((20 + 30 * number) * MS, (1 + number) * MS);
	task_start(&busy[number], body_busy);
}

/*
 * Each job of the longest is preempted by those with higher levels, whatever these are at that
 * moment.
 */
static bool all_work(const uint64_t *before)
{
	int i;

	for (i = 0; i < 3; i++)
		if (stat_of(busy[i].id).completed < before[i] + 20)
			return false;
	return true;
}

TEST(works, "tasks that run and preempt each other change levels meanwhile")
{
	uint32_t domain = use("edf");
	uint64_t before[3];
	int i, round;

	for (i = 0; i < 3; i++)
		busy_start(i);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 3; i++)
			before[i] = stat_of(busy[i].id).completed;
		for (i = 0; i < LEVELS - 3; i++)
			start(i, (15 + 3 * (uint64_t)i) * MS);
		await(in_place(LEVELS - 3));
		await(all_work(before));
		for (i = 0; i < LEVELS - 3; i++)
			end(&tasks[i]);
	}
	for (i = 0; i < 3; i++) {
		atomic_store(&busy[i].stop, 1);
		task_join(&busy[i]);
	}
	check_is(domain_stat(domain).ejections, 0);
}
