// SPDX-License-Identifier: GPL-2.0
/*
 * resch-culprit.c - somebody who is in the way of a CPU's tasks: "echo storm 1 >plant" gives CPU 1
 * a storm of interrupts from a device, "softirq 1" one long softirq, "section 1" a kernel thread
 * that does not let itself be preempted. Each is over after `ms`; `begun` and `ended` say when that
 * was (CLOCK_MONOTONIC, ns).
 */
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>

static uint ms = 120;
module_param(ms, uint, 0600);
MODULE_PARM_DESC(ms, "for how long it is in the way");

static unsigned long long begun;
module_param(begun, ullong, 0400);
MODULE_PARM_DESC(begun, "when the last one came");

static unsigned long long ended;
module_param(ended, ullong, 0400);
MODULE_PARM_DESC(ended, "... and when it was over; 0: not yet");

#define STORM_BUSY_NS 2000000 /* an interrupt of a storm */

static DEFINE_MUTEX(culprit_mutex); /* one at a time */

/* By the clock: mdelay() is too short on CPUs of emulated machines. Any context. */
static void culprit_compute(u64 ns)
{
	u64 end = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

/* One that computes all the time. */
static void culprit_run(void)
{
	begun = ktime_get_mono_fast_ns();
	culprit_compute((u64)ms * NSEC_PER_MSEC);
	ended = ktime_get_mono_fast_ns();
}

/* ---- a storm of interrupts ------------------------------------------------------------------- */

static int storm_irq;
static u64 storm_end;

static irqreturn_t storm_handler(int irq, void *data)
{
	culprit_compute(STORM_BUSY_NS);
	return IRQ_HANDLED;
}

/* Hard interrupt. The next one comes as soon as this one is over. */
static void storm_work_run(struct irq_work *work)
{
	if (!begun) {
		begun = ktime_get_mono_fast_ns();
		storm_end = begun + (u64)ms * NSEC_PER_MSEC;
	}
	generic_handle_irq(storm_irq);
	if (ktime_get_mono_fast_ns() < storm_end)
		irq_work_queue(work);
	else
		ended = ktime_get_mono_fast_ns();
}

static struct irq_work storm_work = IRQ_WORK_INIT_HARD(storm_work_run);

/* On its CPU. */
static void storm_start(void *unused)
{
	irq_work_queue(&storm_work);
}

static int storm_plant(unsigned int cpu)
{
	return smp_call_function_single(cpu, storm_start, NULL, true);
}

static int storm_init(void)
{
	int err;

	/* Nobody's, for what a module owns would keep it from being removed. */
	storm_irq = __irq_alloc_descs(-1, 1, 1, NUMA_NO_NODE, NULL, NULL);
	if (storm_irq < 0)
		return storm_irq;
	irq_set_chip_and_handler(storm_irq, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(storm_irq, IRQ_NOREQUEST);
	err = request_irq(storm_irq, storm_handler, IRQF_NO_THREAD, "culprit-storm", &storm_irq);
	if (err)
		irq_free_desc(storm_irq);
	return err;
}

static void storm_exit(void)
{
	irq_work_sync(&storm_work);
	free_irq(storm_irq, &storm_irq);
	irq_free_desc(storm_irq);
}

/* ---- a long softirq -------------------------------------------------------------------------- */

static void softirq_expired(struct timer_list *timer)
{
	culprit_run();
}

static DEFINE_TIMER(softirq_timer, softirq_expired);

static int softirq_plant(unsigned int cpu)
{
	if (timer_pending(&softirq_timer))
		return -EBUSY;
	softirq_timer.expires = jiffies + 1;
	add_timer_on(&softirq_timer, cpu);
	return 0;
}

/* ---- a section that cannot be preempted ------------------------------------------------------ */

static int section_run(void *unused)
{
	preempt_disable();
	culprit_run();
	preempt_enable();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static struct task_struct *section_thread;

static void section_end(void)
{
	if (section_thread)
		kthread_stop(section_thread);
	section_thread = NULL;
}

static int section_plant(unsigned int cpu)
{
	section_end();
	section_thread = kthread_create(section_run, NULL, "culprit-section");
	if (IS_ERR(section_thread)) {
		int err = PTR_ERR(section_thread);

		section_thread = NULL;
		return err;
	}
	kthread_bind(section_thread, cpu);
	wake_up_process(section_thread);
	return 0;
}

/* ---------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int (*plant)(unsigned int cpu);
} culprits[] = {
	{ "storm", storm_plant },
	{ "softirq", softirq_plant },
	{ "section", section_plant },
};

static int plant_set(const char *text, const struct kernel_param *param)
{
	unsigned int cpu, i;
	char name[16];
	int err = -EINVAL;

	if (sscanf(text, "%15s %u", name, &cpu) != 2 || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	mutex_lock(&culprit_mutex);
	begun = ended = 0;
	for (i = 0; i < ARRAY_SIZE(culprits); i++) {
		if (!strcmp(name, culprits[i].name))
			err = culprits[i].plant(cpu);
	}
	mutex_unlock(&culprit_mutex);
	return err;
}

static const struct kernel_param_ops plant_ops = {
	.set = plant_set,
};

module_param_cb(plant, &plant_ops, NULL, 0200);
MODULE_PARM_DESC(plant, "storm, softirq or section, and a CPU");

static int __init culprit_init(void)
{
	return storm_init();
}

static void __exit culprit_exit(void)
{
	storm_exit();
	while (timer_pending(&softirq_timer))
		msleep(20);
	synchronize_rcu(); /* it may be expiring; softirqs are sections of RCU */
	section_end();
}

module_init(culprit_init);
module_exit(culprit_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Somebody who is in the way, for a test of those who say who it was");
