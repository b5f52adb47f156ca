// SPDX-License-Identifier: GPL-2.0
/* params.c - module parameters, the mutex, the work queue */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include <resch/types.h>

#include "params.h"
#include "compat/task_work.h"

DEFINE_MUTEX(resch_lock);
struct workqueue_struct *resch_workqueue;
atomic64_t resch_restored;

unsigned int resch_level = 80;
module_param_named(level, resch_level, uint, 0444);
MODULE_PARM_DESC(
	level,
	"highest SCHED_FIFO priority of registered tasks, 1 to 97; a helper thread runs two above (80)");

unsigned int resch_levels = 30;
module_param_named(levels, resch_levels, uint, 0444);
MODULE_PARM_DESC(levels,
		 "how many SCHED_FIFO priorities from `level` down registered tasks use (30)");

unsigned int resch_escalate_us = 1000;
module_param_named(escalate_us, resch_escalate_us, uint, 0644);
MODULE_PARM_DESC(
	escalate_us,
	"a deselected task that is still in the kernel after this many us is demoted (1000)");

unsigned int resch_watchdog_ms = 500;
module_param_named(watchdog_ms, resch_watchdog_ms, uint, 0644);
MODULE_PARM_DESC(
	watchdog_ms,
	"a plugin that picks nobody for this many ms while tasks are ready is thrown out (500)");

unsigned int resch_members = 1024;
module_param_named(members, resch_members, uint, 0644);
MODULE_PARM_DESC(members,
		 "how many tasks a server may have that takes in whole processes; more wait (1024)");

bool resch_straight = true;
module_param_named(straight, resch_straight, bool, 0444);
MODULE_PARM_DESC(
	straight,
	"releases and completions of plain periodic jobs take a short way where they can (Y)");

bool resch_direct = true;
module_param_named(direct, resch_direct, bool, 0444);
MODULE_PARM_DESC(
	direct,
	"threads whose SCHED_FIFO priorities are their plugin's order already are let go by timers of their own (Y)");

bool resch_stop_by_parking;
static char *stop = "auto";
module_param(stop, charp, 0444);
MODULE_PARM_DESC(
	stop,
	"how tasks are stopped: park, demote, or auto (park where the kernel exports task_work_add)");

static int __init params_choose_stop(void)
{
	if (!strcmp(stop, "demote"))
		return 0;
	if (!strcmp(stop, "park") && !RESCH_CAN_TASK_WORK) {
		pr_err("stop=park needs task_work_add, which this kernel does not export; use stop=demote\n");
		return -EOPNOTSUPP;
	}
	if (strcmp(stop, "park") && strcmp(stop, "auto")) {
		pr_err("stop=%s: it is park, demote or auto\n", stop);
		return -EINVAL;
	}
	resch_stop_by_parking = RESCH_CAN_TASK_WORK;
	return 0;
}

int __init resch_params_init(void)
{
	if (!resch_level || resch_level > 97) {
		pr_err("level=%u: it is 1 to 97\n", resch_level);
		return -EINVAL;
	}
	if (!resch_levels || resch_levels > resch_level) {
		pr_err("levels=%u: it is 1 to %u\n", resch_levels, resch_level);
		return -EINVAL;
	}
	return params_choose_stop();
}

/* Between two looks at a lock that others hold, us. */
#define QUERY_WAIT_MIN 50
#define QUERY_WAIT_MAX 1000

void resch_query_lock(void)
{
	unsigned int wait = QUERY_WAIT_MIN;

	/* Whoever waits lends his priority there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		mutex_lock(&resch_lock);
		return;
	}
	for (;;) {
		preempt_disable();
		if (likely(mutex_trylock(&resch_lock)))
			return;
		preempt_enable();
		usleep_range(wait, 2 * wait);
		wait = min(2 * wait, QUERY_WAIT_MAX);
	}
}

void resch_query_unlock(void)
{
	mutex_unlock(&resch_lock);
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}
