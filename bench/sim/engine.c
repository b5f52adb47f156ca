// SPDX-License-Identifier: GPL-2.0
/* engine.c - events in the order of time, and a decision on every CPU that one of them touched */
#include <resch/straight.h>

#include "chain.h"
#include "progress.h"

void sim_fault(struct sim *sim, const char *reason, const struct sim_cpu *cpu)
{
	if (*sim->fault)
		return;
	snprintf(sim->fault, sizeof(sim->fault), "%s", reason);
	sim_trace_eject(cpu, reason);
}

/* Nothing executes while the CPU is busy with releases and switches, up to lost_to. */
static void account(struct sim_cpu *cpu)
{
	u64 now = cpu->sim->now, start = max(cpu->since, cpu->lost_to);

	if (cpu->sim->watch && now > start)
		cpu->sim->watch(cpu->sim, cpu->running, start, now);
	if (cpu->running && now > start) {
		cpu->running->executed += now - start;
		cpu->busy += now - start;
		if (cpu->running->state == SIM_READY)
			sim_plan_account(cpu, cpu->running, start, now);
	}
	cpu->since = now;
}

void sim_lose(struct sim_cpu *cpu, u64 cost)
{
	cpu->lost_to = max(cpu->lost_to, cpu->sim->now) + cost;
}

void sim_touch(struct sim_cpu *cpu)
{
	account(cpu);
	if (cpu->changed)
		return;
	cpu->changed = true;
	cpu->next_changed = cpu->sim->changed;
	cpu->sim->changed = cpu;
}

void sim_enqueue(struct sim_task *task, enum resch_why why)
{
	task->state = SIM_READY;
	task->task.ready = true;
	task->cpu->nr_ready++;
	if (why == RESCH_WHY_RELEASE && task->sim->config.release_cost)
		sim_lose(task->cpu, task->sim->config.release_cost);
	if (task->sim->straight)
		resch_order_enqueue(task->sim->plugin->order, &task->cpu->rq, &task->task);
	else
		task->sim->plugin->enqueue(&task->cpu->rq, &task->task, why, task->sim->told);
	sim_flush_kicks(task->sim, &task->cpu->rq);
}

void sim_dequeue(struct sim_task *task, enum resch_why why)
{
	if (!task->task.ready)
		return;
	task->task.ready = false;
	task->cpu->nr_ready--;
	if (task->sim->straight)
		resch_order_dequeue(&task->cpu->rq, &task->task, why, task->sim->told);
	else
		task->sim->plugin->dequeue(&task->cpu->rq, &task->task, why, task->sim->told);
	sim_flush_kicks(task->sim, &task->cpu->rq);
}

void sim_deselect(struct sim_cpu *cpu, enum resch_off why)
{
	struct sim_task *task = cpu->selected;

	sim_trace_deselect(task, why);
	cpu->selected = NULL;
	cpu->running = NULL;
	cpu->stray_from = 0;
	sim_depart(task);
}

/*
 * As the core does it: nobody, for a while, is a legitimate answer; with no end to it, it is not.
 */
static void check_starvation(struct sim_cpu *cpu, const struct resch_pick *pick)
{
	struct sim *sim = cpu->sim;
	u64 now = sim->now;

	if (pick->task)
		sim->served = now;
	if (pick->task || !cpu->nr_ready || (cpu->rq.plan && now < cpu->rq.plan->from)) {
		cpu->starved = 0;
		return;
	}
	if (!cpu->starved)
		cpu->starved = now + 1; /* so that time 0 is not "never" */
	/* Who waits here may have its turn on another CPU. */
	if (sim_whole(sim) && now < sim->served + SIM_WATCHDOG)
		return;
	if (pick->until == RESCH_NEVER ||
	    now + 1 - cpu->starved >= SIM_WATCHDOG + 2 * sim_server_period(cpu))
		sim_fault(sim, "picked nobody for too long while tasks were ready", cpu);
}

static void apply(struct sim_cpu *cpu, struct sim_task *next)
{
	struct resch_node *back;

	if (next != cpu->selected) {
		if (cpu->selected) {
			cpu->selected->stats.preemptions++;
			sim_deselect(cpu, RESCH_OFF_PREEMPT);
		}
		cpu->selected = next;
		if (next)
			sim_arrive(cpu, next);
		if (next)
			sim_trace_job("resch_select", next, cpu->until);
	}
	back = resch_queue_first(&cpu->background);
	cpu->running = next ? next : back ? container_of(back, struct sim_task, back) : NULL;
	if (cpu->running && cpu->running != cpu->last) {
		sim_lose(cpu, cpu->sim->config.switch_cost);
		cpu->last = cpu->running;
		cpu->stray_from = 0;
	}
}

