// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * guard.c - shields under guards
 *
 * While a guard stands, what /proc shows is not what a thread's user asked for: at home the guarded
 * CPUs are left out of that, lent the thread has one of them. What a shield makes of a thread is
 * its user's word to the guard, which returns to it; so a shield goes by what its own journal says
 * of such a thread, and guards are lifted while a new shield notes what there is.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shield.h"

/* Bound to one guarded CPU with this it is there by itself: docs/artis.md. */
#define RT0_PRIORITY 99

struct guards {
	size_t count;
	struct guard {
		struct resch_guard_stat stat;
		uint32_t policies;
	} list[];
};

void guards_cpus(int fd, struct resch_cpus *cpus)
{
	struct resch_domain_stat domain = {};
	struct resch_guard_stat stat;

	*cpus = (struct resch_cpus){};
	while (fd >= 0 && resch_domain_next(fd, &domain) > 0) {
		if (!resch_guard_stat(fd, domain.domain, -1, &stat, NULL) && stat.flags)
			cpus_unite(cpus, &domain.cpus);
	}
}

struct guards *guards_lift(int fd)
{
	struct resch_domain_stat domain = {};
	struct guards *guards = NULL, *more;
	struct resch_balance_stat balance;
	struct guard guard = {};

	while (fd >= 0 && resch_domain_next(fd, &domain) > 0) {
		if (resch_guard_stat(fd, domain.domain, -1, &guard.stat, NULL) ||
		    !guard.stat.flags || resch_balance_stat(fd, domain.domain, -1, &balance))
			continue;
		guard.policies = balance.policies;
		more = realloc(guards, sizeof(*guards) +
					       ((guards ? guards->count : 0) + 1) * sizeof(guard));
		if (!more)
			break;
		if (!guards)
			more->count = 0;
		guards = more;
		guards->list[guards->count++] = guard;
		resch_guard_set(fd, domain.domain, 0, NULL);
	}
	return guards;
}

void guards_return(int fd, struct guards *guards)
{
	size_t i;

	for (i = 0; guards && i < guards->count; i++) {
		const struct resch_guard_stat *stat = &guards->list[i].stat;
		int result = resch_guard_set(fd, stat->domain, stat->flags, &stat->exempt);

		if (!result)
			result = resch_balance_set(fd, stat->domain, guards->list[i].policies);
		if (result)
			note("the guard of domain %u does not come back: %s", stat->domain,
			     strerror(-result));
	}
	free(guards);
}

/*
 * Threads of the kernel and SCHED_DEADLINE ones a guard leaves alone; its own thread it does not.
 */
static bool is_foreign(const struct thread *thread)
{
	return thread->policy == SCHED_DEADLINE ||
	       (thread->flags & PF_KTHREAD && strcmp(thread->comm, "resch-guard"));
}

bool sweep_lent(const struct sweep *sweep, const struct thread *thread)
{
	struct sched_param param = {};

	return resch_cpus_count(&thread->allowed) == 1 &&
	       cpus_within(&thread->allowed, &sweep->guarded) && !is_foreign(thread) &&
	       !sched_getparam(thread->tid, &param) && param.sched_priority < RT0_PRIORITY;
}

/* Is it where one that @sweep knows of has it? */
static bool guards_explain(const struct sweep *sweep, const struct thread *thread,
			   const struct resch_cpus *set)
{
	struct resch_cpus home = *set;

	if (!resch_cpus_count(&sweep->guarded))
		return false;
	if (sweep_lent(sweep, thread))
		return true;
	cpus_subtract(&home, &sweep->guarded);
	if (cpus_overlap(&home, &sweep->online))
		return sweep_at(sweep, &thread->allowed, &home);
	/* None of its own: all others. */
	home = sweep->online;
	cpus_subtract(&home, &sweep->guarded);
	return cpus_within(&home, &thread->allowed) &&
	       !cpus_overlap(&thread->allowed, &sweep->guarded);
}

/* Those that stand now, and those that stood at the last look: affinities were read between. */
static void guards_again(struct sweep *sweep)
{
	struct resch_cpus now;
	int fd;

	if (*sweep->state->root)
		return;
	fd = resch_open();
	guards_cpus(fd, &now);
	if (fd >= 0)
		close(fd);
	sweep->guarded = sweep->standing;
	cpus_unite(&sweep->guarded, &now);
	sweep->standing = now;
}

bool sweep_guards(struct sweep *sweep, const struct thread *thread, const struct resch_cpus *set)
{
	if (is_foreign(thread))
		return false;
	if (guards_explain(sweep, thread, set))
		return true;
	/* A look takes a while, and whoever raises a guard does not wait for its end. */
	guards_again(sweep);
	return guards_explain(sweep, thread, set);
}

/* ---- a shield's own domain ------------------------------------------------------------------- */

/* Return: a descriptor; -1: there is no domain, or no module */
static int domain_open(const struct state *state, const struct shield *shield)
{
	return shield->domain && !*state->root ? resch_open() : -1;
}

void shield_undomain(const struct state *state, const struct shield *shield)
{
	int fd = domain_open(state, shield);

	if (fd < 0)
		return;
	if (resch_domain_del(fd, shield->domain) == -EBUSY)
		note("domain %u stays: it has tasks; `reschctl domain del %u` removes it later",
		     shield->domain, shield->domain);
	close(fd);
}

void shield_unguard(const struct state *state, const struct shield *shield)
{
	int fd = domain_open(state, shield);

	if (fd < 0)
		return;
	resch_guard_set(fd, shield->domain, 0, NULL);
	close(fd);
}
