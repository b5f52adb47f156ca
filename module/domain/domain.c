// SPDX-License-Identifier: GPL-2.0
/* domain.c - a set of CPUs with one plugin */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "domain.h"
#include "takeover.h"
#include "readmit.h"
#include "table.h"
#include "core/engine.h"
#include "core/reap.h"
#include "core/trace.h"
#include "guard/guard.h"
#include "server/show.h"

static u32 domain_next_id; /* resch_lock */

/* ---- CPUs and plugins ------------------------------------------------------------------------ */

static int domain_change(struct resch_domain *domain, struct resch_algorithm *algorithm,
			 struct resch_domain_set *want)
{
	const struct resch_plugin *plugin = algorithm->plugin;
	u64 *private = domain->private[!domain->side];
	struct resch_algorithm *old = domain->algorithm;
	int err;

	if (test_bit(0, &domain->ejecting))
		return -EAGAIN;
	err = resch_registry_options(plugin, want->options, private);
	if (err)
		return err;
	err = resch_readmit(domain, plugin, private, resch_plan_latest(&domain->plans),
			    want->capacity, want->overhead, &want->verdict);
	if (err)
		return err;
	domain->side = !domain->side;
	domain->capacity = want->capacity;
	domain->overhead = want->overhead;
	domain->algorithm = algorithm;
	domain->swaps++;
	strscpy(domain->options, want->options, sizeof(domain->options));
	resch_takeover(domain, plugin);
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
		resch_cpu_thaw(rc);
		resch_cpu_unlock_irq(rc);
		resch_cpu_kick(rc);
	}
}

/* A CPU on which the domain's present plugin has erred, and why; or -1. resch_lock. */
static int domain_faulty(const struct resch_domain *domain, const char **why)
{
	unsigned int cpu;

	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		resch_cpu_lock_irq(rc);
		*why = rc->fault;
		resch_cpu_unlock_irq(rc);
		if (*why)
			return cpu;
	}
	return -1;
}

/* The plugin goes, for what it did on @cpu. resch_lock. */
static void domain_throw_out(struct resch_domain *domain, u32 cpu, const char *why)
{
	struct resch_algorithm *bad = domain->algorithm;
	struct resch_algorithm *fallback = resch_registry_get(resch_plugin_fallback.name);
	unsigned int each;

	pr_warn("domain %u: plugin %s is thrown out: CPU %u: %s; %u tasks go back to what they were\n",
		domain->id, bad->plugin->name, cpu, why, domain->nr_threads);
	trace_resch_eject(domain->id, cpu, bad->plugin->name, why);
	strscpy(domain->eject_plugin, bad->plugin->name, sizeof(domain->eject_plugin));
	strscpy(domain->eject_reason, why, sizeof(domain->eject_reason));
	domain->ejections++;
	bad->ejections++;
	for_each_cpu(each, &domain->cpus)
		domain_clear_cpu(each, RESCH_GONE_EJECT);
	domain->side = !domain->side;
	memset(domain->private[domain->side], 0, sizeof(domain->private[0]));
	domain->options[0] = '\0';
	domain->algorithm = fallback;
	/* Nobody is left; what still is on its way out has no plugin any more. */
	resch_takeover(domain, fallback->plugin);
	resch_registry_put(bad);
}

/* No CPU has it any more. Process context. */
static void domain_release(struct resch_domain *domain)
{
	/*
	 * An interrupt may still be waiting for the domain's lock, to find that it wants another
	 * one.
	 */
	kfree_rcu(domain, rcu);
}

static void domain_eject(struct work_struct *work)
{
	struct resch_domain *domain = container_of(work, struct resch_domain, eject);
	const char *why;
	int cpu;

	mutex_lock(&resch_lock);
	if (domain->deleted) {
		mutex_unlock(&resch_lock);
		domain_release(domain);
		return;
	}
	/* From here on a new fault queues this once more. */
	clear_bit(0, &domain->ejecting);
	smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in resch_engine_eject() */
	cpu = domain_faulty(domain, &why);
	/* Otherwise whoever has erred was replaced meanwhile. */
	if (cpu >= 0)
		domain_throw_out(domain, cpu, why);
	mutex_unlock(&resch_lock);
}

/* ---- making and deleting --------------------------------------------------------------------- */

