// SPDX-License-Identifier: GPL-2.0
/* chardev.c - /dev/resch: checks and copies; the work is done elsewhere */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "affinity.h"
#include "chains.h"
#include "chardev.h"
#include "lead.h"
#include "plans.h"
#include "query.h"
#include "register.h"
#include "servers.h"
#include "start.h"
#include "chain/chain.h"
#include "core/event.h"
#include "core/jobs.h"
#include "core/life.h"
#include "core/reap.h"
#include "core/wait.h"
#include "domain/domain.h"
#include "domain/table.h"
#include "guard/balance.h"
#include "guard/guard.h"
#include "linux/hooks.h"
#include "server/band.h"
#include "server/call.h"
#include "server/grant.h"
#include "server/server.h"

union chardev_arg {
	struct resch_info info;
	struct resch_register reg;
	struct resch_target target;
	struct resch_delay delay;
	struct resch_affinity affinity;
	struct resch_lead lead;
	struct resch_pace pace;
	struct resch_start start;
	struct resch_task_stat task_stat;
	struct resch_domain_set domain_set;
	struct resch_domain_del domain_del;
	struct resch_domain_stat domain_stat;
	struct resch_plugin_load plugin_load;
	struct resch_plugin_stat plugin_stat;
	struct resch_plan_set plan_set;
	struct resch_server_set server_set;
	struct resch_servers_set servers_set;
	struct resch_server_del server_del;
	struct resch_server_stat server_stat;
	struct resch_server_open server_open;
	struct resch_delegate delegate;
	struct resch_plan_get plan_get;
	struct resch_guard_set guard_set;
	struct resch_guard_stat guard_stat;
	struct resch_guard_lend guard_lend;
	struct resch_balance_set balance_set;
	struct resch_balance_stat balance_stat;
	struct resch_call call;
	struct resch_call_end call_end;
	struct resch_serve serve;
	struct resch_chain_offer chain_offer;
	struct resch_chain_set chain_set;
	struct resch_chain_del chain_del;
	struct resch_chain_stat chain_stat;
	struct resch_chain_job chain_job;
	struct resch_chain_open chain_open;
};

/*
 * The registration of the calling thread. With its hook on the thread holds a reference, which only
 * the thread itself gives up: no need to take another. Before that it does need one, to be put.
 */
static struct resch_thread *chardev_get(void)
{
	struct resch_thread *thread = resch_hooks_current();

	if (likely(thread))
		return thread;
	rcu_read_lock();
	thread = resch_thread_find(current);
	if (thread && !refcount_inc_not_zero(&thread->refs))
		thread = NULL;
	rcu_read_unlock();
	return thread;
}

/* @out may be NULL. */
static long chardev_wait(struct resch_wait *out)
{
	struct resch_thread *thread = chardev_get();
	bool hooked;
	long err;

	if (unlikely(!thread))
		return -ENOENT;
	hooked = thread->hooked;
	err = resch_job_wait(thread, out);
	if (unlikely(err == -ECANCELED))
		resch_thread_leave(thread);
	if (unlikely(!hooked))
		resch_thread_put(thread);
	return err;
}

static long chardev_wait_report(void __user *arg, size_t size)
{
	struct resch_wait out;
	long err;

	if (!arg)
		return chardev_wait(NULL);
	err = chardev_wait(&out);
	if (!err && copy_to_user(arg, &out, min(size, sizeof(out))))
		err = -EFAULT;
	return err;
}

/*
 * fdatasync(): RESCH_IOC_WAIT without results, on a way into the kernel that is some 200
 * instructions shorter.
 */
static int chardev_fsync(struct file *filp, loff_t start, loff_t end, int datasync)
{
	return datasync ? chardev_wait(NULL) : -EINVAL;
}

static int chardev_delay(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = chardev_get();
	bool hooked;
	int err;

	if (!thread)
		return -ENOENT;
	hooked = thread->hooked;
	err = hooked ? resch_job_delay(thread, arg->delay.until) : -ENOENT;
	if (!hooked)
		resch_thread_put(thread);
	return err;
}

