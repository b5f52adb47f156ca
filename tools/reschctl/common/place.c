// SPDX-License-Identifier: GPL-2.0-or-later
/* place.c - the domain that a program is to run in */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "owner.h"

/* The CPUs that were asked for in any way. Return: how many, or -EINVAL after a message. */
static int wanted_cpus(const struct place *place, const struct spec *specs, size_t count,
		       struct resch_cpus *cpus)
{
	size_t i;

	*cpus = (struct resch_cpus){};
	if (place->cpus_text && resch_cpus_parse(place->cpus_text, cpus) <= 0) {
		usage("run", "--cpus=%s is no list of CPUs such as 1,3-5", place->cpus_text);
		return -EINVAL;
	}
	for (i = 0; i < count; i++) {
		int cpu = specs[i].params.cpu;

		if (cpu < 0)
			continue;
		if (place->cpus_text && !resch_cpus_has(cpus, (unsigned int)cpu)) {
			usage("run", "--cpu=%d is not among --cpus=%s", cpu, place->cpus_text);
			return -EINVAL;
		}
		resch_cpus_add(cpus, (unsigned int)cpu);
	}
	return resch_cpus_count(cpus);
}

static bool overlap(const struct resch_cpus *a, const struct resch_cpus *b)
{
	size_t i;

	for (i = 0; i < RESCH_CPUS_MAX / 64; i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}

static bool within(const struct resch_cpus *inner, const struct resch_cpus *outer)
{
	size_t i;

	for (i = 0; i < RESCH_CPUS_MAX / 64; i++) {
		if (inner->bits[i] & ~outer->bits[i])
			return false;
	}
	return true;
}

static bool same_policy(const struct resch_domain_stat *stat, const struct resch_domain_set *asked)
{
	return !strcmp(stat->plugin, asked->plugin) &&
	       (!asked->options[0] || !strcmp(stat->options, asked->options));
}

/*
 * The last CPU that we may use and that no domain has: CPU 0 has the most housekeeping. Return:
 * false: there is none.
 */
static bool free_cpu(int fd, struct resch_cpus *cpus)
{
	struct resch_domain_stat stat = {};
	struct resch_cpus taken = {};
	cpu_set_t allowed;
	size_t i;
	int cpu;

	while (resch_domain_next(fd, &stat) > 0) {
		for (i = 0; i < RESCH_CPUS_MAX / 64; i++)
			taken.bits[i] |= stat.cpus.bits[i];
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	for (cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		if (CPU_ISSET((size_t)cpu, &allowed) &&
		    !resch_cpus_has(&taken, (unsigned int)cpu)) {
			resch_cpus_add(cpus, (unsigned int)cpu);
			return true;
		}
	}
	return false;
}

/* Among the domains that stand. Return: 1: joined; 0: none is there; else -1 after a message. */
static int join(int fd, struct place *place, const struct resch_cpus *cpus, bool any,
		const struct resch_domain_set *asked)
{
	struct resch_domain_stat stat = {};
	int result;

	while ((result = resch_domain_next(fd, &stat)) > 0) {
		if (any) {
			if (place->policy && !same_policy(&stat, asked))
				continue;
			place->domain = stat.domain;
			return 1;
		}
		if (!overlap(cpus, &stat.cpus))
			continue;
		if (!within(cpus, &stat.cpus)) {
			fail("CPUs %s are not all in one domain: domain %u has %s (`reschctl domain list`)",
			     cpus_text(cpus), stat.domain, cpus_text(&stat.cpus));
			return -1;
		}
		if (place->policy && !same_policy(&stat, asked)) {
			fail("CPUs %s are in domain %u, which is under %s%s%s: leave --policy out to join it, or change it "
			     "with `reschctl domain set --id=%u --plugin=%s`",
			     cpus_text(cpus), stat.domain, stat.plugin, stat.options[0] ? ":" : "",
			     stat.options, stat.domain, place->policy);
			return -1;
		}
		place->domain = stat.domain;
		return 1;
	}
	if (result < 0)
		fail("domain list: %s", error_text(result));
	return result < 0 ? -1 : 0;
}

static int make(int fd, struct place *place, struct resch_domain_set *want)
{
	uint64_t overhead = 0;

	if (place->capacity && share_parse(place->capacity, &want->capacity))
		return usage("run", "--capacity=%s: a share is 95%%, 0.95 or 950000",
			     place->capacity);
	if (place->overhead && (resch_time_parse(place->overhead, &overhead) || overhead > 999999))
		return usage("run", "--overhead=%s: a time below 1ms, such as 10us",
			     place->overhead);
	want->overhead = (uint32_t)overhead;
	if (domain_apply(fd, want))
		return EXIT_FAILED;
	place->domain = want->domain;
	place->made = true;
	return 0;
}

int place_find(int fd, struct place *place, const struct spec *specs, size_t count)
{
	struct resch_domain_set want = {};
	struct resch_domain_stat stat;
	uint64_t id;
	int wanted, result;

	if (place->policy && plugin_split(place->policy, &want))
		return EXIT_USAGE;
	if (place->domain_text) {
		if (number_parse(place->domain_text, UINT32_MAX, &id) || !id)
			return usage("run", "--domain=%s: ids are numbers from 1",
				     place->domain_text);
		if (resch_domain_stat(fd, (uint32_t)id, &stat))
			return fail("there is no domain %lu: see `reschctl domain list`",
				    (unsigned long)id);
		if (place->policy && !same_policy(&stat, &want))
			return fail("domain %lu is under %s, not %s", (unsigned long)id,
				    stat.plugin, place->policy);
		place->domain = (uint32_t)id;
		return 0;
	}
	wanted = wanted_cpus(place, specs, count, &want.cpus);
	if (wanted < 0)
		return EXIT_USAGE;
	result = join(fd, place, &want.cpus, !wanted, &want);
	if (result)
		return result > 0 ? 0 : EXIT_FAILED;
	if (!place->policy && wanted)
		return fail(
			"CPUs %s are in no domain: say --policy=NAME to make one, such as --policy=edf",
			cpus_text(&want.cpus));
	if (!place->policy)
		return fail(
			"there is no domain: say --policy=NAME to make one, such as --policy=edf");
	if (!wanted && !free_cpu(fd, &want.cpus))
		return fail(
			"all CPUs are in domains under other plugins: see `reschctl domain list`");
	return make(fd, place, &want);
}

void place_leave(int fd, const struct place *place)
{
	static const struct timespec moment = { .tv_nsec = 10000000 };
	int i, result = -EBUSY;

	if (!place->made || place->keep)
		return;
	/* Threads of ours may still be on their way out. */
	for (i = 0; i < 50 && result == -EBUSY; i++) {
		result = resch_domain_del(fd, place->domain);
		if (result == -EBUSY)
			nanosleep(&moment, NULL);
	}
	if (result == -EBUSY)
		note("domain %u stays: other tasks have joined it; `reschctl domain del %u` removes it later",
		     place->domain, place->domain);
	else if (result)
		note("domain %u was not removed: %s", place->domain, error_text(result));
}
