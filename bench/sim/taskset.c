// SPDX-License-Identifier: GPL-2.0
/*
 * taskset.c - task sets from CSV files
 *
 * Without a header the lines are those of the ReTAS task-set generator, all times in ns:
 *
 *   id,min_C,max_C,min_T,max_T,D,min_off,max_off
 *
 * With one, its words say what the columns are: the words above, or
 *
 *   name, cpu, group, priority, kind (periodic|sporadic), overrun, miss (count|notify|signal|skip|throttle|demote),
 *   wcet, deadline, period, offset, max_offset, max_period, min_exec, max_exec
 *
 * Times may have a unit (ns, us, ms, s). What is left out: deadline = period, no offset, any CPU,
 * every job executes for its wcet, inter-arrival times are the period, overruns and misses are
 * counted. Lines that begin with # and empty ones are passed over.
 */
#include <ctype.h>

#include "sim.h"

#define COLUMNS_MAX 24
#define LINE_MAX_LEN 1024
#define TIME_MAX 3600000000000ULL

enum column {
	COL_IGNORE,
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
	COL_MAX_OFFSET,
	COL_MAX_PERIOD,
	COL_MIN_EXEC,
	COL_MAX_EXEC,
	COL_MAX_C,
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
	{ "max_offset", COL_MAX_OFFSET },
	{ "max_off", COL_MAX_OFFSET },
	{ "max_period", COL_MAX_PERIOD },
	{ "max_T", COL_MAX_PERIOD },
	{ "min_exec", COL_MIN_EXEC },
	{ "min_C", COL_MIN_EXEC },
	{ "max_exec", COL_MAX_EXEC },
	{ "max_C", COL_MAX_C },
};

static const enum column retas[] = { COL_NAME,	     COL_MIN_EXEC, COL_MAX_C,  COL_PERIOD,
				     COL_MAX_PERIOD, COL_DEADLINE, COL_OFFSET, COL_MAX_OFFSET };
static const char *const kinds[] = { "periodic", "sporadic", NULL };
static const char *const reactions[] = { "count",    "notify", "signal", "skip",
					 "throttle", "demote", NULL };

struct reader {
	enum column columns[COLUMNS_MAX];
	u32 nr_columns;
	u32 line;
	char *error;
	size_t size;
};

int sim_parse_time(const char *text, u64 *ns)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double value;
	u32 i;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return -EINVAL;
	value = strtod(text, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= units[i].factor;
		if (value >= 1.8e19)
			return -EINVAL;
		*ns = (u64)(value + 0.5);
		return 0;
	}
	return -EINVAL;
}

static int fail(const struct reader *reader, const char *what, const char *value)
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
		*--end = '\0';
	return text;
}

