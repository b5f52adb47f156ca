// SPDX-License-Identifier: GPL-2.0
/* jobs.c - the life of simulated jobs: release, progress, completion, overruns and misses */
#include "sim.h"

/*
 * The task's one timer: its next release or replenishment, and the deadline while somebody cares.
 */
static void arm(struct sim_task *task)
{
	struct sim_events *events = &task->sim->events;
	u64 at = RESCH_NEVER, jitter = task->sim->config.release_jitter;

	if (task->state == SIM_SLEEPING)
		at = task->task.job.release;
	else if (task->state == SIM_THROTTLED)
		at = task->wake_at;
	if (task->state != SIM_SLEEPING && task->watch)
		at = min(at, task->task.job.deadline);
	if (sim_event_queued(&task->timer) && task->due == at)
		return;
	task->due = at;
	if (at != RESCH_NEVER)
		sim_event_set(events, &task->timer, sim_late(task->cpu, at, jitter),
			      sim_tie(SIM_EVENT_TIMER, task->task.id));
	else if (sim_event_queued(&task->timer))
		sim_event_drop(events, &task->timer);
}

static void release(struct sim_task *task)
{
	const struct taskset_task *spec = &task->spec;

	task->stats.released++;
	task->need = sim_random(&task->random, spec->exec_min, spec->exec_max);
	task->executed = 0;
	task->allowed = spec->params.wcet;
	task->enforce = spec->params.overrun != RESCH_COUNT;
	task->watch = spec->params.miss != RESCH_COUNT;
	task->missed = false;
	sim_trace_job("resch_release", task, task->task.job.skipped);
	sim_enqueue(task, RESCH_WHY_RELEASE);
	if (task->watch)
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

void sim_job_first(struct sim_task *task)
{
	const struct taskset_task *spec = &task->spec;

	resch_job_first(&task->task.job,
			sim_random(&task->random, spec->params.offset, spec->offset_max),
			spec->params.deadline);
	task->state = SIM_SLEEPING;
	arm(task);
}

static void account(struct sim_task *task)
{
	const struct resch_job *job = &task->task.job;
	struct sim_stats *stats = &task->stats;
	u64 response = task->sim->now - job->release,
	    tardiness = resch_job_tardiness(job, task->sim->now);

	stats->completed++;
	stats->exec_total += task->executed;
	stats->exec_max = max(stats->exec_max, task->executed);
	stats->response_total += response;
	stats->response_min = min(stats->response_min, response);
	stats->response_max = max(stats->response_max, response);
	if (!tardiness)
		return;
	stats->tardiness_max = max(stats->tardiness_max, tardiness);
	if (!task->missed) {
		stats->misses++;
		sim_trace_job("resch_miss", task, tardiness);
	}
	if (task->spec.params.miss == RESCH_SKIP)
		task->skip = true;
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
	if (!task->skip)
		return;
	task->skip = false;
	if (params->period == spec->gap_max)
		resch_job_skip(job, params->period, params->deadline, task->sim->now);
	else
		for (; job->release < task->sim->now; job->skipped++)
			job->release += sim_random(&task->random, params->period, spec->gap_max);
	job->deadline = job->release + params->deadline;
	task->stats.skipped += job->skipped;
}

static void complete(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;

	if (task->spec.params.overrun == RESCH_COUNT && task->executed > task->spec.params.wcet) {
		task->stats.overruns++;
		sim_trace_job("resch_overrun", task, task->executed);
	}
	account(task);
	task->watch = false;
	task->enforce = false;
	sim_trace_job("resch_complete", task, task->executed);
	if (task->state == SIM_BACKGROUND)
		resch_queue_erase(&cpu->background, &task->back);
	else
		sim_dequeue(task, RESCH_WHY_COMPLETE);
	if (cpu->selected == task)
		sim_deselect(cpu, "complete");
	cpu->running = NULL;
	/*
	 * ready for a new job: whom it is switched to, even to itself, is a new decision, but no
	 * switch of threads
	 */
	advance(task);
	await(task);
}

/* Stops the job until @until, or for good (RESCH_NEVER). */
static void stop(struct sim_task *task, u64 until)
{
	sim_dequeue(task, RESCH_WHY_THROTTLE);
	task->state = SIM_THROTTLED;
	task->wake_at = until;
	sim_trace_job("resch_throttle", task, task->executed);
	if (task->cpu->selected == task)
		sim_deselect(task->cpu, "throttle");
}

static void react(struct sim_task *task, u32 how)
{
	if (how == RESCH_SKIP)
		task->skip = true;
	if (task->state != SIM_READY)
		return;
	if (how == RESCH_THROTTLE) {
		stop(task,
		     max(task->task.job.release + task->spec.params.period, task->sim->now + 1));
	} else if (how == RESCH_DEMOTE) {
		stop(task, RESCH_NEVER);
		task->state = SIM_BACKGROUND;
		resch_queue_insert(&task->cpu->background, &task->back, 0);
	}
}

static void overrun(struct sim_task *task)
{
	task->enforce = false;
	task->stats.overruns++;
	sim_trace_job("resch_overrun", task, task->executed);
	react(task, task->spec.params.overrun);
	arm(task);
}

static void miss(struct sim_task *task)
{
	task->watch = false;
	task->missed = true;
	task->stats.misses++;
	sim_trace_job("resch_miss", task, 0);
	react(task, task->spec.params.miss);
}

/* A throttled job takes the next release over, with a new budget. */
static void replenish(struct sim_task *task)
{
	const struct resch_task_params *params = &task->spec.params;
	struct resch_job *job = &task->task.job;

	task->allowed = task->executed + params->wcet;
	task->enforce = params->overrun != RESCH_COUNT;
	job->release += params->period;
	job->deadline = job->release + params->deadline;
	job->skipped++;
	task->stats.skipped++;
	task->missed = false;
	task->watch = params->miss != RESCH_COUNT;
	sim_trace_job("resch_budget", task, params->wcet);
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
	if (task->state == SIM_THROTTLED && task->wake_at <= now)
		replenish(task);
	if (task->watch && task->task.job.deadline <= now)
		miss(task);
	arm(task);
}

void sim_job_progress(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->running;

	if (!task)
		return;
	if (task->executed >= task->need)
		complete(task);
	else if (task->enforce && task->executed >= task->allowed)
		overrun(task);
}

void sim_job_finish(struct sim_task *task)
{
	if (task->state != SIM_SLEEPING && !task->missed &&
	    task->task.job.deadline < task->sim->config.end)
		task->stats.misses++;
}