/*
 * When something happens on @cpu by itself: the job is done, its budget is, or the answer no longer
 * holds.
 */
static void arm(struct sim_cpu *cpu)
{
	const struct sim_task *running = cpu->running;
	u64 at = cpu->heard;

	if (running) {
		u64 left = running->need - running->executed;

		if (running->life.enforce && running->state == SIM_READY)
			left = min(left, resch_life_left(&running->life, running->executed));
		at = min(at, max(cpu->since, cpu->lost_to) + left);
	}
	if (sim_event_queued(&cpu->event) && cpu->event.key == at)
		return;
	if (at != RESCH_NEVER)
		sim_event_set(&cpu->sim->events, &cpu->event, at,
			      sim_tie(SIM_EVENT_CPU, cpu->rq.cpu));
	else if (sim_event_queued(&cpu->event))
		sim_event_drop(&cpu->sim->events, &cpu->event);
}

/* Asks the plugin as of @now. false: it is at fault. */
static bool ask(struct sim_cpu *cpu, u64 now)
{
	struct resch_pick pick = { .task = NULL, .until = RESCH_NEVER };
	struct sim *sim = cpu->sim;
	u64 change = RESCH_NEVER;
	const char *nonsense;

	if (sim_whole(sim))
		change = sim_plan_update(cpu, now);
	sim->decisions++;
	cpu->asked = now;
	sim->plugin->pick(&cpu->rq, now, &pick);
	nonsense = resch_pick_nonsense(&cpu->rq, sim_whole(sim), &pick, now);
	if (nonsense)
		sim_fault(sim, nonsense, cpu);
	else
		check_starvation(cpu, &pick);
	if (*sim->fault)
		return false;
	pick.until = min(pick.until, change);
	if (pick.until != cpu->until) {
		cpu->until = pick.until;
		cpu->heard = sim_late(cpu, pick.until, sim->config.jitter);
	}
	apply(cpu, pick.task ? container_of(pick.task, struct sim_task, task) : NULL);
	sim_flush_kicks(sim, &cpu->rq);
	return true;
}

/*
 * As in the core, an interrupt that comes late acts as of the time that it was meant for; what has
 * come due since is seen right after it.
 */
static void decide(struct sim_cpu *cpu)
{
	struct sim *sim = cpu->sim;
	u64 as_of = cpu->as_of ? max(cpu->as_of, cpu->asked) : sim->now;

	cpu->as_of = 0;
	if (cpu->link && cpu->selected) {
		arm(cpu);
		return;
	}
	if (!ask(cpu, as_of))
		return;
	if (cpu->until <= sim->now && !ask(cpu, sim->now))
		return;
	arm(cpu);
}

/* ---- the straight way, as the core has it ---------------------------------------------------- */

static struct resch_queue *ready_of(struct sim_cpu *cpu)
{
	return (struct resch_queue *)cpu->rq.private;
}

/* Is @task one whose jobs may go so, and does nothing keep its CPU from it? */
static bool may_go_straight(const struct sim_task *task)
{
	const struct sim *sim = task->sim;
	const struct sim_cpu *cpu = task->cpu;

	return sim->plugin->flags & RESCH_PLUGIN_ORDERED && !sim->chains && !cpu->changed &&
	       !cpu->as_of && resch_straight_plain(&task->spec.params);
}

/* What happens to @task, and who is to be the choice of its CPU then. */
static void go_straight(struct sim_task *task, void (*happen)(struct sim_task *task),
			struct sim_task *next)
{
	struct sim_cpu *cpu = task->cpu;
	struct sim *sim = task->sim;

	sim->straight = true;
	happen(task);
	sim->straight = false;
	sim->decisions++;
	sim->straights++;
	cpu->asked = sim->now;
	cpu->starved = 0;
	cpu->until = cpu->heard = RESCH_NEVER;
	apply(cpu, next);
	arm(cpu);
}

