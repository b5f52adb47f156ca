// SPDX-License-Identifier: GPL-2.0
/*
 * resch-plant.c - faults that the torture has to find
 *
 * Loaded by "torture --plant NAME": leak=, restore=, lock= or memory= a process, each a fault of
 * the kind that resch itself may have one day.
 */
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/rt.h>
#include <linux/sched/task.h>
#include <linux/sched/types.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <uapi/linux/sched.h>
#include <uapi/linux/sched/types.h>

static int leak;
module_param(leak, int, 0);
MODULE_PARM_DESC(leak, "memory that nobody gives back");

static int restore;
module_param(restore, int, 0);
MODULE_PARM_DESC(restore, "leave this process a policy that it never had");

static int lock;
module_param(lock, int, 0);
MODULE_PARM_DESC(lock, "two locks in either order");

static int memory;
module_param(memory, int, 0);
MODULE_PARM_DESC(memory, "what has been given back is read");

#define PLANT_OBJECTS 2000
#define PLANT_SIZE 700

static void plant_leak(void)
{
	int i;

	for (i = 0; i < PLANT_OBJECTS; i++)
		if (!kmalloc(PLANT_SIZE, GFP_KERNEL))
			return;
}

static int plant_restore(pid_t pid)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = 3,
		.sched_flags = SCHED_FLAG_RESET_ON_FORK,
	};
	struct task_struct *task = get_pid_task(find_vpid(pid), PIDTYPE_PID);
	int err;

	if (!task)
		return -ESRCH;
	err = sched_setattr_nocheck(task, &attr);
	put_task_struct(task);
	return err;
}

static DEFINE_RAW_SPINLOCK(plant_first);
static DEFINE_RAW_SPINLOCK(plant_second);

static void plant_lock(void)
{
	raw_spin_lock(&plant_first);
	raw_spin_lock(&plant_second);
	raw_spin_unlock(&plant_second);
	raw_spin_unlock(&plant_first);
	raw_spin_lock(&plant_second);
	raw_spin_lock(&plant_first);
	raw_spin_unlock(&plant_first);
	raw_spin_unlock(&plant_second);
}

static void plant_memory(void)
{
	int *object = kmalloc(PLANT_SIZE, GFP_KERNEL);
	int *stale = object;

	OPTIMIZER_HIDE_VAR(stale); /* the compiler would warn */
	kfree(object);
	if (stale)
		READ_ONCE(*stale);
}

static int __init plant_init(void)
{
	if (leak)
		plant_leak();
	if (lock)
		plant_lock();
	if (memory)
		plant_memory();
	return restore ? plant_restore(restore) : 0;
}

static void __exit plant_exit(void)
{
}

module_init(plant_init);
module_exit(plant_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Faults that a test has to find");