static int chardev_info(struct resch_file *file, union chardev_arg *arg)
{
	return resch_query_info(&arg->info);
}

static int chardev_register(struct resch_file *file, union chardev_arg *arg, bool holder)
{
	return resch_register(file, &arg->reg, holder);
}

static int chardev_unregister(struct resch_file *file, union chardev_arg *arg, bool holder)
{
	return arg->target.reserved ? -EINVAL : resch_unregister(file, arg->target.id, holder);
}

static int chardev_release(struct resch_file *file, union chardev_arg *arg, bool holder)
{
	return arg->target.reserved ? -EINVAL :
				      resch_register_release(file, arg->target.id, holder);
}

static int chardev_pace(struct resch_file *file, union chardev_arg *arg, bool holder)
{
	return resch_register_pace(file, &arg->pace, holder);
}

static int chardev_affinity(struct resch_file *file, union chardev_arg *arg)
{
	return resch_affinity(&arg->affinity);
}

static int chardev_lead(struct resch_file *file, union chardev_arg *arg)
{
	return resch_lead_set(&arg->lead);
}

static int chardev_start(struct resch_file *file, union chardev_arg *arg, bool holder)
{
	return resch_start(&arg->start, holder);
}

static int chardev_task_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_query_task(&arg->task_stat);
}

static int chardev_domain_set(struct resch_file *file, union chardev_arg *arg)
{
	int err;

	resch_registry_request(arg->domain_set.plugin);
	mutex_lock(&resch_lock);
	err = resch_domain_set(&arg->domain_set);
	mutex_unlock(&resch_lock);
	return err;
}

static int chardev_domain_del(struct resch_file *file, union chardev_arg *arg)
{
	int err;

	if (arg->domain_del.reserved)
		return -EINVAL;
	mutex_lock(&resch_lock);
	err = resch_domain_del(arg->domain_del.domain);
	mutex_unlock(&resch_lock);
	return err;
}

static int chardev_domain_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_query_domain(&arg->domain_stat);
}

static int chardev_plugin_load(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_algorithm *algorithm;

	if (strnlen(arg->plugin_load.name, RESCH_NAME_LEN) == RESCH_NAME_LEN)
		return -EINVAL;
	resch_registry_request(arg->plugin_load.name);
	mutex_lock(&resch_lock);
	algorithm = resch_registry_get(arg->plugin_load.name);
	if (!IS_ERR(algorithm))
		resch_registry_put(algorithm);
	mutex_unlock(&resch_lock);
	return PTR_ERR_OR_ZERO(algorithm);
}

static int chardev_plan_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_plans_set(&arg->plan_set);
}

static int chardev_plan_get(struct resch_file *file, union chardev_arg *arg)
{
	return resch_plans_get(&arg->plan_get);
}

static int chardev_plugin_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_query_plugin(&arg->plugin_stat);
}

static int chardev_server_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_servers_one(file, &arg->server_set);
}

static int chardev_server_del(struct resch_file *file, union chardev_arg *arg)
{
	return resch_server_del(&arg->server_del);
}

static int chardev_server_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_servers_stat(&arg->server_stat);
}

static int chardev_servers_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_servers_band(file, &arg->servers_set);
}

static int chardev_servers_del(struct resch_file *file, union chardev_arg *arg)
{
	return resch_band_del(&arg->server_del);
}

static int chardev_server_open(struct resch_file *file, union chardev_arg *arg)
{
	return resch_servers_open(file, &arg->server_open);
}

static int chardev_delegate(struct resch_file *file, union chardev_arg *arg)
{
	return resch_servers_delegate(&arg->delegate);
}

static int chardev_guard_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_guard_set(&arg->guard_set);
}

