// SPDX-License-Identifier: GPL-2.0-or-later
/* prometheus.c - what was counted, as Prometheus reads it: its text exposition format */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "histogram.h"
#include "top.h"

/* Bounds are powers of two, as between them a histogram would be long: from 1.024 us on. */
#define BOUND_FIRST 10

#define TOTAL(field, help)                                     \
	{                                                      \
#field, help, offsetof(struct top_task, field) \
	}

static const struct {
	const char *name, *help;
	size_t offset;
} totals[] = {
	TOTAL(jobs, "Jobs that are complete."),
	TOTAL(misses, "Deadlines missed."),
	TOTAL(overruns, "Jobs that executed for longer than the runtime promised."),
	TOTAL(skipped, "Releases left out."),
	TOTAL(preemptions, "Times that another task was chosen before a job was complete."),
	TOTAL(unseen, "Jobs that no trace event has told of."),
};

static const struct {
	const char *name, *help;
	size_t offset;
} parameters[] = {
	{ "runtime", "Execution time promised for a job.", offsetof(struct top_task, wcet) },
	{ "period", "Time from a job to the next one.", offsetof(struct top_task, period) },
	{ "deadline", "Time from a job's release to its deadline.",
	  offsetof(struct top_task, deadline) },
};

static const struct {
	const char *name, *help;
} measures[TOP_MEASURES] = {
	[TOP_START] = { "start", "Time from a job's nominal release until its thread has the CPU" },
	[TOP_RESPONSE] = { "response", "Time from a job's nominal release until it is complete" },
	[TOP_EXEC] = { "exec", "Execution time of a job" },
	[TOP_TARDINESS] = { "tardiness", "Time from its deadline until a late job is complete" },
};

static void begin(FILE *to, const char *name, const char *unit, const char *type, const char *help)
{
	fprintf(to, "# HELP resch_task_%s%s %s\n# TYPE resch_task_%s%s %s\n", name, unit, help,
		name, unit, type);
}

void prometheus_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		putc(*text, to);
	}
}

/* A sample up to its further labels. @suffix: with the "_" before it */
static void put_name(FILE *to, const char *name, const char *suffix, const struct top_task *task)
{
	fprintf(to, "resch_task_%s%s{id=\"%u\",name=\"", name, suffix, task->id);
	prometheus_text(to, task->name);
	putc('"', to);
}

static void put_count(FILE *to, uint64_t count)
{
	fprintf(to, "} %" PRIu64 "\n", count);
}

void prometheus_seconds(FILE *to, uint64_t ns)
{
	fprintf(to, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static uint64_t at(const struct top_task *task, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)task + offset, sizeof(value));
	return value;
}

static void put_what(FILE *to, const struct look *look)
{
	begin(to, "info", "", "gauge", "A registered task; always 1.");
	for_each_task(task, look) {
		put_name(to, "info", "", task);
		fprintf(to, ",pid=\"%d\",plugin=\"", task->pid);
		prometheus_text(to, task->plugin);
		fprintf(to, "\",kind=\"%s", task->attached ? resch_kind_name(task->kind) : "");
		fputs("\"} 1\n", to);
	}
	begin(to, "ended", "", "gauge", "1 when the task is registered no more.");
	for_each_task(task, look) {
		put_name(to, "ended", "", task);
		put_count(to, task->gone != 0);
	}
	begin(to, "cpu", "", "gauge", "CPU of the task.");
	for_each_task(task, look) {
		put_name(to, "cpu", "", task);
		put_count(to, task->cpu);
	}
}

static void put_parameters(FILE *to, const struct look *look)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
		begin(to, parameters[i].name, "_seconds", "gauge", parameters[i].help);
		for_each_task(task, look) {
			if (!task->attached)
				continue;
			put_name(to, parameters[i].name, "_seconds", task);
			fputs("} ", to);
			prometheus_seconds(to, at(task, parameters[i].offset));
			putc('\n', to);
		}
	}
}

static void put_totals(FILE *to, const struct look *look)
{
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		begin(to, totals[i].name, "_total", "counter", totals[i].help);
		for_each_task(task, look) {
			put_name(to, totals[i].name, "_total", task);
			put_count(to, at(task, totals[i].offset));
		}
	}
}

