/* SPDX-License-Identifier: GPL-2.0 */
/* grant.h - a server is somebody's who has no CAP_SYS_NICE: to register tasks in it, no more */
#ifndef _RESCH_SERVER_GRANT_H
#define _RESCH_SERVER_GRANT_H

#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include <linux/resch.h>

struct resch_domain;
struct resch_entry;
struct resch_thread;

/*
 * What an administrator has given away with a server, or a band of them. Referred to by each of
 * these until it is withdrawn, and by the threads that were registered by right of it.
 */
struct resch_grant {
	refcount_t refs;
	u32 holder; /* enum resch_holder */
	kuid_t uid;
	kgid_t gid;
	/* resch_lock */
	u32 tasks; /* ceilings, as in struct resch_delegate */
	u32 priority;
	u32 rate;
	u32 records; /* registrations by hand, ended ones too while they can be read */
	u32 servers; /* whose it is; none: it is withdrawn */
	struct list_head in_grants; /* resch_lock; read under RCU */
	struct rcu_head rcu;
};

/* Any context. NULL is none. */
static inline struct resch_grant *resch_grant_get(struct resch_grant *grant)
{
	if (grant)
		refcount_inc(&grant->refs);
	return grant;
}

static inline void resch_grant_put(struct resch_grant *grant)
{
	if (grant && refcount_dec_and_test(&grant->refs))
		kfree_rcu(grant, rcu);
}

/* A server is nobody's from now on; what is in it stays. resch_lock. */
static inline void resch_grant_drop(struct resch_grant **grant_of_server)
{
	struct resch_grant *grant = *grant_of_server;

	if (!grant)
		return;
	WRITE_ONCE(*grant_of_server, NULL);
	if (!--grant->servers)
		list_del_rcu(&grant->in_grants);
	resch_grant_put(grant);
}

/* ---- who asks -------------------------------------------------------------------------------- */

/* Is current, by its effective ids, one that it is for? Process context. */
bool resch_grant_is_held(const struct resch_grant *grant);

/* ... that any of those that stand is for? Process context, no locks. */
bool resch_grant_any(void);

/*
 * The grant of the server that @group names, if current holds it. ERR_PTR(-EPERM): there is none,
 * or it is somebody else's. resch_lock.
 */
struct resch_grant *resch_grant_of(struct resch_domain *domain, u32 group);

/*
 * The thread is to be registered by right of @grant. -EPERM: with these parameters it may not be;
 * -ENOSPC: there are as many tasks, or releases, as there may be. resch_lock.
 */
int resch_grant_allows(const struct resch_grant *grant, struct resch_domain *domain,
		       const struct resch_thread *thread);

/* It is registered so, or its record is forgotten. resch_lock. */
static inline void resch_grant_count(struct resch_grant *grant, int by)
{
	if (grant)
		grant->records += by;
}

/* ---- giving and taking back ------------------------------------------------------------------ */

/* The ioctl; errors as in the uapi. Process context, resch_lock. */
int resch_grant_set(const struct resch_delegate *want);

/*
 * The server, and all of its band, are nobody's any more; the registrations by right of it end.
 * resch_lock.
 */
void resch_grant_withdraw(struct resch_entry *entry);

/* What RESCH_IOC_SERVER_STAT tells. resch_lock. */
void resch_grant_fill(struct resch_server_stat *stat, const struct resch_entry *entry);

#endif /* _RESCH_SERVER_GRANT_H */
