// SPDX-License-Identifier: GPL-2.0
/* chain_report.c - what came of simulated chains, beside what was to be expected */
#include "chain.h"

typedef unsigned long long ull;

#define BUCKETS 20
#define JSON_BUCKETS 100
#define BAR 50

/* ns as ms, for columns. */
static const char *show(u64 ns, char *text, size_t size)
{
	if (ns == RESCH_CHAIN_NEVER)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%llu.%06llu", (ull)ns / 1000000, (ull)ns % 1000000);
	return text;
}

/* Of sorted ones, that which @ppm are at most as long as. */
static u64 part_of(const struct sim_chain_total *total, u64 ppm)
{
	if (!total->complete)
		return 0;
	return total->responses[(total->complete - 1) * ppm / 1000000];
}

static u64 average(const struct sim_chain_total *total)
{
	unsigned __int128 sum = 0;
	u64 i;

	for (i = 0; i < total->complete; i++)
		sum += total->responses[i];
	return total->complete ? (u64)(sum / total->complete) : 0;
}

/* Does the method bound what the protocols of all chains do, under the policy? */
static bool applies(const struct resch_chain_model *model, u32 method,
		    struct resch_chain_bound *bounds)
{
	struct resch_chain_result result = { .chains = bounds };
	int err = resch_chain_analyse(model, method, &result);

	return (!err || err == -EBUSY) && result.refusal.reason != RESCH_CHAIN_METHOD &&
	       result.refusal.reason != RESCH_CHAIN_UNASSIGNED && result.method == method;
}

static void table_chain(const struct sim_chain_play *play, u32 index, FILE *out)
{
	const struct resch_chain_spec *chain = &play->model.chains[index];
	const struct sim_chain_total *total = &play->totals[index];
	char text[5][32];

	fprintf(out, "%-15s %-4s %9llu %9llu %8llu %8llu %6llu %6llu %13s %13s %13s %13s %13s\n",
		chain->name, resch_chain_protocol_name(chain->protocol), (ull)total->begun,
		(ull)total->complete, (ull)total->missed, (ull)total->skipped, (ull)total->lost,
		(ull)total->late, show(part_of(total, 0), text[0], 32),
		show(average(total), text[1], 32), show(part_of(total, 990000), text[2], 32),
		show(part_of(total, 999000), text[3], 32),
		show(part_of(total, 1000000), text[4], 32));
}

static void table_stages(const struct sim_chain_play *play, FILE *out)
{
	char text[32];
	u32 i, k;

	fprintf(out, "\nlongest from the origin to the end of each stage, ms\n");
	for (i = 0; i < play->model.count; i++) {
		fprintf(out, "%-15s", play->model.chains[i].name);
		for (k = 0; k < play->model.chains[i].count; k++)
			fprintf(out, " %13s", show(play->totals[i].worst[k], text, sizeof(text)));
		putc('\n', out);
	}
}

static void table_bounds(const struct sim_chain_play *play, FILE *out)
{
	struct resch_chain_bound bounds[RESCH_CHAINS_MAX];
	char text[32];
	u32 method, i;

	fprintf(out, "\nbounds, ms, and how much of them was seen\n");
	for (method = RESCH_CHAIN_DECOMPOSED; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		if (!applies(&play->model, method, bounds))
			continue;
		fprintf(out, "%-11s", resch_chain_method_name(method));
		for (i = 0; i < play->model.count; i++) {
			u64 seen = part_of(&play->totals[i], 1000000);

			fprintf(out, "  %s %s", play->model.chains[i].name,
				show(bounds[i].response, text, sizeof(text)));
			if (bounds[i].response != RESCH_CHAIN_NEVER)
				fprintf(out, " %.1f %%",
					100.0 * (double)seen / (double)bounds[i].response);
		}
		putc('\n', out);
	}
}

/* Responses by length, in @buckets of equal width, which is returned. */
static u64 count_by_length(const struct sim_chain_total *total, u64 *counts, u32 buckets)
{
	u64 low = part_of(total, 0), high = part_of(total, 1000000);
	u64 width = (high - low) / buckets + 1, i;

	memset(counts, 0, buckets * sizeof(*counts));
	for (i = 0; i < total->complete; i++)
		counts[(total->responses[i] - low) / width]++;
	return width;
}

static void histogram(const struct sim_chain_play *play, u32 index, FILE *out)
{
	const struct sim_chain_total *total = &play->totals[index];
	u64 low = part_of(total, 0), high = part_of(total, 1000000), most = 1, i;
	u64 counts[BUCKETS], width = count_by_length(total, counts, BUCKETS);
	char text[32];

	for (i = 0; i < BUCKETS; i++)
		most = max(most, counts[i]);
	fprintf(out, "\n%s, end to end from, ms\n", play->model.chains[index].name);
	for (i = 0; i < BUCKETS && low + i * width <= high; i++)
		fprintf(out, "%13s %9llu %.*s\n", show(low + i * width, text, sizeof(text)),
			(ull)counts[i], (int)((counts[i] * BAR + most - 1) / most),
			"##################################################");
}

