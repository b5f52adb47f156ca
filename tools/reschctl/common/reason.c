// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reason.c - refusals in words: a plugin's own limits are numbers, which mean what it means by them
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "reschctl.h"

/* Value and limit of tests that have given up, whatever the plugin: as in plugins/analysis. */
#define STEPS_MAX (1 << 24)

/* What the numbers of RESCH_BOUND_PLUGIN are is said where the plugin's admission gives them. */
struct reason {
	const char *plugin;
	void (*explain)(const struct resch_verdict *verdict, char *text, size_t size);
};

static void no_group(const struct resch_verdict *verdict, char *text, size_t size)
{
	if (!verdict->limit)
		snprintf(text, size,
			 "the domain has no plan: `reschctl assign --apply` gives it one");
	else if (!verdict->value)
		snprintf(text, size,
			 "a task needs a group of the domain's plan: --group=1 to %" PRIu64,
			 (uint64_t)verdict->limit);
	else
		snprintf(text, size, "the plan has groups 1 to %" PRIu64 ", no %" PRIu64,
			 (uint64_t)verdict->limit, (uint64_t)verdict->value);
}

static void no_server(const struct resch_verdict *verdict, char *text, size_t size)
{
	if (verdict->value)
		snprintf(text, size,
			 "there is no server %" PRIu64 " on that CPU: `reschctl server list`",
			 (uint64_t)verdict->value);
	else
		snprintf(text, size,
			 "a task needs a server: --group=ID, with an id of `reschctl server list`");
}

static void one_a_cpu(const struct resch_verdict *verdict, char *text, size_t size)
{
	char where[32] = "the CPU";

	if (verdict->cpu >= 0)
		snprintf(where, sizeof(where), "CPU %d", verdict->cpu);
	snprintf(text, size,
		 "artis takes one task a CPU, and %s has one; artis:share=1 takes several", where);
}

static void irregular(const struct resch_verdict *verdict, char *text, size_t size)
{
	(void)verdict;
	snprintf(
		text, size,
		"tests ll and hyperbolic are for rate-monotonic order and deadlines equal to periods: "
		"use test=rta");
}

static const struct reason reasons[] = {
	{ "sekg", no_group },	{ "npsf", no_group }, { "server", no_server },
	{ "artis", one_a_cpu }, { "fp", irregular },
};

void verdict_words(const char *plugin, const struct resch_verdict *verdict, char *text, size_t size)
{
	size_t i;

	if (verdict->bound == RESCH_BOUND_PLUGIN && verdict->value == STEPS_MAX &&
	    verdict->limit == STEPS_MAX) {
		snprintf(text, size,
			 "the test takes more than 2^24 steps for this set: rounder periods, or "
			 "--skip-admission");
		return;
	}
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (verdict->bound == RESCH_BOUND_PLUGIN && plugin &&
		    !strcmp(plugin, reasons[i].plugin)) {
			reasons[i].explain(verdict, text, size);
			return;
		}
	}
	resch_verdict_text(verdict, text, size);
}

/* A device of its own: there is one where something was refused. */
void verdict_words_of(uint32_t domain, const struct resch_verdict *verdict, char *text, size_t size)
{
	struct resch_domain_stat stat = {};
	int fd = resch_open();
	bool known = false;

	if (fd >= 0 && domain)
		known = !resch_domain_stat(fd, domain, &stat);
	else if (fd >= 0 && verdict->cpu >= 0)
		known = domain_of_cpu(fd, (unsigned int)verdict->cpu, &stat) > 0;
	verdict_words(known ? stat.plugin : NULL, verdict, text, size);
	if (fd >= 0)
		close(fd);
}