/* false: it can't, and nothing has been done */
static bool release_straight(struct sim_task *task)
{
	struct sim_cpu *cpu = task->cpu;
	struct sim_task *selected = cpu->selected;
	enum resch_straight choice;

	if (!may_go_straight(task) || task->state != SIM_SLEEPING || task->due != task->sim->now ||
	    (selected && selected->life.enforce))
		return false;
	choice = resch_straight_release(ready_of(cpu), selected ? &selected->task : NULL,
					resch_order_key(task->sim->plugin->order, &task->task));
	if (choice == RESCH_STRAIGHT_NOT)
		return false;
	account(cpu);
	go_straight(task, sim_job_expire, choice == RESCH_STRAIGHT_TAKES ? task : selected);
	return true;
}

static void progress(struct sim_task *task)
{
	sim_job_progress(task->cpu);
}

/* Likewise. */
static bool complete_straight(struct sim_cpu *cpu)
{
	struct sim_task *task = cpu->selected;
	const struct taskset_task *spec;
	struct resch_task *heir;

	if (!task || !may_go_straight(task) || cpu->heard <= cpu->sim->now)
		return false;
	account(cpu);
	spec = &task->spec;
	if (task->executed < task->need || resch_life_exceeded(&task->life, task->executed) ||
	    task->life.skip || cpu->sim->now > task->task.job.deadline ||
	    spec->gap_max != spec->params.period ||
	    task->task.job.release + spec->params.period <= cpu->sim->now ||
	    resch_queue_first(ready_of(cpu)) != &task->task.node)
		return false;
	heir = resch_straight_heir(ready_of(cpu));
	if (heir && container_of(heir, struct sim_task, task)->life.enforce)
		return false;
	go_straight(task, progress, heir ? container_of(heir, struct sim_task, task) : NULL);
	return true;
}

/* The only thing that happens at this time; it is in sim->events no more. */
static bool handle_straight(struct sim *sim, struct sim_event *event)
{
	struct sim_event *other = sim_event_first(&sim->events);

	if (sim->config.general || (other && other->key <= sim->now))
		return false;
	switch (event->tie >> 32) {
	case SIM_EVENT_CPU:
		return complete_straight(container_of(event, struct sim_cpu, event));
	case SIM_EVENT_TIMER:
		return release_straight(container_of(event, struct sim_task, timer));
	default:
		return false;
	}
}

/* ---- one event after the other --------------------------------------------------------------- */

static void swap_now(struct sim *sim)
{
	const struct sim_swap *swap = &sim->config.swaps[sim->next_swap++];
	struct resch_verdict verdict = { 0 };
	char why[RESCH_VERDICT_TEXT];
	u32 i;

	for (i = 0; i < sim->config.cpus; i++)
		sim_touch(&sim->cpus[i]);
	if (sim_swap(sim, swap, &verdict)) {
		resch_verdict_text_for(&verdict, "wcet", why, sizeof(why));
		fprintf(stderr, "resch-sim: %s does not take over at %llu ns: %s\n", swap->plugin,
			(unsigned long long)sim->now, why);
	}
	if (sim->next_swap < sim->config.nr_swaps)
		sim_event_set(&sim->events, &sim->swap, sim->config.swaps[sim->next_swap].at,
			      sim_tie(SIM_EVENT_SWAP, 0));
}

static void handle_cpu(struct sim_cpu *cpu)
{
	sim_touch(cpu);
	if (cpu->heard <= cpu->sim->now && cpu->until < cpu->heard)
		cpu->as_of = cpu->until;
	sim_job_progress(cpu);
}

static void handle_timer(struct sim_task *task)
{
	struct sim *sim = task->sim;
	struct sim_cpu *cpu = task->cpu;

	sim_touch(cpu);
	if (task->due < sim->now) {
		cpu->as_of = max(cpu->as_of, task->due);
		sim->told = max(task->due, cpu->asked);
	}
	sim_job_expire(task);
	sim->told = sim->now;
}

/* Takes its time from whoever is there; nobody has to decide anything. */
static void handle_tick(struct sim_tick *tick)
{
	struct sim_cpu *cpu = tick->cpu;

	account(cpu);
	sim_lose(cpu, tick->irq->cost);
	if (!cpu->changed)
		arm(cpu);
	sim_event_set(&cpu->sim->events, &tick->event, cpu->sim->now + tick->irq->period,
		      tick->event.tie);
}