static int index_of(const char *const *names, const char *name)
{
	int i;

	for (i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -EINVAL;
}

static int read_header(struct reader *reader, char *line)
{
	char *word;
	size_t i;

	while ((word = strsep(&line, ","))) {
		word = trim(word);
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (!strcmp(words[i].word, word))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			return fail(reader, "unknown column", word);
		if (reader->nr_columns == COLUMNS_MAX)
			return fail(reader, "too many columns, at", word);
		reader->columns[reader->nr_columns++] = words[i].column;
	}
	return 0;
}

static int read_word(const struct reader *reader, struct sim_spec *spec, enum column column,
		     const char *text)
{
	struct resch_task_params *params = &spec->params;
	const char *const *names = column == COL_KIND ? kinds : reactions;
	int index = index_of(names, text);

	if (index < 0)
		return fail(reader, "unknown word", text);
	if (column == COL_KIND)
		params->kind = (u32)index;
	else if (column == COL_OVERRUN)
		params->overrun = (u32)index;
	else
		params->miss = (u32)index;
	return 0;
}

static int read_number(const struct reader *reader, struct sim_spec *spec, enum column column,
		       const char *text)
{
	u32 value;

	if (column == COL_CPU && !strcmp(text, "-1"))
		return 0;
	if (kstrtou32(text, 10, &value) || value > 1000000)
		return fail(reader, "not a number", text);
	if (column == COL_CPU)
		spec->params.cpu = (s32)value;
	else if (column == COL_GROUP)
		spec->params.group = value;
	else
		spec->params.priority = value;
	return 0;
}

static int read_time(const struct reader *reader, struct sim_spec *spec, enum column column,
		     const char *text)
{
	u64 time;

	if (sim_parse_time(text, &time) || time > TIME_MAX)
		return fail(reader, "not a time of at most an hour:", text);
	switch (column) {
	case COL_WCET:
		spec->params.wcet = time;
		break;
	case COL_MAX_C:
		spec->params.wcet = spec->exec_max = time;
		break;
	case COL_DEADLINE:
		spec->params.deadline = time;
		break;
	case COL_PERIOD:
		spec->params.period = time;
		break;
	case COL_OFFSET:
		spec->params.offset = time;
		break;
	case COL_MAX_OFFSET:
		spec->offset_max = time;
		break;
	case COL_MAX_PERIOD:
		spec->gap_max = time;
		break;
	case COL_MIN_EXEC:
		spec->exec_min = time;
		break;
	default:
		spec->exec_max = time;
	}
	return 0;
}

static int read_field(const struct reader *reader, struct sim_spec *spec, enum column column,
		      const char *text)
{
	if (!*text)
		return 0;
	switch (column) {
	case COL_IGNORE:
		return 0;
	case COL_NAME:
		snprintf(spec->params.name, sizeof(spec->params.name), "%.15s", text);
		return 0;
	case COL_CPU:
	case COL_GROUP:
	case COL_PRIORITY:
		return read_number(reader, spec, column, text);
	case COL_KIND:
	case COL_OVERRUN:
	case COL_MISS:
		return read_word(reader, spec, column, text);
	default:
		return read_time(reader, spec, column, text);
	}
}

/* What was left out, and what can't be. */
static int complete_spec(const struct reader *reader, struct sim_spec *spec)
{
	struct resch_task_params *params = &spec->params;

	if (!params->deadline)
		params->deadline = params->period;
	if (!spec->exec_max)
		spec->exec_max = params->wcet;
	if (!spec->exec_min || spec->exec_min > spec->exec_max)
		spec->exec_min = spec->exec_max;
	spec->gap_max = spec->gap_max > params->period ? spec->gap_max : params->period;
	spec->offset_max = spec->offset_max > params->offset ? spec->offset_max : params->offset;
	if (spec->gap_max > params->period)
		params->kind = RESCH_SPORADIC;
	if (!params->period)
		return fail(reader, "no period for", params->name);
	if (!params->wcet || params->wcet > params->period || params->wcet > params->deadline)
		return fail(reader, "wcet is not from 1 ns to deadline and period:", params->name);
	return 0;
}

static int read_line(struct reader *reader, char *line, struct sim_spec *spec)
{
	char *field;
	u32 at = 0;
	int err;

	memset(spec, 0, sizeof(*spec));
	spec->params.cpu = -1;
	while ((field = strsep(&line, ","))) {
		/* the paper's files end each line with a comma */
		if (at == reader->nr_columns && !line && !*trim(field))
			break;
		if (at == reader->nr_columns)
			return fail(reader, "more fields than columns, at", trim(field));
		err = read_field(reader, spec, reader->columns[at++], trim(field));
		if (err)
			return err;
	}
	if (at < reader->nr_columns)
		return fail(reader, "fewer fields than columns, for", spec->params.name);
	return complete_spec(reader, spec);
}

static int add(struct sim_set *set, const struct sim_spec *spec)
{
	struct sim_spec *specs = set->specs;

	if (!(set->count & (set->count - 1)))
		specs = realloc(specs, max(1U, 2 * set->count) * sizeof(*specs));
	if (!specs)
		return -ENOMEM;
	set->specs = specs;
	specs[set->count++] = *spec;
	return 0;
}

static int read_any(struct reader *reader, char *line, struct sim_set *set)
{
	struct sim_spec spec;
	int err;

	reader->line++;
	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	if (!reader->nr_columns) {
		if (!isdigit((unsigned char)*line))
			return read_header(reader, line);
		memcpy(reader->columns, retas, sizeof(retas));
		reader->nr_columns = sizeof(retas) / sizeof(retas[0]);
	}
	err = read_line(reader, line, &spec);
	return err ? err : add(set, &spec);
}

int sim_set_read(FILE *file, struct sim_set *set, char *error, size_t size)
{
	struct reader reader = { .error = error, .size = size };
	char line[LINE_MAX_LEN];
	int err = 0;

	set->specs = NULL;
	set->count = 0;
	snprintf(error, size, "no memory");
	while (!err && fgets(line, sizeof(line), file))
		err = read_any(&reader, line, set);
	if (!err && ferror(file)) {
		snprintf(error, size, "can't be read");
		err = -EIO;
	}
	if (!err && !set->count) {
		snprintf(error, size, "there are no tasks in it");
		err = -EINVAL;
	}
	if (err) {
		free(set->specs);
		set->specs = NULL;
	}
	return err;
}
