// SPDX-License-Identifier: GPL-2.0-or-later
/* groups_prometheus.c - what was counted of servers, chains and CPUs, for Prometheus */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "top.h"

static void begin(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP resch_%s %s\n# TYPE resch_%s %s\n", name, help, name, type);
}

static void put_server(FILE *to, const char *name, const struct top_server *server)
{
	fprintf(to, "resch_server_%s{domain=\"%u\",id=\"%u\",name=\"", name,
		(unsigned int)(server->id >> 32), (unsigned int)server->id);
	prometheus_text(to, server->name);
	fputs("\"} ", to);
}

static void put_chain(FILE *to, const char *name, const struct top_chain *chain)
{
	fprintf(to, "resch_chain_%s{id=\"%u\",name=\"", name, chain->id);
	prometheus_text(to, chain->name);
	fputs("\"} ", to);
}

static uint64_t at(const void *what, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)what + offset, sizeof(value));
	return value;
}

#define TOTAL(kind, field, help)                                                    \
	{                                                                           \
#kind "_" #field "_total", help, offsetof(struct top_##kind, field) \
	}

static void put_servers(const struct look *look, FILE *to)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} totals[] = {
		TOTAL(server, exhausted, "Budgets used up with work left."),
		TOTAL(server, replenished, "Budgets given."),
		TOTAL(server, postponed, "Deadlines put off when a budget was used up."),
	};
	const size_t prefix = sizeof("server_") - 1;

	begin(to, "server_left_seconds", "gauge", "What is left of the budget.");
	for_each_server(server, look) {
		put_server(to, "left_seconds", server);
		prometheus_seconds(to, server->left > 0 ? (uint64_t)server->left : 0);
		putc('\n', to);
	}
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		begin(to, totals[i].name, "counter", totals[i].help);
		for_each_server(server, look) {
			put_server(to, totals[i].name + prefix, server);
			fprintf(to, "%" PRIu64 "\n", at(server, totals[i].offset));
		}
	}
}

static void put_response(const struct top_chain *chain, FILE *to)
{
	char *labels = NULL;
	size_t size;
	FILE *text = open_memstream(&labels, &size);

	if (!text)
		return;
	fprintf(text, "{id=\"%u\",name=\"", chain->id);
	prometheus_text(text, chain->name);
	putc('"', text);
	fclose(text);
	prometheus_histogram(to, "resch_chain_response_seconds", labels, &chain->response);
	free(labels);
}

static void put_chains(const struct look *look, FILE *to)
{
	static const struct {
		const char *name, *help;
		size_t offset;
	} totals[] = {
		TOTAL(chain, instances, "Instances whose first stage is complete."),
		TOTAL(chain, completed, "Instances that are complete."),
		TOTAL(chain, missed, "Instances that were complete after their deadlines."),
		TOTAL(chain, skipped, "Instances that were dropped, being late already."),
		TOTAL(chain, lost, "Instances that nothing comes of any more."),
	};
	const size_t prefix = sizeof("chain_") - 1;

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		begin(to, totals[i].name, "counter", totals[i].help);
		for_each_chain(chain, look) {
			put_chain(to, totals[i].name + prefix, chain);
			fprintf(to, "%" PRIu64 "\n", at(chain, totals[i].offset));
		}
	}
	begin(to, "chain_response_seconds", "histogram",
	      "Time from an instance's origin until it is complete.");
	for_each_chain(chain, look)
		put_response(chain, to);
	begin(to, "chain_response_max_seconds", "gauge",
	      "Time from an instance's origin until it is complete: the longest.");
	for_each_chain(chain, look) {
		put_chain(to, "response_max_seconds", chain);
		prometheus_seconds(to, chain->response.most);
		putc('\n', to);
	}
}

static void put_cpus(const struct look *look, FILE *to)
{
	size_t number = 0;

	begin(to, "cpu_seconds_total", "counter", "Who had the CPU, for how long.");
	for_each_cpu(cpu, look) {
		for (int share = 0; cpu->since && share < TOP_SHARES; share++) {
			fprintf(to, "resch_cpu_seconds_total{cpu=\"%zu\",who=\"%s\"} ", number,
				share_names[share]);
			prometheus_seconds(to, cpu->shares[share]);
			putc('\n', to);
		}
		number++;
	}
}

void groups_prometheus(const struct look *look, FILE *to)
{
	put_servers(look, to);
	put_chains(look, to);
	put_cpus(look, to);
}
