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
	unsigned long long served;

	if (shield->phase == SHIELD_FALLING)
		return false;
	if (!thread)
		return interrupt_listed(sweep->state->root, shield->keep_irqs, irq);
	/* The thread of an interrupt goes where its interrupt goes. */
	if (thread->flags & PF_KTHREAD && sscanf(thread->comm, "irq/%llu-", &served) == 1)
		return interrupt_listed(sweep->state->root, shield->keep_irqs, served);
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
