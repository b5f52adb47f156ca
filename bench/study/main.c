// SPDX-License-Identifier: GPL-2.0
/* resch-study - which task sets does which algorithm take? */
#include <getopt.h>
#include <stdio.h>

#include "study.h"

static const char usage[] =
	"usage: resch-study [OPTIONS] < SETS\n"
	"SETS: task sets as resch-gen writes them, each ended by an empty line. For each, prints a line\n"
	"with a 1 or a 0 for each algorithm, whose names are the first line; what was simulated goes to\n"
	"standard error.\n"
	"\n"
	"  -m, --cpus=N            default 4\n"
	"  -c, --cluster=N         for cnpsf; default 2\n"
	"  -r, --reserve=NS        jitter of reserves, releases, cost of a context switch\n"
	"  -l, --release=NS\n"
	"  -w, --switch=NS\n"
	"  -i, --irq=COST/PERIOD[@CPU]  may be repeated\n"
	"  -s, --simulate          each accepted layout, and those by exact sizes with 1 % less\n"
	"  -t, --tightness         instead: a table of the formula's worst cases\n"
	"  -h, --help              this\n";

/* struct column - an algorithm; delta 0: not one with slots */
struct column {
	const char *name;
	uint32_t method, delta, sizing;
	bool (*test)(const struct study_set *set);
};

static bool edf(const struct study_set *set)
{
	return study_edf(set, false);
}

static bool edf_decreasing(const struct study_set *set)
{
	return study_edf(set, true);
}

static const struct column columns[] = {
	{ "sekg-1", RESCH_ASSIGN_SEKG, 1, RESCH_ASSIGN_PAPER, NULL },
	{ "sekg-2", RESCH_ASSIGN_SEKG, 2, RESCH_ASSIGN_PAPER, NULL },
	{ "sekg-4", RESCH_ASSIGN_SEKG, 4, RESCH_ASSIGN_PAPER, NULL },
	{ "sekg-8", RESCH_ASSIGN_SEKG, 8, RESCH_ASSIGN_PAPER, NULL },
	{ "npsf-1", RESCH_ASSIGN_NPSF, 1, RESCH_ASSIGN_PAPER, NULL },
	{ "npsf-2", RESCH_ASSIGN_NPSF, 2, RESCH_ASSIGN_PAPER, NULL },
	{ "npsf-4", RESCH_ASSIGN_NPSF, 4, RESCH_ASSIGN_PAPER, NULL },
	{ "npsf-8", RESCH_ASSIGN_NPSF, 8, RESCH_ASSIGN_PAPER, NULL },
	{ "cnpsf-4", RESCH_ASSIGN_CNPSF, 4, RESCH_ASSIGN_PAPER, NULL },
	{ "sekg-4-exact", RESCH_ASSIGN_SEKG, 4, RESCH_ASSIGN_EXACT, NULL },
	{ "npsf-4-exact", RESCH_ASSIGN_NPSF, 4, RESCH_ASSIGN_EXACT, NULL },
	{ "p-edf", 0, 0, 0, edf },
	{ "p-edf-decreasing", 0, 0, 0, edf_decreasing },
	{ "p-rm", 0, 0, 0, study_rm },
	{ "g-edf-gfb", 0, 0, 0, study_gfb },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct study {
	struct study_set set;
	struct study_tally tally;
	uint32_t cluster;
	uint64_t number; /* of the set */
	bool simulate;
};

static bool ask(struct study *study, const struct column *column)
{
	const struct study_set *set = &study->set;
	struct resch_assign request = {
		.method = column->method,
		.sizing = column->sizing,
		.delta = column->delta,
		.tasks = set->tasks,
		.nr_tasks = set->nr_tasks,
		.cluster = study->cluster,
		.overheads = set->overheads,
	};
	struct resch_layout *layout;
	uint32_t cpu;

	if (column->test)
		return column->test(set);
	for (cpu = 0; cpu < set->nr_cpus; cpu++)
		resch_cpus_add(&request.cpus, cpu);
	if (resch_assign(&request, &layout, NULL))
		return false;
	if (study->simulate)
		study_confirm(set, layout, column->method == RESCH_ASSIGN_SEKG,
			      study->number * NR_COLUMNS + (uint64_t)(column - columns),
			      column->sizing == RESCH_ASSIGN_EXACT, &study->tally);
	resch_layout_free(layout);
	return true;
}

static void answer(struct study *study)
{
	size_t i;

	if (!study->set.nr_tasks)
		return;
	for (i = 0; i < NR_COLUMNS; i++)
		printf("%s%d", i ? "," : "", ask(study, &columns[i]));
	putchar('\n');
	study->set.nr_tasks = 0;
	study->number++;
}

static int read_sets(struct study *study)
{
	unsigned long long wcet, period, deadline;
	char line[512];

	while (fgets(line, sizeof(line), stdin)) {
		if (*line == '\n') {
			answer(study);
			continue;
		}
		if (*line == '#')
			continue;
		if (study->set.nr_tasks == STUDY_TASKS_MAX ||
		    sscanf(line, "%*u,%*u,%llu,%llu,%*u,%llu", &wcet, &period, &deadline) != 3) {
			fprintf(stderr, "resch-study: too many tasks, or no task: %s", line);
			return 1;
		}
		study->set.tasks[study->set.nr_tasks++] =
			(struct resch_assign_task){ wcet, deadline, period };
	}
	answer(study);
	return 0;
}

static uint64_t number(const char *text, uint64_t most)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 10);

	if (*end || end == text || *text == '-' || value > most) {
		fprintf(stderr, "resch-study: not a number in range: '%s'\n", text);
		exit(2);
	}
	return value;
}

