// SPDX-License-Identifier: GPL-2.0-or-later
/* cpus.c - who had the CPUs, for people */
#include <stdlib.h>
#include <string.h>

#include "top.h"
#include "who.h"

/* As many are named of those who had a CPU lately. */
#define NAMED 4
/* ... and so many are told apart. */
#define KNOWN 32

/** struct had - how long somebody had the CPU */
struct had {
	uint64_t ns;
	const struct top_who *who;
};

static int compare_had(const void *a, const void *b)
{
	const struct had *x = a, *y = b;

	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static void had_add(struct had *had, const struct top_who *who, uint64_t ns)
{
	for (int i = 0; i < KNOWN; i++) {
		if (had[i].who && (had[i].who->kind != who->kind || had[i].who->id != who->id))
			continue;
		had[i].who = who;
		had[i].ns += ns;
		return;
	}
}

/* Who has it now. */
static void add_now(struct table *table, const struct top_cpu *cpu)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to) {
		who_print(top_who_now(cpu), to);
		fclose(to);
	}
	table_add(table, "%s", text ? text : "?");
	free(text);
}

/* Of the turns that it remembers: who had it longest, without the idle CPU. */
static void add_lately(struct table *table, const struct top_cpu *cpu)
{
	struct had had[KNOWN] = {};
	uint64_t sum = 0;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (int i = 0; i < TOP_TURNS; i++) {
		const struct top_turn *turn = &cpu->turns[i];

		if (!turn->to || turn->to <= turn->from)
			continue;
		sum += turn->to - turn->from;
		if (turn->who.kind != TOP_THREAD || turn->who.id)
			had_add(had, &turn->who, turn->to - turn->from);
	}
	qsort(had, KNOWN, sizeof(had[0]), compare_had);
	for (int i = 0; to && i < NAMED && had[i].ns; i++) {
		fputs(i ? ", " : "", to);
		who_print(had[i].who, to);
		fprintf(to, " %.1f%%", (double)had[i].ns * 100 / (double)sum);
	}
	if (to)
		fclose(to);
	table_add(table, "%s", text && *text ? text : "-");
	free(text);
}

size_t cpus_table(const struct look *look, const struct look *before, size_t width, FILE *to)
{
	static const char *const headings[] = { ">CPU",	     "NOW",   ">TASKS", ">THREADS", ">IRQS",
						">SOFTIRQS", ">IDLE", "LATELY", NULL };
	static const int order[TOP_SHARES] = { TOP_SHARE_TASKS, TOP_SHARE_THREADS, TOP_SHARE_IRQS,
					       TOP_SHARE_SOFTIRQS, TOP_SHARE_IDLE };
	static const char *const drop[] = { "LATELY", "NOW", NULL };
	const struct top_cpu *cpus = look->cpus.items;
	struct table table;
	size_t rows = 0;

	table_begin(&table, headings);
	/* The last column is as long as there is room for. */
	table.width = width && width < 60 ? width : 0;
	table.drop = drop;
	for (size_t i = 0; i < look->cpus.count; i++) {
		const struct top_cpu *then =
			before && i < before->cpus.count ?
				&((const struct top_cpu *)before->cpus.items)[i] :
				NULL;
		uint64_t shares[TOP_SHARES], sum = 0;

		if (!cpus[i].since)
			continue;
		for (int share = 0; share < TOP_SHARES; share++) {
			uint64_t had = then ? then->shares[share] : 0;

			shares[share] = cpus[i].shares[share] > had ? cpus[i].shares[share] - had :
								      0;
			sum += shares[share];
		}
		table_add(&table, "%zu", i);
		add_now(&table, &cpus[i]);
		for (int j = 0; j < TOP_SHARES; j++)
			table_add(&table, "%.1f%%",
				  sum ? (double)shares[order[j]] * 100 / (double)sum : 0.0);
		add_lately(&table, &cpus[i]);
		rows++;
	}
	table_print(&table, to);
	return rows;
}
