// SPDX-License-Identifier: GPL-2.0
/*
 * main.c - loading and unloading
 *
 * Unloading: open descriptors and registered threads hold the module, plugins need its symbols, so
 * by the time that the exit runs there are neither. What may still be under way: probes (hooks_exit
 * waits for them), interrupts that a kick has sent and timers (cpu_exit), workers (flushed by their
 * owners), task work that has dropped the last reference and is leaving our text (hooks_exit).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "compat/task_work.h"
#include "domain.h"
#include "engine.h"
#include "guard.h"
#include "hooks.h"
#include "main.h"
#include "query.h"
#include "wake.h"

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

bool resch_stop_by_parking;
static char *stop = "auto";
module_param(stop, charp, 0444);
MODULE_PARM_DESC(
	stop,
	"how tasks are stopped: park, demote, or auto (park where the kernel exports task_work_add)");

static int __init main_choose_stop(void)
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

static int __init resch_init(void)
{
	int err;

	if (!resch_level || resch_level > 97) {
		pr_err("level=%u: it is 1 to 97\n", resch_level);
		return -EINVAL;
	}
	if (!resch_levels || resch_levels > resch_level) {
		pr_err("levels=%u: it is 1 to %u\n", resch_levels, resch_level);
		return -EINVAL;
	}
	err = main_choose_stop();
	if (err)
		return err;
	resch_engine_init();
	/* Unbound: the CPU whose tasks are to be given back may be the one that they keep busy. */
	resch_workqueue = alloc_workqueue("resch", WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!resch_workqueue)
		return -ENOMEM;
	err = resch_wake_start();
	if (err)
		goto err_workqueue;
	err = resch_hooks_init();
	if (err)
		goto err_wake;
	err = resch_cpu_init();
	if (err)
		goto err_hooks;
	err = resch_registry_init();
	if (err)
		goto err_cpu;
	err = resch_guard_init();
	if (err)
		goto err_registry;
	err = resch_sysrq_init();
	if (err)
		goto err_guard;
	err = resch_chardev_init();
	if (err)
		goto err_sysrq;
	pr_info("version %s: tasks at SCHED_FIFO %u to %u, stopped by %s\n", RESCH_VERSION,
		resch_level - resch_levels + 1, resch_level,
		resch_stop_by_parking ? "parking" : "demotion");
	return 0;

err_sysrq:
	resch_sysrq_exit();
err_guard:
	resch_guard_exit();
err_registry:
	resch_registry_exit();
err_cpu:
	resch_cpu_exit();
err_hooks:
	resch_hooks_exit();
err_wake:
	resch_wake_stop();
err_workqueue:
	destroy_workqueue(resch_workqueue);
	return err;
}

static void __exit resch_exit(void)
{
	resch_chardev_exit();
	resch_sysrq_exit();
	resch_domain_exit();
	resch_guard_exit();
	resch_thread_exit();
	resch_registry_exit();
	resch_cpu_exit();
	resch_hooks_exit();
	resch_wake_stop();
	destroy_workqueue(resch_workqueue);
}

module_init(resch_init);
module_exit(resch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Real-time scheduling plugins on a stock kernel");
MODULE_VERSION(RESCH_VERSION);
