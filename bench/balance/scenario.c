// SPDX-License-Identifier: GPL-2.0
/* scenario.c - read what tasks a scenario has */
#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

struct reader {
	struct scenario *scenario;
	struct group *group;
	unsigned int line;
	char *why;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct reader *reader,
							const char *format, ...)
{
	va_list values;
	int length;

	length = snprintf(reader->why, reader->size, "line %u: ", reader->line);
	va_start(values, format);
	if (length > 0 && (size_t)length < reader->size)
		vsnprintf(reader->why + length, reader->size - (size_t)length, format, values);
	va_end(values);
	return -1;
}

/* Decimal, or hexadecimal with 0x. */
static int number(const struct reader *reader, const char *text, uint64_t least, uint64_t most,
		  uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || *value < least || *value > most)
		return refuse(reader, "'%s' is not %llu to %llu", text, (unsigned long long)least,
			      (unsigned long long)most);
	return 0;
}

static int set_policy(const struct reader *reader, const char *value)
{
	if (!strcmp(value, "OTHER"))
		reader->group->policy = SCHED_OTHER;
	else if (!strcmp(value, "FIFO"))
		reader->group->policy = SCHED_FIFO;
	else if (!strcmp(value, "RR"))
		reader->group->policy = SCHED_RR;
	else
		return refuse(reader, "sched is OTHER, FIFO or RR, not '%s'", value);
	return 0;
}

static int set_amount(const struct reader *reader, const char *value, struct amount *amount,
		      bool steps)
{
	uint64_t read;

	if (amount->value)
		return refuse(reader, "an amount is given in steps or in time, once");
	if (number(reader, value, 1, 1000000000000ull, &read))
		return -1;
	amount->value = steps ? read : 1000 * read;
	amount->steps = steps;
	return 0;
}

static int set(const struct reader *reader, const char *key, const char *value)
{
	struct group *group = reader->group;
	uint64_t read;
	int error;

	if (!strcmp(key, "name")) {
		if (strlen(value) >= sizeof(group->name) || strpbrk(value, "\"\\"))
			return refuse(reader, "'%s' is no name", value);
		strcpy(group->name, value);
		return 0;
	}
	if (!strcmp(key, "sched"))
		return set_policy(reader, value);
	if (!strcmp(key, "cpu") || !strcmp(key, "loop"))
		return set_amount(reader, value, &group->work, *key == 'l');
	if (!strcmp(key, "run") || !strcmp(key, "sloop"))
		return set_amount(reader, value, &group->run, *key == 's');
	if (!strcmp(key, "lock") || !strcmp(key, "lloop"))
		return set_amount(reader, value, &group->lock, key[1] == 'l');
	if (!strcmp(key, "cpu_mask"))
		return number(reader, value, 1, UINT64_MAX, &group->cpu_mask);
	if (!strcmp(key, "count")) {
		error = number(reader, value, 1, TASKS_MAX, &read);
		group->count = (unsigned int)read;
		return error;
	}
	if (!strcmp(key, "priority")) {
		error = number(reader, value, 1, 99, &read);
		group->priority = (int)read;
		return error;
	}
	if (!strcmp(key, "sleep")) {
		error = number(reader, value, 1, 1000000000, &read);
		group->sleep_ns = 1000 * read;
		return error;
	}
	return refuse(reader, "nothing is called '%s'", key);
}

static int open_group(struct reader *reader)
{
	if (reader->group)
		return refuse(reader, "a task within a task");
	if (reader->scenario->groups == GROUPS_MAX)
		return refuse(reader, "more than %d kinds of tasks", GROUPS_MAX);
	reader->group = &reader->scenario->group[reader->scenario->groups++];
	memset(reader->group, 0, sizeof(*reader->group));
	reader->group->count = 1;
	snprintf(reader->group->name, sizeof(reader->group->name), "%u", reader->scenario->groups);
	return 0;
}

static int close_group(struct reader *reader)
{
	const struct group *group = reader->group;

	if (!group)
		return refuse(reader, "no task ends here");
	if (!group->priority != (group->policy == SCHED_OTHER))
		return refuse(reader, "FIFO and RR need a priority, OTHER has none");
	if (!group->run.value != !group->sleep_ns)
		return refuse(reader, "sleep needs run or sloop, and the other way round");
	reader->scenario->tasks += group->count;
	if (reader->scenario->tasks > TASKS_MAX)
		return refuse(reader, "more than %d tasks", TASKS_MAX);
	reader->group = NULL;
	return 0;
}

/* Without what is around it; changes @text. */
static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static int read_line(struct reader *reader, char *line)
{
	char *text, *equals;

	line[strcspn(line, "#\n")] = '\0';
	text = strip(line);
	if (!*text)
		return 0;
	if (!strcmp(text, "{"))
		return open_group(reader);
	if (!strcmp(text, "}"))
		return close_group(reader);
	equals = strchr(text, '=');
	if (!equals || !reader->group)
		return refuse(reader, "'%s' is neither {, } nor KEY = VALUE within them", text);
	*equals = '\0';
	return set(reader, strip(text), strip(equals + 1));
}

static bool some_end(const struct scenario *scenario)
{
	unsigned int i;

	for (i = 0; i < scenario->groups; i++)
		if (scenario->group[i].work.value)
			return true;
	return false;
}

int scenario_read(struct scenario *scenario, FILE *from, char *why, size_t size)
{
	struct reader reader = { .scenario = scenario, .why = why, .size = size };
	char line[200];

	memset(scenario, 0, sizeof(*scenario));
	while (fgets(line, sizeof(line), from)) {
		reader.line++;
		if (read_line(&reader, line))
			return -1;
	}
	if (reader.group)
		return refuse(&reader, "a task has no }");
	if (!some_end(scenario))
		return refuse(&reader, "no task ever ends: cpu or loop is missing");
	return 0;
}
