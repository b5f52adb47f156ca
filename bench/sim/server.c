// SPDX-License-Identifier: GPL-2.0
/*
 * server.c - servers: from files, admitted, noted in the trace
 *
 * A file has a line for each server; they get the numbers 1, 2, ..., which tasks name as their
 * group. Times with units, ns without; # begins a comment:
 *
 *   # kind, budget, period, policy, cpu (any), quantum (for rr), reclaim
 *   cbs-hard, 3ms, 10ms, edf, 0
 *   cbs, 2ms, 10ms, edf, , , reclaim
 *   tbs, 1ms, 8ms, rr, , 500us
 *   linux, 2ms, 20ms, edf
 *   cbs-hard, 2ms, 20ms, plugin:fp:order=rm;test=ll
 */
#include <ctype.h>

#include <resch.h>
#include <resch/sizes.h>

#include "sim.h"

#define LINE_LEN 256
#define FIELDS 7

/* ---- files ----------------------------------------------------------------------------------- */

/*
 * "plugin:NAME" or "plugin:NAME:OPTIONS", these with semicolons for commas; or a policy of servers.
 */
static int server_read_policy(char *text, struct resch_server_params *params,
			      struct sim_inside *inside)
{
	char *name = strchr(text, ':'), *options, *at;
	int policy;

	memset(inside, 0, sizeof(*inside));
	if (name)
		*name++ = '\0';
	policy = resch_server_policy_parse(text);
	if (policy < 0 || (policy == RESCH_SERVER_PLUGIN) != !!name)
		return -EINVAL;
	params->policy = (u32)policy;
	if (!name)
		return 0;
	options = strchr(name, ':');
	if (options)
		*options++ = '\0';
	else
		options = "";
	if (!*name || strlen(name) >= sizeof(inside->plugin) ||
	    strlen(options) >= sizeof(inside->options))
		return -EINVAL;
	strcpy(inside->plugin, name);
	strcpy(inside->options, options);
	for (at = inside->options; (at = strchr(at, ';'));)
		*at = ',';
	return 0;
}

static int server_read_line(char *line, struct resch_server_params *params,
			    struct sim_inside *inside)
{
	char *field[FIELDS] = { NULL };
	u64 budget, period, quantum = 0;
	u32 i, cpu;
	int kind;

	for (i = 0; i < FIELDS && line; i++) {
		char *end;

		field[i] = strsep(&line, ",");
		field[i] += strspn(field[i], " \t");
		end = field[i] + strlen(field[i]);
		while (end > field[i] && isspace((unsigned char)end[-1]))
			*--end = '\0';
	}
	memset(params, 0, sizeof(*params));
	params->cpu = -1;
	if (i < 4 || line || sim_parse_time(field[1], &budget) || sim_parse_time(field[2], &period))
		return -EINVAL;
	kind = resch_server_kind_parse(field[0]);
	if (kind < 0 || server_read_policy(field[3], params, inside))
		return -EINVAL;
	params->kind = (u32)kind;
	if (field[4] && *field[4]) {
		if (kstrtou32(field[4], 10, &cpu) || cpu >= RESCH_CPUS_MAX)
			return -EINVAL;
		params->cpu = (s32)cpu;
	}
	if (field[5] && *field[5] && sim_parse_time(field[5], &quantum))
		return -EINVAL;
	if (field[6] && *field[6]) {
		if (strcmp(field[6], "reclaim"))
			return -EINVAL;
		params->flags = RESCH_SERVER_F_RECLAIM;
	}
	params->budget = budget;
	params->period = period;
	params->quantum = quantum;
	return resch_server_sizes_valid(params) ? 0 : -EINVAL;
}

int sim_server_read(FILE *file, struct sim_server_file *servers, char *error, size_t size)
{
	char line[LINE_LEN];
	u32 number = 0;

	memset(servers, 0, sizeof(*servers));
	while (fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "#\r\n")] = '\0';
		if (!line[strspn(line, " \t")])
			continue;
		if (servers->count == SIM_SERVERS_MAX ||
		    server_read_line(line, &servers->params[servers->count],
				     &servers->inside[servers->count])) {
			snprintf(
				error, size,
				"line %u: not kind,budget,period,policy[,cpu[,quantum[,reclaim]]], or out of range",
				number);
			return -EINVAL;
		}
		servers->count++;
	}
	return 0;
}

const char *sim_server_kind(const struct sim_server *server)
{
	return resch_server_kind_name(server->server.params.kind);
}

/* ---- servers --------------------------------------------------------------------------------- */

struct sim_server *sim_server_find(const struct sim *sim, u32 id)
{
	return id && id <= sim->nr_servers ? sim->servers[id - 1] : NULL;
}

