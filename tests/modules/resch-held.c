// SPDX-License-Identifier: GPL-2.0
/*
 * resch-held.c - a thread that cannot be moved: who writes to /proc/resch-held holds a spinlock,
 * with which it may be preempted under PREEMPT_RT, until it is sent a signal. Who reads there
 * learns whether anybody does: "1"
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>

static DEFINE_SPINLOCK(held_lock);
static bool held;

static ssize_t held_write(struct file *file, const char __user *text, size_t size, loff_t *at)
{
	spin_lock(&held_lock);
	WRITE_ONCE(held, true);
	while (!signal_pending(current))
		cpu_relax();
	WRITE_ONCE(held, false);
	spin_unlock(&held_lock);
	return -EINTR;
}

static ssize_t held_read(struct file *file, char __user *text, size_t size, loff_t *at)
{
	return simple_read_from_buffer(text, size, at, READ_ONCE(held) ? "1\n" : "0\n", 2);
}

static const struct proc_ops held_ops = {
	.proc_write = held_write,
	.proc_read = held_read,
};

static int __init held_init(void)
{
	return proc_create("resch-held", 0600, NULL, &held_ops) ? 0 : -ENOMEM;
}

static void __exit held_exit(void)
{
	remove_proc_entry("resch-held", NULL);
}

module_init(held_init);
module_exit(held_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A thread that cannot be moved for a while");
