// SPDX-License-Identifier: GPL-2.0
/* register.c - registrations: asked for, ended, given up with their descriptor */
#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/time_namespace.h>

#include "register.h"
#include "compat/task_work.h"
#include "compat/user_worker.h"
#include "core/breath.h"
#include "core/jobs.h"
#include "core/life.h"
#include "core/reap.h"
#include "core/retire.h"
#include "core/todo.h"
#include "core/trace.h"
#include "domain/domain.h"
#include "domain/table.h"
#include "linux/hooks.h"
#include "server/band.h"
#include "server/grant.h"
#include "server/members.h"

/* Members say no times, and can't react to what does not happen to them. */
static bool register_family_valid(const struct resch_task_params *params)
{
	if (params->period || params->deadline || params->wcet || params->offset)
		return false;
	if (params->kind != RESCH_WAKEUP || params->overrun || params->miss || params->signal)
		return false;
	if (params->flags & ~(RESCH_F_FAMILY | RESCH_F_SKIP_ADMISSION))
		return false;
	if (!params->group || params->group > RESCH_GROUPS_MAX)
		return false;
	return params->priority <= RESCH_PRIORITY_MAX && params->cpu >= -1 &&
	       params->cpu < (s32)nr_cpu_ids &&
	       strnlen(params->name, RESCH_NAME_LEN) < RESCH_NAME_LEN;
}

/* The ranges that uapi/linux/resch.h gives. */
static bool register_params_valid(const struct resch_task_params *params)
{
	u64 deadline = params->deadline ? params->deadline : params->period;
	bool signals = params->overrun == RESCH_SIGNAL || params->miss == RESCH_SIGNAL;

	if (params->flags & RESCH_F_FAMILY)
		return register_family_valid(params);
	if (params->period < RESCH_PERIOD_MIN || params->period > RESCH_TIME_MAX ||
	    deadline > RESCH_TIME_MAX)
		return false;
	if (!params->wcet || params->wcet > deadline || params->wcet > params->period)
		return false;
	if (params->offset > RESCH_TIME_MAX || params->kind >= RESCH_KINDS)
		return false;
	if (params->overrun >= RESCH_REACTIONS || params->miss >= RESCH_REACTIONS)
		return false;
	if (params->signal > SIGRTMAX || signals != !!params->signal)
		return false;
	if (params->priority > RESCH_PRIORITY_MAX || params->cpu < -1 ||
	    params->cpu >= (s32)nr_cpu_ids)
		return false;
	if (params->flags & ~RESCH_F_ALL || params->group > RESCH_GROUPS_MAX)
		return false;
	return strnlen(params->name, RESCH_NAME_LEN) < RESCH_NAME_LEN;
}

/* Start time as field 22 of /proc/PID/stat shows it to the caller. */
static u64 register_start_time(struct task_struct *task)
{
	return div_u64(timens_add_boottime_ns(task->start_boottime), NSEC_PER_SEC / USER_HZ);
}

/* Is it nobody else's, not even by its saved ids, nor a program that has another's rights? */
static bool register_is_own(struct task_struct *task)
{
	kuid_t uid = current_euid();
	const struct cred *cred;
	bool own;

	rcu_read_lock();
	cred = __task_cred(task);
	own = uid_eq(cred->uid, uid) && uid_eq(cred->euid, uid) && uid_eq(cred->suid, uid);
	rcu_read_unlock();
	return own;
}

/* Who asks is in a container: has a cgroup namespace of its own. */
static bool register_from_container(void)
{
	return current->nsproxy->cgroup_ns != init_task.nsproxy->cgroup_ns;
}

/* The thread that the request names, with a reference. */
static struct task_struct *register_target(const struct resch_register *reg, bool holder)
{
	struct task_struct *task;
	struct pid *pid;