static void add_irq(struct resch_assign_overheads *overheads, const char *text)
{
	struct resch_assign_irq *irq = &overheads->irqs[overheads->nr_irqs];
	unsigned long long cost, period;
	int cpu = -1;

	if (overheads->nr_irqs == RESCH_ASSIGN_IRQS_MAX ||
	    sscanf(text, "%llu/%llu@%d", &cost, &period, &cpu) < 2 || !period) {
		fprintf(stderr, "resch-study: not COST/PERIOD[@CPU]: '%s'\n", text);
		exit(2);
	}
	*irq = (struct resch_assign_irq){ period, cost, cpu };
	overheads->nr_irqs++;
}

static void parse_option(struct study *study, int option)
{
	struct resch_assign_overheads *overheads = &study->set.overheads;

	switch (option) {
	case 'm':
		study->set.nr_cpus = (uint32_t)number(optarg, RESCH_CPUS_MAX);
		break;
	case 'c':
		study->cluster = (uint32_t)number(optarg, RESCH_CPUS_MAX);
		break;
	case 'r':
		overheads->reserve_jitter = number(optarg, RESCH_ASSIGN_TIME_MAX);
		break;
	case 'l':
		overheads->release_jitter = number(optarg, RESCH_ASSIGN_TIME_MAX);
		break;
	case 'w':
		overheads->switch_cost = number(optarg, RESCH_ASSIGN_TIME_MAX);
		break;
	case 'i':
		add_irq(overheads, optarg);
		break;
	case 's':
		study->simulate = true;
		break;
	case 't':
		study_tightness();
		exit(0);
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpus", 1, NULL, 'm' },     { "cluster", 1, NULL, 'c' },
		{ "reserve", 1, NULL, 'r' },  { "release", 1, NULL, 'l' },
		{ "switch", 1, NULL, 'w' },   { "irq", 1, NULL, 'i' },
		{ "simulate", 0, NULL, 's' }, { "tightness", 0, NULL, 't' },
		{ "help", 0, NULL, 'h' },     { NULL, 0, NULL, 0 },
	};
	static struct study study = { .set = { .nr_cpus = 4 }, .cluster = 2 };
	const struct study_tally *tally = &study.tally;
	int option, status;
	size_t i;

	while ((option = getopt_long(argc, argv, "m:c:r:l:w:i:sth", options, NULL)) != -1)
		parse_option(&study, option);
	for (i = 0; i < NR_COLUMNS; i++)
		printf("%s%s", i ? "," : "", columns[i].name);
	putchar('\n');
	status = read_sets(&study);
	fprintf(stderr, "runs=%lu jobs=%lu misses=%lu parallel=%lu shrunk=%lu shrunk_missed=%lu\n",
		(unsigned long)tally->runs, (unsigned long)tally->jobs,
		(unsigned long)tally->misses, (unsigned long)tally->parallel,
		(unsigned long)tally->shrunk, (unsigned long)tally->shrunk_missed);
	return status || tally->misses || tally->parallel;
}
