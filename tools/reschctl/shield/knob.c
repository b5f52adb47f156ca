// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knob.c - values that a shield with --latency changes, and gives back
 *
 * What `reschctl doctor` advises and needs no reboot. Of the shielded CPUs: no deep sleep, full
 * frequency. Of the machine: timers stay on the CPU that arms them instead of going to one that is
 * awake, which may be a shielded one; the CPUs' statistics are folded every two minutes instead of
 * every second. A value that somebody else has changed stands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shield.h"

/* In this order; given back in the other one: some governors take no preference but their own. */
static const struct {
	const char *name, *value;
} of_a_cpu[] = {
	/* In microseconds: what waking up may take. */
	{ "power/pm_qos_resume_latency_us", "2" },
	{ "cpufreq/energy_performance_preference", "performance" },
	{ "cpufreq/scaling_governor", "performance" },
}, of_all[] = {
	{ "/proc/sys/kernel/timer_migration", "0" },
	/* In seconds. */
	{ "/proc/sys/vm/stat_interval", "120" },
};

static void latency_cpus(const struct state *state, struct resch_cpus *cpus)
{
	size_t i;

	*cpus = (struct resch_cpus){};
	for (i = 0; i < state->nr_shields; i++) {
		if (state->shields[i].latency && state->shields[i].phase != SHIELD_FALLING)
			cpus_unite(cpus, &state->shields[i].cpus);
	}
}

/* Return: there is one, and it is a word, as it has to be in the journal */
static bool value_read(const char *root, const char *path, char *value)
{
	int length = read_text(machine_path(root, "%s", path), value, KNOB_VALUE);

	return length > 0 && length < KNOB_VALUE - 1 && !strpbrk(value, " \t\n");
}

static void knob_write(struct sweep *sweep, struct knob *knob, const char *now, const char *value)
{
	struct state *state = sweep->state;
	char line[KNOB_VALUE + 1];
	int result;

	if (knob->stuck && !sweep->retry)
		return;
	sweep->error = state_knob(state, knob, now, value);
	if (sweep->error)
		return;
	snprintf(line, sizeof(line), "%s\n", value);
	result = text_write(state->root, machine_path(state->root, "%s", knob->path), line);
	if (!result) {
		sweep->values++;
		return;
	}
	sweep->error = state_knob(state, knob, now, now);
	if (!sweep->error)
		sweep->error = state_knob_stuck(state, knob, -result);
}

static bool is_ours(const struct knob *knob, const char *now)
{
	return !strcmp(now, knob->set) || (knob->undecided && !strcmp(now, knob->prev));
}

static void knob_wanted(struct sweep *sweep, const char *path, const char *value)
{
	struct knob *knob = state_knob_find(sweep->state, path);
	char now[KNOB_VALUE];

	if (sweep->error || !value_read(sweep->state->root, path, now))
		return;
	if (!knob)
		knob = state_knob_add(sweep->state, path, now);
	if (!knob) {
		sweep->error = -ENOMEM;
		return;
	}
	knob->wanted = true;
	if (!is_ours(knob, now))
		sweep->theirs += strcmp(knob->set, knob->orig) != 0;
	else if (strcmp(now, value))
		knob_write(sweep, knob, now, value);
}

/* Its shield has gone. */
static void knob_back(struct sweep *sweep, struct knob *knob)
{
	char now[KNOB_VALUE];

	if (!strcmp(knob->set, knob->orig) && !knob->undecided)
		return;
	if (!value_read(sweep->state->root, knob->path, now))
		return;
	if (!is_ours(knob, now))
		sweep->theirs++;
	else if (strcmp(now, knob->orig))
		knob_write(sweep, knob, now, knob->orig);
}

static void cpu_wanted(struct sweep *sweep, unsigned int cpu)
{
	char path[120];
	size_t i;

	for (i = 0; i < sizeof(of_a_cpu) / sizeof(of_a_cpu[0]); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu,
			 of_a_cpu[i].name);
		knob_wanted(sweep, path, of_a_cpu[i].value);
	}
}

void knobs_sweep(struct sweep *sweep)
{
	struct state *state = sweep->state;
	struct resch_cpus cpus;
	unsigned int cpu;
	size_t i;

	latency_cpus(state, &cpus);
	for (i = 0; i < state->nr_knobs; i++)
		state->knobs[i].wanted = false;
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (resch_cpus_has(&cpus, cpu))
			cpu_wanted(sweep, cpu);
	}
	for (i = 0; resch_cpus_count(&cpus) && i < sizeof(of_all) / sizeof(of_all[0]); i++)
		knob_wanted(sweep, of_all[i].name, of_all[i].value);
	for (i = state->nr_knobs; !sweep->error && i-- > 0;) {
		if (!state->knobs[i].wanted)
			knob_back(sweep, &state->knobs[i]);
	}
}
