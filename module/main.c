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

#include <generated/utsrelease.h>
#include <linux/module.h>

#include "chain/chain.h"
#include "core/direct.h"
#include "core/engine.h"
#include "core/hotplug.h"
#include "core/reap.h"
#include "core/todo.h"
#include "core/wake.h"
#include "device/chardev.h"
#include "device/sysrq.h"
#include "domain/domain.h"
#include "guard/guard.h"
#include "guard/move.h"
#include "guard/state.h"
#include "guard/todo.h"
#include "guard/visitor.h"
#include "linux/hooks.h"
#include "server/family.h"
#include "server/inner.h"

/* Built because the kernel has what is needed; nobody has run the tests on its series. */
static void __init main_say_untested(void)
{
#ifdef RESCH_UNTESTED
	pr_notice("not tested on kernels of the series of %s; tested are %s\n", UTS_RELEASE,
		  RESCH_TESTED);
#endif
}

/* What lower floors call without knowing it, all of it: task work, workers, the guard's breath. */
static void __init main_point_up(void)
{
	resch_thread_work = resch_todo_work;
	resch_thread_reclaim = resch_direct_end;
	resch_visitor_work = resch_visitor_errand;
	resch_guard_breathe = resch_guard_move_breathe;
	resch_reap_init();
	resch_family_init();
	resch_inner_init();
}

static int __init resch_init(void)
{
	int err;

	err = resch_params_init();
	if (err)
		return err;
	resch_engine_init();
	main_point_up();
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
	err = resch_hotplug_init();
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
	main_say_untested();
	return 0;

err_sysrq:
	resch_sysrq_exit();
err_guard:
	resch_guard_exit();
err_registry:
	resch_registry_exit();
err_cpu:
	resch_hotplug_exit();
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
	resch_family_exit();
	resch_reap_exit();
	resch_thread_exit();
	resch_chain_exit();
	resch_registry_exit();
	resch_hotplug_exit();
	resch_hooks_exit();
	resch_wake_stop();
	destroy_workqueue(resch_workqueue);
}

module_init(resch_init);
module_exit(resch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Real-time scheduling plugins on a stock kernel");
MODULE_VERSION(RESCH_VERSION);