static void handle(struct sim *sim, struct sim_event *event)
{
	switch (event->tie >> 32) {
	case SIM_EVENT_CPU:
		handle_cpu(container_of(event, struct sim_cpu, event));
		break;
	case SIM_EVENT_STOP:
		sim_stopped(container_of(event, struct sim_task, stop));
		break;
	case SIM_EVENT_KICK:
		sim_touch(container_of(event, struct sim_cpu, kick));
		break;
	case SIM_EVENT_SWAP:
		swap_now(sim);
		break;
	case SIM_EVENT_TIMER:
	case SIM_EVENT_FORWARD:
		handle_timer(container_of(event, struct sim_task, timer));
		break;
	case SIM_EVENT_TICK:
		handle_tick(container_of(event, struct sim_tick, event));
		break;
	}
}

static void start_ticks(struct sim *sim)
{
	u32 i, k, nr = sim->config.nr_irqs;

	for (i = 0; i < sim->config.cpus; i++) {
		for (k = 0; k < nr; k++) {
			struct sim_tick *tick = &sim->ticks[i * nr + k];

			tick->cpu = &sim->cpus[i];
			tick->irq = &sim->config.irqs[k];
			if (tick->irq->cpu != -1 && tick->irq->cpu != (s32)i)
				continue;
			sim_event_set(&sim->events, &tick->event,
				      sim_random(&sim->cpus[i].random, 0, tick->irq->period - 1),
				      sim_tie(SIM_EVENT_TICK, i * nr + k));
		}
	}
}

static void start(struct sim *sim)
{
	u32 i;

	sim_trace_begin(sim);
	for (i = 0; i < sim->nr_plans; i++)
		sim_trace_plan(sim, sim->plans[i]);
	for (i = 0; i < sim->nr_servers; i++)
		sim_trace_server_set(sim, sim->servers[i]);
	for (i = 0; i < sim->nr_tasks; i++)
		sim_trace_attach(sim->tasks[i]);
	sim_chain_trace_begin(sim);
	for (i = 0; i < sim->nr_tasks; i++)
		sim_job_first(sim->tasks[i]);
	start_ticks(sim);
	if (sim->config.nr_swaps)
		sim_event_set(&sim->events, &sim->swap, sim->config.swaps[0].at,
			      sim_tie(SIM_EVENT_SWAP, 0));
}

/*
 * One decision for each CPU that something has happened on. They may kick others, but not for ever.
 */
static void decide_all(struct sim *sim)
{
	u64 most = 100 + 100ULL * sim->config.cpus;

	while (sim->changed) {
		struct sim_cpu *cpu = sim->changed;

		sim->changed = cpu->next_changed;
		cpu->changed = false;
		if (!most--)
			sim_fault(sim, "its CPUs kick each other for ever", cpu);
		if (!*sim->fault)
			decide(cpu);
	}
}

int sim_run(struct sim *sim)
{
	struct sim_progress progress = {};
	struct sim_event *event;
	u32 i;

	start(sim);
	/* Whose window it is from the first moment on. */
	for (i = 0; i < sim->config.cpus && sim_whole(sim); i++)
		sim_touch(&sim->cpus[i]);
	decide_all(sim);
	while ((event = sim_event_first(&sim->events)) && event->key <= sim->config.end &&
	       !*sim->fault) {
		/* everything that happens now, and only then decisions */
		sim->now = sim->told = event->key;
		sim_progress_tell(&progress, sim->now, sim->config.end);
		sim_event_drop(&sim->events, event);
		if (handle_straight(sim, event))
			continue;
		for (;;) {
			handle(sim, event);
			event = sim_event_first(&sim->events);
			if (sim->chains && (!event || event->key > sim->now)) {
				sim_chain_idle_points(sim);
				event = sim_event_first(&sim->events);
			}
			if (!event || event->key > sim->now)
				break;
			sim_event_drop(&sim->events, event);
		}
		decide_all(sim);
	}
	sim_progress_done(&progress);
	if (*sim->fault)
		return -EPROTO;
	sim->now = sim->config.end;
	for (i = 0; i < sim->config.cpus; i++)
		account(&sim->cpus[i]);
	for (i = 0; i < sim->nr_tasks; i++)
		sim_job_finish(sim->tasks[i]);
	return 0;
}
