/* SPDX-License-Identifier: GPL-2.0 */
/* deliver.h - threads on their way to an RT CPU */
#ifndef _RESCH_GUARD_DELIVER_H
#define _RESCH_GUARD_DELIVER_H

#include <linux/init.h>
#include <linux/sched.h>

void __init resch_balance_deliver_init(void);

/*
 * Has the RT CPU @cpu wake @task, which sleeps in resch_guard_move(), and set its @done first.
 * Neither takes a lock that the other may hold. In resch-guard alone. false: not this way, do it
 * yourself.
 */
bool resch_balance_deliver(struct task_struct *task, bool *done, unsigned int cpu);

#endif /* _RESCH_GUARD_DELIVER_H */