/* The CPUs of a request: online, and in no domain yet. */
static int domain_cpus(const struct resch_domain_set *want, cpumask_t *cpus)
{
	unsigned int cpu;

	cpumask_clear(cpus);
	for (cpu = 0; cpu < RESCH_CPUS_MAX; cpu++) {
		if (!resch_cpus_name(&want->cpus, cpu))
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

static int domain_make(struct resch_algorithm *algorithm, struct resch_domain_set *want)
{
	struct resch_domain *domain = kzalloc(sizeof(*domain), GFP_KERNEL_ACCOUNT);
	unsigned int cpu;
	int err;

	if (!domain)
		return -ENOMEM;
	raw_spin_lock_init(&domain->lock);
	resch_server_init(&domain->servers);
	err = domain_cpus(want, &domain->cpus);
	if (!err)
		err = domain_peers(domain);
	if (!err)
		err = resch_registry_options(algorithm->plugin, want->options, domain->private[0]);
	if (!err)
		err = xa_alloc_cyclic(&resch_domains, &domain->id, domain, XA_LIMIT(1, INT_MAX),
				      &domain_next_id, GFP_KERNEL);
	if (err < 0) {
		kfree(domain->peers);
		kfree(domain);
		return err;
	}
	INIT_LIST_HEAD(&domain->threads);
	INIT_WORK(&domain->eject, domain_eject);
	domain->algorithm = algorithm;
	domain->capacity = want->capacity;
	domain->overhead = want->overhead;
	strscpy(domain->options, want->options, sizeof(domain->options));
	domain->whole = algorithm->plugin->flags & RESCH_PLUGIN_WHOLE;
	for_each_cpu(cpu, &domain->cpus) {
		struct resch_cpu *rc = resch_cpu_get(cpu);

		raw_spin_lock_irq(&domain->lock);
		raw_spin_lock(&rc->own);
		if (domain->whole)
			WRITE_ONCE(rc->lock, &domain->lock);
		resch_takeover_begin(domain, rc, algorithm->plugin);
		raw_spin_unlock(&rc->own);
		raw_spin_unlock_irq(&domain->lock);
	}
	want->domain = domain->id;
	return 0;
}

/* No threads are left in it. resch_lock. */
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
		rc->fault = NULL;
		resch_cpu_thaw(rc);
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
	xa_erase(&resch_domains, domain->id);
	resch_plan_free(&domain->plans);
	kfree(domain->peers);
	/* Its plugin may have erred until the last of its CPUs was taken from it. */
	if (test_bit(0, &domain->ejecting))
		domain->deleted = true;
	else
		domain_release(domain);
}

static void domain_free(struct resch_domain *domain)
{
	struct resch_algorithm *algorithm = domain->algorithm;

	domain_unmake(domain);
	resch_registry_put(algorithm);
}

/* A plugin that wants a guard gets one, unless one stands; @domain is NULL for a new one. */
static int domain_guarded(struct resch_domain *domain, struct resch_algorithm *algorithm,
			  struct resch_domain_set *want)
{
	bool stands = domain && domain->guard;
	int err;

	if (!domain) {
		err = domain_make(algorithm, want);
		if (err)
			return err;
		domain = resch_domain_find(want->domain);
		err = resch_guard_default(domain);
		if (err)
			domain_unmake(domain);
		return err;
	}
	err = stands ? 0 : resch_guard_default(domain);
	if (err)
		return err;
	err = domain_change(domain, algorithm, want);
	if (err && !stands)
		resch_guard_drop(domain);
	return err;
}

int resch_domain_set(struct resch_domain_set *want)
{
	struct resch_algorithm *algorithm;
	struct resch_domain *domain = NULL;
	int err;

	lockdep_assert_held(&resch_lock);
	if (want->flags || want->capacity > 1000000 || want->overhead >= NSEC_PER_MSEC)
		return -EINVAL;
	if (strnlen(want->plugin, sizeof(want->plugin)) == sizeof(want->plugin) ||
	    strnlen(want->options, sizeof(want->options)) == sizeof(want->options))
		return -EINVAL;
	if (!want->capacity)
		want->capacity = RESCH_CAPACITY_DEFAULT;
	memset(&want->verdict, 0, sizeof(want->verdict));
	if (want->domain) {
		domain = resch_domain_find(want->domain);
		if (!domain)
			return -ENODEV;
		if (memchr_inv(&want->cpus, 0, sizeof(want->cpus)))
			return -EINVAL;
	}
	algorithm = resch_registry_get(want->plugin);
	if (IS_ERR(algorithm))
		return PTR_ERR(algorithm);
	if (algorithm->plugin->flags & RESCH_PLUGIN_GUARD)
		err = domain_guarded(domain, algorithm, want);
	else
		err = domain ? domain_change(domain, algorithm, want) :
			       domain_make(algorithm, want);
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

	xa_for_each(&resch_domains, index, domain)
		resch_guard_drop(domain);
}

void resch_domain_exit(void)
{
	struct resch_domain *domain;
	unsigned long index;

	mutex_lock(&resch_lock);
	xa_for_each(&resch_domains, index, domain)
		domain_free(domain);
	mutex_unlock(&resch_lock);
	xa_destroy(&resch_domains);
}
