// SPDX-License-Identifier: GPL-2.0
/* cycle.c - one periodic task: its release, its whole job cycle, and its two halves */
#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "result.h"
#include "task.h"

#define PERIOD_BUSY 1000000u
/* Long enough that the kernel stops its tick. */
#define PERIOD_IDLE 12000000u

static void cycle_idle(const struct policy *policy, const char *what)
{
	struct setting *setting = setting_create(policy, NULL, PERIOD_IDLE);

	setting->before = moment_now();
	task_start(setting, task_worker);
	setting_start(setting, 1);
	task_join();
	setting->after = moment_now();
	setting_print(setting, what);
}

static void cycle_busy(struct setting *setting, const char *what)
{
	setting->before = moment_now();
	task_start(setting, task_worker);
	task_start(setting, task_spinner);
	setting_start(setting, 2);
	task_join();
	setting->after = moment_now();
	setting_print(setting, what);
}

void measure_cycle(const char *name, const char *over_name, bool threads)
{
	const struct policy *policy = policy_find(name);
	const struct policy *over = policy_find(over_name);
	struct setting *setting;
	char what[160];

	if (!policy || (!over && strcmp(over_name, "idle")))
		fail("no such policy: %s over %s", name, over_name);
	snprintf(what, sizeof(what), "\"policy\": \"%s\", \"over\": \"%s\", \"as\": \"%s\"", name,
		 over_name, threads ? "thread" : "process");
	/* What went before has used up real-time tasks' share of this second. */
	sleep_until(now_ns() + 1100000000u);
	policy_prepare(policy);
	policy_serve(policy, 2, over ? PERIOD_BUSY : PERIOD_IDLE);
	if (over) {
		setting = setting_create(policy, over, PERIOD_BUSY);
		setting->threads = threads;
		cycle_busy(setting, what);
	} else {
		cycle_idle(policy, what);
	}
	policy_finish(policy);
}

void measure_spread(const char *name, uint32_t jobs)
{
	const struct policy *policy = policy_find(name);
	struct setting *setting;
	char what[160];

	if (!policy || !jobs || jobs > JOBS_MAX)
		fail("no such policy, or not 1 to %u jobs: %s, %u", JOBS_MAX, name, jobs);
	snprintf(what, sizeof(what), "\"policy\": \"%s\", \"over\": \"other\"", name);
	policy_prepare(policy);
	policy_serve(policy, 2, PERIOD_BUSY);
	setting = setting_create(policy, policy_find("other"), PERIOD_BUSY);
	setting->wanted = jobs;
	setting->spread = true;
	cycle_busy(setting, what);
	policy_finish(policy);
}
