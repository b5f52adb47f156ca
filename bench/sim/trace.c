// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - a schedule as lines of text: TIME EVENT key=value ..., after a comment on how it was
 * made
 *
 * The events and their fields mean what those of module/core/trace.h mean. Simulated tasks have no
 * thread: their pid is their id.
 */
#include "sim.h"

typedef unsigned long long ull;

/* "NAME", or "NAME:OPTIONS" */
static void put_plugin(FILE *out, const char *key, const char *name, const char *options)
{
	fprintf(out, " %s=%s%s%s", key, name, *options ? ":" : "", options);
}

void sim_trace_begin(const struct sim *sim)
{
	const struct sim_config *config = &sim->config;
	u32 i;

	if (!config->trace)
		return;
	fputs("# resch-sim", config->trace);
	put_plugin(config->trace, "plugin", config->plugin, config->options);
	for (i = 0; i < config->nr_swaps; i++) {
		put_plugin(config->trace, "swap", config->swaps[i].plugin,
			   config->swaps[i].options);
		fprintf(config->trace, "@%lluns", (ull)config->swaps[i].at);
	}
	fprintf(config->trace, " cpus=%u jitter=%lluns stop-delay=%llu-%lluns\n", config->cpus,
		(ull)config->jitter, (ull)config->stop_min, (ull)config->stop_max);
}

void sim_trace_attach(const struct sim_task *task)
{
	const struct resch_task_params *params = &task->spec.params;
	const struct sim *sim = task->sim;
	u32 id = task->task.id;

	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace,
		"%llu resch_attach id=%u pid=%u cpu=%u name=%s plugin=%s kind=%u period=%llu deadline=%llu wcet=%llu offset=%llu priority=%u overrun=%u miss=%u group=%u\n",
		(ull)sim->now, id, id, task->cpu->rq.cpu, params->name, sim->plugin->name,
		params->kind, (ull)params->period, (ull)params->deadline, (ull)params->wcet,
		(ull)params->offset, params->priority, params->overrun, params->miss,
		params->group);
}

void sim_trace_plan(const struct sim *sim, const struct sim_plan *plan)
{
	u32 i;

	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace, "%llu resch_plan domain=1 slot=%llu from=%llu count=%u\n",
		(ull)sim->now, (ull)plan->plan.slot, (ull)plan->plan.from, plan->count);
	for (i = 0; i < plan->count; i++)
		fprintf(sim->config.trace,
			"%llu resch_reserve domain=1 group=%u cpu=%u begin=%llu end=%llu\n",
			(ull)sim->now, plan->reserves[i].group, plan->reserves[i].cpu,
			(ull)plan->reserves[i].begin, (ull)plan->reserves[i].end);
}

void sim_trace_server_set(const struct sim *sim, const struct sim_server *server)
{
	const struct resch_server_params *params = &server->server.params;

	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace,
		"%llu resch_server_set domain=1 cpu=%u server=%u name=%s kind=%u policy=%u budget=%llu period=%llu quantum=%llu overhead=%u flags=%u capacity=%u\n",
		(ull)sim->now, server->cpu->rq.cpu, server->server.id, params->name, params->kind,
		params->policy, (ull)params->budget, (ull)params->period, (ull)params->quantum,
		server->cpu->rq.overhead, params->flags, server->cpu->rq.capacity);
}

void sim_trace_server(const struct sim *sim, const struct resch_server *server)
{
	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace,
		"%llu resch_server domain=1 cpu=%d server=%u what=%u left=%lld deadline=%llu now=%llu\n",
		(ull)sim->now, server->params.cpu, server->id, server->notes,
		(long long)server->state.left, (ull)server->state.deadline, (ull)sim->now);
}

void sim_trace_job(const char *event, const struct sim_task *task, u64 value)
{
	const struct resch_job *job = &task->task.job;
	const struct sim *sim = task->sim;
	u32 id = task->task.id;

	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace,
		"%llu %s id=%u pid=%u cpu=%u job=%llu release=%llu deadline=%llu now=%llu value=%llu\n",
		(ull)sim->now, event, id, id, task->cpu->rq.cpu, (ull)job->index, (ull)job->release,
		(ull)job->deadline, (ull)sim->now, (ull)value);
}

#define WORD(name, word) word,

void sim_trace_deselect(const struct sim_task *task, enum resch_off why)
{
	static const char *const words[] = { RESCH_OFFS(WORD, WORD) };
	const struct sim *sim = task->sim;
	u32 id = task->task.id;

	if (!sim->config.trace)
		return;
	fprintf(sim->config.trace,
		"%llu resch_deselect id=%u pid=%u cpu=%u job=%llu now=%llu why=%s\n", (ull)sim->now,
		id, id, task->cpu->rq.cpu, (ull)task->task.job.index, (ull)sim->now, words[why]);
}

void sim_trace_swap(const struct sim_cpu *cpu, const char *from, const char *to)
{
	if (cpu->sim->config.trace)
		fprintf(cpu->sim->config.trace, "%llu resch_swap domain=1 cpu=%u from=%s to=%s\n",
			(ull)cpu->sim->now, cpu->rq.cpu, from, to);
}

void sim_trace_eject(const struct sim_cpu *cpu, const char *reason)
{
	if (cpu->sim->config.trace)
		fprintf(cpu->sim->config.trace,
			"%llu resch_eject domain=1 cpu=%u plugin=%s reason=%s\n",
			(ull)cpu->sim->now, cpu->rq.cpu, cpu->sim->plugin->name, reason);
}
