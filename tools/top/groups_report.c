// SPDX-License-Identifier: GPL-2.0-or-later
/* groups_report.c - what was counted of servers, chains and CPUs, for people and for programs */
#include <inttypes.h>
#include <resch-chain.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "percentile.h"
#include "screen.h"
#include "top.h"

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *name_of(const char *name)
{
	return name[0] ? name : "-";
}

/* Return: how many rows it had. */
static size_t table_end(struct table *table, FILE *to)
{
	size_t rows = table->count / table->columns;

	if (rows)
		table_print(table, to);
	else
		table_free(table);
	return rows;
}

size_t servers_table(const struct look *look, size_t width, FILE *to)
{
	static const char *const headings[] = { ">SERVER",	"NAME",	      ">CPU",  "KIND",
						">BUDGET",	">PERIOD",    ">LEFT", ">EXHAUSTED",
						">REPLENISHED", ">POSTPONED", NULL };
	static const char *const drop[] = { "KIND", "POSTPONED", "PERIOD", NULL };
	struct table table;

	table_begin(&table, headings);
	table.width = width;
	table.drop = drop;
	for_each_server(server, look) {
		table_add(&table, "%u:%u", (unsigned int)(server->id >> 32),
			  (unsigned int)server->id);
		table_add(&table, "%s", name_of(server->name));
		if (screen_colour() && server->gone)
			table_style(&table, "2");
		table_add(&table, "%u", server->cpu);
		table_add(&table, "%s", server->known ? resch_server_kind_name(server->kind) : "-");
		table_add(&table, "%s", server->known ? time_text(server->budget) : "-");
		table_add(&table, "%s", server->known ? time_text(server->period) : "-");
		table_add(&table, "%s",
			  server->time ? time_short(server->left > 0 ? (uint64_t)server->left : 0) :
					 "-");
		table_add(&table, "%" PRIu64, (uint64_t)server->exhausted);
		table_add(&table, "%" PRIu64, (uint64_t)server->replenished);
		table_add(&table, "%" PRIu64, (uint64_t)server->postponed);
	}
	return table_end(&table, to);
}

static void add_time(struct table *table, const struct histogram *histogram, unsigned int permille)
{
	uint64_t ns = permille == 1000 ? histogram->most : percentile(histogram, permille);

	table_add(table, "%s", histogram->count ? time_short(ns) : "-");
}

size_t chains_table(const struct look *look, size_t width, FILE *to)
{
	static const char *const headings[] = {
		">CHAIN",    "NAME",	    "PROTOCOL",	 ">STAGES", ">DEADLINE", ">BEGUN",
		">DONE",     ">MISS",	    ">SKIP",	 ">LOST",   ">RESP 50%", ">RESP 90%",
		">RESP 99%", ">RESP 99.9%", ">RESP MAX", NULL,
	};
	static const char *const drop[] = { "RESP 90%", "RESP 99.9%", "PROTOCOL",
					    "STAGES",	"RESP 50%",   NULL };
	struct table table;

	table_begin(&table, headings);
	table.width = width;
	table.drop = drop;
	for_each_chain(chain, look) {
		table_add(&table, "%u", chain->id);
		table_add(&table, "%s", name_of(chain->name));
		if (screen_colour() && (chain->gone || chain->stopped))
			table_style(&table, "2");
		table_add(&table, "%s",
			  chain->known ? resch_chain_protocol_name(chain->protocol) : "-");
		table_add(&table, "%u", chain->stages);
		table_add(&table, "%s", chain->known ? time_text(chain->deadline) : "-");
		table_add(&table, "%" PRIu64, (uint64_t)chain->instances);
		table_add(&table, "%" PRIu64, (uint64_t)chain->completed);
		table_add(&table, "%" PRIu64, (uint64_t)chain->missed);
		table_add(&table, "%" PRIu64, (uint64_t)chain->skipped);
		table_add(&table, "%" PRIu64, (uint64_t)chain->lost);
		add_time(&table, &chain->response, 500);
		add_time(&table, &chain->response, 900);
		add_time(&table, &chain->response, 990);
		add_time(&table, &chain->response, 999);
		add_time(&table, &chain->response, 1000);
	}
	return table_end(&table, to);
}

void groups_table(const struct look *look, FILE *to)
{
	if (look->servers.count) {
		putc('\n', to);
		servers_table(look, screen_width(), to);
	}
	if (look->chains.count) {
		putc('\n', to);
		chains_table(look, screen_width(), to);
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static struct json_object *server_json(const struct top_server *server)
{
	struct json_object *out = json_object_new_object();

	json_add_number(out, "domain", server->id >> 32);
	json_add_number(out, "id", (uint32_t)server->id);
	json_add_text(out, "name", server->name);
	json_add_number(out, "cpu", server->cpu);
	json_add(out, "ended", json_object_new_boolean(server->gone != 0));
	if (server->known) {
		json_add_text(out, "kind", resch_server_kind_name(server->kind));
		json_add_time(out, "budget", server->budget);
		json_add_time(out, "period", server->period);
	}
	if (server->time) {
		/* A budget is overdrawn by what the last one took too long to stop. */
		json_add(out, "left", json_object_new_int64(server->left));
		json_add_time(out, "deadline", server->deadline);
	}
	json_add_number(out, "exhausted", server->exhausted);
	json_add_number(out, "replenished", server->replenished);
	json_add_number(out, "postponed", server->postponed);
	return out;
}

static struct json_object *chain_json(const struct top_chain *chain)
{
	struct json_object *out = json_object_new_object();

	json_add_number(out, "id", chain->id);
	json_add_text(out, "name", chain->name);
	json_add(out, "ended", json_object_new_boolean(chain->gone != 0));
	json_add(out, "stopped", chain->stopped ? json_object_new_int64(chain->stopped) : NULL);
	if (chain->known) {
		json_add_text(out, "protocol", resch_chain_protocol_name(chain->protocol));
		json_add_number(out, "stages", chain->stages);
		json_add_time(out, "period", chain->period);
		json_add_time(out, "deadline", chain->deadline);
	}
	json_add_number(out, "instances", chain->instances);
	json_add_number(out, "completed", chain->completed);
	json_add_number(out, "missed", chain->missed);
	json_add_number(out, "skipped", chain->skipped);
	json_add_number(out, "lost", chain->lost);
	json_add(out, "response", histogram_json(&chain->response));
	return out;
}

static struct json_object *cpu_json(const struct top_cpu *cpu, size_t number)
{
	struct json_object *out = json_object_new_object();

	json_add_number(out, "cpu", number);
	for (int share = 0; share < TOP_SHARES; share++)
		json_add_time(out, share_names[share], cpu->shares[share]);
	return out;
}

void groups_json(struct json_object *out, const struct look *look)
{
	struct json_object *servers = json_object_new_array();
	struct json_object *chains = json_object_new_array();
	struct json_object *cpus = json_object_new_array();
	size_t number = 0;

	for_each_server(server, look)
		json_object_array_add(servers, server_json(server));
	for_each_chain(chain, look)
		json_object_array_add(chains, chain_json(chain));
	for_each_cpu(cpu, look) {
		if (cpu->since)
			json_object_array_add(cpus, cpu_json(cpu, number));
		number++;
	}
	json_add(out, "servers", servers);
	json_add(out, "chains", chains);
	json_add(out, "cpus", cpus);
	json_add_number(out, "groups_left_out", look->groups_left_out);
}
