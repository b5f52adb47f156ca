/* SPDX-License-Identifier: GPL-2.0 */
/*
 * channel.h - a wait-free queue from one writer to one reader
 *
 * What CPUs hand each other where neither may ever wait for the other: the RT-FIFO of ARTiS (Piel,
 * Marquet, Soula, Osuna, Dekeyser, INRIA RR-5781, 2005, section 3.1.3), after Valois, Implementing
 * lock-free queues, 1994. The list is never empty: its first link is a dummy. The link that is
 * pulled stays behind as the next dummy, and whoever is pulled goes home with the old one, so
 * nothing is ever allocated; each holder brings one link and always has one, but not always the
 * same.
 */
#ifndef _RESCH_CHANNEL_H
#define _RESCH_CHANNEL_H

#include "types.h"

#ifdef __KERNEL__
#include <asm/barrier.h>
/* Pairs with the store: what a link says is read after the link was found. */
#define resch_channel_load(pointer) smp_load_acquire(pointer) /* see above */
/* Pairs with the load: what a link says is there before the link is. */
#define resch_channel_store(pointer, value) smp_store_release(pointer, value) /* see above */
#else
#define resch_channel_load(pointer) __atomic_load_n(pointer, __ATOMIC_ACQUIRE)
#define resch_channel_store(pointer, value) __atomic_store_n(pointer, value, __ATOMIC_RELEASE)
#endif

/** struct resch_link - @next: the writer's, until the reader has seen it */
struct resch_link {
	struct resch_link *next;
	struct resch_parcel *parcel;
};

/**
 * struct resch_parcel - what is handed over, embedded in it; @link is its own while it is in no
 * channel
 */
struct resch_parcel {
	struct resch_link *link;
};

/** struct resch_channel - @tail is touched by the writer only, @head by the reader only */
struct resch_channel {
	struct resch_link *tail;
	char apart[56]; /* two cache lines, lest one side slow down the other */
	struct resch_link *head;
};

/** resch_channel_init - an empty channel; @dummy is the channel's from now on, until the end */
static inline void resch_channel_init(struct resch_channel *channel, struct resch_link *dummy)
{
	dummy->next = NULL;
	dummy->parcel = NULL;
	channel->head = dummy;
	channel->tail = dummy;
}

/** resch_channel_fini - the dummy that an empty channel leaves; neither side uses it any more */
static inline struct resch_link *resch_channel_fini(struct resch_channel *channel)
{
	return channel->head;
}

/** resch_channel_push - by the one writer; @parcel is in no channel. Any context, wait-free. */
static inline void resch_channel_push(struct resch_channel *channel, struct resch_parcel *parcel)
{
	struct resch_link *link = parcel->link;

	link->parcel = parcel;
	link->next = NULL;
	resch_channel_store(&channel->tail->next, link);
	channel->tail = link;
}

/**
 * resch_channel_pull - by the one reader: the oldest parcel, or NULL: there is none. Any context,
 * wait-free.
 */
static inline struct resch_parcel *resch_channel_pull(struct resch_channel *channel)
{
	struct resch_link *dummy = channel->head;
	struct resch_link *link = resch_channel_load(&dummy->next);
	struct resch_parcel *parcel;

	if (!link)
		return NULL;
	parcel = link->parcel;
	parcel->link = dummy;
	channel->head = link;
	return parcel;
}

#endif /* _RESCH_CHANNEL_H */
