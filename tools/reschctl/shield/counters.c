// SPDX-License-Identifier: GPL-2.0-or-later
/* counters.c - how often interrupts came to RT CPUs since the last shield was complete */
#include <stdlib.h>
#include <string.h>

#include "shield.h"

void counters_write(const struct state *state)
{
	static char text[1 << 20];
	char path[400];
	int length = read_text(machine_path(state->root, "/proc/interrupts"), text, sizeof(text));

	snprintf(path, sizeof(path), "%s/interrupts", state->folder);
	if (length > 0)
		text_replace(path, text, (size_t)length);
}

/*
 * A line of /proc/interrupts is a name, a count for each online CPU, and words. Sums up the counts
 * of RT CPUs. Return: what stands before the colon, or NULL.
 */
static char *counts_sum(char *line, const struct resch_cpus *columns, const struct resch_cpus *rt,
			uint64_t *sum, char **rest)
{
	char *colon = strchr(line, ':'), *at, *end;
	unsigned int cpu;
	uint64_t count;

	*sum = 0;
	if (!colon)
		return NULL;
	*colon = 0;
	at = colon + 1;
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(columns, cpu))
			continue;
		count = strtoull(at, &end, 10);
		if (end == at)
			return NULL; /* ERR, MIS: one count for all */
		at = end;
		if (resch_cpus_has(rt, cpu))
			*sum += count;
	}
	*rest = at + strspn(at, " ");
	return line + strspn(line, " ");
}

static void columns_parse(const char *line, struct resch_cpus *columns)
{
	*columns = (struct resch_cpus){};
	while ((line = strstr(line, "CPU"))) {
		line += 3;
		resch_cpus_add(columns, (unsigned int)strtoul(line, NULL, 10));
	}
}

/* The sum of the same line in the older text, whose CPUs may have been others. */
static uint64_t counts_before(const char *before, const char *name, const struct resch_cpus *rt)
{
	struct resch_cpus columns;
	char *copy = strdup(before), *rest = copy, *line, *found, *words;
	uint64_t sum = 0;

	line = strsep(&rest, "\n");
	columns_parse(line ? line : "", &columns);
	while ((line = strsep(&rest, "\n"))) {
		found = counts_sum(line, &columns, rt, &sum, &words);
		if (found && !strcmp(found, name))
			break;
		sum = 0;
	}
	free(copy);
	return sum;
}

void counters_look(const struct state *state, const struct resch_cpus *rt, struct json_object *list)
{
	static char now[1 << 20], before[1 << 20];
	char path[400], label[160], *rest = now, *line, *name, *words;
	struct resch_cpus columns;
	struct json_object *object;
	uint64_t sum, old;

	snprintf(path, sizeof(path), "%s/interrupts", state->folder);
	if (read_text(machine_path(state->root, "/proc/interrupts"), now, sizeof(now)) <= 0 ||
	    read_text(path, before, sizeof(before)) <= 0)
		return;
	line = strsep(&rest, "\n");
	columns_parse(line, &columns);
	while ((line = strsep(&rest, "\n"))) {
		name = counts_sum(line, &columns, rt, &sum, &words);
		if (!name)
			continue;
		old = counts_before(before, name, rt);
		if (sum <= old)
			continue;
		snprintf(label, sizeof(label), "%s %s", name, words);
		text_clean(label);
		object = status_entry(list, "interrupt", strtoull(name, NULL, 10), label, NULL);
		json_add_number(object, "count", sum - old);
		/* LOC, RES...: no device's, no number. */
		if (*name < '0' || *name > '9')
			json_object_object_add(object, "id", NULL);
	}
}
