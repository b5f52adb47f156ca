// SPDX-License-Identifier: GPL-2.0
/*
 * resch-plant.c - faults that have to be found
 *
 * fault=NAME is planted as the module is loaded: by "torture --plant NAME", of the kind that resch
 * itself may have one day; and by tests/harness/guest-instruments, which asks whether a debug
 * kernel sees what it is there to see. A kernel where nobody watches comes to harm by some of them.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/rt.h>
#include <linux/sched/task.h>
#include <linux/sched/types.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <uapi/linux/sched.h>
#include <uapi/linux/sched/types.h>

static char *fault = "";
module_param(fault, charp, 0);
MODULE_PARM_DESC(fault, "its name: see plant_faults");

static int process;
module_param(process, int, 0);
MODULE_PARM_DESC(process, "whose it is, where it is a process's");

static int objects = 2000;
module_param(objects, int, 0);
MODULE_PARM_DESC(objects, "how many of them leak");

#define PLANT_SIZE 700
#define PLANT_AWAY_NS (6 * NSEC_PER_SEC) /* the kernel waits for five */
#define PLANT_RACE_NS (2 * NSEC_PER_SEC)

/* Memory that nobody gives back. */
static noinline int plant_leak(void)
{
	int i;

	for (i = 0; i < objects; i++) {
		if (!kmalloc(PLANT_SIZE, GFP_KERNEL))
			return -ENOMEM;
	}
	return 0;
}

/* A process is left a policy that it never had. */
static int plant_restore(void)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = 3,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};
	struct task_struct *task = get_pid_task(find_vpid(process), PIDTYPE_PID);
	int err;

	if (!task)
		return -ESRCH;
	err = sched_setattr_nocheck(task, &attr);
	put_task_struct(task);
	return err;
}

static DEFINE_RAW_SPINLOCK(plant_first);
static DEFINE_RAW_SPINLOCK(plant_second);

/* Two locks in either order. */
static int plant_lock(void)
{
	raw_spin_lock(&plant_first);
	raw_spin_lock(&plant_second);
	raw_spin_unlock(&plant_second);
	raw_spin_unlock(&plant_first);
	raw_spin_lock(&plant_second);
	raw_spin_lock(&plant_first);
	raw_spin_unlock(&plant_first);
	raw_spin_unlock(&plant_second);
	return 0;
}

/* What has been given back is read. */
static int plant_memory(void)
{
	int *object = kmalloc(PLANT_SIZE, GFP_KERNEL);
	int *stale = object;

	OPTIMIZER_HIDE_VAR(stale); /* the compiler would warn */
	kfree(object);
	if (stale)
		READ_ONCE(*stale);
	return 0;
}

static int __rcu *plant_pointer;

/* A pointer is followed without the lock that keeps what it points to. */
static int plant_rcu(void)
{
	return rcu_dereference(plant_pointer) ? -EINVAL : 0;
}

/* Sleep where nobody may. */
static int plant_sleep(void)
{
	raw_spin_lock(&plant_first);
	might_sleep();
	raw_spin_unlock(&plant_first);
	return 0;
}

static void plant_expire(struct timer_list *timer)
{
}

/* The memory of a timer that is armed is given back. */
static int plant_object(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, plant_expire, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
	return 0;
}

static void plant_compute(void *unused)
{
	u64 end = ktime_get_mono_fast_ns() + PLANT_AWAY_NS;

	while (ktime_get_mono_fast_ns() < end)
		barrier(); /* a pause would end the turn of an emulated CPU */
}

/* A CPU does not answer another one. */
static int plant_answer(void)
{
	int cpu = cpumask_any_but(cpu_online_mask, get_cpu());
	int err = smp_call_function_single(cpu, plant_compute, NULL, 1);

	put_cpu();
	return err;
}

static unsigned long plant_shared;

static void plant_write(void *unused)
{
	u64 end = ktime_get_mono_fast_ns() + PLANT_RACE_NS;

	while (ktime_get_mono_fast_ns() < end) {
		plant_shared++;
		barrier();
	}
}

static void plant_arrive(void *unused)
{
}

/* A CPU reads what another one writes. */
static int plant_race(void)
{
	u64 end = ktime_get_mono_fast_ns() + PLANT_RACE_NS;
	int cpu = cpumask_any_but(cpu_online_mask, get_cpu());
	unsigned long seen = 0;
	int err = smp_call_function_single(cpu, plant_write, NULL, 0);

	while (!err && ktime_get_mono_fast_ns() < end) {
		seen += plant_shared;
		OPTIMIZER_HIDE_VAR(seen);
		barrier();
	}
	/* calls are taken in order: the other one has ended after it */
	if (!err)
		err = smp_call_function_single(cpu, plant_arrive, NULL, 1);
	put_cpu();
	return err;
}

static const struct {
	const char *name;
	int (*plant)(void);
} plant_faults[] = {
	{ "leak", plant_leak },	    { "restore", plant_restore }, { "lock", plant_lock },
	{ "memory", plant_memory }, { "rcu", plant_rcu },	  { "sleep", plant_sleep },
	{ "object", plant_object }, { "answer", plant_answer },	  { "race", plant_race },
};

/* Not __init: who has leaked memory is named for as long as the module is there. */
static int plant_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(plant_faults); i++) {
		if (!strcmp(plant_faults[i].name, fault))
			return plant_faults[i].plant();
	}
	pr_err("resch-plant: there is no fault '%s'\n", fault);
	return -EINVAL;
}

static void __exit plant_exit(void)
{
}

module_init(plant_init);
module_exit(plant_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Faults that a test has to find");