	if (!reg->pid)
		return get_task_struct(current);
	if (!RESCH_CAN_TASK_WORK)
		return ERR_PTR(-EOPNOTSUPP);
	pid = find_get_pid(reg->pid);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return ERR_PTR(-ESRCH);
	/*
	 * Who never goes to user mode never does what we ask of it there, and would stay
	 * registered.
	 */
	if (task->flags & PF_KTHREAD || resch_is_worker(task) ||
	    !(holder ? register_is_own(task) : resch_thread_may(task))) {
		put_task_struct(task);
		return ERR_PTR(-EPERM);
	}
	if (task->flags & PF_EXITING || register_start_time(task) != reg->start_time) {
		put_task_struct(task);
		return ERR_PTR(-ESRCH);
	}
	return task;
}

static struct resch_domain *register_domain(const struct resch_register *reg)
{
	struct resch_domain *domain;

	if (reg->domain) {
		domain = resch_domain_find(reg->domain);
		if (domain && reg->params.cpu >= 0 &&
		    !cpumask_test_cpu(reg->params.cpu, &domain->cpus))
			domain = NULL;
		return domain;
	}
	return reg->params.cpu >= 0 ? resch_cpu_get(reg->params.cpu)->domain :
				      resch_domain_after(0);
}

/* Who has no CAP_SYS_NICE registers by right of a grant. resch_lock. */
static int register_by_grant(struct resch_domain *domain, struct resch_thread *thread)
{
	struct resch_grant *grant = resch_grant_of(domain, thread->task.params.group);

	if (IS_ERR(grant))
		return PTR_ERR(grant);
	thread->grant = resch_grant_get(grant);
	return resch_grant_allows(grant, domain, thread);
}

/* resch_lock. On success the registration owns the thread's reference. */
static int register_publish(struct resch_file *file, struct resch_thread *thread,
			    struct resch_register *reg, bool holder)
{
	struct resch_domain *domain = register_domain(reg);
	int err = 0;

	if (!domain)
		return holder ? -EPERM : -ENODEV;
	if (holder)
		err = register_by_grant(domain, thread);
	if (!err && reg->params.flags & RESCH_F_FAMILY)
		err = resch_server_take(domain, &thread->task.params);
	if (!err)
		err = resch_band_enter(domain, thread, file, &reg->verdict);
	if (err)
		return err;
	resch_grant_count(thread->grant, 1);
	reg->id = thread->task.id;
	reg->cpu = thread->cpu;
	return 0;
}

/* Have it enter on its own way to user mode. -ESRCH: it is dying. */
static int register_invite(struct resch_thread *thread)
{
	bool coming;

	resch_thread_lock_irq(thread);
	thread->todo |= RESCH_TODO_ENTER;
	coming = resch_thread_poke(thread);
	if (!coming)
		resch_thread_retire(thread, 0, ktime_get());
	resch_thread_unlock_irq(thread);
	return coming ? 0 : -ESRCH;
}

/* Owns the caller's reference to @thread. The hooks are attached. */
static int register_thread(struct resch_file *file, struct resch_thread *thread,
			   struct resch_register *reg, bool self, bool holder)
{
	int err;

	mutex_lock(&resch_lock);
	resch_thread_reap_all();
	mutex_unlock(&resch_lock);
	resch_thread_leave_self(); /* an earlier registration that has ended */
	mutex_lock(&resch_lock);
	err = register_publish(file, thread, reg, holder);
	if (err)
		resch_thread_put(thread);
	else if (self)
		resch_thread_hook(thread);
	else
		err = register_invite(thread);
	mutex_unlock(&resch_lock);
	if (!err && self && reg->params.kind == RESCH_WAKEUP) {
		err = resch_thread_enter(thread, true);
		if (err)
			resch_unregister(file, reg->id, false);
	}
	return err;
}