static int chardev_guard_stat(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_guard_stat *stat = &arg->guard_stat;
	u64 __user *to = u64_to_user_ptr(stat->calls);
	u64 *calls = NULL;
	int err;

	if (stat->calls) {
		calls = kcalloc(RESCH_CALLS_MAX, sizeof(*calls), GFP_KERNEL_ACCOUNT);
		if (!calls)
			return -ENOMEM;
	}
	err = resch_guard_stat(stat, calls);
	if (!err && calls && copy_to_user(to, calls, RESCH_CALLS_MAX * sizeof(*calls)))
		err = -EFAULT;
	kfree(calls);
	return err;
}

static int chardev_guard_lend(struct resch_file *file, union chardev_arg *arg)
{
	return resch_guard_lend(&arg->guard_lend);
}

static int chardev_balance_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_balance_set(&arg->balance_set);
}

static int chardev_balance_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_balance_stat(&arg->balance_stat);
}

static int chardev_serve(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = resch_hooks_current();

	return thread ? resch_passive_serve(thread, &arg->serve) : -ENOENT;
}

static int chardev_serve_end(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = resch_hooks_current();

	return thread ? resch_passive_serve_end(thread, &arg->call_end) : -ENOENT;
}

static int chardev_passive_call(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = resch_hooks_current();

	return thread ? resch_passive_call(thread, &arg->call) : -ENOENT;
}

static int chardev_call_end(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = resch_hooks_current();

	return thread ? resch_passive_call_end(thread, &arg->call_end) : -ENOENT;
}

static int chardev_chain_offer(struct resch_file *file, union chardev_arg *arg)
{
	return resch_chain_offer(file, &arg->chain_offer);
}

static int chardev_chain_set(struct resch_file *file, union chardev_arg *arg)
{
	return resch_chains_set(file, &arg->chain_set);
}

static int chardev_chain_del(struct resch_file *file, union chardev_arg *arg)
{
	return arg->chain_del.reserved ? -EINVAL : resch_chain_del(file, arg->chain_del.id);
}

static int chardev_chain_stat(struct resch_file *file, union chardev_arg *arg)
{
	return resch_chains_stat(&arg->chain_stat);
}

static int chardev_chain_job(struct resch_file *file, union chardev_arg *arg)
{
	struct resch_thread *thread = resch_hooks_current();

	return thread ? resch_chain_current(thread, &arg->chain_job) : -ENOENT;
}

static int chardev_chain_open(struct resch_file *file, union chardev_arg *arg)
{
	return resch_chains_open(file, &arg->chain_open);
}

