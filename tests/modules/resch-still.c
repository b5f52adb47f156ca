// SPDX-License-Identifier: GPL-2.0
/*
 * resch-still.c - a CPU that stands still as it enters a function, for as long as a test wants: the
 * next one that does after "echo 1 >stand" says so in `stands`, until "echo 0 >stand"
 *
 * It takes no interrupts meanwhile. Whoever has all CPUs do something waits for it, and with him
 * his own CPU, which may be the test's: a kworker that frees the initialisation of a module loaded
 * just before does. So it goes on by itself after a while, and says so in `expired`.
 */
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>

/* Nobody has to wait for it longer than this, in ns. */
#define STILL_MAX (10 * NSEC_PER_SEC)

static char *function;
module_param(function, charp, 0400);
MODULE_PARM_DESC(function, "which; not inlined anywhere");

static bool stand;
module_param(stand, bool, 0600);
MODULE_PARM_DESC(stand, "the next CPU that enters it stands still");

static bool stands;
module_param(stands, bool, 0400);
MODULE_PARM_DESC(stands, "one does");

static bool expired;
module_param(expired, bool, 0600);
MODULE_PARM_DESC(expired, "one has gone on by itself");

static atomic_t still_one = ATOMIC_INIT(0);

/* In whatever context the function is entered, with the locks held there; preemption off. */
static int still_enter(struct kprobe *probe, struct pt_regs *regs)
{
	u64 end = ktime_get_ns() + STILL_MAX;

	if (!READ_ONCE(stand) || atomic_cmpxchg(&still_one, 0, 1))
		return 0;
	WRITE_ONCE(stands, true);
	while (READ_ONCE(stand) && ktime_get_ns() < end)
		cpu_relax();
	if (READ_ONCE(stand))
		WRITE_ONCE(expired, true);
	WRITE_ONCE(stand, false);
	atomic_set(&still_one, 0);
	/* Who sees this sees that it has expired, and may have the next one stand still. */
	smp_store_release(&stands, false);
	return 0;
}

static struct kprobe still_probe = {
	.pre_handler = still_enter,
};

static int __init still_init(void)
{
	still_probe.symbol_name = function;
	return register_kprobe(&still_probe);
}

static void __exit still_exit(void)
{
	unregister_kprobe(&still_probe);
}

module_init(still_init);
module_exit(still_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A CPU that stands still in a function");
