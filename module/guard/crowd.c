// SPDX-License-Identifier: GPL-2.0
/* crowd.c - all threads of the machine: which of them become visitors */
#include <linux/sched/task.h>

#include "affinity.h"
#include "crowd.h"
#include "state.h"
#include "visitor.h"
#include "compat/threads.h"
#include "compat/user_worker.h"

#define RESCH_VISITOR_BATCH 64

static bool visitor_wanted(struct task_struct *task)
{
	if (resch_visitor_is_kernel(task) || READ_ONCE(task->flags) & PF_EXITING ||
	    resch_visitor_find(task) || resch_visitor_is_bound(task))
		return false;
	if (cpumask_intersects(&task->cpus_mask, &resch_guard_rt))
		return !resch_guard_exempts(task);
	return resch_guard_common.flags & RESCH_GUARD_ALL;
}

static bool visitor_wanted_worker(struct task_struct *task)
{
	return resch_is_worker(task) && cpumask_intersects(&task->cpus_mask, &resch_guard_rt) &&
	       visitor_wanted(task);
}

/* Some threads that are to become visitors, with references. */
static unsigned int visitor_batch(struct task_struct **batch,
				  bool (*wanted)(struct task_struct *task))
{
	struct task_struct *process, *task;
	unsigned int count = 0;

	rcu_read_lock();
	resch_for_each_process_thread(process, task) {
		if (count < RESCH_VISITOR_BATCH && wanted(task))
			batch[count++] = get_task_struct(task);
	}
	rcu_read_unlock();
	return count;
}

static void visitor_gather(bool (*wanted)(struct task_struct *task))
{
	struct task_struct *batch[RESCH_VISITOR_BATCH];
	unsigned int count, i, made;

	lockdep_assert_held(&resch_guard_mutex);
	do {
		count = visitor_batch(batch, wanted);
		made = 0;
		for (i = 0; i < count; i++) {
			struct resch_visitor *visitor = resch_visitor_make(batch[i]);

			if (visitor) {
				resch_visitor_home(visitor);
				made++;
			}
			put_task_struct(batch[i]);
		}
		/* Each may have to be waited for: let others in between. */
		mutex_unlock(&resch_guard_mutex);
		cond_resched();
		mutex_lock(&resch_guard_mutex);
		/* Who cannot become one now is caught at its first call. */
	} while (made && resch_guard_stands());
}

void resch_visitor_gather(void)
{
	visitor_gather(visitor_wanted);
}

void resch_visitor_gather_workers(void)
{
	visitor_gather(visitor_wanted_worker);
}
