// SPDX-License-Identifier: GPL-2.0
/*
 * resch-away.c - a CPU that is away, as the virtual one of a busy host: "echo 200 >ms" keeps the
 * writer's CPU for so many ms with interrupts off. And one that is long in going: with "echo 1
 * >hold" a CPU that is to go offline waits, and says so in `held`, until "echo 0 >hold"
 */
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>

#define AWAY_MAX 1000

static int away_set(const char *text, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int ms;
	u64 end;
	int err = kstrtouint(text, 0, &ms);

	if (err)
		return err;
	if (ms > AWAY_MAX)
		return -ERANGE;
	/* By the clock: mdelay() is too short on CPUs of emulated machines. */
	local_irq_save(flags);
	end = ktime_get_ns() + ms * NSEC_PER_MSEC;
	while (ktime_get_ns() < end)
		cpu_relax();
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops away_ops = {
	.set = away_set,
};

module_param_cb(ms, &away_ops, NULL, 0200);
MODULE_PARM_DESC(ms, "be away for so long");

static bool hold;
module_param(hold, bool, 0600);
MODULE_PARM_DESC(hold, "CPUs that are to go offline wait");

static bool held;
module_param(held, bool, 0400);
MODULE_PARM_DESC(held, "one does");

static int away_state;

static int away_down(unsigned int cpu)
{
	while (READ_ONCE(hold)) {
		WRITE_ONCE(held, true);
		msleep(20);
	}
	WRITE_ONCE(held, false);
	return 0;
}

static int __init away_init(void)
{
	away_state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "resch/away", NULL, away_down);
	return min(away_state, 0);
}

static void __exit away_exit(void)
{
	cpuhp_remove_state_nocalls(away_state);
}

module_init(away_init);
module_exit(away_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A CPU that is away for a while");
