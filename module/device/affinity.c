// SPDX-License-Identifier: GPL-2.0
/* affinity.c - what tasks go back to, and their children begin with */
#include <linux/capability.h>
#include <linux/cpumask.h>

#include "affinity.h"
#include "core/thread.h"
#include "domain/domain.h"
#include "linux/restore.h"

static struct resch_thread *affinity_thread(u32 id)
{
	struct resch_thread *thread;

	if (id)
		return resch_thread_by_id(id);
	rcu_read_lock();
	thread = resch_thread_find(current);
	rcu_read_unlock();
	return thread;
}

/*
 * Modules can't ask a thread's cpuset. So who adds CPUs to those that it goes back to has to be one
 * who could change its cpuset, too.
 */
static int affinity_set(struct resch_thread *thread, const struct resch_cpus *want)
{
	static cpumask_t cpus, now; /* resch_lock */
	unsigned int cpu;
	int err;

	cpumask_clear(&cpus);
	for_each_possible_cpu(cpu) {
		if (resch_cpus_name(want, cpu))
			cpumask_set_cpu(cpu, &cpus);
	}
	if (!cpumask_intersects(&cpus, cpu_online_mask))
		return -EINVAL;
	err = resch_restore_tell(thread, &now);
	if (!err && !cpumask_subset(&cpus, &now) && !capable(CAP_SYS_ADMIN))
		err = -EPERM;
	return err ? err : resch_restore_change(thread, &cpus);
}

static int affinity_tell(struct resch_thread *thread, struct resch_cpus *to)
{
	static cpumask_t cpus; /* resch_lock */
	unsigned int cpu;
	int err = resch_restore_tell(thread, &cpus);

	memset(to, 0, sizeof(*to));
	for_each_cpu_and(cpu, &cpus, cpu_possible_mask) {
		if (cpu < RESCH_CPUS_MAX)
			to->bits[cpu / 64] |= 1ULL << (cpu % 64);
	}
	return err;
}

int resch_affinity(struct resch_affinity *affinity)
{
	struct resch_thread *thread;

	lockdep_assert_held(&resch_lock);
	if (affinity->flags & ~RESCH_AFFINITY_F_SET)
		return -EINVAL;
	thread = affinity_thread(affinity->id);
	if (!thread)
		return -ENOENT;
	if (!resch_thread_may(thread->linux_task))
		return -EPERM;
	if (affinity->flags & RESCH_AFFINITY_F_SET)
		return affinity_set(thread, &affinity->cpus);
	return affinity_tell(thread, &affinity->cpus);
}