int resch_register(struct resch_file *file, struct resch_register *reg, bool holder)
{
	struct resch_thread *thread;
	struct task_struct *task;
	bool self;
	int err;

	if (!register_params_valid(&reg->params) || reg->reserved || reg->reserved2 || reg->pid < 0)
		return -EINVAL;
	memset(&reg->verdict, 0, sizeof(reg->verdict));
	task = register_target(reg, holder);
	if (IS_ERR(task))
		return PTR_ERR(task);
	self = task == current;
	err = task->policy == SCHED_DEADLINE ? -EINVAL : 0;
	if (reg->params.flags & RESCH_F_FAMILY && !RESCH_CAN_TASK_WORK)
		err = -EOPNOTSUPP;
	thread = err ? ERR_PTR(err) : resch_thread_create(task, &reg->params);
	put_task_struct(task);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	/* A server is given to its holder with its CPU. */
	thread->contained = !holder && register_from_container();
	err = resch_hooks_get();
	if (err) {
		resch_thread_put(thread);
		return err;
	}
	err = register_thread(file, thread, reg, self, holder);
	resch_hooks_put(); /* the thread has its own */
	return err;
}

static void register_end(struct resch_thread *thread)
{
	struct resch_cpu *rc = resch_thread_lock_irq(thread);

	WRITE_ONCE(thread->file, NULL);
	resch_thread_retire(thread, 0, ktime_get());
	resch_cpu_unlock_irq(rc);
	resch_thread_reap_later(thread);
	resch_cpu_kick(rc);
}

bool resch_register_may(const struct resch_file *file, const struct resch_thread *thread,
			bool holder)
{
	return READ_ONCE(thread->file) == file &&
	       (!holder || (thread->grant && resch_grant_is_held(thread->grant)));
}

/*
 * The thread, with a reference; or the error. Each job of who asks may cost one of these: it waits
 * for no request of others.
 */
static struct resch_thread *register_find(const struct resch_file *file, u32 id, bool holder)
{
	struct resch_thread *thread = resch_thread_get(id, false);

	if (!thread)
		return ERR_PTR(-ENOENT);
	if (!resch_register_may(file, thread, holder)) {
		resch_thread_put(thread);
		return ERR_PTR(-EPERM);
	}
	return thread;
}

int resch_register_release(const struct resch_file *file, u32 id, bool holder)
{
	struct resch_thread *thread = register_find(file, id, holder);
	struct resch_cpu *rc;
	int err;

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	rc = resch_thread_lock_irq(thread);
	err = resch_job_ask(thread, ktime_get());
	resch_cpu_unlock_irq(rc);
	resch_cpu_kick(rc);
	resch_thread_put(thread);
	return err;
}

int resch_register_pace(const struct resch_file *file, const struct resch_pace *pace, bool holder)
{
	struct resch_thread *thread;
	int err;

	if (pace->reserved)
		return -EINVAL;
	thread = register_find(file, pace->id, holder);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	resch_thread_lock_irq(thread);
	err = resch_job_pace(thread, pace->distance, ktime_get());
	resch_thread_unlock_irq(thread);
	resch_thread_put(thread);
	return err;
}

int resch_unregister(struct resch_file *file, u32 id, bool holder)
{
	struct resch_thread *thread = NULL;
	int err = 0;

	mutex_lock(&resch_lock);
	if (id) {
		thread = resch_thread_by_id(id);
	} else {
		rcu_read_lock();
		thread = resch_thread_find(current);
		rcu_read_unlock();
	}
	if (!thread)
		err = -ENOENT;
	else if (!resch_register_may(file, thread, holder))
		err = -EPERM;
	else
		register_end(thread);
	resch_thread_reap_all();
	mutex_unlock(&resch_lock);
	resch_thread_leave_self();
	return err;
}

void resch_register_close(struct resch_file *file)
{
	struct resch_thread *thread;
	u32 count = 0;

	/*
	 * Nobody registers through a descriptor that closes: anybody may open and close without the
	 * lock.
	 */
	if (!list_empty_careful(&file->threads)) {
		mutex_lock(&resch_lock);
		list_for_each_entry(thread, &file->threads, in_file) {
			register_end(thread);
			resch_breathe_each(&count);
		}
		resch_thread_reap_all();
		/* What retired by itself is reaped now, too; nobody points to the file any more. */
		WARN_ON(!list_empty(&file->threads));
		mutex_unlock(&resch_lock);
	}
	resch_thread_leave_self();
	resch_thread_settle();
}
