// SPDX-License-Identifier: GPL-2.0
/* report.c - what came of a simulation */
#include "sim.h"

typedef unsigned long long ull;

/* ns in the unit that a person would take. */
static const char *show(u64 ns, char *text, size_t size)
{
	if (ns < 1000)
		snprintf(text, size, "%llu ns", (ull)ns);
	else if (ns < 1000000)
		snprintf(text, size, "%.3f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(text, size, "%.3f ms", (double)ns / 1e6);
	else
		snprintf(text, size, "%.3f s", (double)ns / 1e9);
	return text;
}

static const char *task_name(const struct sim_task *task, char *text, size_t size)
{
	if (*task->spec.params.name)
		return task->spec.params.name;
	snprintf(text, size, "%u", task->task.id);
	return text;
}

static u64 response_average(const struct resch_stats *stats)
{
	return stats->completed ? stats->response_total / stats->completed : 0;
}

static u64 response_least(const struct resch_stats *stats)
{
	return stats->completed ? stats->response_min : 0;
}

static void table_row(const struct sim_task *task, FILE *out)
{
	const struct resch_task_params *params = &task->spec.params;
	const struct resch_stats *stats = &task->stats;
	char period[32], deadline[32], wcet[32], average[32], most[32], name[32];

	fprintf(out, "%-15s %3u %11s %11s %11s %9llu %7llu %8llu %7llu %11s %11s %9llu\n",
		task_name(task, name, sizeof(name)), task->cpu->rq.cpu,
		show(params->wcet, wcet, sizeof(wcet)),
		show(params->deadline, deadline, sizeof(deadline)),
		show(params->period, period, sizeof(period)), (ull)stats->completed,
		(ull)stats->misses, (ull)stats->overruns, (ull)stats->skipped,
		show(response_average(stats), average, sizeof(average)),
		show(stats->response_max, most, sizeof(most)), (ull)stats->preemptions);
}

static void table_slots(const struct sim *sim, FILE *out)
{
	u64 outside = 0, outside_max = 0, migrations = 0;
	char total[32], most[32];
	u32 i;

	for (i = 0; i < sim->nr_tasks; i++) {
		const struct sim_task *task = sim->tasks[i];

		outside += task->outside;
		outside_max = max(outside_max, task->outside_max);
		migrations += task->stats.migrations;
	}
	fprintf(out,
		"%llu migrations, %llu kicks, outside the groups' windows %s, at most %s at a time; a group on two CPUs at once: %llu times\n",
		(ull)migrations, (ull)sim->kicks, show(outside, total, sizeof(total)),
		show(outside_max, most, sizeof(most)), (ull)sim->parallel);
}

static void table_server(const struct sim_server *server, FILE *out)
{
	const struct resch_server_params *params = &server->server.params;
	const struct resch_server_state *state = &server->server.state;
	char budget[32], period[32], consumed[32];

	fprintf(out,
		"server %u on CPU %u: %s, %s of %s, %s: consumed %s, %llu budgets, %llu exhausted, %llu postponed\n",
		server->server.id, server->cpu->rq.cpu, sim_server_kind(server),
		show(params->budget, budget, sizeof(budget)),
		show(params->period, period, sizeof(period)), server->policy,
		show(state->consumed, consumed, sizeof(consumed)), (ull)state->replenished,
		(ull)state->exhausted, (ull)state->postponed);
	if (server->server.inner && server->inner.fault)
		fprintf(out, "server %u: %s is not asked any more: %s; %s took its place\n",
			server->server.id, server->inner.plugin->name, server->inner.fault,
			server->cpu->sim->plugin->stand_in);
}

void sim_report_table(const struct sim *sim, FILE *out)
{
	struct resch_stats sum = { 0 };
	char end[32];
	u32 i;

	fprintf(out, "%-15s %3s %11s %11s %11s %9s %7s %8s %7s %11s %11s %9s\n", "task", "cpu",
		"wcet", "deadline", "period", "jobs", "misses", "overruns", "skipped", "resp avg",
		"resp max", "preempted");
	for (i = 0; i < sim->nr_tasks; i++) {
		const struct resch_stats *stats = &sim->tasks[i]->stats;

		table_row(sim->tasks[i], out);
		sum.completed += stats->completed;
		sum.misses += stats->misses;
		sum.preemptions += stats->preemptions;
	}
	fprintf(out,
		"%s on %u CPU%s for %s: %u tasks, %llu jobs, %llu misses, %llu preemptions, %llu decisions\n",
		sim->plugin->name, sim->config.cpus, sim->config.cpus == 1 ? "" : "s",
		show(sim->config.end, end, sizeof(end)), sim->nr_tasks, (ull)sum.completed,
		(ull)sum.misses, (ull)sum.preemptions, (ull)sim->decisions);
	if (sim->nr_plans)
		table_slots(sim, out);
	for (i = 0; i < sim->nr_servers; i++)
		table_server(sim->servers[i], out);
	for (i = 0; i < sim->config.cpus; i++)
		fprintf(out, "CPU %u: %u tasks, busy %.1f %%\n", i, sim->cpus[i].rq.nr_tasks,
			100.0 * (double)sim->cpus[i].busy / (double)sim->config.end);
}

static void json_server(const struct sim_server *server, FILE *out)
{
	const struct resch_server_params *params = &server->server.params;
	const struct resch_server_state *state = &server->server.state;

	fprintf(out,
		"    {\"id\": %u, \"cpu\": %u, \"kind\": \"%s\", \"policy\": \"%s\", \"budget\": %llu, \"period\": %llu, \"quantum\": %llu, \"consumed\": %llu, \"replenished\": %llu, \"exhausted\": %llu, \"postponed\": %llu",
		server->server.id, server->cpu->rq.cpu, sim_server_kind(server), server->policy,
		(ull)params->budget, (ull)params->period, (ull)params->quantum,
		(ull)state->consumed, (ull)state->replenished, (ull)state->exhausted,
		(ull)state->postponed);
	if (server->server.inner && server->inner.fault)
		fprintf(out, ", \"fault\": \"%s\"", server->inner.fault);
	fprintf(out, "}");
}

void sim_report_text(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < ' ')
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void json_task(const struct sim_task *task, FILE *out)
{
	const struct resch_task_params *params = &task->spec.params;
	const struct resch_stats *stats = &task->stats;
	char name[32];

	fprintf(out, "    {\"id\": %u, \"name\": ", task->task.id);
	sim_report_text(task_name(task, name, sizeof(name)), out);
	fprintf(out,
		", \"cpu\": %u, \"wcet\": %llu, \"deadline\": %llu, \"period\": %llu, \"released\": %llu, \"completed\": %llu, \"misses\": %llu, \"overruns\": %llu, \"skipped\": %llu, \"preemptions\": %llu,",
		task->cpu->rq.cpu, (ull)params->wcet, (ull)params->deadline, (ull)params->period,
		(ull)task->released, (ull)stats->completed, (ull)stats->misses,
		(ull)stats->overruns, (ull)stats->skipped, (ull)stats->preemptions);
	fprintf(out,
		" \"exec_total\": %llu, \"exec_max\": %llu, \"response_min\": %llu, \"response_avg\": %llu, \"response_max\": %llu, \"tardiness_max\": %llu",
		(ull)stats->exec_total, (ull)stats->exec_max, (ull)response_least(stats),
		(ull)response_average(stats), (ull)stats->response_max, (ull)stats->tardiness_max);
	if (task->sim->nr_servers)
		fprintf(out, ", \"server\": %u", params->group);
	if (task->sim->nr_plans)
		fprintf(out,
			", \"group\": %u, \"migrations\": %llu, \"outside\": %llu, \"outside_max\": %llu",
			params->group, (ull)stats->migrations, (ull)task->outside,
			(ull)task->outside_max);
	fprintf(out, "}");
}

void sim_report_json(const struct sim *sim, FILE *out)
{
	u32 i;

	fprintf(out,
		"{\n  \"plugin\": \"%s\", \"cpus\": %u, \"end\": %llu, \"seed\": %llu, \"decisions\": %llu,\n",
		sim->plugin->name, sim->config.cpus, (ull)sim->config.end, (ull)sim->config.seed,
		(ull)sim->decisions);
	if (sim->nr_plans)
		fprintf(out, "  \"parallel\": %llu, \"kicks\": %llu,\n", (ull)sim->parallel,
			(ull)sim->kicks);
	fprintf(out, "  \"busy\": [");
	for (i = 0; i < sim->config.cpus; i++)
		fprintf(out, "%s%llu", i ? ", " : "", (ull)sim->cpus[i].busy);
	fprintf(out, "],\n");
	if (sim->nr_servers)
		fprintf(out, "  \"servers\": [\n");
	for (i = 0; i < sim->nr_servers; i++) {
		json_server(sim->servers[i], out);
		fprintf(out, "%s\n", i + 1 < sim->nr_servers ? "," : "\n  ],");
	}
	fprintf(out, "  \"tasks\": [\n");
	for (i = 0; i < sim->nr_tasks; i++) {
		json_task(sim->tasks[i], out);
		fprintf(out, "%s\n", i + 1 < sim->nr_tasks ? "," : "");
	}
	fprintf(out, "  ]\n}\n");
}
