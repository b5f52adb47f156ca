// SPDX-License-Identifier: GPL-2.0-or-later
/* apply.c - a layout becomes a domain's plan */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assign.h"
#include "method.h"

/* How often, and how long after one another in ns, to ask again while a plan is still to come. */
#define PLAN_TRIES 5000
#define PLAN_AGAIN 1000000

static struct resch_reserve *reserves_of(const struct resch_layout_reserve *from, uint32_t nr)
{
	struct resch_reserve *reserves = calloc(nr, sizeof(*reserves));
	uint32_t i;

	for (i = 0; reserves && i < nr; i++) {
		reserves[i].begin = from[i].begin;
		reserves[i].end = from[i].end;
		reserves[i].group = from[i].group;
		reserves[i].cpu = from[i].cpu;
	}
	return reserves;
}

int plan_apply(int fd, uint32_t domain, uint64_t slot, uint64_t *from,
	       const struct resch_layout_reserve *layout, uint32_t nr_reserves)
{
	struct resch_reserve *reserves = reserves_of(layout, nr_reserves);
	char why[RESCH_VERDICT_TEXT];
	struct resch_verdict verdict;
	int error, tries = PLAN_TRIES;

	if (!reserves)
		return fail("out of memory");
	while ((error = resch_plan_set(fd, domain, slot, from, reserves, nr_reserves, &verdict)) ==
		       -EAGAIN &&
	       tries--)
		nanosleep(&(struct timespec){ .tv_nsec = PLAN_AGAIN }, NULL);
	free(reserves);
	if (!error)
		return EXIT_DONE;
	if (error != -EBUSY)
		return fail("assign: the plan of domain %u: %s", domain, error_text(error));
	resch_verdict_text(&verdict, why, sizeof(why));
	return fail("refused: a task that runs in domain %u would lose its guarantee: %s", domain,
		    why);
}

static int set_plan(int fd, uint32_t domain, const struct resch_layout *layout)
{
	uint64_t from = 0;

	return plan_apply(fd, domain, layout->slot, &from, layout->reserves, layout->nr_reserves);
}

int standing_domain(int fd, const struct resch_cpus *cpus, struct resch_domain_stat *found)
{
	struct resch_domain_stat stat = {};
	int result;

	while ((result = resch_domain_next(fd, &stat)) > 0) {
		if (!memcmp(&stat.cpus, cpus, sizeof(*cpus))) {
			*found = stat;
			return 1;
		}
	}
	return result;
}

int layout_apply(const struct assignment *assignment, int fd, struct applied *applied)
{
	const char *plugin = method_plugin(assignment->request.method);
	struct resch_domain_set want = { .capacity = 1000000 };
	struct resch_domain_stat stat = {};
	int result = standing_domain(fd, &assignment->request.cpus, &stat);

	if (result < 0)
		return fail("assign: %s", error_text(result));
	*applied = (struct applied){ .domain = stat.domain, .made = !result, .plugin = plugin };
	snprintf(want.plugin, sizeof(want.plugin), "%s", plugin);
	if (applied->made) {
		want.cpus = assignment->request.cpus;
		if (domain_apply(fd, &want))
			return EXIT_FAILED;
		applied->domain = want.domain;
		result = set_plan(fd, applied->domain, assignment->layout);
		if (result)
			resch_domain_del(fd, applied->domain);
		return result;
	}
	/* The plan first: the plugin needs it for the tasks that it takes over. */
	result = assignment->standing.way ? standing_go(assignment, fd) :
					    set_plan(fd, stat.domain, assignment->layout);
	if (result || !strcmp(stat.plugin, plugin))
		return result;
	want.domain = stat.domain;
	return domain_apply(fd, &want) ? EXIT_FAILED : EXIT_DONE;
}