static const struct chardev_call {
	int (*call)(struct resch_file *file, union chardev_arg *arg);
	/* instead: also for who has no CAP_SYS_NICE, but holds a delegated server */
	int (*held)(struct resch_file *file, union chardev_arg *arg, bool holder);
	u16 size;
	bool privileged;
	bool own; /* takes no resch_lock, or with preemption off: needs no ceiling */
	bool locked; /* is called with resch_lock */
} chardev_calls[] = {
#define CALL(request, function, privileged) \
	[_IOC_NR(request)] = { function, NULL, _IOC_SIZE(request), privileged, false, false }
#define CALL_OF_HOLDER(request, function, own) \
	[_IOC_NR(request)] = { NULL, function, _IOC_SIZE(request), true, own, false }
#define CALL_OF_OWN(request, function, privileged) \
	[_IOC_NR(request)] = { function, NULL, _IOC_SIZE(request), privileged, true, false }
#define CALL_LOCKED(request, function, privileged) \
	[_IOC_NR(request)] = { function, NULL, _IOC_SIZE(request), privileged, false, true }
	CALL_OF_OWN(RESCH_IOC_INFO, chardev_info, false),
	CALL_OF_HOLDER(RESCH_IOC_REGISTER, chardev_register, false),
	CALL_OF_HOLDER(RESCH_IOC_UNREGISTER, chardev_unregister, false),
	CALL_OF_OWN(RESCH_IOC_DELAY, chardev_delay, false),
	CALL_OF_HOLDER(RESCH_IOC_RELEASE, chardev_release, true),
	CALL_OF_HOLDER(RESCH_IOC_START, chardev_start, false),
	CALL_OF_OWN(RESCH_IOC_TASK_STAT, chardev_task_stat, false),
	CALL_LOCKED(RESCH_IOC_AFFINITY, chardev_affinity, true),
	CALL_LOCKED(RESCH_IOC_LEAD, chardev_lead, true),
	CALL_OF_HOLDER(RESCH_IOC_PACE, chardev_pace, true),
	CALL(RESCH_IOC_DOMAIN_SET, chardev_domain_set, true),
	CALL(RESCH_IOC_DOMAIN_DEL, chardev_domain_del, true),
	CALL_OF_OWN(RESCH_IOC_DOMAIN_STAT, chardev_domain_stat, false),
	CALL(RESCH_IOC_PLUGIN_LOAD, chardev_plugin_load, true),
	CALL_OF_OWN(RESCH_IOC_PLUGIN_STAT, chardev_plugin_stat, false),
	CALL(RESCH_IOC_PLAN_SET, chardev_plan_set, true),
	CALL(RESCH_IOC_SERVER_SET, chardev_server_set, true),
	CALL_LOCKED(RESCH_IOC_SERVER_DEL, chardev_server_del, true),
	CALL_OF_OWN(RESCH_IOC_SERVER_STAT, chardev_server_stat, false),
	CALL(RESCH_IOC_SERVERS_SET, chardev_servers_set, true),
	CALL_LOCKED(RESCH_IOC_SERVERS_DEL, chardev_servers_del, true),
	CALL_OF_OWN(RESCH_IOC_PLAN_GET, chardev_plan_get, false),
	CALL(RESCH_IOC_GUARD_SET, chardev_guard_set, true),
	CALL_OF_OWN(RESCH_IOC_GUARD_STAT, chardev_guard_stat, false),
	CALL(RESCH_IOC_GUARD_LEND, chardev_guard_lend, true),
	CALL(RESCH_IOC_BALANCE_SET, chardev_balance_set, true),
	CALL_OF_OWN(RESCH_IOC_BALANCE_STAT, chardev_balance_stat, false),
	CALL_OF_OWN(RESCH_IOC_CALL, chardev_passive_call, false),
	CALL_OF_OWN(RESCH_IOC_CALL_END, chardev_call_end, false),
	CALL_OF_OWN(RESCH_IOC_SERVE, chardev_serve, false),
	CALL_OF_OWN(RESCH_IOC_SERVE_END, chardev_serve_end, false),
	CALL(RESCH_IOC_DELEGATE, chardev_delegate, true),
	CALL(RESCH_IOC_SERVER_OPEN, chardev_server_open, false),
	CALL_LOCKED(RESCH_IOC_CHAIN_OFFER, chardev_chain_offer, true),
	CALL(RESCH_IOC_CHAIN_SET, chardev_chain_set, true),
	CALL_LOCKED(RESCH_IOC_CHAIN_DEL, chardev_chain_del, true),
	CALL_OF_OWN(RESCH_IOC_CHAIN_STAT, chardev_chain_stat, false),
	CALL_OF_OWN(RESCH_IOC_CHAIN_JOB, chardev_chain_job, false),
	CALL(RESCH_IOC_CHAIN_OPEN, chardev_chain_open, false),
#undef CALL_LOCKED
#undef CALL_OF_OWN
#undef CALL_OF_HOLDER
#undef CALL
};

/*
 * May the caller make the request? The one place where that is asked. 0, -EPERM; 1: what the holder
 * of a delegated server may do. Process context, no locks.
 */
