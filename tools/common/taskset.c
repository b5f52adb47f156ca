// SPDX-License-Identifier: GPL-2.0-or-later
/* taskset.c - task sets from CSV files */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <resch.h>

#include "taskset.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define COLUMNS_MAX 24
#define TIME_MAX 3600000000000
/* as the module has it */
#define PRIORITY_MAX 10000

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
	{ "id", COL_NAME },
	{ "name", COL_NAME },
	{ "cpu", COL_CPU },
	{ "group", COL_GROUP },
	{ "priority", COL_PRIORITY },
	{ "kind", COL_KIND },
	{ "overrun", COL_OVERRUN },
	{ "miss", COL_MISS },
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
	{ "max_C", COL_WCET_AND_EXEC },
};

static const enum column retas[] = { COL_NAME,	  COL_EXEC_MIN, COL_WCET_AND_EXEC, COL_PERIOD,
				     COL_GAP_MAX, COL_DEADLINE, COL_OFFSET,	   COL_OFFSET_MAX };

struct reader {
	enum column columns[COLUMNS_MAX];
	uint32_t nr_columns;
	uint32_t line;
	char *error;
	size_t size;
};

static int bad(const struct reader *reader, const char *what, const char *value)
{
	snprintf(reader->error, reader->size, "line %u: %s '%s'", reader->line, what, value);
	return -EINVAL;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	return text;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* Up to an hour a double is exact to far less than half a nanosecond. */
int taskset_time_parse(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1 },     { "ns", 1 },  { "us", 1e3 },   { "µs", 1e3 },
		      { "ms", 1e6 }, { "s", 1e9 }, { "min", 6e10 }, { "h", 3.6e12 } };
	double value;
	char *end;
	size_t i;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	value = strtod(text, &end);
	for (i = 0; i < COUNT(units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].ns;
		if (value >= 1.8e19)
			return -EINVAL;
		*ns = (uint64_t)(value + 0.5);
		return 0;
	}
	return -EINVAL;
}

static int read_kind(const struct reader *reader, struct taskset_task *task, const char *text)
{
	int kind = resch_kind_parse(text);

	if (kind != RESCH_PERIODIC && kind != RESCH_SPORADIC)
		return bad(reader, "kinds are periodic, sporadic, not", text);
	task->params.kind = (uint32_t)kind;
	return 0;
}

static int read_reaction(const struct reader *reader, uint32_t *to, const char *text)
{
	int react = resch_react_parse(text);

	if (react < 0)
		return bad(reader,
			   "reactions are count, notify, signal, skip, throttle, demote, not",
			   text);
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

static int read_time(const struct reader *reader, __u64 *to, const char *text)
{
	uint64_t ns;

	if (taskset_time_parse(text, &ns) || ns > TIME_MAX)
		return bad(reader, "not a time of at most an hour:", text);
	*to = ns;
	return 0;
}

static int read_wcet_and_exec(const struct reader *reader, struct taskset_task *task,
			      const char *text)
{
	int err = read_time(reader, &task->params.wcet, text);

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
		return read_number(reader, &params->priority, PRIORITY_MAX, text);
	case COL_KIND:
		return read_kind(reader, task, text);
	case COL_OVERRUN:
		return read_reaction(reader, &params->overrun, text);
	case COL_MISS:
		return read_reaction(reader, &params->miss, text);
	case COL_WCET:
		return read_time(reader, &params->wcet, text);
	case COL_DEADLINE:
		return read_time(reader, &params->deadline, text);
	case COL_PERIOD:
		return read_time(reader, &params->period, text);
	case COL_OFFSET:
		return read_time(reader, &params->offset, text);
	case COL_OFFSET_MAX:
		return read_time(reader, &task->offset_max, text);
	case COL_GAP_MAX:
		return read_time(reader, &task->gap_max, text);
	case COL_EXEC_MIN:
		return read_time(reader, &task->exec_min, text);
	case COL_EXEC_MAX:
		return read_time(reader, &task->exec_max, text);
	case COL_WCET_AND_EXEC:
		break;
	}
	return read_wcet_and_exec(reader, task, text);
}

/* ---- lines ------------------------------------------------------------------------------------- */

static int add_column(struct reader *reader, const char *word)
{
	size_t i;

	if (reader->nr_columns == COLUMNS_MAX)
		return bad(reader, "too many columns, at", word);
	for (i = 0; i < COUNT(words); i++) {
		if (!strcmp(words[i].word, word)) {
			reader->columns[reader->nr_columns++] = words[i].column;
			return 0;
		}
	}
	return bad(reader, "unknown column", word);
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
	if (!task->exec_min || task->exec_min > task->exec_max)
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
		return bad(reader, "wcet is not from 1 ns to deadline and period:", params->name);
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
	}
	err = read_task(reader, line, &task);
	return err ? err : add_task(set, &task);
}

/* ---- files ------------------------------------------------------------------------------------- */

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
		snprintf(error, size, "%s", strerror(EIO));
		err = -EIO;
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
