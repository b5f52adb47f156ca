// SPDX-License-Identifier: GPL-2.0
/* sysrq.c - Alt-SysRq-y: every registered thread gets back what it had */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/workqueue.h>

#include "sysrq.h"
#include "compat/sysrq.h"
#include "core/clock.h"
#include "domain/domain.h"

#define RESCH_SYSRQ_KEY 'y'

static void sysrq_restore(struct work_struct *work)
{
	mutex_lock(&resch_lock);
	resch_domain_clear_all(RESCH_GONE_SYSRQ);
	resch_domain_unguard_all();
	mutex_unlock(&resch_lock);
}

static DECLARE_WORK(sysrq_work, sysrq_restore);

/* Any context. */
static void sysrq_handle(resch_sysrq_key key)
{
	/* The selected threads may be what keeps the machine from getting at its workers. */
	resch_clock_freeze_all();
	queue_work(resch_workqueue, &sysrq_work);
}

static const struct sysrq_key_op sysrq_op = {
	.handler = sysrq_handle,
	.help_msg = "resch-restore(y)",
	.action_msg = "Restoring all threads registered with resch",
	.enable_mask = SYSRQ_ENABLE_RTNICE,
};

int __init resch_sysrq_init(void)
{
	/* Without the key everything else still works. */
	if (register_sysrq_key(RESCH_SYSRQ_KEY, &sysrq_op))
		pr_notice("SysRq-%c is taken: no restoring by hand\n", RESCH_SYSRQ_KEY);
	return 0;
}

void resch_sysrq_exit(void)
{
	unregister_sysrq_key(RESCH_SYSRQ_KEY, &sysrq_op);
	flush_work(&sysrq_work);
}
