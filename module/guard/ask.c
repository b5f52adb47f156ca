// SPDX-License-Identifier: GPL-2.0
/*
 * ask.c - calls that change policies and affinities while a guard stands
 *
 * Only their end tells whether they have changed anything, so each leaves a note for its own way
 * out of the kernel (task work). What SCHED_DEADLINE needs it needs before.
 */
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <uapi/linux/sched/types.h>

#include <resch/types.h>

#include "affinity.h"
#include "ask.h"
#include "bell.h"
#include "visitor.h"
#include "compat/task_work.h"

struct guard_asked {
	struct callback_head work;
	struct task_struct *whose; /* counted */
	bool affinity; /* is what the call sets, to `cpus` */
	bool deadline; /* resch_guard_span() has been asked for */
	u32 changes; /* resch_visitor_changes() before the call */
	cpumask_t cpus;
};

/* The thread that the call names, with a reference. NULL: there is none. */
static struct task_struct *asked_task(pid_t nr)
{
	struct task_struct *task;
	struct pid *pid;

	if (!nr)
		return get_task_struct(current);
	if (nr < 0)
		return NULL;
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	return task;
}

static void asked_end(struct guard_asked *asked)
{
	put_task_struct(asked->whose);
	kfree(asked);
	module_put(THIS_MODULE);
}

/*
 * Current's call begins anew, as after a signal that nobody handles: nobody but the call itself
 * knows what the caller's rights and the thread's cpuset make of it.
 */
static void asked_again(void)
{
	syscall_set_return_value(current, task_pt_regs(current), -ERESTARTNOINTR, 0);
	/* Calls are restarted where signals are looked for, and not if there are other works. */
	set_thread_flag(TIF_SIGPENDING);
}

/* Process context, on the way to user mode. */
static void asked_work(struct callback_head *head)
{
	struct guard_asked *asked = container_of(head, struct guard_asked, work);
	/*
	 * What was refused has changed nothing, and may have been asked for by anybody. The result
	 * is final here.
	 */
	bool done = !syscall_get_error(current, task_pt_regs(current));

	if (done && asked->affinity &&
	    !resch_visitor_asked(asked->whose, &asked->cpus, asked->changes))
		asked_again();
	/* RT0 waits for nobody; resch-guard looks around now and then anyway. */
	if (!(current->flags & PF_EXITING) && !resch_guard_exempts(current) &&
	    (asked->deadline || (done && resch_visitor_hurries(asked->whose))))
		resch_guard_look(asked->whose);
	asked_end(asked);
}

/*
 * The affinity that the call asks for. The kernel reads it once more: whoever changes it in between
 * says what the thread wants otherwise than it had it, and no more than that.
 */
static void asked_cpus(struct guard_asked *asked, unsigned long length, const void __user *from)
{
	cpumask_clear(&asked->cpus);
	if (copy_from_user(&asked->cpus, from, min_t(unsigned long, length, cpumask_size())))
		cpumask_clear(&asked->cpus); /* which the call will refuse */
}

/* @args of the call. */
static void asked_later(struct task_struct *whose, const unsigned long *args, bool affinity,
			bool deadline)
{
	struct guard_asked *asked;

	if (!RESCH_CAN_TASK_WORK || !try_module_get(THIS_MODULE))
		return;
	asked = kmalloc(sizeof(*asked), GFP_KERNEL);
	if (!asked) {
		module_put(THIS_MODULE);
		return;
	}
	asked->whose = get_task_struct(whose);
	asked->affinity = affinity;
	asked->deadline = deadline;
	asked->changes = resch_visitor_changes(whose);
	if (affinity)
		asked_cpus(asked, args[1], (const void __user *)args[2]);
	init_task_work(&asked->work, asked_work);
	if (resch_task_work_add(current, &asked->work))
		asked_end(asked);
}

/*
 * Is it for SCHED_DEADLINE, by somebody who may? Who may not shall not have affinities widened
 * either.
 */
static bool asked_deadline(const struct sched_attr __user *attr)
{
	u32 policy;

	return !get_user(policy, &attr->sched_policy) && policy == SCHED_DEADLINE &&
	       capable(CAP_SYS_NICE) && !resch_guard_exempts(current);
}

void resch_guard_asked(struct pt_regs *regs, long nr)
{
	struct task_struct *whose;
	unsigned long args[6];
	bool deadline;

	syscall_get_arguments(current, regs, args);
	whose = asked_task((pid_t)args[0]);
	if (!whose)
		return;
	deadline = nr == __NR_sched_setattr &&
		   asked_deadline((const struct sched_attr __user *)args[1]);
	asked_later(whose, args, nr == __NR_sched_setaffinity, deadline);
	if (deadline)
		resch_guard_span(whose);
	put_task_struct(whose);
}
