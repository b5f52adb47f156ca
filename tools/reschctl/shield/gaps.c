// SPDX-License-Identifier: GPL-2.0-or-later
/* gaps.c - what a shield doesn't keep off by itself, in one sentence each */
#include <stdarg.h>
#include <string.h>

#include "shield.h"

#define CPU "/sys/devices/system/cpu/cpu%u/"
/* Microseconds of waking up that a shield with --latency allows, too. */
#define SLEEP_US 2

/** struct gaps - the sentences as they grow */
struct gaps {
	const struct state *state;
	struct resch_cpus rt;
	struct json_object *list;
	bool balancer, tuned;
};

static void gap(struct gaps *gaps, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void gap(struct gaps *gaps, const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	json_object_array_add(gaps->list, json_object_new_string(text));
}

/* Two threads of a core share all but their registers. */
static void look_sibling(struct gaps *gaps, unsigned int cpu)
{
	struct resch_cpus siblings;

	if (list_read(machine_path(gaps->state->root, CPU "topology/thread_siblings_list", cpu),
		      &siblings) <= 0)
		return;
	cpus_subtract(&siblings, &gaps->rt);
	if (resch_cpus_count(&siblings))
		gap(gaps, "CPU %u shares its core with CPU %s, which is not shielded", cpu,
		    cpus_text(&siblings));
}

static void look_task(void *arg, const struct thread *thread)
{
	struct gaps *gaps = arg;

	gaps->balancer |= !strcmp(thread->comm, "irqbalance");
	gaps->tuned |= !strcmp(thread->comm, "tuned");
}

static bool number_read(const char *path, uint64_t *number)
{
	char text[32];

	return read_text(path, text, sizeof(text)) > 0 && !number_parse(text, UINT32_MAX, number);
}

/* Return: how long this one takes to wake from the deepest sleep that it may take, in us */
static uint64_t sleep_us(const char *root, unsigned int cpu)
{
	uint64_t longest = 0, latency, disabled, allowed;
	unsigned int i;

	/* 0: there is no limit. Where it is no number there is no sleep. */
	if (!number_read(machine_path(root, CPU "power/pm_qos_resume_latency_us", cpu), &allowed))
		return 0;
	for (i = 0;
	     number_read(machine_path(root, CPU "cpuidle/state%u/latency", cpu, i), &latency);
	     i++) {
		if (number_read(machine_path(root, CPU "cpuidle/state%u/disable", cpu, i),
				&disabled) &&
		    disabled)
			continue;
		if (latency > longest && (!allowed || latency <= allowed))
			longest = latency;
	}
	return longest;
}

static void look_power(struct gaps *gaps)
{
	struct resch_cpus asleep = {}, slow = {};
	uint64_t longest = 0, latency;
	char governor[40];
	unsigned int cpu;

	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_has(&gaps->rt, cpu))
			continue;
		latency = sleep_us(gaps->state->root, cpu);
		if (latency > SLEEP_US)
			resch_cpus_add(&asleep, cpu);
		if (latency > longest)
			longest = latency;
		if (read_text(machine_path(gaps->state->root, CPU "cpufreq/scaling_governor", cpu),
			      governor, sizeof(governor)) > 0 &&
		    strcmp(governor, "performance"))
			resch_cpus_add(&slow, cpu);
	}
	if (resch_cpus_count(&asleep))
		gap(gaps, "CPUs %s take up to %llu us to wake from sleep: `shield --latency`",
		    cpus_text(&asleep), (unsigned long long)longest);
	if (resch_cpus_count(&slow))
		gap(gaps, "CPUs %s may run below their full frequency: `shield --latency`",
		    cpus_text(&slow));
}

struct json_object *gaps_find(const struct state *state)
{
	struct gaps gaps = { .state = state, .list = json_object_new_array() };
	char socket[120];
	unsigned int cpu;

	state_cpus(state, &gaps.rt);
	if (!resch_cpus_count(&gaps.rt))
		return gaps.list;
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (resch_cpus_has(&gaps.rt, cpu))
			look_sibling(&gaps, cpu);
	}
	each_thread(state->root, look_task, &gaps);
	if (gaps.balancer && !balancer_find(state->root, socket, sizeof(socket)))
		gap(&gaps,
		    "irqbalance has no socket to be told at, and moves interrupts back: stop it, or IRQBALANCE_BANNED_CPULIST=%s in /etc/default/irqbalance",
		    cpus_text(&gaps.rt));
	if (gaps.tuned)
		gap(&gaps,
		    "tuned sets affinities, too: a profile without CPU isolation, or no shield");
	look_power(&gaps);
	return gaps.list;
}
