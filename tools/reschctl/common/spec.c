// SPDX-License-Identifier: GPL-2.0-or-later
/* spec.c - parameters of a task, as people write them */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "reschctl.h"
#include "words.h"

/* "USR1", "SIGUSR1", "RTMIN+3", "34". Return: its number, or -EINVAL. */
static int parse_signal(const char *text)
{
	uint64_t number;
	int i;

	if (!number_parse(text, 64, &number))
		return number ? (int)number : -EINVAL;
	if (!strncmp(text, "SIG", 3))
		text += 3;
	if (!strcmp(text, "RTMIN"))
		return SIGRTMIN;
	if (!strncmp(text, "RTMIN+", 6) &&
	    !number_parse(text + 6, (uint64_t)(SIGRTMAX - SIGRTMIN), &number))
		return SIGRTMIN + (int)number;
	for (i = 1; i < SIGRTMIN; i++) {
		const char *name = sigabbrev_np(i);

		if (name && !strcmp(name, text))
			return i;
	}
	return -EINVAL;
}

static int bad(const char *key, const char *value, const char *what)
{
	fail("%s=%s: %s", key, value, what);
	return -EINVAL;
}

static int set_time(uint64_t *to, const char *key, const char *value)
{
	uint64_t ns;

	if (resch_time_parse(value, &ns))
		return bad(key, value, "a time is a number with its unit: 500us, 2ms, 1.5s");
	*to = ns;
	return 0;
}

static int set_word(uint32_t *to, const char *what, const char *key, const char *value)
{
	int word = resch_name_parse(what, value);
	char words[WORDS_TEXT];

	if (word < 0) {
		words_refusal(what, words, sizeof(words));
		return bad(key, value, words);
	}
	*to = (uint32_t)word;
	return 0;
}

static int set_number(uint32_t *to, const char *key, const char *value, uint64_t min, uint64_t max)
{
	uint64_t number;

	if (number_parse(value, max, &number) || number < min) {
		fail("%s=%s: a number from %lu to %lu", key, value, (unsigned long)min,
		     (unsigned long)max);
		return -EINVAL;
	}
	*to = (uint32_t)number;
	return 0;
}

static int set_time_field(struct resch_task_params *params, const char *key, const char *value)
{
	uint64_t ns = 0;
	int result = set_time(&ns, key, value);

	if (result)
		return result;
	if (!strcmp(key, "period"))
		params->period = ns;
	else if (!strcmp(key, "deadline"))
		params->deadline = ns;
	else if (!strcmp(key, "offset"))
		params->offset = ns;
	else
		params->wcet = ns;
	return 0;
}

static int set_name(struct resch_task_params *params, const char *value)
{
	if (strlen(value) >= sizeof(params->name))
		return bad("name", value, "a name has at most 15 bytes");
	memset(params->name, 0, sizeof(params->name));
	memcpy(params->name, value, strlen(value));
	return 0;
}

static int no_parameter(const char *key)
{
	static const struct option_row rows[] = { SPEC_OPTIONS(NULL, NULL), {} };
	const struct option_row *row;
	char all[WORDS_TEXT] = "";
	size_t used = 0;

	for (row = rows; row->name && used < sizeof(all); row++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "",
					 row->name);
	fail("'%s' is no parameter of a task: there are %s", key, all);
	return -EINVAL;
}

int spec_set(struct spec *spec, const char *key, const char *value)
{
	struct resch_task_params *params = &spec->params;
	uint32_t number;
	int result;

	if (!strcmp(key, "sync") || !strcmp(key, "skip-admission")) {
		number = !strcmp(key, "sync") ? RESCH_F_SYNC : RESCH_F_SKIP_ADMISSION;
		if (value && !strcmp(value, "false"))
			params->flags &= ~number;
		else if (!value || !strcmp(value, "true"))
			params->flags |= number;
		else
			return bad(key, value, "true or false");
		return 0;
	}
	if (!value) {
		fail("%s needs a value: %s=...", key, key);
		return -EINVAL;
	}
	if (!strcmp(key, "runtime") || !strcmp(key, "wcet") || !strcmp(key, "period") ||
	    !strcmp(key, "deadline") || !strcmp(key, "offset"))
		return set_time_field(params, key, value);
	if (!strcmp(key, "overrun"))
		return set_word(&params->overrun, "reactions", key, value);
	if (!strcmp(key, "miss"))
		return set_word(&params->miss, "reactions", key, value);
	if (!strcmp(key, "priority"))
		return set_number(&params->priority, key, value, 0, RESCH_PRIORITY_MAX);
	if (!strcmp(key, "group"))
		return set_number(&params->group, key, value, 0, RESCH_GROUPS_MAX);
	if (!strcmp(key, "name"))
		return set_name(params, value);
	if (!strcmp(key, "kind"))
		return set_word(&params->kind, "kinds", key, value);
	if (!strcmp(key, "signal")) {
		result = parse_signal(value);
		if (result < 0)
			return bad(key, value, "a signal is a name or a number: USR1, RTMIN+3, 34");
		params->signal = (uint32_t)result;
		return 0;
	}
	if (!strcmp(key, "cpu")) {
		result = set_number(&number, key, value, 0, RESCH_CPUS_MAX - 1);
		if (!result)
			params->cpu = (int32_t)number;
		return result;
	}
	return no_parameter(key);
}

int option_spec(const struct option_table *table, const struct option_row *row, const char *value)
{
	struct spec *specs = *(struct spec **)row->to;

	(void)table;
	return spec_set(&specs[0], row->name, value) ? EXIT_USAGE : -1;
}

int spec_parse(struct spec *spec, const char *text)
{
	const char *colon = strrchr(text, ':');
	char *copy, *rest, *key, *value;
	int result = 0;

	/* The last colon: names of threads may have some. */
	if (!colon || colon == text) {
		fail("--thread=%s: it is NAME:runtime=TIME,period=TIME,... or #N:...", text);
		return -EINVAL;
	}
	if ((size_t)(colon - text) >= sizeof(spec->match)) {
		fail("--thread=%s: the name is too long", text);
		return -EINVAL;
	}
	memcpy(spec->match, text, (size_t)(colon - text));
	spec->match[colon - text] = 0;

	copy = strdup(colon + 1);
	if (!copy)
		return -ENOMEM;
	for (rest = copy; !result && (key = strsep(&rest, ","));) {
		value = strchr(key, '=');
		if (value)
			*value++ = 0;
		result = spec_set(spec, key, value);
	}
	free(copy);
	return result;
}

int spec_check(const struct spec *spec)
{
	const struct resch_task_params *params = &spec->params;
	char what[RESCH_VERDICT_TEXT] = "";

	if (!params->wcet)
		snprintf(what, sizeof(what),
			 "--runtime is missing: a runtime and a period are required");
	else if (!params->period)
		snprintf(what, sizeof(what),
			 "--period is missing: a runtime and a period are required");
	else if (!resch_params_check(params, what, sizeof(what)))
		return 0;
	if (spec->match[0])
		fail("thread %s: %s", spec->match, what);
	else
		fail("%s", what);
	return -EINVAL;
}
