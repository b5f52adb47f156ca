// SPDX-License-Identifier: GPL-2.0
/* domain.c - a set of CPUs with one plugin */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "domain.h"
#include "engine.h"
#include "guard.h"
#include "handover.h"
#include "readmit.h"
#include "trace.h"

static DEFINE_XARRAY_ALLOC1(domains); /* resch_lock */
static u32 domain_next_id; /* resch_lock */

struct resch_domain *resch_domain_find(u32 id)
{
	lockdep_assert_held(&resch_lock);
	return xa_load(&domains, id);
}

struct resch_domain *resch_domain_after(u32 id)
{
	unsigned long index = id;

	lockdep_assert_held(&resch_lock);
	return xa_find_after(&domains, &index, INT_MAX, XA_PRESENT);
}

u32 resch_domain_count(void)
{
	struct resch_domain *domain;
	unsigned long index;
	u32 count = 0;

	xa_for_each(&domains, index, domain)
		count++;
	return count;
}

/* ---- CPUs and plugins ------------------------------------------------------------------------ */

int resch_domain_options(const struct resch_plugin *plugin, const char *options, u64 *private)
{
	char copy[RESCH_OPTIONS_LEN], *rest = copy, *key, *value;
	int err;

	memset(private, 0, RESCH_DOMAIN_PRIVATE * sizeof(*private));
	strscpy(copy, options, sizeof(copy));
	while ((key = strsep(&rest, ","))) {
		if (!*key)
			continue;
		value = strchr(key, '=');
		if (!value || !plugin->option)
			return -EINVAL;
		*value++ = '\0';
		err = plugin->option(private, key, value);
		if (err)
			return err;
	}
	return 0;
}

static int domain_change(struct resch_domain *domain, struct resch_algorithm *algorithm,
			 struct resch_domain_set *set)
{
	const struct resch_plugin *plugin = algorithm->plugin;
	u64 *private = domain->private[!domain->side];
	struct resch_algorithm *old = domain->algorithm;
	int err;

	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	err = resch_domain_options(plugin, set->options, private);
	if (err)
		return err;
	err = resch_readmit(domain, plugin, private, resch_plan_latest(&domain->plans),
			    set->capacity, set->overhead, &set->verdict);
	if (err)
		return err;
	domain->side = !domain->side;
	domain->capacity = set->capacity;
	domain->overhead = set->overhead;
	domain->algorithm = algorithm;
	domain->swaps++;
	strscpy(domain->options, set->options, sizeof(domain->options));
	resch_handover(domain, plugin);
	resch_registry_put(old);
	return 0;
}

/* ---- ejection -------------------------------------------------------------------------------- */

static void domain_clear_cpu(u32 cpu, u32 gone)
{
	struct resch_cpu *rc = resch_cpu_get(cpu);

	lockdep_assert_held(&resch_lock);
	resch_cpu_lock_irq(rc);
	resch_engine_clear(rc, gone, ktime_get());
	resch_cpu_unlock_irq(rc);
	resch_thread_reap_all();
}

void resch_domain_clear_all(u32 gone)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		domain_clear_cpu(cpu, gone);
		resch_cpu_lock_irq(rc);
		rc->frozen = false;
		resch_cpu_unlock_irq(rc);
		resch_cpu_kick(rc);
	}
}

static void domain_eject(struct work_struct *work)
{
	struct resch_domain *domain = container_of(work, struct resch_domain, eject);
	struct resch_algorithm *bad, *fallback;
	unsigned int cpu;

	mutex_lock(&resch_lock);
	bad = domain->algorithm;
	fallback = resch_registry_get(resch_plugin_fifo.name);
	pr_warn("domain %u: plugin %s is thrown out: CPU %u: %s; %u tasks go back to what they were\n",
		domain->id, bad->plugin->name, domain->fault_cpu, domain->fault,
		domain->nr_threads);
	trace_resch_eject(domain->id, domain->fault_cpu, bad->plugin->name, domain->fault);
	strscpy(domain->eject_plugin, bad->plugin->name, sizeof(domain->eject_plugin));
	strscpy(domain->eject_reason, domain->fault, sizeof(domain->eject_reason));
	domain->ejections++;
	bad->ejections++;
	for_each_cpu(cpu, &domain->cpus)
		domain_clear_cpu(cpu, RESCH_GONE_EJECT);
	domain->side = !domain->side;
	memset(domain->private[domain->side], 0, sizeof(domain->private[0]));
	domain->options[0] = '\0';
	domain->algorithm = fallback;
	/* Nobody is left; what still is on its way out has no plugin any more. */
	resch_handover(domain, fallback->plugin);
	resch_registry_put(bad);
	clear_bit_unlock(0, &domain->ejecting);
	mutex_unlock(&resch_lock);
}

