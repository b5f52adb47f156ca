// SPDX-License-Identifier: GPL-2.0
/* order.c - who runs first under each plugin, who preempts whom */
#include "lib.h"

/* Tasks A, B, C: each notes its letter as its job begins and the small letter as it ends. */

static uint64_t length = 15 * MS;

static void body_letters(struct task *task)
{
	int jobs = (long)task->arg;

	while (jobs--) {
		task_wait(task);
		note('A' + task->number);
		spin(length);
		note('a' + task->number);
	}
}

static struct task tasks[3];

static void task_make(int number, uint64_t period, uint64_t deadline, uint64_t offset, int jobs)
{
	struct task *task = &tasks[number];

	task->number = number;
	task->arg = (void *)(long)jobs;
	task->reg = periodic(period, 15 * MS);
	task->reg.params.deadline = deadline;
	task->reg.params.offset = offset;
	task->reg.params.flags |= RESCH_F_SYNC;
}

/* Starts the three at one time; the order in which their jobs ran. */
static void run(uint32_t domain, const char *wanted)
{
	tasks_in_order(tasks, 3, body_letters, domain, wanted);
}

TEST(edf, "edf: the earliest deadline first, whatever the period")
{
	task_make(0, 2 * SEC, 900 * MS, 0, 1);
	task_make(1, 2 * SEC, 300 * MS, 0, 1);
	task_make(2, 3 * SEC, 600 * MS, 0, 1);
	run(use("edf"), "BbCcAa");
}

/* A job that releases others on the way: what comes of it at once does not depend on the clock. */
static void body_releases(struct task *task)
{
	const char *others = task->arg;

	task_wait(task);
	note('A' + task->number);
	while (others && *others)
		must(resch_release(dev, tasks[*others++ - 'A'].id));
	spin(2 * MS);
	note('a' + task->number);
}

static void task_make_sporadic(int number, uint64_t deadline, const char *others)
{
	struct task *task = &tasks[number];

	task->number = number;
	task->arg = (void *)others;
	task->reg = sporadic(5 * SEC, MS);
	task->reg.params.deadline = deadline;
}

/* Releases A; the order in which the jobs ran. */
static void run_sporadic(const char *wanted)
{
	int i;

	for (i = 0; i < 3; i++) {
		task_start(&tasks[i], body_releases);
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
	}
	must(resch_release(dev, tasks[0].id));
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
	check(!strcmp(notes(), wanted), "the order is %s, not %s", notes(), wanted);
}

TEST(edf_preempts, "edf: an earlier deadline preempts, a later one does not")
{
	use("edf");
	task_make_sporadic(0, 2 * SEC, "CB");
	task_make_sporadic(1, 1 * SEC, "");
	task_make_sporadic(2, 4 * SEC, "");
	run_sporadic("ABbaCc");
}

TEST(edf_nests, "edf: preemption nests")
{
	use("edf");
	task_make_sporadic(0, 4 * SEC, "B");
	task_make_sporadic(1, 3 * SEC, "C");
	task_make_sporadic(2, 1 * SEC, "");
	run_sporadic("ABCcba");
}

TEST(rm, "fp with order=rm: the shortest period first, whatever the deadline")
{
	task_make(0, 3 * SEC, 100 * MS, 0, 1);
	task_make(1, 2 * SEC, 900 * MS, 0, 1);
	task_make(2, 1 * SEC, 600 * MS, 0, 1);
	run(domain_on("1", "fp", "order=rm"), "CcBbAa");
}

TEST(dm, "fp: the shortest relative deadline first")
{
	task_make(0, 1 * SEC, 800 * MS, 0, 1);
	task_make(1, 2 * SEC, 500 * MS, 0, 1);
	task_make(2, 3 * SEC, 900 * MS, 0, 1);
	run(use("fp"), "BbAaCc");
}

TEST(explicit, "fp with order=explicit: the smallest priority number first, no number last")
{
	task_make(0, 1 * SEC, 0, 0, 1);
	task_make(1, 2 * SEC, 0, 0, 1);
	task_make(2, 3 * SEC, 0, 0, 1);
	tasks[1].reg.params.priority = 20;
	tasks[2].reg.params.priority = 7;
	run(domain_on("1", "fp", "order=explicit"), "CcBbAa");
}

TEST(fp_preempts, "fp: a more urgent job preempts, a lesser one waits")
{
	use("fp");
	task_make_sporadic(0, 3 * SEC, "B");
	task_make_sporadic(1, 1 * SEC, "C");
	task_make_sporadic(2, 2 * SEC, "");
	run_sporadic("ABbCca");
}

TEST(fifo_waits, "fifo: nobody preempts")
{
	use("fifo");
	task_make_sporadic(0, 3 * SEC, "CB");
	task_make_sporadic(1, 1 * SEC, "");
	task_make_sporadic(2, 2 * SEC, "");
	run_sporadic("AaCcBb");
}

TEST(fifo, "fifo: the earliest release first, each to its end")
{
	task_make(0, 4 * SEC, 3 * SEC, 8 * MS, 1);
	task_make(1, 4 * SEC, 2 * SEC, 4 * MS, 1);
	task_make(2, 4 * SEC, 1 * SEC, 0, 1);
	run(use("fifo"), "CcBbAa");
}

TEST(demo, "demo: jobs take turns")
{
	uint32_t domain = domain_on("1", "demo", "quantum=2ms");
	const char *got;
	int i;

	length = 60 * MS;
	task_make(0, 4 * SEC, 0, 0, 1);
	task_make(1, 4 * SEC, 0, 0, 1);
	task_make(2, 4 * SEC, 0, 0, 1);
	for (i = 0; i < 3; i++) {
		task_start(&tasks[i], body_letters);
		await(state_of(tasks[i].id) == RESCH_STATE_SLEEPING);
	}
	must(resch_start(dev, domain, resch_now() + SEC));
	for (i = 0; i < 3; i++)
		task_join(&tasks[i]);
	got = notes();
	check_is(strlen(got), 6);
	check(!strstr(got, "Aa") || !strstr(got, "Bb") || !strstr(got, "Cc"),
	      "each ran to its end: %s", got);
}

TEST(repeated, "edf: two jobs of the shorter period for one of the longer, again and again")
{
	task_make(0, 600 * MS, 0, 0, 2);
	task_make(1, 300 * MS, 0, 0, 4);
	task_make(2, 1200 * MS, 0, 0, 1);
	run(use("edf"), "BbAaCcBbBbAaBb");
}
