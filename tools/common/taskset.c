// SPDX-License-Identifier: GPL-2.0-or-later
/* taskset.c - task sets from CSV files */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <resch.h>

#include "taskset.h"
#include "trim.h"
#include "words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COLUMNS_MAX 24
#define TIME_MAX 3600000000000

enum column {
	COL_NAME,
	COL_CPU,
	COL_GROUP,
	COL_PRIORITY,
	COL_KIND,
	COL_OVERRUN,
	COL_MISS,
	COL_WCET,
	COL_DEADLINE,
	COL_PERIOD,
	COL_OFFSET,
	COL_OFFSET_MAX,
	COL_GAP_MAX,
	COL_EXEC_MIN,
	COL_EXEC_MAX,
	COL_WCET_AND_EXEC,
};

static const struct {
	const char *word;
	enum column column;
} words[] = {
	/* the first word of each column is for people; ReTAS has some of its own */
	{ "name", COL_NAME },
	{ "id", COL_NAME },
	{ "cpu", COL_CPU },
	{ "group", COL_GROUP },
	{ "priority", COL_PRIORITY },
	{ "kind", COL_KIND },
	{ "wcet", COL_WCET },
	{ "deadline", COL_DEADLINE },
	{ "D", COL_DEADLINE },
	{ "period", COL_PERIOD },
	{ "min_T", COL_PERIOD },
	{ "offset", COL_OFFSET },
	{ "min_off", COL_OFFSET },
	{ "max_offset", COL_OFFSET_MAX },
	{ "max_off", COL_OFFSET_MAX },
	{ "max_period", COL_GAP_MAX },
	{ "max_T", COL_GAP_MAX },
	{ "min_exec", COL_EXEC_MIN },
	{ "min_C", COL_EXEC_MIN },
	{ "max_exec", COL_EXEC_MAX },
	{ "overrun", COL_OVERRUN },
	{ "miss", COL_MISS },
	/* last: two columns in one */
	{ "max_C", COL_WCET_AND_EXEC },
};

static const enum column retas[] = { COL_NAME,	  COL_EXEC_MIN, COL_WCET_AND_EXEC, COL_PERIOD,
				     COL_GAP_MAX, COL_DEADLINE, COL_OFFSET,	   COL_OFFSET_MAX };

struct reader {
	enum column columns[COLUMNS_MAX];
	uint32_t nr_columns;
	bool retas; /* a file without a heading */
	uint32_t line;
	char *error;
	size_t size;
};

static int bad(const struct reader *reader, const char *what, const char *value)
{
	snprintf(reader->error, reader->size, "line %u: %s '%s'", reader->line, what, value);
	return -EINVAL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int read_kind(const struct reader *reader, struct taskset_task *task, const char *text)
{
	int kind = resch_kind_parse(text);
	char what[WORDS_TEXT];

	if (kind != RESCH_PERIODIC && kind != RESCH_SPORADIC) {
		snprintf(what, sizeof(what), "kinds are %s, %s, not",
			 resch_kind_name(RESCH_PERIODIC), resch_kind_name(RESCH_SPORADIC));
		return bad(reader, what, text);
	}
	task->params.kind = (uint32_t)kind;
	return 0;
}

static int read_reaction(const struct reader *reader, uint32_t *to, const char *text)
{
	int react = resch_react_parse(text);
	char what[WORDS_TEXT];

	if (react < 0) {
		words_refusal("reactions", what, sizeof(what) - 5);
		return bad(reader, strcat(what, ", not"), text);
	}
	*to = (uint32_t)react;
	return 0;
}

/* A whole number of at most @most, which is below 2^32. */
static int read_number(const struct reader *reader, uint32_t *to, unsigned long most,
		       const char *text)
{
	unsigned long value;
	char what[40], *end;

	errno = 0;
	value = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : most + 1;
	if (value > most || *end || errno) {
		snprintf(what, sizeof(what), "not a number from 0 to %lu:", most);
		return bad(reader, what, text);
	}
	*to = (uint32_t)value;
	return 0;
}

static int read_cpu(const struct reader *reader, struct taskset_task *task, const char *text)
{
	uint32_t cpu;
	int err;

	if (!strcmp(text, "-1"))
		return 0;
	err = read_number(reader, &cpu, RESCH_CPUS_MAX - 1, text);
	if (!err)
		task->params.cpu = (int32_t)cpu;
	return err;
}

/* What may stand above the column. */
static const char *word_of(enum column column)
{
	size_t i;

	for (i = 0; i < COUNT(words); i++) {
		if (words[i].column == column)
			return words[i].word;
	}
	return "time";
}

/*
 * Nanoseconds alone in a file without a heading, as the ReTAS generator writes them; else with
 * units.
 */
static int read_time(const struct reader *reader, enum column column, __u64 *to, const char *text)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t ns = 0;
	int err;

	if (reader->retas) {
		errno = 0;
		ns = strtoull(text, NULL, 10);
		err = !digits || text[digits] || errno || ns > TIME_MAX;
		if (err)
			return bad(reader,
				   "in a file without a heading a time is whole ns without a unit, "
				   "at most an hour, not",
				   text);
	} else if (resch_time_parse(text, &ns) || ns > TIME_MAX) {
		if (digits && !text[digits]) {
			snprintf(reader->error, reader->size, "line %u: %s '%s' has no unit: %sms?",
				 reader->line, word_of(column), text, text);
			return -EINVAL;
		}
		return bad(reader, "not a time of at most an hour, with its unit:", text);
	}
	*to = ns;
	return 0;
}