/* ---- making and deleting --------------------------------------------------------------------- */

/* The CPUs of a request: online, and in no domain yet. */
static int domain_cpus(const struct resch_domain_set *set, cpumask_t *cpus)
{
	unsigned int cpu;

	cpumask_clear(cpus);
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_name(&set->cpus, cpu))
			continue;
		if (cpu >= nr_cpu_ids || !cpu_possible(cpu) ||
		    !READ_ONCE(resch_cpu_get(cpu)->online))
			return -EINVAL;
		if (resch_cpu_get(cpu)->domain)
			return -EBUSY;
		cpumask_set_cpu(cpu, cpus);
	}
	return cpumask_empty(cpus) ? -EINVAL : 0;
}

/* What a CPU is among those of its domain. */
static int domain_peers(struct resch_domain *domain)
{
	unsigned int cpu;

	domain->peers =
		kcalloc(cpumask_weight(&domain->cpus), sizeof(*domain->peers), GFP_KERNEL_ACCOUNT);
	if (!domain->peers)
		return -ENOMEM;
	for_each_cpu(cpu, &domain->cpus) {
		struct resch_rq *rq = &resch_cpu_get(cpu)->rq;

		rq->index = domain->nr_peers;
		domain->peers[domain->nr_peers++] = rq;
	}
	return 0;
}

static int domain_make(struct resch_algorithm *algorithm, struct resch_domain_set *set)
{
	struct resch_domain *domain = kzalloc(sizeof(*domain), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;
	int err;

	if (!domain)
		return -ENOMEM;
	raw_spin_lock_init(&domain->lock);
	resch_server_init(&domain->servers);
	err = domain_cpus(set, &domain->cpus);
	if (!err)
		err = domain_peers(domain);
	if (!err)
		err = resch_domain_options(algorithm->plugin, set->options, domain->private[0]);
	if (!err)
		err = xa_alloc_cyclic(&domains, &domain->id, domain, XA_LIMIT(1, INT_MAX),
				      &domain_next_id, GFP_KERNEL);
	if (err < 0) {
		kfree(domain->peers);
		kfree(domain);
		return err;
	}
	INIT_LIST_HEAD(&domain->threads);
	INIT_WORK(&domain->eject, domain_eject);
	domain->algorithm = algorithm;
	domain->capacity = set->capacity;
	domain->overhead = set->overhead;
	strscpy(domain->options, set->options, sizeof(domain->options));
	domain->whole = algorithm->plugin->flags & RESCH_PLUGIN_WHOLE;
	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		raw_spin_lock_irq(&domain->lock);
		raw_spin_lock(&rc->own);
		if (domain->whole)
			WRITE_ONCE(rc->lock, &domain->lock);
		resch_handover_begin(domain, rc, algorithm->plugin);
		raw_spin_unlock(&rc->own);
		raw_spin_unlock_irq(&domain->lock);
	}
	set->domain = domain->id;
	return 0;
}

