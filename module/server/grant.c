// SPDX-License-Identifier: GPL-2.0
/*
 * grant.c - a server is somebody's who has no CAP_SYS_NICE: to register tasks in it, no more
 *
 * Whose it is, is asked of the caller each time, by effective ids as files do it: those are the
 * same in all user namespaces. What is registered by right of a grant lives in its server, which
 * bounds what it may execute; the ceilings here bound what no budget pays: memory, timers.
 */
#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "entry.h"
#include "grant.h"
#include "members.h"
#include "table.h"
#include "core/breath.h"
#include "core/params.h"
#include "core/retire.h"
#include "domain/domain.h"
#include "domain/table.h"

/* Unless given. A release takes a few us of others' time: a few percent of a CPU. */
#define GRANT_RATE 10000

static LIST_HEAD(grants); /* written under resch_lock, read under RCU */

/* ---- who asks -------------------------------------------------------------------------------- */

bool resch_grant_is_held(const struct resch_grant *grant)
{
	switch (grant->holder) {
	case RESCH_HOLDER_USER:
		return uid_eq(current_euid(), grant->uid);
	case RESCH_HOLDER_GROUP:
		return in_egroup_p(grant->gid);
	default:
		return false;
	}
}

bool resch_grant_any(void)
{
	const struct resch_grant *grant;
	bool held = false;

	rcu_read_lock();
	list_for_each_entry_rcu(grant, &grants, in_grants) {
		held = resch_grant_is_held(grant);
		if (held)
			break;
	}
	rcu_read_unlock();
	return held;
}

struct resch_grant *resch_grant_of(struct resch_domain *domain, u32 group)
{
	struct resch_entry *entry = resch_server_find(domain, group);

	/* Without servers nothing keeps its tasks within a budget. */
	if (!entry || !entry->grant || !resch_grant_is_held(entry->grant) ||
	    !(domain->algorithm->plugin->flags & RESCH_PLUGIN_SERVERS))
		return ERR_PTR(-EPERM);
	return entry->grant;
}

/* Releases a second at most. */
static u64 grant_rate(const struct resch_thread *thread)
{
	return div64_u64(NSEC_PER_SEC, thread->task.params.period);
}

/* A member's times are its server's, and its wake-ups come by no timer of ours. */
static bool grant_has_rate(const struct resch_thread *thread)
{
	return !(thread->task.params.flags & RESCH_F_FAMILY);
}

int resch_grant_allows(const struct resch_grant *grant, struct resch_domain *domain,
		       const struct resch_thread *thread)
{
	const struct resch_task_params *params = &thread->task.params;
	struct resch_entry *entry = resch_server_find(domain, params->group);
	const struct resch_thread *other;
	u64 rate;

	if (params->flags & RESCH_F_SKIP_ADMISSION)
		return -EPERM;
	if (params->priority && params->priority < grant->priority)
		return -EPERM;
	if (grant->records >= grant->tasks || !resch_band_has_room(entry))
		return -ENOSPC;
	if (!grant_has_rate(thread))
		return 0;
	rate = grant_rate(thread);
	list_for_each_entry(other, &domain->threads, in_domain)
		if (other->grant == grant && grant_has_rate(other))
			rate += grant_rate(other);
	return rate > grant->rate ? -ENOSPC : 0;
}

/* ---- giving and taking back ------------------------------------------------------------------ */

static bool grant_is(const struct resch_grant *grant, const struct resch_grant *other)
{
	return grant->holder == other->holder && uid_eq(grant->uid, other->uid) &&
	       gid_eq(grant->gid, other->gid);
}

/* Ends what was registered by right of it. resch_lock. */
static void grant_clear(struct resch_domain *domain, const struct resch_grant *grant)
{
	struct resch_thread *thread;
	u32 count = 0;

	list_for_each_entry(thread, &domain->threads, in_domain) {
		struct resch_cpu *rc;

		resch_breathe_each(&count);
		if (thread->grant != grant)
			continue;
		rc = resch_thread_lock_irq(thread);
		resch_thread_retire(thread, RESCH_GONE_WITHDRAWN, ktime_get());
		resch_cpu_unlock_irq(rc);
		resch_cpu_kick(rc);
	}
}