static int chardev_may(const struct chardev_call *call)
{
	if (!call->privileged)
		return 0;
	if (!call->held)
		return capable(CAP_SYS_NICE) ? 0 : -EPERM;
	/* Some do so with each job: that they are not root is no news for the audit. */
	if (ns_capable_noaudit(&init_user_ns, CAP_SYS_NICE))
		return 0;
	return resch_grant_any() ? 1 : -EPERM;
}

/*
 * The size of the caller's structure is in the request number: older and newer ones than ours are
 * welcome.
 */
static long chardev_call(struct resch_file *file, unsigned int cmd, void __user *user)
{
	/*
	 * A user's number, which chardev_ioctl() has compared: no index beyond that even in
	 * speculation.
	 */
	unsigned int nr = array_index_nospec(_IOC_NR(cmd), ARRAY_SIZE(chardev_calls));
	const struct chardev_call *call = &chardev_calls[nr];
	size_t size = _IOC_SIZE(cmd);
	struct resch_thread *raised = NULL;
	union chardev_arg arg;
	int err, may = chardev_may(call);

	if (may < 0)
		return may;
	memset(&arg, 0, sizeof(arg));
	if (_IOC_DIR(cmd) & _IOC_WRITE) {
		err = copy_struct_from_user(&arg, call->size, user, size);
		if (err)
			return err;
	}
	/* What can't be told must not be done. */
	if (_IOC_DIR(cmd) & _IOC_READ && copy_to_user(user, &arg, min_t(size_t, size, call->size)))
		return -EFAULT;
	if (!call->own)
		raised = resch_thread_raise();
	if (call->locked)
		mutex_lock(&resch_lock);
	err = call->held ? call->held(file, &arg, may) : call->call(file, &arg);
	if (call->locked)
		mutex_unlock(&resch_lock);
	resch_thread_lower(raised);
	/* A refusal has something to say, too. */
	if ((!err || err == -EBUSY) && _IOC_DIR(cmd) & _IOC_READ &&
	    copy_to_user(user, &arg, min_t(size_t, size, call->size)))
		return -EFAULT;
	return err;
}

static long chardev_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = _IOC_NR(cmd);

	/* The one that counts. */
	if (likely(cmd == RESCH_IOC_WAIT))
		return chardev_wait_report((void __user *)arg, sizeof(struct resch_wait));
	if (_IOC_TYPE(cmd) != RESCH_IOC_MAGIC)
		return -ENOTTY;
	if (nr == _IOC_NR(RESCH_IOC_WAIT))
		return chardev_wait_report((void __user *)arg, _IOC_SIZE(cmd));
	if (nr >= ARRAY_SIZE(chardev_calls) ||
	    !chardev_calls[array_index_nospec(nr, ARRAY_SIZE(chardev_calls))].size)
		return -ENOTTY;
	return chardev_call(filp->private_data, cmd, (void __user *)arg);
}

static int chardev_open(struct inode *inode, struct file *filp)
{
	struct resch_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	INIT_LIST_HEAD(&file->threads);
	INIT_LIST_HEAD(&file->servers);
	INIT_LIST_HEAD(&file->chains);
	resch_event_init(file);
	filp->private_data = file;
	return stream_open(inode, filp);
}

static int chardev_close(struct inode *inode, struct file *filp)
{
	struct resch_file *file = filp->private_data;
	struct resch_thread *raised = resch_thread_raise();

	resch_chain_close(file);
	resch_register_close(file);
	resch_server_close(file);
	resch_thread_lower(raised);
	resch_event_exit(file);
	kfree(file);
	return 0;
}

static const struct file_operations chardev_fops = {
	.owner = THIS_MODULE,
	.open = chardev_open,
	.release = chardev_close,
	.read = resch_event_read,
	.poll = resch_event_poll,
	.fsync = chardev_fsync,
	.unlocked_ioctl = chardev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice chardev = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "resch",
	.fops = &chardev_fops,
	.mode = 0660,
};

int __init resch_chardev_init(void)
{
	return misc_register(&chardev);
}

void resch_chardev_exit(void)
{
	misc_deregister(&chardev);
}