/* No threads are left in it. */
static void domain_unmake(struct resch_domain *domain)
{
	unsigned int cpu;

	resch_guard_drop(domain);
	resch_server_free(&domain->servers);
	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);
		struct resch_server *servers;

		raw_spin_lock_irq(&domain->lock);
		raw_spin_lock(&rc->own);
		rc->plugin = NULL;
		rc->domain = NULL;
		rc->whole = false;
		rc->until = RESCH_NEVER;
		rc->starved = 0;
		rc->frozen = false;
		rc->rq.plan = NULL;
		rc->rq.groups = NULL;
		rc->rq.peers = NULL;
		rc->rq.nr_peers = 0;
		resch_server_flush(rc);
		servers = rc->rq.servers;
		rc->rq.servers = NULL;
		WRITE_ONCE(rc->lock, &rc->own);
		raw_spin_unlock(&rc->own);
		raw_spin_unlock_irq(&domain->lock);
		resch_server_free_list(servers);
	}
	xa_erase(&domains, domain->id);
	resch_plan_free(&domain->plans);
	kfree(domain->peers);
	/* An interrupt may still be waiting for the domain's lock, to find that it wants another one. */
	kfree_rcu(domain, rcu);
}

static void domain_free(struct resch_domain *domain)
{
	struct resch_algorithm *algorithm = domain->algorithm;

	domain_unmake(domain);
	resch_registry_put(algorithm);
}

/* A plugin that wants a guard gets one, unless one stands; @domain is NULL for a new one. */
static int domain_guarded(struct resch_domain *domain, struct resch_algorithm *algorithm,
			  struct resch_domain_set *set)
{
	bool stands = domain && domain->guard;
	int err;

	if (!domain) {
		err = domain_make(algorithm, set);
		if (err)
			return err;
		domain = resch_domain_find(set->domain);
		err = resch_guard_default(domain);
		if (err)
			domain_unmake(domain);
		return err;
	}
	err = stands ? 0 : resch_guard_default(domain);
	if (err)
		return err;
	err = domain_change(domain, algorithm, set);
	if (err && !stands)
		resch_guard_drop(domain);
	return err;
}

int resch_domain_set(struct resch_domain_set *set)
{
	struct resch_algorithm *algorithm;
	struct resch_domain *domain = NULL;
	int err;

	lockdep_assert_held(&resch_lock);
	if (set->flags || set->capacity > 1000000 || set->overhead >= NSEC_PER_MSEC)
		return -EINVAL;
	if (strnlen(set->plugin, sizeof(set->plugin)) == sizeof(set->plugin) ||
	    strnlen(set->options, sizeof(set->options)) == sizeof(set->options))
		return -EINVAL;
	if (!set->capacity)
		set->capacity = RESCH_CAPACITY_DEFAULT;
	memset(&set->verdict, 0, sizeof(set->verdict));
	if (set->domain) {
		domain = resch_domain_find(set->domain);
		if (!domain)
			return -ENODEV;
		if (memchr_inv(&set->cpus, 0, sizeof(set->cpus)))
			return -EINVAL;
	}
	algorithm = resch_registry_get(set->plugin);
	if (IS_ERR(algorithm))
		return PTR_ERR(algorithm);
	if (algorithm->plugin->flags & RESCH_PLUGIN_GUARD)
		err = domain_guarded(domain, algorithm, set);
	else
		err = domain ? domain_change(domain, algorithm, set) : domain_make(algorithm, set);
	if (err)
		resch_registry_put(algorithm);
	return err;
}

int resch_domain_del(u32 id)
{
	struct resch_domain *domain = resch_domain_find(id);

	if (!domain)
		return -ENODEV;
	resch_thread_reap_all();
	if (domain->nr_threads || test_bit(0, &domain->ejecting))
		return -EBUSY;
	domain_free(domain);
	return 0;
}

void resch_domain_unguard_all(void)
{
	struct resch_domain *domain;
	unsigned long index;

	xa_for_each(&domains, index, domain)
		resch_guard_drop(domain);
}

void resch_domain_exit(void)
{
	struct resch_domain *domain;
	unsigned long index;

	mutex_lock(&resch_lock);
	xa_for_each(&domains, index, domain)
		domain_free(domain);
	mutex_unlock(&resch_lock);
	xa_destroy(&domains);
}

/* ---- membership ------------------------------------------------------------------------------ */

static int domain_admit(struct resch_cpu *rc, struct resch_thread *thread,
			struct resch_verdict *verdict)
{
	int err = 0;

