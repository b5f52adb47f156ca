// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taskset.c - task sets from CSV files
 *
 * The format is that of resch-sim. Without a header: id,min_C,max_C,min_T,max_T,D,min_off,max_off in
 * ns, as the ReTAS task-set generator writes them (with a comma at the end of each line, or not). With
 * one, its words say what the columns are. Empty lines and those that begin with # are passed over.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "taskset.h"

#define TIME_MAX 3600000000000
#define COLUMNS_MAX 24
#define TASKS_MAX 16384

enum column {
	COL_NAME,
	COL_WORD, /* one that spec_set() knows */
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

static const struct word {
	const char *word;
	enum column column;
} words[] = {
	{ "id", COL_NAME },
	{ "name", COL_NAME },
	{ "cpu", COL_WORD },
	{ "priority", COL_WORD },
	{ "kind", COL_WORD },
	{ "overrun", COL_WORD },
	{ "miss", COL_WORD },
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

static const char *const retas[] = { "id",    "min_C", "max_C",	  "min_T",
				     "max_T", "D",     "min_off", "max_off" };

struct reader {
	const char *path;
	const struct word *columns[COLUMNS_MAX];
	uint32_t nr_columns;
	uint32_t line;
};

static int bad(const struct reader *reader, const char *what, const char *value)
{
	fail("%s: line %u: %s '%s'", reader->path, reader->line, what, value);
	return -1;
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

static int add_column(struct reader *reader, const char *word)
{
	size_t i;

	if (reader->nr_columns == COLUMNS_MAX)
		return bad(reader, "too many columns, at", word);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(words[i].word, word)) {
			reader->columns[reader->nr_columns++] = &words[i];
			return 0;
		}
	}
	return bad(reader, "unknown column", word);
}

static int read_header(struct reader *reader, char *line)
{
	char *word;

	while ((word = strsep(&line, ","))) {
		if (add_column(reader, trim(word)))
			return -1;
	}
	return 0;
}

static int read_time(const struct reader *reader, const char *text, uint64_t *ns)
{
	uint64_t number;

	/* Here, unlike on command lines, a bare number has a unit: the file format's. */
	if (!number_parse(text, TIME_MAX, &number))
		*ns = number;
	else if (resch_time_parse(text, ns) || *ns > TIME_MAX)
		return bad(reader, "not a time of at most an hour:", text);
	return 0;
}

static int read_time_field(const struct reader *reader, struct taskset_task *task,
			   enum column column, const char *text)
{
	struct resch_task_params *params = &task->params;
	uint64_t ns;

	if (read_time(reader, text, &ns))
		return -1;
	switch (column) {
	case COL_WCET_AND_EXEC:
		task->exec_max = ns;
		params->wcet = ns;
		return 0;
	case COL_WCET:
		params->wcet = ns;
		return 0;
	case COL_DEADLINE:
		params->deadline = ns;
		return 0;
	case COL_PERIOD:
		params->period = ns;
		return 0;
	case COL_OFFSET:
		params->offset = ns;
		return 0;
	case COL_OFFSET_MAX:
		task->offset_max = ns;
		return 0;
	case COL_GAP_MAX:
		task->gap_max = ns;
		return 0;
	case COL_EXEC_MIN:
		task->exec_min = ns;
		return 0;
	default:
		task->exec_max = ns;
		return 0;
	}
}

static int read_field(const struct reader *reader, struct taskset_task *task,
		      const struct word *word, const char *text)
{
	struct spec spec = { .params = task->params };

	if (!*text)
		return 0;
	if (word->column == COL_NAME) {
		snprintf(task->params.name, sizeof(task->params.name), "%.15s", text);
		text_clean(task->params.name);
		return 0;
	}
	if (word->column != COL_WORD)
		return read_time_field(reader, task, word->column, text);
	if (!strcmp(word->word, "cpu") && !strcmp(text, "-1"))
		return 0;
	if (spec_set(&spec, word->word, text))
		return bad(reader, "see above, at", text);
	task->params = spec.params;
	return 0;
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

	*task = (struct taskset_task){ .params = { .cpu = -1, .kind = RESCH_PERIODIC } };
	while ((field = strsep(&line, ","))) {
		field = trim(field);
		if (at == reader->nr_columns) {
			if (!*field && !line)
				break;
			return bad(reader, "more fields than columns, at", field);
		}
		if (read_field(reader, task, reader->columns[at++], field))
			return -1;
	}
	if (at < reader->nr_columns)
		return bad(reader, "fewer fields than columns, for", task->params.name);
	return complete(reader, task);
}

static int add_task(const struct reader *reader, struct taskset *set,
		    const struct taskset_task *task)
{
	struct taskset_task *tasks = set->tasks;

	if (set->count == TASKS_MAX)
		return bad(reader, "too many tasks, at", task->params.name);
	if (!(set->count & (set->count - 1)))
		tasks = reallocarray(tasks, set->count ? 2 * set->count : 1, sizeof(*tasks));
	if (!tasks) {
		fail("out of memory");
		return -1;
	}
	set->tasks = tasks;
	tasks[set->count++] = *task;
	return 0;
}

static int read_line(struct reader *reader, char *line, struct taskset *set)
{
	struct taskset_task task;
	size_t i;

	reader->line++;
	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	if (!reader->nr_columns) {
		if (!isdigit((unsigned char)*line))
			return read_header(reader, line);
		for (i = 0; i < sizeof(retas) / sizeof(retas[0]); i++)
			add_column(reader, retas[i]);
	}
	if (read_task(reader, line, &task))
		return -1;
	return add_task(reader, set, &task);
}

int taskset_read(const char *path, struct taskset *set)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	struct reader reader = { .path = path };
	char *line = NULL;
	size_t size = 0;
	int result = 0;

	*set = (struct taskset){};
	if (!file) {
		fail("%s: %s", path, strerror(errno));
		return -1;
	}
	while (!result && getline(&line, &size, file) >= 0)
		result = read_line(&reader, line, set);
	if (!result && (ferror(file) || !set->count)) {
		fail("%s: %s", path, ferror(file) ? strerror(EIO) : "there are no tasks in it");
		result = -1;
	}
	free(line);
	if (file != stdin)
		fclose(file);
	if (result)
		taskset_free(set);
	return result;
}

void taskset_free(struct taskset *set)
{
	free(set->tasks);
	*set = (struct taskset){};
}
