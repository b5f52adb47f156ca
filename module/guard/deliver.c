// SPDX-License-Identifier: GPL-2.0
/*
 * deliver.c - threads on their way to an RT CPU
 *
 * To wake a thread is to put it on a run queue, under that queue's lock. So the RT CPU does that
 * itself: resch-guard, the only writer, puts the thread into the channel of the RT CPU, the only
 * reader, and rings (RR-5781, sections 3.1.2 and 3.2.3). A channel's parcels are as many as can be
 * under way.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/smp.h>

#include <resch/channel.h>

#include "deliver.h"

#define DELIVER_PARCELS 6

struct deliver_parcel {
	struct resch_parcel parcel;
	struct resch_link link;
	struct task_struct *task;
	bool *done; /* of a thread that is asleep until it is set */
	bool taken; /* set by the writer, cleared by the reader */
};

struct deliver {
	struct resch_channel channel;
	struct resch_link dummy;
	struct deliver_parcel parcels[DELIVER_PARCELS];
	call_single_data_t csd; /* the writer's */
};

static DEFINE_PER_CPU(struct deliver, delivers);

/* The reader. Hard interrupt on the RT CPU; or resch-guard, where that CPU is offline. */
static void deliver_fetch(void *info)
{
	struct deliver *deliver = info;
	struct resch_parcel *found;

	/*
	 * The kernel has taken its mark off the csd just now: where the writer still sees that, we
	 * see his parcel. Pairs with the fence in resch_balance_deliver(); see
	 * tests/models/deliver.pml.
	 */
	smp_mb(); /* see above */
	for (;;) {
		struct deliver_parcel *parcel;
		struct task_struct *task;

		found = resch_channel_pull(&deliver->channel);
		if (!found)
			return;
		parcel = container_of(found, struct deliver_parcel, parcel);
		task = parcel->task;
		/*
		 * A thread that sees it is free to go, and to die; but what frees it waits for a
		 * grace period, and so for this interrupt.
		 */
		rcu_read_lock();
		smp_store_release(parcel->done, true); /* pairs with resch_guard_move() */
		wake_up_process(task);
		rcu_read_unlock();
		smp_store_release(&parcel->taken, false); /* pairs with deliver_parcel_get() */
	}
}

static struct deliver_parcel *deliver_parcel_get(struct deliver *deliver)
{
	unsigned int i;

	for (i = 0; i < DELIVER_PARCELS; i++) {
		/* Pairs with the release in deliver_fetch(). */
		if (!smp_load_acquire(&deliver->parcels[i].taken))
			return &deliver->parcels[i];
	}
	return NULL;
}

bool resch_balance_deliver(struct task_struct *task, bool *done, unsigned int cpu)
{
	struct deliver *deliver = &per_cpu(delivers, cpu);
	struct deliver_parcel *parcel = deliver_parcel_get(deliver);

	if (!parcel)
		return false;
	parcel->task = task;
	parcel->done = done;
	parcel->taken = true;
	resch_channel_push(&deliver->channel, &parcel->parcel);
	smp_mb(); /* the parcel, then a look at the mark; pairs with that in deliver_fetch() */
	/* -EBUSY: the bell is still on its way, and who hears it finds this one, too. */
	if (smp_call_function_single_async(cpu, &deliver->csd) == -ENXIO)
		deliver_fetch(deliver);
	return true;
}

void __init resch_balance_deliver_init(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct deliver *deliver = &per_cpu(delivers, cpu);

		resch_channel_init(&deliver->channel, &deliver->dummy);
		for (i = 0; i < DELIVER_PARCELS; i++)
			deliver->parcels[i].parcel.link = &deliver->parcels[i].link;
		INIT_CSD(&deliver->csd, deliver_fetch, deliver);
	}
}
