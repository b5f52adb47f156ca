// SPDX-License-Identifier: GPL-2.0
/* todo.c - what a visitor does itself on its way to user mode */
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include <resch/types.h>

#include "bell.h"
#include "todo.h"
#include "visitor.h"
#include "compat/task_work.h"

void resch_visitor_errand(struct callback_head *head)
{
	struct resch_visitor *visitor = container_of(head, struct resch_visitor, work);
	int todo;

	clear_bit(0, &visitor->queued);
	smp_mb__after_atomic(); /* pairs with the test_and_set_bit() in visitor_ask() */
	todo = atomic_xchg(&visitor->todo, 0);
	if (!(current->flags & PF_EXITING)) {
		if (todo > 0 && READ_ONCE(visitor->cpu) < 0)
			resch_guard_move(todo - 1);
		else if (todo < 0 && READ_ONCE(visitor->cpu) >= 0)
			resch_guard_move(RESCH_GUARD_HOME);
	}
	resch_visitor_put(visitor);
	module_put(THIS_MODULE);
}

static int visitor_ask(struct resch_visitor *visitor)
{
	if (!RESCH_CAN_TASK_WORK)
		return -EOPNOTSUPP;
	if (test_and_set_bit(0, &visitor->queued))
		return 0;
	/* The module may be on its way out, guards or not. */
	if (!try_module_get(THIS_MODULE))
		return -ESRCH;
	if (!refcount_inc_not_zero(&visitor->refs)) {
		module_put(THIS_MODULE);
		return -ESRCH;
	}
	if (!resch_task_work_add(visitor->task, &visitor->work))
		return 0;
	resch_visitor_put(visitor);
	module_put(THIS_MODULE);
	return -ESRCH;
}

int resch_visitor_lend(struct resch_visitor *visitor, unsigned int cpu)
{
	atomic_cmpxchg(&visitor->todo, 0, cpu + 1);
	return visitor_ask(visitor);
}

void resch_visitor_recall(struct resch_visitor *visitor)
{
	atomic_set(&visitor->todo, -1);
	visitor_ask(visitor);
}