	if (!READ_ONCE(rc->online))
		return -ENODEV;
	thread->task.rq = &rc->rq;
	if (!(thread->task.params.flags & RESCH_F_SKIP_ADMISSION))
		err = rc->plugin->admit(&rc->rq, &thread->task, verdict);
	if (err)
		verdict->cpu = rc->number;
	return err;
}

/*
 * A level for a new thread: between those of its neighbours in relative deadline, with room left on
 * both sides. Where there is no room it shares one, which costs the parking of a thread now and
 * then.
 */
static u32 domain_level(const struct resch_cpu *rc, const struct resch_thread *thread)
{
	u32 floor = resch_level - resch_levels, above = resch_level + 1, below = floor;
	u64 deadline = thread->task.params.deadline;
	struct resch_task *task;

	if (rc->whole)
		return resch_level;
	resch_rq_for_each(&rc->rq, task) {
		u32 level = resch_thread_of(task)->level;

		if (task->params.deadline == deadline)
			return level;
		if (task->params.deadline < deadline)
			above = min(above, level);
		else
			below = max(below, level);
	}
	if (above - below > 1)
		return below + (above - below) / 2;
	return below > floor ? below : above;
}

static void domain_attach(struct resch_cpu *rc, struct resch_thread *thread)
{
	struct resch_cpu *old;

	/* The child of a member may be on its way, and at work under the lock of its parent's CPU. */
	if (thread->rc && thread->rc != rc) {
		old = resch_thread_lock_irq(thread);
		WRITE_ONCE(thread->rc, rc);
		resch_cpu_unlock_irq(old);
	}
	thread->rc = rc;
	thread->home = rc;
	thread->cpu = rc->number;
	thread->pinned = rc->number;
	thread->level = domain_level(rc, thread);
	resch_cpu_lock_irq(rc);
	if (!rc->rq.tasks)
		rc->last = &rc->rq.tasks;
	thread->link = rc->last;
	*rc->last = &thread->task;
	rc->last = &thread->task.next;
	rc->rq.nr_tasks++;
	if (rc->plugin->attach)
		rc->plugin->attach(&rc->rq, &thread->task);
	resch_cpu_unlock_irq(rc);
}

int resch_domain_join(struct resch_domain *domain, struct resch_thread *thread,
		      struct resch_verdict *verdict)
{
	s32 wanted = thread->task.params.cpu;
	int err = -ENODEV;
	unsigned int cpu;

	lockdep_assert_held(&resch_lock);
	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	if (domain->algorithm->plugin->flags & RESCH_PLUGIN_PLAN) {
		wanted = resch_plan_home(domain, &thread->task.params);
		if (wanted < 0)
			return wanted;
	}
	if (domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS) {
		int home = resch_server_home(domain, &thread->task.params);

		if (home < 0 || (wanted >= 0 && wanted != home))
			return -EINVAL;
		wanted = home;
	}
	resch_plan_bind(domain, &thread->task);
	resch_server_bind(domain, &thread->task);
	for_each_cpu(cpu, &domain->cpus) {
		if (wanted >= 0 && wanted != cpu)
			continue;
		err = domain_admit(resch_cpu_get(cpu), thread, verdict);
		if (!err)
			break;
	}
	if (err)
		return err;
	resch_server_join(thread);
	domain_attach(resch_cpu_get(cpu), thread);
	thread->domain = domain;
	thread->domain_id = domain->id;
	domain->nr_threads++;
	list_add_tail(&thread->in_domain, &domain->threads);
	return 0;
}

void resch_domain_quit(struct resch_thread *thread)
{
	struct resch_task *next = thread->task.next;
	struct resch_cpu *rc = thread->home;

	lockdep_assert_held(&resch_lock);
	resch_cpu_lock_irq(rc);
	*thread->link = next;
	if (next)
		resch_thread_of(next)->link = thread->link;
	else
		rc->last = thread->link;
	rc->rq.nr_tasks--;
	resch_cpu_unlock_irq(rc);
	resch_server_quit(thread);
	list_del_init(&thread->in_domain);
	thread->domain->nr_threads--;
	thread->domain = NULL;
	resch_cpu_kick(rc);
}
