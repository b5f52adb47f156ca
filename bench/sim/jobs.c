// SPDX-License-Identifier: GPL-2.0
/* jobs.c - the life of simulated jobs: release, progress, completion, overruns and misses */
#include "chain.h"

/* Is it released by another stage of its chain? */
static bool is_forwarded(const struct sim_task *task)
{
	return task->stage && task->stage->index;
}

/*
 * The task's one timer: its next release or replenishment, and the deadline while somebody cares.
 */
static void arm(struct sim_task *task)
{
	struct sim_events *events = &task->sim->events;
	const struct resch_job *job = &task->task.job;
	u64 jitter = task->sim->config.release_jitter;
	u64 at = task->state == SIM_SLEEPING ?
			 job->release :
			 resch_life_next(&task->life, job, task->state == SIM_THROTTLED);

	if (sim_event_queued(&task->timer) && task->due == at)
		return;
	task->due = at;
	if (at != RESCH_NEVER)
		sim_event_set(events, &task->timer, sim_late(task->cpu, at, jitter),
			      sim_tie(is_forwarded(task) ? SIM_EVENT_FORWARD : SIM_EVENT_TIMER,
				      task->task.id));
	else if (sim_event_queued(&task->timer))
		sim_event_drop(events, &task->timer);
}

static void release(struct sim_task *task)
{
	const struct taskset_task *spec = &task->spec;

	task->released++;
	if (task->stage)
		sim_chain_released(task);
	task->need = sim_random(&task->random, spec->exec_min, spec->exec_max);
	task->executed = 0;
	resch_life_begin(&task->life, &spec->params, 0);
	sim_trace_job("resch_release", task, task->task.job.skipped);
	sim_enqueue(task, RESCH_WHY_RELEASE);
	if (task->life.watch)
		arm(task);
}

static void await(struct sim_task *task)
{
	task->state = SIM_SLEEPING;
	if (task->task.job.release <= task->sim->now)
		release(task);
	else
		arm(task);
}

void sim_job_await(struct sim_task *task)
{
	sim_chain_next(task);
	arm(task);
}

void sim_job_first(struct sim_task *task)
{
	const struct taskset_task *spec = &task->spec;

	if (is_forwarded(task)) {
		task->state = SIM_SLEEPING;
		sim_job_await(task);
		return;
	}
	resch_job_first(&task->task.job,
			sim_random(&task->random, spec->params.offset, spec->offset_max),
			spec->params.deadline);
	task->state = SIM_SLEEPING;
	arm(task);
}

/*
 * The next arrival; where the task is too late for some and is to skip them, the first one not
 * past.
 */
static void advance(struct sim_task *task)
{
	const struct taskset_task *spec = &task->spec;
	const struct resch_task_params *params = &spec->params;
	struct resch_job *job = &task->task.job;

	resch_job_advance(job, sim_random(&task->random, params->period, spec->gap_max),
			  params->deadline);
	if (!task->life.skip)
		return;
	task->life.skip = false;
	if (params->period == spec->gap_max)
		resch_job_skip(job, params->period, params->deadline, task->sim->now);
	else
		for (; job->release < task->sim->now; job->skipped++)
			job->release += sim_random(&task->random, params->period, spec->gap_max);
	job->deadline = job->release + params->deadline;
	task->stats.skipped += job->skipped;
}

static void count_overrun(struct sim_task *task)
{
	resch_life_overran(&task->life, &task->stats, &task->spec.params);
	sim_trace_job("resch_overrun", task, task->executed);
}

static void count_miss(struct sim_task *task, u64 tardiness)
{
	resch_life_missed(&task->life, &task->stats, &task->spec.params);
	sim_trace_job("resch_miss", task, tardiness);
}

static void complete(struct sim_task *task)
{
	u64 tardiness = resch_job_tardiness(&task->task.job, task->sim->now);
	struct sim_cpu *cpu = task->cpu;

	if (resch_life_exceeded(&task->life, task->executed))
		count_overrun(task);
	if (tardiness && !task->life.missed)
		count_miss(task, tardiness);
	resch_life_end(&task->life, &task->stats, &task->task.job, task->executed, task->sim->now);
	sim_trace_job("resch_complete", task, task->executed);
	if (task->state == SIM_BACKGROUND)
		resch_queue_erase(&cpu->background, &task->back);
	else
		sim_dequeue(task, RESCH_WHY_COMPLETE);
	if (cpu->selected == task)
		sim_deselect(cpu, RESCH_OFF_COMPLETE);
	cpu->running = NULL;
	if (task->stage)
		sim_chain_complete(task);
	/*
	 * ready for a new job: whom it is switched to, even to itself, is a new decision, but no
	 * switch of threads
	 */
	if (is_forwarded(task))
		sim_chain_next(task);
	else
		advance(task);
	await(task);
}

/* Stops the job until @until, or for good (RESCH_NEVER). */
static void stop(struct sim_task *task, u64 until)
{
	sim_dequeue(task, RESCH_WHY_THROTTLE);
	task->state = SIM_THROTTLED;
	task->life.wake_at = until;
	sim_trace_job("resch_throttle", task, task->executed);
	if (task->cpu->selected == task)
		sim_deselect(task->cpu, RESCH_OFF_THROTTLE);
}

static void react(struct sim_task *task, u32 how)
{
	if (task->state != SIM_READY)
		return;
	if (how == RESCH_THROTTLE) {
		stop(task, resch_life_throttled(&task->life, &task->spec.params, &task->task.job,
						task->sim->now, 1));
	} else if (how == RESCH_DEMOTE) {
		stop(task, RESCH_NEVER);
		task->state = SIM_BACKGROUND;
		resch_queue_insert(&task->cpu->background, &task->back, 0);
	}
}

static void replenish(struct sim_task *task)
{
	resch_life_replenish(&task->life, &task->stats, &task->spec.params, &task->task.job,
			     task->executed);
	sim_trace_job("resch_budget", task, task->life.budget);
	sim_enqueue(task, RESCH_WHY_WAKE);
	sim_trace_job("resch_wake", task, task->executed);
}

void sim_job_expire(struct sim_task *task)
{
	u64 now = task->sim->now;

	if (task->state == SIM_SLEEPING) {
		release(task);
		return;
	}
	if (task->state == SIM_THROTTLED && task->life.wake_at <= now)
		replenish(task);
	if (task->life.watch && task->task.job.deadline <= now) {
		count_miss(task, 0);
		react(task, task->spec.params.miss);
	}
	arm(task);
}

void sim_job_progress(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->running;

	if (!task)
		return;
	if (task->executed >= task->need) {
		complete(task);
	} else if (task->life.enforce && !resch_life_left(&task->life, task->executed)) {
		count_overrun(task);
		react(task, task->spec.params.overrun);
		arm(task);
	}
}

void sim_job_finish(struct sim_task *task)
{
	if (task->state != SIM_SLEEPING && !task->life.missed &&
	    task->task.job.deadline < task->sim->config.end)
		task->stats.misses++;
}
