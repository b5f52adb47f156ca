// SPDX-License-Identifier: GPL-2.0-or-later
/* stay.c - who stays on RT CPUs, and why */
#include <sched.h>
#include <stdio.h>

#include "shield.h"

uint32_t stay_registered(const struct sweep *sweep, pid_t tid)
{
	size_t i;

	for (i = 0; i < sweep->nr_registered; i++) {
		if (sweep->registered[i].tid == tid)
			return sweep->registered[i].id;
	}
	return 0;
}

/* Does this shield keep it: @thread, or where that is NULL the interrupt? */
static bool keeping(const struct sweep *sweep, const struct shield *shield, uint64_t irq,
		    const struct thread *thread)
{
	const char *root = sweep->state->root;
	unsigned long long served;
	struct resch_cpus to;

	if (shield->phase == SHIELD_FALLING)
		return false;
	/* The thread of an interrupt goes where its interrupt goes, which the kernel sees to. */
	if (thread && thread->flags & PF_KTHREAD && sscanf(thread->comm, "irq/%llu-", &served) == 1)
		return interrupt_listed(root, shield->keep_irqs, served) ||
		       interrupt_steered(root, shield->irqs, served, &to);
	if (!thread)
		return interrupt_listed(root, shield->keep_irqs, irq);
	return number_listed(shield->keep_tasks, (uint64_t)thread->tid) ||
	       number_listed(shield->keep_tasks, (uint64_t)thread->tgid);
}

bool stay_kept(const struct sweep *sweep, uint64_t irq, const struct thread *thread,
	       struct resch_cpus *off)
{
	const struct state *state = sweep->state;
	bool kept = false;
	size_t i;

	if (off)
		*off = sweep->rt;
	for (i = 0; i < state->nr_shields; i++) {
		if (!keeping(sweep, &state->shields[i], irq, thread))
			continue;
		kept = true;
		if (off)
			cpus_subtract(off, &state->shields[i].cpus);
	}
	return kept;
}

bool stay_steered(const struct sweep *sweep, uint64_t irq, struct resch_cpus *to)
{
	const struct state *state = sweep->state;
	size_t i;

	for (i = 0; i < state->nr_shields; i++) {
		if (state->shields[i].phase != SHIELD_FALLING &&
		    interrupt_steered(state->root, state->shields[i].irqs, irq, to))
			return true;
	}
	return false;
}

bool stay_interrupt(const struct sweep *sweep, uint64_t irq)
{
	return stay_kept(sweep, irq, NULL, NULL);
}

enum stay stay_own(const struct sweep *sweep, const struct thread *thread, bool moved)
{
	bool realtime = thread->policy == SCHED_FIFO || thread->policy == SCHED_RR ||
			thread->policy == 6 /* SCHED_DEADLINE */;

	if (thread->flags & PF_NO_SETAFFINITY)
		return STAY_FIXED;
	if (stay_kept(sweep, 0, thread, NULL))
		return STAY_KEPT;
	if (moved || thread->flags & PF_KTHREAD || !cpus_within(&thread->allowed, &sweep->rt))
		return STAY_NOT;
	if (realtime)
		return STAY_BOUND;
	/* Whom we find there at the beginning must go; who comes later was sent. */
	return resch_cpus_count(&sweep->fresh) ? STAY_NOT : STAY_CHOSEN;
}

enum stay stay_thread(const struct sweep *sweep, const struct thread *thread, bool moved)
{
	if (thread->run == 'Z' || thread->run == 'X')
		return STAY_ENDED;
	if (stay_registered(sweep, thread->tid))
		return STAY_REGISTERED;
	return stay_own(sweep, thread, moved);
}
