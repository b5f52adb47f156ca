// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
/* cpus.c - CPU sets as lists, "0,2-5" */
#include <stdio.h>
#include <string.h>

#include "request.h"

/* A number below RESCH_CPUS_MAX at *text, which moves past it; -EINVAL, -ERANGE. */
static int parse_cpu(const char **text)
{
	int cpu = 0, error = 0;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	for (; **text >= '0' && **text <= '9'; (*text)++) {
		if (!error)
			cpu = cpu * 10 + (**text - '0');
		if (cpu >= RESCH_CPUS_MAX)
			error = -ERANGE;
	}
	return error ? error : cpu;
}

int resch_cpus_parse(const char *text, struct resch_cpus *cpus)
{
	struct resch_cpus set = {};
	int first, last;

	/* Files of the kernel end with a newline, and are nothing else where the set is empty. */
	while (*text && *text != '\n') {
		first = parse_cpu(&text);
		if (first < 0)
			return first;
		last = first;
		if (*text == '-') {
			text++;
			last = parse_cpu(&text);
			if (last < 0)
				return last;
			if (last < first)
				return -EINVAL;
		}
		for (; first <= last; first++)
			resch_cpus_add(&set, (unsigned int)first);
		if (*text == ',') {
			text++;
			if (!*text || *text == '\n')
				return -EINVAL;
		} else if (*text && *text != '\n') {
			return -EINVAL;
		}
	}
	if (*text == '\n' && text[1])
		return -EINVAL;
	*cpus = set;
	return resch_cpus_count(&set);
}

int resch_cpus_format(const struct resch_cpus *cpus, char *text, size_t size)
{
	unsigned int cpu, end;
	size_t length = 0;
	char run[32];
	int n;

	if (size)
		*text = 0;
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu = end) {
		end = cpu + 1;
		if (!resch_cpus_has(cpus, cpu))
			continue;
		while (resch_cpus_has(cpus, end))
			end++;
		if (end - cpu == 1)
			n = snprintf(run, sizeof(run), "%s%u", length ? "," : "", cpu);
		else
			n = snprintf(run, sizeof(run), "%s%u-%u", length ? "," : "", cpu, end - 1);
		if (length + 1 < size)
			snprintf(text + length, size - length, "%s", run);
		length += (size_t)n;
	}
	return (int)length;
}

int resch_cpus_count(const struct resch_cpus *cpus)
{
	int count = 0;
	size_t i;

	for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
		count += __builtin_popcountll(cpus->bits[i]);
	return count;
}
