// SPDX-License-Identifier: GPL-2.0
/*
 * chain_guard.c - release guards, where a CPU learns late of what another one hands over, as that
 * one stands still in between
 */
#include "stages.h"
#include "still.h"

#define FOR_EVER (3000 * SEC) /* the period of the stage that is guarded */

/* Shares the CPU with that stage, and is less urgent. Its first job is short, the second is not. */
static atomic_uint turned;

static void body_other(struct task *task)
{
	task_wait(task);
	task_wait(task);
	while (!atomic_load(&turned))
		;
	task_wait(task);
}

static struct task other;
static uint32_t domain;

static void begin(void)
{
	const uint64_t periods[STAGES] = { MS, FOR_EVER, MS };

	atomic_store(&turned, 0);
	domain = domain_on("1-3", "edf", "");
	other = (struct task){ .reg = sporadic(MS, MS / 10) };
	other.reg.params.deadline = 3600 * SEC;
	other.reg.params.flags = RESCH_F_SKIP_ADMISSION;
	other.reg.params.cpu = 2;
	task_start(&other, body_other);
	await(state_of(other.id) == RESCH_STATE_SLEEPING);
	stages_start(three_cpus, periods);
	stages_chain(RESCH_CHAIN_RG, FOR_EVER, 3600 * SEC, 0);
}

/* The guarded stage ends with its next job. Nobody else may have anything to do when that comes. */
static void guarded_ends(void)
{
	atomic_store(&stages.tasks[1].stop, 1);
}

/* The first stage does its part of an instance, and its CPU stands still before it says so. */
static void first_stage_done_and_still(void)
{
	still_next();
	must(resch_release(dev, stages.tasks[0].id));
	still_await();
}

static void other_begins(void)
{
	must(resch_release(dev, other.id));
	must(resch_release(dev, other.id));
	await(stat_of(other.id).completed == 1 && state_of(other.id) == RESCH_STATE_SELECTED);
}

static void other_ends(void)
{
	atomic_store(&turned, 1);
	await(stat_of(other.id).completed == 2);
}

static void end(void)
{
	other_ends();
	await(atomic_load(&stages.tasks[1].ended));
	must(resch_release(dev, other.id));
	stages_end();
	task_join(&other);
	must(resch_domain_del(dev, domain));
}

static bool attempt_before(void)
{
	bool still;

	begin();
	first_stage_done_and_still();
	/* It has nothing to do after the first job of the other one, and then has. */
	other_begins();
	still = still_over();
	await(atomic_load(&stages.done[1]) == 1);
	must(resch_release(dev, stages.tasks[0].id));
	await(stage_stat(stages.chain, 0).completed == 2);
	await(stage_stat(stages.chain, 1).held == 1 || atomic_load(&stages.done[1]) == 2);
	if (still)
		check_is(atomic_load(&stages.done[1]), 1);
	else
		must(resch_release(dev, stages.tasks[0].id));
	guarded_ends();
	end();
	return still;
}

TEST(before, "an idle point before the CPU got to know of a job is none after that job")
{
	still_attempt("resch_stage_complete", attempt_before);
}

static bool attempt_after(void)
{
	uint64_t idle;
	bool still;

	begin();
	must(resch_release(dev, stages.tasks[0].id));
	await(stage_stat(stages.chain, STAGES - 1).completed == 1);
	other_begins();
	first_stage_done_and_still();
	idle = resch_now();
	other_ends();
	still = still_over();
	await(atomic_load(&stages.done[1]) == 2);
	check(!still || stages.seen[1][2].release >= idle, "it is released as of %llu ns before",
	      (unsigned long long)(idle - stages.seen[1][2].release));
	guarded_ends();
	must(resch_release(dev, stages.tasks[0].id));
	end();
	return still;
}

TEST(after, "what was complete before an idle point and comes after it is released by its time")
{
	still_attempt("resch_stage_complete", attempt_after);
}