void resch_grant_withdraw(struct resch_entry *entry)
{
	struct resch_grant *grant = resch_grant_get(entry->grant);
	struct resch_entry *other;

	lockdep_assert_held(&resch_lock);
	if (!grant)
		return;
	resch_band_for_each(other, entry)
		resch_grant_drop(&other->grant);
	grant_clear(entry->domain, grant);
	/* Children that wait for room have nothing to wait for. */
	resch_band_for_each(other, entry)
		while (resch_server_recall(other))
			;
	resch_grant_put(grant);
}

/* resch_lock. */
static void grant_give(struct resch_entry *entry, struct resch_grant *grant)
{
	struct resch_entry *other;

	list_add_rcu(&grant->in_grants, &grants);
	resch_band_for_each(other, entry) {
		grant->servers++;
		WRITE_ONCE(other->grant, resch_grant_get(grant));
	}
}

/* The same holder's, with other ceilings. resch_lock. */
static void grant_change(struct resch_entry *entry, const struct resch_grant *wanted)
{
	struct resch_entry *other;

	entry->grant->tasks = wanted->tasks;
	entry->grant->priority = wanted->priority;
	entry->grant->rate = wanted->rate;
	resch_band_for_each(other, entry)
		while (resch_server_recall(other))
			;
}

/* Who it is for. -EINVAL. */
static int grant_read(struct resch_grant *grant, const struct resch_delegate *want)
{
	grant->holder = want->holder;
	grant->uid = INVALID_UID;
	grant->gid = INVALID_GID;
	grant->tasks = want->tasks;
	grant->priority = want->priority;
	grant->rate = want->rate ? want->rate : GRANT_RATE;
	if (want->tasks > RESCH_DELEGATE_TASKS_MAX || want->rate > RESCH_DELEGATE_RATE_MAX ||
	    want->priority > RESCH_PRIORITY_MAX)
		return -EINVAL;
	switch (want->holder) {
	case RESCH_HOLDER_NONE:
		return want->who || want->tasks || want->priority || want->rate ? -EINVAL : 0;
	case RESCH_HOLDER_USER:
		grant->uid = make_kuid(current_user_ns(), want->who);
		return want->tasks && uid_valid(grant->uid) ? 0 : -EINVAL;
	case RESCH_HOLDER_GROUP:
		grant->gid = make_kgid(current_user_ns(), want->who);
		return want->tasks && gid_valid(grant->gid) ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

int resch_grant_set(const struct resch_delegate *want)
{
	struct resch_domain *domain = resch_domain_find(want->domain);
	struct resch_entry *entry = domain ? resch_server_find(domain, want->id) : NULL;
	struct resch_grant wanted = {}, *grant = NULL;

	lockdep_assert_held(&resch_lock);
	if (want->reserved || grant_read(&wanted, want))
		return -EINVAL;
	if (!domain)
		return -ENODEV;
	if (!entry || entry->doomed)
		return -ENOENT;
	if (resch_server_linux(&entry->server) || (entry->band && entry->band != want->id))
		return -EINVAL;
	if (entry->grant && grant_is(entry->grant, &wanted)) {
		grant_change(entry, &wanted);
		return 0;
	}
	if (wanted.holder != RESCH_HOLDER_NONE) {
		grant = kmemdup(&wanted, sizeof(wanted), GFP_KERNEL_ACCOUNT);
		if (!grant)
			return -ENOMEM;
		refcount_set(&grant->refs, 1);
	}
	resch_grant_withdraw(entry);
	if (grant) {
		grant_give(entry, grant);
		resch_grant_put(grant);
	}
	return 0;
}

void resch_grant_fill(struct resch_server_stat *stat, const struct resch_entry *entry)
{
	const struct resch_grant *grant = entry->grant;

	if (!grant)
		return;
	stat->holder = grant->holder;
	stat->who = grant->holder == RESCH_HOLDER_USER ?
			    from_kuid_munged(current_user_ns(), grant->uid) :
			    from_kgid_munged(current_user_ns(), grant->gid);
	stat->holder_tasks = grant->tasks;
	stat->holder_priority = grant->priority;
	stat->holder_rate = grant->rate;
}