int sim_server_home(const struct sim *sim, const struct resch_task_params *params)
{
	const struct sim_server *server = sim_server_find(sim, params->group);

	if (!server || server->server.params.kind == RESCH_SERVER_LINUX ||
	    (params->cpu >= 0 && (u32)params->cpu != server->cpu->rq.cpu))
		return -EINVAL;
	return (int)server->cpu->rq.cpu;
}

int sim_server_admit(const struct sim *sim, const struct resch_plugin *plugin,
		     const struct resch_rq *rq, struct resch_verdict *verdict)
{
	const struct resch_server *server;
	int err = 0;

	if (!(plugin->flags & RESCH_PLUGIN_SERVERS))
		return 0;
	resch_rq_for_each_server(rq, server) {
		if (!plugin->server_valid(&server->params))
			err = resch_verdict_refuse(verdict, RESCH_BOUND_PLUGIN, 0,
						   server->params.kind, 0);
	}
	if (!err && rq->servers && !sim->config.force)
		err = plugin->admit_server(rq, rq->servers, verdict);
	if (err)
		verdict->cpu = (s32)rq->cpu;
	return err;
}

int sim_server_put_inside(struct sim_server *server, const struct resch_plugin *plugin,
			  const char *options)
{
	struct resch_inner *inner = &server->inner;

	if (!resch_plugin_fits_inside(plugin) || sim_plugin_options(plugin, options, inner->domain))
		return -EINVAL;
	inner->plugin = plugin;
	resch_inner_reset(inner, &server->cpu->rq);
	server->server.inner = inner;
	snprintf(server->policy, sizeof(server->policy), "plugin:%s", plugin->name);
	return 0;
}

static void server_list(struct sim *sim, struct sim_server *server, u32 cpu)
{
	struct resch_server **link;

	server->cpu = &sim->cpus[cpu];
	server->server.params.cpu = (s32)cpu;
	link = &server->cpu->rq.servers;
	while (*link && server->server.params.kind != RESCH_SERVER_LINUX)
		link = &(*link)->next;
	server->server.next = *link;
	*link = &server->server;
}

int sim_server_add(struct sim *sim, const struct resch_server_params *params,
		   struct resch_verdict *verdict)
{
	struct sim_server **servers, *server;
	int err = -ENODEV;
	u32 i;

	if (!(sim->plugin->flags & RESCH_PLUGIN_SERVERS))
		return -EOPNOTSUPP;
	if (!sim->plugin->server_valid(params))
		return -EINVAL;
	server = calloc(1, sizeof(*server));
	servers = realloc(sim->servers, (sim->nr_servers + 1) * sizeof(struct sim_server *));
	if (servers)
		sim->servers = servers;
	if (!servers || !server) {
		free(server);
		return -ENOMEM;
	}
	server->server.params = *params;
	for (i = 0; i < sim->config.cpus; i++) {
		struct resch_rq *rq = &sim->cpus[i].rq;

		if (params->cpu >= 0 && (u32)params->cpu != i)
			continue;
		memset(verdict, 0, sizeof(*verdict));
		err = sim->config.force ? 0 :
					  sim->plugin->admit_server(rq, &server->server, verdict);
		if (!err)
			break;
		verdict->cpu = (s32)i;
	}
	if (err) {
		free(server);
		return err;
	}
	server_list(sim, server, i);
	snprintf(server->policy, sizeof(server->policy), "%s",
		 resch_server_policy_name(params->policy));
	servers[sim->nr_servers++] = server;
	server->server.id = sim->nr_servers;
	return 0;
}

void sim_server_free(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->nr_servers; i++)
		free(sim->servers[i]);
	free(sim->servers);
}

void sim_server_reset(struct sim *sim)
{
	u32 i;

	for (i = 0; i < sim->nr_servers; i++) {
		struct resch_server *server = &sim->servers[i]->server;

		memset(server->private, 0, sizeof(server->private));
		memset(&server->state, 0, sizeof(server->state));
		if (server->inner)
			resch_inner_reset(server->inner, &sim->servers[i]->cpu->rq);
	}
}

void sim_server_flush(struct sim *sim, struct resch_rq *rq)
{
	struct resch_server *server = rq->noted, *next;

	rq->noted = NULL;
	for (; server; server = next) {
		next = server->next_noted;
		sim_trace_server(sim, server);
		if (sim->watch_server)
			sim->watch_server(sim, server);
		server->next_noted = NULL;
		server->noted = 0;
		server->notes = 0;
	}
}

u64 sim_server_period(const struct sim_cpu *cpu)
{
	const struct resch_server *server;
	u64 longest = 0;

	resch_rq_for_each_server(&cpu->rq, server)
		longest = max(longest, server->params.period);
	return longest;
}