static int read_wcet_and_exec(const struct reader *reader, struct taskset_task *task,
			      const char *text)
{
	int err = read_time(reader, COL_WCET_AND_EXEC, &task->params.wcet, text);

	task->exec_max = task->params.wcet;
	return err;
}

static int read_field(const struct reader *reader, struct taskset_task *task, enum column column,
		      const char *text)
{
	struct resch_task_params *params = &task->params;

	if (!*text)
		return 0;
	switch (column) {
	case COL_NAME:
		snprintf(params->name, sizeof(params->name), "%.15s", text);
		return 0;
	case COL_CPU:
		return read_cpu(reader, task, text);
	case COL_GROUP:
		return read_number(reader, &params->group, RESCH_GROUPS_MAX, text);
	case COL_PRIORITY:
		return read_number(reader, &params->priority, RESCH_PRIORITY_MAX, text);
	case COL_KIND:
		return read_kind(reader, task, text);
	case COL_OVERRUN:
		return read_reaction(reader, &params->overrun, text);
	case COL_MISS:
		return read_reaction(reader, &params->miss, text);
	case COL_WCET:
		return read_time(reader, column, &params->wcet, text);
	case COL_DEADLINE:
		return read_time(reader, column, &params->deadline, text);
	case COL_PERIOD:
		return read_time(reader, column, &params->period, text);
	case COL_OFFSET:
		return read_time(reader, column, &params->offset, text);
	case COL_OFFSET_MAX:
		return read_time(reader, column, &task->offset_max, text);
	case COL_GAP_MAX:
		return read_time(reader, column, &task->gap_max, text);
	case COL_EXEC_MIN:
		return read_time(reader, column, &task->exec_min, text);
	case COL_EXEC_MAX:
		return read_time(reader, column, &task->exec_max, text);
	case COL_WCET_AND_EXEC:
		break;
	}
	return read_wcet_and_exec(reader, task, text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int add_column(struct reader *reader, const char *word)
{
	enum column last = COL_WCET_AND_EXEC;
	char all[WORDS_TEXT] = "";
	size_t used = 0, i;

	if (reader->nr_columns == COLUMNS_MAX)
		return bad(reader, "too many columns, at", word);
	for (i = 0; i < COUNT(words); i++) {
		if (!strcmp(words[i].word, word)) {
			reader->columns[reader->nr_columns++] = words[i].column;
			return 0;
		}
	}
	for (i = 0; i < COUNT(words) && used < sizeof(all); i++) {
		if (words[i].column != last && words[i].column != COL_WCET_AND_EXEC)
			used += (size_t)snprintf(all + used, sizeof(all) - used, " %s",
						 words[i].word);
		last = words[i].column;
	}
	snprintf(reader->error, reader->size, "line %u: unknown column '%.40s'; columns are%s",
		 reader->line, word, all);
	return -EINVAL;
}

static int read_header(struct reader *reader, char *line)
{
	char *word;
	int err = 0;

	while (!err && (word = strsep(&line, ",")))
		err = add_column(reader, trim(word));
	return err;
}

/* What was left out, and what cannot be. */
static int complete(const struct reader *reader, struct taskset_task *task)
{
	struct resch_task_params *params = &task->params;

	if (!params->deadline)
		params->deadline = params->period;
	if (!task->exec_max)
		task->exec_max = params->wcet;
	if (task->exec_min > task->exec_max)
		return bad(reader, "the least execution time is above the greatest, for",
			   params->name);
	if (task->gap_max && task->gap_max < params->period)
		return bad(reader, "the longest distance of releases is below the period, for",
			   params->name);
	if (task->offset_max && task->offset_max < params->offset)
		return bad(reader, "the least offset is above the greatest, for", params->name);
	if (!task->exec_min)
		task->exec_min = task->exec_max;
	if (task->gap_max > params->period)
		params->kind = RESCH_SPORADIC;
	else
		task->gap_max = params->period;
	if (task->offset_max < params->offset)
		task->offset_max = params->offset;
	if (!params->period)
		return bad(reader, "no period for", params->name);
	if (!params->wcet || params->wcet > params->period || params->wcet > params->deadline)
		return bad(reader, "wcet is 1ns to the deadline and the period, but not for",
			   params->name);
	return 0;
}

static int read_task(const struct reader *reader, char *line, struct taskset_task *task)
{
	uint32_t at = 0;
	char *field;
	int err;

	*task = (struct taskset_task){ .params = { .cpu = -1, .kind = RESCH_PERIODIC } };
	while ((field = strsep(&line, ","))) {
		field = trim(field);
		if (at == reader->nr_columns) {
			if (!*field && !line)
				break;
			return bad(reader, "more fields than columns, at", field);
		}
		err = read_field(reader, task, reader->columns[at++], field);
		if (err)
			return err;
	}
	if (at < reader->nr_columns)
		return bad(reader, "fewer fields than columns, for", task->params.name);
	return complete(reader, task);
}

static int add_task(struct taskset *set, const struct taskset_task *task)
{
	struct taskset_task *tasks = set->tasks;

	if (!(set->count & (set->count - 1)))
		tasks = reallocarray(tasks, set->count ? 2 * set->count : 1, sizeof(*tasks));
	if (!tasks)
		return -ENOMEM;
	set->tasks = tasks;
	tasks[set->count++] = *task;
	return 0;
}

static int read_line(struct reader *reader, char *line, struct taskset *set)
{
	struct taskset_task task;
	int err;

	reader->line++;
	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	if (!reader->nr_columns) {
		if (!isdigit((unsigned char)*line))
			return read_header(reader, line);
		memcpy(reader->columns, retas, sizeof(retas));
		reader->nr_columns = COUNT(retas);
		reader->retas = true;
	}
	err = read_task(reader, line, &task);
	return err ? err : add_task(set, &task);
}

/* ---- files ----------------------------------------------------------------------------------- */

int taskset_read(FILE *file, struct taskset *set, char *error, size_t size)
{
	struct reader reader = { .error = error, .size = size };
	char *line = NULL;
	size_t room = 0;
	int err = 0;

	*set = (struct taskset){};
	snprintf(error, size, "out of memory");
	while (!err && getline(&line, &room, file) >= 0)
		err = read_line(&reader, line, set);
	if (!err && ferror(file)) {
		err = errno == EISDIR ? -EISDIR : -EIO;
		snprintf(error, size, "%s", err == -EISDIR ? "is a directory" : strerror(EIO));
	}
	if (!err && !set->count) {
		snprintf(error, size, "there are no tasks in it");
		err = -EINVAL;
	}
	free(line);
	if (err)
		taskset_free(set);
	return err;
}

void taskset_free(struct taskset *set)
{
	free(set->tasks);
	*set = (struct taskset){};
}
