// SPDX-License-Identifier: GPL-2.0
/*
 * whole.c - plugins that decide for all CPUs at once
 *
 * As in the core: a picked task of another CPU moves, a deselected one is busy until it has left
 * its CPU, and a plugin may have other CPUs decide again. How late timers, kicks and departures are
 * is drawn at random, a sequence for each CPU.
 */
#include "sim.h"

u64 sim_late(struct sim_cpu *cpu, u64 due, u64 jitter)
{
	if (!jitter || due >= RESCH_NEVER - jitter)
		return due;
	return due + sim_random(&cpu->random, 0, jitter);
}

void sim_flush_kicks(struct sim *sim, struct resch_rq *rq)
{
	struct resch_rq *kicked = rq->kicks, *next;

	if (rq->noted)
		sim_server_flush(sim, rq);
	rq->kicks = NULL;
	for (; kicked; kicked = next) {
		struct sim_cpu *cpu = container_of(kicked, struct sim_cpu, rq);

		next = kicked->next_kicked;
		kicked->next_kicked = NULL;
		kicked->kicked = false;
		sim->kicks++;
		if (!sim->config.jitter)
			sim_touch(cpu);
		else if (!sim_event_queued(&cpu->kick))
			sim_event_set(&sim->events, &cpu->kick,
				      sim_late(cpu, sim->now, sim->config.jitter),
				      sim_tie(SIM_EVENT_KICK, cpu->rq.cpu));
	}
}

void sim_move(struct sim_task *task, struct sim_cpu *to)
{
	if (task->cpu == to)
		return;
	if (task->task.ready) {
		task->cpu->nr_ready--;
		to->nr_ready++;
	}
	task->cpu = to;
	task->task.rq = &to->rq;
	task->stats.migrations++;
}

/* Is a task of the same group on another CPU still? That must never be. */
static void check_alone(const struct sim_task *task)
{
	const struct sim_task *other;
	struct sim *sim = task->sim;

	if (!task->task.group)
		return;
	other = container_of(task->task.group, struct sim_group, group)->members;
	for (; other; other = other->member) {
		if (other->task.busy && other->cpu != task->cpu) {
			sim->parallel++;
			return;
		}
	}
}

void sim_arrive(struct sim_cpu *cpu, struct sim_task *task)
{
	sim_move(task, cpu);
	if (sim_event_queued(&task->stop))
		sim_event_drop(&cpu->sim->events, &task->stop);
	task->task.busy = true;
	if (sim_whole(cpu->sim))
		check_alone(task);
}

void sim_stopped(struct sim_task *task)
{
	struct sim *sim = task->sim;

	if (!task->task.busy)
		return;
	task->task.busy = false;
	if (!sim->plugin->stopped)
		return;
	sim->plugin->stopped(task->task.rq, &task->task, sim->now);
	sim_flush_kicks(sim, task->task.rq);
}

void sim_depart(struct sim_task *task)
{
	const struct sim_config *config = &task->sim->config;
	u64 delay = sim_random(&task->cpu->random, config->stop_min, config->stop_max);

	if (!sim_whole(task->sim) || !delay) {
		sim_stopped(task);
		return;
	}
	/* Who comes next has to wait until it is gone. */
	sim_lose(task->cpu, delay);
	sim_event_set(&task->sim->events, &task->stop, task->sim->now + delay,
		      sim_tie(SIM_EVENT_STOP, task->task.id));
}