void sim_chain_report_table(const struct sim_chain_play *play, bool bars, FILE *out)
{
	u32 i;

	fprintf(out, "%-15s %-4s %9s %9s %8s %8s %6s %6s %13s %13s %13s %13s %13s\n", "chain", "by",
		"instances", "complete", "missed", "skipped", "lost", "late", "min, ms", "avg",
		"99 %", "99.9 %", "max");
	for (i = 0; i < play->model.count; i++)
		table_chain(play, i, out);
	table_stages(play, out);
	table_bounds(play, out);
	fprintf(out, "\n%s on %u CPUs and links, %u phasing%s%s\n", play->sim.plugin,
		play->sim.cpus, play->played, play->played == 1 ? "" : "s",
		play->rule2 ? "" : "; without idle points: rg is rg1 here");
	for (i = 0; i < play->model.count && bars; i++)
		histogram(play, i, out);
}

static void json_number(const char *key, u64 value, FILE *out)
{
	if (value == RESCH_CHAIN_NEVER)
		fprintf(out, "\"%s\": null", key);
	else
		fprintf(out, "\"%s\": %llu", key, (ull)value);
}

static void json_histogram(const struct sim_chain_total *total, FILE *out)
{
	u64 counts[JSON_BUCKETS], width = count_by_length(total, counts, JSON_BUCKETS);
	u32 i;

	fprintf(out, ",\n     \"histogram\": {\"from\": %llu, \"width\": %llu, \"counts\": [",
		(ull)part_of(total, 0), (ull)width);
	for (i = 0; i < JSON_BUCKETS; i++)
		fprintf(out, "%s%llu", i ? ", " : "", (ull)counts[i]);
	fprintf(out, "]}");
}

static void json_chain(const struct sim_chain_play *play, u32 index, bool bars, FILE *out)
{
	const struct resch_chain_spec *chain = &play->model.chains[index];
	const struct sim_chain_total *total = &play->totals[index];
	struct resch_chain_bound bounds[RESCH_CHAINS_MAX];
	const char *between = "";
	u32 i, method;

	fprintf(out, "    {\"name\": ");
	sim_report_text(chain->name, out);
	fprintf(out,
		", \"protocol\": \"%s\", \"begun\": %llu, \"complete\": %llu, \"missed\": %llu, \"skipped\": %llu, \"lost\": %llu, \"late_phase\": %llu,\n     ",
		resch_chain_protocol_name(chain->protocol), (ull)total->begun, (ull)total->complete,
		(ull)total->missed, (ull)total->skipped, (ull)total->lost, (ull)total->late);
	fprintf(out,
		"\"min\": %llu, \"avg\": %llu, \"p99\": %llu, \"p999\": %llu, \"max\": %llu, \"deadline\": %llu,\n     \"stages\": [",
		(ull)part_of(total, 0), (ull)average(total), (ull)part_of(total, 990000),
		(ull)part_of(total, 999000), (ull)part_of(total, 1000000), (ull)chain->deadline);
	for (i = 0; i < chain->count; i++)
		fprintf(out, "%s{\"max\": %llu, \"held\": %llu}", i ? ", " : "",
			(ull)total->worst[i], (ull)total->held[i]);
	fprintf(out, "], \"bounds\": {");
	for (method = RESCH_CHAIN_DECOMPOSED; method <= RESCH_CHAIN_WCDO_EXACT; method++) {
		if (!applies(&play->model, method, bounds))
			continue;
		fputs(between, out);
		json_number(resch_chain_method_name(method), bounds[index].response, out);
		between = ", ";
	}
	putc('}', out);
	if (bars)
		json_histogram(total, out);
	putc('}', out);
}

void sim_chain_report_json(const struct sim_chain_play *play, bool bars, FILE *out)
{
	u32 i;

	fprintf(out, "{\n  \"plugin\": \"%s\", \"cpus\": %u, \"phasings\": %u, \"rule2\": %s,\n",
		play->sim.plugin, play->sim.cpus, play->played, play->rule2 ? "true" : "false");
	fprintf(out, "  \"chains\": [\n");
	for (i = 0; i < play->model.count; i++) {
		json_chain(play, i, bars, out);
		fprintf(out, "%s\n", i + 1 < play->model.count ? "," : "");
	}
	fprintf(out, "  ]\n}\n");
}