void prometheus_histogram(FILE *to, const char *name, const char *labels,
			  const struct histogram *histogram)
{
	uint64_t total = 0;
	uint32_t i = 0;

	for (int power = BOUND_FIRST; power <= HISTOGRAM_TOP; power++) {
		for (; i < histogram_bucket(1ULL << power); i++)
			total += histogram->buckets[i];
		/* A time of the power itself is in the next one: "le" is up to, and with. */
		fprintf(to, "%s_bucket%s,le=\"", name, labels);
		prometheus_seconds(to, (1ULL << power) - 1);
		fprintf(to, "\"} %" PRIu64 "\n", total);
	}
	total += histogram->buckets[i];
	fprintf(to, "%s_bucket%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels, total);
	fprintf(to, "%s_sum%s} ", name, labels);
	prometheus_seconds(to, histogram->sum);
	/* Not histogram->count: a time more may have come meanwhile, and both have to be equal. */
	fprintf(to, "\n%s_count%s} %" PRIu64 "\n", name, labels, total);
}

static void put_histogram(FILE *to, const char *measure, const struct top_task *task,
			  const struct histogram *histogram)
{
	char name[64], *labels = NULL;
	size_t size;
	FILE *text = open_memstream(&labels, &size);

	if (!text)
		return;
	fprintf(text, "{id=\"%u\",name=\"", task->id);
	prometheus_text(text, task->name);
	putc('"', text);
	fclose(text);
	snprintf(name, sizeof(name), "resch_task_%s_seconds", measure);
	prometheus_histogram(to, name, labels, histogram);
	free(labels);
}

static void put_measures(FILE *to, const struct look *look)
{
	char help[128];
	size_t i;

	for (i = 0; i < TOP_MEASURES; i++) {
		snprintf(help, sizeof(help), "%s.", measures[i].help);
		begin(to, measures[i].name, "_seconds", "histogram", help);
		for_each_task(task, look)
			put_histogram(to, measures[i].name, task, &task->measures[i]);
		snprintf(help, sizeof(help), "%s: the longest.", measures[i].help);
		begin(to, measures[i].name, "_max_seconds", "gauge", help);
		for_each_task(task, look) {
			put_name(to, measures[i].name, "_max_seconds", task);
			fputs("} ", to);
			prometheus_seconds(to, task->measures[i].most);
			putc('\n', to);
		}
	}
}

void prometheus_print(const struct look *look, FILE *to)
{
	fputs("# HELP reschtop_watched_seconds Time since counting began.\n"
	      "# TYPE reschtop_watched_seconds gauge\nreschtop_watched_seconds ",
	      to);
	prometheus_seconds(to, look->time - look->since);
	fprintf(to,
		"\n# HELP reschtop_tasks_left_out Tasks for which there was no room.\n"
		"# TYPE reschtop_tasks_left_out gauge\nreschtop_tasks_left_out %" PRIu64 "\n",
		look->left_out);
	put_what(to, look);
	put_parameters(to, look);
	put_totals(to, look);
	put_measures(to, look);
	groups_prometheus(look, to);
}

/* Return: 0 or -errno */
static int save(const struct look *look, int fd)
{
	FILE *to = NULL;
	int result = 0;

	/* It is for others to read: who collects it is no root. */
	if (!fchmod(fd, 0644))
		to = fdopen(fd, "w");
	if (!to) {
		result = -errno;
		close(fd);
		return result;
	}
	prometheus_print(look, to);
	if (ferror(to))
		result = -EIO;
	if (fclose(to))
		result = -errno;
	return result;
}

int prometheus_save(const struct look *look, const char *path)
{
	char fresh[4096];
	int fd, result;

	if (snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path) >= (int)sizeof(fresh))
		return fail("%s: %s", path, strerror(ENAMETOOLONG));
	fd = mkstemp(fresh);
	if (fd < 0)
		return fail("%s: %s", path, strerror(errno));
	result = save(look, fd);
	if (!result && rename(fresh, path))
		result = -errno;
	if (!result)
		return EXIT_DONE;
	unlink(fresh);
	return fail("%s: %s", path, strerror(-result));
}
